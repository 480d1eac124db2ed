/** Imports archives of events into the store and reports the result. */
import { basename } from 'node:path';
import type { Clock } from '../../../streams/clock/clock.ts';
import { CATALOG, listCatalogUnderlyings } from '../../domain/catalog/catalog.ts';
import { indexEntityNames } from '../../domain/intelligence/entities.ts';
import { nearestNames } from '../../domain/values/nearest-name.ts';
import { type EpochMs, isoTime } from '../../domain/values/time.ts';
import type { WorkProgress } from '../../domain/values/work-progress.ts';
import { databaseNow } from '../store/agents/dispatch-store.ts';
import type { Sql } from '../store/database.ts';
import { createWorkRecorder } from '../store/long-work-store.ts';
import { keepArchive } from '../store/intelligence/event-archive-store.ts';
import { type EventFiles, readEventFiles } from './event-files.ts';

export interface EventArchive extends Pick<EventFiles, 'source' | 'underlyings' | 'reports' | 'sha256'> {
  /** Start of the complete range, inclusive; the end is exclusive. */
  readonly from: EpochMs;
  readonly to: EpochMs;
  /** Names of the files. */
  readonly file: string;
  /** Number of reports outside the range, which are not stored. */
  readonly outside: number;
}

/**
 * Reads the files of an archive. @param of underlyings for which wire items are complete, separated by commas, or `all`; filings state
 * them. @throws Error with one sentence if a file, a time or an underlying is invalid
 */
export function readArchive(files: readonly string[], from: EpochMs, to: EpochMs, of: string | undefined): EventArchive {
  if (to <= from) throw new Error('--from must be before --to');
  const read = readEventFiles(files, indexEntityNames(CATALOG), from);
  const underlyings = listUnderlyings(read, of);
  const reports = read.reports.filter(({ publishedAt }) => publishedAt >= from && publishedAt < to);
  const file = files.map((name) => basename(name)).join(' ');
  return { source: read.source, underlyings, from, to, reports, file, sha256: read.sha256, outside: read.reports.length - reports.length };
}

/**
 * Stores an archive and records the progress; a stored archive is not changed. @param sql a pool with at least two connections. @throws
 * Error with one sentence if its period ends in the future, of which nothing was published yet
 */
export async function importArchive(
  sql: Sql,
  { outside, ...archive }: EventArchive,
  clock: Pick<Clock, 'now' | 'deadline'>,
  onProgress: (progress: WorkProgress) => void = () => {},
) {
  const now = await databaseNow(sql);
  if (archive.to > now) throw new Error(`--to is in the future: an archive is complete until ${isoTime(now)} at most`);
  const isNew = await createWorkRecorder(sql, clock, 'sevengate history import-events').during(
    {
      kind: 'event_import',
      subject: `${archive.source} of ${archive.underlyings.join(', ')}`.slice(0, 200),
      source: archive.file,
      unit: 'reports',
      recorded: 'always',
      failureOf: () => null,
      thrownFailureOf: () => 'it failed for a reason that its terminal tells; nothing of it was kept',
      onProgress,
    },
    (tell) => keepArchive(sql, { ...archive, at: clock.now() }, (done, total) => tell.progress(done, total)),
  );
  const { source, underlyings, from, to, reports } = archive;
  return { source, underlyings, from: isoTime(from), to: isoTime(to), reports: reports.length, outside, isNew };
}

/**
 * Returns the underlyings for which the files are complete. @throws Error with one sentence if none was named, or one is not in the catalog
 */
function listUnderlyings({ source, underlyings }: EventFiles, of: string | undefined): readonly string[] {
  if (source === 'news:filings') {
    if (of !== undefined) throw new Error('--of is only for wire items: filings name their company');
    return underlyings;
  }
  if (of === undefined) throw new Error('--of is missing: wire items do not say which underlyings they are complete for');
  const known = listCatalogUnderlyings().toSorted();
  if (of === 'all') return known;
  return of.split(',').map((name) => {
    if (known.includes(name)) return name;
    const [near] = nearestNames(name, known, 1);
    throw new Error(
      `--of: ${JSON.stringify(name)} is not an underlying of the catalog${near === undefined ? '' : `: did you mean ${near}?`}`,
    );
  });
}
