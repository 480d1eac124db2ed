/** Context and events of a bridge transfer. */
import type { Attention, Sighting } from '../../src/domain/bridge/axes.ts';
import type { TransferTerms } from '../../src/domain/bridge/transfer.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { BridgeTransfer, BridgeTransferTerms } from './resource.ts';

/** The quote of a transfer. Plain JSON. */
export interface BridgeTransferInput extends Omit<TransferTerms, 'hash' | 'nonce'>, Omit<BridgeTransferTerms, keyof TransferTerms> {
  /** Control epoch of the organization when it was quoted. A halt ends the quote. */
  readonly epoch: number;
}

/** Context of a transfer. Plain JSON, stored in the snapshot. */
export interface BridgeTransferContext
  extends BridgeTransferInput,
    Pick<BridgeTransfer, 'hash' | 'submittedBy' | 'submittedAt' | 'axes' | 'attentions' | 'delayedAt' | 'endedAt' | 'broadcast'> {
  /** Signed source transaction: base64 on the primary chain, hexadecimal on the EVM chain. Null if the wallet sent it itself. */
  readonly signed: string | null;
  readonly nonce: number | null;
  /** Start of the read that last changed the axes, or null before. */
  readonly seenAt: EpochMs | null;
  /** Warnings that operators were told. Each is told once. */
  readonly told: readonly Attention[];
  readonly leaseUntil: EpochMs | null;
  /** Number of reads since the last change. */
  readonly looks: number;
}

/** Result of an activity. */
export type BridgeAnswer =
  | { readonly outcome: 'seen'; readonly sighting: Sighting }
  /** Result of a broadcast: accepted, refused or unknown. */
  | { readonly outcome: 'sent' | 'refused' | 'uncertain'; readonly detail: string | null; readonly lease: EpochMs | null }
  /** A halt or another step came first: this attempt sent nothing. */
  | { readonly outcome: 'superseded'; readonly reason: string };

export interface BridgeSubmission {
  readonly signed: string | null;
  readonly hash: string;
  readonly nonce: number | null;
  readonly subject: string;
  readonly at: EpochMs;
}

export type BridgeTransferEvent =
  | ({ readonly type: 'submit' } & BridgeSubmission)
  /** The provider pushed a change: a hint to read at once. The content of the push is not trusted. */
  | { readonly type: 'provider.moved' }
  /** The lease to send is taken. From now on the bytes may be on the chain. */
  | { readonly type: 'execution.begun'; readonly key: string; readonly leaseUntil: EpochMs; readonly leaseMs: number }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: BridgeAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };
