// Prediction orders over HTTP: paper fills through the provider's book, risk by event, and settlement.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { settleResolved } from '../../src/adapters/store/orders/prediction-order-store.ts';
import { createPredictionStore } from '../../src/adapters/store/predictions/prediction-store.ts';
import { VenueError } from '../../src/adapters/venues/venue-feed.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import type { PredictionMarket } from '../../src/domain/prediction/market.ts';
import { DEFAULT_PREFERENCES } from '../../src/domain/risk/index.ts';
import { quoteOf } from '../actors/proposal/trading-fixture.ts';
import { sampleMarket } from '../domain/prediction/samples.ts';
import { type ApiUnderTest, apiUnderTest, NOW, OURS, THEIRS } from './api-under-test.ts';
import { contained } from '../harness/contained.ts';

let api: ApiUnderTest;
let trader: string;
let viewer: string;
const books = new Map<string, { bids: readonly (readonly [string, string])[]; asks: readonly (readonly [string, string])[] }>();
const listed = (id: string, over: Partial<PredictionMarket> = {}) =>
  sampleMarket('kalshi', id, { receivedAt: NOW, observedAt: NOW, ...over });
const rain = listed('KXRAIN', { minimumSize: '1' });
const cup = (name: string) =>
  listed(name, { event: { id: 'pe-00000000000000000000cafe', providerId: 'CUP', title: 'Who wins', mutuallyExclusive: true } });
const [north, south] = [cup('KXNORTH'), cup('KXSOUTH')];

beforeAll(async () => {
  api = await apiUnderTest();
  trader = await api.token(['market:read', 'agent:read', 'trade:execute']);
  viewer = await api.token(['market:read', 'agent:read']);
  await createPredictionStore(api.sql).saveMarkets([rain, north, south]);
  api.predictionVenues.kalshi = {
    trades: async () => [],
    async book(market) {
      const found = books.get(market.id);
      if (found === undefined) throw new VenueError('prediction', 0, 'unreachable', 'nobody answers');
      const levels = (side: readonly (readonly [string, string])[]) => side.map(([price, size]) => ({ price, size }));
      const { id: marketId, provider } = market;
      const times = { observedAt: NOW, receivedAt: NOW };
      return { marketId, provider, source: 'kalshi:orderbook', ...times, bids: levels(found.bids), asks: levels(found.asks) };
    },
  };
});
afterAll(() => api.close());
beforeEach(() => {
  for (const market of [rain, north, south])
    books.set(market.id, {
      bids: [
        ['0.54', '100'],
        ['0.53', '500'],
      ],
      asks: [
        ['0.56', '40'],
        ['0.57', '500'],
      ],
    });
});

const paper = (body: object, market = rain, token = trader, headers: Record<string, string> = {}) =>
  api.call('POST', '/v1/prediction-orders/paper', { token, headers, body: { marketId: market.id, outcome: 'yes', side: 'buy', ...body } });
const bookNow = async () => {
  const [book] = await api.sql<
    { cash_usd: string; capital_usd: string; holdings: { instrument: string; quantity: string; costUsd: string }[] }[]
  >`select cash_usd, capital_usd, holdings from books where id = ${`manual:${OURS}`}`;
  return book;
};
const held = async (market: PredictionMarket, outcome = 'yes') =>
  (await bookNow())?.holdings.find(({ instrument }) => instrument === `prediction:${market.id}.${outcome}`)?.quantity ?? '0';

