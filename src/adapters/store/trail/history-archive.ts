/**
 * Moves old history from the database to archive files: per UTC day its decisions with their cuts, observations and other inputs, steps of
 * actors that have ended, the audit, and leaves of signed batches. The batches and their log stay in the database and prove the archive. A file has one
 * line per row, `{"<table>":{<columns>}}`, packed with gzip.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { whyNotRead } from '../../named-file.ts';
import type { StoredStep } from '../../../../actors/runtime/actor-history.ts';
import type { Json } from '../../../domain/values/canonical-json.ts';
import { DAY_MS, type EpochMs, isoTime } from '../../../domain/values/time.ts';
import type { WorkProgress } from '../../../domain/values/work-progress.ts';
import type { Sql, Transaction } from '../database.ts';
import type { WorkRecorder } from '../long-work-store.ts';

/** Rows per read. */
const PAGE_ROWS = 5_000;
/** Rows per delete, so that it blocks others only briefly. */
const FORGOTTEN_AT_ONCE = 5_000;
/** Actors per read of a day's decisions; each has at most 2,880. */
const ACTORS_AT_ONCE = 5;
/** Approximate leaves per delete: whole batches in the log's order. */
const LEAVES_AT_ONCE = 20_000;
/** Ended actors per read of steps. */
const ENDED_AT_ONCE = 500;
/** Maximum ended actors per file, because their ids are in memory; the rest moves with the next file. */
const ENDED_OF_STRETCH = 200_000;

/** Returns the archive folder of a state folder. */
export const archiveFolder = (home: string): string => join(resolve(home), 'archive');

/** Tables whose rows are moved, in their order in a file. */
export const MOVED_TABLES = ['cuts', 'observations', 'decisions', 'tick_inputs', 'steps', 'audit', 'trail_changes'] as const;
export type MovedTable = (typeof MOVED_TABLES)[number];

/** Days that must stay in the database, because gates and lists read them. A trigger refuses to delete them. */
export const KEPT_DAYS = 30;

/** Period of history that is in a file and not in the database. */
export interface MovedStretch {
  /** Inclusive. */
  readonly from: EpochMs;
  /** Exclusive. */
  readonly until: EpochMs;
  readonly decisions: number;
  readonly observations: number;
  readonly cuts: number;
  /** Number of rows of `tick_inputs`. */
  readonly inputs: number;
  /** Number of steps of ended actors. */
  readonly steps: number;
  readonly audit: number;
  /** Number of leaves of signed batches. */
  readonly leaves: number;
  /** File name within the archive folder. */
  readonly file: string;
  /** SHA-256 of the unpacked file, hexadecimal. */
  readonly sha256: string;
}

/** Returns all archived periods, oldest first; none in a database without this migration. */
export async function movedStretches(sql: Sql | Transaction): Promise<readonly MovedStretch[]> {
  const [ready] = await sql<{ ready: boolean }[]>`select to_regclass('moved_history') is not null as ready`;
  if (ready?.ready !== true) return [];
  return sql<MovedStretch[]>`
    select from_slot as "from", until_slot as until, decisions, observations, cuts, coalesce((to_jsonb(m)->>'inputs')::bigint, 0) as inputs,
      coalesce((to_jsonb(m)->>'steps')::bigint, 0) as steps, coalesce((to_jsonb(m)->>'audit')::bigint, 0) as audit,
      coalesce((to_jsonb(m)->>'leaves')::bigint, 0) as leaves, file, sha256 from moved_history m order by until_slot`;
}

/** Returns the time before which decisions and observations are archived, or null. */
export async function movedBefore(sql: Sql | Transaction): Promise<EpochMs | null> {
  const [row] = await sql<{ until: EpochMs | null }[]>`select max(until_slot) as until from moved_history`;
  return row?.until ?? null;
}

/** Returns the archive location of an ended actor's steps; null if they are in the database or never existed. */
export async function archivedSteps(
  sql: Sql | Transaction,
  actorId: string,
): Promise<{ readonly file: string; readonly at: EpochMs } | null> {
  const [row] = await sql<{ file: string; at: EpochMs }[]>`
    select h.file, floor(extract(epoch from h.moved_at) * 1000)::bigint as at from moved_actors m join moved_history h on h.until_slot = m.until_slot
    where m.actor_id = ${actorId}`;
  return row ?? null;
}

/** Step as stored in an archive file. */
export interface ArchivedStep extends StoredStep {
  readonly from: Json;
  readonly cause: string | null;
}

/**
 * Reads all steps of an ended actor from its file, oldest first. @throws Error if they are not archived, or if the file differs from what
 * was archived
 */
