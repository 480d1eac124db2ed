/** Live orders with the exchange's simulator, over sockets, on virtual time. */
import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WeightBudget } from '../../../../src/adapters/venues/request-budget.ts';
import { fillsOfTrades } from '../../../../src/adapters/venues/spotexchange/order-answers.ts';
import { createSpotOrders, type SpotOrders } from '../../../../src/adapters/venues/spotexchange/orders.ts';
import { createSpotRest } from '../../../../src/adapters/venues/spotexchange/rest.ts';
import { type SpotCredentials, signWithKey, spotSigner } from '../../../../src/adapters/venues/spotexchange/spot-signer.ts';
import { fetchTrades } from '../../../../src/adapters/venues/spotexchange/trades.ts';
import type { VenueHttp } from '../../../../src/adapters/venues/venue-http.ts';
import { applyFill, emptyBook, type Fill, markBook } from '../../../../src/domain/books/book.ts';
import { deriveClientOrderId } from '../../../../src/domain/orders/exchange-request.ts';
import type { VenueAnswer } from '../../../../src/domain/orders/execution.ts';
import { completeOrder, isOrderOn, type Order, sumFills } from '../../../../src/domain/orders/order.ts';
import { assessOrder, combineMandate, DEFAULT_PREFERENCES, NO_OTHER_BOOKS, type RiskApproved } from '../../../../src/domain/risk/index.ts';
import { Decimal, plainDecimal } from '../../../../src/domain/values/decimal.ts';
import { seededRandom } from '../../../../src/sandbox/faults.ts';
import { createSpotExchangeSimulator, type SpotExchangeSimulator } from '../../../../src/sandbox/spotexchange/simulator.ts';
import { timeLeft } from '../../../../streams/clock/clock.ts';
import { createVirtualClock, type VirtualClock } from '../../../../streams/clock/virtual-clock.ts';
import { createUnknownFields, type UnknownFields } from '../../../../streams/feed-counters.ts';
import { NOON, tinyMarket, until } from './tiny-world.ts';

const CREDENTIALS: SpotCredentials = { key: 'ours', secret: 'aSharedSecret' };
const BOOK = 'agent:00000000-0000-7000-8000-000000000001:live';
const LEASE_MS = 2_000;
const ORG = '00000000-0000-7000-8000-000000000001';

let clock: VirtualClock;
let simulator: SpotExchangeSimulator;
let rest: VenueHttp;
let orders: SpotOrders;
let unknown: UnknownFields;
const closing: (() => void)[] = [];

