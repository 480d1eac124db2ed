// Portfolio over HTTP: books of one organization at live prices, added wallets, the five scenarios, and the impact of an allocation.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeRecords } from '../../src/adapters/store/actors/actor-records.ts';
import { writeFunding, writeSettlements } from '../../src/adapters/store/books/book-store.ts';
import { createReserveStore } from '../../src/adapters/store/vaults/reserve-store.ts';
import { bookIds, type Fill } from '../../src/domain/books/book.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import type { Quality } from '../../src/domain/market/quote.ts';
import { refuse } from '../../src/domain/values/refusal.ts';
import { compareReserves, exchangePlace } from '../../src/domain/books/reserves.ts';
import { DEFAULT_PREFERENCES } from '../../src/domain/risk/preferences.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { PublicWallet } from '../../src/domain/identity/wallet.ts';
import { quoteOf } from '../actors/proposal/trading-fixture.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, newId, OURS, THEIRS } from './api-under-test.ts';

const BTC: InstrumentKey = 'spotexchange:BTCUSDT';
const AAPL: InstrumentKey = 'spotchain:AAPLx';
const MINT = 'XsbEhLAtcf6HdfpFZ5xEMdqW8nfAvcsP5bdudRLJzJp';
const ADDRESS = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
const MANUAL = bookIds.manual(OURS);

let api: ApiUnderTest;
let reader: string;
let stranger: string;
beforeAll(async () => {
  api = await apiUnderTest(() => ({
    wallets: {
      venue: {
        read: async (address) =>
          address === ADDRESS ? { ok: true, value: ACCOUNT } : refuse('malformed', 'address: the checksum is wrong'),
      },
      evm: { read: async () => refuse('unavailable', 'the node of the EVM chain did not answer') },
    },
  }));
  reader = await api.token(['agent:read']);
  stranger = await api.token(['agent:read'], THEIRS);
});
afterAll(() => api.close());

const ACCOUNT: PublicWallet = {
  address: ADDRESS,
  observedAt: Date.UTC(2026, 2, 2, 14, 30, 59),
  fetchedAt: Date.UTC(2026, 2, 2, 14, 31),
  accountValue: '1000',
  totalNotional: '5000',
  totalMarginUsed: '500',
  withdrawable: '500',
  positions: [
    {
      coin: 'BTC',
      size: '-0.1',
      entryPrice: '50000',
      positionValue: '5000',
      unrealizedPnl: '0',
      liquidationPrice: null,
      marginUsed: '500',
      leverage: 10,
      marginMode: 'cross',
      fundingSinceOpen: null,
    },
  ],
  pnl: {} as never,
  coverage: {} as never,
};

const get = async (query = '', token = reader) => {
  const reply = await api.call('GET', `/v1/portfolio${query}`, { token });
  expect(reply.status, reply.text).toBe(200);
  return reply.body;
};
const post = (body: object, token = reader) => api.call('POST', '/v1/portfolio/impact', { token, body });
const quoted = (key: InstrumentKey, bid: string, ask: string, quality: Quality = 'live') =>
  api.market.set(key, { ...quoteOf(key, api.clock.now(), bid, ask), quality, flags: quality === 'live' ? [] : ['over_age'] });
const scenarioOf = (body: { scenarios: { id: string; lossUsd: string }[] }) =>
  Object.fromEntries(body.scenarios.map(({ id, lossUsd }) => [id, lossUsd]));

function fillOf(bookId: string, instrument: InstrumentKey, quantity: string, fillPrice: string): Fill {
  const id = newId();
  return {
    id,
    orderId: id,
    bookId,
    instrument,
    side: 'buy',
    quantity,
    fillPrice,
    feeUsd: '0',
    notionalUsd: new Decimal(quantity).times(fillPrice).toFixed(),
    decisionPrice: fillPrice,
    slippageBps: 0,
    at: api.clock.now(),
    quotes: [],
  };
}
const booked = async (orgId: string, fills: readonly Fill[]) => {
  await api.sql.begin((transaction) =>
    writeRecords(
      transaction,
      fills.map((fill) => ({ type: 'fill', orgId, fill })),
    ),
  );
};
/** Records the last cut's pool depth of an instrument. */
const observed = async (instrument: InstrumentKey, liquidityUsd: string) => {
  const slot = api.clock.now() - 60_000;
  await api.sql`insert into cuts (slot, source, instruments) values (${slot}, 'streams', 1)`;
  await api.sql`insert into observations (slot, instrument, hash, body) values (${slot}, ${instrument}, 'h', ${JSON.stringify({ liquidityUsd })})`;
};

