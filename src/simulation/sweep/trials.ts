/** Trials of variants on one history. Each is a whole backtest, of which a few numbers are kept. */
import type { Assumptions } from '../../domain/backtest/assumptions.ts';
import { type DailyReturns, returnsByDay } from '../../domain/backtest/daily-returns.ts';
import type { Variant } from '../../domain/backtest/sweep.ts';
import type { DecimalString } from '../../domain/values/decimal.ts';
import type { History } from '../backtest/history.ts';
import { HistoryInputs } from '../backtest/rule-columns.ts';
import { type BacktestResult, dailyReturns, NO_OTHERS, runBacktest } from '../backtest/run.ts';

/** Trial of a sweep. Money is exact; ratios are plain numbers. */
export interface SweepTrial {
  readonly values: readonly (number | string)[];
  readonly manifestHash: string;
  readonly sharpe: number | null;
  readonly sortino: number | null;
  readonly maxDrawdownPct: number;
  readonly returnPct: number;
  readonly closedTrades: number;
  readonly hitRatePct: number | null;
  readonly profitUsd: DecimalString;
  readonly feesUsd: DecimalString;
  /** Probability that its true Sharpe ratio exceeds what the best of all counted trials would show by luck. */
  readonly deflatedSharpe: number | null;
}

/** Result of a variant without trades and days, which would fill the memory. */
export interface Tried {
  readonly trial: Omit<SweepTrial, 'deflatedSharpe'>;
  readonly returns: Float64Array;
  readonly byDay: DailyReturns;
}

/** Variants to try on one history. It crosses to a thread unchanged. */
export interface Trying {
  readonly history: History;
  readonly variants: readonly Variant[];
  readonly assumptions: Assumptions;
}

/** Maximum number of cached columns per instrument. Five years of hours take a third of a megabyte each. */
const KEPT_COLUMNS = 64;
/** Interval of variants that the plain decider checks, at ten times the cost of a run. A sweep's best variant is always checked. */
const CHECKED_EVERY = 32;

/** Tries variants one after the other. Calls `onDone` with the number completed. @throws Error for a defect */
export function tryVariants({ history, variants, assumptions }: Trying, onDone: (done: number) => void): readonly Tried[] {
  const inputs = new HistoryInputs(history, KEPT_COLUMNS);
  return variants.map((variant, place) => {
    onDone(place);
    const { manifest } = variant;
    const { result } = runBacktest({
      manifest,
      history,
      assumptions,
      trials: NO_OTHERS,
      inputs,
      ...(place % CHECKED_EVERY === 0 ? {} : { checked: 0 }),
    });
    return { trial: toTrial(variant, result), returns: dailyReturns(result), byDay: computeByDay(result) };
  });
}

function computeByDay({ capitalUsd, daily }: BacktestResult): DailyReturns {
  return returnsByDay(
    capitalUsd,
    daily.map(({ date, equityUsd }) => [Date.parse(date), equityUsd]),
  );
}

function toTrial({ values, manifestHash }: Variant, { performance, trades, feesUsd }: BacktestResult): Tried['trial'] {
  return {
    values,
    manifestHash,
    sharpe: performance.sharpe,
    sortino: performance.sortino,
    maxDrawdownPct: performance.maxDrawdownPct,
    returnPct: performance.returnPct,
    closedTrades: trades.closed,
    hitRatePct: trades.hitRatePct,
    profitUsd: trades.profitUsd,
    feesUsd,
  };
}
