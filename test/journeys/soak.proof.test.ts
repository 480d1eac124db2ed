// An hour of a thousand trading agents with clients coming and going: memory, handles, tables and indexes stay flat,
// every agent decides every slot once, and no client misses a decision. `SOAK_AGENTS` and `SOAK_MINUTES` change the size.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { commandLine } from '../../src/adapters/process/server-process.ts';
import type { Sql } from '../../src/adapters/store/database.ts';
import { AGENT_TICK_MS } from '../../src/domain/values/time.ts';
import { chainsHold } from '../invariants/chains-hold.ts';
import { oneDecisionPerSlot } from '../invariants/one-decision-per-slot.ts';
import { type FeedSocket, openSocket } from './feed-clients.ts';
import { nextSlot, type Service, startService } from './running-service.ts';
import { tradingAgents } from './trading-agents.ts';

const AGENTS = Number(process.env['SOAK_AGENTS'] ?? 1_000);
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 60);
/** Concurrent clients, each connected for so many seconds. */
const CLIENTS = 12;
const CLIENT_STAYS_S = 100;
/** Share of the time for caches to fill and the heap to settle. */
const WARM_UP_SHARE = 1 / 4;
/** Size below which a table is a few pages, filled or not. */
const SMALL_TABLE_BYTES = 1_000_000;

interface Sample {
  readonly minute: number;
  /** Memory of the service, of its database connections and of other children, in bytes, without shared memory. */
  readonly serviceBytes: number;
  readonly databaseBytes: number;
  /** Open files and sockets of the service. A database connection's handles depend on the tables it has seen. */
  readonly handles: number;
  readonly connections: number;
  /** Bytes and live rows of each table, indexes included. */
  readonly tables: ReadonlyMap<string, { readonly bytes: number; readonly rows: number }>;
  readonly executions: number;
}

let service: Service | undefined;
afterAll(() => service?.discard());

test(`${AGENTS} agents trade for ${MINUTES} minutes: nothing grows but records, nothing is late, lost or duplicated`, async () => {
  service = await startService({ env: { LOG_LEVEL: 'warn' } });
  const sql = service.database();
  const ids = await tradingAgents(service, 'Soak', AGENTS);
  const began = nextSlot(5_000);
  const clients = comingAndGoing(service);
  const samples: Sample[] = [];
  for (let minute = 0; minute <= MINUTES; minute++) {
    // In the middle of a slot, after its work is done.
    await pause(Math.max(0, began + minute * AGENT_TICK_MS + 45_000 - Date.now()));
    samples.push(await sample(service.pid, sql, minute));
    report(samples.at(-1) as Sample);
  }
  const { received, opened } = await clients.end();

  const through = began + (MINUTES - 1) * AGENT_TICK_MS;
  expect(await oneDecisionPerSlot(sql, { through })).toEqual([]);
  expect((await chainsHold(sql)).broken).toEqual([]);
  expect(await sql`select kind, detail from incidents`).toEqual([]);
  const [late] = await sql<{ late: number }[]>`
    select count(*)::int as late from decisions where slot between ${began} and ${through} and reason = 'late_tick'`;
  expect(late?.late, 'decisions that came too late').toBe(0);
  const [decided] = await sql<{ decisions: number }[]>`
    select count(*)::int as decisions from decisions where slot between ${began} and ${through} and agent_id in ${sql(ids)}`;
  expect(decided?.decisions).toBe(AGENTS * MINUTES);
  // Each agent buys and sells: an execution in nearly every slot.
  expect((samples.at(-1) as Sample).executions).toBeGreaterThan(0.8 * AGENTS * MINUTES);
  expect(opened).toBeGreaterThanOrEqual(CLIENTS);
  expect(received, 'decisions that clients received').toBeGreaterThan(0);
  expect(growing(samples)).toEqual([]);
  await sql.end();
}, 7_200_000);

/** Runs clients that come and go every few seconds. Each must receive all decisions of its stay, in order. */
function comingAndGoing({ url, token }: Service): { end(): Promise<{ received: number; opened: number }> } {
  const there: FeedSocket[] = [];
  let [received, opened, over] = [0, 0, false];
  const leave = async (socket: FeedSocket): Promise<void> => {
    const told = socket.updates('decisions').map(({ seq }) => seq as number);
    expect(told).toEqual(told.map((_, index) => (told[0] as number) + index));
    received += told.length;
    await socket.close();
  };
  const turning = (async () => {
    while (!over) {
      const socket = await openSocket(url, token('operator'));
      opened++;
      for (const [id, channel] of ['decisions', 'agents', 'alerts'].entries()) socket.send({ op: 'subscribe', id, channel });
      socket.send({ op: 'subscribe', id: 9, channel: 'quotes', params: { instruments: ['spotexchange:BTCUSDT'] } });
      there.push(socket);
      if (there.length > CLIENTS) await leave(there.shift() as FeedSocket);
      await pause((CLIENT_STAYS_S * 1_000) / CLIENTS);
    }
    for (const socket of there) await leave(socket);
  })();
  // A client that cannot connect fails the test at its end.
  turning.catch(() => {});
  return {
    async end() {
      over = true;
      await turning;
      return { received, opened };
    },
  };
}