export async function readArchivedSteps(sql: Sql, folder: string, actorId: string): Promise<readonly ArchivedStep[]> {
  const moved = await archivedSteps(sql, actorId);
  if (moved === null) throw new Error(`no step of actor ${actorId} was moved to an archive file`);
  const stretch = (await movedStretches(sql)).find(({ file }) => file === moved.file) as MovedStretch;
  const found: ArchivedStep[] = [];
  const fault = await readStretch(folder, stretch, (table, row) => {
    if (table !== 'steps' || !row.includes(actorId)) return;
    const { actor_id: id, from_value: from, to_value: to, ...step } = JSON.parse(row) as StepColumns;
    if (id === actorId) found.push({ ...step, from, to });
  });
  if (fault !== null) throw new Error(fault);
  return found.sort((a, b) => a.version - b.version);
}

interface StepColumns extends Omit<ArchivedStep, 'from' | 'to'> {
  readonly actor_id: string;
  readonly from_value: Json;
  readonly to_value: Json;
}

/**
 * Checks that history since `from` is in the database: missing rows would look like no events. @throws Error naming `what` if it is
 * archived
 */
export async function requireKept(sql: Sql | Transaction, from: EpochMs, what: string): Promise<void> {
  const before = await movedBefore(sql);
  if (before !== null && from < before)
    throw new Error(
      `${what} needs history from ${new Date(from).toISOString()}, and what was decided and observed before ${new Date(before).toISOString()} lies in archive files (sevengate archive list)`,
    );
}

interface MoveOptions {
  /** Connections that sign as the worker. */
  readonly sql: Sql;
  readonly folder: string;
  /** Days that ended by this time are moved. */
  readonly before: EpochMs;
  /** `always`, or `long`: only if it takes more than a second. */
  readonly recorded: 'always' | 'long';
  readonly onProgress?: (progress: WorkProgress) => void;
}

/** Runs `moveHistory` and records the progress. */
export function recordedMove(
  recorder: WorkRecorder,
  { sql, folder, before, recorded, onProgress }: MoveOptions,
): Promise<readonly MovedStretch[]> {
  return recorder.during(
    {
      kind: 'archive_move',
      subject: `history before ${isoTime(before)}`,
      source: 'the database',
      unit: 'stages of days',
      recorded,
      failureOf: () => null,
      thrownFailureOf: () => 'it failed for a reason that the log or the terminal tells; the next move goes on from there',
      ...(onProgress === undefined ? {} : { onProgress }),
    },
    (tell) => moveHistory(sql, folder, before, (done, total) => tell.progress(done, total)),
  );
}

/** Number of stages per day: writing, checking, deleting. */
const STAGES = 3;

/**
 * Moves every whole day that ended before `before`, one file at a time, and returns the moved periods. A day that was written but not
 * deleted is deleted first. The file is synced before its row is committed, and the row before anything is deleted. @param sql connections
 * that sign as the worker @param progress receives the number of finished and of all stages
 */
export async function moveHistory(
  sql: Sql,
  folder: string,
  before: EpochMs,
  progress: (done: number, total: number) => void = () => {},
): Promise<readonly MovedStretch[]> {
  const moved: MovedStretch[] = [];
  await forgetMoved(sql);
  const end = Math.floor(Math.min(before, await decidedTo(sql)) / DAY_MS);
  let begun: number | null = null;
  for (;;) {
    const from = (await movedBefore(sql)) ?? 0;
    const [oldest] = await sql<{ slot: EpochMs | null }[]>`select min(slot) as slot from cuts where slot >= ${from}`;
    const first = oldest?.slot ?? null;
    if (first === null) return moved;
    const day = Math.floor(first / DAY_MS);
    const until = (day + 1) * DAY_MS;
    if (day >= end) return moved;
    begun ??= day;
    const total = STAGES * (end - begun);
    const done = STAGES * (day - begun);
    progress(done, total);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Each process writes into a folder of its own. With the period's row the file moves to the others.
    const own = mkdtempSync(join(folder, `${fileName(until)}.`));
    try {
      const { stretch, leaving } = await writeStretch(sql, own, from, until);
      progress(done + 1, total);
      const fault = await readStretch(own, stretch);
      if (fault !== null) throw new Error(`nothing was moved: ${fault}`);
      progress(done + 2, total);
      await recordStretch(sql, folder, own, stretch, leaving);
      moved.push(stretch);
    } catch (error) {
      // Another process was faster: its file counts.
      if (((await movedBefore(sql)) ?? 0) === from) throw error;
    } finally {
      rmSync(own, { recursive: true, force: true });
    }
    await forgetMoved(sql);
    progress(done + STAGES, total);
  }
}

/**
 * Records a written period and moves its file to the others in one transaction. If another process has recorded the period, the database
 * refuses this one, and the file replaces none.
 */
