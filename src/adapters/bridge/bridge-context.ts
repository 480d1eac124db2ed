/** Context of a bridge provider: both chains and the reads that an offer needs. */
import type { Clock } from '../../../streams/clock/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import type { BridgeChain } from '../../domain/bridge/quote.ts';
import type { DecimalString } from '../../domain/values/decimal.ts';
import type { AskedSystem } from '../log/metrics.ts';
import type { EvmBridgeChain } from './evm-bridge-chain.ts';

export interface BridgeContext {
  readonly clock: Clock;
  readonly random: () => number;
  readonly note: NoteUnknownField;
  /** Receives the reason of every request that was not answered or not readable. */
  readonly onFailure: (place: AskedSystem, reason: string) => void;
  /** Number of the EVM chain. */
  readonly chainId: number;
  /** The stablecoin on both chains. */
  readonly mint: string;
  readonly token: string;
  readonly evm: Pick<EvmBridgeChain, 'allowance' | 'gasPrice'>;
  /** Returns true if an address of the primary chain has an account for the stablecoin. @throws if no node answers */
  readonly hasTokenAccount: (owner: string) => Promise<boolean>;
  /** Converts an amount in the smallest unit of a chain's own coin to US dollars; null if the coin has no price. */
  readonly coinUsd: (chain: BridgeChain, units: bigint) => DecimalString | null;
}
