/**
 * Disk use of trading agents: bytes of each table and of its indexes per agent and minute, on a service whose agents buy in one slot and
 * sell in the next. Tables of received data do not count; what others grow without agents is measured first and subtracted. Of tables the
 * rows count, in pages that they do not cross, and of indexes all pages after a vacuum: the room of replaced versions of rows is taken
 * again, so it is no growth.
 * `--organizations 2 --agents 50 --slots 10`
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Fragment, openDatabase, type Sql } from '../src/adapters/store/database.ts';
import { WRITERS_OF_TABLE } from '../src/adapters/store/trail/table-writers.ts';
import { MOVED_TABLES } from '../src/adapters/store/trail/history-archive.ts';
import { type OwnDatabase, withDatabase } from './database.ts';
import { keepFigures } from './measured.ts';
import { openService } from './role-processes.ts';
import { makeTraders } from './traders.ts';

const SLOT_MS = 60_000;
/** Part of a slot after which its work is written. */
const SETTLED_MS = 40_000;
const SHOWN = 12;
/** Rows that are deleted after some days. */
const DELETED = ['announcements', 'activities'];
/** Part of `actors` that an archived proposal leaves behind. */
const CONTEXTS = 'contexts_of_proposals';
/** Rows, and parts of rows, that move to archive files with `TRAIL_HISTORY_DAYS`. */
const MOVED = new Set<string>([...MOVED_TABLES, 'decision_rows', CONTEXTS]);
const { values: given } = parseArgs({
  options: {
    organizations: { type: 'string', default: '2' },
    agents: { type: 'string', default: '50' },
    slots: { type: 'string', default: '10' },
    quiet: { type: 'string', default: '3' },
  },
});
const [organizations, agents, slots, quiet] = [given.organizations, given.agents, given.slots, given.quiet].map(Number) as [
  number,
  number,
  number,
  number,
];

await withDatabase(measure, { max_connections: '200' });