test('a paper order walks the provider’s book, pays its fee and names the quotes used', async () => {
  const { status, body, text } = await paper({ quantity: '100' });
  expect(status, text).toBe(201);
  // 40 at 0.56, 60 at 0.57; fees 0.07 x n x p x (1 - p), each rounded up to a cent: 0.69 and 1.03.
  expect(body).toMatchObject({
    state: 'filled',
    mode: 'paper',
    outcome: 'yes',
    instrument: `prediction:${rain.id}.yes`,
    limitPrice: '0.57',
    decisionPrice: '0.56',
    filledQuantity: '100',
    filledNotionalUsd: '56.6',
    feesUsd: '1.72',
    onchain: null,
    fills: [{ fillPrice: '0.566', feeUsd: '1.72', quotes: [{ source: 'kalshi:orderbook', bid: '0.54', ask: '0.56' }] }],
  });
  expect([(await bookNow())?.cash_usd, (await bookNow())?.capital_usd].map(Number)).toEqual([0, 58.32]);
  expect((await api.call('GET', `/v1/prediction-orders/${body.id}`, { token: trader })).body).toEqual(body);
  const { items } = (await api.call('GET', `/v1/prediction-orders?mode=paper&state=filled&marketId=${rain.id}`, { token: viewer })).body;
  expect(items).toEqual([body]);
  const [row] = await api.sql`select action, target from audit where target = ${body.id}`;
  expect(row).toMatchObject({ action: 'prediction_order.paper', target: body.id });
});

test('an order larger than the book is partially filled, and the rest lapses', async () => {
  const { body } = await paper({ quantity: '900', limitPrice: '0.57', maxSlippageBps: 500 });
  expect(body).toMatchObject({ state: 'partially_filled', filledQuantity: '540', quantity: '900' });
  expect(await held(rain)).toBe('640');
});

test('an unfilled order has a reason', async () => {
  const { body } = await paper({ quantity: '10', limitPrice: '0.5' });
  expect(body).toMatchObject({ state: 'failed', reason: 'limit_price_passed', fills: [], filledQuantity: '0' });
});

test('a sell reduces the position, and never opens the other outcome', async () => {
  expect((await paper({ side: 'sell', quantity: '140' })).body).toMatchObject({ state: 'filled', side: 'sell' });
  expect(await held(rain)).toBe('500');
  const { status, body } = await paper({ side: 'sell', outcome: 'no', quantity: '1' });
  expect([status, body.rejections.map(({ code }: { code: string }) => code)]).toEqual([422, ['reduce_only']]);
});

test('a notional becomes contracts at the worst price', async () => {
  const { body } = await paper({ notionalUsd: '57' });
  expect(body).toMatchObject({ quantity: '100', limitPrice: '0.57', notionalUsd: '57' });
});

test.each([
  [{ quantity: '1.001' }, 400, 'malformed', /0\.01/],
  [{ quantity: '0.5' }, 400, 'malformed', /smallest order of this market is 1/],
  [{ quantity: '1', limitPrice: '0.555' }, 400, 'malformed', /steps of 0\.01/],
  [{ quantity: '1', notionalUsd: '1' }, 400, 'malformed', /exactly one/],
  [{ quantity: '1', outcome: 'maybe' }, 400, 'malformed', /outcome/],
  [{ quantity: '0' }, 400, 'malformed', /zero/],
  [{ quantity: '1', marketId: 'pm-000000000000000000000000' }, 404, 'not_found', /no prediction market/],
])('%j answers %d', async (body, status, code, detail) => {
  const reply = await paper(body);
  expect([reply.status, reply.body.code]).toEqual([status, code]);
  expect(reply.body.detail).toMatch(detail);
});

test.each<[string, Partial<PredictionMarket>, number, RegExp]>([
  ['KXPAUSED', { status: 'paused', providerStatus: 'inactive' }, 409, /paused/],
  ['KXCLOSED', { closesAt: NOW - 1 }, 409, /closed at/],
  ['KXFEE', { fee: { model: 'unknown', rate: null, exponent: 1, roundingUsd: null } }, 409, /does not publish the taker fee/],
  ['KXOLDWORD', { receivedAt: NOW - 61_000 }, 422, /61 s old/],
  ['KXBADWORD', { quality: 'degraded' }, 422, /degraded/],
])('%s accepts no order', async (id, over, status, why) => {
  const market = listed(id, over);
  await createPredictionStore(api.sql).saveMarkets([market]);
  const reply = await paper({ quantity: '1' }, market);
  expect(reply.status, reply.text).toBe(status);
  expect(reply.body.detail).toMatch(why);
});

