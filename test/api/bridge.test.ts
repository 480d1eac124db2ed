// Bridge routes over the providers' wires and both chains: quotes with fee lines, verified submissions, transfers of our organization only.

import { createPrivateKey, sign } from 'node:crypto';
import { VersionedTransaction } from '@solana/web3.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVM_CHAIN_ID } from '../../src/domain/identity/evm-chain.ts';
import {
  type BridgeWorld,
  EVM_WALLET,
  openBridgeOver,
  openBridgeWorld,
  SOLANA_WALLET,
  signEvm,
  signSolana,
  wishFrom,
} from '../adapters/bridge/bridge-world.ts';
import { type ApiUnderTest, apiUnderTest, NOW, OURS, THEIRS } from './api-under-test.ts';

const PKCS8 = Buffer.from('302e020100300506032b657004220420', 'hex');
let world: BridgeWorld;
let bridge: ReturnType<typeof openBridgeOver>;
let api: ApiUnderTest;
let trader: string;
let stranger: string;

beforeAll(async () => {
  world = await openBridgeWorld(NOW);
  bridge = openBridgeOver(world);
  api = await apiUnderTest(() => ({}), {}, undefined, null, bridge);
  trader = await api.token(['market:read', 'agent:read', 'trade:execute'], OURS);
  stranger = await api.token(['market:read', 'agent:read', 'trade:execute'], THEIRS);
});
afterAll(async () => {
  await api?.close();
  bridge?.close();
  await world?.close();
});

const quote = (body: object, token = trader, headers = {}) => api.call('POST', '/v1/bridge/quote', { token, body, headers });
const submit = (body: object, token = trader) => api.call('POST', '/v1/bridge/submission', { token, body });

test('a quote names every fee, the least that arrives, the time and why this provider', async () => {
  const answer = await quote(wishFrom('spotchain', '250'));
  expect(answer.status, answer.text).toBe(201);
  const { body } = answer;
  expect(body).toMatchObject({
    state: 'quoted',
    from: 'spotchain',
    to: 'evmvenue',
    token: 'USDC',
    amount: '250',
    hash: null,
    delayed: false,
  });
  const included = body.fees.filter((fee: { included: boolean }) => fee.included);
  const sum = included.reduce((total: number, { amountUsd }: { amountUsd: string }) => total + Number(amountUsd), 0);
  expect(250 - sum).toBeCloseTo(Number(body.expectedReceived), 6);
  expect(Number(body.minimumReceived)).toBeLessThanOrEqual(Number(body.expectedReceived));
  expect(body.alternatives).toHaveLength(1);
  expect(body.explanation).toMatch(/relay costs .* USD in total and takes about \d+ s/);
  expect(body.transaction).toMatchObject({ kind: 'solana', wallet: SOLANA_WALLET.publicKey.toBase58() });
  expect(body.transaction.digest).toMatch(/^[0-9a-f]{64}$/);
  const fastest = await quote({ ...wishFrom('spotchain', '250'), provider: 'cctp' });
  expect(fastest.body).toMatchObject({ provider: 'cctp', providerKind: 'canonical', alternatives: [] });
});

test.each([
  [{ to: 'spotchain' }, 400, '$.to'],
  [{ token: 'SOL' }, 400, '$.token'],
  [{ amount: '0.5' }, 400, '$.amount: at least 1'],
  [{ amount: '1.1234567' }, 400, '$.amount'],
  [{ amount: '-5' }, 400, '$.amount'],
  [{ sender: '0x12' }, 400, '$.sender'],
  [{ recipient: SOLANA_WALLET.publicKey.toBase58() }, 400, '$.recipient'],
  [{ from: 'mars' }, 400, 'from'],
  [{ amount: '9000000' }, 422, 'no provider offers this transfer'],
])('a quote that asks for %j is refused with one clear problem', async (change, status, words) => {
  const answer = await quote({ ...wishFrom('spotchain', '250'), ...change });
  expect(answer.status, answer.text).toBe(status);
  expect(`${answer.body.detail} ${JSON.stringify(answer.body.problems ?? '')}`).toContain(words);
});

