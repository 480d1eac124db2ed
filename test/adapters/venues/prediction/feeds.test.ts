// Feeds of both providers over sockets with their simulators: quotes, trades, settlement, and every failure.
import { afterEach, describe, expect, test } from 'vitest';
import { createKalshiFeed } from '../../../../src/adapters/venues/prediction/kalshi/feed.ts';
import type { PredictionFeed } from '../../../../src/adapters/venues/prediction/provider-feed.ts';
import { worthStreaming } from '../../../../src/adapters/venues/prediction/provider-feed.ts';
import { compareDecimals, Decimal } from '../../../../src/domain/values/decimal.ts';
import { isOnGrid, type PredictionMarket } from '../../../../src/domain/prediction/market.ts';
import { matchQuestions } from '../../../../src/domain/prediction/question.ts';
import type { Quote } from '../../../../src/domain/market/quote.ts';
import { createMarketPipeline } from '../../../../streams/market-pipeline.ts';
import { sampleMarket } from '../../../domain/prediction/samples.ts';
import { waitFor } from '../../../harness/wait-for.ts';
import { type Received, receive, NOON, predictionFixture, quotesIn, rejectionsIn } from '../../../sandbox/prediction/fixture.ts';

type Fixture = Awaited<ReturnType<typeof predictionFixture>>;
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});
async function opened(options: Parameters<typeof predictionFixture>[0] = {}): Promise<Fixture> {
  const fixture = await predictionFixture(options);
  cleanups.push(() => fixture.close());
  return fixture;
}
function listen(feed: PredictionFeed): Received {
  const received = receive(feed);
  cleanups.push(() => received.stop());
  return received;
}
const instruments = (received: Received): Set<string> => new Set(quotesIn(received).map(({ instrument }) => instrument));
const statuses = (received: Received): string[] =>
  received.messages.flatMap((one) => (one.kind === 'feed_status' ? [`${one.status} ${one.epoch}`] : []));
const latest = (received: Received): Quote[] => [...new Map(quotesIn(received).map((quote) => [quote.instrument, quote])).values()];
const PROVIDERS = ['polymarket', 'kalshi'] as const;
const feedOf = (fixture: Fixture, provider: (typeof PROVIDERS)[number]): PredictionFeed =>
  provider === 'polymarket' ? fixture.polymarketFeed() : fixture.kalshiFeed();

