/** `sevengate history`: imports archives of events, marks and liquidity for backtests, and lists the stored history. */
import { type Command, Option } from 'commander';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { HISTORY_KINDS, type HistoryKind } from '../../adapters/store/catalog/market-history-store.ts';
import { progressBar } from '../../adapters/terminal-progress.ts';
import { instant } from '../../domain/values/time.ts';
import { withWriterDatabase } from '../service-database.ts';
import type { Service } from '../ports.ts';
import { print } from '../words.ts';

interface EventOptions {
  readonly from: string;
  readonly to: string;
  readonly of?: string;
  readonly json?: true;
}

interface FactOptions {
  readonly kind: HistoryKind;
  readonly instrument: string;
  readonly json?: true;
}

export function historyCommands(history: Command, service: Service): void {
  history
    .command('import-events')
    .description('import an archive of events, complete for its source and period')
    .argument('<files...>', 'lines of wire items, or the submissions of a filer to the regulator with their older pages')
    .requiredOption('--from <time>', 'start of the period that the archive is complete for')
    .requiredOption('--to <time>', 'end of that period')
    .option(
      '--of <underlyings>',
      'underlyings that the wire items are complete for, such as AAPL,TSLA; all: every underlying of the catalog',
    )
    .option('--json', 'print the result as JSON')
    .action(async (files: string[], options: EventOptions) => {
      const { importArchive, readArchive } = await import('../../adapters/intelligence/import-events.ts');
      const archive = readArchive(files, instant(options.from, '--from'), instant(options.to, '--to'), options.of);
      const bar = progressBar('importing', 'reports');
      const report = await withWriterDatabase(service, 'sevengate history', (sql) =>
        importArchive(sql, archive, createLiveClock(), bar.show),
      ).finally(() => bar.stop());
      const kept = report.isNew ? 'kept' : 'known already';
      print(
        options.json
          ? JSON.stringify(report)
          : `${report.source} of ${report.underlyings.join(', ')} from ${report.from} to ${report.to}: ${report.reports} reports ${kept}, ${report.outside} outside of these times`,
      );
    });

  history
    .command('import-facts')
    .description('import marks or liquidity from a CSV file with the columns time and value')
    .argument('<file>', 'rows such as 2025-03-02,125000.50; a time is when the value was known')
    .addOption(new Option('--kind <kind>', 'what the values are').choices(HISTORY_KINDS).makeOptionMandatory())
    .requiredOption('--instrument <name>', 'token, such as SPACEX or AAPLx')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: FactOptions) => {
      const { importHistoryFile, readHistoryFile } = await import('../../adapters/store/catalog/history-files.ts');
      const values = readHistoryFile(file, options.kind, options.instrument);
      const bar = progressBar('importing', 'values');
      const report = await withWriterDatabase(service, 'sevengate history', (sql) =>
        importHistoryFile(sql, values, createLiveClock(), bar.show),
      ).finally(() => bar.stop());
      print(
        options.json
          ? JSON.stringify(report)
          : `${report.kind} of ${report.instrument}: ${report.values} values, ${report.from} to ${report.to}, ${report.inserted} new`,
      );
    });

  history
    .command('coverage')
    .description('list stored events, marks and liquidity')
    .option('--json', 'print the result as JSON')
    .action(async (options: { json?: true }) => {
      const { keptHistory, keptHistoryText } = await import('../../adapters/store/catalog/history-files.ts');
      const kept = await withWriterDatabase(service, 'sevengate history', keptHistory);
      print(options.json ? JSON.stringify(kept) : keptHistoryText(kept));
    });
  missingCommand(history, service);
}

function missingCommand(history: Command, service: Service): void {
  history
    .command('missing')
    .description('list data that the conditions of a manifest need and the stored history lacks for the backtest gate')
    .argument('<manifest>', 'the manifest: YAML or JSON, in either form')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: { json?: true }) => {
      const [{ createKnownHistoryReads }, { missingHistoryText }, { missingHistory }, { manifestFromFile }] = await Promise.all([
        import('../../adapters/store/candles/backtest-reads.ts'),
        import('../../domain/backtest/missing-history.ts'),
        import('../../simulation/backtest/missing-history.ts'),
        import('../backtest/manifest-file.ts'),
      ]);
      const manifest = manifestFromFile(file);
      const obtainable = await service.obtainableHistory();
      const missing = await withWriterDatabase(service, 'sevengate history', (sql) =>
        missingHistory(createKnownHistoryReads(sql), manifest, createLiveClock().now(), obtainable),
      );
      if (options.json) return print(JSON.stringify(missing.map((one) => ({ ...one, text: missingHistoryText(one) }))));
      print(missing.length === 0 ? 'nothing is missing except bars, which a run fetches' : missing.map(missingHistoryText).join('\n'));
    });
}