test('an old listing is read again, and its inherited fields stay', async () => {
  const market = listed('KXOLDER', { receivedAt: NOW - 61_000 });
  await createPredictionStore(api.sql).saveMarkets([market]);
  books.set(market.id, { bids: [['0.54', '100']], asks: [['0.56', '40']] });
  const { kalshi } = api.predictionVenues;
  const fresh = { ...market, event: null, fee: { model: 'unknown', rate: null, exponent: 1, roundingUsd: null }, receivedAt: NOW } as const;
  try {
    api.predictionVenues.kalshi = { ...kalshi, ask: async () => ({ markets: [fresh] }) };
    expect((await paper({ quantity: '1' }, market)).body).toMatchObject({ state: 'filled', feesUsd: '0.02' });
    api.predictionVenues.kalshi = { ...kalshi, ask: async () => ({ markets: [{ ...fresh, status: 'closed' }] }) };
    expect((await paper({ quantity: '1' }, market)).status).toBe(409);
  } finally {
    api.predictionVenues.kalshi = kalshi;
  }
});

test('a venue without a live book sells nothing; the received top is used only while it is live', async () => {
  books.clear();
  const refused = await paper({ quantity: '10' }, north);
  expect([refused.status, refused.body.rejections[0].code]).toEqual([422, 'quote_not_live']);
  api.market.set(`prediction:${north.id}.yes`, quoteOf(`prediction:${north.id}.yes`, NOW, '0.54', '0.56', 'live', '25'));
  expect((await paper({ quantity: '10' }, north)).body).toMatchObject({ state: 'filled', fills: [{ fillPrice: '0.56' }] });
  // A one-sided book is not a live book.
  books.set(south.id, { bids: [], asks: [['0.56', '40']] });
  expect((await paper({ quantity: '10' }, south)).body.rejections[0].code).toBe('quote_not_live');
  books.set(south.id, { bids: [['0.6', '1']], asks: [['0.56', '40']] });
  expect((await paper({ quantity: '10' }, south)).body.rejections[0].code).toBe('quote_not_live');
});

test('mutually exclusive outcomes are one exposure, and every breached limit is named', async () => {
  const manager = await api.token(['agent:read', 'risk:manage']);
  const prefer = (over: object) => api.call('PUT', '/v1/risk/preferences', { token: manager, body: { ...DEFAULT_PREFERENCES, ...over } });
  // The event's exposure is 5.6 dollars; a limit between the cost of 100 and of 300 contracts.
  const desk = ((await bookNow())?.holdings ?? []).reduce((sum, { costUsd }) => sum + Number(costUsd), 0);
  const limit = 50 * ((5.6 + 56) / (desk + 56) + (5.6 + 168) / (desk + 168));
  expect((await prefer({ maxUnderlyingWeightPct: Number(limit.toFixed(2)), maxTradeNotionalUsd: '200' })).status).toBe(200);
  const codes = async (body: object, market: PredictionMarket) =>
    ((await paper(body, market)).body.rejections ?? []).map(({ code }: { code: string }) => code);
  expect(await codes({ quantity: '300' }, south)).toEqual(['duplicate_underlying_breach']);
  expect(await codes({ quantity: '300', outcome: 'no' }, north)).toEqual(['duplicate_underlying_breach']);
  expect(await codes({ quantity: '400' }, south)).toEqual(['duplicate_underlying_breach', 'notional_limit_breach']);
  expect((await prefer({ maxUnderlyingWeightPct: 100, maxTradeNotionalUsd: '200' })).status).toBe(200);
  expect(await codes({ quantity: '100' }, south)).toEqual([]);
  expect((await prefer({})).status).toBe(200);
});

test('one Idempotency-Key is one order', async () => {
  const before = await held(rain);
  const first = await paper({ quantity: '1' }, rain, trader, { 'idempotency-key': 'once' });
  const again = await paper({ quantity: '1' }, rain, trader, { 'idempotency-key': 'once' });
  expect(again.text).toBe(first.text);
  expect(new Decimal(await held(rain)).minus(before).toFixed()).toBe('1');
});

