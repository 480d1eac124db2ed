// Linked wallets of both chains: verified by a signature over the newest text, once, and without any permission to trade.
import { privateKeyToAccount } from 'viem/accounts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { refuse } from '../../src/domain/values/refusal.ts';
import { base58 } from '../../src/domain/solana/base58.ts';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { type ApiUnderTest, apiUnderTest, OURS, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
let reader: string;
let marginIsUp = true;
const evm = privateKeyToAccount(`0x${'42'.repeat(32)}`);
const solana = sandboxKey('somebody');

beforeAll(async () => {
  api = await apiUnderTest(({ clock }) => ({
    wallets: {
      evm: {
        read: async (address) => ({
          ok: true,
          value: {
            address,
            chainId: 42_161,
            kind: 'account',
            nonce: 1,
            block: { number: '5', hash: '0x05', at: clock.now() - 1_000 },
            fetchedAt: clock.now(),
            native: { symbol: 'ETH', contract: null, decimals: 18, balance: '0', amount: '0' },
            tokens: [],
            unread: [],
          },
        }),
      },
      venue: {
        read: async (address) =>
          marginIsUp
            ? {
                ok: true,
                value: {
                  address,
                  observedAt: clock.now() - 40_000,
                  fetchedAt: clock.now(),
                  accountValue: '1200.5',
                  totalNotional: '300',
                  totalMarginUsed: '30',
                  withdrawable: '1170.5',
                  positions: [],
                  pnl: {} as never,
                  coverage: {} as never,
                },
              }
            : refuse('unavailable', 'evmvenue did not answer: timeout'),
      },
    },
  }));
  reader = await api.token(['agent:read'], OURS);
});
afterAll(() => api.close());

const post = (url: string, body: object, token = reader) => api.call('POST', url, { token, body });
const textFor = async (address: string, token = reader): Promise<string> =>
  (await post('/v1/wallets/challenge', { address }, token)).body.text;

test('a wallet of each chain is linked, named and listed, newest first', async () => {
  const text = await textFor(evm.address.toLowerCase());
  expect(text).toContain(`Wallet: ${evm.address}`);
  expect(text).toContain('permits nothing');
  const linked = await post('/v1/wallets', { address: evm.address, signature: await evm.signMessage({ message: text }), label: 'cold' });
  expect(linked, linked.text).toMatchObject({ status: 201, body: { chain: 'evmvenue', address: evm.address, label: 'cold' } });
  const other = await textFor(solana.address);
  const signature = Buffer.from(solana.sign(Buffer.from(other))).toString('base64');
  expect(await post('/v1/wallets', { address: solana.address, signature })).toMatchObject({
    status: 201,
    body: { chain: 'spotchain', label: null },
  });
  const { body } = await api.call('GET', '/v1/wallets', { token: reader });
  expect(body.items.map(({ address }: { address: string }) => address)).toEqual([solana.address, evm.address]);
  const stranger = await api.token(['agent:read'], THEIRS);
  expect((await api.call('GET', '/v1/wallets', { token: stranger })).body.items).toEqual([]);
});

test('a signature of the primary chain may be in base58, and linking again keeps the id and the label', async () => {
  const again = await textFor(solana.address);
  const linked = await post('/v1/wallets', { address: solana.address, signature: base58(solana.sign(Buffer.from(again))), label: 'hot' });
  const third = await textFor(solana.address);
  const renewed = await post('/v1/wallets', { address: solana.address, signature: base58(solana.sign(Buffer.from(third))) });
  expect(renewed.body.id).toBe(linked.body.id);
  expect(renewed.body.label).toBe('hot');
});

test('a text links once, only the newest one, and for ten minutes', async () => {
  const text = await textFor(evm.address);
  const signature = await evm.signMessage({ message: text });
  const newer = await textFor(evm.address);
  expect(newer).not.toBe(text);
  expect(await post('/v1/wallets', { address: evm.address, signature })).toMatchObject({
    status: 422,
    body: { code: 'signature_invalid' },
  });
  const good = await evm.signMessage({ message: newer });
  expect((await post('/v1/wallets', { address: evm.address, signature: good })).status).toBe(201);
  expect(await post('/v1/wallets', { address: evm.address, signature: good })).toMatchObject({
    status: 409,
    body: { code: 'state_conflict' },
  });
  const late = await evm.signMessage({ message: await textFor(evm.address) });
  api.clock.advanceTo(api.clock.now() + 10 * 60_000 + 1);
  expect(await post('/v1/wallets', { address: evm.address, signature: late }, await api.token(['agent:read'], OURS))).toMatchObject({
    status: 422,
    body: { code: 'challenge_expired' },
  });
});

test("another wallet's signature, a foreign text and nonsense are one clear problem each", async () => {
  const token = await api.token(['agent:read'], OURS);
  const other = privateKeyToAccount(`0x${'43'.repeat(32)}`);
  const signature = await other.signMessage({ message: await textFor(evm.address, token) });
  expect(await post('/v1/wallets', { address: evm.address, signature }, token)).toMatchObject({
    status: 422,
    body: { code: 'signature_invalid' },
  });
  expect(await post('/v1/wallets', { address: other.address, signature }, token)).toMatchObject({ status: 409 });
  expect(await post('/v1/wallets/challenge', { address: `${evm.address.slice(0, -1)}g` }, token)).toMatchObject({
    status: 400,
    body: { code: 'malformed' },
  });
  const mixed = evm.address.replace(/[a-f]/, (letter) => letter.toUpperCase());
  expect(await post('/v1/wallets/challenge', { address: mixed === evm.address ? evm.address.toUpperCase() : mixed }, token)).toMatchObject({
    status: 400,
  });
  expect(await post('/v1/wallets', { address: evm.address, signature: 'x'.repeat(90) }, token)).toMatchObject({ status: 422 });
});

test('a portfolio takes a linked wallet by label or id, for its own organization only', async () => {
  const token = await api.token(['agent:read', 'market:read'], OURS);
  const { body } = await api.call('GET', '/v1/wallets', { token });
  const [cold] = body.items.filter(({ chain }: { chain: string }) => chain === 'evmvenue');
  const portfolio = (wallets: string, by = token) => api.call('GET', `/v1/portfolio?wallets=${encodeURIComponent(wallets)}`, { token: by });
  const placesOf = (answer: { body: { places: { address: string | null }[] } }) =>
    new Set(answer.body.places.map(({ address }) => address).filter((address) => address !== null));
  expect(cold.label).toBe('cold');
  for (const name of ['cold', cold.id, `${cold.id}, cold, ${evm.address}`]) {
    const answer = await portfolio(name);
    expect(answer.status, answer.text).toBe(200);
    expect(placesOf(answer)).toEqual(new Set([evm.address]));
  }
  const stranger = await api.token(['agent:read', 'market:read'], THEIRS);
  const foreign = await portfolio('cold', stranger);
  expect(foreign).toMatchObject({ status: 400, body: { code: 'malformed' } });
  expect(JSON.stringify(foreign.body)).toContain('the id or label of a linked wallet');
  const impact = { wallets: ['cold'], allocations: [{ symbol: 'BTCUSDT', side: 'buy', notionalUsd: '10' }] };
  expect((await post('/v1/portfolio/impact', impact, token)).status).toBe(200);
  // A second wallet with the same label makes it ambiguous.
  const sameKey = privateKeyToAccount(`0x${'44'.repeat(32)}`);
  const signature = await sameKey.signMessage({ message: await textFor(sameKey.address, token) });
  expect((await post('/v1/wallets', { address: sameKey.address, signature, label: 'cold' }, token)).status).toBe(201);
  const twice = await portfolio('cold');
  expect(twice.status).toBe(400);
  expect(JSON.stringify(twice.body)).toContain('2 linked wallets are called');
});

test('a wallet is renamed and unlinked by its owner or a trader, once under a key', async () => {
  const ann = await api.token(['agent:read', 'market:read'], OURS);
  const bob = await api.token(['agent:read', 'market:read'], OURS);
  const trader = await api.token(['agent:read', 'trade:execute'], OURS);
  const stranger = await api.token(['agent:read', 'trade:execute'], THEIRS);
  const key = privateKeyToAccount(`0x${'45'.repeat(32)}`);
  const link = async () => {
    const signature = await key.signMessage({ message: await textFor(key.address, ann) });
    return post('/v1/wallets', { address: key.address, signature, label: 'first' }, ann);
  };
  const { id } = (await link()).body;
  const rename = (label: string | null, by: string, path = id) => post(`/v1/wallets/${path}/rename`, { label }, by);
  const unlink = (by: string, headers = {}) => api.call('POST', `/v1/wallets/${id}/unlink`, { token: by, body: {}, headers });
  expect(await rename('second', ann)).toMatchObject({ status: 200, body: { id, label: 'second', address: key.address } });
  expect(await rename('third', bob)).toMatchObject({ status: 403, body: { code: 'permission_missing' } });
  expect(await rename('third', trader)).toMatchObject({ status: 200, body: { label: 'third' } });
  expect(await rename(null, ann)).toMatchObject({ status: 200, body: { label: null } });
  for (const label of ['', '  ', 'x'.repeat(61), 7 as never]) expect((await rename(label, ann)).status).toBe(400);
  const missing = await rename('x', ann, '019a5b1e-7c00-7000-8000-00000000ffff');
  expect(await rename('x', stranger)).toMatchObject({ status: 404, body: { detail: missing.body.detail } });
  expect(await unlink(stranger)).toMatchObject({ status: 404 });
  expect(await unlink(bob)).toMatchObject({ status: 403, body: { code: 'permission_missing' } });
  const first = await unlink(ann, { 'idempotency-key': 'unlink-1' });
  expect(first, first.text).toMatchObject({ status: 200, body: { id, address: key.address } });
  expect((await unlink(ann, { 'idempotency-key': 'unlink-1' })).text).toBe(first.text);
  expect(await unlink(ann)).toMatchObject({ status: 404 });
  const left = (await api.call('GET', '/v1/wallets', { token: ann })).body.items;
  expect(left.map(({ address }: { address: string }) => address)).not.toContain(key.address);
  const again = await link();
  expect(again.status).toBe(201);
  expect(again.body.id).not.toBe(id);
  const sql = openDatabase({ url: api.databaseUrl, connections: 1, role: null, name: 'audit of wallets' });
  const rows = await sql<{ action: string; changes: boolean }[]>`
    select action, before_hash is distinct from after_hash as changes from audit where target = ${id} order by seq`;
  await sql.end({ timeout: 1 });
  expect(rows.map(({ action, changes }) => `${action} ${changes}`)).toEqual([
    'wallet.link true',
    'wallet.rename true',
    'wallet.rename true',
    'wallet.rename true',
    'wallet.unlink true',
  ]);
});

test('linking permits nothing', async () => {
  const token = await api.token(['agent:read'], OURS);
  const { body } = await api.call('GET', '/v1/me', { token });
  expect(body.permissions).toEqual(['agent:read']);
  expect(
    (await post('/v1/bridge/submission', { quoteId: '019a5b1e-7c00-7000-8000-00000000ffff', hash: `0x${'1'.repeat(64)}` }, token)).status,
  ).toBe(403);
});

test('a wallet of the EVM chain shows its margin account with its quality, or says that it is unknown', async () => {
  const token = await api.token(['market:read'], OURS);
  const url = `/v1/wallets/evmvenue/${evm.address}`;
  const found = await api.call('GET', url, { token });
  expect(found.body.venue).toMatchObject({
    accountValue: '1200.5',
    withdrawable: '1170.5',
    ageMs: 40_000,
    quality: 'delayed',
    openPositions: 0,
  });
  expect(found.body.venueUnread).toBeNull();
  marginIsUp = false;
  const silent = await api.call('GET', url, { token });
  expect(silent.body).toMatchObject({ venue: null, venueUnread: 'evmvenue did not answer: timeout', address: evm.address });
});
