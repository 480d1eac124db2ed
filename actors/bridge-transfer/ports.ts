/** Outside ports of bridge transfers: providers, and the two chains that prove what happened. Boot supplies them. */
import type { ArrivalSighting, ChainHead, ChainHeads } from '../../src/domain/bridge/arrival.ts';
import type { SourceSighting } from '../../src/domain/bridge/axes.ts';
import type { ReadEvmTransaction } from '../../src/domain/bridge/evm-fields.ts';
import type { BridgeChain, BridgeProviderName, BridgeWish, UnsignedEvmTransaction } from '../../src/domain/bridge/quote.ts';
import type { PlannedOffer, ProviderWord, TransferTerms } from '../../src/domain/bridge/transfer.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { Broadcast, Simulation } from '../../src/domain/solana/chain.ts';

/** Pushes of a provider: requests that have moved, by the names that the provider gave them. */
export interface BridgePushes {
  /** Follows exactly these requests from now on; `received` replaces the listener given before. */
  follow(references: readonly string[], received: (reference: string) => void): void;
  /** Stops all notifications and closes the connection. */
  close(): void;
}

export interface BridgeProvider {
  readonly name: BridgeProviderName;
  /**
   * Prices a transfer; nothing happens on any chain. Refused as `route_refused` if the provider declines or its answer
   * makes no sense, as `unavailable` if it does not answer.
   */
  offer(wish: BridgeWish, amountIn: string): Promise<Outcome<PlannedOffer>>;
  /** Returns the provider's status of a submitted transfer, or `unseen` if it does not know it. @throws if it does not answer. */
  word(terms: TransferTerms): Promise<ProviderWord>;
  /** Absent if it does not push, or nobody says where. */
  readonly pushes?: BridgePushes;
}

/** One chain, as the source and as the destination of transfers. */
export interface TransferChain {
  readonly chain: BridgeChain;
  /** Hands signed bytes to a node, which takes the same bytes any number of times, while `leftMs` says that milliseconds are left. @throws only before anything was sent. */
  broadcast(signed: string, leftMs: () => number): Promise<Broadcast>;
  /** Returns the status of the source transaction. @throws if no node answers: silence is never `unseen`. */
  source(terms: TransferTerms): Promise<SourceSighting>;
  /** Returns the payment of a transaction to an address of this chain. @throws if no node answers. */
  arrival(hash: string, recipient: string): Promise<ArrivalSighting>;
  /** The newest block. @throws if no node answers */
  head(): Promise<ChainHead>;
}

/** The outside of bridge transfers as one process reaches it. */
export interface BridgeOutside {
  readonly providers: Readonly<Partial<Record<BridgeProviderName, BridgeProvider>>>;
  readonly chains: Readonly<Record<BridgeChain, TransferChain>>;
  /** Receives every part of a look that brought no answer. */
  readonly onSilence: (error: unknown) => void;
}

/** Arrivals that have settled transfers: each counts for one transfer of one organization. */
export interface SettledArrivals {
  /** The id of the transfer that this arrival has settled, or null. */
  settledBy(chain: BridgeChain, hash: string): Promise<string | null>;
}

/** Further ports of quotes and submissions: the chains as they are before anybody signs. */
export interface BridgeQuoting {
  readonly providers: readonly Pick<BridgeProvider, 'name' | 'offer'>[];
  /** The stablecoin's mint on the primary chain. */
  readonly mint: string;
  /** The newest block of each chain. @throws if a node does not answer */
  heads(): Promise<ChainHeads>;
  readonly solana: {
    latestBlockhash(commitment: 'confirmed'): Promise<{ readonly blockhash: string; readonly lastValidBlockHeight: number }>;
    simulate(transaction: Uint8Array): Promise<Simulation>;
  };
  readonly evm: {
    /** Base units of the stablecoin. */
    balance(owner: string): Promise<bigint>;
    /** Returns why the chain would refuse a call now, or null if it would accept it. */
    simulate(transaction: UnsignedEvmTransaction): Promise<string | null>;
  };
  readSignedEvm(raw: string): Promise<Outcome<ReadEvmTransaction & { readonly hash: string; readonly nonce: number }>>;
  /** Turns a node's silence into the refusal `unavailable`. */
  unlessSilent<Value>(work: Promise<Outcome<Value>>): Promise<Outcome<Value>>;
}

/** Bridge providers and both chains, as one process reaches them. */
export interface Bridge {
  readonly quoting: BridgeQuoting;
  readonly outside: BridgeOutside;
}
