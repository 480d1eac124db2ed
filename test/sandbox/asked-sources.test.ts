// Sources that are asked rather than listened to, while answers are garbage: each one is counted, nothing of a good one is lost.
import { concat, EMPTY, NEVER, type Observable } from 'rxjs';
import { afterEach, describe, expect, test } from 'vitest';
import { createFilingsFeed } from '../../src/adapters/intelligence/filings.ts';
import { createMacroFeed } from '../../src/adapters/intelligence/macro.ts';
import { createSocialFeed } from '../../src/adapters/intelligence/social.ts';
import { createTvlFeed } from '../../src/adapters/intelligence/tvl.ts';
import { createWireFeed } from '../../src/adapters/intelligence/wire.ts';
import { withFallback } from '../../src/adapters/venues/reference/fallback.ts';
import { createKeyedDoor } from '../../src/adapters/venues/reference/keyed-door.ts';
import { FINNHUB } from '../../src/adapters/venues/reference/share-quotes.ts';
import { WeightBudget } from '../../src/adapters/venues/request-budget.ts';
import { CATALOG } from '../../src/domain/catalog.ts';
import { entityNamesOf } from '../../src/domain/intelligence/entities.ts';
import type { IntelligenceRecord } from '../../src/domain/intelligence/record.ts';
import type { FeedMessage } from '../../src/domain/market-event.ts';
import { createFaultSwitch, type FaultSettings, type FaultSwitch } from '../../src/sandbox/faults.ts';
import { createFilingsDouble } from '../../src/sandbox/intelligence/filings-double.ts';
import { createMacroDouble } from '../../src/sandbox/intelligence/macro-double.ts';
import { createSeededMacro } from '../../src/sandbox/intelligence/seeded-macro.ts';
import { createSeededStories } from '../../src/sandbox/intelligence/seeded-stories.ts';
import { createSocialDouble } from '../../src/sandbox/intelligence/social-double.ts';
import { createTvlDouble } from '../../src/sandbox/intelligence/tvl-double.ts';
import { createSeededMarket } from '../../src/sandbox/market/seeded-market.ts';
import { createNewsDouble } from '../../src/sandbox/news/double.ts';
import type { HttpDouble } from '../../src/sandbox/reference/http-double.ts';
import { createShareQuotesDouble } from '../../src/sandbox/reference/share-quotes.ts';
import { createVirtualClock, type VirtualClock } from '../../streams/virtual-clock.ts';
import { OPENING, openFaultStage, type ProviderName, socketWatch } from './fault-stage.ts';

type Message = FeedMessage | IntelligenceRecord;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Counts what the switch decides about answers: how many there were while garbage was on, and how many it took the place of. */
function garbageOf(faults: FaultSwitch): { readonly answers: () => number; readonly spoiled: () => number } {
  const own = faults.happens;
  let answers = 0;
  let spoiled = 0;
  faults.happens = (probability) => {
    const happened = own(probability);
    if (probability > 0 && probability === faults.settings.garbage) {
      answers++;
      if (happened) spoiled++;
    }
    return happened;
  };
  return { answers: () => answers, spoiled: () => spoiled };
}

const random = (): number => 0.5;
const isPrice = ({ kind }: Message): boolean => kind === 'quote' || kind === 'reference';
const refused = (heard: readonly Message[], source?: string): number =>
  heard.filter((message) => message.kind === 'rejection' && (source === undefined || message.source === source)).length;

describe('prices that are asked for', () => {
  const ASKED: readonly ProviderName[] = ['issuer', 'spotchain', 'kalshi-polled'];

  test.each(ASKED)('%s: every good answer tells its prices, every garbage one is counted, and the next poll heals', async (name) => {
    const stage = await openFaultStage([name]);
    cleanups.push(() => stage.close());
    const [provider] = stage.providers as [(typeof stage.providers)[0]];
    const { clock } = stage;
    const heard: FeedMessage[] = [];
    const pipeline = stage.listen(provider);
    pipeline.heard.subscribe({ next: (message) => void heard.push(message), error: (error: unknown) => expect.unreachable(String(error)) });
    const isLive = (): boolean => {
      const { quotes, references } = pipeline.view.snapshot(clock.now());
      const prices = [...quotes, ...references];
      return prices.length > 0 && prices.every(({ quality }) => quality === 'live');
    };
    for (let waited = 0; !isLive() && waited < 60_000; waited += 1_000) await stage.run(1_000);
    await stage.run(5_000);
    expect(isLive()).toBe(true);
    heard.length = 0;
    const { answers, spoiled } = garbageOf(provider.faults);
    provider.faults.set({ garbage: 0.2 });
    await stage.run(name === 'issuer' ? 1_800_000 : 300_000, () => {}, name === 'issuer' ? 1_000 : 100);
    expect(spoiled()).toBeGreaterThan(5);
    expect(answers() - spoiled()).toBeGreaterThan(10);
    expect(refused(heard)).toBe(spoiled());
    const prices = heard.filter(isPrice);
    if (name === 'issuer') expect(prices).toHaveLength(answers() - spoiled());
    // Of the aggregator a good buy is a quote, whether or not its sell is garbage; of a listing all outcomes come together.
    const at = new Map<number, number>();
    for (const { receivedAt } of prices) at.set(receivedAt, (at.get(receivedAt) ?? 0) + 1);
    const sizes = new Set(at.values());
    expect(sizes).toEqual(new Set([name === 'kalshi-polled' ? 4 : 1]));
    expect(at.size).toBeGreaterThan(10);
    provider.faults.reset();
    for (let waited = 0; !isLive() && waited < 90_000; waited += 1_000) await stage.run(1_000);
    expect(isLive()).toBe(true);
  });

  test('the second source: every good answer tells its price, every garbage one is counted', async () => {
    const run = sourceStage();
    const market = createSeededMarket({ seed: 21 });
    const faults = createFaultSwitch(4);
    const { answers, spoiled } = garbageOf(faults);
    const double = await createShareQuotesDouble({ market, clock: run.clock, symbols: ['AAPL', 'TSLA'], apiKey: 'right', faults, port: 0 });
    cleanups.push(() => double.close());
    const feed = withFallback({
      primary: { venue: 'reference', messages: concat(EMPTY, NEVER) },
      provider: FINNHUB,
      baseUrl: `${double.url}/api/v1`,
      key: 'right',
      symbols: ['AAPL', 'TSLA'],
      clock: run.clock,
      random,
    });
    faults.set({ garbage: 0.2 });
    const heard = run.hear(feed.messages);
    await run.pass(240_000);
    expect(spoiled()).toBeGreaterThan(3);
    expect(refused(heard)).toBe(spoiled());
    expect(heard.filter(isPrice)).toHaveLength(answers() - spoiled());
    faults.reset();
    const before = heard.length;
    await run.pass(20_000);
    const later = heard.slice(before);
    expect(new Set(later.flatMap((message) => (message.kind === 'reference' ? [message.instrument] : [])))).toEqual(
      new Set(['AAPL', 'TSLA']),
    );
    expect(refused(later)).toBe(0);
  });
});

/** Virtual time over real sockets, for sources that have no place on the stage of priced venues. */
function sourceStage(): {
  readonly clock: VirtualClock;
  hear(messages: Observable<Message>): Message[];
  pass(ms: number, stepMs?: number): Promise<void>;
} {
  const clock = createVirtualClock(OPENING);
  const watch = socketWatch();
  cleanups.push(() => watch.close());
  return {
    clock,
    hear(messages) {
      const heard: Message[] = [];
      const subscription = messages.subscribe({
        next: (message) => void heard.push(message),
        error: (error: unknown) => expect.unreachable(String(error)),
      });
      cleanups.push(() => subscription.unsubscribe());
      return heard;
    },
    async pass(ms, stepMs = 250) {
      for (const end = clock.now() + ms; clock.now() < end; ) {
        clock.advanceTo(Math.min(clock.now() + stepMs, end));
        await watch.settle();
      }
    },
  };
}

const KEY = '0123456789abcdef0123456789abcdef';
const DAY_MS = 86_400_000;
const market = createSeededMarket({ seed: 3 });
const value = (symbol: string, at: number): number => market.value(symbol, at);
const stories = createSeededStories({ seed: 3, symbols: market.assets.map(({ symbol }) => symbol), filers: ['AAPL', 'TSLA'], value });
const names = entityNamesOf(CATALOG);
const few = entityNamesOf(CATALOG, [
  { asset: 'AAPL', cik: '320193', tickers: [], names: [], distinctive: [] },
  { asset: 'TSLA', cik: '1318605', tickers: [], names: [], distinctive: [] },
]);
const companies = [
  { cik: '320193', symbol: 'AAPL', name: 'Apple Inc.' },
  { cik: '1318605', symbol: 'TSLA', name: 'Tesla, Inc.' },
];

