/** Ports of the leaderboard routes. */
import type { LeaderboardWalletCommands } from '../../../actors/leaderboard-wallet/commands.ts';
import type { LeaderboardEntry, LeaderboardWindow, WalletSale } from '../../../src/domain/leaderboard/entry.ts';
import type { WalletChain } from '../../../src/domain/identity/linked-wallet.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import type { Page, PageOf } from '../../page.ts';

/** Filter of entries. Null leaves a condition out. */
export interface LeaderboardFilter {
  readonly chain: WalletChain | null;
  /** The beginning of an address, or a part of a label. */
  readonly search: string | null;
  /** True for ranked entries only, false for unranked ones only, null for both. */
  readonly ranked: boolean | null;
  readonly minimumCoveragePct: number | null;
}

/** Reads of the leaderboard, which is everybody's. */
export interface LeaderboardReads {
  rank(window: LeaderboardWindow, filter: LeaderboardFilter, page: Page): Promise<PageOf<LeaderboardEntry>>;
  /** Null if the address is not on the leaderboard. */
  find(address: string, window: LeaderboardWindow): Promise<LeaderboardEntry | null>;
  /** The sales that a wallet's figure is made of, newest first. */
  sales(address: string, window: LeaderboardWindow, now: EpochMs, page: Page): Promise<PageOf<WalletSale>>;
  /** Progress of the refresh: its last run, the number of waiting wallets and the longest wait. */
  progress(): Promise<{ readonly at: EpochMs; readonly waiting: number; readonly behindMs: number }>;
}

export type LeaderboardWalletPorts = { readonly commands: LeaderboardWalletCommands };
