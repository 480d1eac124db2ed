/** A transfer as providers and chains have to know it: its offer, its source transaction and its terms. */

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
      /** Programs that it calls beside the common ones. */
      readonly programs: readonly string[];
      /** Others that sign with the sender, and have signed what `build` gives. */
      readonly signers: readonly string[];
      /** The token account that the amount waits in; null if it is burned. */
      readonly escrowAccount: string | null;
      /** The instruction that moves the amount, as it must be. */
      readonly call: SourceCall;
      /** The wire bytes with a recent blockhash, unsigned by the sender. */
      build(blockhash: string): Uint8Array;
    };

export interface PlannedOffer extends BridgeOffer {
  readonly plan: SourcePlan;
}

/** Transfer made by the source transaction, as quoted. Plain JSON. */
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

/** A transfer as providers and chains have to know it. Plain JSON. */
export interface TransferTerms {
  readonly wish: BridgeWish;
  readonly provider: BridgeProviderName;
  readonly reference: string | null;
  readonly amountIn: string;
  readonly minimumOut: string;
  readonly source: QuotedTransaction;
  /** Heads of the chains at the quote. Earlier transactions do not belong to the transfer. */
  readonly heads: ChainHeads;
  /** The source transaction's name on its chain; null before it was submitted. */
  readonly hash: string | null;
  /** The sender's nonce if the source is the EVM chain and the signed bytes are known. */
  readonly nonce: number | null;
}

/** The provider's word, in this service's vocabulary. */
export type ProviderWord = Omit<ProviderAxis, 'silentSince'>;

/** An offer that was not taken. */
export interface BridgeAlternative extends Pick<BridgeOffer, 'provider' | 'kind' | 'minimumOut' | 'fees' | 'estimatedSeconds'> {
  /** Cost: the amount lost on the way and the fees paid on top. */
  readonly costUsd: DecimalString;
}
