// Sources over sockets with their simulators: requests, reports exactly once, and failures.
import type { Observable } from 'rxjs';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createFilingsFeed } from '../../../src/adapters/intelligence/filings.ts';
import { createMacroFeed } from '../../../src/adapters/intelligence/macro-feed.ts';
import { createWireFeed } from '../../../src/adapters/intelligence/newswire.ts';
import { createSocialFeed } from '../../../src/adapters/intelligence/social-feed.ts';
import { createTvlFeed } from '../../../src/adapters/intelligence/tvl.ts';
import { createKeyedClient, type KeyedClient } from '../../../src/adapters/venues/reference/keyed-client.ts';
import { UNCHANGED } from '../../../src/adapters/venues/venue-http.ts';
import { WeightBudget } from '../../../src/adapters/venues/request-budget.ts';
import { VenueError } from '../../../src/adapters/venues/venue-feed.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { indexEntityNames } from '../../../src/domain/intelligence/entities.ts';
import type { IntelligenceRecord } from '../../../src/domain/intelligence/record.ts';
import type { FeedMessage } from '../../../src/domain/market/market-event.ts';
import { createFaultSwitch, type FaultSettings } from '../../../src/sandbox/faults.ts';
import { createFilingsSimulator } from '../../../src/sandbox/intelligence/filings-simulator.ts';
import { createMacroSimulator } from '../../../src/sandbox/intelligence/macro-simulator.ts';
import { createSeededMacro } from '../../../src/sandbox/intelligence/seeded-macro.ts';
import { createSeededStories } from '../../../src/sandbox/intelligence/seeded-stories.ts';
import { createSocialSimulator } from '../../../src/sandbox/intelligence/social-simulator.ts';
import { createTvlSimulator } from '../../../src/sandbox/intelligence/tvl-simulator.ts';
import { createSeededMarket } from '../../../src/sandbox/market/seeded-market.ts';
import { createNewsSimulator } from '../../../src/sandbox/news/simulator.ts';
import { createHttpSimulator } from '../../../src/sandbox/reference/http-simulator.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { acceleratedClock } from '../../sandbox/accelerated-clock.ts';

const NOW = Date.UTC(2026, 10, 19, 15, 30);
const DAY = 86_400_000;
const KEY = '0123456789abcdef0123456789abcdef';
const random = () => 0.5;
const names = indexEntityNames(CATALOG);
const market = createSeededMarket({ seed: 3 });
const value = (symbol: string, at: number): number => market.value(symbol, at);
const stories = createSeededStories({ seed: 3, symbols: market.assets.map(({ symbol }) => symbol), filers: ['AAPL', 'TSLA'] });
const companies = [
  { cik: '320193', symbol: 'AAPL', name: 'Apple Inc.' },
  { cik: '1318605', symbol: 'TSLA', name: 'Tesla, Inc.' },
];
const few = indexEntityNames(CATALOG, [
  { asset: 'AAPL', cik: '320193', tickers: [], names: [], distinctive: [] },
  { asset: 'TSLA', cik: '1318605', tickers: [], names: [], distinctive: [] },
]);

// Computed once, so that no first answer takes longer than a test's clock allows.
beforeAll(() => {
  stories.between(NOW - 40 * DAY, NOW + DAY);
  for (const coin of ['BTC', 'ETH', 'SOL', 'SPY']) for (let day = 0; day < 450; day++) market.value(coin, NOW - day * DAY);
});

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type Message = FeedMessage | IntelligenceRecord;
type Clock = ReturnType<typeof acceleratedClock>;

function clientOf(url: string, clock: Clock, headers: Record<string, string> = {}, budget = new WeightBudget(6_000)): KeyedClient {
  return createKeyedClient({ venue: 'reference', baseUrl: url, clock, random, perMinute: 6_000, attempts: 1, headers, budget });
}

function receive(feed: Observable<Message>) {
  const received: Message[] = [];
  const subscription = feed.subscribe({ next: (message) => received.push(message), error: (error) => expect.unreachable(String(error)) });
  cleanups.push(() => subscription.unsubscribe());
  const rounds = (): number => received.filter(({ kind }) => kind === 'heartbeat').length;
  return {
    received,
    rounds,
    reports: () => received.flatMap((message) => (message.kind === 'report' ? [message.report] : [])),
    round: async (count = 1) => {
      const before = rounds();
      await waitFor(() => rounds() >= before + count, { what: `${count} more rounds` });
    },
    down: (): string[] =>
      received.flatMap((message) => (message.kind === 'feed_status' && message.status === 'disconnected' ? [message.detail] : [])),
    beats: (): string[] => received.flatMap((message) => (message.kind === 'heartbeat' ? [message.source] : [])),
    rejected: (): string[] => received.flatMap((message) => (message.kind === 'rejection' ? [message.reason] : [])),
  };
}