function open(credentials: SpotCredentials = CREDENTIALS, baseUrl = simulator.url, orderLimit = 100): SpotOrders {
  const weight = new WeightBudget(6_000);
  const reads = createSpotRest({ baseUrl, clock, random: seededRandom(1), budget: weight, note: unknown.note });
  const budgets = { weight, orders: new WeightBudget(orderLimit, 10_000), dayOrders: new WeightBudget(200_000, 86_400_000) };
  const sign = signWithKey(credentials);
  const made = createSpotOrders({ baseUrl, rest: reads, sign, clock, budgetsOf: () => budgets, note: unknown.note });
  closing.push(() => {
    made.close();
    reads.close();
  });
  return made;
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const ED25519 = { key: 'edwards', secret: privateKey.export({ format: 'pem', type: 'pkcs8' }).toString() };

beforeEach(async () => {
  clock = createVirtualClock(NOON);
  unknown = createUnknownFields();
  simulator = await createSpotExchangeSimulator({
    market: tinyMarket(),
    clock,
    port: 0,
    seed: 3,
    keys: [
      CREDENTIALS,
      { key: 'readonly', secret: 'reads', mayTrade: false },
      { key: 'edwards', publicKey: publicKey.export({ format: 'pem', type: 'spki' }).toString() },
    ],
  });
  rest = createSpotRest({ baseUrl: simulator.url, clock, random: seededRandom(1) });
  orders = open();
});

afterEach(async () => {
  for (const close of closing.splice(0)) close();
  rest.close();
  await simulator.close();
  expect(unknown.rows(), 'members that nobody knows').toEqual([]);
});

interface Top {
  readonly bid: string;
  readonly ask: string;
}

async function top(symbol = 'BTCUSDT'): Promise<Top> {
  const { bids, asks } = (await rest.get('/api/v3/depth', { symbol, limit: 5 }, 5)) as {
    bids: [string, string][];
    asks: [string, string][];
  };
  return { bid: plainDecimal(bids[0]?.[0] as string), ask: plainDecimal(asks[0]?.[0] as string) };
}

let made = 0;
/** Creates an order approved by risk, at the budget's worst price. */
async function approved(
  parts: { side?: 'buy' | 'sell'; quantity?: string; limitPrice?: string; held?: string } = {},
): Promise<RiskApproved<Order<'spotexchange'>>> {
  const { side = 'buy', quantity = '0.01', held = '0' } = parts;
  const { bid, ask } = await top();
  const touch = side === 'buy' ? ask : bid;
  const limitPrice = parts.limitPrice ?? plainDecimal(new Decimal(touch).times(side === 'buy' ? '1.002' : '0.998').toDecimalPlaces(2));
  const order = completeOrder({
    id: `order-${++made}`,
    origin: 'proposal',
    mode: 'live',
    bookId: BOOK,
    instrument: 'spotexchange:BTCUSDT',
    side,
    quantity,
    limitPrice,
    maxSlippageBps: 10_000,
  });
  if (!isOrderOn(order, 'spotexchange')) throw new Error('an order of the exchange was asked for');
  const book = emptyBook(BOOK, 'live', '100000000');
  const verdict = assessOrder(order, {
    at: clock.now(),
    quote: { venue: 'spotexchange', instrument: 'BTCUSDT', bid, ask, observedAt: clock.now(), quality: 'live', flags: [] },
    reference: { required: false, observed: null },
    liquidityUsd: null,
    mandate: {
      ...combineMandate(null, DEFAULT_PREFERENCES, null),
      maxTradeNotionalUsd: '100000000',
      maxCapitalUsd: '100000000',
      maxSlippageBps: 10_000,
      maxPositionWeightPct: 100,
      maxUnderlyingWeightPct: 100,
    },
    book: markBook(
      held === '0' ? book : { ...book, holdings: [{ instrument: order.instrument, quantity: held, costUsd: '1', openedAt: clock.now() }] },
      new Map([[order.instrument, bid]]),
      clock.now(),
    ),
    others: NO_OTHER_BOOKS,
    halt: 'none',
    disabledFeature: null,
    feeBps: 10,
  });
  if (!verdict.ok) throw new Error(`risk: ${JSON.stringify(verdict.attribution.rejections)}`);
  return verdict.approved;
}

const leaseOf = (ms: number) => ({ leaseUntil: clock.now() + ms, leaseLeftMs: timeLeft(clock, ms) });

async function infoOf(order: Order, key = order.id) {
  const { bid, ask } = await top();
  const quote = { source: 'test:top', observedAt: clock.now(), bid, ask };
  return { orgId: ORG, key, quote, decisionPrice: order.side === 'buy' ? ask : bid, ...leaseOf(LEASE_MS) };
}

async function submit(order: RiskApproved<Order<'spotexchange'>>, through = orders): Promise<VenueAnswer> {
  return through.submit(order, (await infoOf(order)) as never);
}

const fillsOf = (answer: VenueAnswer): readonly Fill[] => ('fills' in answer ? answer.fills : []);
const balance = (asset: string): Decimal => new Decimal(simulator.account.balances().find((each) => each.asset === asset)?.free ?? '0');

/** Returns the change of an account's balances by its book. */
function moved(fills: readonly Fill[]): { readonly base: Decimal; readonly usd: Decimal } {
  let [base, usd] = [new Decimal(0), new Decimal(0)];
  for (const { side, quantity, notionalUsd, feeUsd } of fills) {
    base = side === 'buy' ? base.plus(quantity) : base.minus(quantity);
    usd = (side === 'buy' ? usd.minus(notionalUsd) : usd.plus(notionalUsd)).minus(feeUsd);
  }
  return { base, usd };
}

describe('an order', () => {
  test('is filled within its limit, and the book moves like the account', async () => {
    const before = balance('USDT');
    const bought = await submit(await approved({ quantity: '0.01' }));
    expect(bought.outcome).toBe('filled');
    const [fill] = fillsOf(bought);
    expect(fill).toMatchObject({ bookId: BOOK, side: 'buy', instrument: 'spotexchange:BTCUSDT', quotes: [{ source: 'test:top' }] });
    const { base, usd } = moved(fillsOf(bought));
    expect(usd.eq(balance('USDT').minus(before))).toBe(true);
    // 0.1 % commission was deducted from the purchase.
    expect(base.toString()).toBe('0.00999');
    expect(balance('BTC').toString()).toBe('0.00999');

    const sold = await submit(await approved({ side: 'sell', quantity: '0.00999', held: '0.00999' }));
    expect(sold.outcome).toBe('filled');
    expect(balance('BTC').isZero()).toBe(true);
    const all = moved([...fillsOf(bought), ...fillsOf(sold)]);
    expect(all.base.isZero()).toBe(true);
    expect(all.usd.eq(balance('USDT').minus(before))).toBe(true);
  });

  test('signed with Ed25519 is accepted too', async () => {
    expect((await submit(await approved(), open(ED25519))).outcome).toBe('filled');
  });

  test('larger than the book within its limit is partially filled, and the rest lapses', async () => {
    const { ask } = await top();
    const answer = await submit(await approved({ quantity: '9', limitPrice: plainDecimal(ask) }));
    expect(answer.outcome).toBe('partially_filled');
    expect(moved(fillsOf(answer)).base.lt(9)).toBe(true);
    expect(simulator.account.open('BTCUSDT')).toEqual([]);
    for (const fill of fillsOf(answer)) expect(fill.fillPrice).toBe(ask);
  });

  test('beyond the market is not filled, with the exchange’s reason', async () => {
    const { bid } = await top();
    const answer = await submit(await approved({ limitPrice: bid }));
    expect(answer).toMatchObject({ outcome: 'rejected', reason: 'not_filled' });
    expect((answer as { detail: string }).detail).toContain('UNFILLED_IOC_QUANTITY_EXPIRED');
  });

  test('in many small trades leaves the book equal to the account, in base units and in money', async () => {
    const before = balance('USDT');
    const answer = await submit(await approved({ quantity: '1.23457' }));
    expect(fillsOf(answer).length).toBeGreaterThan(1);
    const { base, usd } = moved(fillsOf(answer));
    expect(usd.eq(balance('USDT').minus(before))).toBe(true);
    expect(plainDecimal(base)).toBe(plainDecimal(balance('BTC')));
    for (const fill of fillsOf(answer)) expect(new Decimal(fill.feeUsd).gte(0)).toBe(true);
    let book = emptyBook(BOOK, 'live', '1000000');
    for (const fill of fillsOf(answer)) book = applyFill(book, fill);
    expect(book.holdings[0]?.quantity).toBe(plainDecimal(base));
  });

  test('fifty times at once under one key is one order, also afterwards', async () => {
    const order = await approved();
    const info = await infoOf(order);
    const answers = await Promise.all(Array.from({ length: 50 }, () => orders.submit(order, info as never)));
    expect(simulator.account.orders.length).toBe(1);
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    const again = await orders.submit(order, info as never);
    expect(simulator.account.orders.length).toBe(1);
    expect(fillsOf(again).map(({ id }) => id)).toEqual(fillsOf(answers[0] as VenueAnswer).map(({ id }) => id));
  });

  test('is named from its key in the exchange’s alphabet', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(deriveClientOrderId(a)).toMatch(/^[.A-Z:/a-z0-9_-]{1,36}$/);
        expect(deriveClientOrderId(a) === deriveClientOrderId(b)).toBe(a === b);
      }),
    );
  });
});

