// Pre-trade risk function: one for paper and live, every venue and origin; equal to a naive reading of the rules.
import fc from 'fast-check';
import { expect, expectTypeOf, test } from 'vitest';
import { applyFill, emptyBook, type Fill, markBook, type TradingBook } from '../../../src/domain/books/book.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { type Order, type OrderQuote, resized, type SizeRequest, sizeOrder } from '../../../src/domain/orders/order.ts';
import { computeLimitCapacities } from '../../../src/domain/risk/capacity.ts';
import type { RiskCatalog } from '../../../src/domain/risk/context.ts';
import {
  assessOrder,
  DEFAULT_PREFERENCES,
  exposureTotals,
  type Mandate,
  combineMandate,
  NO_OTHER_BOOKS,
  type OtherBooks,
  RISK_CODES,
  type RiskApproved,
  type RiskContext,
  type RiskVerdict,
} from '../../../src/domain/risk/index.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { sampleManifest } from '../../actors/agent/sample.ts';
import { brokenPromise, difference } from './agreement.ts';
import { randomCases } from './random-cases.ts';

/** Mutation testing runs these hundreds of times with fewer cases. */
const CASES = Number(process.env['RANDOM_CASES'] ?? 3_000);

test(`it agrees with the naive reading on ${CASES} random orders (seed 1), and every code occurs among them`, () => {
  const next = randomCases(1);
  const seen = new Map<string, number>();
  let passed = 0;
  for (let i = 0; i < CASES; i++) {
    const each = next();
    const wrong = difference(each);
    if (wrong !== null) throw new Error(`case ${i}: ${wrong}\n${JSON.stringify(each)}`);
    const { rejections } = assessOrder(each.order, each.context).attribution;
    if (rejections.length === 0) passed++;
    for (const { code } of rejections) seen.set(code, (seen.get(code) ?? 0) + 1);
  }
  expect([...seen.keys()].sort()).toEqual([...RISK_CODES].sort());
  expect(passed).toBeGreaterThan(CASES / 60);
});

test('its suggestion passes, and one lot more fails', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 31 }), (seed) => {
      expect(brokenPromise(randomCases(seed)())).toBeNull();
    }),
    { numRuns: Math.ceil(CASES / 6), verbose: 1 },
  );
});

const AT = Date.UTC(2026, 2, 2, 14, 31);

function orderFor(over: Partial<SizeRequest> = {}): Order {
  return sizeOrder({
    id: 'order',
    origin: 'proposal',
    mode: 'paper',
    bookId: 'book',
    instrument: 'spotchain:AAPLx',
    side: 'buy',
    touch: '200',
    maxSlippageBps: 0,
    notionalUsd: '1000',
    heldQuantity: '0',
    ...over,
  }) as Order;
}

function contextFor(over: Partial<RiskContext> = {}): RiskContext {
  return {
    at: AT,
    quote: { venue: 'spotchain', instrument: 'AAPLx', bid: '199.9', ask: '200', observedAt: AT, quality: 'live', flags: [] },
    reference: { required: false, observed: null },
    liquidityUsd: '1000000',
    mandate: DEFAULT_PREFERENCES,
    book: markBook(emptyBook('book', 'paper', '10000'), new Map(), AT),
    others: NO_OTHER_BOOKS,
    halt: 'none',
    disabledFeature: null,
    feeBps: 0,
    ...over,
  };
}

const mandate = (over: Partial<Mandate>): Mandate => ({ ...DEFAULT_PREFERENCES, ...over });
const refusals = (order: Order, context: RiskContext, catalog?: RiskCatalog) => assessOrder(order, context, catalog).attribution.rejections;

test('an order within every limit passes and states the headroom', () => {
  const verdict = assessOrder(orderFor(), contextFor());
  expect(verdict.attribution).toEqual({
    verdict: 'passed',
    rejections: [],
    order: { side: 'buy', quantity: '5', limitPrice: '200', notionalUsd: '1000' },
    headroom: { quantity: '50', code: 'position_weight_breach' },
  });
  if (verdict.ok) expect(verdict.approved).toEqual(orderFor());
});

test('weight and duplicate exposure are measured over all books of the organization', () => {
  const others: OtherBooks = {
    equityUsd: '10000',
    exposures: [
      { instrument: 'spotexchange:BTCUSDT', valueUsd: '3000' },
      { instrument: 'evmvenue:BTC', valueUsd: '1500' },
      { instrument: 'evmvenue:ETH', valueUsd: '9000' },
    ],
  };
  const quote = {
    venue: 'spotexchange',
    instrument: 'BTCUSDT',
    bid: '49999',
    ask: '50000',
    observedAt: AT,
    quality: 'live',
    flags: [],
  } as const;
  const order = orderFor({ instrument: 'spotexchange:BTCUSDT', touch: '50000', notionalUsd: '2000' });
  const asked = { others, quote, mandate: mandate({ maxPositionWeightPct: 20, maxUnderlyingWeightPct: 25 }) };
  expect(refusals(order, contextFor(asked))).toEqual([
    {
      code: 'position_weight_breach',
      limit: '4000',
      before: '3000',
      after: '5000',
      suggestion: 'buy at most 0.02',
      change: { kind: 'quantity', quantity: '0.02' },
    },
    {
      code: 'duplicate_underlying_breach',
      limit: '5000',
      before: '4500',
      after: '6500',
      suggestion: 'buy at most 0.01',
      change: { kind: 'quantity', quantity: '0.01' },
    },
  ]);
});

