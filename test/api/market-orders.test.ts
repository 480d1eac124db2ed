// Orders of people over HTTP: paper fills through the live book, risk by the organization's preferences, and disabled live orders.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createManualDayStore } from '../../src/adapters/store/books/manual-day-store.ts';
import { nextUtcDay } from '../../src/domain/books/book.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { beginManualDays } from '../../src/trading/manual-days.ts';
import { quoteOf } from '../actors/proposal/trading-fixture.ts';
import { contained } from '../harness/contained.ts';
import { type ApiUnderTest, apiUnderTest, OURS, THEIRS } from './api-under-test.ts';

const BTC: InstrumentKey = 'spotexchange:BTCUSDT';
let api: ApiUnderTest;
let trader: string;
let manager: string;

beforeAll(async () => {
  api = await apiUnderTest();
  trader = await api.token(['market:read', 'agent:read', 'trade:execute']);
  manager = await api.token(['agent:read', 'risk:manage']);
});
afterAll(() => api.close());

const level = (price: string, size: string) => ({ price, size });
beforeEach(() => {
  api.market.set(BTC, quoteOf(BTC, api.clock.now(), '60000', '60010'));
  api.books.set(BTC, {
    source: 'test:depth',
    observedAt: api.clock.now(),
    receivedAt: api.clock.now(),
    quality: 'live',
    flags: [],
    bids: [level('60000', '1'), level('59990', '2')],
    asks: [level('60010', '0.5'), level('60020', '2')],
  });
});

const paper = (body: object, headers: Record<string, string> = {}, token = trader) =>
  api.call('POST', '/v1/market-orders/paper', { token, body: { instrument: 'BTCUSDT', side: 'buy', ...body }, headers });
const held = async (): Promise<Decimal> => {
  const [row] = await api.sql<
    { holdings: { quantity: string }[] }[]
  >`select holdings from books where id like 'manual:%' and mode = 'paper'`;
  return new Decimal(row?.holdings[0]?.quantity ?? 0);
};

test('a paper order walks the live book, and its fill names the quotes used', async () => {
  const { status, body } = await paper({ quantity: '1' });
  expect(status).toBe(201);
  // 0.5 at 60010 and 0.5 at 60020.
  expect(body).toMatchObject({ state: 'filled', mode: 'paper', filledQuantity: '1', filledNotionalUsd: '60015', decisionPrice: '60010' });
  // The book is paid as much as the order costs, which says nothing of how much more would pass.
  expect(body.risk).not.toHaveProperty('headroom');
  expect(body.fills[0]).toMatchObject({
    fillPrice: '60015',
    feeUsd: '60.015',
    quotes: [{ source: 'test:depth', bid: '60000', ask: '60010' }],
  });
  const [book] = await api.sql<
    { cash_usd: string; capital_usd: string }[]
  >`select cash_usd, capital_usd from books where mode = 'paper' and agent_id is null`;
  expect(new Decimal(book?.capital_usd as string).minus(book?.cash_usd as string).toString()).toBe('60075.015');
  expect((await api.call('GET', `/v1/market-orders/${body.id}`, { token: trader })).body).toEqual(body);
  expect((await api.call('GET', '/v1/market-orders?mode=paper', { token: trader })).body.items[0]).toEqual(body);
});

test('a notional is converted to whole lots at the worst price', async () => {
  const { body } = await paper({ notionalUsd: '1000' });
  expect(new Decimal(body.notionalUsd).lte(1_000)).toBe(true);
  expect(new Decimal(body.quantity).mod('0.00001').isZero()).toBe(true);
});

test('an unfilled order has a reason', async () => {
  const { status, body } = await paper({ quantity: '0.1', limitPrice: '59000' });
  expect(status).toBe(201);
  expect(body).toMatchObject({ state: 'failed', reason: 'limit_price_passed', fills: [], filledQuantity: '0' });
  expect(body.detail).toContain('60010');
});

test('a sell reduces the position, and no more than that', async () => {
  const before = await held();
  expect((await paper({ side: 'sell', quantity: '0.4' })).body).toMatchObject({ state: 'filled', side: 'sell' });
  expect((await held()).toString()).toBe(before.minus('0.4').toString());
  const { status, body } = await paper({ side: 'sell', quantity: '50' });
  expect([status, body.code]).toEqual([422, 'blocked_by_risk']);
  expect(body.rejections.length).toBeGreaterThan(0);
});

