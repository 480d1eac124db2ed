/** Sweep of the stored history. Variants with equal needs share what was read. */
import type { SweepRequest, Variant } from '../../domain/backtest/sweep.ts';
import { type BacktestJob, readInputs } from '../backtest/from-history.ts';
import type { ThreadPost } from '../evaluation-thread.ts';
import type { BacktestReads } from '../../adapters/store/candles/backtest-reads.ts';
import { keepingLast } from './kept-history.ts';
import { type EarlierAsked, type SweepOutcome, sufficientHistory, workSweep } from './sweep-work.ts';

export interface SweepJob extends Pick<BacktestJob, 'funding' | 'createdAt'> {
  readonly request: SweepRequest;
  readonly variants: readonly Variant[];
  readonly earlier: EarlierAsked;
}

/** Reads the variants' needs and tries them in threads. Reports progress to `post`. */
export async function sweepFromHistory(
  reads: BacktestReads,
  asked: SweepJob,
  threads: number,
  post: (message: ThreadPost<SweepOutcome>) => void,
): Promise<SweepOutcome> {
  const { request, variants, earlier } = asked;
  const historyOf = keepingLast(request.timeframe, async (variant, needs, timeframe) => {
    const inputs = await readInputs(reads, needs, asked, (done, total) => post({ kind: 'progress', done, total, what: 'reading bars' }));
    return sufficientHistory(request, variant, timeframe, inputs);
  });
  const onProgress = (done: number, total: number): void => post({ kind: 'progress', done, total, what: 'trying variants' });
  return workSweep({ request, variants, historyOf, earlier, threads, onProgress });
}
