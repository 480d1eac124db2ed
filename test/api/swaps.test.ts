// Swaps over HTTP on the sandbox's chain: the quote, the bytes to sign, the signed result, and its visibility.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { ApiPorts } from '../../api/route.ts';
import { API_ROLE, perOrganization } from '../../src/adapters/store/callers/as-organization.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { createPreparedTransactionStore } from '../../src/adapters/store/orders/prepared-transaction-store.ts';
import { noSwaps } from '../../src/boot/capabilities/prepared-transaction.ts';
import { type SwapFixture, signedBy, swapFixture } from '../actors/prepared-transaction/swap-fixture.ts';
import { keyOf } from '../domain/solana/honest-transactions.ts';
import { testDatabase } from '../harness/postgres.ts';
import { actorsOn } from '../world/actor-world.ts';
import { type ApiUnderTest, apiUnderTest, OURS, THEIRS } from './api-under-test.ts';

let fixture: SwapFixture;
let api: ApiUnderTest;
let callers: Sql;
let trader: string;
let viewer: string;
let stranger: string;

beforeAll(async () => {
  const databaseUrl = await testDatabase();
  fixture = await swapFixture({ databaseUrl });
  await fixture.sql`insert into organizations (id, name) values (${OURS}, 'ours'), (${THEIRS}, 'theirs') on conflict do nothing`;
  callers = openDatabase({ url: databaseUrl, role: API_ROLE, name: 'swaps test callers', connections: 6 });
  // As in the service: on connections that see one organization.
  const ports = perOrganization<Pick<ApiPorts, 'swaps'>>(callers, (sql) => ({
    swaps: {
      commands: fixture.swapsOn({
        sql,
        runtime: actorsOn(sql, fixture.clock).runtime,
      }),
      reads: createPreparedTransactionStore(sql).ofPurpose('swap'),
    },
  }));
  api = await apiUnderTest(() => ports, {}, databaseUrl);
  trader = await api.token(['market:read', 'agent:read', 'trade:execute']);
  viewer = await api.token(['market:read', 'agent:read']);
  stranger = await api.token(['market:read', 'agent:read', 'trade:execute'], THEIRS);
});
afterAll(async () => {
  await api.close();
  await callers.end({ timeout: 1 });
  await fixture.close();
});
// Gives every message its own blockhash.
beforeEach(() => fixture.chain.advance(1));

const wish = { instrument: 'AAPLx', side: 'buy', amount: '100' };
const prepare = (over: object = {}, headers: Record<string, string> = {}, token = trader) =>
  api.call('POST', '/v1/spotchain/orders/prepare', {
    token,
    body: { ...wish, wallet: fixture.wallet.publicKey.toBase58(), ...over },
    headers,
  });
const execute = (id: string, signedTransaction: string, token = trader) =>
  api.call('POST', `/v1/spotchain/orders/${id}/execute`, { token, body: { signedTransaction } });

test('a quote has both sides, the minimum output, the route and the live market', async () => {
  const { status, body } = await api.call('GET', '/v1/spotchain/quote?instrument=AAPLx&side=buy&amount=100', { token: viewer });
  expect(status).toBe(200);
  expect(body).toMatchObject({
    instrument: 'spotchain:AAPLx',
    quality: 'live',
    side: 'buy',
    slippageBps: 50,
    input: { amount: '100000000', uiAmount: '100' },
  });
  expect(BigInt(body.minOutput.amount)).toBe((BigInt(body.output.amount) * 9_950n) / 10_000n);
  expect(Number(body.worstPrice)).toBeGreaterThan(Number(body.price));
  expect(Number(body.priceImpactPct)).toBeLessThan(0);
  expect(body.route).toHaveLength(1);
  // The mint names the same token.
  const byMint = await api.call('GET', `/v1/spotchain/quote?instrument=${body.output.mint}&side=buy&amount=100`, { token: viewer });
  expect(byMint.body.output).toEqual(body.output);
});

test('prepare returns what to sign; the signed bytes are accepted, and the order is followed to its fill', async () => {
  const { status, body } = await prepare();
  expect(status).toBe(201);
  expect(body).toMatchObject({ state: 'prepared', instrument: 'spotchain:AAPLx', fills: [], signature: null });
  expect(body.message.requiredSigners).toContain(fixture.wallet.publicKey.toBase58());
  const taken = await execute(body.id, signedBy(fixture.wallet, body.transaction));
  expect([taken.status, taken.body.state]).toEqual([202, 'submitted']);
  for (let round = 0; round < 20; round++) {
    await fixture.work();
    fixture.chain.advance(10);
    await fixture.pass(2_500);
  }
  const done = await api.call('GET', `/v1/spotchain/orders/${body.id}`, { token: viewer });
  expect(done.body).toMatchObject({ state: 'finalized', fills: [{ side: 'buy' }] });
  expect((await api.call('GET', '/v1/spotchain/orders', { token: viewer })).body.items[0]).toEqual(done.body);
  await fixture.cut();
  await fixture.receive();
});

