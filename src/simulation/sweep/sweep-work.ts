/**
 * Computation of a sweep: every variant runs over the same history and counts as a trial, and a walk-forward assesses the selection
 * itself.
 */

import type { DailyReturns, Trial } from '../../domain/backtest/daily-returns.ts';
import { type SweepRequest, type Variant, valuesText } from '../../domain/backtest/sweep.ts';
import { canonicalHash, canonicalJson, type Json } from '../../domain/values/canonical-json.ts';
import type { DecimalString } from '../../domain/values/decimal.ts';
import { sampleDeviation } from '../../domain/values/statistics.ts';
import { timeframeMs } from '../../domain/values/time.ts';
import { buildHistory, type History, type InstrumentInput } from '../backtest/history.ts';
import { maxDrawdown, sharpeRatio, sortinoRatio } from '../backtest/ratios.ts';
import { type BacktestResult, type EquityDayRow, computeLuck, NO_OTHERS, type PerformanceSummary, runBacktest } from '../backtest/run.ts';
import { findInsufficiency } from '../backtest/sufficiency.ts';
import { tryInThreads } from './trial-threads.ts';
import type { SweepTrial, Tried } from './trials.ts';
import { type Fold, type WalkForward, walkForward } from './walk-forward.ts';

/** Trials of other runs: manifests that differ from all variants of this sweep and whose returns correlate with its best one's. */
export interface EarlierTrials {
  /** Sharpe ratio of each trial, or null if it is undefined. */
  readonly sharpes: readonly (number | null)[];
}

/** Earlier trials, or a query for those that correlate with the given returns. */
export type EarlierAsked = EarlierTrials | ((returns: DailyReturns) => Promise<EarlierTrials>);

/** Reason why a variant cannot be run. */
export interface Insufficient {
  readonly code: string;
  readonly detail: string;
}

/** Returns the history of a variant, or why the bars are insufficient. A sweep may use a range of any length. */
export function sufficientHistory(
  { parameters }: SweepRequest,
  { values }: Variant,
  timeframe: string,
  inputs: readonly InstrumentInput[],
): History | Insufficient {
  if (inputs.length === 0) return { code: 'manifest_invalid', detail: 'the universe is empty: there is nothing to trade' };
  for (const { entry, candles } of inputs) {
    const lacking = findInsufficiency(entry, candles, timeframeMs(timeframe) as number, false);
    if (lacking !== null) return { code: 'insufficient_history', detail: `with ${valuesText(parameters, values)}: ${lacking.detail}` };
  }
  return buildHistory(timeframe, inputs);
}

interface SweepWork {
  readonly request: SweepRequest;
  readonly variants: readonly Variant[];
  /** Returns the history of a variant, shared by variants with equal needs, or why it is insufficient. */
  readonly historyOf: (variant: Variant) => Promise<History | Insufficient>;
  readonly earlier: EarlierAsked;
  /** Number of threads that try variants. Default: only the current thread. */
  readonly threads?: number;
  readonly onProgress: (done: number, total: number) => void;
}

interface SweepFold extends Omit<Fold, 'train' | 'test'> {
  /** First UTC date of training. Dates of a window include both ends. */
  readonly trainFrom: string;
  readonly trainTo: string;
  readonly testFrom: string;
  readonly testTo: string;
}