test('without bookings the portfolio is empty, with five scenarios of nothing', async () => {
  const body = await get();
  expect(body).toMatchObject({
    mode: 'paper',
    places: [],
    holdings: [],
    unread: [],
    totals: { valueUsd: '0', coverage: 'complete', leverage: null },
  });
  expect(body.scenarios.map(({ id }: { id: string }) => id)).toEqual([
    'equity_selloff',
    'private_mark_reset',
    'crypto_crash',
    'liquidity_freeze',
    'weekend_gap',
  ]);
  expect(body.scenarios.every(({ lossPct }: { lossPct: number | null }) => lossPct === null)).toBe(true);
});

test('an allocation of a fresh organization adds what the account pays for it, and no cash of the mandate', async () => {
  quoted(BTC, '49990', '50010');
  const { body } = await post({ mode: 'paper', allocations: [{ instrument: BTC, side: 'buy', notionalUsd: '5000' }] });
  // `before` equals the portfolio; the account pays for purchases.
  expect(body.before.totals.valueUsd).toBe((await get()).totals.valueUsd);
  expect(body.after.places.map(({ id }: { id: string }) => id)).toEqual([MANUAL]);
  expect(body.after.totals.cashUsd).toBe('0');
  expect(Number(body.after.totals.valueUsd)).toBeGreaterThan(4_950);
  expect(Number(body.after.totals.valueUsd)).toBeLessThan(5_000);
  expect(body.allocations[0]).toMatchObject({ wouldPass: true, price: '50010' });
  expect(await api.sql`select 1 from books where org_id = ${OURS}`).toHaveLength(0);
});

test('the manual book and agents’ books are one portfolio; each holding has its place, value and price', async () => {
  const maker = await api.token(['agent:read', 'trade:execute']);
  const agentId = await createdAgent(api, maker);
  const agentBook = bookIds.paper(agentId, 1);
  const fill = fillOf(MANUAL, BTC, '0.1', '40000');
  await booked(OURS, [fill]);
  await booked(OURS, [fillOf(agentBook, AAPL, '10', '180')]);
  quoted(BTC, '49990', '50010');
  quoted(AAPL, '199', '201');
  await observed(AAPL, '40000');
  const body = await get();
  expect(body.places.map(({ id, agentId: owner, cashUsd }: never) => [id, owner, cashUsd])).toEqual([
    [MANUAL, null, '0'],
    [agentBook, agentId, '48200'],
  ]);
  expect(
    body.holdings.map(({ place, symbol, mark, valueUsd, costUsd, pricing }: never) => [place, symbol, mark, valueUsd, costUsd, pricing]),
  ).toEqual([
    [MANUAL, 'BTCUSDT', '50000', '5000', '4000', 'live'],
    [agentBook, 'AAPLx', '200', '2000', '1800', 'live'],
  ]);
  expect(body.totals).toMatchObject({ valueUsd: '55200', cashUsd: '48200', liveUsd: '7000', qualifiedUsd: '0', coverage: 'complete' });
  // 15 % of 5000 and 10 % of 2000; 30 % and 3 %; 2 % (2000 is just 5 % of 40000); 7 %.
  expect(scenarioOf(body)).toEqual({
    equity_selloff: '950',
    private_mark_reset: '0',
    crypto_crash: '1560',
    liquidity_freeze: '40',
    weekend_gap: '140',
  });
  expect(body.exits).toMatchObject([{ instrument: AAPL, sharePct: 5, large: false, exceedsLimit: false }]);
  // A Monday morning in New York: the session is open, so the next one opens on Tuesday.
  expect(body.scenarios[4].opensAt).toBe('2026-03-03T14:30:00.000Z');
  expect(body.inputs.find(({ id }: { id: string }) => id === `fills:${MANUAL}/${BTC}`).refers).toEqual([fill.id]);
});