test('an agent token counts as exposure to its paired share, whichever of them is bought', () => {
  const token: InstrumentKey = 'spotchain:HUNTER';
  const share: InstrumentKey = 'spotchain:AAPLx';
  const catalog = {
    byKey: (key: InstrumentKey) =>
      key === token ? { underlying: 'HUNTER', token: null, benchmarkKind: null, pairedStock: share } : CATALOG.byKey(key),
  };
  const held = (instrument: InstrumentKey): OtherBooks => ({ equityUsd: '10000', exposures: [{ instrument, valueUsd: '4500' }] });
  const asked = (others: OtherBooks) => contextFor({ others, mandate: mandate({ maxUnderlyingWeightPct: 25, maxPositionWeightPct: 50 }) });
  const breach = { code: 'duplicate_underlying_breach', limit: '5000', before: '4500', after: '5500' };
  expect(refusals(orderFor(), asked(held(token)), catalog)).toMatchObject([breach]);
  // Two tokens paired with the same share are one exposure too; a token without a pair is not.
  expect(computeLimitCapacities(asked(held(share)), token, 'order', catalog).map(({ code }) => code)).toContain(
    'duplicate_underlying_breach',
  );
  expect(refusals(orderFor(), asked(held(token)))).toEqual([]);
});

test('pending approvals count as used, except the order’s own proposal', () => {
  const reserve = (id: string): TradingBook => ({
    ...emptyBook('book', 'paper', '10000'),
    openProposals: [{ id, instrument: 'spotchain:TSLAx', side: 'buy', quantity: '1', notionalUsd: '9500' }],
  });
  const marked = (id: string) => ({ book: markBook(reserve(id), new Map(), AT), mandate: mandate({ maxOpenPositions: 1 }) });
  expect(refusals(orderFor(), contextFor(marked('another'))).map(({ code, before, after }) => [code, before, after])).toEqual([
    ['open_positions_breach', '1', '2'],
    ['insufficient_balance', '500', '-500'],
  ]);
  expect(refusals(orderFor(), contextFor(marked('order')))).toEqual([]);
});

test('a drawdown at the limit still buys, a micro-dollar beyond it buys nothing until the next UTC day', () => {
  const losing = (equity: string) => {
    const state: TradingBook = { ...emptyBook('book', 'paper', equity), day: AT - (AT % 86_400_000), dayStartEquityUsd: '10000' };
    return contextFor({ book: markBook(state, new Map(), AT), mandate: mandate({ maxDailyDrawdownPct: 3 }) });
  };
  expect(refusals(orderFor(), losing('9700'))).toEqual([]);
  expect(refusals(orderFor(), losing('9699.999999'))).toEqual([
    {
      code: 'daily_drawdown_breach',
      limit: '3',
      before: '3.00000001',
      after: '3.00000001',
      suggestion: 'wait for the next UTC day, which begins at 2026-03-03T00:00:00.000Z',
      change: { kind: 'wait_for', what: 'utc_day', instrument: null, at: Date.UTC(2026, 2, 3) },
    },
  ]);
});

test.each(['delayed', 'stale', 'degraded', 'halted'] as const)('a %s quote buys nothing and sells nothing', (quality) => {
  const held = applyFill(emptyBook('book', 'paper', '10000'), boughtAt('200'));
  const book = markBook(held, new Map([['spotchain:AAPLx', '200']]), AT);
  const quote = { ...(contextFor().quote as OrderQuote), quality, flags: ['over_age'] as const, observedAt: AT - 7_000 };
  for (const order of [orderFor(), orderFor({ side: 'sell', heldQuantity: '5' })]) {
    expect(refusals(order, contextFor({ book, quote }))).toEqual([
      {
        code: 'quote_not_live',
        limit: 'a live quote',
        before: `${quality}, over_age, 7000 ms old`,
        after: `${quality}, over_age, 7000 ms old`,
        suggestion: 'wait for a live quote of spotchain:AAPLx',
        change: { kind: 'wait_for', what: 'live_quote', instrument: 'spotchain:AAPLx', at: null },
      },
    ]);
  }
});

