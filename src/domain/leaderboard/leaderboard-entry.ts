/** Terms of the leaderboard: windows, a wallet's standing in one, and why it has no rank or an incomplete figure. */
import type { DecimalString } from '../values/decimal.ts';
import type { WalletChain } from '../identity/linked-wallet.ts';
import { DAY_MS, type EpochMs, HOUR_MS, MINUTE_MS } from '../values/time.ts';

export const LEADERBOARD_WINDOWS = ['24h', '7d', '30d'] as const;
export type LeaderboardWindow = (typeof LEADERBOARD_WINDOWS)[number];

export const WINDOW_MS: Readonly<Record<LeaderboardWindow, number>> = { '24h': DAY_MS, '7d': 168 * HOUR_MS, '30d': 720 * HOUR_MS };

/** Maximum transactions read of a primary-chain wallet, and the number per page. */
export const MOST_TRANSACTIONS = 500;
export const PAGE_TRANSACTIONS = 100;
/** Number of wallets per refresh, interval of refreshes, and maximum age of an answer, in milliseconds. */
export const REFRESH_WALLETS = 20;
export const REFRESH_MS = 30_000;
export const STALE_MS = 5 * MINUTE_MS;
/** Age in milliseconds of the newest answer from which a wallet keeps its figures and loses its rank. */
export const OUTDATED_MS = DAY_MS;

/** `partial`: observed in part. `reported/partial`: also reported by the venue itself. */
export const BASIS_LABELS: Readonly<Record<WalletChain, 'partial' | 'reported/partial'>> = {
  spotchain: 'partial',
  evmvenue: 'reported/partial',
};

export interface LeaderboardEntry {
  readonly address: string;
  readonly chain: WalletChain;
  readonly label: string | null;
  readonly place: number;
  readonly rank: number | null;
  readonly realizedPnlUsd: DecimalString | null;
  readonly sales: number;
  /** Number of sales with a known cost basis. On the EVM venue every closing fill counts. */
  readonly matchedSales: number;
  readonly readAt: EpochMs | null;
  readonly failure: string | null;
  /** Time since which no transaction is missing, or null if the whole history was read. */
  readonly truncatedAt: EpochMs | null;
}

export const RANK_REASONS = [
  'not_read_yet',
  'provider_unavailable',
  'refresh_failed',
  'outdated',
  'no_sales_in_window',
  'no_known_basis',
  'history_truncated',
] as const;
type RankReason = (typeof RANK_REASONS)[number];

/** Returns why an entry has no rank, or what its figure may lack. Empty if neither applies. */
export function listRankReasons(entry: LeaderboardEntry, window: LeaderboardWindow, now: EpochMs): readonly RankReason[] {
  const { readAt, failure, sales, matchedSales, truncatedAt } = entry;
  if (readAt === null) return [failure === null ? 'not_read_yet' : 'provider_unavailable'];
  const reasons: RankReason[] = [];
  if (failure !== null) reasons.push('refresh_failed');
  if (readAt < now - OUTDATED_MS) reasons.push('outdated');
  if (sales === 0) reasons.push('no_sales_in_window');
  else if (matchedSales === 0) reasons.push('no_known_basis');
  if (truncatedAt !== null && truncatedAt > now - WINDOW_MS[window]) reasons.push('history_truncated');
  return reasons;
}

/**
 * Returns the percentage of observed sales with a known basis, rounded down to two decimals. Null if there was no sale or the venue only
 * reports.
 */
export function computeCoverage({ chain, sales, matchedSales }: Pick<LeaderboardEntry, 'chain' | 'sales' | 'matchedSales'>): number | null {
  if (chain === 'evmvenue' || sales === 0) return null;
  return Math.floor((matchedSales / sales) * 10_000) / 100;
}

/** A sale or closing fill of a wallet. US dollars. */
export interface WalletSale {
  readonly key: string;
  readonly at: EpochMs;
  /** Mint or coin. */
  readonly asset: string;
  /** `sell` on the primary chain, else the venue's own term. */
  readonly direction: string;
  /** Raw units, or null if the venue reports only the profit of the fill. */
  readonly quantity: string | null;
  readonly proceedsUsd: DecimalString | null;
  readonly costUsd: DecimalString | null;
  readonly profitUsd: DecimalString | null;
  /** Transaction id on its chain. */
  readonly reference: string;
}
