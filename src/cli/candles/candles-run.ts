/** Implementation of `sevengate candles`, loaded only when it runs. */
import type { CandleSeries } from '../../domain/candles/candle.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import {
  candleFiles,
  type ImportOptions as FileOptions,
  type ImportReport,
  importFiles,
  importText,
} from '../../adapters/candle-files/import-files.ts';
import { type CoverageReport, candleCoverage, coverageText } from '../../adapters/store/candles/candle-coverage.ts';
import { createCandleStore } from '../../adapters/store/candles/candle-store.ts';
import { createCandleWindows } from '../../adapters/store/candles/candle-windows.ts';
import { createWorkRecorder } from '../../adapters/store/long-work-store.ts';
import { type BackfillReport, backfillText, recordedBackfill } from '../../adapters/venues/candle-backfill.ts';
import { instant, isoTime } from '../../domain/values/time.ts';
import { checkedSeries } from '../../domain/candles/named-series.ts';
import { progressBar } from '../../adapters/terminal-progress.ts';
import { withWriterDatabase } from '../service-database.ts';
import type { Service } from '../ports.ts';
import { print } from '../words.ts';

export interface SeriesOptions extends CandleSeries {
  readonly json?: true;
}

export type ImportOptions = SeriesOptions & FileOptions;

export type BackfillOptions = SeriesOptions & { readonly from: string; readonly to?: string };

/** Imports files and prints what was stored. */
export async function importBars(service: Service, files: readonly string[], options: ImportOptions): Promise<void> {
  const report = await imported(service, files, options);
  print(options.json ? JSON.stringify(report) : importText(report));
}

/** Fetches a venue's history and prints how far it got. An incomplete fetch sets exit code 1. */
export async function backfillBars(service: Service, options: BackfillOptions): Promise<void> {
  const report = await backfilled(service, options);
  print(options.json ? JSON.stringify({ ...report, from: isoTime(report.from), to: isoTime(report.to) }) : backfillText(report));
  if (report.stopped !== null) process.exitCode = 1;
}

/** Prints which bars are stored and which are missing. */
export async function tellCoverage(service: Service, options: Partial<SeriesOptions>): Promise<void> {
  const report = await covered(service, options);
  print(options.json ? JSON.stringify({ series: report }) : coverageText(report));
}

async function imported(service: Service, words: readonly string[], options: ImportOptions): Promise<ImportReport> {
  const series = checkedSeries(options, false);
  const files = await candleFiles(words);
  const bar = progressBar('importing', 'bytes');
  return withWriterDatabase(service, 'sevengate candles', (sql) =>
    importFiles(sql, files, series, options, createLiveClock(), bar.show).finally(() => bar.stop()),
  );
}

async function backfilled(service: Service, options: BackfillOptions): Promise<BackfillReport> {
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
      return await recordedBackfill(createWorkRecorder(sql, clock, 'sevengate candles backfill'), 'always', backfill);
    } finally {
      bar.stop();
    }
  });
}

async function covered(service: Service, options: Partial<SeriesOptions>): Promise<CoverageReport[]> {
  const { venue, instrument, timeframe } = options;
  return withWriterDatabase(service, 'sevengate candles', (sql) =>
    candleCoverage(createCandleWindows(sql), {
      ...(venue === undefined ? {} : { venue }),
      ...(instrument === undefined ? {} : { instrument }),
      ...(timeframe === undefined ? {} : { timeframe }),
    }),
  );
}