test('realized, unrealized and today’s profit add up book by book, and paper is never added to real money', async () => {
  const reply = await api.call('GET', '/v1/portfolio/performance', { token: reader });
  expect(reply.status, reply.text).toBe(200);
  const { totals, books, mode } = reply.body;
  expect(mode).toBe('paper');
  // 0.1 bought at 40000 and worth 50000; 10 bought at 180 and worth 200; no sales and no fees.
  expect(totals).toMatchObject({
    equityUsd: '55200',
    pnlUsd: '1200',
    realizedPnlUsd: '0',
    unrealizedPnlUsd: '1200',
    feesUsd: '0',
    // Both were bought today, so today's result is the total.
    todayUsd: '1200',
  });
  expect(books.map(({ bookId, pnlUsd, unpriced, notLive }: never) => [bookId, pnlUsd, unpriced, notLive])).toEqual([
    [MANUAL, '1000', [], []],
    [expect.stringMatching(/^agent:.*:paper:1$/), '200', [], []],
  ]);
  const live = await api.call('GET', '/v1/portfolio/performance?mode=live', { token: reader });
  expect(live.body).toMatchObject({ mode: 'live', books: [], totals: { equityUsd: '0', pnlUsd: '0', todayUsd: '0' } });
  const theirs = await api.call('GET', '/v1/portfolio/performance', { token: stranger });
  expect(theirs.body.books).toEqual([]);
});

test('profit based on a missing price is unknown, and a price that is not live is named', async () => {
  quoted(BTC, '49990', '50010', 'stale');
  const stale = await api.call('GET', '/v1/portfolio/performance', { token: reader });
  expect(stale.body.books[0]).toMatchObject({ notLive: [BTC], pnlUsd: '1000' });
  api.market.delete(BTC);
  const missing = await api.call('GET', '/v1/portfolio/performance', { token: reader });
  expect(missing.body.books[0]).toMatchObject({ unpriced: [BTC], equityUsd: null, pnlUsd: null, realizedPnlUsd: '0' });
  expect(missing.body.totals).toMatchObject({ equityUsd: null, pnlUsd: null, unrealizedPnlUsd: null, realizedPnlUsd: '0' });
  quoted(BTC, '49990', '50010');
});

test('every id referenced by a number is in the answer', async () => {
  const body = await get();
  const known = new Set([...body.inputs, ...body.holdings, ...body.places].map(({ id }: { id: string }) => id));
  const unknown: string[] = [];
  JSON.stringify(body, (key, value) => {
    if (key === 'inputs' && Array.isArray(value)) unknown.push(...value.filter((id) => typeof id === 'string' && !known.has(id)));
    return value;
  });
  expect(unknown).toEqual([]);
});

test('a quote that is not live is named, and a missing one leaves its holding out of every sum', async () => {
  quoted(BTC, '49990', '50010', 'stale');
  api.market.delete(AAPL);
  const body = await get();
  expect(body.qualified).toEqual([{ holding: `${MANUAL}/${BTC}`, why: 'its quote is stale, over_age' }]);
  expect(body.unpriced).toMatchObject([{ why: `no quote received for ${AAPL}` }]);
  expect(body.totals).toMatchObject({ valueUsd: '53200', liveUsd: '0', qualifiedUsd: '5000', coverage: 'partial' });
  expect(body.scenarios[0]).toMatchObject({ coverage: 'partial', lossUsd: '750', leftOut: [body.unpriced[0].holding] });
});

test('another organization sees its own portfolio only', async () => {
  quoted(BTC, '49990', '50010');
  expect((await get('', stranger)).places).toEqual([]);
  await booked(THEIRS, [fillOf(bookIds.manual(THEIRS), BTC, '0.01', '50000')]);
  const theirs = await get('', stranger);
  expect(theirs.places.map(({ id }: { id: string }) => id)).toEqual([bookIds.manual(THEIRS)]);
  expect(theirs.totals.valueUsd).toBe('500');
  expect((await get()).places.map(({ id }: { id: string }) => id)).not.toContain(bookIds.manual(THEIRS));
});

test('a wallet is shown next to the live books; its missing parts are named', async () => {
  quoted('evmvenue:BTC', '49990', '50010');
  const body = await get(`?wallets=${ADDRESS},${MINT},${ADDRESS}`);
  expect(body).toMatchObject({
    mode: 'live',
    totals: { valueUsd: '1000', cashUsd: '6000', liveUsd: '-5000', coverage: 'partial', leverage: 5 },
  });
  expect(body.holdings).toMatchObject([{ symbol: 'BTC', side: 'short', quantity: '-0.1', valueUsd: '-5000', assetClass: 'perpetual' }]);
  expect(body.unread).toEqual([
    { address: ADDRESS, asked: 'evmchain', why: 'the node of the EVM chain did not answer' },
    { address: MINT, asked: 'spotchain', why: 'no node of the primary chain that reads wallets is configured' },
  ]);
  expect(scenarioOf(body)).toMatchObject({ equity_selloff: '-750', crypto_crash: '-1500', weekend_gap: '0' });
});