async function sample(pid: number, sql: Sql, minute: number): Promise<Sample> {
  const connections = processesBelow(pid).filter((one) => commandLine(one)?.startsWith('postgres: '));
  const tables = await sql<{ name: string; bytes: string; rows: string }[]>`
    select relname as name, pg_total_relation_size(relid)::text as bytes, n_live_tup::text as rows from pg_stat_user_tables`;
  const [done] = await sql<{ executions: number }[]>`select count(*)::int as executions from proposals where state = 'filled'`;
  return {
    minute,
    serviceBytes: ownBytes(pid),
    databaseBytes: connections.reduce((sum, one) => sum + ownBytes(one), 0),
    handles: readdirSync(`/proc/${pid}/fd`).length,
    connections: connections.length,
    tables: new Map(tables.map(({ name, bytes, rows }) => [name, { bytes: Number(bytes), rows: Number(rows) }])),
    executions: done?.executions ?? 0,
  };
}

function processesBelow(root: number): number[] {
  const parentOf = new Map<number, number>();
  for (const name of readdirSync('/proc').filter((one) => /^\d+$/.test(one))) {
    try {
      parentOf.set(Number(name), Number(readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1]));
    } catch {
      // The process has ended meanwhile.
    }
  }
  const below = (pid: number): boolean => pid === root || (parentOf.has(pid) && below(parentOf.get(pid) as number));
  return [...parentOf.keys()].filter(below);
}

/** Returns the private memory of a process: PostgreSQL's processes share one pool. */
function ownBytes(pid: number): number {
  try {
    return Number(/^Pss_Anon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1] ?? 0) * 1_024;
  } catch {
    return 0;
  }
}

function report({ minute, serviceBytes, databaseBytes, handles, connections, tables, executions }: Sample): void {
  const bytes = [...tables.values()].reduce((sum, one) => sum + one.bytes, 0);
  process.stdout.write(
    `minute ${minute}: service ${mega(serviceBytes)} MB and ${handles} handles, database ${mega(databaseBytes)} MB in ${connections} processes, tables ${mega(bytes)} MB, ${executions} executions\n`,
  );
}

const mega = (bytes: number): number => Math.round(bytes / 1_000_000);

/** Returns what grew after the warm-up other than records of events, one sentence each. */
function growing(samples: readonly Sample[]): string[] {
  const settled = samples.filter(({ minute }) => minute >= MINUTES * WARM_UP_SHARE);
  const middle = Math.floor(settled.length / 2);
  const [early, late] = [settled.slice(0, middle), settled.slice(middle)];
  const said: string[] = [];
  const flat = (what: string, of: (one: Sample) => number, factor: number, least: number): void => {
    const [before, after] = [median(early.map(of)), median(late.map(of))];
    if (after > before * factor + least) said.push(`${what}: ${before} before, ${after} after`);
  };
  flat('memory of the service', ({ serviceBytes }) => serviceBytes, 1.1, 20_000_000);
  flat('memory of the database', ({ databaseBytes }) => databaseBytes, 1.1, 20_000_000);
  flat('handles', ({ handles }) => handles, 1.05, 4);
  flat('connections of the database', ({ connections }) => connections, 1, 2);
  const names = [...(settled.at(-1) as Sample).tables.keys()];
  for (const name of names) {
    const at = (one: Sample) => one.tables.get(name) ?? { bytes: 0, rows: 0 };
    const [first, last] = [at(settled[0] as Sample), at(settled.at(-1) as Sample)];
    // A record grows by rows, not by bytes per row; with the same number of rows it has the same size.
    const grown = last.rows > first.rows * 1.05 + 50;
    if (!grown) flat(`bytes of ${name}`, (one) => at(one).bytes, 1.2, 1_000_000);
    else if (last.bytes > SMALL_TABLE_BYTES) flat(`bytes per row of ${name}`, (one) => at(one).bytes / Math.max(1, at(one).rows), 1.15, 50);
  }
  return said;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
}
