// Live prediction orders over HTTP on connections that see one organization, with the sandbox's chain and on-chain venue.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type OnchainFixture, onchainFixture } from '../actors/prediction-order/onchain-fixture.ts';
import { type ApiUnderTest, apiUnderTest, NOW, THEIRS } from './api-under-test.ts';
import { waitFor } from '../harness/wait-for.ts';

let fixture: OnchainFixture;
let api: ApiUnderTest;
let trader: string;
beforeAll(async () => {
  fixture = await onchainFixture({ at: NOW });
  await fixture.sql`insert into organizations (id, name) values (${THEIRS}, 'theirs')`;
  api = await apiUnderTest(() => ({}), {}, fixture.databaseUrl, { venue: fixture.venue, chain: fixture.rpc });
  trader = await api.token(['market:read', 'agent:read', 'trade:execute']);
});
afterAll(async () => {
  await api.close();
  await fixture.close();
});
beforeEach(async () => {
  await fixture.list();
});

/** Calls the API, whose clock stands still; the chain's and the venue's go on. */
function call(...request: Parameters<ApiUnderTest['call']>) {
  api.clock.advanceTo(Math.max(api.clock.now(), fixture.clock.now()));
  return api.call(...request);
}
const prepare = (body: object = {}, token = trader, headers: Record<string, string> = {}) =>
  call('POST', '/v1/prediction-orders/prepare', {
    token,
    headers,
    body: {
      marketId: fixture.market.id,
      outcome: 'yes',
      side: 'buy',
      notionalUsd: '20',
      maxSlippageBps: 500,
      wallet: fixture.wallet.address,
      ...body,
    },
  });
const execute = (id: string, signedTransaction: string, token = trader, headers: Record<string, string> = {}) =>
  call('POST', `/v1/prediction-orders/${id}/execute`, { token, headers, body: { signedTransaction } });
const get = (id: string, token = trader) => call('GET', `/v1/prediction-orders/${id}`, { token });

test('prepare, sign, execute, open, filled', async () => {
  const made = await prepare();
  expect(made.status, made.text).toBe(201);
  const { order, transaction } = made.body;
  expect(order).toMatchObject({
    state: 'prepared',
    mode: 'live',
    marketId: fixture.market.id,
    fills: [],
    onchain: { transactionId: transaction.id },
  });
  expect(transaction).toMatchObject({
    state: 'prepared',
    wallet: fixture.wallet.address,
    requiredSigners: [fixture.wallet.address],
    signature: null,
  });
  const sent = await execute(order.id, fixture.signed(transaction.unsigned));
  expect(sent.status, sent.text).toBe(202);
  expect(sent.body).toMatchObject({
    id: transaction.id,
    state: 'submitted',
    signature: expect.stringMatching(/^[1-9A-HJ-NP-Za-km-z]{64,90}$/),
  });
  expect((await get(order.id)).body).toMatchObject({ state: 'submitted', fills: [] });
  await fixture.work();
  fixture.chain.finalize();
  await fixture.pass(2_500);
  expect((await get(order.id)).body).toMatchObject({ state: 'open', filledQuantity: '0', fills: [] });
  const micro = (text: string): bigint => BigInt(Math.round(Number(text) * 1e6));
  const { contracts, orderAccount } = order.onchain;
  fixture.onchain.keeper.fill(orderAccount, micro(contracts), micro(order.limitPrice));
  await fixture.pass(60_000);
  const { body: filled } = await get(order.id);
  expect(filled).toMatchObject({ state: 'filled', filledQuantity: contracts, fills: [{ side: 'buy', fillPrice: order.limitPrice }] });
  expect((await call('GET', '/v1/prediction-orders?mode=live&state=filled', { token: trader })).body.items).toEqual([filled]);
});

