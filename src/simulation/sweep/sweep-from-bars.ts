/** Sweep on given bars without a store. The bars determine every variant's range. */
import type { SweepRequest, Variant } from '../../domain/backtest/sweep.ts';
import { type BarsJob, type BarWindow, seenBars } from '../backtest/from-bars.ts';
import { backtestNeeds } from '../backtest/needs.ts';
import { keepingLast } from './kept-history.ts';
import { type EarlierTrials, type SweepOutcome, sufficientHistory, workSweep } from './sweep-work.ts';

interface SweepOfBars extends Omit<BarsJob, 'requested' | 'trials'> {
  /** Returns the request for the range that the bars cover, or for another one. */
  readonly requested: (covered: BarWindow) => SweepRequest;
  readonly variants: readonly Variant[];
  readonly earlier: EarlierTrials;
  /** Number of threads that try variants. */
  readonly threads: number;
}

export async function sweepFromBars({
  manifest,
  requested,
  variants,
  earlier,
  threads,
  onProgress,
  ...given
}: SweepOfBars): Promise<SweepOutcome> {
  const { timeframe } = given;
  const { request } = seenBars({ ...given, requested }, backtestNeeds(manifest, timeframe));
  const historyOf = keepingLast(timeframe, async (variant, needs) => {
    const { inputs } = seenBars({ ...given, requested: () => request }, needs);
    return sufficientHistory(request, variant, timeframe, inputs);
  });
  return workSweep({ request, variants, historyOf, earlier, threads, onProgress });
}
