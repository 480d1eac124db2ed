// Second source of share prices: meaning of its answers, when it is used, and that it is never shown as the first.
import { afterEach, describe, expect, test } from 'vitest';
import { withFallback } from '../../../../src/adapters/venues/reference/fallback.ts';
import { createReferenceFeed } from '../../../../src/adapters/venues/reference/feed.ts';
import { FINNHUB, FINNHUB_SOURCE, readAlpacaSnapshot, readFinnhubQuote } from '../../../../src/adapters/venues/reference/share-quotes.ts';
import { CATALOG } from '../../../../src/domain/catalog/catalog.ts';
import { isReferenceLive } from '../../../../src/domain/conditions/condition.ts';
import type { FeedMessage } from '../../../../src/domain/market/market-event.ts';
import type { ReferencePrice } from '../../../../src/domain/market/quote.ts';
import { createSeededMarket } from '../../../../src/sandbox/market/seeded-market.ts';
import { createShareQuotesSimulator } from '../../../../src/sandbox/reference/share-quotes.ts';
import { createReferenceSimulator } from '../../../../src/sandbox/reference/simulator.ts';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { createMarketPipeline } from '../../../../streams/market-pipeline.ts';
import { observe } from '../../../../streams/slot-cut.ts';
import { waitFor } from '../../../harness/wait-for.ts';
import { acceleratedClock } from '../../../sandbox/accelerated-clock.ts';

const REGULAR = Date.UTC(2026, 10, 19, 15, 30);
const SATURDAY = Date.UTC(2026, 10, 21, 15, 30);
const PRIMARY = 'pyth:hermes';
const FEEDS = [
  { symbol: 'AAPL', feedId: '49f6b65cb1de6b10eaf75e7c03ca029c306d0357e91b5311b175084a5ad55688', feedSymbol: 'Equity.US.AAPL/USD' },
  { symbol: 'TSLA', feedId: '16dad506d7db8da01c87581c87ca897a012a153557d4d578c3b9c9e1bc0632f1', feedSymbol: 'Equity.US.TSLA/USD' },
];
const market = createSeededMarket({ seed: 21 });
const random = () => 0.5;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface Stage {
  readonly clock: Clock;
  readonly first: Awaited<ReturnType<typeof createReferenceSimulator>>;
  readonly second: Awaited<ReturnType<typeof createShareQuotesSimulator>>;
  /** Returns the number of requests that the second source has received. */
  readonly asked: () => number;
  readonly feed: (more?: Partial<Parameters<typeof withFallback>[0]>) => ReturnType<typeof withFallback>;
}

async function stage(at: number, speed: number, options: Partial<Parameters<typeof createShareQuotesSimulator>[0]> = {}): Promise<Stage> {
  const clock = acceleratedClock(at, speed);
  const first = await createReferenceSimulator({ market, clock, feeds: FEEDS, port: 0 });
  const symbols = FEEDS.map(({ symbol }) => symbol);
  const second = await createShareQuotesSimulator({ market, clock, symbols, apiKey: 'right', port: 0, ...options });
  cleanups.push(
    () => first.close(),
    () => second.close(),
  );
  return {
    clock,
    first,
    second,
    asked: () => second.requests.get('/api/v1/quote') ?? 0,
    feed: (more = {}) =>
      withFallback({
        primary: createReferenceFeed({ baseUrl: first.url, instruments: FEEDS, clock, random }),
        provider: FINNHUB,
        baseUrl: `${second.url}/api/v1`,
        key: 'right',
        symbols,
        clock,
        random,
        ...more,
      }),
  };
}

function listen({ messages }: ReturnType<typeof withFallback>): FeedMessage[] {
  const received: FeedMessage[] = [];
  const subscription = messages.subscribe({
    next: (message) => received.push(message),
    error: (error) => expect.unreachable(String(error)),
    complete: () => expect.unreachable('a feed never completes'),
  });
  cleanups.push(() => subscription.unsubscribe());
  return received;
}

const prices = (received: readonly FeedMessage[], source: string): ReferencePrice[] =>
  received.filter((message): message is ReferencePrice => message.kind === 'reference' && message.source === source);