test('an allocation is shown before and after with limits and verdict, and stores nothing', async () => {
  quoted(BTC, '49990', '50010');
  quoted(AAPL, '199', '201');
  const tables = ['books', 'fills', 'market_orders', 'proposals', 'ledger_transactions', 'audit', 'announcements', 'idempotency_keys'];
  const known = await api.sql<
    { name: string }[]
  >`select table_name as name from information_schema.tables where table_name = any(${tables}::text[])`;
  const counts = async () =>
    Promise.all(known.map(async ({ name }) => [name, (await api.sql`select count(*)::int as n from ${api.sql(name)}`)[0]?.['n']]));
  const before = await counts();
  const { status, body } = await post({
    allocations: [
      { symbol: 'AAPLx', side: 'buy', notionalUsd: '402' },
      { instrument: BTC, side: 'sell', notionalUsd: '2400' },
    ],
  });
  expect(status).toBe(200);
  expect(await counts()).toEqual(before);
  expect(known.length).toBeGreaterThan(4);
  const [bought, sold] = body.allocations;
  // A pool share of 5 % is the default limit, and 2000 of 40000 are held already.
  expect(bought).toMatchObject({ id: 'allocation:0', instrument: AAPL, wouldPass: false, price: '201', note: 'risk would refuse it' });
  expect(bought.risk.rejections.map(({ code }: { code: string }) => code)).toEqual(['pool_liquidity_breach']);
  expect(bought.limits.find(({ code }: { code: string }) => code === 'pool_liquidity_breach')).toMatchObject({
    limitUsd: '2000',
    beforeUsd: '2000',
    keeps: false,
  });
  expect(bought.limits.find(({ code }: { code: string }) => code === 'notional_limit_breach')).toMatchObject({
    limitUsd: '1000000',
    beforeUsd: '0',
    keeps: true,
  });
  expect(sold).toMatchObject({ wouldPass: true, price: '49990', limits: [], note: '' });
  // The sale is sized at half a percent below the bid: 2400 / 49740.05, rounded to the lot.
  expect(sold.quantity).toBe('0.04825');
  const held = (side: typeof body.before) =>
    Object.fromEntries(side.instruments.map(({ instrument, quantity }: never) => [instrument, quantity]));
  expect(held(body.before)).toEqual({ [BTC]: '0.1', [AAPL]: '10' });
  expect(held(body.after)[BTC]).toBe('0.05175');
  expect(new Decimal(held(body.after)[AAPL]).gt(11.9)).toBe(true);
  expect([body.before.exits[0].large, body.after.exits[0].large]).toEqual([false, true]);
  expect(body.before.scenarios[3].lossUsd).toBe('40');
  const after = new Decimal(held(body.after)[AAPL]).times(200);
  expect(body.after.scenarios[3].lossUsd).toBe(after.times('0.27').toFixed());
  expect(body.before.sectors.map(({ sector }: { sector: string }) => sector)).toEqual(['crypto', 'technology', 'cash']);
});

test('two allocations that pass alone are assessed together, and the second is rejected', async () => {
  const manager = await api.token(['agent:read', 'risk:manage']);
  const set = await api.call('PUT', '/v1/risk/preferences', { token: manager, body: { ...DEFAULT_PREFERENCES, maxPositionWeightPct: 10 } });
  expect(set.status).toBe(200);
  // A tenth of about 55200 plus the order's proceeds; 5000 are held.
  const half = { instrument: BTC, side: 'buy', notionalUsd: '400' };
  const alone = (await post({ allocations: [half] })).body.allocations;
  expect(alone[0].wouldPass).toBe(true);
  const both = (await post({ allocations: [half, half] })).body;
  expect(both.allocations.map(({ wouldPass }: { wouldPass: boolean }) => wouldPass)).toEqual([true, false]);
  expect(both.allocations[1].risk.rejections.map(({ code }: { code: string }) => code)).toEqual(['position_weight_breach']);
  expect(both.after.instruments.find(({ instrument }: { instrument: string }) => instrument === BTC)).toMatchObject({
    limitPct: 10,
    exceedsLimit: true,
  });
});

test('a position weight limit is measured on the books’ holdings, whatever the mandate allows', async () => {
  const manager = await api.token(['agent:read', 'risk:manage'], THEIRS);
  const body = { ...DEFAULT_PREFERENCES, maxPositionWeightPct: 10, maxCapitalUsd: '10000000' };
  expect((await api.call('PUT', '/v1/risk/preferences', { token: manager, body })).status).toBe(200);
  const allocations = [{ instrument: BTC, side: 'buy', notionalUsd: '1000' }];
  const [simulated] = (await post({ allocations }, stranger)).body.allocations;
  expect(simulated.risk.rejections.map(({ code }: { code: string }) => code)).toEqual(['position_weight_breach']);
  // 500 are held and 1,001 come: a tenth of the total.
  const weight = simulated.limits.find(({ code }: { code: string }) => code === 'position_weight_breach');
  expect(Number(weight.limitUsd)).toBeLessThan(151);
});

