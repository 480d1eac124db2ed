/** `sevengate candles`: imports bars from files, fetches a venue's history and tells what is stored and what is missing. */

import { type Command, Option } from 'commander';
import type { CandleSeries } from '../../../api/v1/candles/ports.ts';
import { createLiveClock } from '../../../streams/live-clock.ts';
import { FORM_HELP } from '../../adapters/candle-files/candle-forms.ts';
import { candleFiles, type ImportOptions as FileOptions, type FileReport, importFile } from '../../adapters/candle-files/import-files.ts';
import { type CoverageReport, candleCoverage } from '../../adapters/store/candles/candle-coverage.ts';
import { createCandleStore } from '../../adapters/store/candles/candle-store.ts';
import { createCandleWindows } from '../../adapters/store/candles/candle-windows.ts';
import type { BackfillReport } from '../../adapters/venues/candle-backfill.ts';
import { CATALOG } from '../../domain/catalog.ts';
import { nearestNames } from '../../domain/nearest-name.ts';
import { isoTime, timeframeMs } from '../../domain/time.ts';
import { instrumentKey, VENUES, type Venue } from '../../domain/venue.ts';
import { instant } from './instant.ts';
import { progressBar } from './progress.ts';
import { settings } from './settings.ts';
import { withWriterDatabase } from './writer-database.ts';

interface SeriesOptions {
  readonly venue: Venue;
  readonly instrument: string;
  readonly timeframe: string;
  readonly json?: true;
}

type ImportOptions = SeriesOptions & FileOptions;

/** Adds `candles` and its commands. Conflicts that were not replaced and gaps do not fail a command; bad rows do. */
export function candleCommands(candles: Command): void {
  const venue = () => new Option('--venue <venue>', 'the venue that the bars are of').choices(VENUES);

  candles
    .command('import')
    .description('import closed bars from CSV files (or all of a folder), gzip or not')
    .argument('<files...>', 'files ending in .csv or .csv.gz, or folders of them; each is imported whole or not at all')
    .addOption(venue().makeOptionMandatory())
    .requiredOption('--instrument <name>', "the venue's name of it, such as BTCUSDT")
    .requiredOption('--timeframe <timeframe>', 'length of the bars, such as 1m or 1h; a day is 24h')
    .option('--skip-bad', 'leave out rows that are no sound bars, counted by reason, instead of refusing the file')
    .option('--replace', 'replace stored bars that have other numbers; without it they stay and are counted as conflicts')
    .option('--align', 'move bars that open off the grid of their timeframe back onto it (days of US shares)')
    .option('--dry-run', 'do everything but keep nothing')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `\nForms of files:\n${FORM_HELP.map((line) => `  ${line}`).join('\n')}\n\nTimes without an offset are UTC. Bars ascend, and none comes twice. Prices are plain decimals.`,
    )
    .action(async (files: string[], options: ImportOptions) => {
      const report = await importCommand(files, options);
      print(options.json ? JSON.stringify(report) : importText(report));
    });

  candles
    .command('backfill')
    .description("fetch a venue's history within its request budget; an interrupted one goes on where it was")
    .addOption(venue().makeOptionMandatory())
    .requiredOption('--instrument <name>', 'an instrument of the catalog')
    .requiredOption('--timeframe <timeframe>', 'length of the bars, such as 1m or 1h')
    .requiredOption('--from <time>', 'the first bar: YYYY-MM-DD or ISO 8601')
    .option('--to <time>', 'bars open before it (default: now)')
    .option('--json', 'print the result as JSON')
    .action(async (options: SeriesOptions & { from: string; to?: string }) => {
      const report = await backfillCommand(options);
      print(options.json ? JSON.stringify({ ...report, from: isoTime(report.from), to: isoTime(report.to) }) : backfillText(report));
      if (report.stopped !== null) process.exitCode = 1;
    });

  candles
    .command('coverage')
    .description('tell what bars are stored, where they came from, what is missing and why')
    .addOption(venue())
    .option('--instrument <name>', 'only this instrument')
    .option('--timeframe <timeframe>', 'only this timeframe')
    .option('--json', 'print the result as JSON')
    .action(async (options: Partial<SeriesOptions>) => {
      const report = await coverageCommand(options);
      print(options.json ? JSON.stringify({ series: report }) : coverageText(report));
    });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** @throws Error in one sentence where the timeframe or the instrument is none. */
function checkedSeries({ venue, instrument, timeframe }: SeriesOptions, mustBeListed: boolean): CandleSeries & { readonly barMs: number } {
  const barMs = timeframeMs(timeframe);
  if (barMs === null) throw new Error(`${JSON.stringify(timeframe)} is no timeframe: minutes or hours, such as 1m, 1h or 24h for a day`);
  const listed = CATALOG.entries.filter((entry) => entry.venue === venue).map((entry) => entry.instrument);
  const isKnown =
    listed.includes(instrument) ||
    (venue === 'reference' && CATALOG.entries.some(({ benchmark }) => benchmark === instrumentKey(venue, instrument)));
  if (!isKnown && mustBeListed) {
    const [near] = nearestNames(instrument, listed, 1);
    throw new Error(
      `${venue} has no instrument ${JSON.stringify(instrument)} in the catalog${near === undefined ? '' : `: did you mean ${near}?`}`,
    );
  }
  if (!/^[A-Za-z0-9._@:/-]{1,64}$/.test(instrument)) throw new Error(`${JSON.stringify(instrument)} is no name of an instrument`);
  return { venue, instrument, timeframe, barMs };
}

// ---- import

interface ImportReport extends CandleSeries {
  readonly dryRun: boolean;
  readonly files: readonly FileReport[];
  readonly bars: number;
  readonly inserted: number;
  readonly seconds: number;
  readonly barsPerSecond: number;
}

