// Texts of every risk breach: the sentence for people and the change for programs.
import { expect, test } from 'vitest';
import {
  agentBook,
  applyFill,
  emptyBook,
  type Fill,
  markBook,
  type OpenProposal,
  type Position,
  type TradingBook,
} from '../../../src/domain/books/book.ts';
import type { Observation } from '../../../src/domain/market/cut.ts';
import { type Order, type OrderQuote, completeOrder, resized } from '../../../src/domain/orders/order.ts';
import { findExposureUnderlying } from '../../../src/domain/risk/capacity.ts';
import {
  assessOrder,
  DEFAULT_PREFERENCES,
  exposureTotals,
  type Mandate,
  combineMandate,
  NO_OTHER_BOOKS,
  observedOrderQuote,
  prepareRisk,
  type RiskContext,
} from '../../../src/domain/risk/index.ts';
import { buyBreaches, isMintTradable } from '../../../src/domain/risk/size-independent.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { sampleManifest } from '../../actors/agent/sample.ts';

const AT = Date.UTC(2026, 2, 2, 14, 31);
const AAPLX: InstrumentKey = 'spotchain:AAPLx';
const QUOTE: OrderQuote = { venue: 'spotchain', instrument: 'AAPLx', bid: '199.9', ask: '200', observedAt: AT, quality: 'live', flags: [] };

/** Returns an order of five shares at 200 dollars, or a changed one. */
function order(over: Partial<Order> = {}): Order {
  const side = over.side ?? 'buy';
  const parts = {
    id: 'order',
    origin: 'manual',
    mode: 'paper',
    bookId: 'book',
    instrument: AAPLX,
    quantity: '5',
    maxSlippageBps: 0,
  } as const;
  return completeOrder({ ...parts, limitPrice: side === 'buy' ? '200' : '199.9', ...over, side });
}

function holding(instrument: InstrumentKey, quantity: string, costUsd: string): Position {
  return { instrument, quantity, costUsd, openedAt: AT };
}

function bookOf(over: Partial<TradingBook> = {}, marks: readonly (readonly [InstrumentKey, string])[] = []) {
  return markBook({ ...emptyBook('book', 'paper', '100000'), ...over }, new Map(marks), AT);
}

const pending = (over: Partial<OpenProposal>): OpenProposal => ({
  id: 'another',
  instrument: AAPLX,
  side: 'sell',
  quantity: '2',
  notionalUsd: '400',
  ...over,
});

function context(over: Partial<RiskContext> = {}): RiskContext {
  return {
    at: AT,
    quote: QUOTE,
    reference: { required: false, observed: null },
    liquidityUsd: '1000000',
    mandate: DEFAULT_PREFERENCES,
    book: bookOf(),
    others: NO_OTHER_BOOKS,
    halt: 'none',
    disabledFeature: null,
    feeBps: 0,
    ...over,
  };
}

const mandate = (over: Partial<Mandate>): Mandate => ({ ...DEFAULT_PREFERENCES, ...over });

/** Returns the texts of an order's one breach. */
function breach(asked: Order, over: Partial<RiskContext>) {
  const { ok, attribution } = assessOrder(asked, context(over));
  expect([ok, attribution.verdict]).toEqual([attribution.rejections.length === 0, ok ? 'passed' : 'blocked']);
  expect(attribution.rejections).toHaveLength(1);
  return attribution.rejections[0];
}

const HELD = bookOf({ holdings: [holding(AAPLX, '5', '1000')] }, [[AAPLX, '200']]);

test('a halt of entries and one of everything', () => {
  const said = (words: string) => ({
    code: 'halted',
    limit: 'no halt',
    before: words,
    after: words,
    suggestion: 'lift the halt',
    change: { kind: 'lift_halt' },
  });
  expect(breach(order(), { halt: 'entries' })).toEqual(said('halt of entries'));
  expect(breach(order(), { halt: 'all' })).toEqual(said('halt of everything'));
  expect(breach(order({ side: 'sell' }), { halt: 'all', book: HELD })).toEqual(said('halt of everything'));
});

