// Delegations over the API: they need the owner's signature and the member's permission, a text grants once, the newest counts.
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDelegationStore } from '../../src/adapters/store/delegations/delegation-store.ts';
import { base58 } from '../../src/domain/solana/base58.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, OURS, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
let operator: string;
let agentId: string;
const owner = generateKeyPairSync('ed25519');
const stranger = generateKeyPairSync('ed25519');
const addressOf = (key: KeyObject) => base58(key.export({ format: 'der', type: 'spki' }).subarray(-32));
const wallet = addressOf(owner.publicKey);
const signedBy = (key: KeyObject, text: string) => sign(null, Buffer.from(text), key).toString('base64');
const inHours = (hours: number) => new Date(api.clock.now() + hours * 3_600_000).toISOString();

beforeAll(async () => {
  api = await apiUnderTest();
  operator = await api.token(['market:read', 'agent:read', 'trade:execute']);
  agentId = await createdAgent(api, operator, { name: 'delegate', universe: ['AAPLx'] });
});
afterAll(() => api.close());

const wish = (changes: object = {}) => ({
  agentId,
  wallet,
  signerWallet: 'w-1',
  maxNotionalUsd: '500',
  expiresAt: inHours(24),
  ...changes,
});
async function challenge(changes: object = {}, token = operator) {
  const body = wish(changes);
  const answer = await api.call('POST', '/v1/delegations/challenge', { token, body });
  return { ...answer, terms: { ...body, issuedAt: answer.body?.issuedAt, nonce: answer.body?.nonce } };
}
async function granted(changes: object = {}) {
  const { body, terms } = await challenge(changes);
  const answer = await api.call('POST', '/v1/delegations', {
    token: operator,
    body: { ...terms, signature: signedBy(owner.privateKey, body.text) },
  });
  expect(answer.status).toBe(201);
  return answer.body;
}

test('a delegation is granted and listed with the owner’s signature and a member who may trade', async () => {
  const { body, terms } = await challenge();
  for (const part of [OURS, agentId, wallet, '500 US dollars', terms.expiresAt, 'Signing moves nothing']) expect(body.text).toContain(part);
  const answer = await api.call('POST', '/v1/delegations', {
    token: operator,
    body: { ...terms, signature: signedBy(owner.privateKey, body.text) },
  });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ agentId, wallet, signerWallet: 'w-1', maxNotionalUsd: '500', revokedAt: null });
  const list = await api.call('GET', `/v1/delegations?agentId=${agentId}`, { token: operator });
  expect(list.body.items[0]).toEqual(answer.body);
});

test('a Take gets a delegation by its own id: its text names a Take, it is listed as one, and is valid for no other', async () => {
  const compiled = await api.call('POST', '/v1/takes/compile', { token: operator, body: { thesis: 'Buy AAPLx below $180' } });
  const takeId: string = compiled.body.id;
  const { body, terms } = await challenge({ agentId: undefined, takeId });
  expect(body.text).toContain(`Take: ${takeId}`);
  expect(body.text).toContain('I let one Take trade');
  const signature = signedBy(owner.privateKey, body.text);
  // The same signature is invalid for an agent.
  const asAgent = await api.call('POST', '/v1/delegations', { token: operator, body: { ...terms, takeId: undefined, agentId, signature } });
  expect(asAgent.body.code).toBe('signature_invalid');
  const answer = await api.call('POST', '/v1/delegations', { token: operator, body: { ...terms, signature } });
  expect(answer.status).toBe(201);
  expect(answer.body).toMatchObject({ agentId: null, takeId, wallet });
  const list = await api.call('GET', `/v1/delegations?takeId=${takeId}`, { token: operator });
  expect(list.body.items).toEqual([answer.body]);
  const codes = [];
  for (const changes of [{ takeId }, { agentId: undefined }, { agentId: takeId }, { agentId: undefined, takeId: agentId }])
    codes.push((await challenge(changes)).body.code);
  expect(codes).toEqual(['malformed', 'malformed', 'not_found', 'not_found']);
  const both = await api.call('GET', `/v1/delegations?takeId=${takeId}&agentId=${agentId}`, { token: operator });
  expect(both.body.code).toBe('malformed');
  const foreign = await api.token(['market:read', 'agent:read', 'trade:execute'], THEIRS);
  expect((await challenge({ agentId: undefined, takeId }, foreign)).body.code).toBe('not_found');
});

test('neither the signature nor the permission alone suffices', async () => {
  const { body, terms } = await challenge();
  const signature = signedBy(owner.privateKey, body.text);
  const viewer = await api.token(['market:read', 'agent:read']);
  expect((await api.call('POST', '/v1/delegations', { token: viewer, body: { ...terms, signature } })).body.code).toBe(
    'permission_missing',
  );
  const forged = await api.call('POST', '/v1/delegations', {
    token: operator,
    body: { ...terms, signature: signedBy(stranger.privateKey, body.text) },
  });
  expect([forged.status, forged.body.code]).toEqual([422, 'signature_invalid']);
});

