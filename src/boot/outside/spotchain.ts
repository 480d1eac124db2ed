/** Primary chain in this service: its aggregator, the history of its pools, and its node. */
import { KEYLESS_PER_MINUTE, type SpotchainAddresses, spotchainAccess } from '../../adapters/venues/spotchain/access.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import { SANDBOX_KEY } from '../../sandbox/simulator-entry.ts';
import { poolAddress, SANDBOX_MAKER } from '../../sandbox/spotchain/pool.ts';
import type { Config } from '../config.ts';
import { keyFor, type SimulatorAt, type VenueEntry } from './entry.ts';

/** Wallet that receives the partner's fees of a launch in the sandbox. `sandboxKey('launch partner')` signs for it. */
const SANDBOX_LAUNCH_PARTNER = '8PkHChnn4NQugLyY6eVH96kCrR76KhhEp5UKxBrnFHSH';

/** Pools of the sandbox: every token of the catalog has one once it is listed. */
const SANDBOX_POOLS: SpotchainAddresses['spotchain']['pools'] = {
  get(symbol) {
    const token = CATALOG.bySymbol(symbol)?.token ?? null;
    return token === null ? undefined : poolAddress(token.mint);
  },
};

/** Returns the request budgets of real providers on the primary chain, which are lower without a key. */
export function keylessBudgets({ SPOTCHAIN_URL: url, SPOTCHAIN_KEY: key, SPOTCHAIN_CANDLES_URL: candles }: Config): Record<string, number> {
  return {
    ...(url !== null && key === null ? { aggregator: KEYLESS_PER_MINUTE } : {}),
    ...(candles === null ? {} : { pools: KEYLESS_PER_MINUTE }),
  };
}

export const spotchain = {
  ...spotchainAccess,
  venue: 'spotchain',
  addresses: (config: Config, simulator: SimulatorAt): SpotchainAddresses => ({
    spotchain: {
      url: config.SPOTCHAIN_URL ?? simulator('spotchain'),
      key: keyFor(config.SPOTCHAIN_URL, config.SPOTCHAIN_KEY),
      candlesUrl: config.SPOTCHAIN_CANDLES_URL ?? simulator('spotchain'),
      pools: config.SPOTCHAIN_CANDLES_URL === null ? SANDBOX_POOLS : { get: CATALOG.poolOf },
      // A real aggregator's transactions must not go to the sandbox's chain.
      rpcUrl: config.SPOTCHAIN_RPC_URL?.reveal() ?? (config.SPOTCHAIN_URL === null ? simulator('primarychain') : null),
      makers: config.SPOTCHAIN_URL === null ? [SANDBOX_MAKER] : [],
      launchPartner: config.LAUNCH_PARTNER_WALLET ?? (config.SPOTCHAIN_URL === null ? SANDBOX_LAUNCH_PARTNER : null),
    },
  }),
  isSimulated: (config) => config.SPOTCHAIN_URL === null,
  simulators: {
    spotchain: {
      place: 2,
      async start({ tokenMarket: market, mints: tokens, stable, swaps: handler, launched }, at) {
        const { createSpotchainSimulator } = await import('../../sandbox/spotchain/simulator.ts');
        return createSpotchainSimulator({ market, tokens, stable, handler, launched, apiKeys: [SANDBOX_KEY], ...at });
      },
    },
    // Must be last, because its websockets use the next port.
    primarychain: {
      place: 22,
      async start({ chain, seed }, at) {
        const { openSolanaNode } = await import('../../sandbox/solana/simulator.ts');
        return openSolanaNode(chain, { seed, ...at });
      },
    },
  },
} satisfies VenueEntry;
