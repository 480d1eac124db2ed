/** `sevengate candles`: imports bars from files, fetches a venue's history and tells what is stored and what is missing. */

import { type Command, Option } from 'commander';
import { createLiveClock } from '../../streams/live-clock.ts';
import { FORM_HELP } from '../adapters/candle-files/candle-forms.ts';
import {
  candleFiles,
  type ImportOptions as FileOptions,
  type ImportReport,
  importFiles,
  importText,
} from '../adapters/candle-files/import-files.ts';
import { type CoverageReport, candleCoverage, coverageText } from '../adapters/store/candles/candle-coverage.ts';
import { createCandleStore } from '../adapters/store/candles/candle-store.ts';
import { createCandleWindows } from '../adapters/store/candles/candle-windows.ts';
import { createCandleWorkRecorder } from '../adapters/store/candles/candle-work-store.ts';
import { type BackfillReport, backfillText, recordedBackfill } from '../adapters/venues/candle-backfill.ts';
import { instant } from '../domain/instant.ts';
import { checkedSeries, type NamedSeries } from '../domain/named-series.ts';
import { isoTime } from '../domain/time.ts';
import { VENUES } from '../domain/venue.ts';
import { progressBar } from '../adapters/terminal-progress.ts';
import { withWriterDatabase } from './service-database.ts';
import type { Service } from './ports.ts';
import { print } from './words.ts';

interface SeriesOptions extends NamedSeries {
  readonly json?: true;
}

type ImportOptions = SeriesOptions & FileOptions;

/** Adds `candles` and its commands. Conflicts that were not replaced and gaps do not fail a command; bad rows do. */
export function candleCommands(candles: Command, service: Service): void {
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
      const report = await importCommand(service, files, options);
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
      const report = await backfillCommand(service, options);
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
      const report = await coverageCommand(service, options);
      print(options.json ? JSON.stringify({ series: report }) : coverageText(report));
    });
}

async function importCommand(service: Service, words: readonly string[], options: ImportOptions): Promise<ImportReport> {
  const series = checkedSeries(options, false);
  const files = await candleFiles(words);
  const bar = progressBar('importing', 'bytes');
  return withWriterDatabase(service, 'sevengate candles', (sql) =>
    importFiles(sql, files, series, options, createLiveClock(), bar.show).finally(() => bar.stop()),
  );
}

async function backfillCommand(service: Service, options: SeriesOptions & { from: string; to?: string }): Promise<BackfillReport> {
  const { barMs, ...series } = checkedSeries(options, true);
  const from = instant(options.from, '--from');
  const to = options.to === undefined ? {} : { to: instant(options.to, '--to') };
  const history = (await service.histories())[series.venue];
  if (history === undefined) throw new Error(`${series.venue} has no history that could be fetched; import files instead`);
  const clock = createLiveClock();
  const bar = progressBar('fetching', 'bars');
  return withWriterDatabase(service, 'sevengate candles', async (sql) => {
    try {
      const store = createCandleStore(sql);
      const backfill = { ...series, barMs, from, ...to, history, store, windows: store, clock, onProgress: bar.show };
      return await recordedBackfill(createCandleWorkRecorder(sql, clock), 'always', backfill);
    } finally {
      bar.stop();
    }
  });
}

async function coverageCommand(service: Service, options: Partial<SeriesOptions>): Promise<CoverageReport[]> {
  const { venue, instrument, timeframe } = options;
  return withWriterDatabase(service, 'sevengate candles', (sql) =>
    candleCoverage(createCandleWindows(sql), {
      ...(venue === undefined ? {} : { venue }),
      ...(instrument === undefined ? {} : { instrument }),
      ...(timeframe === undefined ? {} : { timeframe }),
    }),
  );
}
