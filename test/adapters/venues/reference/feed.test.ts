// Reference feed, its history and the issuer's marks over sockets with their simulators.
import { afterEach, describe, expect, test } from 'vitest';
import { createReferenceCandles } from '../../../../src/adapters/venues/reference/candles.ts';
import { createReferenceClient, createReferenceFeed } from '../../../../src/adapters/venues/reference/feed.ts';
import { createIssuerMarkFeed, fetchIssuerMarks } from '../../../../src/adapters/venues/reference/issuer-marks.ts';
import { createKeyedClient } from '../../../../src/adapters/venues/reference/keyed-client.ts';
import { VenueError, type VenueFeed } from '../../../../src/adapters/venues/venue-feed.ts';
import type { FeedMessage } from '../../../../src/domain/market/market-event.ts';
import type { ReferencePrice } from '../../../../src/domain/market/quote.ts';
import { createSeededMarket } from '../../../../src/sandbox/market/seeded-market.ts';
import { createIssuerSimulator } from '../../../../src/sandbox/reference/issuer.ts';
import { createReferenceSimulator, type ReferenceSimulator } from '../../../../src/sandbox/reference/simulator.ts';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { waitFor } from '../../../harness/wait-for.ts';
import { acceleratedClock } from '../../../sandbox/accelerated-clock.ts';

const REGULAR = Date.UTC(2026, 10, 19, 15, 30);
const SATURDAY = Date.UTC(2026, 10, 21, 15, 30);
const HOUR = 3_600_000;
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

async function opened(
  start: number,
  options: Partial<Parameters<typeof createReferenceSimulator>[0]> = {},
  speed = 10,
): Promise<{ clock: Clock; simulator: ReferenceSimulator }> {
  const clock = acceleratedClock(start, speed);
  const simulator = await createReferenceSimulator({ market, clock, feeds: FEEDS, port: 0, ...options });
  cleanups.push(() => simulator.close());
  return { clock, simulator };
}

function listen(feed: VenueFeed): FeedMessage[] {
  const received: FeedMessage[] = [];
  const subscription = feed.messages.subscribe({
    next: (message) => received.push(message),
    error: (error) => expect.unreachable(String(error)),
    complete: () => expect.unreachable('a feed never completes'),
  });
  cleanups.push(() => subscription.unsubscribe());
  return received;
}

function prices(received: readonly FeedMessage[], instrument = 'AAPL'): ReferencePrice[] {
  return received.filter((message): message is ReferencePrice => message.kind === 'reference' && message.instrument === instrument);
}

const statuses = (received: readonly FeedMessage[]) =>
  received.flatMap((message) => (message.kind === 'feed_status' ? [`${message.status} ${message.epoch}`] : []));