describe('an answer of the provider', () => {
  const read = (body: unknown) => readFinnhubQuote(body, 'AAPL', REGULAR);

  test('becomes a delayed price under its own name, with the provider’s time', () => {
    expect(read({ c: 269.4301, d: -1.2, dp: -0.44, h: 271, l: 268.9, o: 270.1, pc: 270.63, t: 1795102199 })).toEqual({
      rejections: [],
      prices: [
        {
          kind: 'reference',
          venue: 'reference',
          instrument: 'AAPL',
          source: 'finnhub:quote',
          observedAt: 1_795_102_199_000,
          receivedAt: REGULAR,
          feedUpdatedAt: 1_795_102_199_000,
          referencePrice: '269.4301',
          confidence: '0',
          publisherSession: null,
          quality: 'delayed',
          flags: [],
        },
      ],
    });
  });

  test.each([
    [{ c: 270 }, 'delayed', []],
    [{ c: 325 }, 'delayed', []],
    [{ c: 326 }, 'degraded', ['price_jump']],
    [{ c: 27_000 }, 'degraded', ['price_jump']],
    [{ c: 2.7 }, 'degraded', ['price_jump']],
    [{ c: 215, l: 0 }, 'delayed', []],
    [{ c: 27_000, h: 0, l: null }, 'delayed', []],
  ])('a price a fifth or more outside its own day is not believed: %j', (more, quality, flags) => {
    const { prices: found } = read({ h: 271, l: 268.9, t: 1795102199, ...more });
    expect(found).toMatchObject([{ quality, flags }]);
  });

  test('of the other provider is also compared with its day bar', () => {
    const told = (p: number, dailyBar: unknown) =>
      readAlpacaSnapshot({ latestTrade: { p, t: '2026-11-19T15:29:59Z' }, dailyBar }, 'AAPL', REGULAR).prices.map((price) => price.quality);
    expect(told(270, { l: 268, h: 271 })).toEqual(['delayed']);
    expect(told(27_000, { l: 268, h: 271 })).toEqual(['degraded']);
    expect(told(27_000, null)).toEqual(['delayed']);
    expect(told(27_000, 'a bar')).toEqual(['delayed']);
  });

  test.each([
    [{ c: 0, d: null, dp: null, h: 0, l: 0, o: 0, pc: 0, t: 0 }, 'unknown_instrument'],
    [{ c: 0, t: 1795102199 }, 'non_positive_price'],
    [{ c: -3, t: 1795102199 }, 'non_positive_price'],
    [{ c: null, t: 1795102199 }, 'bad_number'],
    [{ c: '269', t: 1795102199 }, 'bad_number'],
    [{ c: 269, t: 1795102199000 }, 'bad_number'],
    [{ c: 269, t: 0 }, 'bad_number'],
    [{ c: 269 }, 'bad_number'],
    [[], 'unknown_shape'],
    [null, 'unknown_shape'],
    ['ok', 'unknown_shape'],
  ])('%j is refused as %s', (body, reason) => {
    const { prices: found, rejections } = read(body);
    expect(found).toEqual([]);
    expect(rejections.map((one) => one.reason)).toEqual([reason]);
  });
});

