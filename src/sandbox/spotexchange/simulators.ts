/** The spot exchange in the sandbox, and the key that it gives out. */
import type { Simulators } from '../simulator-entry.ts';

/** Of no use anywhere else. */
export const SANDBOX_EXCHANGE_KEY = { key: 'sandboxexchange', secret: 'ofNoUseAnywhereElse' };

export const SPOTEXCHANGE_SIMULATORS = {
  spotexchange: {
    place: 0,
    async start({ market }, at) {
      const { createSpotExchangeSimulator } = await import('./simulator.ts');
      return createSpotExchangeSimulator({ market, keys: [SANDBOX_EXCHANGE_KEY], ...at });
    },
  },
} satisfies Simulators;