test('the preferences of the organization are the mandate', async () => {
  const { status, body: refused } = await paper({ quantity: '20' });
  expect([status, refused.code]).toEqual([422, 'blocked_by_risk']);
  expect(refused.rejections.map(({ code }: { code: string }) => code)).toContain('notional_limit_breach');
});

test('a market that is not live buys nothing', async () => {
  api.books.clear();
  api.market.set(BTC, quoteOf(BTC, api.clock.now(), '60000', '60010', 'stale'));
  const { status, body } = await paper({ quantity: '0.1' });
  expect([status, body.code, body.rejections[0].code]).toEqual([422, 'blocked_by_risk', 'quote_not_live']);
});

test('the same request under one Idempotency-Key is one order', async () => {
  const before = await held();
  const first = await paper({ quantity: '0.01' }, { 'idempotency-key': 'once' });
  const again = await paper({ quantity: '0.01' }, { 'idempotency-key': 'once' });
  expect(again.text).toBe(first.text);
  expect((await held()).minus(before).toString()).toBe('0.01');
  expect((await paper({ quantity: '0.02' }, { 'idempotency-key': 'once' })).body.code).toBe('idempotency_mismatch');
});

test('orders at the same time are each assessed on the book that the ones before left', async () => {
  const before = await held();
  const placed = await Promise.all(Array.from({ length: 5 }, () => paper({ side: 'sell', quantity: plain(before.div(2)) })));
  const sold = placed.filter(({ body }) => body.state === 'filled').length;
  expect(sold).toBeLessThanOrEqual(2);
  expect(sold).toBeGreaterThan(0);
  expect((await held()).gte(0)).toBe(true);
});
const plain = (value: Decimal): string => value.toDecimalPlaces(5, Decimal.ROUND_DOWN).toFixed();

test.each([
  [{}, '$.quantity'],
  [{ quantity: '1', notionalUsd: '1' }, '$.quantity'],
  [{ quantity: '0' }, '$.quantity'],
  [{ quantity: '1e3' }, '$.quantity'],
  [{ quantity: '0.000001' }, '$.quantity'],
  [{ quantity: '1', limitPrice: '60000.001' }, '$.limitPrice'],
  [{ quantity: '1', instrument: 'NOPE' }, '$.instrument'],
  [{ quantity: '1', leverage: 2 }, 'leverage'],
  [{ quantity: '1', timeInForce: 'gtc' }, '$.limitPrice'],
  [{ quantity: '1', limitPrice: '59000', postOnly: true }, '$.postOnly'],
  [{ quantity: '1', limitPrice: '59000', timeInForce: 'day' }, 'timeInForce'],
])('%j is malformed, and the answer says where', async (parts, where) => {
  const { status, body } = await paper(parts);
  expect([status, body.code]).toEqual([400, 'malformed']);
  expect(body.detail).toContain(where);
});

test('a resting order is listed as open with its capital reserved, until it is cancelled', async () => {
  const terms = { quantity: '0.1', limitPrice: '59000', timeInForce: 'gtc' };
  const { status, body: order } = await paper({ ...terms, postOnly: true });
  expect([status, order.state, order.restingAt, order.filledQuantity]).toEqual([201, 'resting', '59000', '0']);
  const open = async () => (await api.call('GET', '/v1/market-orders?open=true', { token: trader })).body.items;
  expect((await open()).map(({ id }: { id: string }) => id)).toEqual([order.id]);
  expect(await api.sql`select sum(bound_usd)::text as waiting from market_orders where state = 'resting'`).toEqual([{ waiting: '5900' }]);
  const { body: second } = await paper(terms);
  expect(second).toMatchObject({ state: 'resting', postOnly: false });

  const cancel = (id: string, token = trader) => api.call('POST', `/v1/market-orders/${id}/cancel`, { token });
  expect((await cancel(order.id, await api.token(['trade:execute'], THEIRS))).status).toBe(404);
  const taken = await cancel(order.id);
  expect([taken.status, taken.body.state, taken.body.timeInForce]).toEqual([200, 'withdrawing', 'gtc']);
  expect((await cancel(second.id, manager)).status).toBe(200);
  const [filled] = (await api.call('GET', '/v1/market-orders', { token: trader })).body.items.filter(
    ({ state }: { state: string }) => state === 'filled',
  );
  expect((await cancel(filled.id)).body).toMatchObject({ code: 'state_conflict', detail: expect.stringContaining('the order is filled') });
});