describe('the second source', () => {
  test('is idle while the first one delivers prices', async () => {
    const at = await stage(REGULAR, 30);
    const received = listen(at.feed());
    const began = at.clock.now();
    await waitFor(() => at.clock.now() > began + 45_000 && prices(received, PRIMARY).length > 20, { what: 'a minute of prices' });
    expect(at.asked()).toBe(0);
  });

  test('delivers within seconds of a freeze, is outranked as soon as the first returns, and is idle after a while', async () => {
    const at = await stage(REGULAR, 20);
    const failures: unknown[] = [];
    const pipeline = createMarketPipeline({
      clock: at.clock,
      random,
      feeds: [at.feed({ settleMs: 15_000 })],
      instruments: () => [],
      needs: () => [],
      onCut: () => {},
      onFailure: (error) => failures.push(error),
    });
    const received: FeedMessage[] = [];
    const hearing = pipeline.received.subscribe({ next: (message) => received.push(message), error: (error) => failures.push(error) });
    pipeline.start();
    cleanups.push(() => {
      hearing.unsubscribe();
      pipeline.stop();
    });
    const shown = (): ReferencePrice | null => pipeline.view.referenceAt('reference:AAPL', at.clock.now());
    await waitFor(() => shown()?.quality === 'live', { what: 'a live price' });

    const frozenAt = at.clock.now();
    at.first.carryForward(frozenAt);
    await waitFor(() => shown()?.source === FINNHUB_SOURCE, { what: 'the second source' });
    const spoke = prices(received, FINNHUB_SOURCE)[0] as ReferencePrice;
    // Ten seconds until a share counts as silent, and a turn of both shares within the plan; the rest is the test's own speed.
    expect(spoke.receivedAt - frozenAt).toBeLessThan(100_000);
    expect(Number(spoke.referencePrice)).toBeCloseTo(market.reference(spoke.instrument, spoke.feedUpdatedAt).price, 4);
    expect(shown()).toMatchObject({ quality: 'delayed', flags: [] });
    // It keeps no venue live, and no fair-value rule uses it.
    expect(pipeline.connectivity.state('reference').hearing).toBe('carried_forward');
    const entry = CATALOG.bySymbol('AAPLx');
    const seen = observe(entry as never, at.clock.now(), 'REGULAR', pipeline.view, {});
    expect(seen.reference).toMatchObject({ source: FINNHUB_SOURCE, quality: 'delayed' });
    expect(isReferenceLive(seen)).toBe(false);

    at.first.carryForward(null);
    await waitFor(() => shown()?.source === PRIMARY && shown()?.quality === 'live', { what: 'the first source again' });
    const again = observe(entry as never, at.clock.now(), 'REGULAR', pipeline.view, {});
    expect(again.reference).not.toHaveProperty('source');
    const returnedAt = at.clock.now();
    // While it is still polled, none of its prices is shown.
    const strays: string[] = [];
    const watching = pipeline.view.changed.subscribe({
      next: (event) => {
        if (event.kind === 'reference' && event.source === FINNHUB_SOURCE && event.instrument === 'AAPL') strays.push(event.referencePrice);
      },
      error: (error) => failures.push(error),
    });
    cleanups.push(() => watching.unsubscribe());
    await waitFor(() => at.clock.now() > returnedAt + 20_000, { what: 'the second source to settle' });
    const asked = at.asked();
    await waitFor(() => at.clock.now() > returnedAt + 40_000, { what: 'quiet' });
    expect(at.asked()).toBe(asked);
    expect(strays).toEqual([]);
    expect(failures).toEqual([]);
  });

  test('replaces a first source that never came up, and stays within its plan', async () => {
    const at = await stage(REGULAR, 60, { perMinute: 20 });
    at.first.faults.set({ freeze: true });
    const received = listen(at.feed({ perMinute: 20 }));
    await waitFor(() => new Set(prices(received, FINNHUB_SOURCE).map(({ instrument }) => instrument)).size === 2, { what: 'both shares' });
    const began = at.clock.now();
    await waitFor(() => at.clock.now() > began + 90_000, { what: 'more than a window' });
    expect(
      received.some((message) => message.kind === 'feed_status' && message.source === FINNHUB_SOURCE && message.status === 'disconnected'),
    ).toBe(false);
  });

  test('waits out a 429 as long as told', async () => {
    const at = await stage(REGULAR, 60, { perMinute: 2 });
    at.first.faults.set({ freeze: true });
    const received = listen(at.feed());
    const statuses = () =>
      received.flatMap((message) => (message.kind === 'feed_status' && message.source === FINNHUB_SOURCE ? [message.status] : []));
    await waitFor(() => statuses().length >= 3, { what: 'a refusal and the return' });
    expect(statuses().slice(0, 3)).toEqual(['connected', 'disconnected', 'connected']);
    const [lost, found] = received.filter((message) => message.kind === 'feed_status' && message.source === FINNHUB_SOURCE).slice(1, 3);
    expect((found?.receivedAt ?? 0) - (lost?.receivedAt ?? 0)).toBeGreaterThan(30_000);
  });

  test('reports that its key is refused, without the key, and retries rarely', async () => {
    const at = await stage(REGULAR, 60);
    at.first.faults.set({ freeze: true });
    const received = listen(at.feed({ key: 'wrong-key-1' }));
    await waitFor(() => received.some((message) => message.kind === 'feed_status' && message.source === FINNHUB_SOURCE), {
      what: 'the refusal',
    });
    const refusal = received.find((message) => message.kind === 'feed_status' && message.source === FINNHUB_SOURCE);
    expect(refusal).toMatchObject({ status: 'disconnected', detail: expect.stringContaining('the configured API key is not accepted') });
    expect(JSON.stringify(received)).not.toContain('wrong-key-1');
    const [asked, began] = [at.asked(), at.clock.now()];
    await waitFor(() => at.clock.now() > began + 40_000, { what: 'most of a minute' });
    expect(at.asked()).toBe(asked);
  });

  test('stops requesting a share that the provider does not know', async () => {
    const at = await stage(REGULAR, 60, { symbols: ['AAPL'] });
    at.first.faults.set({ freeze: true });
    const received = listen(at.feed());
    await waitFor(() => prices(received, FINNHUB_SOURCE).length >= 3, { what: 'prices of the other share' });
    const unknown = received.filter((message) => message.kind === 'rejection' && message.reason === 'unknown_instrument');
    expect(unknown).toHaveLength(1);
    expect(unknown[0]).toMatchObject({ detail: 'TSLA: the provider has no such share' });
  });

  test('is not used at a weekend for what the first source has published', async () => {
    const at = await stage(SATURDAY, 60);
    const received = listen(at.feed());
    await waitFor(() => prices(received, PRIMARY).length === 2, { what: 'the frozen prices' });
    const began = at.clock.now();
    await waitFor(() => at.clock.now() > began + 60_000, { what: 'a minute' });
    expect(at.asked()).toBe(0);
  });

  test('counts unusable answers and continues', async () => {
    const at = await stage(REGULAR, 60);
    at.first.faults.set({ freeze: true });
    at.second.faults.set({ garbage: 0.3, zeroPrice: 0.2, negativePrice: 0.3, nanPrice: 0.3 });
    const received = listen(at.feed());
    const reasons = () =>
      new Set(received.flatMap((message) => (message.kind === 'rejection' && message.source === FINNHUB_SOURCE ? [message.reason] : [])));
    await waitFor(() => reasons().size >= 3 && prices(received, FINNHUB_SOURCE).length > 2, { what: 'rejections and prices' });
    for (const { referencePrice } of prices(received, FINNHUB_SOURCE)) expect(Number(referencePrice)).toBeGreaterThan(0);
  });
});
