/** `sevengate backtest`: the historical simulation of a manifest, from files without a service or from the stored bars. */
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { createLiveClock } from '../../streams/live-clock.ts';
import { simulationPage } from '../adapters/report-page.ts';
import { progressBar } from '../adapters/terminal-progress.ts';
import { databaseClock } from '../adapters/store/simulated-time.ts';
import { ASSUMPTION_LIMITS } from '../domain/backtest/assumptions.ts';
import { type BacktestRequest, readBacktestRequest } from '../domain/backtest/request.ts';
import { DEFAULT_WALK_FORWARD } from '../domain/backtest/sweep.ts';
import type { Manifest } from '../domain/manifest/manifest.ts';
import type { BacktestOutcome } from '../simulation/backtest/backtest-work.ts';
import { type BarWindow, workFromBars } from '../simulation/backtest/from-bars.ts';
import { backtestNeeds, barSeriesOf } from '../simulation/backtest/needs.ts';
import { outcomeText } from '../simulation/backtest/outcome-text.ts';
import {
  type BacktestOptions,
  barsOfFiles,
  type Finished,
  givenOf,
  type OnProgress,
  problemWords,
  type Stretch,
  stretchOf,
  type Told,
  versionsTried,
} from './backtest-options.ts';
import { manifestFromFile } from './manifest-file.ts';
import type { Service } from './ports.ts';
import { withWriterDatabase } from './service-database.ts';
import { sweepOf } from './sweep.ts';

/** Adds `backtest`. A refused run sets exit code 1 and says why in one sentence. */
export function backtestCommand(command: Command, service: Service): void {
  const { costMultiplier, maxParticipationPct, minOrderUsd } = ASSUMPTION_LIMITS;
  command
    .argument('<manifest>', 'the manifest: YAML or JSON, in either form')
    .option(
      '--from <time>',
      'bars open from then on: YYYY-MM-DD or ISO 8601 (default: the first bar; of the store: five years before --to)',
    )
    .option('--to <time>', 'bars have closed by then (default: the last bar; of the store: the end of the last UTC day)')
    .option('--timeframe <timeframe>', "bars that are decided on (default: the manifest's)")
    .option(
      '--candles <source...>',
      '`store` (which `sevengate candles` fills), a CSV file, or <instrument>=<file> for each, such as AAPLx=aaplx.csv reference:AAPL=aapl.csv',
      ['store'],
    )
    .option('--look', 'allow a stretch of less than five years; its result is no evidence')
    .option('--cost-multiplier <n>', costMultiplier.description)
    .option('--max-participation-pct <n>', maxParticipationPct.description)
    .option('--min-order-usd <n>', minOrderUsd.description)
    .option('--versions-tried <n>', 'how many versions of this strategy were tried, this one included', '1')
    .option(
      '--sweep <threshold...>',
      'try other values of thresholds, each as <path>=<value>,<value>, such as stopLossPct=2,4 entryConditions[0].value=25,30: every variant counts as a trial, and a walk-forward shows what picking would have earned; no evidence',
    )
    .option('--train-days <n>', `days of which a sweep picks the best variant (default: ${DEFAULT_WALK_FORWARD.trainDays})`)
    .option('--test-days <n>', `days after them that count (default: ${DEFAULT_WALK_FORWARD.testDays})`)
    .option('--report <file>', 'write the report as one HTML file that can be read offline')
    .option('--json', 'print the whole result as JSON')
    .action(async (file: string, options: BacktestOptions) => {
      const manifest = manifestFromFile(file);
      const bar = options.sweep === undefined ? progressBar('backtest', 'bars') : progressBar('sweep', 'variants');
      try {
        const work = options.sweep === undefined ? backtestOf : sweepOf;
        const { evaluation, text, ...outcome } = await work(service, manifest, options, bar.update);
        bar.stop();
        if (options.report !== undefined) await writeFile(options.report, await pageOf(manifest, evaluation, outcome));
        const { resultHash, result } = outcome;
        process.stdout.write(options.json ? `{"resultHash":"${resultHash}","result":${result}}\n` : `${text}\n`);
      } finally {
        bar.stop();
      }
    });
}

async function pageOf({ name }: Manifest, evaluation: 'backtest' | 'sweep', { resultHash, summary, result }: Finished): Promise<string> {
  const data = { evaluation, title: name, manifestVersion: null, resultHash, summary, result: JSON.parse(result) as unknown };
  return (await simulationPage(data)).page;
}

/** @throws Error where it was refused, with the reason. */
async function backtestOf(service: Service, manifest: Manifest, options: BacktestOptions, onProgress: OnProgress): Promise<Told> {
  const outcome = await (options.candles.includes('store')
    ? fromStore(service, manifest, options, onProgress)
    : fromFiles(manifest, options, onProgress));
  if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.detail}`);
  return { ...outcome, evaluation: 'backtest', text: outcomeText(outcome, options.report ?? null) };
}

/** @throws Error that names every wrong option. */
function requestFrom(options: BacktestOptions, window: Stretch, now: number): BacktestRequest {
  const read = readBacktestRequest({ ...givenOf(options, window), look: options.look }, now);
  if ('assumptions' in read) return read;
  throw new Error(problemWords(read));
}

function trialsFrom(options: BacktestOptions): { readonly versions: number; readonly otherSharpes: readonly number[] } {
  return { versions: versionsTried(options), otherSharpes: [] };
}

async function fromStore(
  service: Service,
  manifest: Manifest,
  options: BacktestOptions,
  onProgress: (done: number, total: number) => void,
): Promise<BacktestOutcome> {
  const window = stretchOf(options);
  const trials = trialsFrom(options);
  // What is wrong with them is said before anything is started.
  requestFrom(options, window, createLiveClock().now());
  return withWriterDatabase(
    service,
    'sevengate backtest',
    async (sql, databaseUrl) => {
      const now = (await databaseClock(sql)).now();
      const asked = { manifest, request: requestFrom(options, window, now), trials, funding: [], createdAt: now };
      return service.backtest({ databaseUrl, asked }, (message) => {
        if (message.kind === 'progress' && message.what === 'simulating') onProgress(message.done, message.total);
      });
    },
    'api',
  );
}

async function fromFiles(
  manifest: Manifest,
  options: BacktestOptions,
  onProgress: (done: number, total: number) => void,
): Promise<BacktestOutcome> {
  const now = createLiveClock().now();
  const timeframe = requestFrom(options, {}, now).timeframe ?? manifest.timeframe;
  const bars = await barsOfFiles(options.candles, barSeriesOf(backtestNeeds(manifest, timeframe)), timeframe, now);
  const requested = (covered: BarWindow): BacktestRequest => requestFrom(options, stretchOf(options, covered), now);
  return workFromBars({ manifest, timeframe, bars, requested, trials: trialsFrom(options), now, onProgress });
}
