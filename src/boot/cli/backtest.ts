/** `sevengate backtest`: the historical simulation of a manifest, from files without a service or from the stored bars. */
import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { parseStrictYaml } from '../../../api/strict-yaml.ts';
import { createLiveClock } from '../../../streams/live-clock.ts';
import { readBars } from '../../adapters/candle-files/read-bars.ts';
import { ASSUMPTION_LIMITS } from '../../domain/backtest/assumptions.ts';
import { type BacktestRequest, readBacktestRequest } from '../../domain/backtest/request.ts';
import type { Candle } from '../../domain/candle.ts';
import type { Manifest } from '../../domain/manifest/manifest.ts';
import { readManifest } from '../../domain/manifest/reader.ts';
import { isoTime, timeframeMs } from '../../domain/time.ts';
import type { BacktestOutcome } from '../../simulation/backtest/backtest-work.ts';
import { type BarWindow, workFromBars } from '../../simulation/backtest/from-bars.ts';
import { type BarSeries, backtestNeeds, barSeriesOf, seriesName } from '../../simulation/backtest/needs.ts';
import { workFromStore } from '../threads/backtest-worker.ts';
import { readyDatabase } from '../writers.ts';
import { progressBar } from './progress.ts';
import { readNamedFile } from './read-file.ts';
import { serviceDatabase } from './service-database.ts';
import { settings } from './settings.ts';

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
    .option('--report <file>', 'write the report as an HTML page')
    .option('--json', 'print the whole result as JSON')
    .action(async (file: string, options: Options) => {
      const manifest = await manifestFrom(file);
      const bar = progressBar('backtest', 'bars');
      try {
        const outcome = options.candles.includes('store')
          ? await fromStore(manifest, options, bar.update)
          : await fromFiles(manifest, options, bar.update);
        bar.stop();
        if (!outcome.ok) throw new Error(`${outcome.code}: ${outcome.detail}`);
        if (options.report !== undefined) await writeFile(options.report, outcome.report);
        process.stdout.write(
          options.json
            ? `{"resultHash":"${outcome.resultHash}","result":${outcome.result}}\n`
            : `${summaryText(outcome, options.report)}\n`,
        );
      } finally {
        bar.stop();
      }
    });
}

/** @throws Error that names every problem of the manifest. */
async function manifestFrom(file: string): Promise<Manifest> {
  const text = readNamedFile(file);
  let value: unknown;
  try {
    value = parseStrictYaml(text);
  } catch (error) {
    throw new Error(`${file}: ${(error as Error).message.split('\n')[0]}`, { cause: error });
  }
  const read = readManifest(value);
  if (read.ok) return read.manifest;
  throw new Error(
    `${file} is no manifest: ${read.problems.map(({ path, problem, allowed }) => `${path} ${problem} (allowed: ${allowed})`).join('; ')}`,
  );
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
  const now = createLiveClock().now();
  const window = { ...(options.from === undefined ? {} : { from: options.from }), ...(options.to === undefined ? {} : { to: options.to }) };
  const request = requestFrom(options, window, now);
  const trials = trialsFrom(options);
  const { url, close } = await serviceDatabase();
  try {
    await readyDatabase(settings(), url, ['api']);
    const asked = { manifest, request, trials, funding: [], createdAt: now };
    return await workFromStore({ databaseUrl: url, asked }, (message) => {
      if (message.kind === 'progress' && message.what === 'simulating') onProgress(message.done, message.total);
    });
  } finally {
    await close();
  }
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

/** Which file holds which series. @throws Error in one sentence where a word fits none. */
function filesBySeries(words: readonly string[], wanted: readonly BarSeries[], timeframe: string): Map<string, string> {
  const own = wanted.filter((series) => series.timeframe === timeframe);
  const names = own.map(({ venue, instrument }) => `${venue}:${instrument}`);
  const files = new Map<string, string>();
  for (const word of words) {
    const match = /^([A-Za-z0-9:._@-]+)=(.+)$/.exec(word);
    if (match === null && own.length !== 1)
      throw new Error(`--candles ${word}: say of what it is, as <instrument>=<file>; needed are ${names.join(', ')}`);
    const [name, file] = match === null ? [names[0] as string, word] : [match[1] as string, match[2] as string];
    const series = own.find(({ venue, instrument }) => name === instrument || name === `${venue}:${instrument}`);
    if (series === undefined) throw new Error(`--candles ${word}: the manifest looks at no ${name}; needed are ${names.join(', ')}`);
    files.set(seriesName(series), file);
  }
  return files;
}

function summaryText(outcome: Extract<BacktestOutcome, { readonly ok: true }>, report: string | undefined): string {
  const { summary, resultHash } = outcome;
  const number = (name: string, unit = ''): string =>
    typeof summary[name] === 'number' ? `${(summary[name] as number).toFixed(2)}${unit}` : 'not defined';
  const gate =
    summary['passed'] === null ? 'a look, no evidence' : summary['passed'] === true ? 'would pass the gate' : 'would not pass the gate';
  return [
    `${String(summary['from'])} to ${String(summary['to'])}, ${String(summary['bars'])} bars of ${String(summary['timeframe'])}: ${gate}`,
    `Sharpe ${number('sharpe')}, Sortino ${number('sortino')}, maximum drawdown ${number('maxDrawdownPct', ' %')}, return ${number('returnPct', ' %')} (buy and hold ${number('benchmarkReturnPct', ' %')})`,
    `${String(summary['closedTrades'])} closed trades, hit rate ${number('hitRatePct', ' %')}; deflated Sharpe ${number('deflatedSharpe')} for ${String(summary['versionsTried'])} version(s) tried`,
    `result ${resultHash}${report === undefined ? '' : `, report ${report}`}`,
  ].join('\n');
}