test('an order that would fill at once takes what is there and rests with the remainder; post-only fails', async () => {
  const { body } = await paper({ quantity: '0.6', limitPrice: '60010', timeInForce: 'gtc' });
  expect(body).toMatchObject({ state: 'resting', filledQuantity: '0.5', restingAt: '60010' });
  const row = await api.sql`select bound_usd::text from market_orders where id = ${body.id}`;
  expect(row).toEqual([{ bound_usd: '6001' }]);
  expect((await paper({ quantity: '0.1', limitPrice: '60010', timeInForce: 'gtc', postOnly: true })).body).toMatchObject({
    state: 'failed',
    reason: 'would_take',
  });
});

test('live orders are disabled by default', async () => {
  const { status, body } = await api.call('POST', '/v1/market-orders/spotexchange/live', {
    token: trader,
    body: { instrument: 'BTCUSDT', side: 'buy', quantity: '0.01' },
  });
  expect([status, body.code]).toEqual([422, 'feature_disabled']);
  expect(await api.sql`select 1 from market_orders where mode = 'live'`).toEqual([]);
});

test('an enabled live order that passes risk is accepted and on its way', async () => {
  const { spotexchange } = api.disabledVenues;
  delete api.disabledVenues.spotexchange;
  try {
    const body = { instrument: 'BTCUSDT', side: 'buy', quantity: '0.01', limitPrice: '60010' };
    const reply = await api.call('POST', '/v1/market-orders/spotexchange/live', { token: trader, body });
    expect(reply.status, reply.text).toBe(202);
    expect(reply.body).toMatchObject({ mode: 'live', side: 'buy', state: 'approved', quantity: '0.01', filledQuantity: '0' });
    expect((await api.call('GET', `/v1/market-orders/${reply.body.id}`, { token: trader })).body).toEqual(reply.body);
  } finally {
    if (spotexchange !== undefined) api.disabledVenues.spotexchange = spotexchange;
  }
});

test('a foreign order answers as a missing one, and a viewer places none', async () => {
  const stranger = await api.token(['agent:read'], THEIRS);
  const [{ id }] = (await api.call('GET', '/v1/market-orders', { token: trader })).body.items;
  const foreign = await api.call('GET', `/v1/market-orders/${id}`, { token: stranger });
  const missing = await api.call('GET', '/v1/market-orders/00000000-0000-7000-8000-00000000ffff', { token: stranger });
  expect([foreign.status, foreign.body.detail]).toEqual([404, missing.body.detail]);
  expect((await api.call('GET', '/v1/market-orders', { token: stranger })).body.items).toEqual([]);
  expect((await paper({ quantity: '0.01' }, {}, manager)).status).toBe(403);
});

test('concurrent orders share a transaction, each on the book left by the previous one: fills move it, and resting orders reserve', async () => {
  const theirs = await api.token(['agent:read', 'trade:execute'], THEIRS);
  const at = (bodies: readonly object[], headers: Record<string, string> = {}) =>
    Promise.all(bodies.map((body) => paper(body, headers, theirs)));
  const many = (times: number, body: object): readonly object[] => Array.from({ length: times }, () => body);
  const states = (placed: Awaited<ReturnType<typeof at>>): string =>
    placed
      .map(({ body }) => body.state ?? body.code)
      .sort()
      .join(' ');

  expect(states(await at(many(6, { quantity: '0.1' })))).toBe('filled filled filled filled filled filled');
  const sold = await at(many(4, { side: 'sell', quantity: '0.6' }));
  expect(states(sold)).toBe('blocked_by_risk blocked_by_risk blocked_by_risk filled');
  // Ten orders of 1,000,000 dollars are within the mandate's capital.
  const resting = await at(many(12, { quantity: '16.9', limitPrice: '59000', timeInForce: 'gtc', postOnly: true }));
  expect(states(resting)).toBe(`blocked_by_risk blocked_by_risk ${many(10, 'resting' as never).join(' ')}`);

  const [written] = await api.sql`
    select count(distinct xmin::text)::int as transactions, count(*)::int as orders from market_orders where org_id = ${THEIRS} and state in ('filled', 'resting')`;
  expect(written?.['orders']).toBe(17);
  expect(written?.['transactions']).toBeLessThan(17);
  const [book] = await api.sql`select version::int, fills, cash_usd, capital_usd, holdings from books where org_id = ${THEIRS}`;
  // Six times 0.1 at 60010 and once 0.6 at 60000, each with a fee of 0.1 %.
  const paid = new Decimal('36006').plus('36.006').minus('36000').plus('36').toFixed();
  const [cash, capital] = [book?.['cash_usd'], book?.['capital_usd']].map((sum) => new Decimal(sum).toFixed());
  expect({ ...book, cash_usd: cash, capital_usd: capital }).toEqual({
    version: 7,
    fills: 7,
    cash_usd: '0',
    capital_usd: paid,
    holdings: [],
  });
});

