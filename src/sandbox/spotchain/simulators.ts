/** Simulators of the primary chain's aggregator and node. */
import { SANDBOX_KEY } from '../sandbox-key.ts';
import type { Simulators } from '../simulator-entry.ts';

export const SPOTCHAIN_SIMULATORS = {
  spotchain: {
    place: 2,
    async start({ tokenMarket: market, mints: tokens, stable, swaps: handler, launched }, at) {
      const { createSpotchainSimulator } = await import('./simulator.ts');
      return createSpotchainSimulator({ market, tokens, stable, handler, launched, apiKeys: [SANDBOX_KEY], ...at });
    },
  },
  // Must be last, because its websockets use the next port.
  primarychain: {
    place: 22,
    async start({ chain, seed }, at) {
      const { openSolanaNode } = await import('../solana/simulator.ts');
      return openSolanaNode(chain, { seed, ...at });
    },
  },
} satisfies Simulators;
