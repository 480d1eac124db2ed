/** Whether a history is long and whole enough to be evidence. */

import type { Candle } from '../../domain/candle.ts';
import type { CatalogEntry } from '../../domain/catalog.ts';
import { GATE_LIMITS, yearsAfter } from '../../domain/evidence.ts';
import { tradingDays } from '../../domain/session.ts';
import { type EpochMs, isoTime } from '../../domain/time.ts';

/** The longest stretch without bars that maintenance of a venue, or a pool in which nobody trades, explains. */
const MAINTENANCE_MS = 12 * 3_600_000;

/** Why a history is refused. */
export interface Insufficiency {
  readonly instrument: string;
  /** The first bar that is missing, and the first that is there again; null where the history is only too short. */
  readonly gap: { readonly from: EpochMs; readonly to: EpochMs } | null;
  readonly detail: string;
}

/**
 * Null where the bars span five years and no gap is longer than the instrument's calendar explains: around the clock
 * maintenance of twelve hours; of a tokenized share also the time in which its exchange is closed.
 * @param needSpan false for a look at a shorter stretch, which is no evidence.
 */
export function insufficiencyOf(
  entry: Pick<CatalogEntry, 'key' | 'kind'>,
  candles: readonly Pick<Candle, 'openTime'>[],
  barMs: number,
  needSpan: boolean,
): Insufficiency | null {
  const instrument = entry.key;
  const [first, last] = [candles[0], candles.at(-1)];
  if (first === undefined || last === undefined) return { instrument, gap: null, detail: `there are no candles of ${instrument}` };
  for (let i = 1; i < candles.length; i++) {
    const from = (candles[i - 1] as Candle).openTime + barMs;
    const to = (candles[i] as Candle).openTime;
    if (to - from <= MAINTENANCE_MS) continue;
    const unexplained = entry.kind === 'tokenized_equity' ? openTimeWithin(from, to) : to - from;
    if (unexplained <= MAINTENANCE_MS) continue;
    return {
      instrument,
      gap: { from, to },
      detail: `${instrument} has no candles from ${isoTime(from)} to ${isoTime(to)}, ${Math.round(unexplained / 3_600_000)} hours that no calendar explains (${MAINTENANCE_MS / 3_600_000} are)`,
    };
  }
  const end = last.openTime + barMs;
  if (!needSpan || end >= yearsAfter(first.openTime, GATE_LIMITS.historyYears)) return null;
  return {
    instrument,
    gap: null,
    detail: `${instrument} has candles from ${isoTime(first.openTime)} to ${isoTime(end)}, less than ${GATE_LIMITS.historyYears} years`,
  };
}

/** Milliseconds in which a session was open within a stretch, by the exchange's calendar of sessions, holidays and half days. */
function openTimeWithin(from: EpochMs, to: EpochMs): number {
  let open = 0;
  for (const day of tradingDays(from - 86_400_000, to)) {
    open += Math.max(0, Math.min(to, day.closedAt) - Math.max(from, day.preMarketAt));
  }
  return open;
}