test('the reported commission is the fee, and the book gets exactly what arrived', async () => {
  const order = await approved({ quantity: '0.00163' });
  const instrument = {
    instrument: 'BTCUSDT',
    baseAsset: 'BTC',
    quoteAsset: 'USDT',
    status: 'TRADING',
    price: null,
    lot: { min: '0.00001', max: '9000', step: '0.00001' },
    marketLot: null,
    notional: null,
  };
  const trade = { id: 7, price: '60000', quantity: '0.001', commission: '0.000001', commissionAsset: 'BTC', at: NOON };
  const trades = [trade, { ...trade, id: 8, price: '60100', quantity: '0.00063', commission: '0.00000063' }];
  const info = { instrument, decisionPrice: '60000', quote: null, priceOf: () => '600' };
  // $97.863 were spent, of which $0.097863 is commission: 10 bps.
  const fills = fillsOfTrades(order, trades, info);
  expect(fills).toMatchObject([
    { quantity: '0.000999', executedQuantity: '0.001', notionalUsd: '59.94', feeUsd: '0.06', slippageBps: 0 },
    { quantity: '0.00062937', executedQuantity: '0.00063', notionalUsd: '37.825137', feeUsd: '0.037863', slippageBps: 16.6667 },
  ]);
  expect([sumFills('quantity', fills), sumFills('notionalUsd', fills), sumFills('feeUsd', fills)]).toEqual([
    '0.00163',
    '97.863',
    '0.097863',
  ]);
  // Commission in another asset does not reduce the quantity.
  const beside = fillsOfTrades(order, [{ ...trade, commission: '0.0001', commissionAsset: 'BNB' }], info);
  expect(beside).toMatchObject([{ quantity: '0.001', notionalUsd: '60', feeUsd: '0.06' }]);
  expect(beside[0]).not.toHaveProperty('executedQuantity');
  const selling = await approved({ side: 'sell', quantity: '0.001', held: '0.001' });
  const sold = fillsOfTrades(selling, [{ ...trade, commission: '0.06', commissionAsset: 'USDT' }], info);
  expect(sold).toMatchObject([{ quantity: '0.001', notionalUsd: '60', feeUsd: '0.06' }]);
});

