/** Implementation of `sevengate backtest`, loaded only when it runs. */
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { writeNamedFile } from '../../adapters/named-file.ts';
import { progressBar } from '../../adapters/terminal-progress.ts';
import { type BacktestRequest, readBacktestRequest } from '../../domain/backtest/request.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import type { BacktestOutcome } from '../../simulation/backtest/backtest-work.ts';
import { type BarWindow, workFromBars } from '../../simulation/backtest/from-bars.ts';
import { backtestNeeds, listBarSeries } from '../../simulation/backtest/needs.ts';
import { outcomeText } from '../../simulation/backtest/outcome-text.ts';
import {
  type BacktestOptions,
  barsOfFiles,
  type Finished,
  toGivenRequest,
  problemWords,
  receiveProgress,
  type SimulationAsked,
  type Stretch,
  chooseStretch,
} from './backtest-options.ts';
import { manifestFromFile } from './manifest-file.ts';
import type { Service } from '../ports.ts';
import { workOnStoredBars } from '../candles/stored-bars.ts';
import { runSweep } from './sweep.ts';

/** Runs a backtest or a sweep and prints the result. @throws Error if it is refused */
export async function run(service: Service, file: string, options: BacktestOptions): Promise<void> {
  const manifest = manifestFromFile(file);
  const bar = options.sweep === undefined ? progressBar('backtest', 'bars') : progressBar('sweep', 'variants');
  try {
    const work = options.sweep === undefined ? runBacktest : runSweep;
    await work(service, manifest, options, bar.update, async ({ evaluation, text, ...outcome }) => {
      bar.stop();
      if (options.report !== undefined) writeNamedFile(options.report, await renderPage(manifest, evaluation, outcome));
      const { resultHash, result } = outcome;
      process.stdout.write(options.json ? `{"resultHash":"${resultHash}","result":${result}}\n` : `${text}\n`);
    });
  } finally {
    bar.stop();
  }
}

async function renderPage(
  { name }: Manifest,
  evaluation: 'backtest' | 'sweep',
  { resultHash, summary, result }: Finished,
): Promise<string> {
  // Loaded only if a page is requested, because it uses the modules of web/report.
  const { simulationPage } = await import('../../adapters/run-pages.ts');
  const data = { evaluation, title: name, manifestVersion: null, resultHash, summary, result: JSON.parse(result) as unknown };
  return (await simulationPage(data)).page;
}

/**
 * Runs a backtest and passes on its result before a database that was started for it stops. @throws Error with the reason if it is
 * refused
 */
async function runBacktest(...[service, manifest, options, onProgress, tell]: SimulationAsked): Promise<void> {
  const trials = trialsFrom(options);
  const asked = (now: number) => ({ manifest, request: requestFrom(options, chooseStretch(options), now), trials, funding: [] });
  const told = async (outcome: BacktestOutcome): Promise<void> => {
    if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.detail}`);
    await tell({ ...outcome, evaluation: 'backtest', text: outcomeText(outcome, options.report ?? null) });
  };
  if (!options.candles.includes('store')) return told(await fromFiles(manifest, options, onProgress));
  await workOnStoredBars(service, asked, async (databaseUrl, job) =>
    told(await service.backtest({ databaseUrl, asked: job }, receiveProgress('simulating', onProgress))),
  );
}

/** Builds the request. @throws Error naming every invalid option */
function requestFrom(options: BacktestOptions, window: Stretch, now: number): BacktestRequest {
  const read = readBacktestRequest({ ...toGivenRequest(options, window), look: options.look }, now);
  if ('assumptions' in read) return read;
  throw new Error(problemWords(read));
}

function trialsFrom(options: BacktestOptions): { readonly versions: number; readonly otherSharpes: readonly number[] } {
  return { versions: options.versionsTried, otherSharpes: [] };
}

async function fromFiles(
  manifest: Manifest,
  options: BacktestOptions,
  onProgress: (done: number, total: number) => void,
): Promise<BacktestOutcome> {
  const now = createLiveClock().now();
  const timeframe = requestFrom(options, {}, now).timeframe ?? manifest.timeframe;
  const bars = await barsOfFiles(options.candles, listBarSeries(backtestNeeds(manifest, timeframe)), timeframe, now);
  const requested = (covered: BarWindow): BacktestRequest => requestFrom(options, chooseStretch(options, covered), now);
  return workFromBars({ manifest, timeframe, bars, requested, trials: trialsFrom(options), now, onProgress });
}
