/** Executions are priced from the feed's order book: the venue's request budget does not bound their number. */
import { afterEach, expect, test } from 'vitest';
import { createAloneClaims } from '../../src/adapters/queue/ask-claims.ts';
import { createInProcessMarketStateBus } from '../../src/adapters/queue/market-state-bus.ts';
import { followedBooks } from '../../src/adapters/venues/listed.ts';
import { createOrderBookReads } from '../../src/adapters/venues/order-book-reads.ts';
import { budgetFor, type RequestBudget, WeightBudget } from '../../src/adapters/venues/request-budget.ts';
import { createSharedBookReads } from '../../src/adapters/venues/shared-book-reads.ts';
import { fetchOrderBook } from '../../src/adapters/venues/spotexchange/depth.ts';
import { createSpotExchangeFeed } from '../../src/adapters/venues/spotexchange/feed.ts';
import { createSpotRest } from '../../src/adapters/venues/spotexchange/rest.ts';
import { COST_MODELS } from '../../src/domain/orders/costs.ts';
import { type Order, completeOrder } from '../../src/domain/orders/order.ts';
import type { BookEdge, OrderBook } from '../../src/domain/market/order-book.ts';
import { paperFill } from '../../src/domain/orders/paper-fill.ts';
import type { RiskApproved } from '../../src/domain/risk/assess.ts';
import { seededRandom } from '../../src/sandbox/faults.ts';
import { createSpotExchangeSimulator } from '../../src/sandbox/spotexchange/simulator.ts';
import { createMarketLook, deepEnough, type VenueBooks } from '../../src/trading/present-market.ts';
import { createBookWants } from '../../src/adapters/queue/book-wants.ts';
import { bookKey } from '../../streams/book-wants.ts';
import { createMarketPipeline } from '../../streams/market-pipeline.ts';
import { publishMarketStates } from '../../streams/market-states.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { drive, NOON, tinyMarket } from '../adapters/venues/spotexchange/tiny-world.ts';

const BTC = 'spotexchange:BTCUSDT';
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const orderAt = (limitPrice: string, quantity = '0.01', side: 'buy' | 'sell' = 'buy'): RiskApproved<Order> =>
  // Only risk gives the brand; this tests only the price.
  completeOrder({
    id: 'o',
    origin: 'proposal',
    mode: 'paper',
    bookId: 'b',
    instrument: BTC,
    side,
    quantity,
    limitPrice,
    maxSlippageBps: 50,
  }) as RiskApproved<Order>;

/** Counts requests to the venue, within its budget per address. */
function countedBudget() {
  const weights: number[] = [];
  const spent = new WeightBudget(6_000);
  const budget: RequestBudget = {
    take(weight, now, purpose) {
      const wait = spent.take(weight, now, purpose);
      if (wait === 0) weights.push(weight);
      return wait;
    },
    observeUsed: (used, now) => spent.observeUsed(used, now),
    block: (until) => spent.block(until),
    state: (now) => spent.state(now),
  };
  return { budget, weights };
}