describe('commission in a third asset', () => {
  test('is valued at the opening of its minute on the exchange itself', async () => {
    simulator.account.commissionIn = { asset: 'ETH', price: 3_000_00000000n };
    const answer = await submit(await approved({ quantity: '0.1' }));
    expect(answer.outcome).toBe('filled');
    const [bar] = (await rest.get('/api/v3/klines', { symbol: 'ETHUSDT', interval: '1m', startTime: NOON, limit: 1 }, 2)) as unknown[][];
    const trades = simulator.account.orders[0]?.trades ?? [];
    const paid = trades.reduce((sum, { commission }) => sum.plus(commission.toString()), new Decimal(0)).div('100000000');
    const fees = fillsOf(answer).reduce((sum, { feeUsd }) => sum.plus(feeUsd), new Decimal(0));
    expect(fees.eq(paid.times(bar?.[1] as string))).toBe(true);
    // Nothing was deducted from the purchase.
    expect(moved(fillsOf(answer)).base.toString()).toBe('0.1');
  });

  test('without a price at the exchange leaves the outcome unknown until there is one', async () => {
    simulator.account.commissionIn = { asset: 'BNB', price: 600_00000000n };
    const order = await approved();
    const info = await infoOf(order);
    const answer = await orders.submit(order, info as never);
    expect(answer).toMatchObject({ outcome: 'unknown' });
    expect((answer as { detail: string }).detail).toMatch(/BNB, whose price cannot be told/);
    expect(simulator.account.orders.length).toBe(1);
    expect((await orders.lookUp(order, order.id, info)).outcome).toBe('unknown');
  });
});

describe('what the exchange refuses', () => {
  test.each([
    ['quantity', { quantity: '0.00001' }, /^NOTIONAL: .*smallest quantity is 0\.000\d+$/],
    ['too much', { quantity: '9001' }, /^LOT_SIZE: quantity 9001 is above the maximum 9000\.00000000; the nearest allowed is 9000$/],
  ])('%s is refused before it is sent, with the nearest allowed value', async (_, parts, words) => {
    const order = await approved();
    const changed = completeOrder({ ...(order as Order), ...parts }) as RiskApproved<Order<'spotexchange'>>;
    const answer = await submit(changed);
    expect(answer).toMatchObject({ outcome: 'rejected', reason: 'filter_failed' });
    expect((answer as { detail: string }).detail).toMatch(words);
    expect(simulator.account.orders.length).toBe(0);
  });

  test('a closed market', async () => {
    simulator.setStatus('BTCUSDT', 'HALT');
    expect(await submit(await approved())).toMatchObject({ outcome: 'rejected', reason: 'market_closed' });
  });

  test('a market that closes after its filters were read', async () => {
    await submit(await approved());
    simulator.setStatus('BTCUSDT', 'HALT');
    expect(await submit(await approved())).toMatchObject({
      outcome: 'rejected',
      reason: 'market_closed',
      detail: '-2010 Market is closed.',
    });
  });

  test('a balance that is too small', async () => {
    expect(await submit(await approved({ quantity: '20' }))).toMatchObject({ outcome: 'rejected', reason: 'insufficient_balance' });
  });

  test.each([
    ['an unknown key', { key: 'nobody', secret: 'x' }, /^-2015/],
    ['a key that may only read', { key: 'readonly', secret: 'reads' }, /^-2015/],
    ['a wrong secret', { key: 'ours', secret: 'wrong' }, /^-1022/],
    ['a key of no known form', { key: 'not-a-key', secret: 'x' }, /^-2014/],
  ])('%s', async (_, credentials, words) => {
    const answer = await submit(await approved(), open(credentials));
    expect(answer).toMatchObject({ outcome: 'rejected', reason: 'credentials_refused' });
    expect((answer as { detail: string }).detail).toMatch(words);
    expect(simulator.account.orders.length).toBe(0);
  });

  test('a price too far from the market is the exchange’s own filter', async () => {
    const order = await approved();
    const far = completeOrder({ ...(order as Order), limitPrice: '500000' }) as RiskApproved<Order<'spotexchange'>>;
    expect(await submit(far)).toMatchObject({
      outcome: 'rejected',
      reason: 'filter_failed',
      detail: '-1013 Filter failure: PERCENT_PRICE_BY_SIDE',
    });
  });

  test('too many requests: definitely refused, and nothing more is requested until the given time', async () => {
    const order = await approved();
    await submit(order);
    simulator.faults.set({ status429: 1 });
    const refused = freshOf(order);
    expect(await orders.submit(refused, infoOfNoRead(refused) as never)).toMatchObject({ outcome: 'rejected', reason: 'rate_limited' });
    simulator.faults.reset();
    const next = freshOf(order);
    const info = { ...infoOfNoRead(next), ...leaseOf(500) };
    await expect(orders.submit(next, info as never)).rejects.toThrow(/budget/);
    expect(simulator.account.orders.length).toBe(1);
    clock.advanceTo(clock.now() + 1_500);
    expect((await submit(freshOf(order))).outcome).toBe('filled');
  });

  test('the number of orders in ten seconds', async () => {
    const order = await approved({ quantity: '0.001' });
    const wide = open(CREDENTIALS, simulator.url, 1_000);
    const answers: VenueAnswer[] = [];
    for (let i = 0; i < 101; i++) answers.push(await submit(freshOf(order), wide));
    expect(answers.filter(({ outcome }) => outcome !== 'rejected').length).toBe(100);
    expect(answers.at(-1)).toMatchObject({ outcome: 'rejected', reason: 'rate_limited', detail: expect.stringMatching(/^-1015/) });
  });
});

