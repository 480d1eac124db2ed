/** Computation of one backtest from its inputs to the outcome, the same in a worker thread and on the command line. */

import { type DailyReturns, returnsByDay } from '../../domain/backtest/daily-returns.ts';
import type { BacktestRequest } from '../../domain/backtest/request.ts';
import { canonicalJson, type Json, sha256Hex } from '../../domain/values/canonical-json.ts';
import { assessEvidence, type BacktestSeries, type EvidenceMetrics, evidenceMetrics, GATE_LIMITS } from '../../domain/agents/evidence.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { timeframeMs } from '../../domain/values/time.ts';
import { buildHistory, type InstrumentInput } from './history.ts';
import type { FinerReads } from './finer-bars.ts';
import { type BacktestRun, backtestSeries, besideTrials, NO_OTHERS, runBacktest, runBacktestInside, type TrialsAsked } from './run.ts';
import { findInsufficiency } from './sufficiency.ts';

interface BacktestWork {
  readonly manifest: Manifest;
  readonly request: BacktestRequest;
  readonly timeframe: string;
  readonly inputs: readonly InstrumentInput[];
  readonly trials: TrialsAsked;
  /** Reads of finer bars within a bar; absent if there is no store. */
  readonly finer?: FinerReads;
  readonly onProgress: (done: number, total: number) => void;
}

/** Outcome as plain JSON, which crosses from the worker thread. */
export type BacktestOutcome =
  | {
      readonly ok: true;
      readonly resultHash: string;
      readonly result: string;
      readonly summary: { readonly [name: string]: Json };
      readonly series: BacktestSeries;
      readonly metrics: EvidenceMetrics;
    }
  | { readonly ok: false; readonly code: string; readonly detail: string };

export function computeDailyReturns({ startEquityUsd, days }: BacktestSeries): DailyReturns {
  return returnsByDay(
    startEquityUsd,
    days.map(([day, close]) => [day, close]),
  );
}

/** Computes a backtest. Refuses a history that is too short or has a gap, naming the first. @throws Error for a defect */
export async function workBacktest(work: BacktestWork): Promise<BacktestOutcome> {
  const { manifest, request, timeframe, inputs, trials, finer, onProgress } = work;
  const refused = insufficiency(work);
  if (refused !== null) return refused;
  const history = buildHistory(timeframe, inputs);
  const known = typeof trials === 'function' ? NO_OTHERS : trials;
  const options = { manifest, history, assumptions: request.assumptions, trials: known, onProgress };
  return assessOutcome(work, finer === undefined ? runBacktest(options) : await runBacktestInside(options, finer));
}

/** True if the run does not count as evidence. */
function isLookAt({ manifest, request, timeframe }: Pick<BacktestWork, 'manifest' | 'request' | 'timeframe'>): boolean {
  return request.look || timeframe !== manifest.timeframe;
}

/** Returns the refusal of inputs that are too short or have a gap, naming the first, or null if they are complete. */
export function insufficiency(work: Omit<BacktestWork, 'trials' | 'onProgress'>): Extract<BacktestOutcome, { ok: false }> | null {
  const { inputs, timeframe } = work;
  if (inputs.length === 0) return { ok: false, code: 'manifest_invalid', detail: 'the universe is empty: there is nothing to trade' };
  for (const { entry, candles } of inputs) {
    const lacking = findInsufficiency(entry, candles, timeframeMs(timeframe) as number, !isLookAt(work));
    if (lacking !== null) return { ok: false, code: 'insufficient_history', detail: lacking.detail };
  }
  return null;
}

/** Returns the outcome of a run, assessed together with its family's trials. */
export async function assessOutcome(work: Omit<BacktestWork, 'inputs' | 'onProgress'>, alone: BacktestRun): Promise<BacktestOutcome> {
  const { timeframe, trials } = work;
  const isLook = isLookAt(work);
  const series = backtestSeries(alone);
  const result = typeof trials === 'function' ? besideTrials(alone.result, await trials(computeDailyReturns(series))) : alone.result;
  const text = canonicalJson(result);
  const metrics = evidenceMetrics('backtest', series);
  const { passed, checks } = assessEvidence('backtest', metrics);
  const failed = checks
    .filter((check) => !check.passed)
    .map(({ name, observed }) => `${name.replaceAll('_', ' ')} ${observed === null ? 'not defined' : observed.toFixed(2)}`);
  const verdict = isLook
    ? 'A look at a stretch of history: no evidence for the gate.'
    : passed
      ? `Passes the gate: Sharpe above ${GATE_LIMITS.sharpe}, drawdown below ${GATE_LIMITS.maxDrawdownPct} %, ${GATE_LIMITS.historyYears} years.`
      : `Does not pass the gate: ${failed.join(', ')}.`;
  const { performance, trades, luck } = result;
  return {
    ok: true,
    resultHash: sha256Hex(text),
    result: text,
    summary: {
      sharpe: performance.sharpe,
      sortino: performance.sortino,
      maxDrawdownPct: performance.maxDrawdownPct,
      returnPct: performance.returnPct,
      benchmarkReturnPct: result.benchmark.returnPct,
      closedTrades: trades.closed,
      hitRatePct: trades.hitRatePct,
      deflatedSharpe: luck.deflatedSharpe,
      versionsTried: luck.versionsTried,
      from: result.from,
      to: result.to,
      bars: result.bars,
      timeframe,
      passed: isLook ? null : passed,
      verdict,
    },
    series,
    metrics,
  };
}
