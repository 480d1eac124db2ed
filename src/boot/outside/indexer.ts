/** Indexing provider of the primary chain in this service. */
import { type IndexerAddresses, indexerBudgets } from '../../adapters/indexer/access.ts';
import type { Config } from '../config.ts';
import type { OutsideEntry, SimulatorAt } from './entry.ts';

export const indexer = {
  venue: 'spotchain',
  budgets: indexerBudgets,
  addresses: (config: Config, simulator: SimulatorAt): IndexerAddresses => {
    if (config.SPOTCHAIN_URL === null) return { indexer: { url: simulator('indexer'), key: null } };
    return { indexer: config.INDEXER_URL === null ? null : { url: config.INDEXER_URL, key: config.INDEXER_KEY?.reveal() ?? null } };
  },
  // The chain's simulator already determines whether a sandbox is needed.
  isSimulated: () => false,
  simulators: {
    indexer: {
      place: 20,
      async start({ chain }, at) {
        const { createIndexerSimulator } = await import('../../sandbox/indexer/simulator.ts');
        return createIndexerSimulator({ chain, ...at });
      },
    },
  },
} satisfies OutsideEntry;
