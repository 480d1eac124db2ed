/** Simulators of both prediction market providers and the on-chain venue. */
import { join } from 'node:path';
import { SANDBOX_KEY } from '../sandbox-key.ts';
import type { Simulators } from '../simulator-entry.ts';
import { openAccessKey } from './access-key.ts';

/** Opens the key that the sandbox's Kalshi accepts, and creates it on first use. @param home state folder */
export const sandboxKalshiKey = (home: string) => openAccessKey(join(home, 'kalshi'));

export const PREDICTION_SIMULATORS = {
  polymarket: {
    place: 12,
    start: async ({ questions }, at) => (await import('./polymarket-simulator.ts')).createPolymarketSimulator({ questions, ...at }),
  },
  kalshi: {
    place: 13,
    async start({ questions }, at, home) {
      const { createKalshiSimulator } = await import('./kalshi-simulator.ts');
      return createKalshiSimulator({ questions, key: sandboxKalshiKey(home), ...at });
    },
  },
  onchain: {
    place: 16,
    async start({ questions, chain, stable }, at) {
      const { createOnchainPredictionSimulator } = await import('./onchain/simulator.ts');
      return createOnchainPredictionSimulator({ questions, chain, stable, key: SANDBOX_KEY, ...at });
    },
  },
} satisfies Simulators;
