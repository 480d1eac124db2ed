/** `sevengate backtest`: the historical simulation of a manifest, from files without a service or from the stored bars. */
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { createLiveClock } from '../../../streams/live-clock.ts';
import { readBars } from '../../adapters/candle-files/read-bars.ts';
import { simulationPage } from '../../adapters/report-page.ts';
import { progressBar } from '../../adapters/terminal-progress.ts';
import { databaseClock } from '../../adapters/store/simulated-time.ts';
import { ASSUMPTION_LIMITS } from '../../domain/backtest/assumptions.ts';
import { type BacktestRequest, readBacktestRequest } from '../../domain/backtest/request.ts';
import type { Candle } from '../../domain/candle.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { isoTime, timeframeMs } from '../../domain/time.ts';
import type { BacktestOutcome } from '../../simulation/backtest/backtest-work.ts';
import { type BarWindow, filesBySeries, workFromBars } from '../../simulation/backtest/from-bars.ts';
import { backtestNeeds, barSeriesOf } from '../../simulation/backtest/needs.ts';
import { outcomeText } from '../../simulation/backtest/outcome-text.ts';
import { workFromStore } from '../threads/backtest-worker.ts';
import { manifestFromFile } from './manifest-file.ts';
import { withWriterDatabase } from './service-database.ts';

interface Options {
  readonly from?: string;
  readonly to?: string;
  readonly timeframe?: string;
  readonly candles: readonly string[];
  readonly look?: true;
  readonly costMultiplier?: string;
  readonly maxParticipationPct?: string;
  readonly minOrderUsd?: string;
  readonly versionsTried: string;
  readonly report?: string;
  readonly json?: true;
}

/** Adds `backtest`. A refused run sets exit code 1 and says why in one sentence. */
export function backtestCommand(command: Command): void {
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
    .option('--report <file>', 'write the report as one HTML file that can be read offline')
    .option('--json', 'print the whole result as JSON')
    .action(async (file: string, options: Options) => {
      const manifest = manifestFromFile(file);
      const bar = progressBar('backtest', 'bars');
      try {
        const outcome = options.candles.includes('store')
          ? await fromStore(manifest, options, bar.update)
          : await fromFiles(manifest, options, bar.update);
        bar.stop();
        if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.detail}`);
        if (options.report !== undefined) await writeFile(options.report, await pageOf(manifest, outcome));
        process.stdout.write(
          options.json
            ? `{"resultHash":"${outcome.resultHash}","result":${outcome.result}}\n`
            : `${outcomeText(outcome, options.report ?? null)}\n`,
        );
      } finally {
        bar.stop();
      }
    });
}

async function pageOf(
  { name }: Manifest,
  { resultHash, summary, result }: Extract<BacktestOutcome, { readonly ok: true }>,
): Promise<string> {
  const { page } = await simulationPage({
    evaluation: 'backtest',
    title: name,
    manifestVersion: null,
    resultHash,
    summary,
    result: JSON.parse(result),
  });
  return page;
}

/** @throws Error that names every wrong option. */
function requestFrom(options: Options, window: { readonly from?: string; readonly to?: string }, now: number): BacktestRequest {
  const numeric = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));
  const chosen = {
    costMultiplier: numeric(options.costMultiplier),
    maxParticipationPct: numeric(options.maxParticipationPct),
    minOrderUsd: numeric(options.minOrderUsd),
  };
  const assumptions = Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== undefined));
  const read = readBacktestRequest({ ...window, timeframe: options.timeframe, look: options.look, assumptions }, now);
  if ('assumptions' in read) return read;
  throw new Error(read.map(({ path, problem, allowed }) => `${path.slice(2)} ${problem} (allowed: ${allowed})`).join('; '));
}

function trialsFrom({ versionsTried }: Options): { readonly versions: number; readonly otherSharpes: readonly number[] } {
  const versions = Number(versionsTried);
  if (!Number.isInteger(versions) || versions < 1) throw new Error(`--versions-tried must be a whole number from 1, not ${versionsTried}`);
  return { versions, otherSharpes: [] };
}

async function fromStore(
  manifest: Manifest,
  options: Options,
  onProgress: (done: number, total: number) => void,
): Promise<BacktestOutcome> {
  const window = { ...(options.from === undefined ? {} : { from: options.from }), ...(options.to === undefined ? {} : { to: options.to }) };
  const trials = trialsFrom(options);
  // What is wrong with them is said before anything is started.
  requestFrom(options, window, createLiveClock().now());
  return withWriterDatabase(
    'sevengate backtest',
    async (sql, databaseUrl) => {
      const now = (await databaseClock(sql)).now();
      const asked = { manifest, request: requestFrom(options, window, now), trials, funding: [], createdAt: now };
      return workFromStore({ databaseUrl, asked }, (message) => {
        if (message.kind === 'progress' && message.what === 'simulating') onProgress(message.done, message.total);
      });
    },
    'api',
  );
}

async function fromFiles(
  manifest: Manifest,
  options: Options,
  onProgress: (done: number, total: number) => void,
): Promise<BacktestOutcome> {
  const now = createLiveClock().now();
  const timeframe = requestFrom(options, {}, now).timeframe ?? manifest.timeframe;
  const wanted = barSeriesOf(backtestNeeds(manifest, timeframe));
  const read = new Map<string, readonly Candle[]>();
  for (const [name, file] of filesBySeries(options.candles, wanted, timeframe))
    read.set(name, await readBars(file, timeframeMs(timeframe) as number, now));
  const requested = (window: BarWindow): BacktestRequest =>
    requestFrom(options, { from: options.from ?? isoTime(window.from), to: options.to ?? isoTime(window.to) }, now);
  return workFromBars({ manifest, timeframe, bars: read, requested, trials: trialsFrom(options), now, onProgress });
}