test('a feature that is off', () => {
  expect(breach(order(), { disabledFeature: 'SVC_X' })).toEqual({
    code: 'feature_disabled',
    limit: 'SVC_X on',
    before: 'SVC_X off',
    after: 'SVC_X off',
    suggestion: 'turn SVC_X on',
    change: { kind: 'enable_feature', feature: 'SVC_X' },
  });
});

test('a pool of unknown depth', () => {
  expect(breach(order(), { liquidityUsd: null })).toEqual({
    code: 'pool_liquidity_breach',
    limit: null,
    before: '0',
    after: '1000',
    suggestion: 'wait until the liquidity of spotchain:AAPLx is known',
    change: { kind: 'wait_for', what: 'pool_liquidity', instrument: AAPLX, at: null },
  });
});

test('a limit below one lot says how much must become free', () => {
  // A lot, a millionth of a share, costs 0.0002 dollars.
  expect(breach(order(), { mandate: mandate({ maxTradeNotionalUsd: '0.0001' }) })).toEqual({
    code: 'notional_limit_breach',
    limit: '0.0001',
    before: '0',
    after: '1000',
    suggestion: 'free 0.0001 US dollars of this limit before a lot fits',
    change: { kind: 'free_capacity', usd: '0.0001' },
  });
  expect(breach(order(), { mandate: mandate({ maxTradeNotionalUsd: '0.0002' }) })).toMatchObject({
    change: { kind: 'quantity', quantity: '0.000001' },
  });
});

test.each([
  [null, 'none'],
  [{ quality: 'stale', flags: ['over_age', 'session_closed'], ageMs: 7_000 } as const, 'stale, over_age, session_closed, 7000 ms old'],
])('a reference price that is not live: %j', (observed, words) => {
  const said = {
    code: 'stale_reference_feed',
    limit: 'a live reference price',
    before: words,
    after: words,
    suggestion: 'wait for a live reference price',
    change: { kind: 'wait_for', what: 'live_reference', instrument: AAPLX, at: null },
  };
  expect(breach(order(), { reference: { required: true, observed } })).toEqual(said);
  // Preferences may require it where the rules did not, but not for a sale.
  const strict = mandate({ requireLiveReference: true });
  expect(breach(order(), { reference: { required: false, observed }, mandate: strict })).toEqual(said);
  expect(assessOrder(order({ side: 'sell' }), context({ reference: { required: false, observed }, mandate: strict, book: HELD })).ok).toBe(
    true,
  );
});

function quoteWords(limit: string, now: string, instrument: InstrumentKey = AAPLX) {
  return {
    code: 'quote_not_live',
    limit,
    before: now,
    after: now,
    suggestion: `wait for a live quote of ${instrument}`,
    change: { kind: 'wait_for', what: 'live_quote', instrument, at: null },
  };
}

test('a quote that is missing, one-sided or old', () => {
  const sell = order({ side: 'sell' });
  expect(breach(order(), { quote: null })).toEqual(quoteWords('a live quote', 'none'));
  expect(breach(order(), { quote: { ...QUOTE, ask: null } })).toEqual(quoteWords('a live quote', 'live, no ask, 0 ms old'));
  expect(breach(sell, { quote: { ...QUOTE, bid: null }, book: HELD })).toEqual(quoteWords('a live quote', 'live, no bid, 0 ms old'));
  const old = { ...QUOTE, quality: 'stale', flags: ['over_age', 'feed_down'], observedAt: AT - 9_000 } as const;
  expect(breach(order(), { quote: old })).toEqual(quoteWords('a live quote', 'stale, over_age, feed_down, 9000 ms old'));
  // The other side is not checked; a price of zero is invalid, and a clock that is ahead gives no negative age.
  expect(assessOrder(order(), context({ quote: { ...QUOTE, bid: null } })).ok).toBe(true);
  expect(assessOrder(sell, context({ quote: { ...QUOTE, ask: null }, book: HELD })).ok).toBe(true);
  expect(breach(order(), { quote: { ...QUOTE, ask: '0', observedAt: AT + 50 } })).toEqual(
    quoteWords('a live quote', 'live, no ask, 0 ms old'),
  );
});

