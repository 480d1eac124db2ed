/** Ports of bridge transfers: providers, and the two chains that prove what happened. Boot supplies them. */
import type { SourceSighting } from '../../src/domain/bridge/axes.ts';
import type { ReadEvmTransaction } from '../../src/domain/bridge/evm-fields.ts';
import type { BridgeChain, BridgeProviderName, BridgeWish, UnsignedEvmTransaction } from '../../src/domain/bridge/quote.ts';
import type {
  ArrivalSighting,
  ChainHead,
  ChainHeads,
  PlannedOffer,
  ProviderWord,
  TransferTerms,
} from '../../src/domain/bridge/transfer.ts';
import type { Broadcast, Simulation } from '../../src/domain/solana/chain.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';

/** Push notifications of a provider: requests that have changed, by the provider's ids. */
export interface BridgePushes {
  /** Follows exactly these requests from now on. `received` replaces the earlier listener. */
  follow(references: readonly string[], received: (reference: string) => void): void;
  /** Stops all notifications and closes the connection. */
  close(): void;
}

export interface BridgeProvider {
  readonly name: BridgeProviderName;
  /**
   * Prices a transfer without touching any chain. Refuses with `route_refused` if the provider declines or its answer is invalid, and with
   * `unavailable` if it does not answer.
   */
  offer(wish: BridgeWish, amountIn: string): Promise<Outcome<PlannedOffer>>;
  /** Returns the provider's status of a submitted transfer, or `unseen` if it does not know it. @throws if it does not answer. */
  word(terms: TransferTerms): Promise<ProviderWord>;
  /** Absent if the provider does not push or no address is configured. */
  readonly pushes?: BridgePushes;
}

/** One chain, as the source and as the destination of transfers. */
export interface TransferChain {
  readonly chain: BridgeChain;
  /**
   * Sends signed bytes to a node, which accepts the same bytes any number of times. Gives up when `leftMs` reaches 0. @throws only before
   * anything was sent.
   */
  broadcast(signed: string, leftMs: () => number): Promise<Broadcast>;
  /** Returns the status of the source transaction. @throws if no node answers, because silence is never `unseen`. */
  source(terms: TransferTerms): Promise<SourceSighting>;
  /** Returns the payment of a transaction to an address of this chain. @throws if no node answers. */
  arrival(hash: string, recipient: string): Promise<ArrivalSighting>;
  /** Returns the newest block. @throws if no node answers. */
  head(): Promise<ChainHead>;
}

export interface BridgeOutside {
  readonly providers: Readonly<Partial<Record<BridgeProviderName, BridgeProvider>>>;
  readonly chains: Readonly<Record<BridgeChain, TransferChain>>;
  /** Receives the error of every part of a read that got no answer. */
  readonly onSilence: (error: unknown) => void;
}

/** Arrivals that have settled transfers. Each counts for one transfer of one organization. */
export interface SettledArrivals {
  /** Returns the id of the transfer that this arrival settled, or null. */
  settledBy(chain: BridgeChain, hash: string): Promise<string | null>;
}

/** Further ports of quotes and submissions: the chains before anything is signed. */
export interface BridgeQuoting {
  readonly providers: readonly Pick<BridgeProvider, 'name' | 'offer'>[];
  /** Mint of the stablecoin on the primary chain. */
  readonly mint: string;
  /** Returns the newest block of each chain. @throws if a node does not answer. */
  heads(): Promise<ChainHeads>;
  readonly solana: {
    latestBlockhash(commitment: 'confirmed'): Promise<{ readonly blockhash: string; readonly lastValidBlockHeight: number }>;
    simulate(transaction: Uint8Array): Promise<Simulation>;
  };
  readonly evm: {
    /** Balance of the stablecoin in base units. */
    balance(owner: string): Promise<bigint>;
    /** Returns why the chain would refuse a call now, or null if it would accept it. */
    simulate(transaction: UnsignedEvmTransaction): Promise<string | null>;
  };
  readSignedEvm(raw: string): Promise<Outcome<ReadEvmTransaction & { readonly hash: string; readonly nonce: number }>>;
  /** Turns a node's silence into a refusal `unavailable`. */
  unlessSilent<Value>(work: Promise<Outcome<Value>>): Promise<Outcome<Value>>;
}

/** Bridge providers and both chains. */
export interface Bridge {
  readonly quoting: BridgeQuoting;
  readonly outside: BridgeOutside;
}
