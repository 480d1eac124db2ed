/** A sweep of the history that is kept: variants that look at the same things share what was read for them. */
import type { SweepRequest, Variant } from '../../domain/backtest/sweep.ts';
import { type BacktestJob, readInputs } from '../backtest/from-history.ts';
import type { History } from '../backtest/history.ts';
import { backtestNeeds } from '../backtest/needs.ts';
import type { ThreadPost } from '../evaluation-thread.ts';
import type { BacktestReads } from '../ports.ts';
import { type EarlierAsked, type Insufficient, type SweepOutcome, sufficientHistory, workSweep } from './sweep-work.ts';

/** Request for a sweep. */
export interface SweepJob extends Pick<BacktestJob, 'funding' | 'createdAt'> {
  readonly request: SweepRequest;
  readonly variants: readonly Variant[];
  readonly earlier: EarlierAsked;
}

/** Reads what the variants need, and works. `post` is told of the progress. */
export async function sweepFromHistory(
  reads: BacktestReads,
  asked: SweepJob,
  post: (message: ThreadPost<SweepOutcome>) => void,
): Promise<SweepOutcome> {
  const { request, variants, earlier } = asked;
  let kept: { readonly name: string; readonly history: History } | null = null;

  async function historyOf(variant: Variant): Promise<History | Insufficient> {
    const { manifest } = variant;
    const timeframe = request.timeframe ?? manifest.timeframe;
    const needs = backtestNeeds(manifest, timeframe);
    const name = JSON.stringify(needs);
    if (kept?.name === name) return kept.history;
    const inputs = await readInputs(reads, needs, asked, (done, total) => post({ kind: 'progress', done, total, what: 'reading bars' }));
    const history = sufficientHistory(request, variant, timeframe, inputs);
    if ('code' in history) return history;
    kept = { name, history };
    return history;
  }

  const onProgress = (done: number, total: number): void => post({ kind: 'progress', done, total, what: 'trying variants' });
  return workSweep({ request, variants, historyOf, earlier, onProgress });
}
