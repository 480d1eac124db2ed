/** Random, seeded worlds and orders, with limits on, just below and just above what the order needs. */
import { applyFill, emptyBook, type MarkedBook, markBook, type OpenProposal, type TradingBook } from '../../../src/domain/books/book.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { findMarketStep, computePriceStep } from '../../../src/domain/market/market-step.ts';
import { type Order, completeOrder } from '../../../src/domain/orders/order.ts';
import { QUALITIES, type Quality } from '../../../src/domain/market/quote.ts';
import { DEFAULT_PREFERENCES, type Mandate, type RiskContext } from '../../../src/domain/risk/index.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../../../src/domain/market/venue.ts';
import { seededRandom } from '../random-fills.ts';

export interface RiskCase {
  readonly order: Order;
  readonly context: RiskContext;
}

const PRICES: Readonly<Record<InstrumentKey, number>> = {
  'spotexchange:BTCUSDT': 61_234.56,
  'spotexchange:ETHUSDT': 3_101.07,
  'spotexchange:SOLUSDT': 141.33,
  'evmvenue:BTC': 61_250.5,
  'evmvenue:ETH': 3_100.25,
  'evmvenue:SOL': 141.4321,
  'spotchain:AAPLx': 231.123457,
  'spotchain:TSLAx': 402.000001,
  'spotchain:SPACEX': 612.5,
};
const INSTRUMENTS = Object.keys(PRICES) as InstrumentKey[];
const AT = Date.UTC(2026, 2, 2, 14, 31);
const MICRO = '0.000001';

