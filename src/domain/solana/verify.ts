/**
 * Verifies signed bytes against the prepared message: the raw bytes must be equal, and every signature valid. Nothing is re-encoded for the
 * comparison.
 */
import { createHash } from 'node:crypto';
import { type Outcome, type Refusal, refuse } from '../values/refusal.ts';
import { base58, fromBase58 } from './base58.ts';
import { compareMessages, differenceWords } from './difference.ts';
import { readMessage, readTransaction, listSigners, type WireTransaction } from './message.ts';

/** A message as stored before its signer saw it. Plain JSON. */
export interface PreparedMessage {
  readonly messageBase64: string;
  /** SHA-256 of the message's bytes in hexadecimal. */
  readonly digest: string;
  /** Base58, in the order of their signatures. */
  readonly requiredSigners: readonly string[];
  readonly blockhash: string;
  /** Last block height at which the message can land. */
  readonly lastValidBlockHeight: number;
}

/** Verified bytes. Only `verifySigned` makes them, and broadcasts require them. */
export interface VerifiedTransaction {
  readonly transaction: WireTransaction;
  readonly signed: Uint8Array;
  /** First signature in base58, which identifies the transaction on the chain. */
  readonly signature: string;
}

/** Verifies an Ed25519 signature strictly by RFC 8032: no second encoding of a signature, no key of small order. */
export type VerifySignature = (signature: Uint8Array, message: Uint8Array, key: Uint8Array) => boolean;

/** Returns the stored form of an unsigned or partly signed transaction's message. */
export function toPreparedMessage(transaction: WireTransaction, lastValidBlockHeight: number): PreparedMessage {
  return {
    messageBase64: Buffer.from(transaction.message).toString('base64'),
    digest: hashBytes(transaction.message),
    requiredSigners: listSigners(transaction),
    blockhash: transaction.blockhash,
    lastValidBlockHeight,
  };
}

/** Returns the SHA-256 in hexadecimal. */
export function hashBytes(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Decodes a base64 text in its canonical encoding, or returns null for any other text. */
export function fromBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : null;
}

/**
 * Checks the bytes from a wallet. Refuses with `malformed_transaction` if they are not a transaction in its canonical encoding, with
 * `signed_bytes_differ` if the message is another one (the change is named), and with `signature_missing` or `signature_invalid` if a
 * required signer did not sign these bytes. `tables` (addresses by their lookup-table index) only helps to name a change.
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
  if (expected === null || hashBytes(expected) !== prepared.digest)
    throw new Error(`the prepared message is not the one of digest ${prepared.digest}`);
  if (!sameBytes(expected, transaction.message)) return { ok: false, refusal: differs(expected, transaction, tables) };
  const signers = listSigners(transaction);
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
  const difference = compareMessages(prepared.value, given, tables);
  const detail = `the signed message is not the prepared one: ${differenceWords(difference)}; ${WHAT_TO_DO}`;
  return { code: 'signed_bytes_differ', detail, difference };
}
