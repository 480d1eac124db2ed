/**
 * Old history moves from the database to archive files: for each day (UTC) its decisions, and the cuts and observations that
 * they were made on. What was signed of them stays in the database, so the archive is proved by it. A file holds a line per
 * row, `{"<table>":{<columns>}}`, packed with gzip.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, renameSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import type { EpochMs } from '../../../domain/time.ts';
import type { Sql, Transaction } from '../database.ts';

const DAY_MS = 86_400_000;
/** Rows that one statement reads. */
const PAGE_ROWS = 5_000;
/** Rows that one statement takes away, so that it never holds anybody up for long. */
const FORGOTTEN_AT_ONCE = 5_000;
/** Actors whose decisions of a day one statement reads: at most 2,880 each. */
const ACTORS_AT_ONCE = 5;

/** Where the archives of a state folder lie. */
export const archiveFolder = (home: string): string => join(resolve(home), 'archive');

/** The tables whose rows move, in the order in which a file holds them. */
export const MOVED_TABLES = ['cuts', 'observations', 'decisions'] as const;
export type MovedTable = (typeof MOVED_TABLES)[number];

/** What is younger stays in the database, whose trigger refuses to let it go: gates and lists read it. Days. */
export const KEPT_DAYS = 30;

/** A stretch of history that lies in a file, and no longer in the database. */
export interface MovedStretch {
  /** Inclusive. */
  readonly from: EpochMs;
  /** Exclusive. */
  readonly until: EpochMs;
  readonly decisions: number;
  readonly observations: number;
  readonly cuts: number;
  /** Name of the file within the folder of archives. */
  readonly file: string;
  /** Of the unpacked file, hexadecimal. */
  readonly sha256: string;
}

/** All stretches that were moved, the oldest first. None in a database that was not migrated so far. */
export async function movedStretches(sql: Sql | Transaction): Promise<readonly MovedStretch[]> {
  const [ready] = await sql<{ ready: boolean }[]>`select to_regclass('moved_history') is not null as ready`;
  if (ready?.ready !== true) return [];
  return sql<MovedStretch[]>`
    select from_slot as "from", until_slot as until, decisions, observations, cuts, file, sha256 from moved_history order by until_slot`;
}

/** Before this moment decisions and observations lie in archive files; null where nothing was moved. */
export async function movedBefore(sql: Sql | Transaction): Promise<EpochMs | null> {
  const [row] = await sql<{ until: EpochMs | null }[]>`select max(until_slot) as until from moved_history`;
  return row?.until ?? null;
}

/** @throws Error where `what` needs history that lies in archive files: rows that are not there would read as nothing that happened. */
export async function requireKept(sql: Sql | Transaction, from: EpochMs, what: string): Promise<void> {
  const before = await movedBefore(sql);
  if (before !== null && from < before)
    throw new Error(
      `${what} needs history from ${new Date(from).toISOString()}, and what was decided and observed before ${new Date(before).toISOString()} lies in archive files (sevengate archive list)`,
    );
}

/**
 * Moves every whole day that ended before `before`, one file after the other; a day that was written and not taken away yet is
 * taken away first. A file is on the disk before the database knows of it, and the database knows of it before a row goes.
 * @param sql signs what it changes, as the worker does. @returns what was moved now.
 */
export async function moveHistory(sql: Sql, folder: string, before: EpochMs): Promise<readonly MovedStretch[]> {
  const moved: MovedStretch[] = [];
  await forgetMoved(sql);
  for (;;) {
    const from = (await movedBefore(sql)) ?? 0;
    const [oldest] = await sql<{ slot: EpochMs | null }[]>`select min(slot) as slot from cuts where slot >= ${from}`;
    const first = oldest?.slot ?? null;
    if (first === null) return moved;
    const until = (Math.floor(first / DAY_MS) + 1) * DAY_MS;
    if (until > before || (await decidedTo(sql)) < until) return moved;
    const stretch = await writeStretch(sql, folder, from, until);
    await sql`
      insert into moved_history (until_slot, from_slot, decisions, observations, cuts, file, sha256)
      values (${until}, ${from}, ${stretch.decisions}, ${stretch.observations}, ${stretch.cuts}, ${stretch.file}, ${stretch.sha256})`;
    await forgetMoved(sql);
    moved.push(stretch);
  }
}

/** Moves what is older than so many days. @returns how many stretches were moved. */
export async function moveOldHistory(sql: Sql, folder: string, days: number): Promise<number> {
  const [clock] = await sql<{ now: EpochMs }[]>`select gate_now() as now`;
  return (await moveHistory(sql, folder, (clock?.now as EpochMs) - days * DAY_MS)).length;
}