async function recordStretch(sql: Sql, folder: string, own: string, stretch: MovedStretch, leaving: Leaving): Promise<void> {
  const { from, until, file } = stretch;
  await sql.begin(async (transaction) => {
    // Written before the period's row, after which nothing is added. One statement, so that one sum covers all of them.
    await transaction`
      insert into moved_actors (actor_id, until_slot) select id, ${until} from unnest(${leaving.actors as string[]}::uuid[]) as id`;
    await transaction`
      insert into moved_history (until_slot, from_slot, decisions, observations, cuts, inputs, steps, audit, audit_until, leaves, logged_until, file, sha256)
      values (${until}, ${from}, ${stretch.decisions}, ${stretch.observations}, ${stretch.cuts}, ${stretch.inputs}, ${stretch.steps},
        ${stretch.audit}, ${leaving.auditUntil}, ${stretch.leaves}, ${leaving.loggedUntil}, ${file}, ${stretch.sha256})`;
    renameSync(join(own, file), join(folder, file));
    await toDisk(folder);
  });
  // Folders of interrupted or slower processes.
  for (const name of readdirSync(folder)) if (name.startsWith(`${file}.`)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Moves history older than the given days and returns the number of moved periods. */
export async function moveOldHistory(recorder: WorkRecorder, sql: Sql, folder: string, days: number): Promise<number> {
  const [clock] = await sql<{ now: EpochMs }[]>`select gate_now() as now`;
  const before = Math.floor((clock?.now as EpochMs) / DAY_MS - days) * DAY_MS;
  return (await recordedMove(recorder, { sql, folder, before, recorded: 'long' })).length;
}

/** Returns the slot up to which all shards have decided. */
async function decidedTo(sql: Sql): Promise<EpochMs> {
  const [row] = await sql<{ slot: EpochMs | null }[]>`select min(last_slot) as slot from tick_shards`;
  return row?.slot ?? Number.POSITIVE_INFINITY;
}

async function forgetMoved(sql: Sql): Promise<void> {
  for (;;) {
    const [row] = await sql<{ count: number }[]>`
      select forget_moved_history(${FORGOTTEN_AT_ONCE}::int) + forget_moved_inputs(${FORGOTTEN_AT_ONCE}::int)
        + forget_moved_steps(${FORGOTTEN_AT_ONCE}::int) as count`;
    if ((row?.count ?? 0) === 0) break;
  }
  const [moved] = await sql<{ from: number }[]>`
    select coalesce((select logged_until from moved_history order by until_slot desc offset 1 limit 1), 0) as "from"`;
  for (let next: number | null = moved?.from ?? 0; next !== null; ) {
    const [row]: { next: number | null }[] = await sql`select forget_moved_leaves(${next}, ${LEAVES_AT_ONCE}::int) as next`;
    next = row?.next ?? null;
  }
}

/** Rows that move with a period besides those of its slots. */
interface Leaving {
  /** Ids of ended actors whose steps all move. */
  readonly actors: readonly string[];
  /** Slot of the first unmoved inputs: an earlier version moved decisions without them. */
  readonly inputsFrom: EpochMs;
  /** Rows of `audit` from the first unmoved number up to (exclusive) this one. */
  readonly auditFrom: number;
  readonly auditUntil: number;
  /** Log entries whose leaves move, from the first unmoved one up to (exclusive) this one. */
  readonly loggedFrom: number;
  readonly loggedUntil: number;
}

async function leavingBefore(sql: Sql, until: EpochMs): Promise<Leaving> {
  const actors = await sql<{ id: string }[]>`
    select a.id from actors a where a.status = 'done' and has_ended_before(a, ${until})
      and not exists (select 1 from moved_actors m where m.actor_id = a.id) order by a.id limit ${ENDED_OF_STRETCH}`;
  const [audit] = await sql<{ from: number; until: number }[]>`
    select moved as "from", greatest(moved, coalesce((select seq from audit where at >= least(to_timestamp(${until}::bigint / 1000.0), clock_timestamp() - interval '30 days')
      order by seq limit 1), (select max(seq) + 1 from audit), 0)) as until
    from (select coalesce(max(audit_until), 0) as moved from moved_history) m`;
  const [logged] = await sql<{ from: number; until: number }[]>`
    select moved as "from", coalesce((select l.index from trail_log l join trail_batches b on b.xid = l.xid
      where l.index >= moved and b.at >= least(${until}::bigint, record_clock_ms() - ${KEPT_DAYS * DAY_MS}::bigint) order by l.index limit 1),
      (select max(index) + 1 from trail_log), 0) as until
    from (select coalesce(max(logged_until), 0) as moved from moved_history) m`;
  const [inputs] = await sql<{ from: EpochMs }[]>`select inputs_moved_until() as "from"`;
  const { from: auditFrom, until: auditUntil } = audit as NonNullable<typeof audit>;
  const { from: loggedFrom, until: loggedUntil } = logged as NonNullable<typeof logged>;
  return { actors: actors.map(({ id }) => id), inputsFrom: inputs?.from as EpochMs, auditFrom, auditUntil, loggedFrom, loggedUntil };
}

async function writeStretch(
  sql: Sql,
  folder: string,
  from: EpochMs,
  until: EpochMs,
): Promise<{ readonly stretch: MovedStretch; readonly leaving: Leaving }> {
  const file = fileName(until);
  const counts = Object.fromEntries(MOVED_TABLES.map((table) => [table, 0])) as Record<MovedTable, number>;
  const leaving = await leavingBefore(sql, until);
  const hash = createHash('sha256');
  async function* lines(): AsyncGenerator<string> {
    for await (const { table, rows } of readRows(sql, from, until, leaving)) {
      const text = rows.map((row) => `{"${table}":${row}}\n`).join('');
      counts[table] += rows.length;
      hash.update(text);
      yield text;
    }
  }
  const path = join(folder, file);
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(path, { mode: 0o600 }));
  await toDisk(path);
  const { tick_inputs: inputs, trail_changes: leaves, ...rows } = counts;
  return { stretch: { from, until, ...rows, inputs, leaves, file, sha256: hash.digest('hex') }, leaving };
}

async function toDisk(path: string): Promise<void> {
  const handle = await open(path);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Reads the rows of a period as JSON in pages, without a transaction, because old rows do not change. */
async function* readRows(
  sql: Sql,
  from: EpochMs,
  until: EpochMs,
  leaving: Leaving,
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
  const inputs = sql<{ row: string }[]>`
    select to_jsonb(i)::text as row from tick_inputs i where slot >= ${leaving.inputsFrom} and slot < ${until} order by agent_id, slot`.cursor(
    PAGE_ROWS,
  );
  for await (const page of inputs) yield { table: 'tick_inputs', rows: page.map(({ row }) => row) };
  for (let next = 0; next < leaving.actors.length; next += ENDED_AT_ONCE) {
    const rows = await sql<{ row: string }[]>`
      select to_jsonb(s)::text as row from steps s where actor_id = any(${leaving.actors.slice(next, next + ENDED_AT_ONCE)}::uuid[]) order by actor_id, version`;
    yield { table: 'steps', rows: rows.map(({ row }) => row) };
  }
  for (let next = leaving.auditFrom; next < leaving.auditUntil; ) {
    const page: { seq: number; row: string }[] = await sql`
      select seq, to_jsonb(a)::text as row from audit a where seq >= ${next} and seq < ${leaving.auditUntil} order by seq limit ${PAGE_ROWS}`;
    yield { table: 'audit', rows: page.map(({ row }) => row) };
    next = page.length < PAGE_ROWS ? leaving.auditUntil : (page.at(-1) as { seq: number }).seq + 1;
  }
  const leaves = sql<{ row: string }[]>`
    select to_jsonb(c)::text as row from trail_log l join trail_changes c on c.xid = l.xid
    where l.index >= ${leaving.loggedFrom} and l.index < ${leaving.loggedUntil} order by l.index, c.seq`.cursor(PAGE_ROWS);
  for await (const page of leaves) yield { table: 'trail_changes', rows: page.map(({ row }) => row) };
}

/** Reads a period's file line by line. Returns its problem, or null if it holds exactly what was archived. */
export async function readStretch(
  folder: string,
  stretch: MovedStretch,
  receive: (table: MovedTable, row: string) => void | Promise<void> = () => {},
): Promise<string | null> {
  const path = join(folder, stretch.file);
  const hash = createHash('sha256');
  try {
    for await (const line of readLines(path)) {
      hash.update(`${line}\n`);
      const table = MOVED_TABLES.find((name) => line.startsWith(`{"${name}":`));
      if (table === undefined) return `${path} holds a line that is no row: ${line.slice(0, 80)}`;
      await receive(table, line.slice(table.length + 4, -1));
    }
  } catch (error) {
    return `${path} cannot be read: ${whyNotRead(error)}`;
  }
  const sha256 = hash.digest('hex');
  return sha256 === stretch.sha256 ? null : `${path} hashes to ${sha256}, the file that was written to ${stretch.sha256}`;
}

/** Reads the lines of a packed file; `readline` would not report a missing or truncated file. */
async function* readLines(path: string): AsyncGenerator<string> {
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

const fileName = (until: EpochMs): string => `history-${new Date(until - DAY_MS).toISOString().slice(0, 10)}.ndjson.gz`;
