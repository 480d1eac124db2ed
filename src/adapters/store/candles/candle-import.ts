/** Imports the bars of a file by COPY, in one transaction per file, and never silently overwrites a different bar. */
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { CandleSeries } from '../../../domain/candles/candle.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { copyText, type Sql, type Transaction } from '../database.ts';
import { writesReal } from '../catalog/source-origins.ts';
import { recordWindow } from './candle-windows.ts';

/** Batch of bars as rows for COPY: openTime, open, high, low, close, volume, separated by tabs. */
interface BarRows {
  readonly rows: string;
  readonly bars: number;
  readonly firstOpen: EpochMs;
  readonly lastOpen: EpochMs;
}

export interface ImportCounts {
  readonly bars: number;
  readonly inserted: number;
  /** Number of bars that were stored before with equal values. */
  readonly same: number;
  /** Number of bars that were stored before with other values; they are unchanged unless `replaced`. */
  readonly conflicting: number;
  readonly replaced: number;
  readonly firstOpen: EpochMs | null;
  readonly lastOpen: EpochMs | null;
  /** Open time of the first conflicting bar, or null. */
  readonly firstConflict: EpochMs | null;
}

export interface ImportFile extends CandleSeries {
  readonly barMs: number;
  /** Source recorded with every bar. */
  readonly source: string;
  readonly file: string;
  readonly at: EpochMs;
  readonly replace: boolean;
  /** True to roll back at the end. */
  readonly dryRun: boolean;
  readonly batches: AsyncIterable<BarRows>;
  /** Returns the provenance, called after the last batch. */
  readonly provenance: () => { readonly form: string; readonly sha256: string; readonly skipped: Readonly<Record<string, number>> };
}

/** Error code of PostgreSQL for a duplicate key. */
const UNIQUE_VIOLATION = '23505';

class DryRun extends Error {}

/** Imports one file, or nothing if reading it fails. Open times must ascend. */
export async function importBars(sql: Sql, file: ImportFile): Promise<ImportCounts> {
  let counts: ImportCounts = {
    bars: 0,
    inserted: 0,
    same: 0,
    conflicting: 0,
    replaced: 0,
    firstOpen: null,
    lastOpen: null,
    firstConflict: null,
  };
  try {
    await sql.begin(async (transaction) => {
      await transaction`
        create temp table incoming_bars (open_time bigint, open numeric, high numeric, low numeric, close numeric, volume numeric) on commit drop`;
      for await (const batch of file.batches) counts = added(counts, await importBatch(transaction, file, batch), batch);
      await recordImport(transaction, file, counts);
      if (file.dryRun) throw new DryRun();
    });
  } catch (error) {
    if (!(error instanceof DryRun)) throw error;
  }
  return counts;
}

interface BatchCounts {
  readonly inserted: number;
  readonly conflicting: number;
  readonly replaced: number;
  readonly firstConflict: EpochMs | null;
}

/** Inserts a batch. If its period has stored bars, compares bar by bar. */
async function importBatch(sql: Transaction, file: ImportFile, batch: BarRows): Promise<BatchCounts> {
  if (await isVacant(sql, file, batch)) {
    try {
      await sql.savepoint((inner) => copyStraight(inner, file, batch));
      return { inserted: batch.bars, conflicting: 0, replaced: 0, firstConflict: null };
    } catch (error) {
      // Another process stored a bar of the period meanwhile.
      if ((error as { code?: unknown }).code !== UNIQUE_VIOLATION) throw error;
    }
  }
  return mergeBatch(sql, file, batch);
}

async function isVacant(
  sql: Transaction,
  { venue, instrument, timeframe }: CandleSeries,
  { firstOpen, lastOpen }: BarRows,
): Promise<boolean> {
  const [known] = await sql`
    select 1 from candles where venue = ${venue} and instrument = ${instrument} and timeframe = ${timeframe}
      and is_real = ${writesReal(sql, venue)} and open_time >= ${firstOpen} and open_time <= ${lastOpen} limit 1`;
  return known === undefined;
}

async function copyStraight(sql: Transaction, { venue, instrument, timeframe, source, at }: ImportFile, { rows }: BarRows): Promise<void> {
  const [now] = await sql<{ is_real: boolean }[]>`select ${writesReal(sql, venue)} as is_real`;
  const before = `${copyText(venue)}\t${copyText(instrument)}\t${copyText(timeframe)}\t${now?.is_real === true}\t${at}\t${copyText(source)}\t`;
  const target = await sql`
    copy candles (venue, instrument, timeframe, is_real, received_at, source, open_time, open, high, low, close, volume) from stdin`.writable();
  await written(target, before + rows.slice(0, -1).replaceAll('\n', `\n${before}`) + '\n');
}