async function measure(own: OwnDatabase): Promise<void> {
  const service = await openService(own);
  for (const role of ['sandbox', 'feed', 'worker'] as const) await service.start(role);
  const { port } = await service.start('api');
  const sql = openDatabase({ url: own.server.url, role: null, name: 'bench', connections: 1 });
  own.ends.push(() => sql.end());
  await afterSlots(2);
  const market = await growth(sql, quiet);
  await Promise.all(Array.from({ length: organizations }, (_, index) => makeTraders(service, `http://127.0.0.1:${port}`, index, agents)));
  // The first slots create one-time data: books, accounts, statement plans.
  await afterSlots(2);
  const all = await growth(sql, slots);
  const minutes = organizations * agents * slots;
  const parts = [...all].map(([part, bytes]) => ({ part, bytes: (bytes - ((market.get(part) ?? 0) * slots) / quiet) / minutes }));
  const bytesOf = (wanted: (table: string, isIndex: boolean) => boolean): number =>
    parts.reduce((sum, { part, bytes }) => {
      const [table, index] = part.split(' ') as [string, string?];
      return wanted(table, index !== undefined) ? sum + bytes : sum;
    }, 0);
  const tables = [...new Set(parts.map(({ part }) => part.split(' ')[0] as string))]
    .filter((table) => !isReceived(table))
    .map((table) => ({
      table,
      bytes: bytesOf((name) => name === table),
      indexes: bytesOf((name, isIndex) => name === table && isIndex),
      fate: DELETED.includes(table) ? 'deleted' : MOVED.has(table) ? 'archived' : 'kept',
    }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);
  const total = (fates: readonly string[]): number =>
    tables.reduce((sum, { bytes, fate }) => (fates.includes(fate) ? sum + bytes : sum), 0);
  const [fills] = await sql<{ count: number }[]>`select count(*)::int as count from fills`;
  const write = (bytes: number): string => `${(bytes / 1_000).toFixed(2)} kB`;
  const figures = [
    {
      what: `kept for ever beside archive files, ${organizations * agents} agents, ${slots} minutes, ${fills?.count} fills`,
      value: write(total(['kept'])),
      spread: '',
      goal: '≤ 5 kB',
    },
    { what: 'kept for ever without archive files', value: write(total(['kept', 'archived'])), spread: '', goal: '' },
    { what: 'deleted after some days', value: write(total(['deleted'])), spread: '', goal: '' },
    ...tables.slice(0, SHOWN).map(({ table, bytes, indexes, fate }) => ({
      what: `${table} (${fate})`,
      value: write(bytes),
      spread: `of which indexes ${write(indexes)}`,
      goal: '',
    })),
    { what: 'the others', value: write(tables.slice(SHOWN).reduce((sum, { bytes }) => sum + bytes, 0)), spread: '', goal: '' },
    {
      what: 'the market, whoever trades, in the first minutes of a service: a minute',
      value: write([...market.values()].reduce((sum, bytes) => sum + bytes, 0) / quiet),
      spread: '',
      goal: '',
    },
  ];
  for (const { what, value, spread } of figures) process.stdout.write(`${what}: ${value}${spread && `, ${spread}`}\n`);
  for (const { part, bytes } of parts.filter(({ bytes: each }) => each > 1).sort((x, y) => y.bytes - x.bytes))
    process.stdout.write(`  ${part}: ${Math.round(bytes)} bytes\n`);
  keepFigures('Disk of a trading agent and minute, by table', figures);
}

/** Returns true for a table of received data, which grows with the market alone. No request or order writes it. */
function isReceived(table: string): boolean {
  const writers = WRITERS_OF_TABLE[table] ?? [];
  return writers.includes('feed') && !writers.includes('api');
}

/** Waits until so many slots have passed and their work is written. */
async function afterSlots(count: number): Promise<void> {
  const slot = Math.floor((Date.now() - SETTLED_MS) / SLOT_MS) + count;
  await pause(slot * SLOT_MS + SETTLED_MS - Date.now());
}

/** Measures the bytes that each table and index grows over some slots. An index is named after its table. */
async function growth(sql: Sql, over: number): Promise<ReadonlyMap<string, number>> {
  const before = await sizes(sql);
  await afterSlots(over);
  return new Map([...(await sizes(sql))].map(([table, bytes]) => [table, bytes - (before.get(table) ?? 0)]));
}

/** Returns the bytes of pages that a row of so many bytes takes. */
function paged(sql: Sql, bytes: Fragment): Fragment {
  return sql`8192.0 / greatest(8168 / ((${bytes} + 7) / 8 * 8 + 4), 1)`;
}

async function sizes(sql: Sql): Promise<ReadonlyMap<string, number>> {
  await sql`vacuum`;
  const sizes = new Map<string, number>();
  const tables = await sql<{ name: string; toast: number; indexes: Record<string, number> }[]>`
    select t.relname as name, coalesce(pg_relation_size(nullif(t.reltoastrelid, 0)), 0)::bigint as toast,
      (select coalesce(jsonb_object_agg(c.relname, pg_relation_size(c.oid)), '{}') from pg_index i join pg_class c on c.oid = i.indexrelid where i.indrelid = t.oid) as indexes
    from pg_class t where t.relnamespace = 'public'::regnamespace and t.relkind = 'r'`;
  for (const { name, toast, indexes } of tables) {
    for (const [index, bytes] of Object.entries(indexes)) sizes.set(`${name} ${index}`, bytes);
    const [rows] = await sql<{ bytes: number }[]>`
      select coalesce(sum(${paged(sql, sql`pg_column_size(t.*)`)}), 0)::float8 as bytes from ${sql(name)} t`;
    sizes.set(name, toast + (rows?.bytes ?? 0));
  }
  const [contexts] = await sql<{ bytes: number }[]>`
    select coalesce(sum(${paged(sql, sql`pg_column_size(a.*)`)}
      - ${paged(sql, sql`(pg_column_size(a.*) - pg_column_size(snapshot) + pg_column_size(without_context(snapshot)))`)}), 0)::float8 as bytes
    from actors a where kind = 'proposal' and status = 'done'`;
  const moving = contexts?.bytes ?? 0;
  return sizes.set(CONTEXTS, moving).set('actors', (sizes.get('actors') as number) - moving);
}