test('positions without a price: the order’s quote is named first, then the first of them', () => {
  const book = bookOf({ holdings: [holding('spotchain:TSLAx', '1', '400'), holding('spotexchange:BTCUSDT', '0.1', '6000')] });
  expect(breach(order(), { book })).toEqual(
    quoteWords('a price of every open position', 'no price of spotchain:TSLAx, spotexchange:BTCUSDT', 'spotchain:TSLAx'),
  );
  expect(breach(order(), { book, quote: { ...QUOTE, quality: 'delayed' } })).toEqual(quoteWords('a live quote', 'delayed, 0 ms old'));
  expect(breach(order(), { book, quote: { ...QUOTE, ask: null } })).toEqual(quoteWords('a live quote', 'live, no ask, 0 ms old'));
});

test('an order that is sent to another venue than its instrument is on', () => {
  const misdirected: Order = { ...order(), venue: 'evmvenue' };
  const words = (priced: string | null) => ({
    code: 'venue_mismatch',
    limit: AAPLX,
    before: priced,
    after: priced,
    suggestion: `price the order with a quote of ${AAPLX}`,
    change: { kind: 'quote_of', instrument: AAPLX },
  });
  expect(breach(misdirected, { quote: { ...QUOTE, venue: 'evmvenue' } })).toEqual(words('evmvenue:AAPLx'));
  const unpriced = assessOrder(misdirected, context({ quote: null })).attribution.rejections;
  expect(unpriced.map(({ code }) => code)).toEqual(['quote_not_live', 'venue_mismatch']);
  expect(unpriced[1]).toEqual(words(null));
});

test('more open positions than allowed', () => {
  const holdings = [holding('spotchain:TSLAx', '1', '400'), holding('spotexchange:BTCUSDT', '0.01', '600')];
  const book = bookOf({ holdings }, [
    ['spotchain:TSLAx', '400'],
    ['spotexchange:BTCUSDT', '60000'],
  ]);
  expect(breach(order(), { book, mandate: mandate({ maxOpenPositions: 1 }) })).toEqual({
    code: 'open_positions_breach',
    limit: '1',
    before: '2',
    after: '3',
    suggestion: 'close 2 of the open positions first',
    change: { kind: 'close_positions', count: 2 },
  });
});

test('a limit price beyond the slippage budget, on either side', () => {
  const budget = mandate({ maxSlippageBps: 20 });
  expect(breach(order({ limitPrice: '201' }), { mandate: budget })).toEqual({
    code: 'slippage_budget_breach',
    limit: '20',
    before: '0',
    after: '50',
    suggestion: 'buy at no more than 200.4',
    change: { kind: 'limit_price', limitPrice: '200.4' },
  });
  expect(breach(order({ side: 'sell', limitPrice: '198.9005' }), { mandate: budget, book: HELD })).toEqual({
    code: 'slippage_budget_breach',
    limit: '20',
    before: '0',
    after: '50',
    suggestion: 'sell at no less than 199.5002',
    change: { kind: 'limit_price', limitPrice: '199.5002' },
  });
});

test('a touch between two ticks: the tick beyond it is beyond the budget', () => {
  const none = mandate({ maxSlippageBps: 0 });
  const quote = { ...QUOTE, bid: '199.9000005', ask: '200.0000005' };
  const codes = (asked: Order) =>
    assessOrder(asked, context({ quote, mandate: none, book: HELD })).attribution.rejections.map(({ code }) => code);
  expect(codes(order({ limitPrice: '200' }))).toEqual([]);
  expect(codes(order({ limitPrice: '200.000001' }))).toEqual(['slippage_budget_breach']);
  expect(codes(order({ side: 'sell', limitPrice: '199.900001' }))).toEqual([]);
  expect(codes(order({ side: 'sell', limitPrice: '199.9' }))).toEqual(['slippage_budget_breach']);
});