async function importCommand(words: readonly string[], options: ImportOptions): Promise<ImportReport> {
  const series = checkedSeries(options, false);
  const files = await candleFiles(words);
  const clock = createLiveClock();
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  const bar = progressBar('importing', 'bytes');
  let read = 0;
  return withWriterDatabase('sevengate candles', async (sql) => {
    const beganAt = clock.now();
    const reports: FileReport[] = [];
    try {
      for (const { file } of files) {
        reports.push(
          await importFile(sql, file, series, options, clock.now(), (bytes) => {
            read += bytes;
            bar.update(read, total);
          }),
        );
      }
    } finally {
      bar.stop();
    }
    const seconds = Math.max(0.001, (clock.now() - beganAt) / 1_000);
    const bars = reports.reduce((sum, one) => sum + one.bars, 0);
    return {
      venue: series.venue,
      instrument: series.instrument,
      timeframe: series.timeframe,
      dryRun: options.dryRun === true,
      files: reports,
      bars,
      inserted: reports.reduce((sum, one) => sum + one.inserted, 0),
      seconds,
      barsPerSecond: Math.round(bars / seconds),
    };
  });
}

function importText(report: ImportReport): string {
  const lines = report.files.flatMap((file) => {
    const skipped = Object.entries(file.skipped);
    return [
      `${file.file} (${file.form}): ${file.bars} bars${file.from === null ? '' : `, ${file.from} to ${file.to}`}: ${file.inserted} new, ${file.same} known, ${file.conflicting} in conflict${file.replaced > 0 ? ` (${file.replaced} replaced)` : ''}${file.aligned > 0 ? `, ${file.aligned} moved onto the grid` : ''}`,
      ...(file.conflicting > file.replaced
        ? [`  other numbers are stored from ${file.firstConflictAt} on and were kept; --replace takes those of the file`]
        : []),
      ...(skipped.length === 0 ? [] : [`  left out: ${skipped.map(([reason, count]) => `${count} ${reason}`).join(', ')}`]),
      ...file.examples.map((example) => `    ${example}`),
    ];
  });
  const kept = report.dryRun ? 'nothing was kept (--dry-run)' : `${report.inserted} new`;
  return [
    ...lines,
    `${report.venue} ${report.instrument} ${report.timeframe}: ${report.bars} bars in ${report.seconds.toFixed(1)} s (${report.barsPerSecond} a second), ${kept}`,
  ].join('\n');
}

// ---- backfill

async function backfillCommand(options: SeriesOptions & { from: string; to?: string }): Promise<BackfillReport> {
  const { barMs, ...series } = checkedSeries(options, true);
  const from = instant(options.from, '--from');
  const to = options.to === undefined ? {} : { to: instant(options.to, '--to') };
  // Only this command needs the venues; the others start faster without them.
  const { knownSandbox } = await import('../sandbox.ts');
  const { addressesOf, createRequestBudgets, createVenues } = await import('../outside/index.ts');
  const { backfillCandles } = await import('../../adapters/venues/candle-backfill.ts');
  const config = settings();
  const clock = createLiveClock();
  const addresses = addressesOf(config, knownSandbox(config));
  const venues = createVenues({ addresses, budgets: createRequestBudgets(), clock, random: Math.random, note: () => {} });
  const history = venues.histories[series.venue];
  if (history === undefined) throw new Error(`${series.venue} has no history that could be fetched; import files instead`);
  const bar = progressBar('fetching', 'bars');
  return withWriterDatabase('sevengate candles', async (sql) => {
    try {
      const store = createCandleStore(sql);
      return await backfillCandles({ ...series, barMs, from, ...to, history, store, windows: store, clock, progress: bar.update });
    } finally {
      bar.stop();
    }
  });
}

function backfillText(report: BackfillReport): string {
  return [
    `${report.venue} ${report.instrument} ${report.timeframe}, ${isoTime(report.from)} to ${isoTime(report.to)}: ${report.fetched} bars fetched in ${report.steps} steps, ${report.saved} new or corrected`,
    ...(report.skippedBars > 0 ? [`  ${report.skippedBars} bars' worth of time had been answered before`] : []),
    ...(report.unreachableBars > 0
      ? [`  ${report.unreachableBars} bars lie further back than the venue serves; import them from files`]
      : []),
    ...(report.stopped === null
      ? []
      : [
          `  stopped at ${isoTime(report.stopped.at)}: ${report.stopped.detail} (${report.stopped.code}); the same command goes on from there`,
        ]),
  ].join('\n');
}

// ---- coverage

async function coverageCommand(options: Partial<SeriesOptions>): Promise<CoverageReport[]> {
  const { venue, instrument, timeframe } = options;
  return withWriterDatabase('sevengate candles', (sql) =>
    candleCoverage(createCandleWindows(sql), {
      ...(venue === undefined ? {} : { venue }),
      ...(instrument === undefined ? {} : { instrument }),
      ...(timeframe === undefined ? {} : { timeframe }),
    }),
  );
}

function coverageText(reports: readonly CoverageReport[]): string {
  if (reports.length === 0) return 'no bars are stored that match';
  return reports
    .flatMap((one) => {
      const missing = Object.entries(one.missing).filter(([, count]) => count > 0);
      return [
        `${one.venue} ${one.instrument} ${one.timeframe}: ${one.bars} bars, ${one.from} to ${one.to}, from ${one.sources.join(', ')}`,
        missing.length === 0
          ? '  nothing is missing in between'
          : `  missing: ${missing.map(([reason, count]) => `${count} ${reason}`).join(', ')}`,
        ...one.gaps.slice(0, 5).map((gap) => `    ${gap.from} to ${gap.to}: ${gap.missing} bars (${gap.reason})`),
      ];
    })
    .join('\n');
}
