/** Sweep result in a few lines of text. */
import { valuesText } from '../../domain/backtest/sweep.ts';
import type { SweepOutcome, SweepResult } from './sweep-work.ts';

/** Number of listed variants, best first. */
const LISTED = 10;

/** Formats a result. @param report path of the report file, or null if none was written */
export function sweepText({ result, resultHash }: Extract<SweepOutcome, { readonly ok: true }>, report: string | null): string {
  const told = JSON.parse(result) as SweepResult;
  const { from, to, bars, timeframe, trials, counted, expectedBestSharpe, parameters } = told;
  const byScore = trials.toSorted((a, b) => (b.sharpe ?? Number.NEGATIVE_INFINITY) - (a.sharpe ?? Number.NEGATIVE_INFINITY));
  return [
    `${from} to ${to}, ${bars} bars of ${timeframe}: a sweep of ${trials.length} variants, no evidence`,
    `${counted.total} trials counted, ${counted.earlier} of them made before; by luck alone the best would show a Sharpe of ${number(expectedBestSharpe)}`,
    ...byScore
      .slice(0, LISTED)
      .map(
        (trial) =>
          `  ${valuesText(parameters, trial.values)}: Sharpe ${number(trial.sharpe)}, deflated Sharpe ${number(trial.deflatedSharpe)}, drawdown ${number(trial.maxDrawdownPct)} %, return ${number(trial.returnPct)} %, ${trial.closedTrades} closed trades`,
      ),
    ...(trials.length > LISTED ? [`  and ${trials.length - LISTED} more`] : []),
    walkText(told),
    `result ${resultHash}${report === null ? '' : `, report ${report}`}`,
  ].join('\n');
}

function walkText({ walkForward }: SweepResult): string {
  if (walkForward === null) return 'walk-forward: the stretch has no day after the first training window';
  const { trainDays, testDays, folds, performance, deflatedSharpe } = walkForward;
  return `walk-forward, ${trainDays} days pick and ${testDays} count, ${folds.length} times: Sharpe ${number(performance.sharpe)}, deflated Sharpe ${number(deflatedSharpe)}, return ${number(performance.returnPct)} %`;
}

function number(value: number | null): string {
  return value === null ? 'not defined' : value.toFixed(2);
}
