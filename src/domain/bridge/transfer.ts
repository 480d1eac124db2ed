/** A transfer as providers and chains need it: its offer, its source transaction, its terms and its arrival. */
import type { PreparedMessage } from '../solana/verify.ts';
import type { DecimalString } from '../values/decimal.ts';
import { type EpochMs, MINUTE_MS } from '../values/time.ts';
import { type ArrivalAxis, NO_ARRIVAL, type ProviderAxis } from './axes.ts';
import type { BridgeChain, BridgeOffer, BridgeProviderName, BridgeWish, EvmApproval, UnsignedEvmTransaction } from './quote.ts';
import type { SourceCall } from './source-call.ts';

/** A block of a chain. */
export interface ChainHead {
  /** Block number, or slot on the primary chain. */
  readonly height: number;
  /** Time by the chain's clock, or null if the node does not say. */
  readonly at: EpochMs | null;
}

/** Newest known block of each chain when a transfer was quoted. */
export type ChainHeads = Readonly<Record<BridgeChain, ChainHead>>;

/** A transaction on a chain that a provider names as a payment or a refund. */
export interface ArrivalSighting extends Pick<ArrivalAxis, 'hash' | 'amount'> {
  readonly state: 'none' | 'included' | 'final' | 'failed';
  /** Block that includes it, or null. */
  readonly block: ChainHead | null;
}

/** Age in milliseconds of the newest block, by the service's clock, beyond which a node is too far behind for a quote. */
export const MOST_BEHIND_MS = MINUTE_MS;

/**
 * True if a block existed when the head was read. After a fork the same height may be built again, and such a block has a later time than
 * the head.
 */
export function isOlder(block: ChainHead, head: ChainHead): boolean {
  return block.height <= head.height && !(block.at !== null && head.at !== null && block.at > head.at);
}

/**
 * Returns the axis of an arrival. A payment from before the quote, or one that has settled another transfer, is `foreign`: it does not
 * count, whatever its provider says. `settled` is the id of the transfer it has settled, or null.
 */
export function judgeArrival(seen: ArrivalSighting, head: ChainHead, settled: string | null, own: string): ArrivalAxis {
  const { state, hash, amount, block } = seen;
  if (state === 'none' || state === 'failed') return { ...NO_ARRIVAL, state, hash };
  if (block === null || isOlder(block, head)) return { state: 'foreign', hash, amount, objection: 'older' };
  if (settled !== null && settled !== own) return { state: 'foreign', hash, amount, objection: 'settled_another' };
  return { state, hash, amount, objection: null };
}

/** Construction of an offer's source transaction. */
export type SourcePlan =
  | { readonly kind: 'evm'; readonly transaction: UnsignedEvmTransaction; readonly approval: EvmApproval | null }
  | {
      readonly kind: 'solana';
      /** Programs that it calls besides the common ones. */
      readonly programs: readonly string[];
      /** Other signers, which have already signed the result of `build`. */
      readonly signers: readonly string[];
      /** Token account in which the amount waits, or null if it is burned. */
      readonly escrowAccount: string | null;
      /** Required instruction that moves the amount. */
      readonly call: SourceCall;
      /** Returns the wire bytes with a recent blockhash, not yet signed by the sender. */
      build(blockhash: string): Uint8Array;
    };

export interface PlannedOffer extends BridgeOffer {
  readonly plan: SourcePlan;
}

/** Source transaction of the transfer, as quoted. Plain JSON. */
export type QuotedTransaction =
  | (UnsignedEvmTransaction & { readonly approval: EvmApproval | null })
  | {
      readonly kind: 'solana';
      readonly wallet: string;
      readonly unsignedBase64: string;
      readonly prepared: PreparedMessage;
      readonly depositRaw: string;
      readonly mint: string;
      readonly escrowAccount: string | null;
      readonly call: SourceCall;
    };

/** Terms of a transfer for providers and chains. Plain JSON. */
export interface TransferTerms {
  readonly wish: BridgeWish;
  readonly provider: BridgeProviderName;
  readonly reference: string | null;
  readonly amountIn: string;
  readonly minimumOut: string;
  readonly source: QuotedTransaction;
  /** Heads of the chains at the quote. Earlier transactions do not belong to the transfer. */
  readonly heads: ChainHeads;
  /** Hash of the source transaction, or null before its submission. */
  readonly hash: string | null;
  /** Nonce of the sender if the source is the EVM chain and the signed bytes are known, else null. */
  readonly nonce: number | null;
}

/** Report of the provider, in this service's vocabulary. */
export type ProviderWord = Omit<ProviderAxis, 'silentSince'>;

/** An offer that was not chosen. */
export interface BridgeAlternative extends Pick<BridgeOffer, 'provider' | 'kind' | 'minimumOut' | 'fees' | 'estimatedSeconds'> {
  /** Amount lost on the way plus the fees on top. */
  readonly costUsd: DecimalString;
}
