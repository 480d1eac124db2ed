/** `sevengate backtest --sweep`: variants of a manifest over the same bars, each counted as a trial, with a walk-forward. */
import { availableParallelism } from 'node:os';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { parseParameter, readSweep, type SweepRequest, type Variant } from '../../domain/backtest/sweep.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import type { BarWindow } from '../../simulation/backtest/from-bars.ts';
import { backtestNeeds, listBarSeries } from '../../simulation/backtest/needs.ts';
import { sweepFromBars } from '../../simulation/sweep/sweep-from-bars.ts';
import { sweepText } from '../../simulation/sweep/sweep-text.ts';
import type { EarlierTrials, SweepOutcome } from '../../simulation/sweep/sweep-work.ts';
import {
  type BacktestOptions,
  barsOfFiles,
  toGivenRequest,
  type OnProgress,
  problemWords,
  receiveProgress,
  type SimulationAsked,
  type Stretch,
  chooseStretch,
} from './backtest-options.ts';
import { workOnStoredBars } from '../candles/stored-bars.ts';

/** Runs the requested sweep and passes on its result. @throws Error with the reason if it is refused */
export async function runSweep(...[service, manifest, options, onProgress, tell]: SimulationAsked): Promise<void> {
  const earlier = toEarlierTrials(options);
  const asked = (now: number) => ({ ...askedFor(manifest, options, chooseStretch(options), now), earlier, funding: [] });
  const told = async (outcome: SweepOutcome): Promise<void> => {
    if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.detail}`);
    await tell({ ...outcome, evaluation: 'sweep', text: sweepText(outcome, options.report ?? null) });
  };
  if (!options.candles.includes('store')) return told(await fromFiles(manifest, options, onProgress));
  await workOnStoredBars(service, asked, async (databaseUrl, sweep) =>
    told(await service.sweep({ databaseUrl, sweep }, receiveProgress('trying variants', onProgress))),
  );
}

/** Builds the request. @throws Error naming every invalid option */
function askedFor(
  manifest: Manifest,
  options: BacktestOptions,
  stretch: Stretch,
  now: number,
): { readonly request: SweepRequest; readonly variants: readonly Variant[] } {
  const walkForward = {
    ...(options.trainDays === undefined ? {} : { trainDays: options.trainDays }),
    ...(options.testDays === undefined ? {} : { testDays: options.testDays }),
  };
  const given = { ...toGivenRequest(options, stretch), parameters: (options.sweep ?? []).map(parseParameter), walkForward };
  const read = readSweep(manifest, given, now);
  if ('request' in read) return read;
  throw new Error(problemWords(read));
}

/** Returns the earlier trials made by hand. They count although their Sharpe ratios are unknown. */
function toEarlierTrials(options: BacktestOptions): EarlierTrials {
  return { sharpes: Array.from({ length: options.versionsTried - 1 }, () => null) };
}

async function fromFiles(manifest: Manifest, options: BacktestOptions, onProgress: OnProgress): Promise<SweepOutcome> {
  const now = createLiveClock().now();
  const { request, variants } = askedFor(manifest, options, {}, now);
  const timeframe = request.timeframe ?? manifest.timeframe;
  const wanted = listBarSeries(variants.flatMap((variant) => backtestNeeds(variant.manifest, timeframe)));
  const bars = await barsOfFiles(options.candles, wanted, timeframe, now);
  const requested = (covered: BarWindow): SweepRequest => askedFor(manifest, options, chooseStretch(options, covered), now).request;
  return sweepFromBars({
    manifest,
    timeframe,
    bars,
    requested,
    variants,
    earlier: toEarlierTrials(options),
    threads: availableParallelism(),
    now,
    onProgress,
  });
}
