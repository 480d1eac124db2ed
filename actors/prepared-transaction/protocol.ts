/** Context and events of a prepared transaction. */
import type { Json } from '../../src/domain/values/canonical-json.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { OrderSide } from '../../src/domain/orders/order.ts';
import type { LandedTransaction } from '../../src/domain/solana/chain.ts';
import type { TransactionPurpose } from '../../src/domain/solana/lifecycle.ts';
import type { PreparedMessage } from '../../src/domain/solana/verify.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

/** Places of a lookup table that the message names, with the addresses that stood there when it was prepared. */
export interface ResolvedLookup {
  readonly table: string;
  readonly places: readonly number[];
  readonly addresses: readonly string[];
}

/** Capacity of a book that it reserves until it has ended. */
export interface TransactionReservation {
  readonly bookId: string;
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  readonly quantity: DecimalString;
  readonly notionalUsd: DecimalString;
}

/** Plain JSON. */
export interface PreparedTransactionInput {
  readonly purpose: TransactionPurpose;
  /** Promised result, in the terms of the purpose; frozen. */
  readonly subject: { readonly [key: string]: Json };
  /** Base58: who signs for it, and whose balances it moves. */
  readonly wallet: string;
  readonly prepared: PreparedMessage;
  /** Whole transaction as given to the wallet, with the signatures that it already carries. */
  readonly unsignedBase64: string;
  readonly lookups: readonly ResolvedLookup[];
  readonly reservation: TransactionReservation | null;
  /** `user`: a person's wallet signs. `delegated`: a session signer does. */
  readonly executor: 'user' | 'delegated';
  readonly preparedBy: string;
  /** The organization's control epoch that it was prepared in; a halt ends it. */
  readonly epoch: number;
  readonly createdAt: EpochMs;
}

/** Plain JSON, stored in the snapshot. */
export interface PreparedTransactionContext extends PreparedTransactionInput {
  /** The signed bytes; null until they were given. They never change. */
  readonly signedBase64: string | null;
  /** Base58 of the first signature; known before anything is sent. */
  readonly signature: string | null;
  readonly submittedBy: string | null;
  readonly reason: string | null;
  readonly detail: string | null;
  /** The lease to broadcast, as it was last taken; null before. */
  readonly leaseUntil: EpochMs | null;
  /** Number of times a node accepted the bytes. */
  readonly broadcasts: number;
  readonly slot: number | null;
  /** Finalized transaction, failed or not; null before. */
  readonly landed: LandedTransaction | null;
  /** Finalized block height that proved its expiry; null if it did not expire. */
  readonly expiredAtHeight: number | null;
}

/** Result of an activity. */
export type TransactionAnswer =
  /** The stored bytes are right, and the chain would take them. */
  | { readonly outcome: 'verified' }
  /** A node took the bytes. */
  | { readonly outcome: 'sent'; readonly lease: EpochMs | null }
  /** The bytes were looked at and not let through; they may still land until they expire. */
  | { readonly outcome: 'refused'; readonly reason: string; readonly detail: string; readonly lease: EpochMs | null }
  /** A halt came since: nothing was sent by this attempt. */
  | { readonly outcome: 'superseded'; readonly reason: string }
  /** The bytes may have been sent, and nobody knows. */
  | { readonly outcome: 'unknown'; readonly detail: string; readonly lease: EpochMs | null }
  /** No node answers. */
  | { readonly outcome: 'silent'; readonly detail: string }
  /** The chain does not know the signature, and the message may still land. */
  | { readonly outcome: 'unseen' }
  /** The chain has it, not yet confirmed. */
  | { readonly outcome: 'processed' }
  | { readonly outcome: 'confirmed'; readonly slot: number | null }
  | { readonly outcome: 'finalized'; readonly landed: LandedTransaction }
  /** Both proofs: the finalized block height passed, and a look-up of this signature after that found nothing. */
  | { readonly outcome: 'expired'; readonly blockHeight: number; readonly signature: string | null };

export type PreparedTransactionEvent =
  | { readonly type: 'submit'; readonly signedBase64: string; readonly signature: string; readonly subject: string }
  /** The lease to broadcast is taken: from here on the bytes may be on the chain. */
  | { readonly type: 'execution.begun'; readonly key: string; readonly leaseUntil: EpochMs; readonly leaseMs: number }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: TransactionAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };
