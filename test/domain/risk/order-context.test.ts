// Inputs of risk are assembled in one place: the same facts give the same context for every caller.
import { expect, test } from 'vitest';
import { emptyBook, markBook } from '../../../src/domain/books/book.ts';
import { sizeOrder } from '../../../src/domain/orders/order.ts';
import {
  ALL_ENABLED,
  assessOrder,
  DEFAULT_PREFERENCES,
  decideHalt,
  knownLiquidity,
  NO_OTHER_BOOKS,
  observedMarket,
  orderContext,
  POOL_LIQUIDITY_MAX_AGE_MS,
  presentMarket,
  type TradingControl,
  UNCONTROLLED,
} from '../../../src/domain/risk/index.ts';
import { createFeedCounters } from '../../../streams/feed-counters.ts';
import { createFreshness } from '../../../streams/quality/freshness.ts';
import { createMarketView } from '../../../streams/market-view.ts';
import { observe } from '../../../streams/slot-cut.ts';
import { product } from '../../rooms/source.ts';

const AT = Date.UTC(2026, 2, 2, 14, 31);
const AAPLX = 'spotchain:AAPLx';
const quote = { venue: 'spotchain', instrument: 'AAPLx', bid: '199.9', ask: '200', observedAt: AT, quality: 'live', flags: [] } as const;

function verdictUnder(control: TradingControl, side: 'buy' | 'sell', mode: 'paper' | 'live') {
  const order = sizeOrder({
    id: 'order',
    origin: 'proposal',
    mode,
    bookId: 'book',
    instrument: AAPLX,
    side,
    touch: side === 'buy' ? '200' : '199.9',
    maxSlippageBps: 0,
    notionalUsd: '1000',
    heldQuantity: '3',
  });
  if (order === null) throw new Error('the sample order is less than a lot');
  const holdings = [{ instrument: AAPLX, quantity: '3', costUsd: '600', openedAt: AT }] as const;
  const book = markBook({ ...emptyBook('book', mode, '10000'), holdings }, new Map([[AAPLX, '199.95']]), AT);
  const market = presentMarket({ at: AT, quote, reference: null, liquidity: { liquidityUsd: '1000000', observedAt: AT } });
  const context = orderContext(order, {
    market,
    readsReference: false,
    agent: null,
    preferences: DEFAULT_PREFERENCES,
    book,
    others: NO_OTHER_BOOKS,
    control,
  });
  return assessOrder(order, context).attribution.rejections.map(({ code }) => code);
}

test('a pool’s liquidity has the same maximum age at a tick, live and in a replay', () => {
  const view = createMarketView({ freshness: createFreshness(), counters: createFeedCounters() });
  view.apply({
    kind: 'pool_liquidity',
    venue: 'spotchain',
    instrument: 'AAPLx',
    source: 'test:pools',
    observedAt: AT,
    receivedAt: AT,
    liquidityUsd: '7',
  });
  const relations = { key: AAPLX, underlying: 'AAPL', benchmark: null, benchmarkKind: null, pairedPerp: null, pairedSpot: null } as const;
  const received = view.instrument(AAPLX)?.liquidity ?? null;
  for (const age of [0, 200_000, POOL_LIQUIDITY_MAX_AGE_MS, POOL_LIQUIDITY_MAX_AGE_MS + 1]) {
    const known = age <= POOL_LIQUIDITY_MAX_AGE_MS ? '7' : null;
    const observed = observedMarket(observe(relations, AT + age, 'REGULAR', view, {}));
    const present = presentMarket({ at: AT + age, quote: null, reference: null, liquidity: received });
    expect([observed.liquidityUsd, present.liquidityUsd, knownLiquidity(received, AT + age)], `${age} ms`).toEqual([known, known, known]);
  }
});

test.each([
  [{ decidedEpoch: 3, epoch: 3, paused: false, closes: false }, 'none'],
  [{ decidedEpoch: 3, epoch: 4, paused: false, closes: false }, 'all'],
  [{ decidedEpoch: 3, epoch: 4, paused: false, closes: true }, 'all'],
  [{ decidedEpoch: 3, epoch: 3, paused: true, closes: false }, 'all'],
  [{ decidedEpoch: 3, epoch: 3, paused: true, closes: true }, 'entries'],
] as const)('%o is a halt of %s', (facts, halt) => {
  expect(decideHalt(facts)).toBe(halt);
});

test('the pure function alone refuses halted or disabled trading', () => {
  expect(verdictUnder(UNCONTROLLED, 'buy', 'live')).toEqual([]);
  expect(verdictUnder({ halt: 'entries', disabled: ALL_ENABLED }, 'buy', 'live')).toEqual(['halted']);
  expect(verdictUnder({ halt: 'entries', disabled: ALL_ENABLED }, 'sell', 'live')).toEqual([]);
  expect(verdictUnder({ halt: 'all', disabled: ALL_ENABLED }, 'sell', 'live')).toEqual(['halted']);
  const disabled = { spotchain: 'SPOTCHAIN_RPC_URL' };
  expect(verdictUnder({ halt: 'none', disabled }, 'sell', 'live')).toEqual(['feature_disabled']);
  // The disabled setting concerns the venue; a paper book does not need it.
  expect(verdictUnder({ halt: 'none', disabled }, 'buy', 'paper')).toEqual([]);
  expect(verdictUnder({ halt: 'none', disabled: { evmvenue: 'live orders on evmvenue' } }, 'buy', 'live')).toEqual([]);
});

test('only one function assembles the context of risk', () => {
  const makers = product.filter(({ path, code }) => !path.startsWith('src/domain/risk/') && /\bdisabledFeature\s*:/.test(code));
  expect(makers.map(({ path }) => path)).toEqual([]);
});
