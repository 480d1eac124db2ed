/** The primary chain's aggregator and its node in the sandbox. */
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
  // The last one of all: its sockets have the port after it.
  primarychain: {
    place: 22,
    async start({ chain, seed }, at) {
      const { openSolanaNode } = await import('../solana/simulator.ts');
      return openSolanaNode(chain, { seed, ...at });
    },
  },
} satisfies Simulators;