/** Each source with its double. */
interface Source {
  open(clock: VirtualClock, faults: FaultSwitch): Promise<HttpDouble>;
  feed(url: string, clock: VirtualClock): Observable<Message>;
}
const doorOf = (baseUrl: string, clock: VirtualClock, headers: Record<string, string> = {}) =>
  createKeyedDoor({ venue: 'reference', baseUrl, clock, random, perMinute: 6_000, headers, budget: new WeightBudget(6_000) });
const EVERY_MS = 15_000;
const SOURCES: Readonly<Record<string, Source>> = {
  wire: {
    open: (clock, faults) => createNewsDouble({ news: stories, clock, faults, port: 0 }),
    feed: (url, clock) => createWireFeed({ door: doorOf(url, clock), names, clock, random, everyMs: EVERY_MS }),
  },
  filings: {
    open: (clock, faults) => createFilingsDouble({ stories, companies, clock, faults, port: 0 }),
    feed: (url, clock) =>
      createFilingsFeed({
        door: doorOf(url, clock, { 'user-agent': 'Test desk@example.com' }),
        names: few,
        clock,
        random,
        everyMs: EVERY_MS,
        archiveUrl: null,
      }),
  },
  macro: {
    open: (clock, faults) => createMacroDouble({ macro: createSeededMacro(3, value), clock, apiKey: KEY, faults, port: 0 }),
    feed(url, clock) {
      const series = [{ id: 'DFF', title: '', group: 'rates', units: 'lin', unit: '', frequency: 'daily', maxAgeMs: DAY_MS }] as const;
      return createMacroFeed({ door: doorOf(url, clock), apiKey: KEY, clock, random, everyMs: EVERY_MS, series });
    },
  },
  tvl: {
    open: (clock, faults) => createTvlDouble({ market, clock, seed: 3, faults, port: 0 }),
    feed: (url, clock) => createTvlFeed({ door: doorOf(url, clock), clock, random, everyMs: EVERY_MS, histories: 2 }),
  },
  social: {
    open: (clock, faults) => createSocialDouble({ market, stories, clock, seed: 3, faults, port: 0 }),
    feed: (url, clock) =>
      createSocialFeed({ door: doorOf(url, clock), names, assets: ['AAPL', 'BTC'], siteUrl: null, clock, random, everyMs: EVERY_MS }),
  },
};

/** What was told, by what it is about, whenever it was told. */
function content(heard: readonly Message[]): Set<string> {
  return new Set(
    heard.flatMap((message): string[] => {
      switch (message.kind) {
        case 'report':
          return [message.report.id];
        case 'observations':
          return message.observations.map(({ seriesId, date, value: found }) => `${seriesId} ${date} ${found}`);
        case 'releases':
          return message.releases.map(({ releaseId, date }) => `${releaseId} ${date}`);
        case 'chain_tvl':
          return message.chains.map(({ chain }) => chain);
        case 'chain_tvl_days':
          return message.days.map(({ chain, date }) => `${chain} ${date}`);
        case 'posts':
          return message.posts.map(({ id }) => id);
        default:
          return [];
      }
    }),
  );
}

describe('intelligence', () => {
  test.each(Object.entries(SOURCES))('%s: nothing is lost to garbage, and every garbage answer is counted', async (_name, source) => {
    const told: Set<string>[] = [];
    for (const garbage of [0, 0.3]) {
      const run = sourceStage();
      const faults = createFaultSwitch(7);
      const { spoiled } = garbageOf(faults);
      const double = await source.open(run.clock, faults);
      cleanups.push(() => double.close());
      faults.set({ garbage });
      const heard = run.hear(source.feed(double.url, run.clock));
      await run.pass(400_000);
      faults.reset();
      await run.pass(60_000);
      const words = heard.flatMap((message) => (message.kind === 'feed_status' ? [message.status] : []));
      expect(words.at(-1)).toBe('connected');
      expect(heard.at(-1)?.kind).toBe('heartbeat');
      // A refusal of the source itself (a company without filings) is none of garbage.
      const unreadable = heard.filter((message) => message.kind === 'rejection' && message.reason === 'not_json');
      expect(unreadable).toHaveLength(spoiled());
      if (garbage > 0) expect(spoiled()).toBeGreaterThan(3);
      told.push(content(heard));
    }
    const [calm, noisy] = told as [Set<string>, Set<string>];
    expect(calm.size).toBeGreaterThan(1);
    expect([...calm].filter((one) => !noisy.has(one))).toEqual([]);
  });
});

