/** Parameters shared by the intelligence routes: symbols, positions, days and changes. */
import type { Catalog } from '../../../src/domain/catalog/catalog.ts';
import { percentChange } from '../../../src/domain/intelligence/regime.ts';
import { type EpochMs, isoTime } from '../../../src/domain/values/time.ts';

/** A day, `YYYY-MM-DD`. */
export const DAY_PATTERN = '^\\d{4}-\\d{2}-\\d{2}$';

/** Positions of lists by time: `<time>.<number>`. */
export const BY_TIME = /^\d{1,16}\.\d{1,15}$/;

/** Returns the underlying of a catalog symbol. Other names are returned unchanged. */
export function findUnderlying(catalog: Catalog, symbol: string): string {
  return catalog.bySymbol(symbol)?.underlying ?? symbol;
}

/** Returns the UTC date, `YYYY-MM-DD`. */
export function toUtcDate(at: EpochMs): string {
  return isoTime(at).slice(0, 10);
}

/** Returns (now - before) / before x 100 as a statistic, or null if the earlier value is unknown or zero. */
export function changePct(now: string, before: string | null): number | null {
  const change = before === null ? null : percentChange(now, before);
  return change === null ? null : Number(change);
}