/** Returns the same order under another name. */
function freshOf(order: RiskApproved<Order<'spotexchange'>>): RiskApproved<Order<'spotexchange'>> {
  return completeOrder({ ...(order as Order), id: `order-${++made}` }) as RiskApproved<Order<'spotexchange'>>;
}

function infoOfNoRead(order: Order) {
  return {
    key: order.id,
    quote: { source: 'test', observedAt: clock.now(), bid: '1', ask: '2' },
    decisionPrice: order.limitPrice,
    ...leaseOf(LEASE_MS),
    orgId: ORG,
  };
}

describe('unknown outcomes', () => {
  test('a lost answer is unknown, and the look-up finds exactly the one fill', async () => {
    const order = await approved();
    await submit(freshOf(order));
    const before = balance('BTC');
    const info = await infoOf(order);
    simulator.faults.set({ lostAnswer: 1 });
    expect((await orders.submit(order, info as never)).outcome).toBe('unknown');
    expect((await orders.lookUp(order, order.id, info)).outcome).toBe('unknown');
    simulator.faults.reset();
    const found = await orders.lookUp(order, order.id, info);
    expect(found.outcome).toBe('filled');
    expect(simulator.account.orders.length).toBe(2);
    const { base } = moved(fillsOf(found));
    expect(base.lte(balance('BTC').minus(before))).toBe(true);
    const again = await orders.lookUp(order, order.id, info);
    expect(fillsOf(again)).toEqual(fillsOf(found));
    expect(fillsOf(found)[0]?.decisionPrice).toBe(info.decisionPrice);
  });

  test('an answer of 5xx is unknown whether or not the order was carried out, and the look-up tells', async () => {
    const seed = await approved({ quantity: '0.001' });
    await submit(freshOf(seed));
    let carriedOut = 0;
    for (let i = 0; i < 12; i++) {
      const order = freshOf(seed);
      const info = await infoOf(order);
      const had = simulator.account.orders.length;
      simulator.faults.set({ status5xx: 1 });
      const answer = await orders.submit(order, info as never);
      simulator.faults.reset();
      expect(answer).toMatchObject({ outcome: 'unknown', detail: expect.stringMatching(/-1007/) });
      const taken = simulator.account.orders.length - had;
      carriedOut += taken;
      // Within its lease it may still be on its way.
      if (taken === 0) expect((await orders.lookUp(order, order.id, info)).outcome).toBe('unknown');
      clock.advanceTo(info.leaseUntil + 6_000);
      const found = await orders.lookUp(order, order.id, info);
      expect(found).toMatchObject(taken === 1 ? { outcome: 'filled' } : { outcome: 'rejected', reason: 'not_found' });
    }
    expect(carriedOut).toBeGreaterThan(0);
    expect(carriedOut).toBeLessThan(12);
  });

  test('a slow answer is unknown once the exchange itself would have timed out', async () => {
    const order = await approved();
    await submit(freshOf(order));
    const info = { ...(await infoOf(order)), ...leaseOf(30_000) };
    simulator.faults.set({ slowMs: 20_000 });
    let answer: VenueAnswer | null = null;
    void orders.submit(order, info as never).then((given) => {
      answer = given;
    });
    await until('the order waits for its answer', () => {
      clock.advanceTo(clock.now() + 100);
      return answer !== null;
    });
    expect(answer).toMatchObject({ outcome: 'unknown' });
    simulator.faults.reset();
    // Its window is still open: it may still arrive.
    expect((await orders.lookUp(order, order.id, info)).outcome).toBe('unknown');
    clock.advanceTo(info.leaseUntil + 6_000);
    expect(await orders.lookUp(order, order.id, info)).toMatchObject({ outcome: 'rejected', reason: 'not_found' });
    expect(simulator.account.orders.length).toBe(1);
  });

  test('garbage instead of an answer is unknown', async () => {
    const order = await approved();
    await submit(freshOf(order));
    const info = await infoOf(order);
    simulator.faults.set({ garbage: 1 });
    expect((await orders.submit(order, info as never)).outcome).toBe('unknown');
    simulator.faults.reset();
    expect((await orders.lookUp(order, order.id, info)).outcome).toBe('filled');
  });

  test('a request that reaches the exchange after the lease is refused there', async () => {
    const order = await approved();
    await submit(freshOf(order));
    const info = await infoOf(order);
    simulator.faults.set({ slowMs: LEASE_MS + 500 });
    let answer: VenueAnswer | 'thrown' | null = null;
    orders.submit(order, info as never).then(
      (given) => {
        answer = given;
      },
      () => {
        answer = 'thrown';
      },
    );
    await until('there is an answer', () => {
      clock.advanceTo(clock.now() + 50);
      return answer !== null;
    });
    expect(simulator.account.orders.length).toBe(1);
    expect(answer).toBe('thrown');
    simulator.faults.reset();
    clock.advanceTo(info.leaseUntil + 6_000);
    expect(await orders.lookUp(order, order.id, info)).toMatchObject({ outcome: 'rejected', reason: 'not_found' });
  });

  test('an unreachable exchange received nothing: it throws', async () => {
    const first = await approved();
    await submit(first);
    const order = freshOf(first);
    const info = infoOfNoRead(order);
    await simulator.close();
    await expect(orders.submit(order, info as never)).rejects.toThrow();
  });
});