test('five thousand paper executions on one instrument request the venue’s book once, besides the feed’s snapshot', async () => {
  const clock = createVirtualClock(NOON);
  const simulator = await createSpotExchangeSimulator({ market: tinyMarket(), clock, port: 0, seed: 3 });
  ends.push(() => simulator.close());
  const { budget, weights } = countedBudget();
  const restOf = (one: RequestBudget) => {
    const rest = createSpotRest({ baseUrl: simulator.url, clock, random: seededRandom(1), budget: one, maxWaitMs: 0 });
    ends.push(() => rest.close());
    return rest;
  };
  const states = createInProcessMarketStateBus({ clock });
  const pricing = restOf(budgetFor(budget, 'pricing'));
  const orderBooks = createSharedBookReads({
    states,
    wants: createBookWants(states, clock),
    claims: createAloneClaims(clock),
    asked: createOrderBookReads({ spotexchange: (instrument, depth) => fetchOrderBook(pricing, clock, instrument, depth) }),
    clock,
  });
  const look = createMarketLook({
    reads: { liquidity: async () => new Map() } as never,
    bus: { latest: () => null },
    clock,
    disabledVenues: () => ({}),
    orderBooks,
  });
  /** Executes one paper order at the market. Returns the source of its price. */
  const execute = async (): Promise<string> => {
    const { quote, depth } = await look(BTC);
    const order = orderAt(quote?.ask === null ? '1' : String(Number(quote?.ask) * 1.01));
    const fill = paperFill(order, { quote, depth, liquidityUsd: null }, COST_MODELS.spotexchange, {
      id: 'f',
      at: clock.now(),
      decisionPrice: '1',
    });
    if (fill.outcome !== 'filled') throw new Error(JSON.stringify(fill));
    return fill.fill.quotes[0]?.source ?? '';
  };

  const feed = createSpotExchangeFeed({
    streamUrl: simulator.wsUrl,
    rest: restOf(budget),
    clock,
    random: seededRandom(2),
    instruments: ['BTCUSDT'],
  });
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const pipeline = createMarketPipeline({
    clock,
    random: () => 0,
    feeds: [feed],
    instruments: () => [],
    needs: () => [],
    onCut: () => {},
    onFailure,
  });
  const books = followedBooks(feed, ['BTCUSDT']);
  ends.push(
    publishMarketStates({
      pipeline,
      extras: { books, tickers: [], serverTimes: [] },
      venues: ['spotexchange'],
      bus: states,
      clock,
      budgets: () => [],
      onFailure,
    }),
    () => pipeline.stop(),
  );
  pipeline.start();
  await drive(clock, 'the feed has a book', () => feed.book('BTCUSDT', 5)?.quality === 'live');
  expect(weights).toEqual([50]);
  // The book was not read before, so it was not passed on; the first readers share one request.
  expect(new Set(await Promise.all(Array.from({ length: 1_000 }, execute)))).toEqual(new Set(['binance:depth']));
  expect(weights).toEqual([50, 5]);
  const followed = () => states.latest(bookKey('spotexchange', 'BTCUSDT'));
  await drive(clock, 'the book is passed on', () => followed() !== null);
  for (let round = 1; round <= 40; round++) {
    const before = followed()?.receivedAt ?? 0;
    await drive(clock, 'the book has changed', () => (followed()?.receivedAt ?? 0) > before);
    await Promise.all(Array.from({ length: 100 }, execute));
  }
  expect(weights).toEqual([50, 5]);

  // Without its feed the venue is asked, once for all traders within a quote's maximum age, and within the budget for prices.
  pipeline.stop();
  await drive(clock, 'the book is too old', () => clock.now() - (followed()?.receivedAt ?? 0) > 5_000);
  for (let asks = 0; asks < 3; asks++) {
    await Promise.all(Array.from({ length: 1_000 }, execute));
    clock.advanceTo(clock.now() + 5_001);
  }
  expect(weights).toEqual([50, 5, 5, 5, 5]);
  budget.observeUsed(5_100, clock.now());
  expect((await look(BTC)).depth).toBeNull();
  expect(budget.state(clock.now()).left).toBe(900);
  expect(failures).toEqual([]);
});

const levels = (...prices: number[]) => prices.map((price) => ({ price: String(price), size: '1' }));
const book = (asks: OrderBook['asks'], edge?: BookEdge): OrderBook => ({
  source: 'test:depth',
  observedAt: NOON,
  receivedAt: NOON,
  quality: 'live',
  flags: [],
  bids: levels(99, 98),
  asks,
  ...(edge === undefined ? {} : { edge }),
});

test.each<[string, RiskApproved<Order>, boolean]>([
  ['holds more than a buy', orderAt('200', '2'), false],
  ['holds less than a buy within its limit', orderAt('200', '3'), true],
  ['is known down to the limit of a buy', orderAt('102', '3'), false],
  ['holds more than a sale', orderAt('1', '2', 'sell'), false],
  ['holds less than a sale within its limit', orderAt('1', '3', 'sell'), true],
  ['is known down to the limit of a sale', orderAt('98', '3', 'sell'), false],
])('a followed book that %s is requested from its venue if the order could exceed its known depth', async (_, order, isAsked) => {
  const asked: number[] = [];
  const orderBooks: VenueBooks = {
    read: async (_venue, _instrument, depth, least = depth) => {
      asked.push(least);
      return { ok: true, value: least === 1 ? book(levels(101, 102), { bid: '98', ask: '102' }) : book(levels(101, 102, 103)) };
    },
  };
  const clock = createVirtualClock(NOON);
  const reads = { liquidity: async () => new Map() } as never;
  const look = createMarketLook({ reads, bus: { latest: () => null }, clock, disabledVenues: () => ({}), orderBooks });
  const present = await deepEnough(look, await look(BTC), order);
  expect(asked).toEqual(isAsked ? [1, 100] : [1]);
  expect(present.depth?.asks).toHaveLength(isAsked ? 3 : 2);
  // The venue's own answer is final.
  expect(await deepEnough(look, present, order)).toBe(present);
});