test('a changed term, another organization or a broken signature does not match the signed text', async () => {
  const { body, terms } = await challenge();
  const signature = signedBy(owner.privateKey, body.text);
  const grant = async (changes: object, token = operator) =>
    (await api.call('POST', '/v1/delegations', { token, body: { ...terms, signature, ...changes } })).body.code;
  for (const changes of [
    { maxNotionalUsd: '501' },
    { expiresAt: inHours(25) },
    { signerWallet: 'w-2' },
    { wallet: addressOf(stranger.publicKey) },
    { nonce: '00000000-0000-7000-8000-000000000009' },
  ])
    expect(await grant(changes)).toBe('signature_invalid');
  const foreign = await api.token(['market:read', 'agent:read', 'trade:execute'], THEIRS);
  expect(await grant({}, foreign)).toBe('not_found');
  await fc.assert(
    fc.asyncProperty(fc.nat(63), fc.integer({ min: 0, max: 7 }), async (byte, bit) => {
      const bytes = Buffer.from(signature, 'base64');
      bytes[byte] = (bytes[byte] as number) ^ (1 << bit);
      expect(await grant({ signature: bytes.toString('base64') })).toBe('signature_invalid');
    }),
    { numRuns: 12 },
  );
});

test('a text grants once, and not after ten minutes', async () => {
  const { body, terms } = await challenge();
  const request = { token: operator, body: { ...terms, signature: signedBy(owner.privateKey, body.text) } };
  const first = await api.call('POST', '/v1/delegations', request);
  expect(first.status).toBe(201);
  await api.call('POST', `/v1/delegations/${first.body.id}/revoke`, { token: operator });
  expect((await api.call('POST', '/v1/delegations', request)).body.code).toBe('state_conflict');
  const late = await challenge({ expiresAt: inHours(48) });
  api.clock.advanceTo(api.clock.now() + 10 * 60_000 + 1);
  const answer = await api.call('POST', '/v1/delegations', {
    token: await api.token(['trade:execute']),
    body: { ...late.terms, signature: signedBy(owner.privateKey, late.body.text) },
  });
  expect([answer.status, answer.body.code]).toEqual([422, 'challenge_expired']);
  operator = await api.token(['market:read', 'agent:read', 'trade:execute']);
});

test('limits are enforced: no missing amount, no past, at most 90 days, no missing agent', async () => {
  for (const [changes, code] of [
    [{ maxNotionalUsd: '0.00' }, 'malformed'],
    [{ maxNotionalUsd: '-1' }, 'malformed'],
    [{ expiresAt: inHours(-1) }, 'malformed'],
    [{ expiresAt: inHours(24 * 90 + 1) }, 'malformed'],
    [{ wallet: '0x00' }, 'malformed'],
    [{ agentId: '00000000-0000-7000-8000-00000000ffff' }, 'not_found'],
  ] as const)
    expect([changes, (await challenge(changes)).body.code]).toEqual([changes, code]);
});

test('the newest counts: revoking it does not revive the previous one, and a revocation happens once', async () => {
  await granted({ maxNotionalUsd: '100' });
  const newer = await granted({ maxNotionalUsd: '200' });
  const store = createDelegationStore(api.sql);
  expect((await store.newest(OURS, agentId))?.maxNotionalUsd).toBe('200');
  const foreign = await api.token(['market:read', 'agent:read', 'trade:execute'], THEIRS);
  expect((await api.call('POST', `/v1/delegations/${newer.id}/revoke`, { token: foreign })).body.code).toBe('not_found');
  const manager = await api.token(['risk:manage']);
  const revoked = await api.call('POST', `/v1/delegations/${newer.id}/revoke`, { token: manager });
  expect(api.defects).toEqual([]);
  expect(revoked.status).toBe(200);
  expect(revoked.body.revokedAt).not.toBeNull();
  expect((await store.newest(OURS, agentId))?.revokedAt).not.toBeNull();
  expect((await api.call('POST', `/v1/delegations/${newer.id}/revoke`, { token: manager })).body.code).toBe('state_conflict');
});

test('the database neither changes nor deletes a delegation, and lets none cross organizations', async () => {
  const { id } = await granted();
  for (const statement of [
    api.sql`update delegations set max_notional_usd = 1000000 where id = ${id}`,
    api.sql`delete from delegations where id = ${id}`,
    api.sql`insert into delegation_revocations (delegation_id, org_id, revoked_by, revoked_at) values (${id}, ${THEIRS}, 'x', 1)`,
    // An agent's delegation rewritten as a Take's.
    api.sql`insert into delegations (id, org_id, trader, agent_id, wallet, signer_wallet, max_notional_usd, expires_at, issued_at, nonce, challenge, owner_signature, granted_by, granted_at)
      select gen_random_uuid(), org_id, 'take', agent_id, wallet, signer_wallet, max_notional_usd, expires_at, issued_at, nonce, 'another text', owner_signature, granted_by, granted_at
      from delegations where id = ${id}`,
  ])
    await expect(statement).rejects.toThrow();
});