test('signed bytes are accepted once, and answer with the transfer’s state when sent again', async () => {
  const { body } = await quote(wishFrom('spotchain', '20'));
  const signedTransaction = signSolana(body.transaction.unsigned);
  const first = await submit({ quoteId: body.id, signedTransaction });
  expect(first.status, first.text).toBe(202);
  expect(first.body).toMatchObject({ id: body.id, state: 'submitted' });
  const again = await submit({ quoteId: body.id, signedTransaction });
  expect(again.status).toBe(202);
  expect(again.body.hash).toBe(first.body.hash);
  const byHash = await submit({ quoteId: body.id, hash: first.body.hash });
  expect(byHash.status).toBe(202);
  const listed = await api.call('GET', '/v1/bridge/transfers', { token: trader });
  expect(listed.body.items.map(({ id }: { id: string }) => id)).toEqual([body.id]);
  const status = await api.call('GET', `/v1/bridge/status?id=${body.id}`, { token: trader });
  expect(status.body.axes.source.state).toBe('unseen');
});

test('a hash of the primary chain must be a signature over the quoted message', async () => {
  const one = await quote(wishFrom('spotchain', '20'));
  const other = await quote(wishFrom('spotchain', '21'));
  const signed = VersionedTransaction.deserialize(Buffer.from(signSolana(other.body.transaction.unsigned), 'base64'));
  const { base58 } = await import('../../src/domain/solana/base58.ts');
  const refused = await submit({ quoteId: one.body.id, hash: base58(signed.signatures[0] as Uint8Array) });
  expect(refused).toMatchObject({ status: 422, body: { code: 'signature_invalid' } });
  const own = await submit({ quoteId: other.body.id, hash: base58(signed.signatures[0] as Uint8Array) });
  expect(own).toMatchObject({ status: 202, body: { state: 'submitted', broadcast: null } });
});

test('an EVM transaction that differs in any field is refused before it is sent, naming the field', async () => {
  const { body } = await quote(wishFrom('evmvenue', '30'));
  expect(body.transaction).toMatchObject({ kind: 'evm', chainId: EVM_CHAIN_ID, from: EVM_WALLET.address, value: '0' });
  expect(body.transaction.approval).not.toBeNull();
  const other = await quote(wishFrom('evmvenue', '31'));
  const cases: readonly (readonly [object, string])[] = [
    [{ ...body.transaction, chainId: 1 }, 'chain 1 instead of 42161'],
    [{ ...body.transaction, value: '1' }, 'value 1 instead of 0'],
    [{ ...body.transaction, to: EVM_WALLET.address }, 'to '],
    [other.body.transaction, 'data'],
  ];
  for (const [transaction, words] of cases) {
    const refused = await submit({ quoteId: body.id, signedTransaction: await signEvm(transaction as never, 0) });
    expect(refused, refused.text).toMatchObject({ status: 422, body: { code: 'signed_bytes_differ' } });
    expect(refused.body.detail).toContain(words);
  }
  const taken = await submit({ quoteId: body.id, signedTransaction: await signEvm(body.transaction, 1) });
  expect(taken, taken.text).toMatchObject({ status: 202, body: { state: 'submitted' } });
  const twice = await submit({ quoteId: body.id, signedTransaction: await signEvm(body.transaction, 2) });
  expect(twice).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
  const claimed = await submit({ quoteId: other.body.id, hash: taken.body.hash });
  expect(claimed).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
});

test('an expired quote, a foreign transfer and a missing one answer alike', async () => {
  const { body } = await quote(wishFrom('evmvenue', '30'));
  const signedTransaction = await signEvm(body.transaction, 9);
  const foreign = await submit({ quoteId: body.id, signedTransaction }, stranger);
  const missing = await submit({ quoteId: '019a5b1e-7c00-7000-8000-00000000ffff', signedTransaction }, stranger);
  expect(foreign.status).toBe(404);
  expect(foreign.body.detail).toBe(missing.body.detail);
  expect((await api.call('GET', `/v1/bridge/status?id=${body.id}`, { token: stranger })).status).toBe(404);
  expect((await api.call('GET', '/v1/bridge/transfers', { token: stranger })).body.items).toEqual([]);
  api.clock.advanceTo(api.clock.now() + 600_000);
  world.clock.forward(600_000);
  world.mine(2_400);
  const late = await submit({ quoteId: body.id, signedTransaction });
  expect(late).toMatchObject({ status: 409, body: { code: 'state_conflict' } });
  expect(late.body.detail).toContain('the quote has expired');
});

test('both or neither of transaction and hash, and unreadable bytes, are one clear problem each', async () => {
  const { body } = await quote(wishFrom('evmvenue', '30'));
  expect((await submit({ quoteId: body.id })).status).toBe(400);
  expect((await submit({ quoteId: body.id, hash: `0x${'1'.repeat(64)}`, signedTransaction: '0x02' })).status).toBe(400);
  expect(await submit({ quoteId: body.id, signedTransaction: '0x02ff' })).toMatchObject({
    status: 400,
    body: { code: 'malformed_transaction' },
  });
});

