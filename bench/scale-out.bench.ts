/**
 * Scaling of trading with workers: one PostgreSQL, one Redis, a sandbox, a feed, an API and N workers as separate processes, and agents
 * of several organizations that buy and sell in every slot. Prints for each number of workers the decisions and fills per slot, commits
 * and processor time per fill, and the server's waits. On any machine, compare PostgreSQL's processor time per fill with
 * many workers and with one. The rate needs a core for each process. `node --import tsx bench/scale-out.bench.ts [--organizations 4]
 * [--agents 150] [--workers 1,8,1,8] [--slots 2]`
 */
import { cpus } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openDatabase, type Sql } from '../src/adapters/store/database.ts';
import { type OwnDatabase, withDatabase } from './database.ts';
import { openService, type RoleProcess } from './role-processes.ts';
import { processSeconds, serverMicroseconds } from './server-cost.ts';
import { makeTraders } from './traders.ts';

const SLOT_MS = 60_000;
/** Milliseconds at the end of a slot that are not measured, so that a measurement ends before the next slot. */
const MARGIN_MS = 3_000;
/** Number of statements that are shown. */
const STATEMENTS = 30;
const { values: given } = parseArgs({
  options: {
    organizations: { type: 'string', default: '4' },
    agents: { type: 'string', default: '150' },
    workers: { type: 'string', default: '1,8,1,8' },
    slots: { type: 'string', default: '2' },
  },
});
const [organizations, agents, slots] = [given.organizations, given.agents, given.slots].map(Number) as [number, number, number];
const steps = given.workers.split(',').map(Number);

await withDatabase(measure, {
  max_connections: '600',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'top',
  'pg_stat_statements.track_planning': 'on',
});

async function measure(own: OwnDatabase): Promise<void> {
  const say = (line: string): void => void process.stdout.write(`${line}\n`);
  say(`${cpus().length} processors, ${cpus()[0]?.model}; ${organizations} organizations with ${agents} agents each`);
  const service = await openService(own);
  for (const role of ['sandbox', 'feed'] as const) await service.start(role);
  const { port } = await service.start('api');
  await Promise.all(Array.from({ length: organizations }, (_, index) => makeTraders(service, `http://127.0.0.1:${port}`, index, agents)));
  const sql = openDatabase({ url: own.server.url, role: null, name: 'bench', connections: 2 });
  own.ends.push(() => sql.end());
  await sql`create extension if not exists pg_stat_statements`;
  const workers: RoleProcess[] = [];
  for (const count of steps) {
    while (workers.length < count) workers.push(await service.start('worker'));
    while (workers.length > count) await (workers.pop() as RoleProcess).stop();
    await step(own, sql, workers, say);
  }
}

/** Measures some slots with the present workers. */
async function step({ server }: OwnDatabase, sql: Sql, workers: readonly RoleProcess[], say: (line: string) => void): Promise<void> {
  const from = Math.ceil(Date.now() / SLOT_MS) * SLOT_MS;
  await pause(from - MARGIN_MS / 2 - Date.now());
  const totals = async () => {
    const [row] = await sql<
      { commits: number }[]
    >`select xact_commit::int as commits from pg_stat_database where datname = current_database()`;
    const ofWorkers = workers.reduce((sum, { pid }) => sum + processSeconds(pid), 0);
    return { commits: row?.commits ?? 0, server: (serverMicroseconds(server.pid) ?? Number.NaN) / 1e6, workers: ofWorkers };
  };
  await sql`select pg_stat_statements_reset()`;
  const before = await totals();
  const waits = await waitsUntil(sql, from + slots * SLOT_MS - MARGIN_MS);
  const after = await totals();
  const fills = await sql<{ slot: number; fills: number; first: number; last: number }[]>`
    select at / ${SLOT_MS} as slot, count(*)::int as fills, (min(at) % ${SLOT_MS})::int as first, (max(at) % ${SLOT_MS})::int as last
    from fills where at >= ${from} group by 1 order by 1`;
  const total = fills.reduce((sum, row) => sum + row.fills, 0);
  const each = (what: 'commits' | 'server' | 'workers') => (after[what] - before[what]) / total;
  say(
    `${workers.length} workers: ${total} fills; for a fill ${(each('server') * 1_000).toFixed(1)} ms of PostgreSQL, ${(each('workers') * 1_000).toFixed(1)} ms of workers, ${each('commits').toFixed(1)} commits`,
  );
  for (const { slot, fills: count, first, last } of fills)
    say(`  slot ${new Date(slot * SLOT_MS).toISOString().slice(11, 16)}: ${count} fills, ${first} to ${last} ms after it began`);
  say(`  active backends by what they wait for, samples: ${waits}`);
  await sayStatements(sql, total, say);
}

/** Says which statements took the longest, for a fill. */
async function sayStatements(sql: Sql, fills: number, say: (line: string) => void): Promise<void> {
  const rows = await sql<{ statement: string; calls: number; ms: number; all: number }[]>`
    select left(regexp_replace(query, '\\s+', ' ', 'g'), 110) as statement, calls::float8 as calls, (total_exec_time + total_plan_time)::float8 as ms,
      (sum(total_exec_time + total_plan_time) over ())::float8 as all
    from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database()) order by ms desc limit ${STATEMENTS}`;
  say(`  all statements together: ${((rows[0]?.all ?? 0) / fills).toFixed(2)} ms for a fill`);
  for (const { statement, calls, ms } of rows)
    say(
      `  ${(ms / fills).toFixed(3)} ms, ${(calls / fills).toFixed(3)} calls for a fill, ${(ms / calls).toFixed(3)} ms each: ${statement}`,
    );
}

/** Samples the wait events of the server's active sessions until a time. */
async function waitsUntil(sql: Sql, end: number): Promise<string> {
  const seen = new Map<string, number>();
  while (Date.now() < end) {
    const rows = await sql<{ wait: string; count: number }[]>`
      select coalesce(wait_event_type || ':' || wait_event, 'none') as wait, count(*)::int as count from pg_stat_activity
      where datname = current_database() and state = 'active' and pid <> pg_backend_pid() group by 1`;
    for (const { wait, count } of rows) seen.set(wait, (seen.get(wait) ?? 0) + count);
    await pause(50);
  }
  return [...seen]
    .sort(([, a], [, b]) => b - a)
    .slice(0, 6)
    .map(([wait, count]) => `${wait} ${count}`)
    .join(', ');
}