describe('the reference feed', () => {
  test('delivers every change of the share while it trades, exactly as published', async () => {
    const { clock, simulator } = await opened(REGULAR);
    const received = listen(createReferenceFeed({ baseUrl: simulator.url, instruments: FEEDS, clock, random }));
    await waitFor(() => prices(received).length >= 3 && prices(received, 'TSLA').length >= 3, { what: 'three prices of each share' });
    expect(statuses(received)).toEqual(['connected 1']);
    for (const price of prices(received)) {
      const published = market.reference('AAPL', price.feedUpdatedAt);
      expect(Number(price.referencePrice)).toBeCloseTo(published.price, 5);
      expect(Number(price.confidence)).toBeCloseTo(published.confidence, 5);
      expect(price.feedUpdatedAt % 1000).toBe(0);
      expect(price.receivedAt - price.feedUpdatedAt).toBeLessThan(25_000);
    }
    const times = prices(received).map((price) => price.feedUpdatedAt);
    expect([...new Set(times)]).toEqual(times);
  });

  test('delivers a frozen price once and then only heartbeats', async () => {
    const { clock, simulator } = await opened(SATURDAY);
    const received = listen(createReferenceFeed({ baseUrl: simulator.url, instruments: FEEDS, clock, random }));
    await waitFor(() => received.filter((message) => message.kind === 'heartbeat').length >= 2, { what: 'two heartbeats' });
    expect(prices(received)).toHaveLength(1);
    expect(prices(received)[0]?.feedUpdatedAt).toBe(Date.UTC(2026, 10, 21, 1));
  });

  test('follows a carried-forward price and a widened confidence within a session', async () => {
    const { clock, simulator } = await opened(REGULAR);
    const received = listen(createReferenceFeed({ baseUrl: simulator.url, instruments: FEEDS, clock, random }));
    await waitFor(() => prices(received).length >= 2, { what: 'prices' });
    simulator.carryForward(clock.now());
    const frozenAt = clock.now();
    await waitFor(() => clock.now() > frozenAt + 6_000, { what: 'six seconds' });
    expect(Math.max(...prices(received).map((price) => price.feedUpdatedAt))).toBeLessThanOrEqual(frozenAt);
    const calm = Number(prices(received).at(-1)?.confidence);
    simulator.carryForward(null);
    simulator.widenConfidence(50);
    await waitFor(() => Number(prices(received).at(-1)?.confidence) > calm * 20, { what: 'a wide confidence' });
  });

  test('reports a missing or wrong key, and comes up once it is right', async () => {
    const { clock, simulator } = await opened(REGULAR, { apiKey: 'right' });
    const withoutKey = listen(createReferenceFeed({ baseUrl: simulator.url, instruments: FEEDS, clock, random }));
    const wrongKey = listen(createReferenceFeed({ baseUrl: simulator.url, apiKey: 'wrong', instruments: FEEDS, clock, random }));
    const rightKey = listen(createReferenceFeed({ baseUrl: simulator.url, apiKey: 'right', instruments: FEEDS, clock, random }));
    await waitFor(() => withoutKey.length > 0 && wrongKey.length > 0 && prices(rightKey).length > 0, { what: 'all three' });
    expect(withoutKey[0]).toMatchObject({
      kind: 'feed_status',
      status: 'disconnected',
      epoch: 0,
      detail: expect.stringMatching(/401 unauthorized: Pyth wants an API key, and none is configured/),
    });
    expect(wrongKey[0]).toMatchObject({
      status: 'disconnected',
      detail: expect.stringMatching(/the configured Pyth API key is not accepted/),
    });
    expect(JSON.stringify(wrongKey)).not.toContain('Bearer');
  });

  test('returns with a new epoch after the provider closes the stream', async () => {
    const { clock, simulator } = await opened(REGULAR, {}, 30);
    const received = listen(createReferenceFeed({ baseUrl: simulator.url, instruments: FEEDS, clock, random }));
    await waitFor(() => prices(received).length >= 1, { what: 'a price' });
    simulator.cutStreams();
    await waitFor(() => statuses(received).includes('connected 2'), { what: 'the second connection' });
    expect(statuses(received)).toEqual(['connected 1', 'disconnected 1', 'connected 2']);
    const before = prices(received).length;
    await waitFor(() => prices(received).length > before, { what: 'prices of the second connection' });
  });

  test('takes silence for a dead stream', async () => {
    const { clock, simulator } = await opened(REGULAR, {}, 30);
    const received = listen(createReferenceFeed({ baseUrl: simulator.url, instruments: FEEDS, clock, random, silenceMs: 5_000 }));
    await waitFor(() => prices(received).length >= 1, { what: 'a price' });
    simulator.faults.set({ freeze: true });
    await waitFor(() => statuses(received).includes('disconnected 1'), { what: 'the loss' });
    simulator.faults.reset();
    await waitFor(() => statuses(received).includes('connected 2'), { what: 'the return' });
  });

  test('counts garbage and impossible prices and continues', async () => {
    const { clock, simulator } = await opened(REGULAR, {}, 20);
    simulator.faults.set({ garbage: 0.5, zeroPrice: 0.3, negativePrice: 0.3 });
    const received = listen(createReferenceFeed({ baseUrl: simulator.url, instruments: FEEDS, clock, random }));
    const reasons = () => new Set(received.flatMap((message) => (message.kind === 'rejection' ? [message.reason] : [])));
    await waitFor(() => reasons().has('not_json') && reasons().has('non_positive_price') && prices(received).length > 3, {
      what: 'both rejections and prices',
    });
    for (const price of prices(received)) expect(Number(price.referencePrice)).toBeGreaterThan(0);
  });

  test('closes its stream when it is unsubscribed', async () => {
    const { clock, simulator } = await opened(REGULAR);
    const received: FeedMessage[] = [];
    const subscription = createReferenceFeed({ baseUrl: simulator.url, instruments: FEEDS, clock, random }).messages.subscribe({
      next: (message) => received.push(message),
      error: () => undefined,
    });
    await waitFor(() => received.length > 2, { what: 'messages' });
    subscription.unsubscribe();
    const count = received.length;
    const asked = simulator.requests.get('/v2/updates/price/stream');
    const at = clock.now();
    await waitFor(() => clock.now() > at + 3_000, { what: 'three seconds' });
    expect(received).toHaveLength(count);
    expect(simulator.requests.get('/v2/updates/price/stream')).toBe(asked);
  });

  test('refuses invalid feed ids and too many instruments', () => {
    const clock = acceleratedClock(REGULAR, 1);
    const base = { baseUrl: 'http://127.0.0.1:9', clock, random };
    expect(() => createReferenceFeed({ ...base, instruments: [{ symbol: 'X', feedId: 'nope' }] })).toThrow(/no Pyth feed id/);
    expect(() => createReferenceFeed({ ...base, instruments: [] })).toThrow(/1 to 100/);
    expect(() => createReferenceFeed({ ...base, instruments: [FEEDS[0], { ...FEEDS[0], symbol: 'B' }] as typeof FEEDS })).toThrow(
      /same feed id/,
    );
  });
});

