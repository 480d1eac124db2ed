/** The indexing provider of the primary chain and the perpetuals venue, as histories of wallets are asked of them. */
import type { WalletHistories } from '../../trading/leaderboard-refresh.ts';
import type { MakeBudget } from '../queue/request-budgets.ts';
import type { Reach } from '../reach.ts';
import { openPerpInfo } from '../venues/evmvenue/access.ts';
import { VenueError } from '../venues/venue-feed.ts';
import { createEnhancedHistory } from './enhanced-history.ts';

/** The smallest plan lets so many histories be asked for in a second. */
const PER_SECOND = 2;

/** Request budget of the provider for one key. */
export const indexerBudgets = (make: MakeBudget) => ({ indexer: make('indexer', PER_SECOND, 1_000) });

export interface IndexerAddresses {
  /** Null if the chain is real and no provider is configured. */
  readonly indexer: { readonly url: string; readonly key: string | null } | null;
}

type PerpReach = Parameters<typeof openPerpInfo>[0];

/** Opens the wallet histories within the budgets of both. Those of the primary chain are null if no provider is configured. */
export function openWalletHistories(
  reach: Reach<IndexerAddresses & PerpReach['addresses'], ReturnType<typeof indexerBudgets> & PerpReach['budgets']>,
): WalletHistories & { close(): void } {
  const { addresses, budgets, clock, random, note } = reach;
  const history =
    addresses.indexer === null ? null : createEnhancedHistory({ ...addresses.indexer, clock, random, note, budget: budgets.indexer });
  const perps = openPerpInfo(reach);
  return {
    transactions: history === null ? null : (address, before) => history.page(address, before),
    fills: (address, since) => (since === null ? perps.walletFills(address) : perps.walletFillsSince(address, since)),
    failureOf: (error) => {
      if (!(error instanceof VenueError)) return null;
      return error.status === 429 || error.code === 'budget_exhausted' ? 'spent' : 'silent';
    },
    close: () => history?.close(),
  };
}