test('bytes of another message are refused by name, and unsigned bytes by their missing signature', async () => {
  const [first, second] = [(await prepare()).body, (await prepare({ amount: '101' })).body];
  const other = await execute(first.id, signedBy(fixture.wallet, second.transaction));
  expect([other.status, other.body.code]).toEqual([422, 'signed_bytes_differ']);
  expect(other.body.difference.altered.length).toBeGreaterThan(0);
  const unsigned = await execute(first.id, first.transaction);
  expect([unsigned.status, unsigned.body.code]).toEqual([422, 'signature_missing']);
  const junk = await execute(first.id, Buffer.from('no transaction').toString('base64'));
  expect([junk.status, junk.body.code]).toEqual([400, 'malformed_transaction']);
  const forged = Buffer.from(signedBy(fixture.wallet, first.transaction), 'base64');
  forged[10] = (forged[10] as number) ^ 1;
  expect((await execute(first.id, forged.toString('base64'))).body.code).toBe('signature_invalid');
});

test('a body beyond 64 KiB is accepted with a transaction, and one beyond 256 KiB is not', async () => {
  const { body } = await prepare();
  const long = await execute(body.id, 'A'.repeat(100_000));
  expect([long.status, long.body.code]).toEqual([400, 'malformed_transaction']);
  expect((await execute(body.id, 'A'.repeat(300_000))).status).toBe(413);
  expect((await prepare({ instrument: 'A'.repeat(70_000) })).status).toBe(413);
});

test('an invalid wallet address is refused by name, and an amount may have all the decimals of a position', async () => {
  for (const wallet of ['z'.repeat(44), '1'.repeat(33)]) {
    const { status, body } = await prepare({ wallet });
    expect([status, body.code, body.detail]).toEqual([400, 'malformed', '$.wallet: it is not an address; allowed: 32 bytes in base58']);
  }
  const decimals = '9.123456789012345678901234567890123456';
  expect((await prepare({ side: 'sell', amount: decimals })).body.rejections).toMatchObject([{ code: 'reduce_only' }]);
  expect((await prepare({ amount: `${decimals}7` })).body.code).toBe('malformed');
});

test('the same request under one Idempotency-Key is one order', async () => {
  const first = await prepare({ amount: '55' }, { 'idempotency-key': 'once' });
  fixture.chain.advance(1);
  const again = await prepare({ amount: '55' }, { 'idempotency-key': 'once' });
  expect(again.text).toBe(first.text);
  expect((await prepare({ amount: '56' }, { 'idempotency-key': 'once' })).body.code).toBe('idempotency_mismatch');
});

test.each([
  [{ amount: '0' }, '$.amount'],
  [{ amount: '1e3' }, 'amount'],
  [{ amount: '0.0000001' }, '$.amount'],
  [{ instrument: 'NOPE' }, '$.instrument'],
  [{ instrument: 'BTCUSDT' }, '$.instrument'],
  [{ slippageBps: 1_001 }, 'slippageBps'],
  [{ slippageBps: 0.5 }, 'slippageBps'],
  [{ wallet: 'not an address' }, 'wallet'],
  [{ wallet: undefined }, 'wallet'],
  [{ maxSlippageBps: 10_000 }, 'maxSlippageBps'],
])('%j is malformed, and the answer says where', async (parts, where) => {
  const { status, body } = await prepare(parts);
  expect([status, body.code]).toEqual([400, 'malformed']);
  expect(body.detail).toContain(where);
});

test('an empty wallet is refused as such, and slippage beyond the mandate is a breach', async () => {
  const poor = await prepare({ wallet: keyOf(77).publicKey.toBase58() });
  expect([poor.status, poor.body.code, poor.body.rejections[0].code]).toEqual([422, 'blocked_by_risk', 'insufficient_balance']);
  const loose = await prepare({ slippageBps: 900 });
  expect([loose.status, loose.body.rejections.map(({ code }: { code: string }) => code)]).toEqual([422, ['slippage_budget_breach']]);
});

test('a foreign order answers like a missing one to the byte, and a viewer neither prepares nor executes', async () => {
  const { body } = await prepare({ amount: '33' });
  const signed = signedBy(fixture.wallet, body.transaction);
  const plain = ({ text }: { text: string }) => text.replace(/"requestId":"[^"]+"/, '');
  const missing = '00000000-0000-7000-8000-00000000ffff';
  for (const ask of [
    (id: string) => execute(id, signed, stranger),
    (id: string) => api.call('GET', `/v1/spotchain/orders/${id}`, { token: stranger }),
  ]) {
    const [foreign, none, odd] = [await ask(body.id), await ask(missing), await ask('no-uuid')];
    expect([foreign.status, none.status, odd.status]).toEqual([404, 404, 404]);
    expect(plain(foreign)).toBe(plain(none));
    expect(plain(odd)).toBe(plain(none));
  }
  expect((await api.call('GET', '/v1/spotchain/orders', { token: stranger })).body.items).toEqual([]);
  expect((await prepare({}, {}, viewer)).status).toBe(403);
  expect((await execute(body.id, signed, viewer)).status).toBe(403);
});

test('without a chain node no swap is possible, and the answer names the missing setting', async () => {
  const off = await apiUnderTest(() => ({ swaps: { commands: noSwaps(async () => null) } }));
  try {
    const token = await off.token(['market:read', 'trade:execute']);
    const { status, body } = await off.call('POST', '/v1/spotchain/orders/prepare', {
      token,
      body: { ...wish, wallet: fixture.wallet.publicKey.toBase58() },
    });
    expect([status, body.code]).toEqual([422, 'feature_disabled']);
    expect(body.detail).toContain('SPOTCHAIN_RPC_URL');
  } finally {
    await off.close();
  }
});
