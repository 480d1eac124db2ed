/** A sweep on bars that are at hand, without a store: what they cover is what every variant runs over. */
import type { SweepRequest, Variant } from '../../domain/backtest/sweep.ts';
import { type BarsJob, type BarWindow, seenBars } from '../backtest/from-bars.ts';
import { backtestNeeds } from '../backtest/needs.ts';
import { type EarlierTrials, type SweepOutcome, sufficientHistory, workSweep } from './sweep-work.ts';

export interface SweepOfBars extends Omit<BarsJob, 'requested' | 'trials'> {
  /** The request over the stretch that the bars cover, or over what was asked for instead. */
  readonly requested: (covered: BarWindow) => SweepRequest;
  readonly variants: readonly Variant[];
  readonly earlier: EarlierTrials;
}

export async function sweepFromBars({ manifest, requested, variants, earlier, onProgress, ...given }: SweepOfBars): Promise<SweepOutcome> {
  const { timeframe } = given;
  const { request } = seenBars({ ...given, requested }, backtestNeeds(manifest, timeframe));
  const historyOf = async (variant: Variant) => {
    const { inputs } = seenBars({ ...given, requested: () => request }, backtestNeeds(variant.manifest, timeframe));
    return sufficientHistory(request, variant, timeframe, inputs);
  };
  return workSweep({ request, variants, historyOf, earlier, onProgress });
}
