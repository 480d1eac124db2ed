/** Imports files of bars into the store one by one. A file is stored completely or not at all. */
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { CandleSeries } from '../../domain/candles/candle.ts';
import { type EpochMs, isoTime } from '../../domain/values/time.ts';
import { instrumentKey } from '../../domain/market/venue.ts';
import type { WorkProgress } from '../../domain/values/work-progress.ts';
import { type ImportCounts, importBars } from '../store/candles/candle-import.ts';
import { createWorkRecorder, seriesText, nameSource } from '../store/long-work-store.ts';
import type { Sql } from '../store/database.ts';
import { isOfShare } from './share-hours.ts';
import { type BadRow, CandleFileError, readCandleFile } from './read-candles.ts';

const SHOWN_BAD_ROWS = 10;

export interface ImportOptions {
  readonly skipBad?: true;
  readonly replace?: true;
  readonly align?: true;
  readonly timezone?: string;
  readonly dryRun?: true;
}

interface FileReport {
  readonly file: string;
  readonly form: string;
  readonly bars: number;
  readonly inserted: number;
  readonly same: number;
  readonly conflicting: number;
  readonly replaced: number;
  readonly aligned: number;
  readonly skipped: Readonly<Record<string, number>>;
  /** Sentences about the first rows that were left out. */
  readonly examples: readonly string[];
  readonly from: string | null;
  readonly to: string | null;
  readonly firstConflictAt: string | null;
}

/** Expands arguments to files: a folder stands for its CSV files, sorted by name. @throws Error with one sentence */
export async function candleFiles(words: readonly string[]): Promise<{ readonly file: string; readonly bytes: number }[]> {
  const found: { file: string; bytes: number }[] = [];
  for (const word of words) {
    const what = await stat(word).catch(() => null);
    if (what === null) throw new Error(`${word}: there is no such file or folder`);
    if (!what.isDirectory()) {
      found.push({ file: word, bytes: what.size });
      continue;
    }
    const names = (await readdir(word)).filter((name) => /\.csv(\.gz)?$/.test(name)).sort();
    if (names.length === 0) throw new Error(`${word}: the folder has no .csv or .csv.gz file`);
    for (const name of names) found.push({ file: join(word, name), bytes: (await stat(join(word, name))).size });
  }
  return found;
}

/**
 * Imports one file completely or not at all and returns a report. @throws CandleFileError at the first invalid row, unless invalid rows are
 * skipped
 */
async function importFile(
  sql: Sql,
  file: string,
  series: CandleSeries & { readonly barMs: number },
  options: ImportOptions,
  at: EpochMs,
  onBytes: (bytes: number) => void,
): Promise<FileReport> {
  const skipped: Record<string, number> = {};
  const examples: string[] = [];
  const onBad = (row: BadRow): void => {
    if (options.skipBad !== true) throw new CandleFileError(file, row, `${row.detail} (${row.reason}; --skip-bad leaves such rows out)`);
    skipped[row.reason] = (skipped[row.reason] ?? 0) + 1;
    if (examples.length < SHOWN_BAD_ROWS) examples.push(new CandleFileError(file, row, `${row.detail} (${row.reason})`).message);
  };
  const reading = readCandleFile(file, {
    barMs: series.barMs,
    now: at,
    align: options.align === true,
    ofShare: isOfShare(instrumentKey(series.venue, series.instrument)),
    ...(options.timezone === undefined ? {} : { timezone: options.timezone }),
    onBad,
    onBytes,
  });
  const counts: ImportCounts = await importBars(sql, {
    ...series,
    source: `import:${basename(file)}`.slice(0, 200),
    file,
    at,
    replace: options.replace === true,
    dryRun: options.dryRun === true,
    batches: reading.batches(),
    provenance: () => ({ form: reading.result().form, sha256: reading.result().sha256, skipped }),
  });
  const { form, aligned } = reading.result();
  const { firstOpen, lastOpen, firstConflict, ...numbers } = counts;
  const shown = (time: EpochMs | null) => (time === null ? null : isoTime(time));
  return {
    file,
    form,
    ...numbers,
    aligned,
    skipped,
    examples,
    from: shown(firstOpen),
    to: shown(lastOpen),
    firstConflictAt: shown(firstConflict),
  };
}

