/** Simulator of the perpetuals venue. */
import type { Simulators } from '../simulator-entry.ts';

export const EVMVENUE_SIMULATORS = {
  evmvenue: {
    place: 1,
    async start({ market }, at) {
      const { createEvmVenueSimulator } = await import('./simulator.ts');
      return createEvmVenueSimulator({ market, ...at });
    },
  },
} satisfies Simulators;
