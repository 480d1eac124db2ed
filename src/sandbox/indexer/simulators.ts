/** Simulator of the primary chain's indexing provider. */
import type { Simulators } from '../simulator-entry.ts';

export const INDEXER_SIMULATORS = {
  indexer: {
    place: 20,
    async start({ chain }, at) {
      const { createIndexerSimulator } = await import('./simulator.ts');
      return createIndexerSimulator({ chain, ...at });
    },
  },
} satisfies Simulators;