test('without a live quote nothing is simulated, and the reason is the risk code', async () => {
  quoted(BTC, '49990', '50010', 'stale');
  const { body } = await post({ allocations: [{ instrument: BTC, side: 'buy', notionalUsd: '500' }] });
  expect(body.allocations[0]).toMatchObject({
    wouldPass: false,
    quantity: '0',
    price: null,
    risk: { verdict: 'blocked', rejections: [{ code: 'quote_not_live' }] },
  });
  expect(body.allocations[0].note).toContain('has no live ask');
  expect(body.after.totals).toEqual(body.before.totals);
});

test.each([
  ['?mode=both', 'query.mode'],
  ['?wallets=nonsense', 'query.wallets'],
  [`?mode=paper&wallets=${ADDRESS}`, 'query.mode'],
  [`?wallets=${[1, 2, 3, 4, 5, 6].map((n) => `0x${String(n).repeat(40)}`).join(',')}`, 'query.wallets'],
  ['?wallet=x', 'query.wallet'],
])('GET %s is refused with its place', async (query, path) => {
  const { body } = await api.call('GET', `/v1/portfolio${query}`, { token: reader });
  expect(body).toMatchObject({ status: 400, code: 'malformed', problems: [{ path }] });
});

test('an address with a wrong checksum is refused', async () => {
  const mistyped = ADDRESS.replace('cC2', 'Cc2');
  const { body } = await api.call('GET', `/v1/portfolio?wallets=${ADDRESS},${mistyped}`, { token: reader });
  // Both spellings are one wallet: the last one given is read.
  expect(body).toMatchObject({ status: 400, code: 'malformed', detail: `wallets, ${mistyped}: address: the checksum is wrong` });
});

const buy = (more: object) => ({ allocations: [{ side: 'buy', notionalUsd: '10', ...more }] });
test.each([
  [{}, '$.allocations'],
  [{ allocations: [] }, '$.allocations'],
  [buy({}), '$.allocations[0]'],
  [buy({ symbol: 'AAPLx', instrument: AAPL }), '$.allocations[0]'],
  [buy({ symbol: 'AAPLy' }), '$.allocations[0].symbol'],
  [buy({ instrument: 'spotexchange:DOGE' }), '$.allocations[0].instrument'],
  [buy({ symbol: 'AAPLx', notionalUsd: '0.00' }), '$.allocations[0].notionalUsd'],
  [buy({ symbol: 'AAPLx', notionalUsd: 10 }), '$.allocations[0].notionalUsd'],
  [buy({ symbol: 'AAPLx', notionalUsd: '-5' }), '$.allocations[0].notionalUsd'],
  [buy({ symbol: 'AAPLx', side: 'short' }), '$.allocations[0].side'],
  [{ ...buy({ symbol: 'AAPLx' }), mode: 'paper', wallets: [ADDRESS] }, '$.mode'],
  [{ ...buy({ symbol: 'AAPLx' }), wallets: ['0x1'] }, '$.wallets'],
])('POST %j is refused with its place', async (body, path) => {
  expect((await post(body)).body).toMatchObject({ status: 400, code: 'malformed', problems: [{ path }] });
});

test('market:read alone sees no portfolio', async () => {
  const viewer = await api.token(['market:read']);
  expect((await api.call('GET', '/v1/portfolio', { token: viewer })).body).toMatchObject({ status: 403, code: 'permission_missing' });
  expect((await post({ allocations: [{ symbol: 'AAPLx', side: 'buy', notionalUsd: '1' }] }, viewer)).status).toBe(403);
});

test('no request caused a defect', () => {
  expect(api.defects).toEqual([]);
});