test('orders at the same time are each assessed on the book that the ones before left', async () => {
  const before = new Decimal(await held(rain));
  const half = before.div(2).toDecimalPlaces(2, Decimal.ROUND_DOWN).toFixed();
  const placed = await Promise.all(Array.from({ length: 5 }, () => paper({ side: 'sell', quantity: half, limitPrice: '0.53' })));
  const sold = placed.filter(({ body }) => body.state === 'filled').length;
  expect([1, 2]).toContain(sold);
  expect((await held(rain)) === before.minus(new Decimal(half).times(sold)).toFixed() || sold === 2).toBe(true);
});

test('a viewer places none, and a foreign order answers as a missing one', async () => {
  expect((await paper({ quantity: '1' }, rain, viewer)).status).toBe(403);
  const stranger = await api.token(['agent:read'], THEIRS);
  const [{ id }] = (await api.call('GET', '/v1/prediction-orders', { token: trader })).body.items;
  const foreign = await api.call('GET', `/v1/prediction-orders/${id}`, { token: stranger });
  const missing = await api.call('GET', '/v1/prediction-orders/00000000-0000-7000-8000-00000000ffff', { token: stranger });
  expect([foreign.status, foreign.body.detail]).toEqual([404, missing.body.detail]);
  expect((await api.call('GET', '/v1/prediction-orders', { token: stranger })).body.items).toEqual([]);
});

test('a resolved market pays out each position once', async () => {
  const market = listed('KXPAYS');
  const markets = createPredictionStore(api.sql);
  await markets.saveMarkets([market]);
  books.set(market.id, { bids: [['0.24', '100']], asks: [['0.25', '100']] });
  expect((await paper({ quantity: '40' }, market)).body.state).toBe('filled');
  expect((await paper({ quantity: '30', outcome: 'no' }, market)).body.state).toBe('filled');
  const [yes, no] = market.outcomes;
  // Closed and determined but not resolved: no payout.
  await markets.saveMarkets([{ ...market, status: 'determined', receivedAt: NOW + 1 }]);
  expect(await settleResolved(api.sql, NOW + 1, contained)).toBe(0);
  const before = (await bookNow())?.capital_usd as string;
  await markets.saveMarkets([
    {
      ...market,
      status: 'resolved',
      receivedAt: NOW + 2,
      outcomes: [
        { ...yes, payout: '1' },
        { ...no, payout: '0' },
      ],
    },
  ]);
  const [settled, twice] = await Promise.all([settleResolved(api.sql, NOW + 2, contained), settleResolved(api.sql, NOW + 2, contained)]);
  expect(settled + twice).toBe(2);
  expect(new Decimal(before).minus((await bookNow())?.capital_usd as string).toFixed()).toBe('40');
  expect([await held(market), await held(market, 'no')]).toEqual(['0', '0']);
  expect(await settleResolved(api.sql, NOW + 3, contained)).toBe(0);
  const rows =
    await api.sql`select payout::text, quantity::text from prediction_settlements where market_id = ${market.id} order by payout`;
  expect(rows.map(({ payout, quantity }) => [payout, quantity])).toEqual([
    ['0', '30'],
    ['1', '40'],
  ]);
  // Books and ledger agree.
  const [off] = await api.sql`select b.id from books b join ledger_accounts a on a.book_id = b.id and a.kind = 'cash'
    join ledger_legs l on l.account_id = a.id group by b.id, b.cash_usd having sum(l.amount) <> b.cash_usd`;
  expect(off).toBeUndefined();
});

test('a row names what it may not contain', async () => {
  const [{ id }] = (await api.call('GET', '/v1/prediction-orders?state=filled', { token: trader })).body.items;
  await expect(api.sql`update prediction_orders set state = 'open' where id = ${id}`).rejects.toThrow(/ended as filled|violates/);
  await expect(api.sql`update prediction_orders set filled_quantity = 0 where id = ${id}`).rejects.toThrow(/not taken back/);
  await expect(
    api.sql`update prediction_orders set outcome = case outcome when 'no' then 'yes' else 'no' end where id = ${id}`,
  ).rejects.toThrow('permission denied');
  await expect(api.sql`delete from prediction_orders where id = ${id}`).rejects.toThrow();
});