/** Each source connected to its simulator, polled every `everyMs`. */
const SOURCES: Record<
  string,
  (clock: Clock, faults: ReturnType<typeof createFaultSwitch>, everyMs: number) => Promise<Observable<Message>>
> = {
  wire: async (clock, faults, everyMs) => {
    const simulator = await createNewsSimulator({ news: stories, clock, faults, port: 0 });
    cleanups.push(() => simulator.close());
    return createWireFeed({ client: clientOf(simulator.url, clock), names, clock, random, everyMs });
  },
  filings: async (clock, faults, everyMs) => {
    const simulator = await createFilingsSimulator({ stories, companies, clock, faults, port: 0 });
    cleanups.push(() => simulator.close());
    const client = clientOf(simulator.url, clock, { 'user-agent': 'Test desk@example.com' }, new WeightBudget(8, 1_000));
    return createFilingsFeed({ client, names: few, clock, random, everyMs, archiveUrl: null });
  },
  macro: async (clock, faults, everyMs) => {
    const simulator = await createMacroSimulator({ macro: createSeededMacro(3, value), clock, apiKey: KEY, faults, port: 0 });
    cleanups.push(() => simulator.close());
    const series = [{ id: 'DFF', title: '', group: 'rates', units: 'lin', unit: '', frequency: 'daily', maxAgeMs: DAY }] as const;
    return createMacroFeed({ client: clientOf(simulator.url, clock), apiKey: KEY, clock, random, everyMs, series });
  },
  tvl: async (clock, faults, everyMs) => {
    const simulator = await createTvlSimulator({ market, clock, seed: 3, faults, port: 0 });
    cleanups.push(() => simulator.close());
    return createTvlFeed({ client: clientOf(simulator.url, clock), clock, random, everyMs, histories: 2 });
  },
  social: async (clock, faults, everyMs) => {
    const simulator = await createSocialSimulator({ market, stories, clock, seed: 3, faults, port: 0 });
    cleanups.push(() => simulator.close());
    return createSocialFeed({
      client: clientOf(simulator.url, clock),
      names,
      assets: ['AAPL', 'BTC'],
      siteUrl: null,
      clock,
      random,
      everyMs,
    });
  },
};

const FAULTS: readonly (readonly [string, Partial<FaultSettings>, string])[] = [
  ['limits us', { status429: 1 }, '429'],
  ['is overloaded', { status5xx: 1 }, '503'],
  ['answers garbage', { garbage: 1 }, 'not JSON'],
  ['is too slow', { slowMs: 20_000 }, 'did not answer'],
  ['is frozen', { freeze: true }, 'did not answer'],
];

describe.each(Object.keys(SOURCES))('%s', (source) => {
  test.each(FAULTS)(
    'a provider that %s is reported as one outage, polled with pauses, and received again afterwards',
    async (_what, fault, why) => {
      const clock = acceleratedClock(NOW, 20);
      const faults = createFaultSwitch(1);
      const all = receive(await (SOURCES[source] as (typeof SOURCES)[string])(clock, faults, 3_000));
      await all.round();
      faults.set(fault);
      await waitFor(() => all.down().length > 0, { what: 'the outage' });
      expect(all.down()[0]).toContain(why);
      if (fault.garbage === 1) expect(all.rejected()).toContain('not_json');
      faults.reset();
      await all.round();
      expect(all.down()).toHaveLength(1);
      const words = all.received.flatMap((message) => (message.kind === 'feed_status' ? [`${message.status} ${message.epoch}`] : []));
      expect(words).toEqual(['connected 1', 'disconnected 1', 'connected 2']);
    },
  );
});