test('what only reduces', () => {
  expect(breach(order(), { mandate: mandate({ reduceOnly: true }) })).toEqual({
    code: 'reduce_only',
    limit: 'sells only',
    before: 'buy',
    after: 'buy',
    suggestion: 'only what reduces a position is allowed',
    change: null,
  });
  const sell = order({ side: 'sell' });
  expect(breach(sell, {})).toEqual({
    code: 'reduce_only',
    limit: '0',
    before: '0',
    after: '-5',
    suggestion: 'nothing is held that could be sold',
    change: null,
  });
});

test('quantities of other pending sales of the same instrument are not sold twice', () => {
  const openProposals = [
    pending({}),
    pending({ id: 'order', quantity: '4' }),
    pending({ id: 'p3', side: 'buy', quantity: '9', notionalUsd: '1' }),
    pending({ id: 'p4', instrument: 'spotchain:TSLAx', quantity: '9' }),
  ];
  const book = bookOf({ holdings: [holding(AAPLX, '5', '1000')], openProposals }, [[AAPLX, '200']]);
  const sell = order({ side: 'sell' });
  expect(breach(sell, { book })).toEqual({
    code: 'reduce_only',
    limit: '0',
    before: '3',
    after: '-2',
    suggestion: 'sell at most 3',
    change: { kind: 'quantity', quantity: '3' },
  });
  expect(assessOrder(resized(sell, '3'), context({ book })).ok).toBe(true);
  // More is promised than held.
  const oversold = bookOf({ holdings: [holding(AAPLX, '5', '1000')], openProposals: [pending({ quantity: '7' })] }, [[AAPLX, '200']]);
  expect(breach(sell, { book: oversold })).toMatchObject({ before: '0', after: '-5', change: null });
});

test('a frame for one side has no data of the other', () => {
  const frame = (side?: 'buy' | 'sell') => prepareRisk(AAPLX, 'spotchain', context({ book: HELD }), 'order', undefined, side);
  expect(frame('sell')).toMatchObject({ capacities: [], worstBuy: null, worstSell: '189.905', availableLots: 5_000_000n });
  expect(frame('buy')).toMatchObject({ worstBuy: '210', worstSell: null, availableLots: 0n });
  expect(frame('buy').capacities.map(({ code }) => code)).toEqual(frame().capacities.map(({ code }) => code));
  expect(frame()).toMatchObject({ worstBuy: '210', worstSell: '189.905', availableLots: 5_000_000n });
});

test('an instrument outside the catalog is its own exposure, no token and without a reference', () => {
  const unlisted: InstrumentKey = 'spotexchange:DOGEUSDT';
  const others = { equityUsd: '1000', exposures: [{ instrument: unlisted, valueUsd: '900' }] };
  expect(assessOrder(order(), context({ others })).attribution).toMatchObject({ verdict: 'passed', rejections: [] });
  expect(isMintTradable(unlisted, { at: AT })).toBe(true);
  expect(buyBreaches(unlisted, context({ mandate: mandate({ requireLiveReference: true }) }), 'order')).toBe(0);
});

test('both outcomes of a prediction market are one exposure, and a name that only looks like one is not', () => {
  const catalog = { byKey: () => undefined };
  const of = (instrument: InstrumentKey) => findExposureUnderlying(catalog, instrument);
  expect([of('prediction:kalshi.x.yes'), of('prediction:kalshi.x.no')]).toEqual(['prediction:kalshi.x', 'prediction:kalshi.x']);
  expect([of('prediction:yes.no.x'), of('prediction:x.yes.no')]).toEqual(['prediction:yes.no.x', 'prediction:x.yes']);
  expect(of('spotchain:x.yes')).toBe('spotchain:x.yes');
  expect(findExposureUnderlying({ byKey: () => ({ underlying: 'X' }) as never }, 'prediction:x.yes')).toBe('X');
});

