/** Rows of intelligence as read: events, posts, value locked on chains, macro series. */
import type { Assessment } from '../../../domain/intelligence/corroboration.ts';
import type { SeriesPoint } from '../../../domain/intelligence/macro.ts';
import type { EventKind, Report } from '../../../domain/intelligence/report.ts';
import type { Severity } from '../../../domain/market/market-event.ts';
import type { EpochMs } from '../../../domain/values/time.ts';

/** Event with all of its stored reports. */
export interface StoredEvent extends Assessment {
  readonly id: string;
  readonly receivedAt: EpochMs;
  readonly reports: readonly Report[];
}

export interface EventFilter {
  /** Underlying. */
  readonly symbol?: string;
  readonly minSeverity?: Severity;
  readonly kind?: EventKind;
  /** True for confirmed events only, false for unconfirmed ones only. */
  readonly confirmed?: boolean;
  readonly from?: EpochMs;
}

export interface PostFilter {
  /** Underlying. */
  readonly symbol?: string;
  readonly platform?: string;
  readonly author?: string;
  /** True for posts about catalog instruments only. */
  readonly mapped: boolean;
  readonly minLikes?: number;
  readonly from?: EpochMs;
}

/** Newest snapshot of a chain and earlier values; null if unknown. */
export interface ChainRow {
  /** Null for the total of all chains. */
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

/** Value of a series as known, and the value that it replaced. */
export interface StoredPoint extends SeriesPoint {
  readonly vintage: string;
  readonly receivedAt: EpochMs;
  /** First published value if it was revised, else null. */
  readonly firstValue: string | null;
}
