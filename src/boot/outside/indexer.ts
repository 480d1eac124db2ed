/** The indexing provider of the primary chain in this service: histories of wallets for the leaderboard, and its simulator. */
import { createEnhancedHistory } from '../../adapters/indexer/enhanced-history.ts';
import type { MakeBudget } from '../budgets.ts';
import type { Config } from '../config.ts';
import type { OutsideEntry, Reach, SimulatorAt } from './entry.ts';

/** The smallest plan lets so many histories be asked for in a second. */
const PER_SECOND = 2;

const budgets = (make: MakeBudget) => ({ indexer: make('indexer', PER_SECOND, 1_000) });

interface Addresses {
  /** Null where the chain is real and no provider is named. */
  readonly indexer: { readonly url: string; readonly key: string | null } | null;
}

export const indexer = {
  venue: 'spotchain',
  budgets,
  addresses: (config: Config, simulator: SimulatorAt): Addresses => {
    if (config.SPOTCHAIN_URL === null) return { indexer: { url: simulator('indexer'), key: null } };
    return { indexer: config.INDEXER_URL === null ? null : { url: config.INDEXER_URL, key: config.INDEXER_KEY?.reveal() ?? null } };
  },
  // Its simulator stands beside that of the chain, which says whether there is a sandbox.
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

  /** Null where no provider is named. */
  open({ addresses, budgets: paid, clock, random, note }: Reach<Addresses, ReturnType<typeof budgets>>) {
    if (addresses.indexer === null) return null;
    return createEnhancedHistory({ ...addresses.indexer, clock, random, note, budget: paid.indexer });
  },
} satisfies OutsideEntry & { open: unknown };