export interface SweepResult {
  readonly engine: 'sweep-1';
  readonly historyHash: string;
  readonly timeframe: string;
  readonly from: string;
  readonly to: string;
  readonly bars: number;
  readonly instruments: readonly string[];
  readonly capitalUsd: DecimalString;
  readonly parameters: SweepRequest['parameters'];
  readonly periodsPerYear: number;
  /** Trials counted by the deflated Sharpe ratio: every manifest once, by its hash. */
  readonly counted: { readonly total: number; readonly ofThisSweep: number; readonly earlier: number };
  /** Annualized Sharpe ratio that the best of this many worthless trials is expected to show, or null if it is undefined. */
  readonly expectedBestSharpe: number | null;
  readonly trials: readonly SweepTrial[];
  /** Index of the trial with the best Sharpe ratio over the whole range, selected with hindsight. */
  readonly best: number;
  readonly bestDaily: readonly EquityDayRow[];
  /** Walk-forward, or null if the range is too short for one training day and one test day. */
  readonly walkForward: {
    readonly trainDays: number;
    readonly testDays: number;
    readonly folds: readonly SweepFold[];
    readonly performance: PerformanceSummary;
    readonly deflatedSharpe: number | null;
    /** Growth of 100 at the end of each tested day. */
    readonly daily: readonly { readonly date: string; readonly growth: number }[];
  } | null;
  readonly assumptions: readonly string[];
}

export type SweepOutcome =
  | {
      readonly ok: true;
      readonly resultHash: string;
      readonly result: string;
      readonly summary: { readonly [name: string]: Json };
      /** Trials of all variants. */
      readonly trials: readonly Trial[];
    }
  | { readonly ok: false; readonly code: string; readonly detail: string };

/** Computes a sweep. Refuses if the history is insufficient for a variant. @throws Error for a defect */
export async function workSweep(work: SweepWork): Promise<SweepOutcome> {
  const { request, variants, historyOf, earlier, onProgress } = work;
  const tried = await tryParts(work);
  if ('code' in tried) return { ok: false, ...tried };
  const best = findBest(tried);
  const variant = variants[best] as Variant;
  const history = await historyOf(variant);
  if ('code' in history) return { ok: false, ...history };
  const { result: run } = runBacktest({ manifest: variant.manifest, history, assumptions: request.assumptions, trials: NO_OTHERS });
  onProgress(variants.length, variants.length);
  const known = typeof earlier === 'function' ? await earlier((tried[best] as Tried).byDay) : earlier;
  const result = sweepResult(request, tried, { place: best, run }, known);
  return {
    ok: true,
    resultHash: canonicalHash(result),
    result: canonicalJson(result),
    summary: summarize(result),
    trials: tried.map(({ trial: { manifestHash, sharpe }, byDay }) => ({ manifestHash, sharpe, returns: byDay })),
  };
}

/** Tries the variants in order, consecutive ones on the same history together, so that only one history is in memory. */
async function tryParts({ request, variants, historyOf, threads = 1, onProgress }: SweepWork): Promise<readonly Tried[] | Insufficient> {
  const tried: Tried[] = [];
  const tryPart = async (part: Part): Promise<void> => {
    const before = tried.length;
    const trying = { ...part, assumptions: request.assumptions };
    tried.push(...(await tryInThreads(trying, threads, (done) => onProgress(before + done, variants.length))));
  };
  let part = null as Part | null;
  for (const variant of variants) {
    // Sequential, because the next variant mostly needs the same history.
    // oxlint-disable-next-line no-await-in-loop
    const history = await historyOf(variant);
    if ('code' in history) return history;
    if (part?.history === history) {
      part.variants.push(variant);
      continue;
    }
    // oxlint-disable-next-line no-await-in-loop
    if (part !== null) await tryPart(part);
    part = { history, variants: [variant] };
  }
  if (part !== null) await tryPart(part);
  return tried;
}

interface Part {
  readonly history: History;
  readonly variants: Variant[];
}

/** Returns the index of the first trial with the highest Sharpe ratio. @throws Error if the sweep has no variant */
function findBest(tried: readonly Tried[]): number {
  if (tried.length === 0) throw new Error('the sweep has no variant');
  const scores = tried.map(({ trial }) => trial.sharpe ?? Number.NEGATIVE_INFINITY);
  return scores.indexOf(Math.max(...scores));
}

function sweepResult(
  request: SweepRequest,
  tried: readonly Tried[],
  { place: best, run }: { readonly place: number; readonly run: BacktestResult },
  { sharpes }: EarlierTrials,
): SweepResult {
  const { periodsPerYear } = run.method;
  const counted = { total: tried.length + sharpes.length, ofThisSweep: tried.length, earlier: sharpes.length };
  const own = tried.map(({ trial }) => trial.sharpe);
  const luckBeside = (returns: Float64Array, versions: number, others: readonly (number | null)[]): BacktestResult['luck'] =>
    computeLuck(returns, periodsPerYear, { versions, otherSharpes: [...others, ...sharpes].filter((sharpe) => sharpe !== null) });
  const lucks = tried.map(({ returns }, place) => luckBeside(returns, counted.total, own.toSpliced(place, 1)));
  const walked = walkForward(
    tried.map(({ returns }) => returns),
    request.walkForward,
    periodsPerYear,
  );
  return {
    engine: 'sweep-1',
    historyHash: run.historyHash,
    timeframe: run.timeframe,
    from: run.from,
    to: run.to,
    bars: run.bars,
    instruments: run.instruments.map(({ key }) => key),
    capitalUsd: run.capitalUsd,
    parameters: request.parameters,
    periodsPerYear,
    counted,
    expectedBestSharpe: lucks[best]?.expectedBestSharpe ?? null,
    trials: tried.map(({ trial }, place) => ({ ...trial, deflatedSharpe: lucks[place]?.deflatedSharpe ?? null })),
    best,
    bestDaily: run.daily,
    walkForward:
      walked === null
        ? null
        : {
            ...request.walkForward,
            ...tested(walked, run.daily, periodsPerYear),
            // The walk-forward is one more trial of this sweep.
            deflatedSharpe: luckBeside(walked.returns, counted.total + 1, own).deflatedSharpe,
          },
    assumptions: [
      ...run.assumptions.named,
      'Every variant runs once over the whole stretch, so a position that its own rules hold at the beginning of a test window is carried into it; changing from one variant to the next costs nothing.',
      'The best variant of the whole stretch was picked with hindsight; what would have been earned by picking is the walk-forward.',
    ],
  };
}

function tested({ folds, returns }: WalkForward, days: readonly EquityDayRow[], periodsPerYear: number) {
  const dateAt = (place: number): string => (days[place] as EquityDayRow).date;
  const trained = days.length - returns.length;
  let growth = 100;
  const daily = Array.from(returns, (change, index) => {
    growth *= 1 + change;
    return { date: dateAt(trained + index), growth };
  });
  const curve = daily.map((day) => day.growth);
  const deviation = sampleDeviation(returns);
  return {
    folds: folds.map(({ train, test, ...fold }) => ({
      ...fold,
      trainFrom: dateAt(train[0]),
      trainTo: dateAt(train[1] - 1),
      testFrom: dateAt(test[0]),
      testTo: dateAt(test[1] - 1),
    })),
    performance: {
      sharpe: sharpeRatio(returns, periodsPerYear),
      sortino: sortinoRatio(returns, periodsPerYear),
      maxDrawdownPct: maxDrawdown(curve, 100).depth * 100,
      returnPct: growth - 100,
      annualVolatilityPct: Number.isNaN(deviation) ? null : deviation * Math.sqrt(periodsPerYear) * 100,
    },
    daily,
  };
}

/** Returns the numbers for a list. */
function summarize(result: SweepResult): { readonly [name: string]: Json } {
  const { trials, best, counted, walkForward: walked, from, to, timeframe } = result;
  const top = trials[best] as SweepTrial;
  return {
    variants: trials.length,
    bestSharpe: top.sharpe,
    deflatedSharpe: top.deflatedSharpe,
    trialsCounted: counted.total,
    outOfSampleSharpe: walked?.performance.sharpe ?? null,
    outOfSampleReturnPct: walked?.performance.returnPct ?? null,
    from,
    to,
    timeframe,
    passed: null,
    verdict: `A sweep of ${trials.length} variants: no evidence for the gate.`,
  };
}