test('a clock that is far ahead or behind is corrected by the exchange’s own time', async () => {
  for (const clockOffsetMs of [-3_600_000, 7_200_000]) {
    simulator.faults.set({ clockOffsetMs });
    expect((await submit(await approved(), open())).outcome).toBe('filled');
  }
});

test('a clock that jumps is measured again, and the order is sent once', async () => {
  const order = await approved();
  await submit(order);
  simulator.faults.set({ clockOffsetMs: 60_000 });
  expect((await submit(freshOf(order))).outcome).toBe('filled');
  expect(simulator.account.orders.length).toBe(2);
});

test('no order that passed the checks is refused by a filter on price, size or notional', async () => {
  const { bid } = await top();
  const base = await approved();
  const wide = open(CREDENTIALS, simulator.url, 100_000);
  let sentOnes = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 2_000_000 }),
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: -5_000_000, max: 5_000_000 }),
      fc.integer({ min: 0, max: 6 }),
      async (lots, lotDigits, ticks, tickDigits) => {
        const quantity = plainDecimal(new Decimal(lots).div(new Decimal(10).pow(lotDigits)));
        const limitPrice = plainDecimal(
          new Decimal(bid)
            .plus(new Decimal(ticks).div(new Decimal(10).pow(tickDigits)))
            .abs()
            .plus('0.01'),
        );
        const order = completeOrder({ ...(base as Order), id: `order-${++made}`, quantity, limitPrice }) as RiskApproved<
          Order<'spotexchange'>
        >;
        const had = simulator.account.orders.length;
        const answer = await wide.submit(order, infoOfNoRead(order) as never);
        clock.advanceTo(clock.now() + 200);
        sentOnes += simulator.account.orders.length - had;
        if (answer.outcome === 'rejected')
          expect(answer.detail).not.toMatch(/Filter failure: (PRICE_FILTER|LOT_SIZE|NOTIONAL|MARKET_LOT_SIZE)/);
      },
    ),
    { numRuns: 150 },
  );
  expect(sentOnes).toBeGreaterThan(0);
});

