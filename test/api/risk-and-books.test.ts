// Risk preferences and books over HTTP: replaced with history, strictly validated, and not found for other organizations.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeRecords } from '../../src/adapters/store/actors/actor-records.ts';
import { createCandleStore } from '../../src/adapters/store/candles/candle-store.ts';
import { bookIds, type Fill } from '../../src/domain/books/book.ts';
import { DEFAULT_PREFERENCES } from '../../src/domain/risk/index.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { randomOperations } from '../domain/random-fills.ts';
import { waitFor } from '../harness/wait-for.ts';
import { type ApiUnderTest, apiUnderTest, newId, OURS, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
let reader: string;
let manager: string;
let stranger: string;
beforeAll(async () => {
  api = await apiUnderTest();
  reader = await api.token(['agent:read']);
  manager = await api.token(['agent:read', 'risk:manage']);
  stranger = await api.token(['agent:read', 'risk:manage'], THEIRS);
});
afterAll(() => api.close());

const url = '/v1/risk/preferences';
const get = async (token: string) => (await api.call('GET', url, { token })).body;
/** Returns all preferences: the defaults except these. */
const all = (but: object) => ({ ...DEFAULT_PREFERENCES, ...but });

test('defaults apply until they are changed, with no author', async () => {
  expect(await get(reader)).toEqual({ version: 0, ...DEFAULT_PREFERENCES, setBy: null, setAt: null });
  expect((await api.call('GET', `${url}/history`, { token: reader })).body).toEqual({ items: [], nextCursor: null });
});

test('they are replaced completely, with a version, a history and an audit row; another organization keeps its own', async () => {
  const first = await api.call('PUT', url, { token: manager, body: all({ maxTradeNotionalUsd: '5000.50', maxOpenPositions: 4 }) });
  expect(first.status).toBe(200);
  expect(first.body).toMatchObject({ ...DEFAULT_PREFERENCES, version: 1, maxTradeNotionalUsd: '5000.5', maxOpenPositions: 4 });
  const second = await api.call('PUT', url, { token: manager, body: all({ reduceOnly: true }) });
  expect(second.body).toMatchObject({ ...DEFAULT_PREFERENCES, version: 2, reduceOnly: true });
  expect(await get(reader)).toEqual(second.body);
  expect((await get(stranger)).version).toBe(0);
  const page = (await api.call('GET', `${url}/history?limit=1`, { token: reader })).body;
  expect(page.items).toEqual([second.body]);
  const rest = (await api.call('GET', `${url}/history?limit=5&cursor=${page.nextCursor}`, { token: reader })).body;
  expect(rest).toEqual({ items: [first.body], nextCursor: null });
  const audits = await api.sql`select action, target, before_hash, after_hash from audit where org_id = ${OURS} order by seq`;
  expect(audits.map(({ action, target }) => [action, target])).toEqual([
    ['risk_preferences.set', 'risk_preferences:1'],
    ['risk_preferences.set', 'risk_preferences:2'],
  ]);
  expect(audits[0]?.after_hash).toBe(audits[1]?.before_hash);
});

test('setting the present values creates no version', async () => {
  const before = await get(reader);
  const again = await api.call('PUT', url, { token: manager, body: all({ reduceOnly: true }) });
  expect(again.body).toEqual(before);
});

test('a repeated request under its key has the same answer and one effect', async () => {
  const put = (body: object) => api.call('PUT', url, { token: manager, body, headers: { 'idempotency-key': 'k1' } });
  const first = await put(all({ maxPoolSharePct: 2.5 }));
  const again = await put(all({ maxPoolSharePct: 2.5 }));
  expect([again.status, again.text]).toEqual([200, first.text]);
  expect(again.headers['idempotency-replayed']).toBe('true');
  expect((await put(all({ maxPoolSharePct: 3 }))).body.code).toBe('idempotency_mismatch');
  expect((await get(reader)).version).toBe(first.body.version);
});

test('ten at once: every one is a version of its own', async () => {
  const { version } = await get(reader);
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, index) => api.call('PUT', url, { token: manager, body: all({ maxOpenPositions: 20 + index }) })),
  );
  const done = answers.filter(({ status }) => status === 200).map(({ body }) => body.version as number);
  expect(new Set(done).size).toBe(done.length);
  expect(answers.every(({ status }) => status === 200 || status === 503)).toBe(true);
  expect((await get(reader)).version).toBe(version + done.length);
});