test('a book whose day has not begun has no drawdown', () => {
  const book = bookOf();
  expect(assessOrder(order(), context({ book: { ...book, state: { ...book.state, day: null, dayStartEquityUsd: null } } })).ok).toBe(true);
});

test('every limit in both manifest and preferences is the stricter of the two', () => {
  const loose = {
    maxCapitalUsd: '900',
    maxTradeNotionalUsd: '90',
    maxLeverage: '9',
    maxDailyDrawdownPct: 9,
    maxOpenPositions: 9,
    maxSlippageBps: 90,
  };
  const strict = {
    maxCapitalUsd: '100',
    maxTradeNotionalUsd: '10',
    maxLeverage: '1',
    maxDailyDrawdownPct: 1,
    maxOpenPositions: 1,
    maxSlippageBps: 10,
  };
  expect(combineMandate(sampleManifest(strict), { ...DEFAULT_PREFERENCES, ...loose }, 'paper')).toMatchObject(strict);
  expect(combineMandate(sampleManifest(loose), { ...DEFAULT_PREFERENCES, ...strict }, 'paper')).toMatchObject(strict);
  expect(combineMandate(sampleManifest(loose), { ...DEFAULT_PREFERENCES, reduceOnly: true }, 'paper', 'autonomous').reduceOnly).toBe(true);
});

test('pending purchases of other books are exposure, pending sales are none; a stand-alone book has no others', () => {
  const openProposals = [pending({ side: 'buy', notionalUsd: '300' }), pending({ id: 'p2' })];
  const books = [markBook({ ...emptyBook('other', 'paper', '1000'), openProposals }, new Map(), AT)];
  expect(exposureTotals(books, 'paper').without('own')).toEqual({ equityUsd: '1000', exposures: [{ instrument: AAPLX, valueUsd: '300' }] });
  expect(NO_OTHER_BOOKS).toEqual({ equityUsd: '0', exposures: [] });
});

test('a tick’s observation becomes the quote of an order on the same venue', () => {
  const quote = {
    bid: '1',
    ask: '2',
    mid: '1.5',
    source: 's',
    observedAt: 5,
    receivedAt: 6,
    ageMs: 7,
    quality: 'stale',
    flags: ['over_age'],
  } as NonNullable<Observation['quote']>;
  expect(observedOrderQuote({ instrument: AAPLX, quote })).toEqual({
    venue: 'spotchain',
    instrument: 'AAPLx',
    bid: '1',
    ask: '2',
    observedAt: 5,
    quality: 'stale',
    flags: ['over_age'],
  });
  expect(observedOrderQuote({ instrument: AAPLX, quote: null })).toBeNull();
});

test('of a book: a gain is no drawdown, and slippage that rounds to zero is zero', () => {
  const state = { ...emptyBook('book', 'paper', '1200'), day: AT - (AT % 86_400_000), dayStartEquityUsd: '1000' };
  expect(markBook(state, new Map(), AT).dailyDrawdownPct).toBe(0);
  expect(agentBook(state).slippageBps).toBeNull();
  expect(agentBook({ ...state, fills: 1, slippageUsd: '-0.0000000001', turnoverUsd: '1000000' }).slippageBps).toBe(0);
});

test('a fill at a price of zero or below is no fill', () => {
  const fill = { id: 'f', orderId: 'o', bookId: 'book', instrument: AAPLX, side: 'buy', quantity: '1', feeUsd: '0' } as const;
  const at = (fillPrice: string): Fill => ({
    ...fill,
    fillPrice,
    notionalUsd: fillPrice,
    decisionPrice: '1',
    slippageBps: 0,
    at: AT,
    quotes: [],
  });
  for (const price of ['0', '-5'])
    expect(() => applyFill(emptyBook('book', 'paper', '10'), at(price))).toThrow(/no positive quantity and price/);
});
