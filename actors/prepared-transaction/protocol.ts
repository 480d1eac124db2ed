/** Context and events of a prepared transaction. */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { OrderSide } from '../../src/domain/orders/order.ts';
import type { LandedTransaction } from '../../src/domain/solana/chain.ts';
import type { TransactionPurpose } from '../../src/domain/solana/lifecycle.ts';
import type { PreparedMessage } from '../../src/domain/solana/verify.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

/** Lookup-table indexes that the message uses, and the addresses they had when it was prepared. */
export interface ResolvedLookup {
  readonly table: string;
  readonly places: readonly number[];
  readonly addresses: readonly string[];
}

/** Capacity of a book, reserved until the transaction has ended. */
interface TransactionReservation {
  readonly bookId: string;
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  readonly quantity: DecimalString;
  readonly notionalUsd: DecimalString;
}

/** Input of a transaction. Plain JSON. */
export interface PreparedTransactionInput {
  readonly purpose: TransactionPurpose;
  /** Promised result in the terms of the purpose, frozen. */
  readonly subject: { readonly [key: string]: Json };
  /** Base58. The wallet that signs, and whose balances it moves. */
  readonly wallet: string;
  readonly prepared: PreparedMessage;
  /** Whole transaction as given to the wallet, with the signatures it already has. */
  readonly unsignedBase64: string;
  readonly lookups: readonly ResolvedLookup[];
  readonly reservation: TransactionReservation | null;
  /** `user` if a person's wallet signs, `delegated` if a session signer does. */
  readonly executor: 'user' | 'delegated';
  readonly preparedBy: string;
  /** Control epoch of the organization when it was prepared. A halt ends it. */
  readonly epoch: number;
  readonly createdAt: EpochMs;
}

/** Context of a transaction. Plain JSON, stored in the snapshot. */
export interface PreparedTransactionContext extends PreparedTransactionInput {
  /** Signed bytes, or null before the submission. They never change. */
  readonly signedBase64: string | null;
  /** First signature in base58, known before anything is sent. */
  readonly signature: string | null;
  readonly submittedBy: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
  /** End of the last broadcast lease, or null before the first. */
  readonly leaseUntil: EpochMs | null;
  /** Number of times a node accepted the bytes. */
  readonly broadcasts: number;
  readonly slot: number | null;
  /** Finalized transaction, successful or failed. Null before. */
  readonly landed: LandedTransaction | null;
  /** Finalized block height that proved its expiry, or null if it did not expire. */
  readonly expiredAtHeight: number | null;
}

/** Result of an activity. */
export type TransactionAnswer =
  /** The stored bytes are correct, and the chain would accept them. */
  | { readonly outcome: 'verified' }
  /** A node accepted the bytes. */
  | { readonly outcome: 'sent'; readonly lease: EpochMs | null }
  /** The bytes were refused. They may still land until they expire. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly detail: string; readonly lease: EpochMs | null }
  /** A halt came first: this attempt sent nothing. */
  | { readonly outcome: 'superseded'; readonly reason: string }
  /** The bytes may have been sent. The answer was lost. */
  | { readonly outcome: 'unknown'; readonly detail: string; readonly lease: EpochMs | null }
  /** No node answers. */
  | { readonly outcome: 'silent'; readonly detail: string }
  /** The chain does not know the signature, and the message may still land. */
  | { readonly outcome: 'unseen' }
  /** A block includes it, not yet confirmed. */
  | { readonly outcome: 'processed' }
  | { readonly outcome: 'confirmed'; readonly slot: number | null }
  | { readonly outcome: 'finalized'; readonly landed: LandedTransaction }
  /** Both proofs of expiry: the finalized block height passed, and a later search for this signature found nothing. */
  | { readonly outcome: 'expired'; readonly blockHeight: number; readonly signature: string | null };

export type PreparedTransactionEvent =
  | { readonly type: 'submit'; readonly signedBase64: string; readonly signature: string; readonly subject: string }
  /** The broadcast lease is taken. From now on the bytes may be on the chain. */
  | { readonly type: 'execution.begun'; readonly key: string; readonly leaseUntil: EpochMs; readonly leaseMs: number }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: TransactionAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };
