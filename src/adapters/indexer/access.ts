/** Opens the wallet histories of the indexing provider (primary chain) and the perpetuals venue. */
import type { MakeBudget } from '../queue/request-budgets.ts';
import type { Reach } from '../reach.ts';
import { openPerpInfo } from '../venues/evmvenue/access.ts';
import { VenueError } from '../venues/venue-feed.ts';
import { createEnhancedHistory, type WalletTransaction } from './enhanced-history.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { ReportedFill } from '../../domain/identity/wallet.ts';

/** Requests per second that the smallest plan allows. */
const PER_SECOND = 2;

/** Request budget of one API key. */
export const indexerBudgets = (make: MakeBudget) => ({ indexer: make('indexer', PER_SECOND, 1_000) });

export interface IndexerAddresses {
  /** Null on a real chain without a configured provider. */
  readonly indexer: { readonly url: string; readonly key: string | null } | null;
}

export interface WalletHistories {
  /**
   * Reads a page of up to 100 transactions older than `before`, newest first. Null if no provider is configured. @throws if it does not
   * answer.
   */
  readonly transactions: ((address: string, before: string | null) => Promise<readonly WalletTransaction[]>) | null;
  /** Reads perpetual and other fills: the most recent ones, or those since a time (inclusive). @throws if the venue does not answer. */
  readonly fills: (address: string, since: EpochMs | null) => Promise<readonly ReportedFill[]>;
  /**
   * Classifies an error. `spent`: the provider's budget is used up, and nothing was requested. `silent`: no valid answer. Null for other
   * errors.
   */
  readonly failureOf: (error: unknown) => 'spent' | 'silent' | null;
}

type PerpReach = Parameters<typeof openPerpInfo>[0];

/** Opens the histories. The primary chain's is null if no provider is configured. */
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
