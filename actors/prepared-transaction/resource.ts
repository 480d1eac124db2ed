/** Fields of a transaction that a wallet signs. Each purpose has its own form on the wire. */
import { held, resource, type ViewOf } from '../../src/core/resource.ts';
import type { Fill } from '../../src/domain/books/book.ts';
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { PreparedTransactionState, TransactionPurpose } from '../../src/domain/solana/lifecycle.ts';
import type { PreparedMessage } from '../../src/domain/solana/verify.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';

export const preparedTransaction = resource('prepared_transactions', {
  id: { holds: held<string>(), column: 'uuid' },
  purpose: { holds: held<TransactionPurpose>(), column: 'text' },
  /** `user` if a person's wallet signs, `delegated` if a session signer does. */
  executor: { holds: held<'user' | 'delegated'>(), column: 'text' },
  /** Base58. The wallet that signs, and whose balances it moves. */
  wallet: { holds: held<string>(), column: 'text' },
  /** Promised result, in the terms of the purpose. */
  subject: { holds: held<{ readonly [key: string]: Json }>(), column: 'jsonb' },
  message: { holds: held<PreparedMessage>(), column: 'jsonb' },
  /** The whole transaction for the wallet to sign. */
  unsigned: { holds: held<string>(), column: 'text' },
  /** Capacity of a book, reserved until the transaction has ended. Null, like the next four, if nothing is reserved. */
  bookId: { holds: held<string | null>(), column: 'text' },
  instrument: { holds: held<string | null>(), column: 'text' },
  side: { holds: held<string | null>(), column: 'text' },
  quantity: { holds: held<string | null>(), column: 'numeric' },
  notionalUsd: { holds: held<string | null>(), column: 'numeric' },
  /** Dollars that it pays, by the rules of its purpose. Null for transactions from before they were bound. */
  dollarsUsd: { holds: held<string | null>(), column: 'numeric' },
  preparedBy: { holds: held<string>(), column: 'text' },
  submittedBy: { holds: held<string | null>(), column: 'text', changes: true },
  /** Control epoch of the organization when it was prepared. A halt ends it. */
  epoch: { holds: held<number>(), column: 'bigint' },
  state: { holds: held<PreparedTransactionState>(), column: 'text', changes: true },
  reason: { holds: held<string | null>(), column: 'text', changes: true },
  detail: { holds: held<string | null>(), column: 'text', changes: true },
  /** First signature in base58, known before anything is sent. */
  signature: { holds: held<string | null>(), column: 'text', changes: true },
  /** Number of times a node accepted the bytes. */
  broadcasts: { holds: held<number>(), column: 'int', changes: true },
  slot: { holds: held<number | null>(), column: 'bigint', changes: true },
  /** Fee charged by the chain, or null until it is finalized. */
  feeLamports: { holds: held<string | null>(), column: 'numeric', changes: true },
  /** Finalized block height that proved its expiry, or null if it did not expire. */
  expiredAtHeight: { holds: held<number | null>(), column: 'bigint', changes: true },
  createdAt: { holds: held<EpochMs>(), column: 'bigint' },
  changedAt: { holds: held<EpochMs>(), column: 'bigint', changes: true },
});

export type PreparedTransaction = ViewOf<typeof preparedTransaction>;

/** A transaction with its fills. Empty before it is finalized. */
export interface PreparedTransactionView extends Omit<PreparedTransaction, 'dollarsUsd'> {
  readonly fills: readonly Fill[];
}