describe('the simulator’s own orders', () => {
  const sign = spotSigner(CREDENTIALS.secret);
  async function call(method: string, path: string, parameters: Record<string, string>) {
    const query = new URLSearchParams({ ...parameters, timestamp: String(clock.now()) }).toString();
    const response = await fetch(`${simulator.url}${path}?${query}&signature=${sign(query)}`, {
      method,
      headers: { 'x-mbx-apikey': CREDENTIALS.key },
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown>, headers: response.headers };
  }

  test('a resting order locks its money, has a unique name, and is cancelled once', async () => {
    const resting = {
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      timeInForce: 'GTC',
      quantity: '0.01',
      price: '50000',
      newClientOrderId: 'mine',
    };
    const placed = await call('POST', '/api/v3/order', resting);
    expect(placed.body).toMatchObject({ status: 'NEW', executedQty: '0.00000000', fills: [] });
    expect(placed.headers.get('x-mbx-order-count-10s')).toBe('1');
    expect(simulator.account.balances()[0]).toEqual({ asset: 'USDT', free: '999500.00000000', locked: '500.00000000' });
    expect((await call('POST', '/api/v3/order', resting)).body).toEqual({ code: -2010, msg: 'Duplicate order sent.' });
    expect((await call('GET', '/api/v3/openOrders', { symbol: 'BTCUSDT' })).body).toMatchObject([{ clientOrderId: 'mine' }]);
    expect((await call('DELETE', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'mine' })).body).toMatchObject({
      status: 'CANCELED',
    });
    expect((await call('DELETE', '/api/v3/order', { symbol: 'BTCUSDT', origClientOrderId: 'mine' })).body['code']).toBe(-2011);
    expect((await call('POST', '/api/v3/order', resting)).status).toBe(200);
  });

  test.each([
    ['FOK', { timeInForce: 'FOK', quantity: '9', price: '98000' }, 'EXPIRED', 'UNFILLED_FOK_ORDER_EXPIRED'],
    ['MARKET by quote', { type: 'MARKET', quoteOrderQty: '1000' }, 'FILLED', undefined],
    ['MARKET beyond the book', { type: 'MARKET', side: 'SELL', quantity: '20' }, null, undefined],
  ])('%s', async (_, parts, status, expiryReason) => {
    const { body } = await call('POST', '/api/v3/order', { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', ...parts } as Record<
      string,
      string
    >);
    if (status === null) expect(body['code']).toBe(-2010);
    else expect([body['status'], body['expiryReason']]).toEqual([status, expiryReason]);
  });

  test.each([
    [{ symbol: 'NOPE' }, -1121],
    [{ side: 'HOLD' }, -1117],
    [{ type: 'STOP' }, -1116],
    [{ timeInForce: 'DAY' }, -1115],
    [{ price: 'abc' }, -1100],
    [{ quantity: '0.000000001' }, -1111],
    [{ quantity: '0' }, -1013],
    [{ newClientOrderId: 'ü' }, -1100],
    [{ price: '95000.001' }, -1013],
    [{ quantity: '0.000011' }, -1013],
    [{ recvWindow: '60001' }, -1131],
  ])('%j is refused with %i', async (parts, code) => {
    const { body } = await call('POST', '/api/v3/order', {
      symbol: 'BTCUSDT',
      side: 'BUY',
      type: 'LIMIT',
      timeInForce: 'IOC',
      quantity: '0.01',
      price: '95000',
      ...parts,
    } as Record<string, string>);
    expect(body['code']).toBe(code);
  });

  test('a time outside of the window is refused in the exchange’s words', async () => {
    const at = async (timestamp: number) => {
      const query = `timestamp=${timestamp}`;
      const response = await fetch(`${simulator.url}/api/v3/account?${query}&signature=${sign(query)}`, {
        headers: { 'x-mbx-apikey': CREDENTIALS.key },
      });
      return (await response.json()) as { msg?: string };
    };
    expect((await at(clock.now() - 5_001)).msg).toBe('Timestamp for this request is outside of the recvWindow.');
    expect((await at(clock.now() + 1_000)).msg).toBe("Timestamp for this request was 1000ms ahead of the server's time.");
    expect((await at(clock.now() - 5_000)).msg).toBeUndefined();
    expect((await at(clock.now() + 999)).msg).toBeUndefined();
  });
});

describe('resting orders', () => {
  /** Returns the arguments of placing an order. */
  const placing = async (key: string, price: string, postOnly = true) => {
    const { bid, ask } = await top();
    const quote = { venue: 'spotexchange' as const, source: 'test:top', observedAt: clock.now(), bid, ask };
    return { orgId: ORG, key, quote, decisionPrice: ask, ...leaseOf(LEASE_MS), price, postOnly };
  };
  const asking = { orgId: ORG, decisionPrice: '1', leaseUntil: null };

  test('an order rests at the near side, is found resting, and is cancelled once', async () => {
    const order = await approved();
    const { bid } = await top();
    const info = await placing('rests', bid);
    expect(await orders.resting.place(order, info)).toEqual({ outcome: 'resting', price: new Decimal(bid).toFixed(8) });
    expect(await orders.lookUp(order, 'rests', asking)).toMatchObject({ outcome: 'resting' });
    for (let round = 0; round < 2; round++)
      expect(await orders.resting.withdraw(order, 'rests', asking)).toMatchObject({ outcome: 'rejected', reason: 'not_filled' });
    expect(simulator.account.open(null)).toEqual([]);
  });

  test('an order that would take is refused completely', async () => {
    const order = await approved();
    const { ask } = await top();
    expect(await orders.resting.place(order, await placing('crosses', ask))).toMatchObject({ outcome: 'rejected', reason: 'would_take' });
    expect(simulator.account.orders).toEqual([]);
  });

  test('an order resting at its own limit takes what is there, and its trades are reported once however often it is queried', async () => {
    const { ask } = await top();
    const { asks } = (await rest.get('/api/v3/depth', { symbol: 'BTCUSDT', limit: 5 }, 5)) as { asks: [string, string][] };
    const there = new Decimal(asks[0]?.[1] as string);
    const order = await approved({ quantity: there.plus('0.01').toFixed(5), limitPrice: ask });
    const placed = await orders.resting.place(order, await placing('takes and rests', ask, false));
    if (placed.outcome !== 'resting') throw new Error(JSON.stringify(placed));
    const total = (fills: readonly { readonly quantity: string }[]) =>
      fills.reduce((sum, { quantity }) => sum.plus(quantity), new Decimal(0));
    // The exchange deducts 0.1 % from what it delivers; less than a lot of it is not booked.
    const executed = new Decimal(placed.seen?.executed ?? 0);
    expect([executed.gt(0), executed.lt(order.quantity)]).toEqual([true, true]);
    const missing = executed.times('0.999').minus(total(placed.fills ?? []));
    expect([missing.gte(0), missing.lt('0.00001')]).toEqual([true, true]);
    // The market has returned to it: a look-up returns the further trades if the first are booked, otherwise all.
    const later = await orders.lookUp(order, 'takes and rests', { ...asking, seen: placed.seen ?? null });
    const anew = await orders.lookUp(order, 'takes and rests', asking);
    if (later.outcome !== 'filled' || anew.outcome !== 'filled') throw new Error(JSON.stringify([later, anew]));
    const ids = (fills: readonly { readonly id: string }[] = []) => fills.map(({ id }) => id);
    expect(ids(later.fills).length).toBeGreaterThan(0);
    expect([...ids(placed.fills), ...ids(later.fills)]).toEqual(ids(anew.fills));
  });

  test('an order of more trades than the exchange answers at once is read page by page, and further ones from the last', async () => {
    const { ask } = await top();
    const order = await approved({ quantity: '0.03', limitPrice: ask });
    await orders.resting.place(order, await placing('many', ask, false));
    const [placed] = simulator.account.orders;
    const [trade] = placed?.trades ?? [];
    if (placed === undefined || trade === undefined) throw new Error('nothing was traded');
    const small = Array.from({ length: 3_000 }, (_, n) => ({ ...trade, id: trade.id + n, quantity: 1_000n, commission: 1n }));
    placed.trades.splice(0, placed.trades.length, ...small);
    Object.assign(placed, { executed: 3_000_000n, status: 'FILLED' });
    const whole = await orders.lookUp(order, 'many', asking);
    expect(whole).toMatchObject({ outcome: 'filled', executedQuantity: '0.03000000' });
    expect(new Set(fillsOf(whole).map(({ id }) => id)).size).toBe(3_000);
    const seen = { trade: trade.id + 2_499, executed: '0.025' };
    const later = await orders.lookUp(order, 'many', { ...asking, seen });
    expect(fillsOf(later).map(({ id }) => id)).toEqual(
      fillsOf(whole)
        .slice(2_500)
        .map(({ id }) => id),
    );
  });

  test('an order that was never placed cannot be cancelled', async () => {
    expect(await orders.resting.withdraw(await approved(), 'never', asking)).toMatchObject({ outcome: 'rejected', reason: 'not_found' });
  });

  test('the trades of a window are read in time order', async () => {
    const { trades, upTo } = await fetchTrades(rest, 'BTCUSDT', NOON - 60_000, NOON);
    expect(upTo).toBe(NOON);
    expect(trades).toHaveLength(121);
    expect(trades.every(({ at, price, quantity }) => at >= NOON - 60_000 && at <= NOON && Number(price) > 0 && Number(quantity) > 0)).toBe(
      true,
    );
    expect([...trades].sort((a, b) => a.at - b.at)).toEqual(trades);
    expect(await fetchTrades(rest, 'BTCUSDT', NOON - 60_000, NOON)).toEqual({ trades, upTo });
  });
});
