// Aggregator feed and its pool bars over sockets with their simulator.
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createKeyedClient, type KeyedClient, type KeyedClientOptions } from '../../../../src/adapters/venues/reference/keyed-client.ts';
import { createSpotchainCandles } from '../../../../src/adapters/venues/spotchain/candles.ts';
import { createSpotchainFeed, roundLengthMs, type SpotchainFeedOptions } from '../../../../src/adapters/venues/spotchain/feed.ts';
import { fixedMultiplier, toScaledUi } from '../../../../src/adapters/venues/spotchain/multiplier.ts';
import { CATALOG, type TokenFacts } from '../../../../src/domain/catalog/catalog.ts';
import type { FeedMessage, FeedStatus } from '../../../../src/domain/market/market-event.ts';
import type { Quote } from '../../../../src/domain/market/quote.ts';
import { createSeededMarket } from '../../../../src/sandbox/market/seeded-market.ts';
import { createSpotchainSimulator, type SpotchainSimulator } from '../../../../src/sandbox/spotchain/simulator.ts';
import type { Clock } from '../../../../streams/clock/clock.ts';
import { waitFor } from '../../../harness/wait-for.ts';
import { acceleratedClock } from '../../../sandbox/accelerated-clock.ts';

const NOW = Date.UTC(2026, 10, 19, 15, 30);
const HOUR = 3_600_000;
const STABLE = { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6 };
const NAMES = ['AAPLx', 'SPYx', 'SPACEX', 'OPENAI'];
const ENTRIES = NAMES.map((name) => CATALOG.bySymbol(name) as { instrument: string; underlying: string; token: TokenFacts });
const TOKENS = ENTRIES.map(({ instrument, token }) => ({
  symbol: instrument,
  mint: token.mint,
  decimals: token.decimals,
  scaledUi: toScaledUi(token),
}));
const market = createSeededMarket({ seed: 33 });
// Its first prices take longest: a fast clock must not mistake that for a silent venue.
for (const { symbol } of market.assets) market.token(symbol, NOW);
const random = () => 0.5;

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function opened(
  speed: number,
  options: Partial<Parameters<typeof createSpotchainSimulator>[0]> = {},
): Promise<{ clock: Clock; simulator: SpotchainSimulator }> {
  const clock = acceleratedClock(NOW, speed);
  const tokens = ENTRIES.map(({ instrument, underlying, token }) => ({ ...token, symbol: instrument, underlying }));
  const simulator = await createSpotchainSimulator({ market, clock, tokens, stable: STABLE, port: 0, ...options });
  cleanups.push(() => simulator.close());
  return { clock, simulator };
}

function listen(
  clock: Clock,
  simulator: Pick<SpotchainSimulator, 'url'>,
  options: Partial<SpotchainFeedOptions> = {},
  clientOptions: Partial<KeyedClientOptions> = {},
  lastMultipliers: ReadonlyMap<string, string> = new Map(),
): FeedMessage[] {
  const client = createKeyedClient({
    venue: 'spotchain',
    baseUrl: simulator.url,
    headers: { 'x-api-key': 'key' },
    clock,
    random,
    perMinute: 600,
    ...clientOptions,
  });
  const received: FeedMessage[] = [];
  const feed = createSpotchainFeed({ client, tokens: TOKENS, stable: STABLE, clock, random, ...options });
  feed.recallMultipliers?.(lastMultipliers);
  const subscription = feed.messages.subscribe({
    next: (message) => received.push(message),
    error: (error) => expect.unreachable(String(error)),
  });
  cleanups.push(() => subscription.unsubscribe());
  return received;
}

/**
 * Client with the tokens of which it was asked to buy, in order. That does not depend on the machine's speed: on a fast clock an answer
 * may be late, so that a token has no quote, and its request is repeated.
 */
function notingClient(options: KeyedClientOptions): { readonly client: KeyedClient; readonly asked: readonly string[] } {
  const client = createKeyedClient(options);
  const asked: string[] = [];
  const get: KeyedClient['get'] = (path, query, known) => {
    const bought = TOKENS.find(({ mint }) => query.some(([name, value]) => name === 'outputMint' && value === mint));
    if (bought !== undefined && asked.at(-1) !== bought.symbol) asked.push(bought.symbol);
    return client.get(path, query, known);
  };
  return { client: { ...client, get }, asked };
}

