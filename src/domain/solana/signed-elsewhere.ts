/** Compares a wallet's signed bytes with the prepared ones, for pages, which load this file as one module and sign in the browser. */
import { compareMessages, differenceWords } from './difference.ts';
import { readTransaction, listSigners } from './message.ts';
import { describeInstructions } from './transaction-words.ts';

/** Effects of a transaction, as far as known without a chain. */
export interface TransactionContent {
  /** Base58. */
  readonly feePayer: string;
  readonly signers: readonly string[];
  /** Effects, one sentence per instruction, in order. */
  readonly sentences: readonly string[];
}

/** Describes a transaction. @throws Error with the place of the fault if the bytes are not a transaction. */
export function describeContent(bytes: Uint8Array): TransactionContent {
  const transaction = readable(bytes);
  return {
    feePayer: transaction.staticKeys[0] ?? '',
    signers: listSigners(transaction),
    sentences: describeInstructions(transaction),
  };
}

/**
 * Returns in words why signed bytes must not be submitted: another message than the prepared one, or no signature of `signer` (base58).
 * Null if they are the prepared message, signed. The service verifies the signature.
 */
export function objectionTo(prepared: Uint8Array, signed: Uint8Array, signer: string): string | null {
  const before = readable(prepared);
  const read = readTransaction(signed);
  if (!read.ok) return read.refusal.detail;
  const after = read.value;
  const isSame = before.message.length === after.message.length && before.message.every((byte, index) => byte === after.message[index]);
  if (!isSame) return differenceWords(compareMessages(before, after));
  const place = listSigners(after).indexOf(signer);
  if (place < 0) return `${signer} is no signer of this transaction`;
  return after.signatures[place]?.every((byte) => byte === 0) === true ? `the wallet did not sign for ${signer}` : null;
}

function readable(bytes: Uint8Array) {
  const read = readTransaction(bytes);
  if (!read.ok) throw new Error(read.refusal.detail);
  return read.value;
}