function boughtAt(fillPrice: string): Fill {
  const notionalUsd = plainDecimal(new Decimal(fillPrice).times(5));
  const fill = {
    id: 'f',
    orderId: 'o',
    bookId: 'book',
    instrument: 'spotchain:AAPLx',
    side: 'buy',
    quantity: '5',
    fillPrice,
    feeUsd: '0',
  } as const;
  return { ...fill, notionalUsd, decisionPrice: fillPrice, slippageBps: 0, at: AT, quotes: [] };
}

test('a sale passes every limit that it improves, and is bounded by the position', () => {
  const state: TradingBook = { ...applyFill(emptyBook('book', 'paper', '1000'), boughtAt('200')), day: 0, dayStartEquityUsd: '5000' };
  const book = markBook(state, new Map([['spotchain:AAPLx', '200']]), AT);
  const nothing = mandate({
    maxCapitalUsd: '0',
    maxTradeNotionalUsd: '0',
    maxOpenPositions: 0,
    maxDailyDrawdownPct: 0,
    maxPositionWeightPct: 0,
    reduceOnly: true,
  });
  const context = contextFor({ book, mandate: nothing, liquidityUsd: null, halt: 'entries' });
  const all = orderFor({ side: 'sell', touch: '199.9', heldQuantity: '5' });
  expect(assessOrder(all, context).attribution).toMatchObject({ verdict: 'passed', headroom: { quantity: '5', code: 'reduce_only' } });
  expect(refusals(resized(all, '5.000001'), context)).toMatchObject([
    { code: 'reduce_only', limit: '0', before: '5', after: '-0.000001', change: { kind: 'quantity', quantity: '5' } },
  ]);
  expect(refusals(all, { ...context, halt: 'all' }).map(({ code }) => code)).toEqual(['halted']);
});

test("another venue's quote is refused, and does not compile if the venue is known", () => {
  const order: Order<'spotchain'> = { ...orderFor(), venue: 'spotchain' };
  const foreign: OrderQuote<'spotexchange'> = {
    venue: 'spotexchange',
    instrument: 'AAPLx',
    bid: '1',
    ask: '2',
    observedAt: AT,
    quality: 'live',
    flags: [],
  };
  const own: OrderQuote<'spotchain'> = { ...foreign, venue: 'spotchain', bid: '199.9', ask: '200' };
  expect(assessOrder(order, { ...contextFor(), quote: own }).ok).toBe(true);
  // @ts-expect-error a quote of the spot exchange cannot price an order on the primary chain
  expect(assessOrder(order, { ...contextFor(), quote: foreign }).attribution.rejections).toEqual([
    {
      code: 'venue_mismatch',
      limit: 'spotchain:AAPLx',
      before: 'spotexchange:AAPLx',
      after: 'spotexchange:AAPLx',
      suggestion: 'price the order with a quote of spotchain:AAPLx',
      change: { kind: 'quote_of', instrument: 'spotchain:AAPLx' },
    },
  ]);
});

test('only the risk function makes an approved order', () => {
  const submit = (order: RiskApproved<Order>): string => order.id;
  // @ts-expect-error an order that risk has not seen goes through no client
  submit(orderFor());
  // @ts-expect-error nor does one that was changed after risk saw it
  const widened = (order: RiskApproved<Order>): string => submit(resized(order, '6'));
  const verdict = assessOrder(orderFor(), contextFor());
  expectTypeOf(verdict).toEqualTypeOf<RiskVerdict<Order>>();
  expect(verdict.ok && submit(verdict.approved)).toBe('order');
  expect(widened).toBeTypeOf('function');
});

test('paper and live, proposal and person: the answer is the same', () => {
  const said = (mode: Order['mode'], origin: Order['origin']) => {
    const { attribution } = assessOrder({ ...orderFor(), mode, origin }, contextFor({ mandate: mandate({ maxTradeNotionalUsd: '999' }) }));
    return JSON.stringify(attribution);
  };
  const answers = new Set([
    said('paper', 'proposal'),
    said('live', 'proposal'),
    said('live', 'manual'),
    said('paper', 'take'),
    said('live', 'delegated'),
  ]);
  expect(answers.size).toBe(1);
});

test('an order beyond the precision of doubles is assessed exactly', () => {
  const notionalUsd = '9007199254.740993';
  const order = { ...orderFor({ touch: '1' }), quantity: notionalUsd, notionalUsd };
  const at = (maxTradeNotionalUsd: string) =>
    refusals(order, contextFor({ mandate: mandate({ maxTradeNotionalUsd }) })).some(({ code }) => code === 'notional_limit_breach');
  expect(at('9007199254.740993')).toBe(false);
  expect(at('9007199254.740992')).toBe(true);
});

