/** Store of event archives (`event_archives`, `archived_reports`): imported files, append-only. */

import type { EventStretch } from '../../../domain/backtest/known-events.ts';
import type { Report } from '../../../domain/intelligence/report.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';

/** Archive file of events. It is complete within its range for one source and underlying. */
export interface EventArchive extends EventStretch {
  readonly reports: readonly Report[];
}

interface ImportedArchive extends EventArchive {
  /** Underlyings for which the files are complete between the two times. */
  readonly underlyings: readonly string[];
  readonly file: string;
  readonly sha256: string;
  readonly at: EpochMs;
}

/** Reports per statement. */
const BATCH = 2_000;

/** Stores an archive completely or not at all; false if the same files are stored for the same period. */
export async function keepArchive(
  sql: Sql,
  archive: ImportedArchive,
  progress: (done: number, total: number) => void = () => {},
): Promise<boolean> {
  const { source, underlyings, from, to, reports, file, sha256, at } = archive;
  return sql.begin(async (transaction) => {
    const [known] = await transaction`
      select 1 from event_archives where sha256 = ${sha256} and from_at = ${from} and to_at = ${to} and underlyings @> ${underlyings as string[]}
        and is_real = writes_real(replace(source, 'news:', ''))`;
    if (known !== undefined) return false;
    const [row] = await transaction<{ id: number }[]>`
      insert into event_archives (is_real, at, file, sha256, source, underlyings, from_at, to_at, reports)
      values (writes_real(replace(${source}, 'news:', '')), ${at}, ${file}, ${sha256}, ${source}, ${underlyings as string[]}, ${from}, ${to}, ${reports.length}) returning id`;
    for (let first = 0; first < reports.length; first += BATCH) {
      progress(first, reports.length);
      const rows = reports.slice(first, first + BATCH);
      await transaction`
        insert into archived_reports (archive_id, id, body)
        select ${row?.id as number}, r ->> 'id', r from jsonb_array_elements(${transaction.json(rows as never)}) as r`;
    }
    progress(reports.length, reports.length);
    return true;
  });
}

/** Returns the complete archives of an underlying with their reports. */
export async function readArchives(sql: Sql, underlying: string): Promise<readonly EventArchive[]> {
  const rows = await sql<{ id: number; source: string; from: EpochMs; to: EpochMs }[]>`
    select id, source, from_at as "from", to_at as "to" from event_archives where ${underlying} = any(underlyings)
      and is_real = reads_real(replace(source, 'news:', '')) order by id`;
  return Promise.all(
    rows.map(async ({ id, ...archive }) => {
      const reports = await sql<{ body: Report }[]>`
        select body from archived_reports where archive_id = ${id} and body -> 'entities' @> ${sql.json([{ asset: underlying }])}
        order by (body ->> 'publishedAt')::bigint, id`;
      return { ...archive, reports: reports.map(({ body }) => body) };
    }),
  );
}

/** Returns the periods for which archives of an underlying are complete. */
export async function archivedStretches(sql: Sql, underlying: string): Promise<readonly EventStretch[]> {
  return sql`select source, from_at as "from", to_at as "to" from event_archives where ${underlying} = any(underlyings)
      and is_real = reads_real(replace(source, 'news:', '')) order by id`;
}

/** Lists the stored archives, without the reports. */
export async function listArchives(sql: Sql): Promise<readonly (Omit<ImportedArchive, 'reports'> & { readonly reports: number })[]> {
  return sql`
    select source, underlyings, from_at as "from", to_at as "to", file, sha256, at, reports from event_archives order by id`;
}
