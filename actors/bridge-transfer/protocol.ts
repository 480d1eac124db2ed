/** Context and events of a bridge transfer. */
import type { Attention, Sighting } from '../../src/domain/bridge/axes.ts';
import type { TransferTerms } from '../../src/domain/bridge/transfer.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { BridgeTransfer, BridgeTransferTerms } from './resource.ts';

/** The quote that a transfer begins as. Plain JSON. */
export interface BridgeTransferInput extends Omit<TransferTerms, 'hash' | 'nonce'>, Omit<BridgeTransferTerms, keyof TransferTerms> {
  /** The organization's control epoch that it was quoted in; a halt ends it. */
  readonly epoch: number;
}

/** Plain JSON, stored in the snapshot. */
export interface BridgeTransferContext
  extends BridgeTransferInput,
    Pick<BridgeTransfer, 'hash' | 'submittedBy' | 'submittedAt' | 'axes' | 'attentions' | 'delayedAt' | 'endedAt' | 'broadcast'> {
  /** Signed source transaction: base64 on the primary chain, hexadecimal on the EVM chain. Null if the wallet sent it itself. */
  readonly signed: string | null;
  readonly nonce: number | null;
  /** Time at which the look was begun that last changed the axes; null before. */
  readonly seenAt: EpochMs | null;
  /** Attentions that operators were told of: each is told once. */
  readonly told: readonly Attention[];
  readonly leaseUntil: EpochMs | null;
  /** Number of looks since the last change. */
  readonly looks: number;
}

/** Result of an activity. */
export type BridgeAnswer =
  | { readonly outcome: 'seen'; readonly sighting: Sighting }
  /** A node took the bytes, refused them, or nobody knows. */
  | { readonly outcome: 'sent' | 'refused' | 'uncertain'; readonly detail: string | null; readonly lease: EpochMs | null }
  /** A halt or another step came since: nothing was sent by this attempt. */
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
  /** The provider has pushed that something is new: a hint to look at once. Nothing of the push is believed. */
  | { readonly type: 'provider.moved' }
  /** The lease to send is taken: from here on the bytes may be on the chain. */
  | { readonly type: 'execution.begun'; readonly key: string; readonly leaseUntil: EpochMs; readonly leaseMs: number }
  | { readonly type: 'activity.done'; readonly key: string; readonly kind: string; readonly answer: BridgeAnswer }
  | { readonly type: 'activity.given_up'; readonly key: string; readonly kind: string; readonly detail: string };