test('a change answers once the running executions have ended', async () => {
  await api.sql`insert into execution_leases (key, org_id, epoch, held_until) values ('under-way', ${OURS}, 0, clock_timestamp() + interval '1 hour')`;
  const order: string[] = [];
  const { version } = await get(reader);
  const change = api
    .call('PUT', url, { token: manager, body: all({ maxOpenPositions: 7 }) })
    .then(({ status }) => order.push(`answered ${status}`));
  await waitFor(async () => (await get(reader)).version === version + 1, { what: 'the new preferences' });
  order.push('ended');
  await api.sql`delete from execution_leases where key = 'under-way'`;
  await change;
  expect(order).toEqual(['ended', 'answered 200']);
});

test('only risk:manage sets them', async () => {
  expect((await api.call('PUT', url, { token: reader, body: {} })).body).toMatchObject({ status: 403, code: 'permission_missing' });
});

test.each([
  [{ maxTradeNotional: '1' }, '$.maxTradeNotional'],
  [{ maxTradeNotionalUsd: 5000 }, '$.maxTradeNotionalUsd'],
  [{ maxTradeNotionalUsd: '-1' }, '$.maxTradeNotionalUsd'],
  [{ maxTradeNotionalUsd: '1e3' }, '$.maxTradeNotionalUsd'],
  [{ maxLeverage: '100.5' }, '$.maxLeverage'],
  [{ maxOpenPositions: 1.5 }, '$.maxOpenPositions'],
  [{ maxPoolSharePct: 101 }, '$.maxPoolSharePct'],
  [{ reduceOnly: 'yes' }, '$.reduceOnly'],
])('%j is refused with its place', async (body, path) => {
  const answer = await api.call('PUT', url, { token: manager, body: all(body) });
  expect(answer.body).toMatchObject({ status: 400, code: 'malformed', problems: [{ path }] });
});

test.each(Object.keys(DEFAULT_PREFERENCES))('a missing limit is refused and none becomes looser: %s', async (field) => {
  const before = await get(stranger);
  const { [field as keyof typeof DEFAULT_PREFERENCES]: _, ...body } = DEFAULT_PREFERENCES;
  const answer = await api.call('PUT', url, { token: stranger, body });
  expect(answer.body).toMatchObject({ status: 400, code: 'malformed', problems: [{ path: `$.${field}` }] });
  expect(await get(stranger)).toEqual(before);
});

test('an empty replacement of the mandate is refused', async () => {
  const { status, body } = await api.call('PUT', url, { token: manager, body: {} });
  expect([status, body.code]).toEqual([400, 'malformed']);
  expect(body.problems[0]).toMatchObject({ path: '$.maxCapitalUsd', problem: 'missing' });
});

test('books are listed with cash, positions and profit; fills page by page, newest first', async () => {
  const id = bookIds.manual(OURS);
  const next = randomOperations(5, [id]);
  const fills = Array.from({ length: 400 }, next)
    .flatMap((each) => (each.kind === 'fill' ? [each.fill] : []))
    .slice(0, 120);
  const records = fills.map((fill) => ({ type: 'fill', orgId: OURS, fill }));
  await api.sql.begin((transaction) => writeRecords(transaction, records));
  const listed = (await api.call('GET', '/v1/books', { token: reader })).body;
  expect(listed.items).toHaveLength(1);
  const [row] = await api.sql`select capital_usd, realized_pnl_usd, fees_usd from books where id = ${id}`;
  expect(listed.items[0]).toMatchObject({
    id,
    agentId: null,
    mode: 'paper',
    manifestVersion: null,
    version: 120,
    fills: 120,
    // The account pays for purchases and receives sales.
    cashUsd: '0',
  });
  expect([listed.items[0].capitalUsd, listed.items[0].realizedPnlUsd, listed.items[0].feesUsd].map(Number)).toEqual(
    [row?.capital_usd, row?.realized_pnl_usd, row?.fees_usd].map(Number),
  );
  const found: string[] = [];
  for (let cursor = ''; ; ) {
    const page = (await api.call('GET', `/v1/books/${id}/fills?limit=50${cursor}`, { token: reader })).body;
    found.push(...page.items.map((fill: { id: string }) => fill.id));
    if (page.nextCursor === null) break;
    cursor = `&cursor=${page.nextCursor}`;
  }
  expect(found).toEqual(fills.map((fill) => fill.id).reverse());
  expect((await api.call('GET', `/v1/books?agentId=${newId()}`, { token: reader })).body.items).toEqual([]);
});

