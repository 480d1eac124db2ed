/** Preview of a manifest during editing, over a period short enough to wait for. */

import type { DecimalString } from '../values/decimal.ts';
import type { Problem } from '../values/field.ts';
import { canonicalTimeframe } from '../values/field.ts';
import { DAY_MS, type EpochMs, isoTime, startOfSlot, timeframeMs } from '../values/time.ts';
import type { MissingHistory } from './missing-history.ts';
import { type BacktestRequest, readBacktestRequest } from './request.ts';

/** Limits of a preview: bars of all series, days, milliseconds of work, and waiting previews. */
export const PREVIEW_LIMITS = { bars: 40_000, defaultDays: 60, days: 366, runMs: 20_000, waiting: 16 } as const;

/** Undefined fields take their defaults. */
interface GivenPreview {
  readonly timeframe?: string | undefined;
  /** Whole days back from the last closed bar. Default 60, or fewer if that were too many bars. */
  readonly days?: number | undefined;
}

/**
 * Builds the request of a preview: a look, which is no evidence, over the newest closed bars. @param manifestTimeframe Timeframe unless
 * another is requested. @param series Number of series that are read.
 */
export function previewRequest(
  given: GivenPreview,
  manifestTimeframe: string,
  series: number,
  now: EpochMs,
): BacktestRequest | readonly Problem[] {
  const timeframe = given.timeframe ?? manifestTimeframe;
  const canonical = canonicalTimeframe(timeframe);
  const barMs = canonical === null ? null : timeframeMs(canonical);
  // An invalid timeframe has no length. Reading the request reports it.
  if (barMs === null) return readBacktestRequest({ timeframe, look: true, to: isoTime(now) }, now);
  const to = startOfSlot(now, barMs);
  const mostMs = Math.min(PREVIEW_LIMITS.days * DAY_MS, Math.floor(PREVIEW_LIMITS.bars / Math.max(1, series)) * barMs);
  const asked = given.days === undefined ? Math.min(PREVIEW_LIMITS.defaultDays * DAY_MS, mostMs) : given.days * DAY_MS;
  if (asked > mostMs) {
    return [
      {
        path: '$.days',
        problem: `${given.days} days of ${series} series of bars of ${canonical} are more than a preview simulates`,
        allowed: `at most ${Math.floor(mostMs / DAY_MS)} days here: ${PREVIEW_LIMITS.bars} bars of all series together, and ${PREVIEW_LIMITS.days} days`,
      },
    ];
  }
  const window = { from: isoTime(startOfSlot(to - asked, barMs)), to: isoTime(to) };
  return readBacktestRequest({ ...window, timeframe: given.timeframe, look: true }, now);
}

/** One day of a previewed equity curve. Money as decimal text. */
interface PreviewDay {
  /** UTC date, `YYYY-MM-DD`. */
  readonly date: string;
  readonly equityUsd: DecimalString;
  /** Highest mark of the day. Drawdowns are measured from the highest mark of all days. */
  readonly highUsd: DecimalString;
}

/** Trade of a preview. Prices are decimal text, times ISO 8601. Null while it is open. */
export interface PreviewTrade {
  readonly instrument: string;
  readonly decidedAt: string;
  readonly entryPrice: DecimalString;
  readonly exitDecidedAt: string | null;
  readonly exitPrice: DecimalString | null;
  readonly quantity: DecimalString;
  readonly profitUsd: DecimalString | null;
  readonly exitedBy: readonly string[];
}

/** A rule over the period. Counts are evaluations: bars times instruments. */
interface PreviewRule {
  readonly side: 'entry' | 'exit';
  readonly type: string;
  readonly threshold: number | string | null;
  readonly evaluated: number;
  readonly passed: number;
  /** Number of slots at which an input was unknown. An unknown rule never passes. */
  readonly unknown: number;
}

export interface PreviewResult {
  readonly manifestHash: string;
  /** ISO 8601. */
  readonly from: string;
  readonly to: string;
  readonly timeframe: string;
  readonly bars: number;
  readonly capitalUsd: DecimalString;
  readonly finalEquityUsd: DecimalString;
  readonly returnPct: number;
  /** Return of buying equal parts of each instrument at its first bar. */
  readonly benchmarkReturnPct: number;
  readonly maxDrawdownPct: number;
  readonly closedTrades: number;
  readonly openTrades: number;
  readonly hitRatePct: number | null;
  readonly daily: readonly PreviewDay[];
  /** First 200 trades, oldest first. */
  readonly trades: readonly PreviewTrade[];
  readonly rules: readonly PreviewRule[];
}

/** Reason why there is no result, such as `insufficient_history`, `out_of_time`, `superseded` or `busy`. */
export interface PreviewEnding {
  readonly code: string;
  readonly detail: string;
}

export interface Preview {
  /** Null if the preview has no result. `ending` then says why. */
  readonly result: PreviewResult | null;
  readonly ending: PreviewEnding | null;
  /** Reasons why there was no trade. Empty if there was one, or no result. */
  readonly whyNoTrades: readonly string[];
  /** Inputs of the rules that are unknown over part of the period. */
  readonly missing: readonly MissingHistory[];
  /** Milliseconds from the request to the answer. */
  readonly tookMs: number;
}