describe('reference history', () => {
  test('pages through years of hourly bars and returns the market’s own bars', async () => {
    const { clock, simulator } = await opened(REGULAR, {}, 1);
    const source = createReferenceCandles({ client: createReferenceClient({ baseUrl: simulator.url, clock, random }), instruments: FEEDS });
    const from = REGULAR - 2 * 365 * 24 * HOUR;
    const bars = await source.fetchCandles('TSLA', '1h', from, REGULAR - HOUR);
    expect(bars).toEqual(market.candles('reference', 'TSLA', HOUR, from, REGULAR - HOUR));
    expect(simulator.requests.get('/v1/fixed_rate@200ms/history')).toBe(4);
  });

  test('never returns a forming bar', async () => {
    const { clock, simulator } = await opened(REGULAR, {}, 1);
    const source = createReferenceCandles({ client: createReferenceClient({ baseUrl: simulator.url, clock, random }), instruments: FEEDS });
    const bars = await source.fetchCandles('AAPL', '15m', REGULAR - HOUR, REGULAR + HOUR);
    expect(bars.map((bar) => bar.openTime)).toEqual([-60, -45, -30, -15].map((minutes) => REGULAR + minutes * 60_000));
  });

  test('refuses unavailable data in the venue’s word without a request', async () => {
    const { clock, simulator } = await opened(REGULAR, {}, 1);
    const source = createReferenceCandles({ client: createReferenceClient({ baseUrl: simulator.url, clock, random }), instruments: FEEDS });
    await expect(source.fetchCandles('NOPE', '1h', 0, 1)).rejects.toMatchObject({ code: 'unknown_instrument' });
    await expect(source.fetchCandles('AAPL', '7m', 0, 1)).rejects.toMatchObject({ code: 'unsupported_timeframe' });
    expect(simulator.requests.size).toBe(0);
  });

  test('retries after 429 and gives up with the status if it stays', async () => {
    const { clock, simulator } = await opened(REGULAR, {}, 200);
    const client = createKeyedClient({ venue: 'reference', baseUrl: simulator.url, clock, random, perMinute: 600, attempts: 3 });
    simulator.faults.set({ status429: 1 });
    await expect(client.get('/v2/price_feeds', [])).rejects.toMatchObject({ status: 429 });
    expect(simulator.requests.get('/v2/price_feeds')).toBe(3);
    simulator.faults.reset();
    await expect(client.get('/v2/price_feeds', [['query', 'tsla']])).resolves.toMatchObject([
      { attributes: { symbol: 'Equity.US.TSLA/USD' } },
    ]);
  });

  test('returns the provider’s plain-text refusals unchanged', async () => {
    const { clock, simulator } = await opened(REGULAR, {}, 1);
    const client = createReferenceClient({ baseUrl: simulator.url, clock, random });
    const error = await client.get('/v2/updates/price/latest', [['ids[]', 'f'.repeat(64)]]).catch((failure: unknown) => failure);
    expect(error).toBeInstanceOf(VenueError);
    expect(error).toMatchObject({ status: 404, code: 'http_404', message: expect.stringContaining('Price ids not found: 0xffff') });
    await expect(
      createReferenceClient({ baseUrl: 'http://127.0.0.1:9', clock: acceleratedClock(REGULAR, 100), random }).get('/x', []),
    ).rejects.toMatchObject({ status: 0, code: 'connection_failed' });
  });
});