describe('wire items', () => {
  test('arrive completely from the look-back, once each, including those published during an outage', async () => {
    const clock = acceleratedClock(NOW, 30);
    const simulator = await createNewsSimulator({ news: stories, clock, port: 0 });
    cleanups.push(() => simulator.close());
    const all = receive(
      createWireFeed({ client: clientOf(simulator.url, clock), names, clock, random, everyMs: 3_000, lookbackMs: 25 * DAY }),
    );
    await all.round();
    const expected = stories.between(NOW - 25 * DAY + 60_000, NOW).map(({ id }) => `wire:${id}`);
    expect(expected.length).toBeGreaterThan(200);
    expect(all.reports().map(({ id }) => id)).toEqual(expect.arrayContaining(expected));
    simulator.faults.set({ status5xx: 1 });
    await waitFor(() => all.down().length === 1, { what: 'the loss' });
    simulator.publish({
      id: 'meanwhile',
      storyId: 's',
      source: { name: 'A', family: 'a', primary: false },
      category: 'product',
      tone: 'neutral',
      symbols: ['BTC'],
      headline: 'Meanwhile',
    });
    simulator.faults.reset();
    await waitFor(() => all.reports().some(({ id }) => id === 'wire:meanwhile'), { what: 'the missed item' });
    await all.round(2);
    const ids = all.reports().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('continue from the look-back if the provider no longer knows the cursor', async () => {
    const clock = acceleratedClock(NOW, 30);
    const asked: string[] = [];
    let expired = false;
    const client = {
      async get(_path: string, query: readonly (readonly [string, string])[]) {
        asked.push(query[0]?.[0] ?? '');
        if (asked.at(-1) === 'cursor' && expired) throw new VenueError('reference', 410, 'http_410', 'this cursor has expired');
        return { reports: [], cursor: 'c' };
      },
    } as unknown as KeyedClient;
    receive(createWireFeed({ client, names, clock, random, everyMs: 1_000 }));
    await waitFor(() => asked.includes('cursor'), { what: 'a second reading' });
    expired = true;
    await waitFor(() => asked.slice(asked.indexOf('cursor')).includes('from'), { what: 'a reading from the look-back' });
  });
});

describe('filings', () => {
  test('are reported once, and polled at most ten times a second', async () => {
    const clock = acceleratedClock(NOW, 30);
    const simulator = await createFilingsSimulator({ stories, companies, clock, port: 0 });
    cleanups.push(() => simulator.close());
    const client = clientOf(simulator.url, clock, { 'user-agent': 'Test desk@example.com' }, new WeightBudget(8, 1_000));
    const all = receive(createFilingsFeed({ client, names: few, clock, random, everyMs: 5_000, archiveUrl: null }));
    await all.round(2);
    const expected = stories.filings('AAPL', NOW - 29 * DAY, NOW).length + stories.filings('TSLA', NOW - 29 * DAY, NOW).length;
    expect(all.reports().length).toBeGreaterThanOrEqual(expected);
    const before = all.reports().length;
    simulator.file({ symbol: 'AAPL', accessionNumber: '0000320193-26-000099', form: '8-K', items: ['1.03'] });
    await waitFor(() => all.reports().length > before, { what: 'the filing' });
    await all.round(2);
    expect(all.reports().slice(before)).toMatchObject([
      { id: 'sec:0000320193-26-000099', severity: 'critical', kind: 'bankruptcy', primary: true },
    ]);
    expect(all.down()).toEqual([]);
  });

  test('are not polled again for ten minutes after a refusal', async () => {
    const clock = acceleratedClock(NOW, 30);
    const simulator = await createFilingsSimulator({ stories, companies, clock, port: 0 });
    cleanups.push(() => simulator.close());
    const all = receive(
      createFilingsFeed({ client: clientOf(simulator.url, clock), names: few, clock, random, everyMs: 1_000, archiveUrl: null }),
    );
    await waitFor(() => all.down().length === 1, { what: 'the refusal' });
    expect(all.down()[0]).toContain('403');
    const at = clock.now();
    await waitFor(() => clock.now() > at + 30_000, { what: 'half a minute' });
    expect([...simulator.requests.values()]).toEqual([1]);
  });

  test('of a missing company delay no other', async () => {
    const clock = acceleratedClock(NOW, 30);
    const simulator = await createFilingsSimulator({ stories, companies: companies.slice(0, 1), clock, port: 0 });
    cleanups.push(() => simulator.close());
    const all = receive(
      createFilingsFeed({
        client: clientOf(simulator.url, clock, { 'user-agent': 'Test desk@example.com' }),
        names: few,
        clock,
        random,
        archiveUrl: null,
      }),
    );
    await all.round();
    expect(all.rejected()).toEqual(['venue_error']);
    expect(all.reports().every(({ entities }) => entities[0]?.asset === 'AAPL')).toBe(true);
    expect(all.reports().length).toBeGreaterThan(0);
    // The unknown company's filings are not known, those of the other are.
    expect(all.beats()).toEqual(['news:filings:without:TSLA']);
  });

  test('of a company whose answer cannot be read are not known, even while it is unchanged', async () => {
    const clock = acceleratedClock(NOW, 30);
    const columns = { accessionNumber: ['0000320193-26-000001'], form: ['8-K'], acceptanceDateTime: ['2026-11-18T16:30:00.000Z'] };
    const good = { cik: '320193', name: 'Apple Inc.', filings: { recent: columns } };
    const answers = [
      { ...good, filings: { recent: { ...columns, acceptanceDateTime: [null] } } },
      UNCHANGED,
      { ...good, filings: {} },
      UNCHANGED,
      { ...good, cik: '1318605' },
      UNCHANGED,
      good,
      UNCHANGED,
    ];
    let asked = 0;
    const client = {
      getIfChanged: async (path: string) =>
        path.includes('320193')
          ? answers[Math.min(asked++, answers.length - 1)]
          : { cik: '1318605', name: 'Tesla, Inc.', filings: { recent: { accessionNumber: [], form: [], acceptanceDateTime: [] } } },
    } as unknown as KeyedClient;
    const all = receive(createFilingsFeed({ client, names: few, clock, random, archiveUrl: null, everyMs: 1_000 }));
    await waitFor(() => all.beats().includes('news:filings'), { what: 'a complete round' });
    expect(asked).toBe(answers.length - 1);
    expect(new Set(all.beats().slice(0, -1))).toEqual(new Set(['news:filings:without:AAPL']));
  });
});

describe('value on chains', () => {
  test('is read again only if it changed, and the largest chains have a history', async () => {
    const clock = acceleratedClock(Date.UTC(2026, 10, 19, 15, 33), 30);
    const simulator = await createTvlSimulator({ market, clock, seed: 3, port: 0 });
    cleanups.push(() => simulator.close());
    const all = receive(createTvlFeed({ client: clientOf(simulator.url, clock), clock, random, everyMs: 10_000, histories: 3 }));
    await all.round(3);
    const of = (kind: string) => all.received.filter((message) => message.kind === kind);
    expect(of('chain_tvl')).toHaveLength(1);
    expect(of('chain_tvl_days').length).toBe(4);
    await waitFor(() => of('chain_tvl').length > 1, { what: 'the next value' });
    expect(all.down()).toEqual([]);
  });
});

describe('macro series', () => {
  test('report a release while connected, and an unregistered key gives no value', async () => {
    const clock = acceleratedClock(Date.UTC(2026, 10, 12, 13, 28), 30);
    const simulator = await createMacroSimulator({ macro: createSeededMacro(3, value), clock, apiKey: KEY, port: 0 });
    cleanups.push(() => simulator.close());
    const series = [
      {
        id: 'CPIAUCSL',
        title: 'Consumer prices',
        group: 'inflation',
        units: 'pc1',
        unit: 'percent over a year',
        frequency: 'monthly',
        maxAgeMs: DAY,
      },
    ] as const;
    const all = receive(createMacroFeed({ client: clientOf(simulator.url, clock), apiKey: KEY, clock, random, series, everyMs: 5_000 }));
    await all.round();
    expect(all.reports()).toEqual([]);
    await waitFor(() => all.reports().length > 0, { what: 'the release' });
    expect(all.reports()).toMatchObject([{ id: 'macro:CPIAUCSL:pc1:2026-10-01', kind: 'macro_release', primary: true, entities: [] }]);
    expect(all.reports()[0]?.headline).toMatch(/^Consumer prices: \d\.\d+ percent over a year for 2026-10 \(\d\.\d+ for 2026-09\)$/);

    const wrong = receive(createMacroFeed({ client: clientOf(simulator.url, clock), apiKey: 'x', clock, random, series }));
    await waitFor(() => wrong.down().length > 0, { what: 'the refusal' });
    expect(wrong.rejected()).toEqual(['venue_error']);
    expect(wrong.down()[0]).toContain('api_key is not registered');
    expect(JSON.stringify(wrong.received)).not.toContain(KEY);
  });
});

describe('posts', () => {
  test('are reported once, new ones as they are written, and a missing key is refused', async () => {
    const clock = acceleratedClock(NOW, 30);
    const simulator = await createSocialSimulator({ market, stories, clock, seed: 3, port: 0, bearer: 'b' });
    cleanups.push(() => simulator.close());
    const all = receive(
      createSocialFeed({
        client: clientOf(simulator.url, clock, { authorization: 'Bearer b' }),
        names,
        assets: ['AAPL', 'TSLA', 'BTC'],
        siteUrl: null,
        clock,
        random,
        everyMs: 5_000,
      }),
    );
    await all.round();
    const posts = () => all.received.flatMap((message) => (message.kind === 'posts' ? message.posts : []));
    expect(posts().length).toBeGreaterThan(10);
    simulator.post('$AAPL is hiding something', 'whistle');
    await waitFor(() => posts().some(({ author }) => author === 'whistle'), { what: 'the post' });
    await all.round(2);
    const ids = posts().map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(posts().find(({ author }) => author === 'whistle')).toMatchObject({ entities: [{ asset: 'AAPL', by: 'cashtag' }] });
    const unknown = receive(
      createSocialFeed({ client: clientOf(simulator.url, clock), names, assets: ['AAPL'], siteUrl: null, clock, random }),
    );
    await waitFor(() => unknown.down().length > 0, { what: 'the refusal' });
    expect(unknown.down()[0]).toContain('401');
  });
});

test('a platform with its own header for the end of its window is not polled before', async () => {
  const clock = acceleratedClock(NOW, 30);
  const simulator = await createHttpSimulator({
    clock,
    faults: createFaultSwitch(),
    port: 0,
    reply: () => ({
      status: 429,
      headers: { 'x-rate-limit-reset': String((NOW + 600_000) / 1000) },
      body: { title: 'Too Many Requests', detail: 'Too Many Requests' },
    }),
  });
  cleanups.push(() => simulator.close());
  const all = receive(
    createSocialFeed({ client: clientOf(simulator.url, clock), names, assets: ['AAPL'], siteUrl: null, clock, random, everyMs: 1_000 }),
  );
  await waitFor(() => all.down().length > 0, { what: 'the refusal' });
  await waitFor(() => clock.now() > NOW + 40_000, { what: 'a while' });
  expect([...simulator.requests.values()]).toEqual([1]);
});

describe('the seeded world', () => {
  test('is the same however it is cut, and its parts belong together', () => {
    const whole = stories.between(NOW - 30 * DAY, NOW);
    const again = createSeededStories({ seed: 3, symbols: market.assets.map(({ symbol }) => symbol), filers: ['AAPL', 'TSLA'] });
    expect(Array.from({ length: 30 }, (_, day) => again.between(NOW - (30 - day) * DAY, NOW - (29 - day) * DAY)).flat()).toEqual(whole);
    expect(new Set(whole.map(({ id }) => id)).size).toBe(whole.length);
    const filings = stories.filings('AAPL', NOW - 200 * DAY, NOW - DAY).filter(({ form }) => form === '8-K');
    expect(filings.length).toBeGreaterThan(20);
    // Every filing is followed by the wire, sometimes by several families, and preceded by the rumour.
    const after = filings.map(({ acceptedAt }) =>
      stories.between(acceptedAt, acceptedAt + 4 * 3_600_000).filter(({ symbols }) => symbols[0] === 'AAPL'),
    );
    expect(after.every((items) => items.length > 0)).toBe(true);
    expect(after.some((items) => new Set(items.map(({ source }) => source.family)).size > 1)).toBe(true);
    const whispers = stories.rumors(NOW - 200 * DAY, NOW).filter(({ symbol }) => symbol === 'AAPL');
    expect(filings.some(({ acceptedAt }) => whispers.some(({ at }) => at < acceptedAt && at > acceptedAt - 100 * 60_000))).toBe(true);
  });

  test('has a negative story of high severity about once a month and asset', () => {
    const grave = stories
      .between(NOW - 300 * DAY, NOW)
      .filter(
        ({ tone, category }) =>
          tone === 'negative' && ['executive_departure', 'regulatory_action', 'cyber_incident', 'restatement'].includes(category),
      );
    const perMonth = new Set(grave.map(({ storyId }) => storyId)).size / (market.assets.length * 10);
    expect(perMonth).toBeGreaterThan(0.2);
    expect(perMonth).toBeLessThan(3);
  });
});