/** All shards have decided up to this slot. */
async function decidedTo(sql: Sql): Promise<EpochMs> {
  const [row] = await sql<{ slot: EpochMs | null }[]>`select min(last_slot) as slot from tick_shards`;
  return row?.slot ?? Number.POSITIVE_INFINITY;
}

async function forgetMoved(sql: Sql): Promise<void> {
  for (;;) {
    const [row] = await sql<{ count: number }[]>`select forget_moved_history(${FORGOTTEN_AT_ONCE}::int) as count`;
    if ((row?.count ?? 0) === 0) return;
  }
}

async function writeStretch(sql: Sql, folder: string, from: EpochMs, until: EpochMs): Promise<MovedStretch> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = `history-${dayOf(until - DAY_MS)}.ndjson.gz`;
  const counts: Record<MovedTable, number> = { cuts: 0, observations: 0, decisions: 0 };
  const hash = createHash('sha256');
  async function* lines(): AsyncGenerator<string> {
    for await (const { table, rows } of rowsOf(sql, from, until)) {
      const text = rows.map((row) => `{"${table}":${row}}\n`).join('');
      counts[table] += rows.length;
      hash.update(text);
      yield text;
    }
  }
  const written = join(folder, `${file}.part`);
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(written, { mode: 0o600 }));
  await toDisk(written);
  renameSync(written, join(folder, file));
  await toDisk(folder);
  return { from, until, ...counts, file, sha256: hash.digest('hex') };
}

async function toDisk(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** The rows of a stretch as JSON of their columns, in pages. They are old and append-only, so no transaction holds them together. */
async function* rowsOf(
  sql: Sql,
  from: EpochMs,
  until: EpochMs,
): AsyncGenerator<{ readonly table: MovedTable; readonly rows: readonly string[] }> {
  const cuts = sql<{ row: string }[]>`select to_jsonb(c)::text as row from cuts c where slot >= ${from} and slot < ${until} order by slot`;
  yield { table: 'cuts', rows: (await cuts).map(({ row }) => row) };
  for (let after: readonly [number, string] | null = [from, '']; after !== null; ) {
    const page: { slot: number; instrument: string; row: string }[] = await sql`
      select slot, instrument, to_jsonb(o)::text as row from observations o
      where (slot, instrument) > (${after[0]}, ${after[1]}) and slot < ${until} order by slot, instrument limit ${PAGE_ROWS}`;
    const last = page.at(-1);
    if (last !== undefined) yield { table: 'observations', rows: page.map(({ row }) => row) };
    after = last === undefined || page.length < PAGE_ROWS ? null : [last.slot, last.instrument];
  }
  const actors = (await sql<{ id: string }[]>`select id from traders order by id`).map(({ id }) => id);
  for (let next = 0; next < actors.length; next += ACTORS_AT_ONCE) {
    const rows = await sql<{ row: string }[]>`
      select d.row from unnest(${actors.slice(next, next + ACTORS_AT_ONCE)}::uuid[]) with ordinality as a(id, place) cross join lateral (
        select slot, to_jsonb(d)::text as row from decisions d where agent_id = a.id and slot >= ${from} and slot < ${until}) d
      order by a.place, d.slot`;
    if (rows.length > 0) yield { table: 'decisions', rows: rows.map(({ row }) => row) };
  }
}

/** Reads a stretch's file line by line. @returns what is wrong with it, or null where it holds exactly what was moved. */
export async function readStretch(
  folder: string,
  stretch: MovedStretch,
  receive: (table: MovedTable, row: string) => void | Promise<void> = () => {},
): Promise<string | null> {
  const path = join(folder, stretch.file);
  const hash = createHash('sha256');
  try {
    for await (const line of linesOf(path)) {
      hash.update(`${line}\n`);
      const table = MOVED_TABLES.find((name) => line.startsWith(`{"${name}":`));
      if (table === undefined) return `${path} holds a line that is no row: ${line.slice(0, 80)}`;
      await receive(table, line.slice(table.length + 4, -1));
    }
  } catch (error) {
    return `${path} cannot be read: ${(error as Error).message}`;
  }
  const sha256 = hash.digest('hex');
  return sha256 === stretch.sha256 ? null : `${path} hashes to ${sha256}, the file that was written to ${stretch.sha256}`;
}

/** The lines of a packed file. `readline` would not tell of a file that is missing or cut off. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const unpacked = createGunzip();
  const source = createReadStream(path).on('error', (error) => unpacked.destroy(error));
  let rest = '';
  for await (const chunk of source.pipe(unpacked).setEncoding('utf8') as AsyncIterable<string>) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() as string;
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const dayOf = (slot: EpochMs): string => new Date(slot).toISOString().slice(0, 10);