test('one unwritable order of a group does not affect the others', async () => {
  const before = await api.sql`select count(*)::int as orders from market_orders where org_id = ${THEIRS}`;
  const theirs = await api.token(['agent:read', 'trade:execute'], THEIRS);
  const body = { side: 'buy', quantity: '0.00001', limitPrice: '60010' };
  const keys = ['same', 'same', 'same', 'a', 'b', 'c'];
  const placed = await Promise.all(keys.map((key) => paper(body, { 'idempotency-key': key }, theirs)));
  const answers = placed.map(({ status, body: { id, code } }) => (status === 201 ? id : code));
  expect(new Set(answers.slice(3)).size).toBe(3);
  expect(placed.slice(3).map(({ status }) => status)).toEqual([201, 201, 201]);
  const same = answers.slice(0, 3).filter((answer) => answer !== 'idempotency_in_flight');
  expect(new Set(same).size).toBe(1);
  const after = await api.sql`select count(*)::int as orders from market_orders where org_id = ${THEIRS}`;
  expect(after[0]?.['orders'] - before[0]?.['orders']).toBe(4);
});

test('people’s daily drawdown counts from the first stored mark of the UTC day', async () => {
  const priced = (bid: string, ask: string): void => {
    const now = api.clock.now();
    api.market.set(BTC, quoteOf(BTC, now, bid, ask));
    api.books.set(BTC, {
      source: 'test:depth',
      observedAt: now,
      receivedAt: now,
      quality: 'live',
      flags: [],
      bids: [level(bid, '5')],
      asks: [level(ask, '5')],
    });
  };
  const trades = async () => {
    const token = await api.token(['market:read', 'agent:read', 'trade:execute']);
    const { status, body } = await paper({ quantity: '0.001' }, {}, token);
    return status === 201 ? body.state : body.rejections.map(({ code }: { code: string }) => code);
  };
  /** Runs the every-minute work of a worker that has just started. */
  const begins = async (mid: string) => {
    const marks = async () => new Map([[BTC, mid]]);
    await beginManualDays({ store: createManualDayStore(api.sql), marks, clock: api.clock, contained });
    const [book] =
      await api.sql`select day, day_start_equity_usd as start from books where org_id = ${OURS} and mode = 'paper' and agent_id is null`;
    return book as { day: number; start: string };
  };
  expect((await paper({ quantity: '0.5' })).body.state).toBe('filled');
  const day = nextUtcDay(api.clock.now());
  api.clock.advanceTo(day + 30_000);
  priced('60000', '60010');
  const begun = await begins('60005');
  expect(begun.day).toBe(day);
  // The price halves before anybody orders: the daily loss exists although no order has seen it.
  api.clock.advanceTo(day + 10 * 3_600_000);
  priced('30000', '30010');
  expect(await begins('30005')).toEqual(begun);
  expect(await trades()).toEqual(['daily_drawdown_breach']);
  // The next day starts anew.
  api.clock.advanceTo(nextUtcDay(day) + 30_000);
  priced('30000', '30010');
  expect((await begins('30005')).day).toBe(nextUtcDay(day));
  expect(await trades()).toBe('filled');
});

test('a book that changed between mark and write starts its day at the next check', async () => {
  const [book] = await api.sql`select id, version::int, day from books where org_id = ${OURS} and mode = 'paper' and agent_id is null`;
  const later = { bookId: book?.['id'], day: nextUtcDay(book?.['day']), dayStartEquityUsd: '1' };
  await createManualDayStore(api.sql).begin([{ ...later, version: book?.['version'] - 1 }]);
  const [after] = await api.sql`select day from books where id = ${book?.['id']}`;
  expect(after?.['day']).toBe(book?.['day']);
});
