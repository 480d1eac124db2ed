// Remote signer over its wire with its simulator: what it signs, whom it refuses, and every failure.
import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { authorizationKey, authorizationText } from '../../../src/adapters/identity/authorization-signature.ts';
import { createRemoteSigner, type RemoteSigner } from '../../../src/adapters/identity/signer/remote-signer.ts';
import { verifyEd25519 } from '../../../src/adapters/solana/ed25519.ts';
import { fromBase58 } from '../../../src/domain/solana/base58.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import { toPreparedMessage, verifySigned } from '../../../src/domain/solana/verify.ts';
import {
  createRemoteSignerSimulator,
  type RemoteSignerSimulator,
  SANDBOX_SIGNER_APP,
  sessionWallet,
} from '../../../src/sandbox/identity/remote-signer.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';

const pkcs8 = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'der', type: 'pkcs8' }).toString('base64');
const key = authorizationKey(`wallet-auth:${pkcs8}`);
if (key === null) throw new Error('the key of the test is none');
const stranger = authorizationKey(
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString(),
);
if (stranger === null) throw new Error('the other key of the test is none');

const WALLET = 'session-1';
const { address } = sessionWallet(WALLET);
/** Unsigned legacy transaction written by hand: one signer, one program, one instruction. */
const unsigned = Buffer.concat([
  Uint8Array.of(1),
  new Uint8Array(64),
  Uint8Array.of(1, 0, 1, 2),
  fromBase58(address) as Uint8Array,
  new Uint8Array(32).fill(7),
  new Uint8Array(32).fill(9),
  Uint8Array.of(1, 1, 1, 0, 2, 5, 6),
]);
const read = readTransaction(unsigned);
if (!read.ok) throw new Error(read.refusal.detail);
const prepared = toPreparedMessage(read.value, 100);

const clock = createLiveClock();
let simulator: RemoteSignerSimulator;
let signer: RemoteSigner;
const signerWith = (over: object = {}) =>
  createRemoteSigner({
    baseUrl: `${simulator.url}/`,
    appId: SANDBOX_SIGNER_APP.id,
    appSecret: SANDBOX_SIGNER_APP.secret,
    key,
    clock,
    ...over,
  });
const delegate = (signers: readonly object[]) =>
  fetch(`${simulator.url}/v1/wallets/${WALLET}`, {
    method: 'PATCH',
    headers: {
      authorization: `Basic ${Buffer.from(`${SANDBOX_SIGNER_APP.id}:${SANDBOX_SIGNER_APP.secret}`).toString('base64')}`,
      'privy-app-id': SANDBOX_SIGNER_APP.id,
    },
    body: JSON.stringify({ additional_signers: signers }),
  });

beforeEach(async () => {
  simulator = await createRemoteSignerSimulator({ clock, port: 0, authorizationKeys: () => [key.publicKey] });
  signer = signerWith();
  await delegate([{ signer_id: 'service' }]);
});
afterEach(() => simulator.close());

const asked = async (through = signer) => {
  const answer = await through.signTransaction(WALLET, unsigned, 'order-1');
  if (answer.outcome !== 'signed') return answer;
  const verified = verifySigned(prepared, answer.signed, verifyEd25519);
  return verified.ok ? 'as prepared' : verified.refusal.code;
};

test('the signature covers the canonical request, as the provider documents it', () => {
  const request = {
    method: 'POST',
    url: 'https://api.privy.io/v1/wallets/w/rpc',
    body: { z: 1, a: { c: [1, 'é'], b: null } },
    headers: { 'privy-app-id': 'app' },
  } as const;
  const text = authorizationText(request);
  expect(text).toBe(
    '{"body":{"a":{"b":null,"c":[1,"é"]},"z":1},"headers":{"privy-app-id":"app"},"method":"POST","url":"https://api.privy.io/v1/wallets/w/rpc","version":1}',
  );
  const publicKey = createPublicKey({ key: Buffer.from(key.publicKey, 'base64'), format: 'der', type: 'spki' });
  expect(verify('sha256', Buffer.from(text), publicKey, Buffer.from(key.signature(request), 'base64'))).toBe(true);
});

test('keys are accepted in the provider’s format or as PEM; anything else is refused', () => {
  const pem = `-----BEGIN PRIVATE KEY-----\\n${pkcs8}\\n-----END PRIVATE KEY-----`;
  for (const given of [pkcs8, `wallet-api:${pkcs8}`, pem, `${pem}\n`]) expect(authorizationKey(given)?.publicKey).toBe(key.publicKey);
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
  for (const given of ['', 'wallet-auth:', 'changeme', p384, pkcs8.slice(0, 40)]) expect(authorizationKey(given)).toBeNull();
});

test('a delegated wallet signs exactly what was prepared', async () => {
  expect(await asked()).toBe('as prepared');
  expect(simulator.signed.get(WALLET)).toBe(1);
});

test.each([
  ['altered', 'signed_bytes_differ'],
  ['wrong_signature', 'signature_invalid'],
  ['other_key', 'signature_invalid'],
  ['unsigned', 'signature_missing'],
] as const)('an answer that is %s is refused as %s', async (conduct, code) => {
  simulator.behave(conduct);
  expect(await asked()).toBe(code);
});

test('an unregistered key, wrong credentials and a missing delegation have separate messages', async () => {
  expect(await asked(signerWith({ key: stranger }))).toMatchObject({ outcome: 'refused', code: 'signer_unauthorized' });
  expect(await asked(signerWith({ appSecret: 'guessed' }))).toMatchObject({ outcome: 'refused', code: 'signer_unauthorized' });
  await delegate([]);
  const answer = await asked();
  expect(answer).toMatchObject({ outcome: 'refused', code: 'signer_delegation_missing' });
  expect(JSON.stringify(answer)).toContain('its owner has to add the session signer');
  expect(simulator.signed.size).toBe(0);
});

test('a lost, garbled, postponed or missing answer leaves nothing signed here, and asking again gives the same', async () => {
  for (const fault of [{ lostAnswer: 1 }, { garbage: 1 }, { status429: 1 }, { status5xx: 1 }]) {
    simulator.faults.set(fault);
    expect(await asked()).toMatchObject({ outcome: 'unavailable' });
    simulator.faults.reset();
  }
  expect(await asked()).toBe('as prepared');
  expect(await asked(signerWith({ baseUrl: 'http://127.0.0.1:9' }))).toMatchObject({ outcome: 'unavailable' });
});
