/** Order books as every process reads them: the feed's own, or one request to the venue for everybody. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Redis } from 'ioredis';
import { createAloneClaims, createSharedClaims } from '../../../src/adapters/queue/ask-claims.ts';
import {
  createInProcessMarketStateBus,
  createRedisMarketStateBus,
  type MarketStateBus,
} from '../../../src/adapters/queue/market-state-bus.ts';
import { ASKED } from '../../../src/adapters/reach.ts';
import type { OrderBook as VenueBook } from '../../../src/adapters/venues/order-book.ts';
import { type AskBook, createOrderBookReads, toOrderBookSnapshot } from '../../../src/adapters/venues/order-book-reads.ts';
import { createSharedBookReads, type SharedBookReads } from '../../../src/adapters/venues/shared-book-reads.ts';
import { VenueError } from '../../../src/adapters/venues/venue-feed.ts';
import type { OrderBookSnapshot, VenueState } from '../../../src/domain/market/market-state.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import { createBookWants } from '../../../src/adapters/queue/book-wants.ts';
import { bookKey, isBookWanted } from '../../../streams/book-wants.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { newBooks } from '../../../streams/market-states.ts';
import { createVirtualClock, type VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { testRedis } from '../../harness/redis.ts';
import { waitFor } from '../../harness/wait-for.ts';

const AT = 1_790_000_000_000;
const WHOLE = { bid: null, ask: null };

const venueBook = (at: EpochMs, over: Partial<VenueBook> = {}): VenueBook => ({
  venue: 'spotexchange',
  instrument: 'BTCUSDT',
  source: 'binance:depth',
  observedAt: at,
  receivedAt: at,
  sourceTime: true,
  sequence: 1,
  quality: 'live',
  flags: [],
  bids: [
    ['100', '1'],
    ['99', '1'],
  ],
  asks: [
    ['101', '1'],
    ['102', '1'],
  ],
  ...over,
});

const venueState = (at: EpochMs, hearing = 'live'): VenueState => ({
  kind: 'venue_state',
  venue: 'spotexchange',
  receivedAt: at,
  hearing,
  detail: '',
  degradedSince: null,
  heardAt: at,
  providers: [],
  clockOffset: null,
  gaps: 0,
  messages: 1,
  rejected: 0,
  budgets: [],
});

/** Creates a process that reads books. `asked` has the requests to its venue. */
function reader(states: MarketStateBus, clock: Clock, claims = createAloneClaims(clock), ask?: AskBook) {
  const asked: string[] = [];
  const books = createSharedBookReads({
    states,
    wants: createBookWants(states, clock),
    claims,
    asked: createOrderBookReads({
      spotexchange: async (instrument, depth) => {
        asked.push(`${instrument} ${depth}`);
        return ask === undefined ? venueBook(clock.now(), { bids: [['90', '1']], asks: [['91', '1']] }) : ask(instrument, depth);
      },
    }),
    clock,
  });
  return { asked, books, best: (depth = 2, least?: number) => best(books, depth, least) };
}

async function best(books: SharedBookReads, depth: number, least?: number): Promise<string | undefined> {
  const read = await books.read('spotexchange', 'BTCUSDT', depth, least);
  return read.ok ? read.value.bids[0]?.price : read.refusal.code;
}

