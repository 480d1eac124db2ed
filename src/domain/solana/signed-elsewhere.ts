/** What a wallet signed, held against what it was given: for pages, which load this file as one module and sign beside their reader. */
import { differenceOf, differenceWords } from './difference.ts';
import { readTransaction, signersOf } from './message.ts';
import { sentencesOf } from './transaction-words.ts';

/** What a transaction does, as far as it can be told without a chain. */
export interface TransactionContent {
  /** Base58. */
  readonly feePayer: string;
  readonly signers: readonly string[];
  /** What it does: one sentence per instruction, in their order. */
  readonly sentences: readonly string[];
}

/** @throws Error if the bytes are no transaction, saying what is wrong where. */
export function contentOf(bytes: Uint8Array): TransactionContent {
  const transaction = readable(bytes);
  return {
    feePayer: transaction.staticKeys[0] ?? '',
    signers: signersOf(transaction),
    sentences: sentencesOf(transaction),
  };
}

/**
 * Why signed bytes are not to be handed in, in words: another message than the prepared one, or no signature of `signer`
 * (base58). Null where they are what was prepared, signed; whether the signature is right the service checks.
 */
export function objectionTo(prepared: Uint8Array, signed: Uint8Array, signer: string): string | null {
  const before = readable(prepared);
  const read = readTransaction(signed);
  if (!read.ok) return read.refusal.detail;
  const after = read.value;
  const isSame = before.message.length === after.message.length && before.message.every((byte, index) => byte === after.message[index]);
  if (!isSame) return differenceWords(differenceOf(before, after));
  const place = signersOf(after).indexOf(signer);
  if (place < 0) return `${signer} is no signer of this transaction`;
  return after.signatures[place]?.every((byte) => byte === 0) === true ? `the wallet did not sign for ${signer}` : null;
}

function readable(bytes: Uint8Array) {
  const read = readTransaction(bytes);
  if (!read.ok) throw new Error(read.refusal.detail);
  return read.value;
}
