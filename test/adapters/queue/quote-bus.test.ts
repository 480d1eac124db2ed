// The newest quotes of every process reach all others, in batches, despite lost messages.
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterEach, expect, test } from 'vitest';
import { type BusQuote, createInProcessQuoteBus, createRedisQuoteBus, type QuoteBus } from '../../../src/adapters/queue/quote-bus.ts';
import type { Quote } from '../../../src/domain/market/quote.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { testRedis } from '../../harness/redis.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { redisProxy } from './redis-proxy.ts';

const clock = createLiveClock();
const open: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

function quote(instrument: string, bid: string, receivedAt: number, sequence: number | null = null): Quote<'spotexchange'> {
  return {
    kind: 'quote',
    venue: 'spotexchange',
    instrument,
    source: 'binance:bookTicker',
    observedAt: receivedAt,
    receivedAt,
    sourceTime: true,
    bid,
    ask: null,
    bidSize: null,
    askSize: null,
    sequence,
    quality: 'live',
    flags: [],
  };
}

const bidOf = (bus: QuoteBus, instrument: string): string | null | undefined => {
  const found = bus.latest(`spotexchange:${instrument}`);
  return found?.kind === 'quote' ? found.bid : undefined;
};

test('between two flushes only the newest quote of an instrument is sent', () => {
  const virtual = createVirtualClock(0);
  const bus = createInProcessQuoteBus({ clock: virtual, flushMs: 25 });
  const batches: (readonly BusQuote[])[] = [];
  bus.subscribe((changed) => batches.push(changed));
  for (let n = 1; n <= 1_000; n++) bus.publish(quote(n % 2 === 0 ? 'A' : 'B', String(n), n));
  expect(batches).toEqual([]);
  virtual.advanceTo(2);
  expect(batches.map((batch) => batch.map((each) => (each.kind === 'quote' ? each.bid : null)).sort())).toEqual([['1000', '999']]);
  bus.publish(quote('A', '1001', 1_001));
  virtual.advanceTo(26);
  expect(batches).toHaveLength(1);
  virtual.advanceTo(10_000);
  expect(batches).toHaveLength(2);
  expect(virtual.pending).toBe(0);
});

test('an older quote never replaces a newer one; one of the same moment does if its quality changed', () => {
  const bus = createInProcessQuoteBus({ clock: createVirtualClock(0) });
  bus.publish(quote('A', '2', 2_000));
  bus.publish(quote('A', '1', 1_999));
  expect(bidOf(bus, 'A')).toBe('2');
  bus.publish({ ...quote('A', '2', 2_000), quality: 'stale' });
  expect(bus.latest('spotexchange:A')?.quality).toBe('stale');
  bus.publish(quote('B', '8', 5, 8));
  bus.publish(quote('B', '7', 5, 7));
  expect(bidOf(bus, 'B')).toBe('8');
});

test('quotes of a clock that was ahead hold off no quote once it is right', () => {
  const HOUR = 3_600_000;
  let now = HOUR;
  const bus = createInProcessQuoteBus({ clock: { now: () => now, deadline: () => () => {} } });
  bus.publish(quote('A', '1', now));
  now = 0;
  bus.publish(quote('A', '2', 0));
  expect(bidOf(bus, 'A')).toBe('2');
  // Another process repeats what it still holds.
  bus.publish(quote('A', '1', HOUR));
  expect(bidOf(bus, 'A')).toBe('2');
  now = 25;
  bus.publish(quote('A', '3', 25));
  bus.publish(quote('A', '2', 24));
  expect(bidOf(bus, 'A')).toBe('3');
});

test('a listener that throws is reported, and the others still receive', () => {
  const virtual = createVirtualClock(0);
  const errors: unknown[] = [];
  const bus = createInProcessQuoteBus({ clock: virtual, onError: (error) => errors.push(error) });
  let received = 0;
  bus.subscribe(() => {
    throw new Error('careless');
  });
  bus.subscribe((changed) => (received += changed.length));
  bus.publish(quote('A', '1', 1));
  virtual.advanceTo(100);
  expect(received).toBe(1);
  expect(String(errors[0])).toContain('careless');
});

const redisUrl = await testRedis();

function redisBus(url: string, errors: unknown[] = []): QuoteBus {
  const bus = createRedisQuoteBus({ url, clock, flushMs: 10, snapshotMs: 300, onError: (error) => errors.push(error) });
  open.push(() => bus.close());
  return bus;
}

async function proxy(url: string) {
  const through = await redisProxy(url);
  open.push(through.close);
  return through;
}

test.skipIf(redisUrl === null)('quotes of one process reach the others, and a newcomer gets all at once', async () => {
  const url = redisUrl as string;
  const [one, two] = [redisBus(url), redisBus(url)];
  await waitFor(
    () => {
      one.publish(quote('A', '1', clock.now()));
      return bidOf(two, 'A') === '1';
    },
    { what: 'the first quote' },
  );
  two.publish(quote('B', '2', clock.now()));
  await waitFor(() => bidOf(one, 'B') === '2', { what: 'the way back' });
  const late = redisBus(url);
  await waitFor(() => late.snapshot().length === 2, { what: 'both quotes at the newcomer' });
});

