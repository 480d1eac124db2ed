/** `sevengate candles`: imports bars from files, fetches a venue's history, and lists stored and missing bars. */

import { type Command, Option } from 'commander';
import { FORM_HELP } from '../../adapters/candle-files/candle-forms.ts';
import { VENUES } from '../../domain/market/venue.ts';
import type { BackfillOptions, ImportOptions, SeriesOptions } from './candles-run.ts';
import type { Service } from '../ports.ts';

const run = () => import('./candles-run.ts');

/** Adds `candles` and its commands. Bad rows fail a command; gaps and conflicts that were not replaced do not. */
export function candleCommands(candles: Command, service: Service): void {
  const venue = () => new Option('--venue <venue>', 'venue of the bars').choices(VENUES);

  candles
    .command('import')
    .description('import closed bars from CSV files (or all of a folder), gzip or not')
    .argument('<files...>', 'files ending in .csv or .csv.gz, or folders of them; each is imported whole or not at all')
    .addOption(venue().makeOptionMandatory())
    .requiredOption('--instrument <name>', "the venue's symbol, such as BTCUSDT")
    .requiredOption('--timeframe <timeframe>', 'length of the bars, such as 1m or 1h; a day is 24h')
    .option('--skip-bad', 'skip invalid rows and count them by reason, instead of refusing the file')
    .option('--replace', 'replace stored bars that differ; without it they stay and are counted as conflicts')
    .option('--align', 'align bars to the grid of their timeframe, for daily bars of US shares; refused if a bar would be known too early')
    .option('--timezone <zone>', 'time zone of times without an offset, such as America/New_York')
    .option('--dry-run', 'check the files without importing them')
    .option('--json', 'print the result as JSON')
    .addHelpText(
      'after',
      `\nForms of files:\n${FORM_HELP.map((line) => `  ${line}`).join('\n')}\n\nTimes without an offset are UTC unless --timezone names another clock. Bars must be in ascending order without duplicates. Prices are plain decimals.`,
    )
    .action(async (files: string[], options: ImportOptions) => (await run()).importBars(service, files, options));

  candles
    .command('backfill')
    .description("download a venue's bars within its request budget; an interrupted download continues")
    .addOption(venue().makeOptionMandatory())
    .requiredOption('--instrument <name>', 'an instrument of the catalog')
    .requiredOption('--timeframe <timeframe>', 'length of the bars, such as 1m or 1h')
    .requiredOption('--from <time>', 'first bar: YYYY-MM-DD or ISO 8601')
    .option('--to <time>', 'end of the range, exclusive (default: now)')
    .option('--json', 'print the result as JSON')
    .action(async (options: BackfillOptions) => (await run()).backfillBars(service, options));

  candles
    .command('coverage')
    .description('list stored bars, their source, and gaps with their reasons')
    .addOption(venue())
    .option('--instrument <name>', 'only this instrument')
    .option('--timeframe <timeframe>', 'only this timeframe')
    .option('--json', 'print the result as JSON')
    .action(async (options: Partial<SeriesOptions>) => (await run()).tellCoverage(service, options));
}
