// Polled sources with garbage answers: each one is counted, and no good answer is lost.
import { concat, EMPTY, NEVER } from 'rxjs';
import { afterEach, describe, expect, test } from 'vitest';
import { withFallback } from '../../src/adapters/venues/reference/fallback.ts';
import { FINNHUB } from '../../src/adapters/venues/reference/share-quotes.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import { createFaultSwitch, type FaultSwitch } from '../../src/sandbox/faults.ts';
import { createSeededMarket } from '../../src/sandbox/market/seeded-market.ts';
import { createSeededQuestions } from '../../src/sandbox/prediction/seeded-questions.ts';
import { createShareQuotesSimulator } from '../../src/sandbox/reference/share-quotes.ts';
import { rounds } from '../harness/rounds.ts';
import { openCatalogue } from './asked-sources-catalogue.ts';
import { SOURCES } from './asked-sources-feeds.ts';
import { type Message, sourceFixture } from './asked-sources-fixture.ts';
import { openFaultFixture, type ProviderName, stageMarket } from './fault-fixture.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** Counts the answers during garbage, and those that it replaced. */
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
const refused = (received: readonly Message[], source?: string): number =>
  received.filter((message) => message.kind === 'rejection' && (source === undefined || message.source === source)).length;

describe('polled prices', () => {
  const ASKED: readonly ProviderName[] = ['issuer', 'spotchain', 'kalshi-polled'];

  test.each(ASKED)('%s: every good answer gives its prices, every garbage one is counted, and the next poll recovers', async (name) => {
    const fixture = await openFaultFixture([name]);
    cleanups.push(() => fixture.close());
    const [provider] = fixture.providers as [(typeof fixture.providers)[0]];
    const { clock } = fixture;
    const received: FeedMessage[] = [];
    const pipeline = fixture.listen(provider);
    pipeline.received.subscribe({
      next: (message) => void received.push(message),
      error: (error: unknown) => expect.unreachable(String(error)),
    });
    const isLive = (): boolean => {
      const { quotes, references } = pipeline.view.snapshot(clock.now());
      const prices = [...quotes, ...references];
      return prices.length > 0 && prices.every(({ quality }) => quality === 'live');
    };
    for (let waited = 0; !isLive() && waited < 60_000; waited += 1_000) await fixture.run(1_000);
    await fixture.run(5_000);
    expect(isLive()).toBe(true);
    received.length = 0;
    const { answers, spoiled } = garbageOf(provider.faults);
    provider.faults.set({ garbage: 0.2 });
    await fixture.run(name === 'issuer' ? 1_800_000 : 300_000, () => {}, name === 'issuer' ? 1_000 : 100);
    expect(spoiled()).toBeGreaterThan(5);
    expect(answers() - spoiled()).toBeGreaterThan(10);
    expect(refused(received)).toBe(spoiled());
    const prices = received.filter(isPrice);
    if (name === 'issuer') expect(prices).toHaveLength(answers() - spoiled());
    // The aggregator's good buy is a quote, even if its sell is garbage; a listing's outcomes come together.
    const at = new Map<number, number>();
    for (const { receivedAt } of prices) at.set(receivedAt, (at.get(receivedAt) ?? 0) + 1);
    const sizes = new Set(at.values());
    expect(sizes).toEqual(new Set([name === 'kalshi-polled' ? 4 : 1]));
    expect(at.size).toBeGreaterThan(10);
    provider.faults.reset();
    for (let waited = 0; !isLive() && waited < 90_000; waited += 1_000) await fixture.run(1_000);
    expect(isLive()).toBe(true);
  });

  test('the second source: every good answer gives its price, every garbage one is counted', async () => {
    const run = sourceFixture(cleanups);
    const market = createSeededMarket({ seed: 21 });
    const faults = createFaultSwitch(4);
    const { answers, spoiled } = garbageOf(faults);
    const simulator = await createShareQuotesSimulator({
      market,
      clock: run.clock,
      symbols: ['AAPL', 'TSLA'],
      apiKey: 'right',
      faults,
      port: 0,
    });
    cleanups.push(() => simulator.close());
    const feed = withFallback({
      primary: { venue: 'reference', messages: concat(EMPTY, NEVER) },
      provider: FINNHUB,
      baseUrl: `${simulator.url}/api/v1`,
      key: 'right',
      symbols: ['AAPL', 'TSLA'],
      clock: run.clock,
      random,
    });
    faults.set({ garbage: 0.2 });
    const received = run.receive(feed.messages);
    await run.pass(240_000);
    expect(spoiled()).toBeGreaterThan(3);
    expect(refused(received)).toBe(spoiled());
    expect(received.filter(isPrice)).toHaveLength(answers() - spoiled());
    faults.reset();
    const before = received.length;
    await run.pass(20_000);
    const later = received.slice(before);
    expect(new Set(later.flatMap((message) => (message.kind === 'reference' ? [message.instrument] : [])))).toEqual(
      new Set(['AAPL', 'TSLA']),
    );
    expect(refused(later)).toBe(0);
  });
});

