/** Rows of intelligence as they are read: events, posts, value locked on chains, macro series. */
import type { Assessment } from '../../../domain/intelligence/corroboration.ts';
import type { SeriesPoint } from '../../../domain/intelligence/macro.ts';
import type { EventKind, Report } from '../../../domain/intelligence/report.ts';
import type { Severity } from '../../../domain/market/market-event.ts';
import type { EpochMs } from '../../../domain/values/time.ts';

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