describe('in one process', () => {
  let clock: VirtualClock;
  let states: MarketStateBus;
  const publish = (over: Partial<VenueBook> = {}): void => {
    states.publish(venueState(clock.now()));
    states.publish(toOrderBookSnapshot(venueBook(clock.now(), { edge: WHOLE, ...over })));
  };
  /** Waits until the bus has notified its listeners, once per flush. */
  const flushed = async <Value>(result: Promise<Value>): Promise<Value> => {
    await new Promise((done) => setImmediate(() => setImmediate(done)));
    clock.advanceTo(clock.now() + 25);
    return result;
  };
  beforeEach(() => {
    clock = createVirtualClock(AT);
    states = createInProcessMarketStateBus({ clock });
  });

  test('a live followed book is read, and the venue is not asked', async () => {
    const { asked, best: read } = reader(states, clock);
    publish();
    for (let reads = 0; reads < 1_000; reads++) expect(await read()).toBe('100');
    expect(asked).toEqual([]);
  });

  test.each<[string, Partial<VenueBook>]>([
    ['was lost in a gap', { quality: 'degraded', flags: ['gap', 'resyncing'] }],
    ['is crossed', { bids: [['102', '1']], asks: [['101', '1']] }],
    ['is older than a quote may be', { receivedAt: AT - 5_001, observedAt: AT - 5_001 }],
    ['is old by its own time', { observedAt: AT - 60_000 }],
    ['is of a time to come', { receivedAt: AT + 10_000, observedAt: AT + 10_000 }],
    ['is not known to its depth', { edge: { bid: '99', ask: null } }],
  ])('the venue is asked, once for everybody, if the book %s', async (_, over) => {
    const { asked, best: read } = reader(states, clock);
    publish(over);
    const depth = over.edge === undefined ? 2 : 3;
    expect(await Promise.all(Array.from({ length: 100 }, () => read(depth)))).toEqual(Array(100).fill('90'));
    for (let reads = 0; reads < 100; reads++) expect(await read(depth)).toBe('90');
    expect(asked).toEqual(['BTCUSDT 100']);
  });

  test('a book of an older process, which does not state its known depth, is not used', async () => {
    const { asked, best: read } = reader(states, clock);
    states.publish(venueState(AT));
    states.publish(toOrderBookSnapshot(venueBook(AT)));
    expect(await read()).toBe('90');
    expect(asked).toHaveLength(1);
  });

  test.each([
    ['its feed is down', () => states.publish(venueState(clock.now(), 'feed_down'))],
    ['nobody has followed the venue for ten seconds', () => states.publish(venueState(clock.now() - 10_001))],
  ])('the book of a venue is not used while %s', async (_, happens) => {
    const { asked, best: read } = reader(states, clock);
    states.publish(toOrderBookSnapshot(venueBook(AT, { edge: WHOLE })));
    happens();
    expect(await read()).toBe('90');
    expect(asked).toHaveLength(1);
  });

  test('a followed book that suffices for an order states its known depth', async () => {
    const { asked, books } = reader(states, clock);
    publish({ edge: { bid: '99', ask: '102' } });
    expect(await books.read('spotexchange', 'BTCUSDT', 100, 1)).toMatchObject({ value: { edge: { bid: '99', ask: '102' } } });
    expect(await books.read('spotexchange', 'BTCUSDT', 2)).not.toHaveProperty('value.edge');
    expect(asked).toEqual([]);
  });

  test('an answer is shared as long as a quote would be live, and a refusal is not shared', async () => {
    let refuses = true;
    const { asked, best: read } = reader(states, clock, undefined, async () => {
      if (refuses) throw new VenueError('spotexchange', 429, 'rate_limited', 'its budget is spent');
      return venueBook(clock.now());
    });
    expect(await Promise.all([read(), read()])).toEqual(['unavailable', 'unavailable']);
    expect(asked).toHaveLength(1);
    refuses = false;
    expect(await read()).toBe('100');
    clock.advanceTo(AT + 5_000);
    expect(await read()).toBe('100');
    expect(asked).toHaveLength(2);
    clock.advanceTo(AT + 5_001);
    expect(await read()).toBe('100');
    expect(asked).toHaveLength(3);
  });

  test('a caller refused within a smaller part of the budget uses nothing of a larger one', async () => {
    const claims = createAloneClaims(clock);
    const shown = reader(states, clock, claims, async () => {
      await new Promise((done) => setImmediate(done));
      throw new VenueError('spotexchange', 429, 'rate_limited', 'its part is spent');
    });
    const priced = reader(states, clock, claims);
    expect(await flushed(Promise.all([shown.best(), priced.best()]))).toEqual(['unavailable', '90']);
    expect([shown.asked.length, priced.asked.length]).toEqual([1, 1]);
  });

  test('a silent venue is not asked by one process after the other', async () => {
    const claims = createAloneClaims(clock);
    const silent: AskBook = () =>
      new Promise((_, reject) => {
        clock.deadline(clock.now() + ASKED.totalMs, () => reject(new VenueError('spotexchange', 0, 'timeout', 'it did not answer')));
      });
    const processes = Array.from({ length: 4 }, () => reader(states, clock, claims, silent));
    const reads = Promise.all(processes.map(({ best: read }) => read()));
    await clock.settleTo(AT + ASKED.totalMs + 1_000);
    expect(await reads).toEqual(Array(4).fill('unavailable'));
    expect(processes.flatMap(({ asked }) => asked)).toHaveLength(1);
  });

  test('two readers of one process request once together', async () => {
    const claims = createAloneClaims(clock);
    const two = [reader(states, clock, claims), reader(states, clock, claims)] as const;
    const read = await flushed(Promise.all([two[0].best(), two[1].best(), two[0].best(20), two[1].best(100)]));
    expect(read).toEqual(['90', '90', '90', '90']);
    expect(two[0].asked.length + two[1].asked.length).toBe(1);
  });

  test('the claim of a dead process expires by itself', async () => {
    const claims = createAloneClaims(clock);
    expect(await claims.take('asked_book spotexchange:BTCUSDT 100')).toBe(true);
    const { asked, best: read } = reader(states, clock, claims);
    const answer = read();
    await new Promise((done) => setImmediate(done));
    expect(asked).toEqual([]);
    clock.advanceTo(AT + 3_000);
    expect(await answer).toBe('90');
    expect(asked).toHaveLength(1);
  });

  test('the feed publishes books that somebody reads, and no longer than the lease', async () => {
    const kept = ['BTCUSDT', 'ETHUSDT'].map((instrument) => ({
      venue: 'spotexchange' as const,
      instrument,
      read: (): OrderBookSnapshot => toOrderBookSnapshot(venueBook(clock.now(), { instrument, edge: WHOLE })),
    }));
    const round = newBooks({ books: kept }, { bus: states, clock });
    const passedOn = (): string[] => states.snapshot().flatMap((state) => (state.kind === 'order_book' ? [state.instrument] : []));
    round();
    expect(passedOn()).toEqual([]);
    const { asked, best: read } = reader(states, clock);
    states.publish(venueState(AT));
    expect(await read()).toBe('90');
    round();
    expect(passedOn()).toEqual(['BTCUSDT']);
    expect(await read()).toBe('100');
    expect(asked).toHaveLength(1);
    clock.advanceTo(AT + 29_999);
    round();
    expect(passedOn()).toEqual(['BTCUSDT']);
    expect(await read()).toBe('90');
    clock.advanceTo(AT + 59_998);
    expect(isBookWanted(states, 'spotexchange', 'BTCUSDT', clock.now())).toBe(true);
    clock.advanceTo(AT + 59_999);
    round();
    expect(passedOn()).toEqual([]);
  });

  test('a follower is notified of the first book, and its lease lasts until it ends', async () => {
    const wants = createBookWants(states, clock);
    const end = wants.follow('spotexchange', 'BTCUSDT');
    const first = wants.first('spotexchange', 'BTCUSDT');
    publish();
    clock.advanceTo(AT + 25);
    await first;
    expect(wants.first('spotexchange', 'BTCUSDT')).toBeNull();
    clock.advanceTo(AT + 300_000);
    expect(isBookWanted(states, 'spotexchange', 'BTCUSDT', clock.now())).toBe(true);
    end();
    clock.advanceTo(AT + 330_000);
    expect(isBookWanted(states, 'spotexchange', 'BTCUSDT', clock.now())).toBe(false);
    expect(clock.pending).toBe(0);
  });
});