const quotes = (received: readonly FeedMessage[], name: string) =>
  received.filter((message): message is Quote => message.kind === 'quote' && message.instrument === name);
const statuses = (received: readonly FeedMessage[]) =>
  received.flatMap((message) => (message.kind === 'feed_status' ? [`${message.status} ${message.epoch}`] : []));

describe('the aggregator feed', () => {
  test.each(['v1', 'v2'] as const)('quotes every token per share around the market price, whatever its multiplier (%s)', async (route) => {
    const { clock, simulator } = await opened(10);
    const received = listen(clock, simulator, { route });
    await waitFor(() => NAMES.every((name) => quotes(received, name).length > 0), { what: 'a quote of each token' });
    expect(statuses(received)).toEqual(['connected 1']);
    for (const { instrument, underlying } of ENTRIES) {
      const quote = quotes(received, instrument)[0] as Quote;
      const price = market.token(underlying, quote.receivedAt).price;
      expect(quote).toMatchObject({ venue: 'spotchain', quality: 'live', flags: [], sourceTime: false });
      expect(Number(quote.bid)).toBeLessThan(Number(quote.ask));
      // Pool fee, mint fee and impact of 100 dollars on either side of the price; the market moves meanwhile.
      expect(Math.abs((Number(quote.bid) + Number(quote.ask)) / 2 / price - 1)).toBeLessThan(0.006);
      expect(Number(quote.askSize) * Number(quote.ask)).toBeCloseTo(100, 6);
      if (route === 'v1') expect(quote.sequence).toBeGreaterThan(4e9);
      else expect(quote.sequence).toBeNull();
    }
    const liquidity = received.find((message) => message.kind === 'pool_liquidity');
    expect(liquidity).toMatchObject({ venue: 'spotchain', instrument: 'AAPLx', liquidityUsd: expect.stringMatching(/^\d{6,}$/) });
  });

  test('reports the end of a mint at once, never requests it again, and learns of new listings', async () => {
    const { clock, simulator } = await opened(30);
    const endsAt = clock.now() + 20_000;
    const ending = TOKENS.map((token) => (token.symbol === 'SPACEX' ? { ...token, validTo: endsAt } : token));
    let listed: readonly (typeof TOKENS)[number][] = ending.filter(({ symbol }) => symbol !== 'OPENAI');
    const received = listen(clock, simulator, { tokens: () => listed });
    await waitFor(() => quotes(received, 'SPACEX').some(({ quality }) => quality === 'live'), { what: 'a quote before the end' });
    await waitFor(() => quotes(received, 'SPACEX').at(-1)?.quality === 'halted', { what: 'the end' });
    const end = quotes(received, 'SPACEX').at(-1) as Quote;
    expect(end).toMatchObject({ bid: null, ask: null });
    expect(end.receivedAt).toBeGreaterThanOrEqual(endsAt);
    expect(quotes(received, 'SPACEX').filter(({ quality, receivedAt }) => quality === 'live' && receivedAt >= endsAt)).toEqual([]);
    expect(quotes(received, 'OPENAI')).toEqual([]);
    listed = ending;
    await waitFor(() => quotes(received, 'OPENAI').length >= 2, { what: 'two rounds with the new listing' });
    expect(quotes(received, 'SPACEX').at(-1)).toBe(end);
  });

  test('does not quote a mint before it is valid', async () => {
    const { clock, simulator } = await opened(30);
    const tokens = TOKENS.map((token) => (token.symbol === 'SPYx' ? { ...token, validFrom: clock.now() + 15_000 } : token));
    const received = listen(clock, simulator, { tokens });
    const begins = clock.now() + 15_000;
    await waitFor(() => quotes(received, 'SPYx').length > 0, { what: 'the first quote' });
    expect(quotes(received, 'SPYx')[0]).toMatchObject({ quality: 'live' });
    expect(quotes(received, 'SPYx')[0]?.receivedAt).toBeGreaterThan(begins - 1_000);
    expect(quotes(received, 'AAPLx').length).toBeGreaterThan(1);
  });

  test('follows a multiplier that the venue changes before the catalog knows it', async () => {
    const tokens = ENTRIES.map(({ instrument, underlying, token }) => ({
      ...token,
      symbol: instrument,
      underlying,
      multiplier: 4,
      newMultiplier: 4,
    }));
    const { clock, simulator } = await opened(10, { tokens });
    const received = listen(clock, simulator);
    const live = () => quotes(received, 'AAPLx').find(({ quality }) => quality === 'live');
    await waitFor(() => live() !== undefined, { what: 'a live quote' });
    const quote = live() as Quote;
    expect(received).toContainEqual(
      expect.objectContaining({ kind: 'token_multiplier', instrument: 'AAPLx', multiplier: '4', previous: null }),
    );
    expect(Number(quote.ask) / market.token('AAPL', quote.receivedAt).price).toBeCloseTo(1, 1);
  });

  test('tells of a split at its own time, and no quote around it is live', async () => {
    const clock = acceleratedClock(NOW, 40);
    const at = NOW + 60_000;
    const tokens = ENTRIES.map(({ instrument, underlying, token }) => ({ ...token, symbol: instrument, underlying })).map((token) =>
      token.symbol === 'AAPLx' ? { ...token, multiplier: 1, newMultiplier: 5, newMultiplierEffectiveAt: at } : token,
    );
    const simulator = await createSpotchainSimulator({ market, clock, tokens, stable: STABLE, port: 0 });
    cleanups.push(() => simulator.close());
    const own = TOKENS.filter(({ symbol }) => symbol === 'AAPLx').map((token) => ({ ...token, scaledUi: fixedMultiplier('1') }));
    const received = listen(clock, simulator, { tokens: own });
    await waitFor(() => quotes(received, 'AAPLx').some(({ quality, receivedAt }) => quality === 'live' && receivedAt > at), {
      what: 'a live quote after the split',
    });
    expect(received.filter(({ kind }) => kind === 'token_multiplier')).toMatchObject([
      { multiplier: '1', previous: null },
      { instrument: 'AAPLx', observedAt: at, multiplier: '5', previous: '1' },
    ]);
    const unsettled = quotes(received, 'AAPLx').filter(({ receivedAt }) => Math.abs(receivedAt - at) < 120_000);
    expect(unsettled.filter(({ quality }) => quality === 'live')).toEqual([]);
    expect(unsettled.map(({ receivedAt }) => receivedAt < at)).toEqual(expect.arrayContaining([true, false]));
    // The message comes before the first quote in the new units.
    const told = received.findIndex((message) => message.kind === 'token_multiplier' && message.previous !== null);
    const units = (one: FeedMessage | undefined) =>
      one?.kind === 'quote' ? market.token('AAPL', one.receivedAt).price / Number(one.ask) : Number.NaN;
    const before = received.slice(0, told).findLast(({ kind }) => kind === 'quote');
    const after = received.slice(told).find(({ kind }) => kind === 'quote');
    expect(units(after) / units(before)).toBeCloseTo(1, 1);
  });

  test.each([
    ['every other answer', ['1', '5', '1', '5', '1', '5', '1'], []],
    ['an answer alone', ['1', '1', '5', '1', '1', '1', '1'], []],
    ['answers that agree on nothing', ['1', '1', '5', '7', '5', '7', '1'], []],
    ['two answers in a row', ['1', '5', '1', '5', '5', '5'], ['5']],
  ] as const)(
    'a multiplier that %s states is in force only if the next one agrees, and makes no quote live before',
    async (_, told, changes) => {
      const { clock, simulator } = await opened(20);
      const own = TOKENS.filter(({ symbol }) => symbol === 'AAPLx').map((token) => ({ ...token, scaledUi: fixedMultiplier('1') }));
      const real = createKeyedClient({
        venue: 'spotchain',
        baseUrl: simulator.url,
        headers: { 'x-api-key': 'key' },
        clock,
        random,
        perMinute: 600,
      });
      let asked = 0;
      const received: FeedMessage[] = [];
      /** Index of the first message after the answer. */
      const answers: number[] = [];
      const get: KeyedClient['get'] = async (path, query, known) => {
        const body = await real.get(path, query, known);
        if (path !== '/price/v3') return body;
        const multiplier = Number(told[Math.min(asked++, told.length - 1)]);
        answers.push(received.length);
        const rows = Object.entries(body as Record<string, object>);
        return Object.fromEntries(rows.map(([mint, row]) => [mint, { ...row, scaledUiConfig: { multiplier, newMultiplier: multiplier } }]));
      };
      const feed = createSpotchainFeed({ client: { ...real, get }, tokens: own, stable: STABLE, clock, random, maxDisagreementPct: 1_000 });
      const subscription = feed.messages.subscribe((message) => received.push(message));
      cleanups.push(() => subscription.unsubscribe());
      await waitFor(() => asked > told.length, { what: 'all answers' });
      expect(received.flatMap((message) => (message.kind === 'token_multiplier' ? [[message.previous, message.multiplier]] : []))).toEqual([
        [null, '1'],
        ...changes.map((multiplier) => ['1', multiplier]),
      ]);
      for (const [n, multiplier] of told.entries()) {
        if (multiplier === '1') continue;
        const following = received.slice(answers[n], answers[n + 1]).filter((message) => message.kind === 'quote');
        expect(following.map(({ quality }) => quality)).not.toContain('live');
      }
      expect(quotes(received, 'AAPLx').some(({ quality }) => quality === 'live')).toBe(true);
    },
  );

  test('a change while the service was down is told as soon as it is confirmed', async () => {
    const { clock, simulator } = await opened(20);
    const known = new Map(ENTRIES.slice(0, 2).map(({ instrument, token }) => [instrument, String(token.newMultiplier)]));
    const received = listen(clock, simulator, { tokens: TOKENS.slice(0, 2) }, {}, new Map([...known, ['SPYx', '0.5']]));
    const changes = () => received.filter((message) => message.kind === 'token_multiplier');
    await waitFor(() => changes().length > 0 && quotes(received, 'SPYx').length > 1 && quotes(received, 'AAPLx').length > 0, {
      what: 'the change, and quotes of each',
    });
    const told = changes();
    expect(told).toMatchObject([{ instrument: 'SPYx', previous: '0.5', multiplier: known.get('SPYx') }]);
    expect(told[0]?.observedAt).toBe(told[0]?.receivedAt);
    for (const quote of quotes(received, 'SPYx')) expect(quote).toMatchObject({ quality: 'degraded', flags: ['wide_confidence'] });
    expect(quotes(received, 'AAPLx')[0]).toMatchObject({ quality: 'live' });
  });

  test('degrades quotes whose routes and prices disagree', async () => {
    const { clock, simulator } = await opened(10);
    simulator.faults.set({ priceJump: 1 });
    const received = listen(clock, simulator);
    await waitFor(() => quotes(received, 'AAPLx').length > 0, { what: 'a quote' });
    expect(quotes(received, 'AAPLx')[0]).toMatchObject({ quality: 'degraded', flags: ['wide_confidence'] });
  });

  test('names a token without routes, halts a token that may not be traded, and keeps the others', async () => {
    const { clock, simulator } = await opened(20);
    simulator.breakRoute('AAPLx', 'NO_ROUTES_FOUND');
    simulator.breakRoute('SPYx', 'TOKEN_NOT_TRADABLE');
    const received = listen(clock, simulator);
    await waitFor(() => quotes(received, 'OPENAI').length > 0 && quotes(received, 'SPYx').length > 0, { what: 'the others' });
    expect(quotes(received, 'AAPLx')).toEqual([]);
    expect(quotes(received, 'SPYx')[0]).toMatchObject({ quality: 'halted', bid: null, ask: null });
    expect(received).toContainEqual(
      expect.objectContaining({ kind: 'rejection', reason: 'venue_error', detail: expect.stringContaining('AAPLx: NO_ROUTES_FOUND: ') }),
    );
    expect(statuses(received)).toEqual(['connected 1']);
    simulator.breakRoute('AAPLx', null);
    await waitFor(() => quotes(received, 'AAPLx').length > 0, { what: 'the token to come back' });
  });

  test('goes down while the venue is silent and returns with a new epoch', async () => {
    const { clock, simulator } = await opened(40);
    const received = listen(clock, simulator, {}, { attempts: 1 });
    await waitFor(() => quotes(received, 'AAPLx').length > 0, { what: 'a quote' });
    simulator.faults.set({ status5xx: 1 });
    await waitFor(() => statuses(received).length >= 2, { what: 'the loss' });
    const at = clock.now();
    await waitFor(() => clock.now() > at + 5_000, { what: 'a while' });
    expect(statuses(received)).toEqual(['connected 1', 'disconnected 1']);
    simulator.faults.reset();
    await waitFor(() => statuses(received).includes('connected 2'), { what: 'the return' });
  });

  test('reports an answer that hangs five seconds after it was due, although prices hang too', async () => {
    const { clock, simulator } = await opened(10);
    const received = listen(clock, simulator);
    await waitFor(() => quotes(received, 'OPENAI').length > 0, { what: 'a round' });
    simulator.faults.set({ freeze: true });
    await waitFor(() => statuses(received).length >= 2, { what: 'the loss' });
    const lost = received.findLast((message) => message.kind === 'feed_status');
    const last = received.findLast((message) => message.kind === 'quote')?.receivedAt as number;
    const { missedAt = 0, receivedAt } = lost as FeedStatus;
    expect(lost).toMatchObject({ status: 'disconnected', detail: expect.stringContaining('gave no answer within') });
    expect(missedAt - last).toBeLessThan(2_000);
    expect(receivedAt - missedAt).toBeGreaterThanOrEqual(5_000);
    // This test's clock runs ten times as fast as the timers of a busy machine.
    expect(receivedAt - missedAt).toBeLessThan(7_000);
  });

  test('requests tokens with live capital again while the round of the others continues', async () => {
    const { clock, simulator } = await opened(40);
    const { client, asked } = notingClient({ venue: 'spotchain', baseUrl: simulator.url, clock, random, perMinute: 60 });
    const feed = createSpotchainFeed({ client, tokens: TOKENS, stable: STABLE, clock, random });
    feed.schedule?.askFirst(new Set(['OPENAI']));
    const received: FeedMessage[] = [];
    const subscription = feed.messages.subscribe({ next: (message) => received.push(message), error: () => undefined });
    cleanups.push(() => subscription.unsubscribe());
    await waitFor(() => NAMES.every((name) => quotes(received, name).length > 0), { what: 'a quote of each token' });
    expect(asked.slice(0, 6)).toEqual(['AAPLx', 'SPYx', 'SPACEX'].flatMap((name) => ['OPENAI', name]));
    expect(['OPENAI', 'AAPLx', 'NOPE'].map((name) => feed.schedule?.everyMs(name))).toEqual([5_417, 16_250, null]);
  });

  test('polls unattended tokens half as often, until something has live capital', async () => {
    const { clock, simulator } = await opened(40);
    const { client, asked } = notingClient({ venue: 'spotchain', baseUrl: simulator.url, clock, random, perMinute: 600 });
    const feed = createSpotchainFeed({ client, tokens: TOKENS, stable: STABLE, clock, random });
    const { schedule } = feed;
    schedule?.attend(new Set(['OPENAI']));
    const received: FeedMessage[] = [];
    const subscription = feed.messages.subscribe({ next: (message) => received.push(message), error: () => undefined });
    cleanups.push(() => subscription.unsubscribe());
    await waitFor(() => NAMES.every((name) => quotes(received, name).length > 0), { what: 'a quote of each token' });
    // A round lasts four seconds instead of two.
    expect(['OPENAI', 'AAPLx'].map((name) => schedule?.everyMs(name))).toEqual([2_400, 4_000]);
    expect(asked.slice(0, 5)).toEqual(['OPENAI', 'AAPLx', 'SPYx', 'OPENAI', 'SPACEX']);
    schedule?.askFirst(new Set(['SPYx']));
    await waitFor(() => schedule?.everyMs('AAPLx') !== 4_000, { what: 'the next round' });
    expect(schedule?.everyMs('AAPLx')).toBeLessThanOrEqual(2_000);
  });

  test('stays down while routes are silent, although prices still arrive', async () => {
    const clock = acceleratedClock(NOW, 40);
    let priced = 0;
    let routed = 0;
    const server = http.createServer((request, response) => {
      if (request.url?.startsWith('/price/')) priced++;
      else routed++;
      response.writeHead(request.url?.startsWith('/price/') ? 200 : 503).end('{}');
    });
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    cleanups.push(() => {
      server.closeAllConnections();
      server.close();
    });
    const received = listen(clock, { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }, {}, { attempts: 1 });
    await waitFor(() => routed >= 4, { what: 'four questions for a route' });
    expect(priced).toBeGreaterThan(0);
    expect(statuses(received)).toEqual(['disconnected 0']);
  });

  test('counts garbage and wrong amounts without pricing anything from them', async () => {
    const { clock, simulator } = await opened(40);
    simulator.faults.set({ garbage: 0.3, zeroPrice: 0.3 });
    const received = listen(clock, simulator, {}, { attempts: 1 });
    await waitFor(
      () => received.filter((message) => message.kind === 'rejection').length > 4 && received.some((message) => message.kind === 'quote'),
      { what: 'rejections and quotes' },
    );
    for (const name of NAMES) for (const quote of quotes(received, name)) expect(Number(quote.ask)).toBeGreaterThan(1);
  });

  test('stays inside of a keyless plan of 30 requests a minute without a single 429', async () => {
    const { clock, simulator } = await opened(40);
    const client = createKeyedClient({ venue: 'spotchain', baseUrl: simulator.url, clock, random, perMinute: 30 });
    const received: FeedMessage[] = [];
    const subscription = createSpotchainFeed({ client, tokens: TOKENS, stable: STABLE, clock, random }).messages.subscribe({
      next: (message) => received.push(message),
      error: () => undefined,
    });
    cleanups.push(() => subscription.unsubscribe());
    await waitFor(() => clock.now() > NOW + 75_000, { what: 'a minute and a quarter' });
    const requests = [...simulator.requests.values()].reduce((sum, count) => sum + count, 0);
    expect(requests).toBeGreaterThan(15);
    expect(requests).toBeLessThanOrEqual(38);
    expect(statuses(received)).toEqual(['connected 1']);
    expect(roundLengthMs(4, 30, 2_000)).toBe(22_500);
    expect(roundLengthMs(19, 600, 2_000)).toBe(4_875);
  });

  test('reports a missing key', async () => {
    const { clock, simulator } = await opened(10, { apiKeys: ['other'] });
    const client = createKeyedClient({
      venue: 'spotchain',
      baseUrl: simulator.url,
      headers: { 'x-api-key': 'wrong' },
      clock,
      random,
      perMinute: 60,
    });
    await expect(client.get('/price/v3', [['ids', 'x']])).rejects.toMatchObject({ message: expect.stringContaining('is not accepted') });
    const keyless = http.createServer((_request, response) => response.writeHead(401).end('Unauthorized'));
    await new Promise<void>((resolve) => {
      keyless.listen(0, '127.0.0.1', resolve);
    });
    cleanups.push(
      () => keyless.close(),
      () => keyless.closeAllConnections(),
    );
    const baseUrl = `http://127.0.0.1:${(keyless.address() as AddressInfo).port}`;
    for (const headers of [{}, undefined]) {
      const without = createKeyedClient({
        venue: 'spotchain',
        baseUrl,
        clock,
        random,
        perMinute: 60,
        ...(headers === undefined ? {} : { headers }),
      });
      await expect(without.get('/price/v3', [])).rejects.toMatchObject({ message: expect.stringContaining('none is configured') });
    }
  });

  test('reports a refused key', async () => {
    const { clock, simulator } = await opened(10, { apiKeys: ['other'] });
    const received = listen(clock, simulator);
    await waitFor(() => statuses(received).length > 0, { what: 'the refusal' });
    expect(received.find((message) => message.kind === 'feed_status')).toMatchObject({
      kind: 'feed_status',
      status: 'disconnected',
      epoch: 0,
      detail: expect.stringContaining('the configured API key is not accepted'),
    });
  });
});

