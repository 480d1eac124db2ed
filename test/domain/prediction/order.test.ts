// Orders on prediction markets: grids, limits, fees, fills compared with an independent oracle, exposure groups and settlement.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyFill, applySettlement, bookIds, emptyBook, type Fill, markBook } from '../../../src/domain/books/book.ts';
import { findCostModel } from '../../../src/domain/orders/costs.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { ledgerOfFill, ledgerOfSettlement } from '../../../src/domain/books/ledger.ts';
import { type OrderSide, completeOrder } from '../../../src/domain/orders/order.ts';
import { paperFill } from '../../../src/domain/orders/paper-fill.ts';
import { isOnGrid, type PredictionMarket, type PriceRange } from '../../../src/domain/prediction/market.ts';
import {
  closedBecause,
  compilePredictionOrder,
  depthOfOutcome,
  toExposureId,
  feeCeilingBps,
  gridPrice,
  outcomeKey,
  type PredictionWish,
  readOutcomeKey,
  restingMark,
  takenFeeUsd,
} from '../../../src/domain/prediction/prediction-order.ts';
import {
  assessOrder,
  DEFAULT_PREFERENCES,
  NO_OTHER_BOOKS,
  type RiskApproved,
  type RiskCatalog,
  type RiskContext,
} from '../../../src/domain/risk/index.ts';
import { AT, sampleEvidence, sampleMarket } from './samples.ts';

const ORG = '00000000-0000-7000-8000-00000000000a';
const BOOK = bookIds.manual(ORG);
const TAPERED: readonly PriceRange[] = [
  { start: '0', end: '0.1', step: '0.001' },
  { start: '0.1', end: '0.9', step: '0.01' },
  { start: '0.9', end: '1', step: '0.001' },
];
const market = sampleMarket('kalshi', 'KXBTC-A', { priceGrid: TAPERED });
const wish = (over: Partial<PredictionWish> = {}): PredictionWish => ({
  marketId: market.id,
  outcome: 'yes',
  side: 'buy',
  quantity: '10',
  notionalUsd: null,
  limitPrice: null,
  maxSlippageBps: null,
  ...over,
});
const TERMS = { id: 'o-1', origin: 'manual', mode: 'paper', bookId: BOOK, longestSlippageBps: 500 } as const;
const compiled = (asked: PredictionWish, bid: string, ask: string, of: PredictionMarket = market) =>
  compilePredictionOrder(of, asked, { venue: 'prediction', instrument: of.id, bid, ask, quality: 'live', flags: [] }, TERMS);

describe('the grid', () => {
  test.each([
    ['0.0995', '0.099', '0.1'],
    ['0.1', '0.1', '0.1'],
    ['0.105', '0.1', '0.11'],
    ['0.8999', '0.89', '0.9'],
    ['0.9004', '0.9', '0.901'],
    ['0.99999', '0.999', null],
    ['0.0001', null, '0.001'],
    ['0', null, '0.001'],
    ['1', '0.999', null],
  ])('%s lies between %s and %s', (price, below, above) => {
    expect([gridPrice(TAPERED, price, 'down'), gridPrice(TAPERED, price, 'up')]).toEqual([below, above]);
  });

  test('whatever the price, the neighbours are on the grid and nothing lies between', () => {
    const every = Array.from({ length: 999 }, (_, index) => index + 1)
      .map((thousandths) => plainDecimal(new Decimal(thousandths).div(1_000)))
      .filter((price) => isOnGrid(TAPERED, price));
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), (millionths) => {
        const price = plainDecimal(new Decimal(millionths).div(1_000_000));
        const below = every.filter((each) => new Decimal(each).lte(price)).at(-1) ?? null;
        const above = every.find((each) => new Decimal(each).gte(price)) ?? null;
        expect([gridPrice(TAPERED, price, 'down'), gridPrice(TAPERED, price, 'up')]).toEqual([below, above]);
      }),
    );
  });
});