test('total equity curve: ledgers folded at the observed mids, ending at the present figures', async () => {
  const course = async (query = '?mode=live', token = reader) => (await api.call('GET', `/v1/portfolio/equity${query}`, { token })).body;
  const figures = async () => (await api.call('GET', '/v1/portfolio/performance?mode=live', { token: reader })).body.totals;
  const minute = 60_000;
  const now = api.clock.now();
  const begin = Math.floor(now / minute) * minute - 8 * minute;
  // The book was opened eight minutes ago. Three of the cuts since then observed both instruments, one did not, and one minute has none.
  const id = bookIds.manual(OURS, 'live');
  await booked(
    OURS,
    [fillOf(id, BTC, '0.1', '40000'), fillOf(id, AAPL, '10', '180')].map((fill) => ({ ...fill, at: begin })),
  );
  quoted(BTC, '49990', '50010');
  quoted(AAPL, '199', '201');
  const cut = async (slot: number, mids: Readonly<Record<string, string | null>>) => {
    await api.sql`insert into cuts (slot, source, instruments) values (${slot}, 'streams', 2) on conflict do nothing`;
    for (const [key, mid] of Object.entries(mids))
      await api.sql`insert into observations (slot, instrument, hash, body) values (${slot}, ${key}, 'h', ${JSON.stringify({ quote: { mid } })})`;
  };
  await cut(begin + minute, { [BTC]: '41000.5', [AAPL]: '181' });
  await cut(begin + 2 * minute - 20_000, { [BTC]: '42000', [AAPL]: '182.25' });
  await cut(begin + 3 * minute, { [BTC]: '43000', [AAPL]: null });
  await cut(begin + 5 * minute, { [BTC]: '45000', [AAPL]: '185' });
  const body = await course();
  expect(body).toMatchObject({ mode: 'live', timeframe: '1m', openedAt: new Date(begin).toISOString(), observedFrom: null });
  // 5800 deposited; 0.1 bought for 40000 and 10 for 180.
  expect(body.items.slice(0, 5).map(({ at, equityUsd, pnlUsd }: never) => [at, equityUsd, pnlUsd])).toEqual(
    [
      ['5910.05', '110.05'],
      ['6022.5', '222.5'],
      [null, null],
      [null, null],
      ['6350', '550'],
    ].map(([equity, earned], index) => [new Date(begin + (index + 1) * minute).toISOString(), equity, earned]),
  );
  const totals = await figures();
  expect(body.items.at(-1)).toMatchObject({ at: new Date(now).toISOString(), equityUsd: totals.equityUsd, pnlUsd: totals.pnlUsd });
  // Today's result equals that of the figures.
  const { todayUsd, equityUsd } = await figures();
  const { today } = await course('?mode=live&points=2');
  expect(today).toEqual({ startUsd: new Decimal(equityUsd).minus(todayUsd).toFixed(), changeUsd: todayUsd });
  expect(await course('?mode=live', stranger)).toMatchObject({ openedAt: null, items: [], today: { startUsd: '0', changeUsd: '0' } });
});

test('free dollars of a connected account are in total, weights, scenarios and impact, once', async () => {
  quoted(BTC, '49990', '50010');
  // The organization holds nothing live, and its mandate allows a tenth of that in one position.
  const none = await get('?mode=live', stranger);
  expect(none).toMatchObject({ places: [], totals: { valueUsd: '0' } });
  const account = exchangePlace('7', [{ asset: 'USDT', free: '9990', locked: '10' }]);
  const books = { cashUsd: '0', capitalUsd: '0' };
  const check = compareReserves(
    { cashUsd: '0', cashAt: { spotexchange: '0', spotchain: '0' }, holdings: [], depositedUsd: '0', books },
    [account],
    api.clock.now(),
  );
  await createReserveStore(api.sql).keep(THEIRS, check, null);
  const funded = await get('?mode=live', stranger);
  expect(funded).toMatchObject({
    places: [{ id: 'accounts:free', kind: 'free_dollars', cashUsd: '10000' }],
    totals: { valueUsd: '10000' },
  });
  expect(funded.scenarios[0]).toMatchObject({ beforeUsd: '10000', lossPct: 0 });
  const impact = async (notionalUsd: string) =>
    (await post({ mode: 'live', allocations: [{ instrument: BTC, side: 'buy', notionalUsd }] }, stranger)).body;
  const { before, after, allocations } = await impact('990');
  const codes = ({ risk }: { risk: { rejections: { code: string }[] } }) => risk.rejections.map(({ code }) => code);
  expect(codes(allocations[0])).toEqual(['feature_disabled']);
  expect(before.totals.valueUsd).toBe('10000');
  // The position gets what leaves the account, except the fee and half the spread.
  const { quantity, feeUsd } = allocations[0];
  expect(after.totals.valueUsd).toBe(new Decimal(10_000).minus(feeUsd).minus(new Decimal(quantity).times(10)).toFixed());
  expect(after.instruments[0].weightPct).toBeLessThan(10);
  const large = (await impact('1010')).allocations[0];
  expect(codes(large)).toEqual(['position_weight_breach', 'feature_disabled']);
  expect(large.limits.find(({ code }: { code: string }) => code === 'position_weight_breach').limitUsd).toBe('1000');
  // The account pays for a booked purchase: the total stays the same.
  await booked(THEIRS, [fillOf(bookIds.manual(THEIRS, 'live'), BTC, '0.01', '50000')]);
  expect((await get('?mode=live', stranger)).totals).toMatchObject({ cashUsd: '9500', valueUsd: '10000' });
  // Coins that no book bought are outside the books: shown, but not as dollars.
  const coins = exchangePlace('7', [
    { asset: 'USDT', free: '9500', locked: '0' },
    { asset: 'BTC', free: '0.11', locked: '0' },
  ]);
  const bought = [{ instrument: BTC, quantity: '0.01' }];
  const capital = { cashUsd: '0', capitalUsd: '500' };
  const claims = {
    cashUsd: '0',
    cashAt: { spotexchange: '0', spotchain: '0' },
    holdings: bought,
    depositedUsd: '0',
    books: capital,
  } as const;
  await createReserveStore(api.sql).keep(THEIRS, compareReserves(claims, [coins], api.clock.now()), null);
  const owning = await get('?mode=live', stranger);
  expect(owning.totals).toMatchObject({ cashUsd: '9500', valueUsd: '15000', liveUsd: '500', qualifiedUsd: '5000' });
  expect(owning.holdings.find(({ place }: { place: string }) => place === 'accounts:free')).toMatchObject({
    quantity: '0.1',
    costUsd: null,
    valueUsd: '5000',
  });
  // No other organization sees it, and paper does not include it.
  expect((await get('?mode=live')).places.map(({ id }: { id: string }) => id)).not.toContain('accounts:free');
  expect((await get('', stranger)).totals.valueUsd).toBe('500');
});

