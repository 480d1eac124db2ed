/** Requirements on a history's length and completeness as evidence. */

import type { Candle } from '../../domain/candles/candle.ts';
import type { CatalogEntry } from '../../domain/catalog/catalog.ts';
import { GATE_LIMITS, yearsAfter } from '../../domain/agents/evidence.ts';
import { tradingDays } from '../../domain/market/session.ts';
import { DAY_MS, type EpochMs, HOUR_MS, isoTime } from '../../domain/values/time.ts';

/** Longest gap in bars that venue maintenance, or a pool without trades, explains. */
const MAINTENANCE_MS = 12 * HOUR_MS;

/** Refusal of a history. */
interface Insufficiency {
  readonly instrument: string;
  /** First missing bar and the first present one after it, or null if the history is only too short. */
  readonly gap: { readonly from: EpochMs; readonly to: EpochMs } | null;
  readonly detail: string;
}

/**
 * Returns why the bars are insufficient, or null if they span five years and the instrument's calendar explains every gap: twelve hours
 * of maintenance, and for a tokenized stock also closed sessions.
 * @param needSpan false for a shorter range, which is no evidence
 */
export function findInsufficiency(
  entry: Pick<CatalogEntry, 'key' | 'kind'>,
  candles: Iterable<Pick<Candle, 'openTime'>>,
  barMs: number,
  needSpan: boolean,
): Insufficiency | null {
  const instrument = entry.key;
  let [first, end]: [EpochMs | null, EpochMs] = [null, 0];
  for (const { openTime } of candles) {
    const gap = first === null ? null : findGap(entry, end, openTime);
    if (gap !== null) return gap;
    first ??= openTime;
    end = openTime + barMs;
  }
  if (first === null) return { instrument, gap: null, detail: `there are no candles of ${instrument}` };
  if (!needSpan || end >= yearsAfter(first, GATE_LIMITS.historyYears)) return null;
  return {
    instrument,
    gap: null,
    detail: `${instrument} has candles from ${isoTime(first)} to ${isoTime(end)}, less than ${GATE_LIMITS.historyYears} years`,
  };
}

/** Returns the gap, or null if it is short enough or the calendar explains it. */
function findGap({ key, kind }: Pick<CatalogEntry, 'key' | 'kind'>, from: EpochMs, to: EpochMs): Insufficiency | null {
  if (to - from <= MAINTENANCE_MS) return null;
  const unexplained = kind === 'tokenized_equity' ? openTimeWithin(from, to) : to - from;
  if (unexplained <= MAINTENANCE_MS) return null;
  return {
    instrument: key,
    gap: { from, to },
    detail: `${key} has no candles from ${isoTime(from)} to ${isoTime(to)}, ${Math.round(unexplained / HOUR_MS)} hours that no calendar explains (${MAINTENANCE_MS / HOUR_MS} are)`,
  };
}

/** Returns the milliseconds of open sessions within a range, by the exchange's calendar of sessions, holidays and half days. */
function openTimeWithin(from: EpochMs, to: EpochMs): number {
  let open = 0;
  for (const day of tradingDays(from - DAY_MS, to)) {
    open += Math.max(0, Math.min(to, day.closedAt) - Math.max(from, day.preMarketAt));
  }
  return open;
}
