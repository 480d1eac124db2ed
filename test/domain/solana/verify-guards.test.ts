// Guards of the signature check: the stored message matches its digest, or nothing is compared with it.
import { beforeAll, expect, test } from 'vitest';
import { verifyEd25519 } from '../../../src/adapters/solana/ed25519.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import { hashBytes, fromBase64, type PreparedMessage, toPreparedMessage, verifySigned } from '../../../src/domain/solana/verify.ts';
import { type Honest, honestTransactions } from './honest-transactions.ts';

let honest: readonly Honest[];
beforeAll(async () => {
  honest = await honestTransactions();
});

/** Returns a message with several signers, prepared as it was stored. */
function several(): { readonly one: Honest; readonly prepared: PreparedMessage } {
  for (const one of honest) {
    const read = readTransaction(one.unsigned);
    if (read.ok && read.value.header.requiredSignatures > 1) return { one, prepared: toPreparedMessage(read.value, 1_000) };
  }
  throw new Error('none is signed by several');
}

test('a digest is SHA-256 in hexadecimal, and what is stored is the digest of what is stored', () => {
  expect(hashBytes(new TextEncoder().encode('abc'))).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  const { prepared } = several();
  expect(prepared.digest).toBe(hashBytes(Buffer.from(prepared.messageBase64, 'base64')));
  expect(prepared.lastValidBlockHeight).toBe(1_000);
});

test('base64 has one spelling', () => {
  expect(fromBase64('AQI=')).toEqual(Uint8Array.of(1, 2));
  for (const other of ['AQI', 'AQJ=', 'AQI= ', 'AQ I=', '_w==', 'AQI==']) expect(fromBase64(other)).toBeNull();
});

test('a stored message that is not the one of its digest verifies nothing: it was changed where it lay', () => {
  const { one, prepared } = several();
  const verify = (over: Partial<PreparedMessage>) => () => verifySigned({ ...prepared, ...over }, one.signed, verifyEd25519);
  expect(verify({})()).toMatchObject({ ok: true });
  const words = (digest: string) => `the prepared message is not the one of digest ${digest}`;
  expect(verify({ digest: '00'.repeat(32) })).toThrow(words('00'.repeat(32)));
  expect(verify({ messageBase64: 'AQI=' })).toThrow(words(prepared.digest));
  // Another base64 spelling of the same bytes is refused.
  expect(verify({ messageBase64: `${prepared.messageBase64} ` })).toThrow(words(prepared.digest));
  // Bytes that match their digest but are no message: nothing can be compared with them.
  expect(verify({ messageBase64: 'AQI=', digest: hashBytes(Uint8Array.of(1, 2)) })).toThrow(/^the prepared message cannot be read: \S/);
});

test('a message that only begins as the prepared one does is another one', () => {
  const { one, prepared } = several();
  const cut = Buffer.from(prepared.messageBase64, 'base64').subarray(0, -1);
  const shorter = { ...prepared, messageBase64: cut.toString('base64'), digest: hashBytes(cut) };
  let outcome: unknown;
  try {
    outcome = verifySigned(shorter, one.signed, verifyEd25519);
  } catch (error) {
    outcome = String(error);
  }
  expect(outcome).not.toMatchObject({ ok: true });
});

test('whose signature is missing or wrong is named, and which of how many it is', () => {
  const { one, prepared } = several();
  const [first, second] = prepared.requiredSigners as [string, string];
  const count = prepared.requiredSigners.length;
  const without = (index: number, fill: number) => {
    const bytes = Uint8Array.from(one.signed);
    bytes.fill(fill, 1 + 64 * index, 1 + 64 * (index + 1));
    return verifySigned(prepared, bytes, verifyEd25519);
  };
  expect(without(0, 0)).toMatchObject({
    refusal: { code: 'signature_missing', detail: `${first} has not signed (signature 0 of ${count})` },
  });
  expect(without(1, 0)).toMatchObject({
    refusal: { code: 'signature_missing', detail: `${second} has not signed (signature 1 of ${count})` },
  });
  expect(without(1, 1)).toMatchObject({
    refusal: { code: 'signature_invalid', detail: `signature 1 is not one of ${second} over this message` },
  });
});