/** Everything that a source which is asked can suffer: frames that get lost, doubled or swapped, and prices, are others' faults. */
const FAULTS: readonly { readonly name: string; readonly settings: Partial<FaultSettings> }[] = [
  { name: 'freeze with open socket', settings: { freeze: true } },
  { name: 'garbage answer', settings: { garbage: 1 } },
  { name: '10 MB answer', settings: { bigFrame: 1 } },
  { name: '429', settings: { status429: 1 } },
  { name: '503', settings: { status5xx: 1 } },
  { name: 'lost answer', settings: { lostAnswer: 1 } },
  { name: 'answers after 5 s', settings: { slowMs: 5_000 } },
  { name: 'answers after 20 s', settings: { slowMs: 20_000 } },
  { name: 'disconnect loop', settings: { disconnectLoop: true } },
];

interface Row {
  readonly source: string;
  readonly fault: string;
  readonly cells: readonly [told: string, counted: string, heals: string];
}
const BOUNDS_S = [1, 5, 15, 30, 60, 120];
const rows: Row[] = [];

describe('under', () => {
  test.each(FAULTS)(
    '$name every source says so once, counts what it cannot read, and heals',
    { timeout: 60_000 },
    async ({ name: fault, settings }) => {
      for (const [source, { open, feed }] of Object.entries(SOURCES)) {
        const run = sourceStage();
        const faults = createFaultSwitch(7);
        const double = await open(run.clock, faults);
        cleanups.push(() => double.close());
        const heard = run.hear(feed(double.url, run.clock));
        const beats = (): number => heard.filter(({ kind }) => kind === 'heartbeat').length;
        for (let waited = 0; beats() === 0 && waited < 60_000; waited += 1_000) await run.pass(1_000);
        expect(beats(), `${source} before the fault`).toBeGreaterThan(0);
        const from = heard.length;
        faults.set(settings);
        await run.pass(settings.bigFrame === undefined ? 90_000 : 20_000);
        const during = heard.slice(from);
        const words = during.flatMap((message) => (message.kind === 'feed_status' ? [message.status] : []));
        const reasons = new Set(during.flatMap((message) => (message.kind === 'rejection' ? [message.reason] : [])));
        faults.reset();
        const ended = run.clock.now();
        const before = beats();
        while (beats() === before && run.clock.now() - ended < 600_000) await run.pass(1_000);
        expect(beats(), `${source} after the fault`).toBeGreaterThan(before);
        expect(words.filter((word) => word === 'disconnected').length, `${source} is told once`).toBeLessThanOrEqual(1);
        const down = words.includes('disconnected');
        // Where in its round a source is decides how soon it is asked again.
        const healedS = Math.max(30, (run.clock.now() - ended) / 1_000);
        const bound = BOUNDS_S.find((seconds) => healedS <= seconds);
        expect(bound, `${source} heals`).toBeDefined();
        rows.push({
          source,
          fault,
          cells: [down ? 'disconnected' : 'goes on', [...reasons].sort().join(', '), down ? `≤ ${bound} s` : ''],
        });
      }
    },
  );

  test('docs/source-faults.md says what was found', async () => {
    const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
    const head = ['Source', 'Fault', 'What is told', 'Counted', 'Heals after'];
    const body = Object.keys(SOURCES).flatMap((source) =>
      FAULTS.map(({ name: fault }) => {
        const row = rows.find((one) => one.source === source && one.fault === fault);
        expect(row, `${source} under ${fault}`).toBeDefined();
        return line([source, fault, ...(row as Row).cells]);
      }),
    );
    await expect(`${INTRODUCTION}\n${line(head)}\n${line(head.map(() => '---'))}\n${body.join('\n')}\n`).toMatchFileSnapshot(
      '../../docs/source-faults.md',
    );
  });
});

const INTRODUCTION = `# What follows from which fault of a source of intelligence

Written by a run of \`test/sandbox/asked-sources.test.ts\`, beside [feed-faults.md](feed-faults.md), which has every venue of prices: every source with its double over real sockets under virtual time, asked every 15 s, every fault that an answer can have, at full strength, for 90 s (10 MB answers for 20 s). A source that is away makes no price and no rule live: news that was not heard is unknown, not absent (docs/decisions/0061). The same run proves that with three garbage answers in ten nothing that a source had to tell is lost, and that each of them is counted.

- **What is told:** one \`disconnected\`, or nothing because answers went on coming. **Counted:** reasons of rejections. **Heals after:** how soon after the end of the fault a whole round succeeded.
- Every answer belongs to its question, so that none can be missing, come twice or come late; none has two sides, and times and values of their own are judged row by row (\`test/adapters/venues/mutated-messages.test.ts\`).
`;