export interface ImportReport extends CandleSeries {
  readonly dryRun: boolean;
  readonly files: readonly FileReport[];
  readonly bars: number;
  readonly inserted: number;
  readonly seconds: number;
  readonly barsPerSecond: number;
}

/**
 * Imports every file of a series. Records the progress in the database unless it is a dry run. @param sql a pool with at least two
 * connections @throws CandleFileError
 */
export async function importFiles(
  sql: Sql,
  files: readonly { readonly file: string; readonly bytes: number }[],
  { barMs, ...series }: CandleSeries & { readonly barMs: number },
  options: ImportOptions,
  clock: Pick<Clock, 'now' | 'deadline'>,
  onProgress: (progress: WorkProgress) => void,
): Promise<ImportReport> {
  const beganAt = clock.now();
  const reports: FileReport[] = [];
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0);
  await createWorkRecorder(sql, clock, 'sevengate candles import').during(
    {
      kind: 'import',
      subject: seriesText(series),
      series,
      source: nameSource(files.map(({ file }) => file)),
      unit: 'bytes',
      recorded: options.dryRun === true ? 'never' : 'always',
      failureOf: () => null,
      thrownFailureOf: failureText,
      onProgress,
    },
    async (tell) => {
      let read = 0;
      tell.progress(read, total);
      const onBytes = (bytes: number): void => tell.progress((read += bytes), total);
      for (const { file } of files) reports.push(await importFile(sql, file, { ...series, barMs }, options, clock.now(), onBytes));
    },
  );
  const seconds = Math.max(0.001, (clock.now() - beganAt) / 1_000);
  const bars = reports.reduce((sum, one) => sum + one.bars, 0);
  return {
    ...series,
    dryRun: options.dryRun === true,
    files: reports,
    bars,
    inserted: reports.reduce((sum, one) => sum + one.inserted, 0),
    seconds,
    barsPerSecond: Math.round(bars / seconds),
  };
}

function failureText(error: unknown): string {
  if (!(error instanceof CandleFileError)) return 'it failed for a reason that its terminal tells';
  return `${basename(error.file)}${error.message.slice(error.file.length)}`.slice(0, 500);
}

/** Formats the report: one line per file with its imported and rejected rows. */
export function importText(report: ImportReport): string {
  const kept = report.dryRun ? 'nothing was kept (--dry-run)' : `${report.inserted} new`;
  return [
    ...report.files.flatMap(fileLines),
    `${report.venue} ${report.instrument} ${report.timeframe}: ${report.bars} bars in ${report.seconds.toFixed(1)} s (${report.barsPerSecond} a second), ${kept}`,
  ].join('\n');
}

function fileLines(file: FileReport): string[] {
  const skipped = Object.entries(file.skipped);
  return [
    `${file.file} (${file.form}): ${file.bars} bars${file.from === null ? '' : `, ${file.from} to ${file.to}`}: ${file.inserted} new, ${file.same} known, ${file.conflicting} in conflict${file.replaced > 0 ? ` (${file.replaced} replaced)` : ''}${file.aligned > 0 ? `, ${file.aligned} moved onto the grid` : ''}`,
    ...(file.conflicting > file.replaced
      ? [`  other numbers are stored from ${file.firstConflictAt} on and were kept; --replace takes those of the file`]
      : []),
    ...(skipped.length === 0 ? [] : [`  left out: ${skipped.map(([reason, count]) => `${count} ${reason}`).join(', ')}`]),
    ...file.examples.map((example) => `    ${example}`),
  ];
}