/** Creates a generator of cases. Sizes span ten orders of magnitude, some beyond what doubles hold exactly. */
export function randomCases(seed: number): () => RiskCase {
  const random = seededRandom(seed);
  const below = (limit: number): number => Math.floor(random() * limit);
  const chance = (part: number): boolean => random() < part;
  const oneOf = <Item>(items: readonly Item[]): Item => items[below(items.length)] as Item;
  /** Returns a number of lots, evenly distributed over magnitudes. */
  const lots = (most: number): number => 1 + Math.floor(most ** random() - 1);
  const steps = (count: number, step: string): string => plainDecimal(new Decimal(count).times(step));
  const priceOf = (instrument: InstrumentKey): string => {
    const price = plainDecimal((PRICES[instrument] as number) * (0.8 + 0.4 * random()));
    const step = computePriceStep(instrument, price);
    return plainDecimal(new Decimal(price).div(step).floor().times(step));
  };

  function someBook(): TradingBook {
    const scale = 10 ** (3 + below(9));
    let state = emptyBook('book', 'paper', String(scale));
    for (let i = below(4); i > 0; i--) {
      const instrument = oneOf(INSTRUMENTS);
      const fillPrice = priceOf(instrument);
      const { lot } = findMarketStep(instrument);
      const quantity = plainDecimal(new Decimal(scale * random() * 0.4).div(fillPrice).div(lot).floor().plus(1).times(lot));
      const notionalUsd = plainDecimal(new Decimal(quantity).times(fillPrice));
      const feeUsd = plainDecimal(new Decimal(notionalUsd).times('0.0007'));
      const fill = {
        id: `f${i}`,
        orderId: 'o',
        bookId: 'book',
        instrument,
        side: 'buy',
        quantity,
        fillPrice,
        feeUsd,
        notionalUsd,
      } as const;
      state = applyFill(state, { ...fill, decisionPrice: fillPrice, slippageBps: 0, at: AT, quotes: [] });
    }
    const openProposals = Array.from({ length: below(3) }, (_, index): OpenProposal => {
      const instrument = oneOf(INSTRUMENTS);
      const quantity = steps(lots(10_000), findMarketStep(instrument).lot);
      const notionalUsd = plainDecimal(new Decimal(quantity).times(priceOf(instrument)).toDecimalPlaces(6, Decimal.ROUND_CEIL));
      return { id: chance(0.3) ? 'order' : `p${index}`, instrument, side: chance(0.7) ? 'buy' : 'sell', quantity, notionalUsd };
    });
    const begun = chance(0.8)
      ? { day: AT - (AT % 86_400_000), dayStartEquityUsd: plainDecimal(new Decimal(state.capitalUsd).times(0.9 + 0.25 * random())) }
      : {};
    return { ...state, ...begun, openProposals };
  }

  function marksOf(state: TradingBook): Map<InstrumentKey, string> {
    const marks = new Map<InstrumentKey, string>();
    for (const { instrument } of state.holdings) if (!chance(0.02)) marks.set(instrument, priceOf(instrument));
    return marks;
  }

  /** Returns the value, a micro-dollar to either side of it, or anything. */
  const near = (value: Decimal, anywhere: Decimal): string => {
    const aimed = value.toDecimalPlaces(6, Decimal.ROUND_CEIL);
    const chosen = [aimed, aimed.minus(MICRO), aimed.plus(MICRO), anywhere.toDecimalPlaces(6)][below(4)] as Decimal;
    return plainDecimal(Decimal.max(0, chosen));
  };

  let world: { readonly state: TradingBook; readonly book: MarkedBook } | null = null;
  let orders = 0;
  return () => {
    // A book is expensive to create; a few orders share each.
    if (world === null || orders++ % 4 === 0) {
      const made = someBook();
      world = { state: made, book: markBook(made, marksOf(made), AT) };
    }
    const { state, book } = world;
    const held = state.holdings.length > 0 && chance(0.6) ? oneOf(state.holdings) : undefined;
    const instrument = held?.instrument ?? oneOf(INSTRUMENTS);
    const { venue, instrument: name } = splitInstrumentKey(instrument);
    const { lot } = findMarketStep(instrument);
    const sells = held !== undefined && chance(0.4);
    const bid = priceOf(instrument);
    const tick = computePriceStep(instrument, bid);
    const ask = plainDecimal(new Decimal(bid).plus(steps(1 + below(30), tick)));
    const budget = oneOf([0, 1, 5, 12.5, 20, 60.01, 500]);
    const touch = new Decimal(sells ? bid : ask);
    const beyond = touch.times(budget).div(10_000);
    const worst = sells ? touch.minus(beyond).div(tick).ceil() : touch.plus(beyond).div(tick).floor();
    const limitPrice = plainDecimal(Decimal.max(1, worst.plus(below(5) - 2)).times(tick));
    const heldLots = held === undefined ? 0 : new Decimal(held.quantity).div(lot).toNumber();
    const wanted = sells ? Math.max(1, heldLots - 1 + below(3)) : lots(10 ** (2 + below(12)));
    const order = completeOrder({
      id: 'order',
      origin: oneOf(['proposal', 'manual', 'take', 'delegated']),
      mode: 'paper',
      bookId: 'book',
      instrument,
      side: sells ? 'sell' : 'buy',
      quantity: steps(wanted, lot),
      limitPrice,
      maxSlippageBps: budget,
    });
    const notional = new Decimal(order.notionalUsd);
    const anywhere = notional.times(3 * random());
    const equity = new Decimal(book.equityUsd ?? state.capitalUsd);
    const exposures = Array.from({ length: below(4) }, () => ({
      instrument: oneOf(INSTRUMENTS),
      valueUsd: plainDecimal(notional.times(random()).toDecimalPlaces(9)),
    }));
    const bound = state.holdings.reduce((total, { costUsd }) => total.plus(costUsd), new Decimal(0));
    const mandate: Mandate = {
      ...DEFAULT_PREFERENCES,
      maxCapitalUsd: near(bound.plus(notional), anywhere.times(4)),
      maxTradeNotionalUsd: near(notional, anywhere),
      maxLeverage: oneOf(['1', '0.5', '2', '3', '7.5', '100']),
      maxDailyDrawdownPct: oneOf([0, 1, 2.5, 5, 10, 33.3333]),
      maxOpenPositions: below(5),
      maxSlippageBps: budget,
      maxPositionWeightPct: oneOf([100, 25, 33.3333, 7.77, 250]),
      maxUnderlyingWeightPct: oneOf([100, 30, 12.5]),
      maxPoolSharePct: oneOf([5, 2.5, 0.1, 100]),
      requireLiveReference: chance(0.2),
      reduceOnly: chance(0.03),
    };
    const quality: Quality = chance(0.9) ? 'live' : oneOf(QUALITIES);
    const elsewhere = chance(0.04) ? splitInstrumentKey(oneOf(INSTRUMENTS)) : { venue, instrument: name };
    const context: RiskContext = {
      at: AT,
      quote: chance(0.03)
        ? null
        : {
            venue: elsewhere.venue as ExecutableVenue,
            instrument: elsewhere.instrument,
            bid: chance(0.02) ? null : bid,
            ask: chance(0.02) ? null : ask,
            observedAt: AT - below(9_000),
            quality,
            flags: quality === 'live' ? [] : ['over_age'],
          },
      reference: {
        required: chance(0.2),
        observed: chance(0.1) ? null : { quality: chance(0.8) ? 'live' : 'stale', flags: [], ageMs: below(20_000) },
      },
      liquidityUsd: chance(0.05) ? null : near(notional.times(100).div(mandate.maxPoolSharePct), anywhere.times(40)),
      mandate,
      book,
      others: { equityUsd: near(Decimal.max(0, notional.times(100).div(mandate.maxPositionWeightPct).minus(equity)), anywhere), exposures },
      halt: chance(0.95) ? 'none' : oneOf(['entries', 'all']),
      disabledFeature: chance(0.97) ? null : 'SVC_LIVE_SPOTEXCHANGE_ENABLED',
      feeBps: oneOf([0, 10, 4.5, 2.25, -1]),
    };
    return { order, context };
  };
}