test('a foreign book answers like a missing one, byte for byte except the request', async () => {
  const foreign = await api.call('GET', `/v1/books/${bookIds.manual(OURS)}/fills`, { token: stranger });
  const missing = await api.call('GET', `/v1/books/${bookIds.live(newId())}/fills`, { token: stranger });
  const nonsense = await api.call('GET', '/v1/books/nothing/fills', { token: stranger });
  const plain = ({ text }: { text: string }) => text.replace(/"requestId":"[^"]+"/, '');
  expect(foreign.status).toBe(404);
  expect(plain(foreign)).toBe(plain(missing));
  expect(plain(nonsense)).toBe(plain(missing));
  expect((await api.call('GET', '/v1/books', { token: stranger })).body.items).toEqual([]);
});

test('a book’s equity follows its fills and the closes of bars, and is unknown without a bar', async () => {
  const id = bookIds.manual(THEIRS);
  const now = api.clock.now();
  const minute = 60_000;
  const first = Math.floor(now / minute) * minute - 10 * minute;
  const trade = (instrument: InstrumentKey, at: number): Fill => ({
    id: newId(),
    orderId: newId(),
    bookId: id,
    instrument,
    side: 'buy',
    quantity: '2',
    fillPrice: '100',
    feeUsd: '1',
    notionalUsd: '200',
    decisionPrice: '100',
    slippageBps: 0,
    at,
    quotes: [],
  });
  const booked = (fill: Fill) => api.sql.begin((transaction) => writeRecords(transaction, [{ type: 'fill', orgId: THEIRS, fill }]));
  await booked(trade('spotexchange:BTCUSDT', first + 1));
  const closes = ['110', '120', '90', '95'];
  await createCandleStore(api.sql).save({
    kind: 'candles',
    venue: 'spotexchange',
    instrument: 'BTCUSDT',
    timeframe: '1m',
    source: 'test',
    candles: closes.map((close, index) => ({
      openTime: first + index * minute,
      open: close,
      high: close,
      low: close,
      close,
      volume: '1',
    })),
    receivedAt: now,
  });
  const read = async (query = '') => (await api.call('GET', `/v1/books/${id}/equity${query}`, { token: stranger })).body;
  const { items, timeframe } = await read();
  expect(timeframe).toBe('1m');
  // 201 deposited and spent on two: the last price holds until the next one.
  expect(items.map(({ equityUsd }: { equityUsd: string }) => equityUsd)).toEqual(['220', '240', '180', ...Array(7).fill('190')]);
  expect(items[2]).toEqual({ at: new Date(first + 3 * minute).toISOString(), equityUsd: '180', pnlUsd: '-21', drawdownPct: 25 });
  expect((await read('?points=3')).timeframe).toBe('5m');
  await booked(trade('spotexchange:ETHUSDT', first + 5 * minute));
  const later = (await read()).items.map(({ equityUsd }: { equityUsd: string | null }) => equityUsd);
  expect(later.slice(0, 4)).toEqual(['220', '240', '180', '190']);
  expect(later.slice(4)).toEqual(Array(6).fill(null));
  const foreign = await api.call('GET', `/v1/books/${id}/equity`, { token: reader });
  expect(foreign.status).toBe(404);
});