describe('a request becomes an order', () => {
  test.each<[Partial<PredictionWish>, string, string, object]>([
    // Two percent above 0.55 is 0.561: the grid has 0.56.
    [{}, '0.54', '0.55', { limitPrice: '0.56', quantity: '10', notionalUsd: '5.6', side: 'buy' }],
    [{ maxSlippageBps: 50 }, '0.54', '0.55', { limitPrice: '0.55' }],
    [{ limitPrice: '0.5' }, '0.54', '0.55', { limitPrice: '0.5' }],
    // A limit beyond the budget is reduced to it.
    [{ limitPrice: '0.7' }, '0.54', '0.55', { limitPrice: '0.56' }],
    [{ side: 'sell' }, '0.54', '0.55', { limitPrice: '0.53', reduceOnly: true }],
    [{ side: 'sell', maxSlippageBps: 50 }, '0.54', '0.55', { limitPrice: '0.54' }],
    // 100 / 0.56 = 178.571…, rounded to hundredths of a contract.
    [{ quantity: null, notionalUsd: '100' }, '0.54', '0.55', { quantity: '178.57', notionalUsd: '99.9992' }],
    [{}, '0.049', '0.05', { limitPrice: '0.051' }],
  ])('%j at %s/%s', (asked, bid, ask, order) => {
    const outcome = compiled(wish(asked), bid, ask);
    expect(outcome.ok && outcome.value).toMatchObject(order);
  });

  test.each<[Partial<PredictionWish>, string]>([
    [{ quantity: '1.005' }, '$.quantity: it should be a multiple of 0.01'],
    [{ limitPrice: '0.555' }, '$.limitPrice: the market takes prices between 0 and 1'],
    [{ limitPrice: '1' }, '$.limitPrice'],
    [{ quantity: null, notionalUsd: '0.001' }, '$.notionalUsd'],
  ])('%j is refused', (asked, where) => {
    const outcome = compiled(wish(asked), '0.54', '0.55');
    expect(outcome.ok ? '' : outcome.refusal).toMatchObject({ code: 'malformed', detail: expect.stringContaining(where) });
  });

  test('less than the minimum order cannot be bought, but may be sold', () => {
    const least = { ...market, minimumSize: '5' };
    expect(compiled(wish({ quantity: '4.99' }), '0.54', '0.55', least).ok).toBe(false);
    expect(compiled(wish({ quantity: '4.99', side: 'sell' }), '0.54', '0.55', least).ok).toBe(true);
  });

  test.each([[null], [{ bid: '0.54', ask: '0.55', quality: 'stale' as const }], [{ bid: '0.54', ask: null, quality: 'live' as const }]])(
    '%j gives no price',
    (top) => {
      const quote = top === null ? null : { venue: 'prediction' as const, instrument: market.id, flags: [], ...top };
      const outcome = compilePredictionOrder(market, wish(), quote, TERMS);
      expect(outcome.ok ? [] : outcome.refusal.rejections?.map(({ code }) => code)).toEqual(['quote_not_live']);
    },
  );

  test.each<[Partial<PredictionMarket>, RegExp | null]>([
    [{}, null],
    [{ status: 'paused', providerStatus: 'inactive' }, /paused \(inactive\)/],
    [{ status: 'unknown' }, /unknown/],
    [{ closesAt: AT }, /closed at/],
    [{ closesAt: null, expectedResolutionAt: AT - 1 }, /due to resolve at/],
    [{ closesAt: null, expectedResolutionAt: null, latestResolutionAt: null }, null],
    [{ resolution: { ...market.resolution, result: 'no' } }, /resolved: no/],
    [{ fee: { model: 'unknown', rate: null, exponent: 1, roundingUsd: null } }, /does not publish the taker fee/],
  ])('a market with %j', (over, why) => {
    const said = closedBecause({ ...market, ...over }, AT);
    if (why === null) expect(said).toBeNull();
    else expect(said).toMatch(why);
  });
});

/** Book of the affirmative outcome. */
const BIDS = [
  ['0.54', '100'],
  ['0.53', '50'],
] as const;
const ASKS = [
  ['0.56', '40.5'],
  ['0.57', '20'],
  ['0.6', '500'],
] as const;
const book = sampleEvidence(market, BIDS, ASKS).book as NonNullable<ReturnType<typeof sampleEvidence>['book']>;