describe.each(PROVIDERS)('%s', (provider) => {
  test('quotes both outcomes of every open market on its grid, and reports trades', async () => {
    const fixture = await opened({ speed: 20 });
    const received = listen(feedOf(fixture, provider));
    // A market whose grid has just changed waits for its new book: at this speed a minute, which may change it, is three seconds.
    const whole = (): boolean => latest(received).every(({ flags }) => !flags.includes('resyncing'));
    await waitFor(() => instruments(received).size > 60 && received.trades.length > 3 && quotesIn(received).length > 150 && whole(), {
      what: 'quotes and trades',
    });
    expect(statuses(received)).toEqual(['connected 1']);
    expect(rejectionsIn(received)).toEqual([]);
    for (const market of received.markets.values()) {
      const [yes, no] = market.outcomes.map(({ instrument }) => latest(received).find((quote) => quote.instrument === instrument));
      if (yes === undefined || no === undefined) continue;
      for (const quote of [yes, no]) {
        expect(quote).toMatchObject({ venue: 'prediction', sourceTime: true, quality: 'live', flags: [] });
        expect(compareDecimals(quote.bid as string, quote.ask as string)).toBeLessThan(0);
        expect(isOnGrid(market.priceGrid, quote.bid as string), `${quote.bid} of ${market.providerId}`).toBe(true);
      }
      // Price of both outcomes together: never less than the dollar that one of them pays.
      expect(new Decimal(yes.ask as string).plus(no.ask as string).gte(1)).toBe(true);
      expect(new Decimal(yes.bid as string).plus(no.bid as string).lte(1)).toBe(true);
    }
    for (const trade of received.trades) expect(received.markets.get(trade.marketId)).toBeDefined();
    await waitFor(() => received.messages.some(({ kind }) => kind === 'heartbeat'), { what: 'a sign of life' });
  });

  test('a lost update is detected, reported and repaired', async () => {
    const fixture = await opened({ speed: 40 });
    const received = listen(feedOf(fixture, provider));
    await waitFor(() => instruments(received).size > 60, { what: 'quotes' });
    fixture[provider].faults.set({ gap: 0.3 });
    const gapped = (): Quote | undefined => quotesIn(received).find(({ flags }) => flags.includes('gap'));
    await waitFor(gapped, { what: 'a quote that says gap' });
    expect(gapped()).toMatchObject({ quality: 'degraded', bid: null, ask: null, flags: ['gap', 'resyncing'] });
    fixture[provider].faults.reset();
    // A market may have ended meanwhile.
    await waitFor(() => latest(received).every(({ quality }) => quality === 'live' || quality === 'halted'), {
      what: 'every book whole again',
    });
  });

  test('garbage is counted by reason and costs nothing else', async () => {
    const fixture = await opened({ speed: 40 });
    fixture[provider].faults.set({ garbage: 0.2 });
    const received = listen(feedOf(fixture, provider));
    await waitFor(() => instruments(received).size > 60 && rejectionsIn(received).length > 5, { what: 'quotes among garbage' });
    expect(new Set(rejectionsIn(received).map(({ reason }) => reason)).size).toBeGreaterThan(1);
    expect(statuses(received)).toEqual(['connected 1']);
  });

  test('impossible prices are refused, and crossed books are received as crossed', async () => {
    const fixture = await opened({ speed: 20 });
    fixture[provider].faults.set({ nanPrice: 0.5 });
    const received = listen(feedOf(fixture, provider));
    await waitFor(() => rejectionsIn(received).some(({ reason }) => reason === 'bad_number'), { what: 'a refusal' });
    expect(quotesIn(received).every(({ bid }) => bid === null || /^0\.\d+$/.test(bid))).toBe(true);
    received.stop();
    fixture[provider].faults.reset();
    fixture[provider].faults.set({ crossed: 1 });
    const pipeline = createMarketPipeline({
      clock: fixture.clock,
      random: () => 0.5,
      feeds: [feedOf(fixture, provider)],
      instruments: () => [],
      needs: () => [],
      onCut: () => {},
      onFailure: (error) => expect.unreachable(String(error)),
    });
    const assessed: Quote[] = [];
    const subscription = pipeline.assessed.subscribe({ next: (one) => void (one.kind === 'quote' && assessed.push(one)), error: () => {} });
    pipeline.start();
    cleanups.push(
      () => pipeline.stop(),
      () => subscription.unsubscribe(),
    );
    await waitFor(() => assessed.some(({ flags }) => flags.includes('crossed')), { what: 'a crossed quote' });
    expect(assessed.filter(({ flags }) => flags.includes('crossed')).every(({ quality }) => quality === 'degraded')).toBe(true);
  });

  test('a cut connection returns as a new epoch with empty books', async () => {
    const fixture = await opened({ speed: 20 });
    const received = listen(feedOf(fixture, provider));
    await waitFor(() => instruments(received).size > 60, { what: 'quotes' });
    fixture[provider].faults.set({ disconnectLoop: true });
    await waitFor(() => statuses(received).includes('disconnected 1'), { what: 'the loss' });
    fixture[provider].faults.reset();
    await waitFor(() => statuses(received).some((word) => /^connected ([2-9]|\d\d)/.test(word)), { what: 'a new epoch' });
    const since = received.messages.length;
    const again = () => new Set(received.messages.slice(since).flatMap((one) => (one.kind === 'quote' ? [one.instrument] : [])));
    // A book without a snapshot has a quote without prices: it is complete once its snapshot has come.
    const isWhole = () => again().size > 60 && latest(received).every(({ quality }) => quality !== 'degraded');
    await waitFor(isWhole, { what: 'whole books again' });
  });

  test('a frozen venue is given up and retried', async () => {
    const fixture = await opened({ speed: 60 });
    const received = listen(feedOf(fixture, provider));
    await waitFor(() => instruments(received).size > 60, { what: 'quotes' });
    fixture[provider].faults.set({ freeze: true });
    await waitFor(() => statuses(received).includes('disconnected 1'), { what: 'the loss' });
    const down = received.messages.find((one) => one.kind === 'feed_status' && one.status === 'disconnected');
    // Its clock runs sixty times as fast: on a busy machine a connection may be given up before it is open.
    expect(down).toMatchObject({ detail: expect.stringMatching(/no sign of life|no connection within/) });
    fixture[provider].faults.reset();
    await waitFor(() => statuses(received).filter((word) => word.startsWith('connected')).length > 1, { what: 'the return' });
  });

  test('a refused listing is counted and retried', async () => {
    const fixture = await opened({ speed: 60 });
    fixture[provider].faults.set({ status429: 1 });
    const received = listen(feedOf(fixture, provider));
    await waitFor(() => rejectionsIn(received).some(({ detail }) => detail.includes('http_429')), { what: 'the refusal' });
    expect(received.markets.size).toBe(0);
    fixture[provider].faults.reset();
    await waitFor(() => instruments(received).size > 60, { what: 'quotes after the limit' });
  });

  test('a market ends, is decided by the prices, and its last quote is halted', async () => {
    // Two minutes before the questions of the full hour end: a busy machine learns of them in time.
    const fixture = await opened({ speed: 30, at: NOON + 28 * 60_000 });
    const received = listen(feedOf(fixture, provider));
    await waitFor(() => instruments(received).size > 60, { what: 'quotes' });
    const ending = (): PredictionMarket[] => [...received.markets.values()].filter(({ asks }) => asks?.resolvesAt === NOON + 30 * 60_000);
    await waitFor(() => ending().length > 5 && ending().every(({ status }) => status === 'resolved'), {
      what: 'every outcome',
      deadlineMs: 45_000,
    });
    for (const { asks, resolution, outcomes, quality } of ending()) {
      if (asks === null || asks.measure === 'any_time') continue;
      const value = fixture.market.value(asks.underlying, asks.resolvesAt);
      const [low, high] = [Number(asks.threshold), Number(asks.upperThreshold ?? 0)];
      const yes = {
        above: value > low,
        at_or_above: value >= low,
        below: value < low,
        at_or_below: value <= low,
        between: value >= low && value <= high,
      };
      expect([asks, resolution.result]).toEqual([asks, yes[asks.comparator] ? 'yes' : 'no']);
      expect(outcomes.map(({ payout }) => payout)).toEqual(resolution.result === 'yes' ? ['1', '0'] : ['0', '1']);
      expect(quality).toBe('halted');
    }
    const gone = ending().flatMap(({ outcomes }) => outcomes.map(({ instrument }) => instrument));
    await waitFor(() => gone.every((one) => latest(received).find(({ instrument }) => instrument === one)?.quality !== 'live'), {
      what: 'halted quotes',
    });
  });
});