test('a malformed order is a defect', () => {
  const order = orderFor();
  for (const wrong of [
    { quantity: '5.0000001', notionalUsd: '1000.00002' },
    { quantity: '0', notionalUsd: '0' },
    { notionalUsd: '999.999999' },
    { reduceOnly: true },
    { side: 'sell' as const },
  ]) {
    expect(() => assessOrder({ ...order, ...wrong }, contextFor())).toThrow(RangeError);
  }
});

test('the mandate is the stricter of manifest and preferences; limited_live may use a tenth', () => {
  const manifest = {
    ...sampleManifest(),
    maxCapitalUsd: '25000.000001',
    maxTradeNotionalUsd: '2500',
    maxLeverage: '10',
    maxSlippageBps: 60,
  };
  expect(combineMandate(manifest, DEFAULT_PREFERENCES, 'paper')).toMatchObject({
    maxCapitalUsd: '25000.000001',
    maxTradeNotionalUsd: '2500',
    maxLeverage: '5',
    maxSlippageBps: 60,
  });
  expect(combineMandate(manifest, DEFAULT_PREFERENCES, 'limited_live').maxCapitalUsd).toBe('2500');
  expect(combineMandate(manifest, DEFAULT_PREFERENCES, 'live').maxCapitalUsd).toBe('25000.000001');
  const strict = { ...DEFAULT_PREFERENCES, maxCapitalUsd: '2000', maxSlippageBps: 10 };
  expect(combineMandate(manifest, strict, 'limited_live')).toMatchObject({ maxCapitalUsd: '2000', maxSlippageBps: 10, reduceOnly: false });
  expect(combineMandate(manifest, strict, 'live', 'risk_only').reduceOnly).toBe(true);
  expect(combineMandate(null, strict, null)).toEqual(strict);
});

test('a position without a mark counts at cost in other books; only books of the same mode count', () => {
  const book = (id: string, mode: 'paper' | 'live', marks: Map<InstrumentKey, string>) =>
    markBook({ ...applyFill(emptyBook('book', mode, '10000'), boughtAt('200')), id }, marks, AT);
  const books = [
    book('own', 'paper', new Map()),
    book('marked', 'paper', new Map([['spotchain:AAPLx', '210']])),
    book('unmarked', 'paper', new Map()),
    book('live', 'live', new Map()),
  ];
  expect(exposureTotals(books, 'paper').without('own')).toEqual({
    equityUsd: '20050',
    exposures: [{ instrument: 'spotchain:AAPLx', valueUsd: '2050' }],
  });
});

test('an order is sized in whole lots within its notional and its slippage budget', () => {
  expect(orderFor({ touch: '231.12', maxSlippageBps: 60 })).toMatchObject({
    limitPrice: '232.50672',
    quantity: '4.30095',
    notionalUsd: '999.999778',
  });
  expect(orderFor({ instrument: 'spotexchange:BTCUSDT', touch: '61234.56', maxSlippageBps: 20 })).toMatchObject({
    limitPrice: '61357.02',
    quantity: '0.01629',
  });
  expect(
    orderFor({ instrument: 'evmvenue:BTC', side: 'sell', touch: '61234.5', maxSlippageBps: 20, heldQuantity: '0.123456' }),
  ).toMatchObject({
    limitPrice: '61113',
    quantity: '0.12345',
    reduceOnly: true,
  });
  expect(sizeOrder({ ...orderFor(), touch: '200', notionalUsd: '0.0001', heldQuantity: '0' })).toBeNull();
  expect(sizeOrder({ ...orderFor(), side: 'sell', touch: '200', heldQuantity: '0' })).toBeNull();
});

test('a mint that is not valid yet, or no longer, is neither bought nor sold', () => {
  const deadline = Date.UTC(2027, 2, 12);
  const held = markBook(
    { ...emptyBook('book', 'paper', '10000'), holdings: [{ instrument: 'spotchain:SPACEX', quantity: '5', costUsd: '500' }] } as never,
    new Map([['spotchain:SPACEX', '100']]),
    AT,
  );
  const assessed = (at: number, side: 'buy' | 'sell') => {
    const order = orderFor({ instrument: 'spotchain:SPACEX', side, touch: '100', notionalUsd: '100', heldQuantity: '5' });
    const quote = { venue: 'spotchain', instrument: 'SPACEX', bid: '100', ask: '100', observedAt: at, quality: 'live', flags: [] } as const;
    return assessOrder(order, contextFor({ at, quote, book: held })).attribution.rejections;
  };
  for (const side of ['buy', 'sell'] as const) {
    expect(assessed(deadline - 1, side)).toEqual([]);
    expect(assessed(deadline, side)).toEqual([
      {
        code: 'halted',
        limit: 'a mint that is valid now',
        before: 'the mint of spotchain:SPACEX is not',
        after: 'the mint of spotchain:SPACEX is not',
        suggestion: null,
        change: null,
      },
    ]);
  }
});
