/** Signed bytes against the prepared message: the raw bytes are equal, and every signature is right. Nothing is ever written anew to be compared. */
import { createHash } from 'node:crypto';
import { type Outcome, type Refusal, refuse } from '../values/refusal.ts';
import { base58, fromBase58 } from './base58.ts';
import { differenceOf, differenceWords } from './difference.ts';
import { readMessage, readTransaction, signersOf, type WireTransaction } from './message.ts';

/** A message as it was stored before its signer was told of it: plain JSON. */
export interface PreparedMessage {
  readonly messageBase64: string;
  /** SHA-256 of the message's bytes, hexadecimal. */
  readonly digest: string;
  /** Base58, in the order of their signatures. */
  readonly requiredSigners: readonly string[];
  readonly blockhash: string;
  /** Above this block height the message cannot land any more. */
  readonly lastValidBlockHeight: number;
}

/** Bytes that passed: made by `verifySigned` alone, and what a broadcast takes. */
export interface VerifiedTransaction {
  readonly transaction: WireTransaction;
  readonly signed: Uint8Array;
  /** Base58 of the first signature: the transaction's name on the chain. */
  readonly signature: string;
}

/** Ed25519 in the strict reading of RFC 8032: no second encoding of a signature, no key of small order. */
export type VerifySignature = (signature: Uint8Array, message: Uint8Array, key: Uint8Array) => boolean;

/** The stored form of an unsigned (or partly signed) transaction's message. */
export function preparedMessageOf(transaction: WireTransaction, lastValidBlockHeight: number): PreparedMessage {
  return {
    messageBase64: Buffer.from(transaction.message).toString('base64'),
    digest: digestOf(transaction.message),
    requiredSigners: signersOf(transaction),
    blockhash: transaction.blockhash,
    lastValidBlockHeight,
  };
}

/** SHA-256 in hexadecimal. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Bytes of a base64 text in its one canonical encoding; null of every other text. */
export function fromBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : null;
}

/**
 * Checks what came back from a wallet. Refused as `malformed_transaction` if the bytes are no transaction in its one
 * encoding, `signed_bytes_differ` if the message is another one (what a wallet changed is named),
 * `signature_missing` and `signature_invalid` if a required signer did not sign these bytes. `tables` (addresses by
 * their places in lookup tables) only helps to name a change.
 */
export function verifySigned(
  prepared: PreparedMessage,
  signed: Uint8Array,
  verifySignature: VerifySignature,
  tables: ReadonlyMap<string, readonly string[]> = new Map(),
): Outcome<VerifiedTransaction> {
  const read = readTransaction(signed);
  if (!read.ok) return read;
  const transaction = read.value;
  const expected = fromBase64(prepared.messageBase64);
  if (expected === null || digestOf(expected) !== prepared.digest)
    throw new Error(`the prepared message is not the one of digest ${prepared.digest}`);
  if (!sameBytes(expected, transaction.message)) return { ok: false, refusal: differs(expected, transaction, tables) };
  const signers = signersOf(transaction);
  for (const [index, signer] of signers.entries()) {
    const signature = transaction.signatures[index] as Uint8Array;
    if (signature.every((byte) => byte === 0))
      return refuse('signature_missing', `${signer} has not signed (signature ${index} of ${signers.length})`);
    const key = fromBase58(signer);
    if (key === null || !verifySignature(signature, transaction.message, key))
      return refuse('signature_invalid', `signature ${index} is not one of ${signer} over this message`);
  }
  return { ok: true, value: { transaction, signed, signature: base58(transaction.signatures[0] as Uint8Array) } };
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

const WHAT_TO_DO =
  'sign exactly the prepared bytes: let the wallet sign (signTransaction) instead of sending, switch off its transaction guard and automatic fee, or prepare anew';

function differs(expected: Uint8Array, given: WireTransaction, tables: ReadonlyMap<string, readonly string[]>): Refusal {
  const prepared = readMessage(expected);
  if (!prepared.ok) throw new Error(`the prepared message cannot be read: ${prepared.refusal.detail}`);
  const difference = differenceOf(prepared.value, given, tables);
  const detail = `the signed message is not the prepared one: ${differenceWords(difference)}; ${WHAT_TO_DO}`;
  return { code: 'signed_bytes_differ', detail, difference };
}