describe('prepare', () => {
  test('one Idempotency-Key is one order and one transaction', async () => {
    const first = await prepare({}, trader, { 'idempotency-key': 'once' });
    const again = await prepare({}, trader, { 'idempotency-key': 'once' });
    expect(first.status).toBe(201);
    expect(again.text).toBe(first.text);
    expect((await prepare({ notionalUsd: '21' }, trader, { 'idempotency-key': 'once' })).body.code).toBe('idempotency_mismatch');
  });

  test('never buys more than requested, though the venue buys with the whole deposit', async () => {
    // The market moves between two requests to the venue: then the answer says so and the request is repeated as asked.
    const asked = (wish: object) =>
      waitFor(
        async () => {
          const answer = await prepare(wish);
          return answer.body.detail === 'the venue would buy more than requested: try again' ? null : answer;
        },
        { what: 'an order of the wish' },
      );
    for (const notionalUsd of ['10', '11.11', '17.3', '23.99']) {
      const { status, body, text } = await asked({ notionalUsd });
      expect(status, text).toBe(201);
      expect(Number(body.order.notionalUsd)).toBeLessThanOrEqual(Number(notionalUsd));
      expect(Number(body.order.notionalUsd)).toBeGreaterThan(Number(notionalUsd) - 0.5);
    }
    for (const quantity of ['25', '31.41']) {
      const { status, body, text } = await asked({ notionalUsd: undefined, quantity });
      expect(status, text).toBe(201);
      expect(Number(body.order.quantity)).toBeLessThanOrEqual(Number(quantity));
    }
  });

  test.each<[object, number, string]>([
    [{ wallet: 'not-an-address-in-base58-0OIl-xxxxxxxxx' }, 400, 'malformed'],
    [{ wallet: 'short' }, 400, 'malformed'],
    [{ marketId: 'pm-000000000000000000000000' }, 404, 'not_found'],
    [{ notionalUsd: '3' }, 409, 'state_conflict'],
    [{ notionalUsd: '5000000' }, 422, 'blocked_by_risk'],
    // Another owner's empty wallet.
    [{ wallet: 'Vote111111111111111111111111111111111111111' }, 409, 'state_conflict'],
  ])('%j answers %d %s', async (body, status, code) => {
    const reply = await prepare(body);
    expect([reply.status, reply.body.code], reply.text).toEqual([status, code]);
  });
});

describe('execute', () => {
  test('accepts only the prepared bytes, from its own organization', async () => {
    const { order, transaction } = (await prepare()).body;
    const signed = fixture.signed(transaction.unsigned);
    const stranger = await api.token(['agent:read', 'trade:execute'], THEIRS);
    expect((await execute(order.id, signed, stranger)).status).toBe(404);
    const reader = await api.token(['market:read', 'agent:read']);
    expect((await execute(order.id, signed, reader)).status).toBe(403);
    expect((await execute('nope', signed)).status).toBe(404);
    expect((await execute(order.id, 'AAAA')).body.code).toBe('malformed_transaction');
    const long = await execute(order.id, 'A'.repeat(100_000));
    expect([long.status, long.body.code, long.body.detail]).toEqual([400, 'malformed_transaction', expect.stringContaining('1232')]);
    expect((await execute(order.id, transaction.unsigned)).body.code).toBe('signature_missing');
    // A wallet that raises its compute unit price by one.
    const bytes = Buffer.from(transaction.unsigned, 'base64');
    const at = bytes.indexOf(Buffer.from([3, 0xe8, 0x03, 0, 0, 0, 0, 0, 0]));
    bytes[at + 1] = 0xe9;
    const altered = await execute(order.id, fixture.signed(bytes.toString('base64')));
    expect(altered.body).toMatchObject({ status: 422, code: 'signed_bytes_differ', detail: expect.stringContaining('Compute Budget') });
    expect((await get(order.id)).body.state).toBe('prepared');
    expect((await execute(order.id, signed)).status).toBe(202);
    expect((await execute(order.id, signed)).status).toBe(202);
  });

  test('a paper order is not executed', async () => {
    const book = {
      marketId: fixture.market.id,
      provider: 'kalshi',
      source: 'kalshi:orderbook',
      bids: [{ price: '0.4', size: '10' }],
      asks: [{ price: '0.5', size: '10' }],
    } as const;
    api.predictionVenues.kalshi = {
      trades: async () => [],
      book: async () => ({ ...book, observedAt: api.clock.now(), receivedAt: api.clock.now() }),
    };
    const { body } = await call('POST', '/v1/prediction-orders/paper', {
      token: trader,
      body: { marketId: fixture.market.id, outcome: 'yes', side: 'buy', quantity: '1' },
    });
    expect((await execute(body.id, 'AAAA')).body).toMatchObject({ status: 409, detail: expect.stringContaining('paper') });
  });
});
