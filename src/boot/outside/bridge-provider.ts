/** Composition of a bridge provider: its outside system, and how a process opens it. */
import type { BridgeProvider } from '../../../actors/bridge-transfer/ports.ts';
import type { BridgeContext } from '../../adapters/bridge/bridge-context.ts';
import type { Config } from '../config.ts';
import type { OutsideEntry } from './entry.ts';

export interface BridgeProviderEntry extends OutsideEntry {
  readonly isNamed: (addresses: never) => boolean;
  /** Opens the provider, or returns null if it is not configured or does not serve the EVM chain. */
  readonly open: (context: BridgeContext, reach: never) => BridgeProvider | null;
}

/** True if both chains are the sandbox's. Simulated providers connect only simulated chains, real ones only real chains. */
export const isBridgeSimulated = (config: Config): boolean => config.SPOTCHAIN_URL === null && config.EVMCHAIN_URL === null;