describe('issuer marks', () => {
  const TOKENS = [
    { symbol: 'SPACEX', mint: 'PreANxuXjsy2pvisWWMNB6YaJNzr7681wJJr2rHsfTh' },
    { symbol: 'OPENAI', mint: 'PreweJYECqtQwBtpxHL171nL2K6umo692gTm7Q3rpgF' },
  ];

  test('arrive as reference prices of their tokens, with their valuations', async () => {
    const clock = acceleratedClock(REGULAR, 10);
    const simulator = await createIssuerSimulator({ market, clock, tokens: TOKENS, port: 0 });
    cleanups.push(() => simulator.close());
    const client = createKeyedClient({ venue: 'reference', baseUrl: simulator.url, clock, random, perMinute: 600 });
    const feed = createIssuerMarkFeed({ client, mints: new Map(TOKENS.map(({ symbol, mint }) => [symbol, mint])), clock, random });
    const received = listen(feed);
    await waitFor(() => prices(received, 'OPENAI').length > 0, { what: 'the marks' });
    expect(Number(prices(received, 'SPACEX')[0]?.referencePrice)).toBe(market.reference('SPACEX', REGULAR).price);
    const [mark] = await fetchIssuerMarks(client, clock);
    // implied valuation : mark valuation = token price : mark price.
    expect(Number(mark?.impliedValuation) / Number(mark?.markValuation)).toBeCloseTo(Number(mark?.tokenPrice) / Number(mark?.markPrice), 6);
    expect(feed.states().map(({ instrument, mintVerified }) => [instrument, mintVerified])).toEqual([
      ['SPACEX', true],
      ['OPENAI', true],
    ]);
  });

  test('of an impostor mint are refused', async () => {
    const clock = acceleratedClock(REGULAR, 10);
    const simulator = await createIssuerSimulator({ market, clock, tokens: [{ symbol: 'SPACEX', mint: 'FakeMint' }], port: 0 });
    cleanups.push(() => simulator.close());
    const client = createKeyedClient({ venue: 'reference', baseUrl: simulator.url, clock, random, perMinute: 600 });
    const received = listen(
      createIssuerMarkFeed({ client, mints: new Map(TOKENS.map(({ symbol, mint }) => [symbol, mint])), clock, random }),
    );
    await waitFor(() => received.some((message) => message.kind === 'rejection'), { what: 'the refusal' });
    expect(prices(received, 'SPACEX')).toEqual([]);
  });
});
