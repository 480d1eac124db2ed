/** What a bridge provider brings into the service: how one process reaches it, on top of what every outside system brings. */
import type { BridgeProvider } from '../../../actors/bridge-transfer/ports.ts';
import type { Clock } from '../../../streams/clock.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import type { EvmBridgeChain } from '../../adapters/bridge/evm-chain.ts';
import type { AskedPlace } from '../../adapters/metrics.ts';
import type { BridgeChain } from '../../domain/bridge/quote.ts';
import type { DecimalString } from '../../domain/decimal.ts';
import type { Config } from '../config.ts';
import type { OutsideEntry } from './entry.ts';

/** Both chains, and what a provider asks of them before it offers anything. */
export interface BridgeGround {
  readonly clock: Clock;
  readonly random: () => number;
  readonly note: NoteUnknownField;
  /** Hears of what was not answered or could not be read, by the reason. */
  readonly onFailure: (place: AskedPlace, reason: string) => void;
  /** Number of the EVM chain. */
  readonly chainId: number;
  /** The stablecoin on both chains. */
  readonly mint: string;
  readonly token: string;
  readonly evm: Pick<EvmBridgeChain, 'allowance' | 'gasPrice'>;
  /** Whether an address of the primary chain has an account for the stablecoin. @throws where no node answers */
  readonly hasTokenAccount: (owner: string) => Promise<boolean>;
  /** So many of the smallest units of a chain's own coin in US dollars; null where nobody tells its price. */
  readonly coinUsd: (chain: BridgeChain, units: bigint) => DecimalString | null;
}

export interface BridgeProviderEntry extends OutsideEntry {
  readonly isNamed: (addresses: never) => boolean;
  /** Null where the provider is not named, or does not serve the EVM chain. */
  readonly open: (ground: BridgeGround, reach: never) => BridgeProvider | null;
}

/** Whether both chains are the sandbox's: its providers carry between them, and real ones between real chains. */
export const isBridgeSimulated = (config: Config): boolean => config.SPOTCHAIN_URL === null && config.EVMCHAIN_URL === null;