test('an emergency halt since the quote refuses signed bytes, and a new quote works', async () => {
  const { body } = await quote(wishFrom('evmvenue', '30'));
  const risk = await api.token(['risk:manage'], OURS);
  expect((await api.call('POST', '/v1/agents/emergency-halt', { token: risk, body: {} })).status).toBe(200);
  expect(await submit({ quoteId: body.id, signedTransaction: await signEvm(body.transaction, 20) })).toMatchObject({
    status: 409,
    body: { code: 'halted' },
  });
  const anew = await quote(wishFrom('evmvenue', '30'));
  expect((await submit({ quoteId: anew.body.id, signedTransaction: await signEvm(anew.body.transaction, 20) })).status).toBe(202);
});

test('a quote takes linked wallets by label or id on the right chain, and an unlinked one changes no transfer', async () => {
  const solanaKey = createPrivateKey({ key: Buffer.concat([PKCS8, Buffer.alloc(32, 21)]), format: 'der', type: 'pkcs8' });
  const link = async (address: string, signed: (text: string) => Promise<string> | string) => {
    const { text } = (await api.call('POST', '/v1/wallets/challenge', { token: trader, body: { address } })).body;
    const body = { address, signature: await signed(text), label: 'own' };
    const linked = await api.call('POST', '/v1/wallets', { token: trader, body });
    expect(linked.status, linked.text).toBe(201);
    return linked.body.id as string;
  };
  // One label on both chains: each end takes the wallet of its chain.
  const onEvm = await link(EVM_WALLET.address, (message) => EVM_WALLET.signMessage({ message }));
  const onSolana = await link(SOLANA_WALLET.publicKey.toBase58(), (text) => sign(null, Buffer.from(text), solanaKey).toString('base64'));
  const wish = wishFrom('evmvenue', '33');
  for (const named of [
    { ...wish, sender: 'own', recipient: 'own' },
    { ...wish, sender: onEvm, recipient: onSolana },
  ])
    expect(await quote(named)).toMatchObject({ status: 201, body: { sender: wish.sender, recipient: wish.recipient } });
  expect(await quote({ ...wish, sender: onSolana })).toMatchObject({ status: 400, body: { code: 'malformed' } });
  const unknown = await quote({ ...wish, recipient: 'nobody' });
  expect(unknown).toMatchObject({ status: 400, body: { code: 'malformed' } });
  expect(unknown.body.detail).toContain('no linked wallet of spotchain is called so');
  expect((await quote({ ...wish, sender: 'own' }, stranger)).status).toBe(400);
  const { body } = await quote({ ...wish, sender: 'own', recipient: 'own' });
  const taken = await submit({ quoteId: body.id, signedTransaction: await signEvm(body.transaction, 40) });
  expect(taken.status, taken.text).toBe(202);
  for (const id of [onEvm, onSolana])
    expect((await api.call('POST', `/v1/wallets/${id}/unlink`, { token: trader, body: {} })).status).toBe(200);
  const after = await api.call('GET', `/v1/bridge/status?id=${body.id}`, { token: trader });
  expect(after.body).toEqual(taken.body);
  expect((await quote({ ...wish, sender: 'own' })).status).toBe(400);
});

test('the same Idempotency-Key gets the same quote', async () => {
  const headers = { 'idempotency-key': 'bridge-1' };
  const one = await quote(wishFrom('spotchain', '40'), trader, headers);
  const two = await quote(wishFrom('spotchain', '40'), trader, headers);
  expect(two.body.id).toBe(one.body.id);
});

test('the number of open quotes is limited, and one more is refused', async () => {
  const { body } = await quote(wishFrom('spotchain', '41'), stranger);
  await api.owner`
    with copies as (
      insert into actors (id, org_id, kind, machine, version, snapshot, status)
      select gen_random_uuid(), org_id, kind, machine, version, snapshot, status from actors, generate_series(2, 50) where id = ${body.id}
      returning id)
    insert into bridge_transfers (id, org_id, provider, from_chain, to_chain, amount_usd, state, body, created_at, changed_at)
    select c.id, t.org_id, t.provider, t.from_chain, t.to_chain, t.amount_usd, t.state, t.body, t.created_at, t.changed_at
    from copies c, bridge_transfers t where t.id = ${body.id}`;
  expect((await quote(wishFrom('spotchain', '42'), stranger)).body).toMatchObject({
    status: 429,
    code: 'too_many_prepared',
    detail: expect.stringContaining('50 quotes are open'),
  });
});