async function mergeBatch(sql: Transaction, file: ImportFile, batch: BarRows): Promise<BatchCounts> {
  const { venue, instrument, timeframe, source, at } = file;
  await copyRows(sql, batch.rows);
  const inserted = await sql`
    insert into candles (venue, instrument, timeframe, is_real, open_time, open, high, low, close, volume, source, received_at)
    select ${venue}, ${instrument}, ${timeframe}, ${writesReal(sql, venue)}, open_time, open, high, low, close, volume, ${source}, ${at}::bigint from incoming_bars
    on conflict do nothing`;
  let found: { conflicting: number; first: EpochMs | null } = { conflicting: 0, first: null };
  let replaced = 0;
  if (inserted.count < batch.bars) {
    const [row] = await sql<{ conflicting: number; first: EpochMs | null }[]>`
      select count(*)::bigint as conflicting, min(kept.open_time) as first from incoming_bars fresh
      join candles kept on kept.venue = ${venue} and kept.instrument = ${instrument} and kept.timeframe = ${timeframe}
        and kept.is_real = ${writesReal(sql, venue)} and kept.open_time = fresh.open_time
      where (kept.open, kept.high, kept.low, kept.close, kept.volume)
        is distinct from (fresh.open, fresh.high, fresh.low, fresh.close, fresh.volume)`;
    if (row !== undefined) found = row;
    if (file.replace && found.conflicting > 0) replaced = await replaceBars(sql, file);
  }
  await sql`truncate incoming_bars`;
  return { inserted: inserted.count, conflicting: found.conflicting, replaced, firstConflict: found.first };
}

async function replaceBars(sql: Transaction, { venue, instrument, timeframe, source, at }: ImportFile): Promise<number> {
  const done = await sql`
    update candles kept
    set open = fresh.open, high = fresh.high, low = fresh.low, close = fresh.close, volume = fresh.volume,
      source = ${source}, received_at = ${at}
    from incoming_bars fresh
    where kept.venue = ${venue} and kept.instrument = ${instrument} and kept.timeframe = ${timeframe}
      and kept.is_real = ${writesReal(sql, venue)} and kept.open_time = fresh.open_time
      and (kept.open, kept.high, kept.low, kept.close, kept.volume)
        is distinct from (fresh.open, fresh.high, fresh.low, fresh.close, fresh.volume)`;
  return done.count;
}

async function copyRows(sql: Transaction, rows: string): Promise<void> {
  const target = await sql`copy incoming_bars (open_time, open, high, low, close, volume) from stdin`.writable();
  await written(target, rows);
}

async function written(target: Writable, text: string): Promise<void> {
  target.end(text);
  await finished(target);
}

async function recordImport(sql: Transaction, file: ImportFile, counts: ImportCounts): Promise<void> {
  const { form, sha256, skipped } = file.provenance();
  const { venue, instrument, timeframe } = file;
  await sql`
    insert into candle_imports (at, venue, instrument, timeframe, file, sha256, form, bars, inserted, same, conflicting, replaced, skipped,
      first_open, last_open)
    values (${file.at}, ${venue}, ${instrument}, ${timeframe}, ${file.file}, ${sha256}, ${form}, ${counts.bars}, ${counts.inserted},
      ${counts.same}, ${counts.conflicting}, ${counts.replaced}, ${sql.json(skipped)}, ${counts.firstOpen}, ${counts.lastOpen})`;
  if (counts.firstOpen !== null && counts.lastOpen !== null) {
    await recordWindow(sql, file, { from: counts.firstOpen, to: counts.lastOpen + file.barMs }, 'imported', '', file.at);
  }
}

function added(counts: ImportCounts, batch: BatchCounts, { bars, firstOpen, lastOpen }: BarRows): ImportCounts {
  return {
    bars: counts.bars + bars,
    inserted: counts.inserted + batch.inserted,
    conflicting: counts.conflicting + batch.conflicting,
    same: counts.same + (bars - batch.inserted - batch.conflicting),
    replaced: counts.replaced + batch.replaced,
    firstOpen: counts.firstOpen ?? firstOpen,
    lastOpen,
    firstConflict: counts.firstConflict ?? batch.firstConflict,
  };
}