test("today's result counts from midnight: later bookings are deducted, at the mids of the last cut before", async () => {
  const maker = await api.token(['agent:read', 'trade:execute']);
  const [held, unseen] = [await createdAgent(api, maker), await createdAgent(api, maker)].map((id) => bookIds.paper(id, 1));
  const minute = 60_000;
  const midnight = Math.floor(api.clock.now() / 86_400_000) * 86_400_000;
  const at = (time: number, bookId: string, ...terms: [InstrumentKey, string, string]): Fill => ({ ...fillOf(bookId, ...terms), at: time });
  const sold = (fill: Fill): Fill => ({ ...fill, side: 'sell' });
  await booked(OURS, [
    { ...at(midnight - 120 * minute, held as string, AAPL, '10', '180'), feeUsd: '1' },
    at(midnight - 1, held as string, BTC, '0.01', '40000'),
    // The first millisecond of a day belongs to it.
    sold(at(midnight, held as string, AAPL, '3', '197')),
    { ...at(midnight + 60 * minute, held as string, AAPL, '5', '198'), feeUsd: '0.5' },
    sold(at(midnight + 61 * minute, held as string, BTC, '0.01', '41000')),
    at(midnight - minute, unseen as string, 'spotchain:TSLAx', '1', '300'),
  ]);
  const observedAt = async (slot: number, mids: Readonly<Record<string, string>>) => {
    await api.sql`insert into cuts (slot, source, instruments) values (${slot}, 'streams', 2)`;
    for (const [key, mid] of Object.entries(mids))
      await api.sql`insert into observations (slot, instrument, hash, body) values (${slot}, ${key}, 'h', ${JSON.stringify({ quote: { mid } })})`;
  };
  // Quotes too old for the day, older than the last one, the last one, and one of the new day.
  await observedAt(midnight - 8 * 24 * 60 * minute, { 'spotchain:TSLAx': '290' });
  await observedAt(midnight - 2 * minute, { [AAPL]: '190', [BTC]: '39000' });
  // The day's last cut lacks one instrument's mid, so its previous one counts.
  await observedAt(midnight - 1.5 * minute, { [BTC]: '40500' });
  await observedAt(midnight - minute, { [AAPL]: '195' });
  await observedAt(midnight + minute, { [AAPL]: '300', [BTC]: '50000' });
  quoted(AAPL, '199', '201');
  quoted('spotchain:TSLAx', '309', '311');
  const { body } = await api.call('GET', '/v1/portfolio/performance', { token: reader });
  const of = (id: string | undefined) => body.books.find(({ bookId }: { bookId: string }) => bookId === id);
  // Yesterday 10 * (195 - 180) - 1 + 0.01 * (40500 - 40000); today 3 * (197 - 195) + 7 * (200 - 195) + 5 * (200 - 198) - 0.5 + 0.01 * (41000 - 40500).
  expect(of(held)).toMatchObject({ pnlUsd: '209.5', todayUsd: '55.5' });
  expect(of(unseen)).toMatchObject({ pnlUsd: '10', todayUsd: null, todayWithout: ['spotchain:TSLAx'] });
  // It is left out of the total, which is known nevertheless.
  expect(body.totals.todayWithout).toEqual(['spotchain:TSLAx']);
  expect(body.totals.todayUsd).not.toBeNull();
});