describe('kalshi', () => {
  test('without a key the listed tops are polled', async () => {
    const fixture = await opened({ speed: 20 });
    const received = listen(fixture.kalshiFeed(false));
    await waitFor(() => instruments(received).size > 60, { what: 'quotes' });
    expect(quotesIn(received)[0]).toMatchObject({ source: 'kalshi:markets', sourceTime: false, sequence: null, quality: 'live' });
    expect(statuses(received)).toEqual(['connected 1']);
    fixture.kalshi.faults.set({ status5xx: 1 });
    await waitFor(() => statuses(received).includes('disconnected 1'), { what: 'the loss' });
  });

  test('a handshake signed by another key is refused', async () => {
    const [fixture, other] = [await opened(), await opened()];
    const feed = createKalshiFeed({
      streamUrl: fixture.kalshi.wsUrl,
      key: other.key,
      rest: fixture.kalshiRest,
      clock: fixture.clock,
      random: () => 0.5,
    });
    const received = listen(feed);
    await waitFor(() => statuses(received).includes('disconnected 0'), { what: 'the refusal' });
    expect(received.messages.find(({ kind }) => kind === 'feed_status')).toMatchObject({ detail: 'refused with status 401' });
  });
});

test('the same questions exist on both venues at slightly different prices, others are only related', async () => {
  const fixture = await opened();
  const [ours, theirs] = await Promise.all([fixture.polymarketRest.list(), fixture.kalshiRest.list()]);
  const pairs = ours.markets.flatMap((one) => theirs.markets.map((other) => ({ one, other, ...matchQuestions(one, other) })));
  const same = pairs.filter(({ verdict }) => verdict === 'same');
  expect(new Set(same.map(({ one }) => one.underlying))).toEqual(new Set(['BTC', 'ETH', 'AAPL', 'NVDA', 'TSLA']));
  expect(new Set(same.map(({ one }) => one.id)).size).toBe(same.length);
  for (const { one, other } of same) {
    const [a, b] = [one, other].map(({ outcomes: [yes] }) => new Decimal(yes.bid ?? 0).plus(yes.ask ?? 1).div(2));
    expect(
      (a as Decimal)
        .minus(b as Decimal)
        .abs()
        .toNumber(),
    ).toBeLessThan(0.04);
  }
  expect(pairs.filter(({ one, verdict }) => one.underlying === 'SOL' && verdict === 'same')).toEqual([]);
  expect(pairs.some(({ one, verdict }) => one.underlying === 'SOL' && verdict === 'related')).toBe(true);
  expect(ours.markets.some(({ event }) => event?.mutuallyExclusive === true)).toBe(true);
});

test('markets of catalog assets are streamed before the most traded ones', () => {
  const [plain, about, dear] = [
    sampleMarket('kalshi', 'plain', { asks: null, underlying: 'BTC', volume: '1' }),
    sampleMarket('kalshi', 'about', { volume: '1' }),
    sampleMarket('kalshi', 'dear', { asks: null, underlying: null, volume: '99999999' }),
  ];
  const closed = sampleMarket('kalshi', 'closed', { status: 'closed' });
  expect(worthStreaming([dear, plain, closed, about], 3).map(({ providerId }) => providerId)).toEqual(['about', 'plain', 'dear']);
  expect(worthStreaming([dear, plain, about], 1)).toEqual([about]);
});