describe('the simulator of the aggregator', () => {
  test('moves the price with size along a constant product', async () => {
    const { simulator } = await opened(1);
    const mint = TOKENS[0]?.mint as string;
    const ask = async (amount: number): Promise<number> => {
      const response = await fetch(`${simulator.url}/swap/v1/quote?inputMint=${STABLE.mint}&outputMint=${mint}&amount=${amount}`);
      const { outAmount } = (await response.json()) as { outAmount: string };
      return amount / Number(outAmount);
    };
    const small = await ask(100_000_000);
    const { liquidityUsd } = market.token('AAPL', NOW);
    const large = await ask(Math.round(liquidityUsd * 0.05 * 1e6));
    // Buying a tenth of the stable side costs 10 % more per token than buying almost nothing.
    expect(large / small).toBeCloseTo(1.1, 2);
  });

  test('limits by plan, with the real one’s headers', async () => {
    const { simulator } = await opened(1, { keylessPerMinute: 2 });
    const ask = () => fetch(`${simulator.url}/price/v3?ids=${TOKENS[0]?.mint},unknown`);
    expect(Object.keys((await (await ask()).json()) as object)).toEqual([TOKENS[0]?.mint]);
    expect((await ask()).headers.get('x-ratelimit-remaining')).toBe('0');
    const limited = await ask();
    expect(limited.status).toBe(429);
    expect(await limited.text()).toBe('[API Gateway] Too many requests');
    expect(Number(limited.headers.get('x-ratelimit-reset'))).toBeGreaterThan(NOW / 1000);
  });
});