function filledBy(side: OrderSide, outcome: 'yes' | 'no', quantity: string, limitPrice: string) {
  const order = completeOrder({
    id: 'o-1',
    origin: 'manual',
    mode: 'paper',
    bookId: BOOK,
    instrument: outcomeKey(market.id, outcome),
    side,
    quantity,
    limitPrice,
    maxSlippageBps: 500,
  });
  return paperFill(
    order as RiskApproved,
    { quote: null, depth: depthOfOutcome(book, outcome), liquidityUsd: null },
    findCostModel(order.instrument),
    {
      id: 'f-1',
      at: AT,
      decisionPrice: limitPrice,
      feeUsdOf: (parts) => takenFeeUsd(market.fee, parts),
    },
  );
}

/** Returns the notional without the rounding of an average price over several levels. */
const paid = (filled: ReturnType<typeof filledBy>): string =>
  filled.outcome === 'no_fill' ? '' : new Decimal(filled.fill.notionalUsd).toDecimalPlaces(12).toFixed();

describe('a fill on paper', () => {
  // By hand: 40.5 at 0.56 and 9.5 at 0.57; fees 0.07 x n x p x (1 - p), each rounded up to a cent: 0.70 and 0.17.
  test('walks the levels of the outcome, at the fee of the provider', () => {
    const filled = filledBy('buy', 'yes', '50', '0.57');
    expect(filled).toMatchObject({
      outcome: 'filled',
      fill: { quantity: '50', notionalUsd: '28.095', fillPrice: '0.5619', feeUsd: '0.87' },
    });
  });

  test('stops at its limit, and says that it is partial', () => {
    const partial = filledBy('buy', 'yes', '100', '0.57');
    expect(partial).toMatchObject({ outcome: 'partially_filled', fill: { quantity: '60.5' } });
    expect(paid(partial)).toBe('34.08');
    expect(filledBy('buy', 'yes', '1', '0.55')).toMatchObject({ outcome: 'no_fill', reason: 'limit_price_passed' });
  });

  // NO is bought where YES has bids: 100 at 1 - 0.54.
  test('of the other outcome mirrors the book', () => {
    const bought = filledBy('buy', 'no', '120', '0.47');
    expect(bought).toMatchObject({ outcome: 'filled', fill: { quantity: '120' } });
    expect(paid(bought)).toBe('55.4');
    expect(filledBy('sell', 'no', '50', '0.43')).toMatchObject({ outcome: 'filled', fill: { quantity: '50', notionalUsd: '21.905' } });
  });

  test('costs no more in fees than risk assumed', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 60_000 }),
        fc.integer({ min: 1, max: 99 }),
        fc.constantFrom('yes' as const, 'no' as const),
        (hundredths, cents, outcome) => {
          const limit = plainDecimal(new Decimal(cents).div(100));
          const quantity = plainDecimal(new Decimal(hundredths).div(100));
          const filled = filledBy('buy', outcome, quantity, limit);
          if (filled.outcome !== 'filled') return;
          const notional = new Decimal(quantity).times(limit);
          const ceiling = notional
            .times(feeCeilingBps(market.fee, { quantity, limitPrice: limit, notionalUsd: plainDecimal(notional) }))
            .div(10_000);
          expect(ceiling.gte(filled.fill.feeUsd), `${ceiling.toFixed()} >= ${filled.fill.feeUsd}`).toBe(true);
        },
      ),
    );
  });

  test('an unknown fee is never treated as free', () => {
    expect(() => takenFeeUsd({ model: 'unknown', rate: null, exponent: 1, roundingUsd: null }, [{ price: '0.5', size: '1' }])).toThrow();
    expect(takenFeeUsd({ model: 'none', rate: null, exponent: 1, roundingUsd: null }, [{ price: '0.5', size: '1' }])).toBe('0');
  });
});