test("today's result leaves out everything of an instrument without a price of midnight: its payout, its funding, and tokens brought in", async () => {
  const maker = await api.token(['agent:read', 'trade:execute']);
  const paper = bookIds.paper(await createdAgent(api, maker), 1);
  const live = bookIds.manual(THEIRS, 'live');
  const [outcome, perp, coin]: InstrumentKey[] = [`prediction:pm-${'0'.repeat(24)}.yes`, 'evmvenue:DOGE', 'spotchain:NVDAx'];
  const midnight = Math.floor(api.clock.now() / 86_400_000) * 86_400_000;
  const at = (time: number, bookId: string, ...terms: [InstrumentKey, string, string]): Fill => ({ ...fillOf(bookId, ...terms), at: time });
  await booked(OURS, [
    at(midnight - 120_000, paper, BTC, '0.01', '40000'),
    at(midnight - 120_000, paper, outcome as InstrumentKey, '10', '0.4'),
    at(midnight - 120_000, paper, perp as InstrumentKey, '100', '1'),
  ]);
  await booked(THEIRS, [
    at(midnight - 120_000, live, BTC, '0.01', '40000'),
    at(midnight - 120_000, live, coin as InstrumentKey, '1', '100'),
    // Two of the three tokens were in the wallet before.
    { ...at(midnight + 60_000, live, coin as InstrumentKey, '3', '110'), side: 'sell' },
  ]);
  await api.sql.begin(async (transaction) => {
    await writeSettlements(transaction, [
      {
        orgId: OURS,
        settlement: { bookId: paper, instrument: outcome as InstrumentKey, quantity: '10', payout: '1', at: midnight + 60_000 },
      },
    ]);
    const payment = { instrument: perp as InstrumentKey, hour: midnight, paidUsd: '2' };
    await writeFunding(transaction, { orgId: OURS, bookId: paper }, [payment], midnight + 60_000);
  });
  // The price that earlier tests bought it at today.
  quoted(BTC, '50000', '50000');
  quoted(perp as InstrumentKey, '1.5', '1.5');
  for (const [mode, id, without] of [
    ['paper', paper, [perp, outcome]],
    ['live', live, [coin]],
  ] as const) {
    const token = mode === 'paper' ? reader : stranger;
    const { body } = await api.call('GET', `/v1/portfolio/performance?mode=${mode}`, { token });
    // Bitcoin's midnight price comes from the cuts of the test above.
    const { todayUsd, todayWithout } = body.books.find(({ bookId }: { bookId: string }) => bookId === id);
    expect([todayUsd, todayWithout.toSorted()]).toEqual(['95', without]);
  }
});

test('a perpetual names its margin and the price at which it is liquidated, after the funding that it paid', async () => {
  const maker = await api.token(['agent:read', 'trade:execute'], THEIRS);
  const perp: InstrumentKey = 'evmvenue:BTC';
  const books: string[] = [];
  for (const maxLeverage of ['5', '1']) {
    const book = bookIds.paper(await createdAgent(api, maker, { maxLeverage, maxCapitalUsd: 100_000 }), 1);
    await booked(THEIRS, [fillOf(book, perp, '1', '50000'), fillOf(book, AAPL, '1', '100')]);
    books.push(book);
  }
  const payment = { instrument: perp, hour: api.clock.now() + 3_600_000, paidUsd: '100' };
  await api.sql.begin((transaction) => writeFunding(transaction, { orgId: THEIRS, bookId: books[0] as string }, [payment], payment.hour));
  const { holdings } = await get('', stranger);
  const margins = books.map((id) => holdings.flatMap(({ place, margin }: never) => (place === id ? [margin] : [])));
  expect(margins).toEqual([
    // Four fifths are borrowed, the maintenance margin is an eightieth: (40000 + 100) / (1 - 1/80).
    [{ leverage: '5', marginUsd: '10000', liquidationPrice: '40607.594936708861' }, null],
    [{ leverage: '1', marginUsd: '50000', liquidationPrice: null }, null],
  ]);
});