/** Share of garbage answers, and the minimum number of them. */
const GARBAGE = [
  [0.3, 20],
  [0.01, 1],
] as const;

describe('a catalogue of prediction markets', () => {
  /** Receives every market's messages to its end, with the time of the last one. */
  async function listen(provider: 'polymarket' | 'kalshi', garbage: number) {
    // Ten minutes before the questions of the day end: twenty markets close together and are decided one by one.
    const run = sourceFixture(cleanups, Date.UTC(2026, 10, 20, 16, 50));
    const { clock } = run;
    const market = stageMarket();
    const questions = createSeededQuestions({ seed: 11, market });
    const faults = createFaultSwitch(5);
    const { spoiled } = garbageOf(faults);
    const catalogue = await openCatalogue(provider, { clock, questions, faults });
    cleanups.push(() => catalogue.close());
    const told = new Map<string, { readonly word: string; readonly at: number }>();
    const news = catalogue.feed.news.subscribe({
      next(one) {
        if (one.kind !== 'markets') return;
        for (const { id, status, resolution } of one.markets) {
          const word = `${status} ${resolution.result}`;
          if (told.get(id)?.word !== word) told.set(id, { word, at: clock.now() });
        }
      },
      error: (error: unknown) => expect.unreachable(String(error)),
    });
    cleanups.push(() => news.unsubscribe());
    faults.set({ garbage });
    const received = run.receive(catalogue.feed.messages);
    await run.pass(30 * 60_000, 500);
    // Polymarket lists a market before its tokens exist: those are refused by a reason of their own.
    const failed = received.flatMap((message) =>
      message.kind === 'rejection' && message.reason === 'venue_error' ? [message.detail] : [],
    );
    expect(failed.filter((detail) => detail.startsWith('not_json'))).toHaveLength(spoiled());
    expect(failed).toHaveLength(spoiled());
    return { told, spoiled: spoiled() };
  }

  test.each(['polymarket', 'kalshi'] as const)(
    '%s: every change of a market is reported, and every garbage answer is counted',
    async (provider) => {
      const calm = await listen(provider, 0);
      expect(new Set([...calm.told.values()].map(({ word }) => word)).size).toBeGreaterThan(2);
      // Frequent garbage hides faults that rare garbage shows: the proof runs both.
      for (const [garbage, least] of GARBAGE.slice(0, rounds({ suite: 1, proof: 2 }))) {
        const noisy = await listen(provider, garbage);
        expect(noisy.spoiled).toBeGreaterThanOrEqual(least);
        const words = ({ told }: typeof calm) => new Map([...told].map(([id, { word }]) => [id, word]));
        expect(words(noisy)).toEqual(words(calm));
      }
    },
  );
});
/** Returns the received content by subject, independent of time. */
function content(received: readonly Message[]): Set<string> {
  return new Set(
    received.flatMap((message): string[] => {
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
      const run = sourceFixture(cleanups);
      const faults = createFaultSwitch(7);
      const { spoiled } = garbageOf(faults);
      const simulator = await source.open(run.clock, faults);
      cleanups.push(() => simulator.close());
      faults.set({ garbage });
      const received = run.receive(source.feed(simulator.url, run.clock));
      await run.pass(400_000);
      faults.reset();
      await run.pass(60_000);
      const words = received.flatMap((message) => (message.kind === 'feed_status' ? [message.status] : []));
      expect(words.at(-1)).toBe('connected');
      expect(received.at(-1)?.kind).toBe('heartbeat');
      // A refusal by the source itself (a company without filings) is not garbage.
      const unreadable = received.filter((message) => message.kind === 'rejection' && message.reason === 'not_json');
      expect(unreadable).toHaveLength(spoiled());
      if (garbage > 0) expect(spoiled()).toBeGreaterThan(3);
      told.push(content(received));
    }
    const [calm, noisy] = told as [Set<string>, Set<string>];
    expect(calm.size).toBeGreaterThan(1);
    expect([...calm].filter((one) => !noisy.has(one))).toEqual([]);
  });
});