describe('exposure', () => {
  const group = (mutuallyExclusive: boolean | null) => ({ id: 'pe-1', providerId: 'E', title: '', mutuallyExclusive });
  test('mutually exclusive markets are one group; so are those of unknown relation', () => {
    expect(toExposureId({ id: 'pm-1', event: group(true) })).toBe('pe-1');
    expect(toExposureId({ id: 'pm-1', event: group(null) })).toBe('pe-1');
    expect(toExposureId({ id: 'pm-1', event: group(false) })).toBe('pm-1');
    expect(toExposureId({ id: 'pm-1', event: null })).toBe('pm-1');
  });

  const other = sampleMarket('kalshi', 'KXBTC-B');
  const holding = (id: string, outcome: 'yes' | 'no') => ({
    instrument: outcomeKey(id, outcome),
    quantity: '1000',
    costUsd: '500',
    openedAt: AT,
  });
  const assessed = (held: ReturnType<typeof holding>, catalog?: RiskCatalog) => {
    const instrument = outcomeKey(market.id, 'yes');
    const order = completeOrder({ ...TERMS, instrument, side: 'buy', quantity: '1000', limitPrice: '0.5', maxSlippageBps: 200 });
    const state = { ...emptyBook(BOOK, 'paper', '2000'), cashUsd: '1500', holdings: [held] };
    const context: RiskContext<'prediction'> = {
      at: AT,
      quote: { venue: 'prediction', instrument: instrument.slice(11), bid: '0.49', ask: '0.5', observedAt: AT, quality: 'live', flags: [] },
      reference: { required: false, observed: null },
      liquidityUsd: null,
      mandate: { ...DEFAULT_PREFERENCES, maxUnderlyingWeightPct: 30 },
      book: markBook(state, new Map([[held.instrument, '0.5']]), AT),
      others: NO_OTHER_BOOKS,
      halt: 'none',
      disabledFeature: null,
      feeBps: 0,
    };
    const verdict = assessOrder(order as never, context as never, catalog);
    return verdict.attribution.rejections.map(({ code }) => code);
  };

  test('the other outcome of the same market duplicates the underlying, whatever else is known', () => {
    expect(assessed(holding(market.id, 'no'))).toEqual(['duplicate_underlying_breach']);
    expect(assessed(holding(other.id, 'yes'))).toEqual([]);
  });

  test('so does a market of the same event, if the two exclude each other', () => {
    const grouped: RiskCatalog = {
      byKey: (key) => (readOutcomeKey(key) === null ? undefined : { underlying: 'prediction:pe-1', token: null, benchmarkKind: null }),
    };
    expect(assessed(holding(other.id, 'yes'), grouped)).toEqual(['duplicate_underlying_breach']);
  });
});

describe('settlement', () => {
  const key = outcomeKey(market.id, 'yes');
  const fill = (filledBy('buy', 'yes', '50', '0.57') as { fill: Fill }).fill;
  const held = applyFill(emptyBook(BOOK, 'paper', '1000'), fill);

  test.each([
    ['1', '1021.035', '21.905'],
    ['0', '971.035', '-28.095'],
    ['0.5', '996.035', '-3.095'],
  ])('a payout of %s leaves %s in cash', (payout, cashUsd, realizedPnlUsd) => {
    const settlement = { bookId: BOOK, instrument: key, quantity: '50', payout, at: AT };
    expect(applySettlement(held, settlement)).toMatchObject({ cashUsd, realizedPnlUsd, holdings: [], feesUsd: '0.87' });
    const sums = new Map<string, Decimal>();
    for (const { asset, amount } of [...ledgerOfFill(fill).legs, ...ledgerOfSettlement(settlement).legs])
      sums.set(asset, (sums.get(asset) ?? new Decimal(0)).plus(amount));
    expect([...sums.values()].every((sum) => sum.isZero())).toBe(true);
  });

  test('only for held contracts, and never above a dollar', () => {
    expect(() => applySettlement(held, { bookId: BOOK, instrument: key, quantity: '49', payout: '1', at: AT })).toThrow();
    expect(() => applySettlement(held, { bookId: BOOK, instrument: key, quantity: '50', payout: '1.01', at: AT })).toThrow();
  });

  test('an unquoted position is worth its payout, its listed bid, or nothing', () => {
    const listed = (over: Partial<PredictionMarket>, bid: string | null, payout: string | null): PredictionMarket => ({
      ...market,
      ...over,
      outcomes: [{ ...market.outcomes[0], bid, payout }, market.outcomes[1]],
    });
    expect(restingMark(listed({}, '0.4', null), 'yes', AT)).toBe('0.4');
    expect(restingMark(listed({}, '0.4', null), 'yes', AT + 61_000)).toBe('0');
    expect(restingMark(listed({ status: 'closed' }, '0.4', null), 'yes', AT)).toBe('0');
    expect(restingMark(listed({ status: 'resolved' }, null, '1'), 'yes', AT + 9e9)).toBe('1');
  });
});
