// Closing an agent's positions over HTTP: permissions, refusals, one effect per key, and the answer.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeRecords } from '../../src/adapters/store/actors/actor-records.ts';
import { bookIds } from '../../src/domain/books/book.ts';
import { quoteOf } from '../actors/proposal/trading-fixture.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, newId, OURS, THEIRS } from './api-under-test.ts';

const BTC = 'spotexchange:BTCUSDT';
const ETH = 'spotexchange:ETHUSDT';

let api: ApiUnderTest;
let trader: string;
let reader: string;
let stranger: string;
let id: string;
beforeAll(async () => {
  api = await apiUnderTest();
  trader = await api.token(['agent:read', 'trade:execute']);
  reader = await api.token(['agent:read']);
  stranger = await api.token(['agent:read', 'trade:execute'], THEIRS);
  id = await createdAgent(api, trader);
});
afterAll(() => api.close());

const close = (body: unknown = {}, token = trader, headers = {}) =>
  api.call('POST', `/v1/agents/${id}/close`, { token, ...(body === undefined ? {} : { body }), headers });

/** Books a purchase on the paper book of the agent's first version, as a step does. */
async function bought(instrument: string): Promise<void> {
  const fill = {
    id: newId(),
    orderId: newId(),
    bookId: bookIds.paper(id, 1),
    instrument,
    side: 'buy',
    quantity: '0.01',
    fillPrice: '3000',
    feeUsd: '0.03',
    notionalUsd: '30',
    decisionPrice: '3000',
    slippageBps: 0,
    at: 1_772_461_860_000,
    quotes: [],
  };
  await api.sql.begin((transaction) => writeRecords(transaction as never, [{ type: 'fill', orgId: OURS, fill }]));
}

test('an agent without positions has nothing to close, and a foreign one is not found', async () => {
  const nothing = await close();
  expect([nothing.status, nothing.body.code, nothing.body.detail]).toEqual([409, 'state_conflict', 'the agent holds nothing to close']);
  expect((await close({}, stranger)).status).toBe(404);
  expect((await close({}, reader)).status).toBe(403);
  expect((await api.call('GET', `/v1/agents/${id}`, { token: reader })).body).toMatchObject({ paused: false, closing: [] });
});

test.each<[string, unknown, string]>([
  ['a limit without an instrument', { limitPrice: '5' }, '$.limitPrice'],
  ['a limit of zero', { instrument: BTC, limitPrice: '0.00' }, 'zero'],
  ['a limit between two ticks', { instrument: BTC, limitPrice: '5.001' }, 'multiple of 0.01'],
  ['a limit that is a number', { instrument: BTC, limitPrice: 5 }, '$.limitPrice'],
  ['an unknown field', { quantity: '5' }, 'quantity'],
])('%s is refused', async (_, body, said) => {
  const reply = await close(body);
  expect(reply.status, reply.text).toBe(400);
  expect(reply.text).toContain(said);
});

test('positions are closed once per key, with an audit record; the last request applies', async () => {
  await bought(BTC);
  await bought(ETH);
  const one = { instrument: BTC, limitPrice: '70000.5' };
  const first = await close(one, trader, { 'idempotency-key': 'close-1' });
  expect(first.status, first.text).toBe(200);
  expect(first.body).toMatchObject({ id, state: 'paused', paused: true, pauseCause: 'operator', closing: [one] });
  expect((await close(one, trader, { 'idempotency-key': 'close-1' })).text).toBe(first.text);
  expect((await close({}, trader, { 'idempotency-key': 'close-1' })).body.code).toBe('idempotency_mismatch');
  expect((await close({ instrument: 'spotexchange:SOLUSDT' })).body.detail).toContain(`it holds ${BTC}, ${ETH}`);
  expect((await close({ instrument: ETH })).body.closing).toMatchObject([one, { instrument: ETH, limitPrice: null }]);
  // Without a body everything is closed.
  expect((await close(undefined)).body.closing).toMatchObject([{ instrument: null, limitPrice: null }]);
  expect((await api.call('GET', `/v1/agents/${id}`, { token: reader })).body.closing).toHaveLength(1);
  const audits = await api.sql`select action from audit where target = ${id} and action = 'agent.close'`;
  expect(audits).toHaveLength(3);
  expect(api.defects).toEqual([]);
});

test('a close says what it waits for: a frozen exchange, or a market worse than its limit', async () => {
  const got = async () => (await api.call('GET', `/v1/agents/${id}`, { token: reader })).body.closing;
  const stale = (key: string) =>
    `the price of ${key} is not live: the quote of ${key} is stale (over_age), only a live one can price an order`;
  for (const key of [BTC, ETH] as const) api.market.set(key, quoteOf(key, api.clock.now(), '60000', '60010'));
  const wish = { instrument: BTC, limitPrice: '60000.5' };
  expect((await close(wish)).body.closing).toMatchObject([
    { instrument: null, waitingFor: { cause: 'queue', detail: `a worker sells ${ETH} as soon as it has capacity and risk allows it` } },
    { ...wish, waitingFor: { cause: 'market', detail: `the market pays 60000 for ${BTC}, less than the limit of 60000.5` } },
  ]);
  // Nothing more is received: live quotes become stale by age alone.
  api.clock.advanceTo(api.clock.now() + 60_000);
  expect(await got()).toMatchObject([
    { instrument: null, waitingFor: { cause: 'venue', detail: stale(ETH) } },
    { ...wish, waitingFor: { cause: 'venue', detail: stale(BTC) } },
  ]);
  api.market.delete(ETH);
  expect((await close({}, trader, { 'idempotency-key': 'close-2' })).body.closing).toMatchObject([
    { waitingFor: { cause: 'venue', detail: `${stale(BTC)}; the price of ${ETH} is not live: no quote was received` } },
  ]);
  // A list has no prices.
  const [listed] = (await api.call('GET', '/v1/agents', { token: reader })).body.items;
  expect(listed.closing).toEqual([{ instrument: null, limitPrice: null, closedBy: expect.any(String), at: expect.any(String) }]);
  expect((await api.call('GET', `/v1/agents/${id}`, { token: await api.token(['agent:read'], THEIRS) })).status).toBe(404);
  expect(api.defects).toEqual([]);
});