describe('pool bars', () => {
  async function source(speed = 1) {
    const { clock, simulator } = await opened(speed);
    const client = createKeyedClient({ venue: 'spotchain', baseUrl: simulator.url, clock, random, perMinute: 600 });
    return {
      simulator,
      candles: createSpotchainCandles({
        client,
        clock,
        pools: TOKENS.map(({ symbol, scaledUi }) => ({ symbol, scaledUi, pool: simulator.poolOf(symbol) })),
      }),
    };
  }

  test('are paged backwards over months, across a change of the multiplier, and equal the market per share', async () => {
    const { simulator, candles } = await source();
    const to = NOW - HOUR;
    const from = to - 200 * 24 * HOUR;
    const bars = await candles.fetchCandles('SPACEX', '1h', from, to);
    const expected = market.candles('token', 'SPACEX', HOUR, from, to);
    expect(bars.map((bar) => bar.openTime)).toEqual(expected.map((bar) => bar.openTime));
    bars.forEach((bar, index) => {
      expect(Number(bar.close)).toBeCloseTo(Number(expected[index]?.close), 8);
      expect(Number(bar.high)).toBeCloseTo(Number(expected[index]?.high), 8);
    });
    expect(simulator.requests.get(`/api/v2/networks/solana/pools/${simulator.poolOf('SPACEX')}/ohlcv/hour`)).toBe(5);
  });

  test('of missing timeframes are joined from shorter ones', async () => {
    const { candles } = await source();
    const from = NOW - 6 * HOUR;
    const bars = await candles.fetchCandles('AAPLx', '30m', from, NOW - HOUR);
    const expected = market.candles('token', 'AAPL', HOUR / 2, from, NOW - HOUR);
    expect(bars.map(({ openTime, close }) => [openTime, Number(close)])).toEqual(
      expected.map(({ openTime, close }) => [openTime, Number(close)]),
    );
    await expect(candles.fetchCandles('AAPLx', '1x', from, NOW)).rejects.toMatchObject({ code: 'unsupported_timeframe' });
    await expect(candles.fetchCandles('NOPE', '1h', from, NOW)).rejects.toMatchObject({ code: 'unknown_instrument' });
  });

  test('of a pool with gaps are joined from what exists; before its history and after now nothing is known', async () => {
    const MINUTE = 60_000;
    const began = NOW - 30 * MINUTE;
    // Newest first, in minutes after `began`. The history begins within a bar of ten minutes, and NOW is within another.
    const told = [25, 10, 5].map((minute) => [(began + minute * MINUTE) / 1_000, minute, minute + 1, minute, minute, minute]);
    const limits: number[] = [];
    const server = http.createServer((request, response) => {
      const query = new URL(request.url as string, 'http://host').searchParams;
      const [before, limit] = [Number(query.get('before_timestamp')), Number(query.get('limit'))];
      limits.push(limit);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ data: { attributes: { ohlcv_list: told.filter(([at = 0]) => at < before).slice(0, limit) } } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => server.close());
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const joined = async (now: number, from: number, timeframe = '10m') => {
      const clock = acceleratedClock(now, 1);
      const client = createKeyedClient({ venue: 'spotchain', baseUrl, clock, random, perMinute: 600 });
      const pools = [{ symbol: 'Q', pool: 'P', scaledUi: { multiplier: '1', newMultiplier: '1', effectiveAt: 0 } }];
      const bars = await createSpotchainCandles({ client, clock, pools }).fetchCandles('Q', timeframe, from, NOW);
      return bars.map(({ openTime, open, high, close }) => [(openTime - began) / MINUTE, open, high, close]);
    };
    expect(await joined(NOW, began)).toEqual([
      [10, '10', '11', '10'],
      [20, '25', '26', '25'],
    ]);
    // Six bars of five minutes fit into half an hour, and one before the first of them.
    expect(limits).toEqual([6, 1]);
    // The same period while its last bar is still forming, and one that starts before the history.
    expect(await joined(NOW - 2 * MINUTE, began)).toEqual([[10, '10', '11', '10']]);
    expect(await joined(NOW, began + 10 * MINUTE)).toHaveLength(2);
    // The forming bar of the route is left out too.
    expect(await joined(NOW - 2 * MINUTE, began, '5m')).toHaveLength(2);
    expect(await joined(NOW, began, '5m')).toHaveLength(3);
  });
});
