/** A transaction that somebody else signs: each of its fields, once. Each purpose has a form of its own on the wire. */
import { held, resource, type ViewOf } from '../../src/core/resource.ts';
import type { Fill } from '../../src/domain/books/book.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { PreparedTransactionState, TransactionPurpose } from '../../src/domain/solana/lifecycle.ts';
import type { PreparedMessage } from '../../src/domain/solana/verify.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

export const preparedTransaction = resource('prepared_transactions', {
  id: { holds: held<string>(), column: 'uuid' },
  purpose: { holds: held<TransactionPurpose>(), column: 'text' },
  /** `user`: a person's wallet signs. `delegated`: a session signer does. */
  executor: { holds: held<'user' | 'delegated'>(), column: 'text' },
  /** Base58: who signs for it, and whose balances it moves. */
  wallet: { holds: held<string>(), column: 'text' },
  /** Promised result, in the terms of the purpose. */
  subject: { holds: held<{ readonly [key: string]: Json }>(), column: 'jsonb' },
  message: { holds: held<PreparedMessage>(), column: 'jsonb' },
  /** The whole transaction as the wallet is to sign it. */
  unsigned: { holds: held<string>(), column: 'text' },
  /** Capacity of a book that it reserves until it has ended; null, as the four below it, if it reserves none. */
  bookId: { holds: held<string | null>(), column: 'text' },
  instrument: { holds: held<string | null>(), column: 'text' },
  side: { holds: held<string | null>(), column: 'text' },
  quantity: { holds: held<string | null>(), column: 'numeric' },
  notionalUsd: { holds: held<string | null>(), column: 'numeric' },
  /** Dollars that it pays, by the rules of its purpose; null of transactions from before they were bound. */
  dollarsUsd: { holds: held<string | null>(), column: 'numeric' },
  preparedBy: { holds: held<string>(), column: 'text' },
  submittedBy: { holds: held<string | null>(), column: 'text', changes: true },
  /** Control epoch of the organization in which it was prepared; a halt ends it. */
  epoch: { holds: held<number>(), column: 'bigint' },
  state: { holds: held<PreparedTransactionState>(), column: 'text', changes: true },
  reason: { holds: held<string | null>(), column: 'text', changes: true },
  detail: { holds: held<string | null>(), column: 'text', changes: true },
  /** Base58 of the first signature; known before anything is sent. */
  signature: { holds: held<string | null>(), column: 'text', changes: true },
  /** Number of times a node accepted the bytes. */
  broadcasts: { holds: held<number>(), column: 'int', changes: true },
  slot: { holds: held<number | null>(), column: 'bigint', changes: true },
  /** Fee charged by the chain; null until it is finalized. */
  feeLamports: { holds: held<string | null>(), column: 'numeric', changes: true },
  /** Finalized block height that proved its expiry; null if it did not expire. */
  expiredAtHeight: { holds: held<number | null>(), column: 'bigint', changes: true },
  createdAt: { holds: held<EpochMs>(), column: 'bigint' },
  changedAt: { holds: held<EpochMs>(), column: 'bigint', changes: true },
});

/** A transaction as its row has it. */
export type PreparedTransaction = ViewOf<typeof preparedTransaction>;

/** A transaction with its fills: none before it is finalized. */
export interface PreparedTransactionView extends Omit<PreparedTransaction, 'dollarsUsd'> {
  readonly fills: readonly Fill[];
}
