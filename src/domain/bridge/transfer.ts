/** A transfer as providers and chains need it: its offer, its source transaction and its terms. */

import type { DecimalString } from '../values/decimal.ts';
import type { PreparedMessage } from '../solana/verify.ts';
import type { ChainHeads } from './arrival.ts';
import type { ProviderAxis } from './axes.ts';
import type { BridgeOffer, BridgeProviderName, BridgeWish, EvmApproval, UnsignedEvmTransaction } from './quote.ts';
import type { SourceCall } from './source-call.ts';

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