test.skipIf(redisUrl === null)('one flush is one message, however many quotes it holds', async () => {
  const url = redisUrl as string;
  const watcher = new Redis(url, { protocol: 2 });
  watcher.on('error', () => {});
  open.push(async () => watcher.disconnect());
  const messages: { quotes: unknown[] }[] = [];
  watcher.on('message', (_, text: string) => messages.push(JSON.parse(text) as (typeof messages)[number]));
  await watcher.subscribe('sevengate:quotes');
  const bus = redisBus(url);
  await waitFor(() => messages.length > 0, { what: 'a sign of the bus' });
  messages.length = 0;
  const now = clock.now();
  for (let n = 0; n < 500; n++) bus.publish(quote(`I${n % 100}`, String(n), now + n));
  await waitFor(() => messages.some(({ quotes }) => quotes.length === 100), { what: 'the batch' });
  // A repetition of everything may be due in the same moment, and then goes instead of the batch.
  expect(messages.filter(({ quotes }) => quotes.length > 0 && quotes.length !== 100)).toEqual([]);
});

test.skipIf(redisUrl === null)('connections cut during a burst: every process ends with the newest quote', async () => {
  const through = await proxy(redisUrl as string);
  const errors: unknown[] = [];
  const [one, two] = [redisBus(through.url, errors), redisBus(through.url, errors)];
  let bid = 0;
  await waitFor(
    () => {
      one.publish(quote('A', String(++bid), clock.now()));
      return bidOf(two, 'A') !== undefined;
    },
    { what: 'the first quote' },
  );
  for (let cut = 0; cut < 5; cut++) {
    for (let n = 0; n < 50; n++) one.publish(quote(`I${n}`, String(++bid), clock.now() + 1 + cut));
    through.cut();
    await new Promise((resolve) => clock.deadline(clock.now() + 40, () => resolve(null)));
  }
  one.publish(quote('A', 'last', clock.now() + 10));
  await waitFor(() => bidOf(two, 'A') === 'last' && [...Array(50).keys()].every((n) => bidOf(two, `I${n}`) === bidOf(one, `I${n}`)), {
    what: 'the same quotes on both sides',
    deadlineMs: 10_000,
  });
});

test.skipIf(redisUrl === null)('a half-open connection is detected by its missing echo and replaced', async () => {
  const through = await proxy(redisUrl as string);
  const errors: unknown[] = [];
  const [one, two] = [redisBus(redisUrl as string), redisBus(through.url, errors)];
  await waitFor(
    () => {
      one.publish(quote('A', '1', clock.now()));
      return bidOf(two, 'A') === '1';
    },
    { what: 'the first quote' },
  );
  through.freeze();
  one.publish(quote('A', '2', clock.now() + 1));
  await waitFor(() => errors.length > 0, { what: 'a complaint about the frozen connection', deadlineMs: 10_000 });
  expect(bidOf(two, 'A')).toBe('1');
  two.publish(quote('B', '1', clock.now()));
  through.cut();
  await waitFor(() => bidOf(two, 'A') === '2' && bidOf(one, 'B') === '1', { what: 'both sides in step again', deadlineMs: 10_000 });
});

test.skipIf(redisUrl === null)('foreign messages on the channel are reported and change nothing', async () => {
  const errors: unknown[] = [];
  const bus = redisBus(redisUrl as string, errors);
  const stranger = new Redis(redisUrl as string, { protocol: 2 });
  stranger.on('error', () => {});
  open.push(async () => stranger.disconnect());
  const junk = [
    'hello',
    'null',
    '{"from":1}',
    '{"from":"x","seq":1,"type":"batch","quotes":[{"kind":"order"}]}',
    '{"from":"x","seq":1,"type":"buy","quotes":[]}',
  ];
  await waitFor(
    async () => {
      for (const text of junk) await stranger.publish('sevengate:quotes', text);
      return errors.length >= junk.length;
    },
    { what: 'the complaints' },
  );
  expect(bus.snapshot()).toEqual([]);
});

test.skipIf(redisUrl === null)(
  'a process without listeners sends only snapshots; a new one receives everything known and what follows',
  async () => {
    const channel = `quotes of ${randomUUID()}`;
    const join = () => {
      const bus = createRedisQuoteBus({ url: redisUrl as string, clock, channel, flushMs: 5, snapshotMs: 60_000 });
      open.push(() => bus.close());
      return bus;
    };
    const watch = new Redis(redisUrl as string, { protocol: 2 });
    open.push(async () => watch.disconnect());
    const sent: string[] = [];
    (await watch.monitor()).on('monitor', (_at: string, [command, on, text]: string[]) => {
      if (command?.toLowerCase() === 'publish' && on === channel) sent.push(JSON.parse(text ?? '').type);
    });
    const alone = join();
    await waitFor(async () => sent.includes('want'), { what: 'the first message' });
    for (let n = 1; n <= 20; n++) {
      const told = new Promise<void>((resolve) => {
        const leave = alone.subscribe(() => {
          leave();
          resolve();
        });
      });
      alone.publish(quote('A', String(n), n));
      await told;
    }
    expect(sent.filter((type) => type === 'batch').length).toBeLessThanOrEqual(1);
    const other = join();
    await waitFor(async () => bidOf(other, 'A') === '20', { what: 'what was published before it joined' });
    alone.publish(quote('A', '21', 21));
    await waitFor(async () => bidOf(other, 'A') === '21', { what: 'what was published after it' });
  },
);
