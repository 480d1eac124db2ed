/** Store ports of intelligence: events, posts, value locked on chains, macro series and their calendar. */
import type { Assessment } from '../../../src/domain/intelligence/corroboration.ts';
import type { MacroRelease, SeriesPoint } from '../../../src/domain/intelligence/macro.ts';
import type { EventKind, Report } from '../../../src/domain/intelligence/report.ts';
import type { SocialPost } from '../../../src/domain/intelligence/social.ts';
import type { Severity } from '../../../src/domain/market/market-event.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import type { Page, PageOf } from '../../page.ts';

/** An event with every report of it that is kept. */
export interface StoredEvent extends Assessment {
  readonly id: string;
  readonly receivedAt: EpochMs;
  readonly reports: readonly Report[];
}

export interface EventFilter {
  /** An underlying. */
  readonly symbol?: string;
  readonly minSeverity?: Severity;
  readonly kind?: EventKind;
  /** True: confirmed ones only. False: those that are not. */
  readonly confirmed?: boolean;
  readonly from?: EpochMs;
}

export interface PostFilter {
  /** An underlying. */
  readonly symbol?: string;
  readonly platform?: string;
  readonly author?: string;
  /** True: only posts that are about something in the catalog. */
  readonly mapped: boolean;
  readonly minLikes?: number;
  readonly from?: EpochMs;
}

/** A chain's newest snapshot, and what it was worth before; null if that is not known. */
export interface ChainRow {
  /** Null for all chains together. */
  readonly chain: string | null;
  readonly chainId: string | null;
  readonly tokenSymbol: string | null;
  readonly tvlUsd: string;
  readonly receivedAt: EpochMs;
  readonly dayBefore: string | null;
  readonly weekBefore: string | null;
}

export interface ChainDay {
  readonly date: string;
  readonly tvlUsd: string;
}

/** A value of a series as it was known, and the one that it replaced. */
export interface StoredPoint extends SeriesPoint {
  readonly vintage: string;
  readonly receivedAt: EpochMs;
  /** First published value if it was revised since, else null. */
  readonly firstValue: string | null;
}

export interface IntelligenceReads {
  /** Newest first. Positions are `<time>.<number>`. */
  events(filter: EventFilter, page: Page): Promise<PageOf<StoredEvent>>;
  /** Newest first. Positions are `<time>.<number>`. */
  posts(filter: PostFilter, page: Page): Promise<PageOf<SocialPost>>;
  /** Every chain of the newest snapshots, the largest first. */
  chains(): Promise<readonly ChainRow[]>;
  /** All chains together, from the provider's own history, or null. */
  allChains(): Promise<ChainRow | null>;
  /** Days of these chains (null: of all together) from a date on, ascending, by chain. */
  chainDays(chains: readonly (string | null)[], from: string): Promise<ReadonlyMap<string | null, readonly ChainDay[]>>;
  /** Values of these series from a date on as they were known on the day `asOf`, ascending, by series. Dates without a value are left out. */
  series(ids: readonly string[], from: string, asOf: string): Promise<ReadonlyMap<string, readonly StoredPoint[]>>;
  /** Releases from a date to another, both inclusive, ascending. */
  releases(from: string, to: string): Promise<readonly MacroRelease[]>;
}
