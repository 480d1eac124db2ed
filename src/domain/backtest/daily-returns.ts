/** Daily returns of trials, which show if two trials belong to one family. */
import type { DecimalString } from '../values/decimal.ts';
import { DAY_MS, type EpochMs } from '../values/time.ts';

/** Significant digits of a return. More do not affect a correlation. */
const DIGITS = 7;

/** Returns by UTC day from the first one on; null on days without a mark. */
export interface DailyReturns {
  /** Days since 1970. */
  readonly firstDay: number;
  readonly returns: readonly (number | null)[];
}

/** A tried manifest and its annualised Sharpe ratio, which is null if undefined. */
export interface Trial {
  readonly manifestHash: string;
  readonly sharpe: number | null;
  readonly returns: DailyReturns;
}

/** Computes daily returns. @param days Midnights and the equity at the end of each day, ascending. At least one. */
export function returnsByDay(startUsd: DecimalString, days: readonly (readonly [day: EpochMs, equityUsd: DecimalString])[]): DailyReturns {
  const [first, last] = [days[0]?.[0] as EpochMs, days.at(-1)?.[0] as EpochMs];
  const returns = Array.from<number | null>({ length: (last - first) / DAY_MS + 1 }).fill(null);
  let before = Number(startUsd);
  for (const [day, equityUsd] of days) {
    const equity = Number(equityUsd);
    returns[(day - first) / DAY_MS] = Number((equity / before - 1).toPrecision(DIGITS));
    before = equity;
  }
  return { firstDay: first / DAY_MS, returns };
}