const redisUrl = await testRedis();
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** Creates a process of the service, as far as books go. */
function processOn(url: string, ask: AskBook) {
  const clock = createLiveClock();
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);
  const states = createRedisMarketStateBus({ url, clock, flushMs: 5, snapshotMs: 300, onError });
  const redis = new Redis(url, { protocol: 2 });
  ends.push(
    () => states.close(),
    async () => redis.disconnect(),
  );
  return { clock, states, errors, ...reader(states, clock, createSharedClaims(redis, onError), ask) };
}

describe.skipIf(redisUrl === null)('between processes over Redis', () => {
  test('a thousand reads of one book in four processes are one request, and then the feed’s book', async () => {
    const answers: (() => void)[] = [];
    const slow: AskBook = async () => {
      await new Promise<void>((done) => answers.push(done));
      return venueBook(Date.now(), { bids: [['90', '1']], asks: [['91', '1']] });
    };
    const processes = Array.from({ length: 4 }, () => processOn(redisUrl as string, slow));
    const feed = processOn(redisUrl as string, slow);
    const reads = Promise.all(processes.flatMap(({ best: read }) => Array.from({ length: 250 }, () => read())));
    await waitFor(() => answers.length > 0, { what: 'the venue to be asked' });
    const kept = [
      {
        venue: 'spotexchange' as const,
        instrument: 'BTCUSDT',
        read: () => toOrderBookSnapshot(venueBook(feed.clock.now(), { edge: WHOLE })),
      },
    ];
    await waitFor(() => isBookWanted(feed.states, 'spotexchange', 'BTCUSDT', feed.clock.now()), { what: 'the feed to be told' });
    for (const answer of answers) answer();
    expect(new Set(await reads)).toEqual(new Set(['90']));
    expect(processes.flatMap(({ asked }) => asked)).toEqual(['BTCUSDT 100']);
    feed.states.publish(venueState(feed.clock.now()));
    newBooks({ books: kept }, { bus: feed.states, clock: feed.clock })();
    for (const { states, best: read } of processes) {
      await waitFor(() => states.latest(bookKey('spotexchange', 'BTCUSDT')) !== null, { what: 'the book of the feed' });
      await waitFor(() => states.latest('venue_state spotexchange') !== null, { what: 'the state of the venue' });
      expect(await read()).toBe('100');
    }
    expect(processes.flatMap(({ asked }) => asked)).toHaveLength(1);
    expect(processes.flatMap(({ errors }) => errors)).toEqual([]);
  });
});
