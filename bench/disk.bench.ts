/**
 * Disk use of trading agents: bytes of each table per agent and minute, with indexes and TOAST, on a service whose agents buy in one slot
 * and sell in the next. The growth without agents, market data, is measured first and subtracted.
 * `--organizations 2 --agents 50 --slots 4`
 */
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openDatabase, type Sql } from '../src/adapters/store/database.ts';
import { type OwnDatabase, withDatabase } from './database.ts';
import { keepFigures } from './measured.ts';
import { openService } from './role-processes.ts';
import { makeTraders } from './traders.ts';

const SLOT_MS = 60_000;
/** Part of a slot after which its work is written. */
const SETTLED_MS = 40_000;
const SHOWN = 12;
const { values: given } = parseArgs({
  options: {
    organizations: { type: 'string', default: '2' },
    agents: { type: 'string', default: '50' },
    slots: { type: 'string', default: '4' },
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
  const tables = [...all]
    .map(([table, bytes]) => ({ table, bytes: (bytes - ((market.get(table) ?? 0) * slots) / quiet) / minutes }))
    .filter(({ bytes }) => bytes > 0)
    .sort((a, b) => b.bytes - a.bytes);
  const total = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  const [fills] = await sql<{ count: number }[]>`select count(*)::int as count from fills`;
  const write = (bytes: number): string => `${(bytes / 1_000).toFixed(2)} kB`;
  const figures = [
    {
      what: `all tables, ${organizations * agents} agents, ${slots} minutes, ${fills?.count} fills`,
      value: write(total),
      spread: '',
      goal: '≤ 5 kB',
    },
    ...tables.slice(0, SHOWN).map(({ table, bytes }) => ({ what: table, value: write(bytes), spread: '', goal: '' })),
    { what: 'the others', value: write(tables.slice(SHOWN).reduce((sum, { bytes }) => sum + bytes, 0)), spread: '', goal: '' },
    {
      what: 'the market, whoever trades, in the first minutes of a service: a minute',
      value: write([...market.values()].reduce((sum, bytes) => sum + bytes, 0) / quiet),
      spread: '',
      goal: '',
    },
  ];
  for (const { what, value } of figures) process.stdout.write(`${what}: ${value}\n`);
  keepFigures('Disk of a trading agent and minute, by table', figures);
}

/** Waits until so many slots have passed and their work is written. */
async function afterSlots(count: number): Promise<void> {
  const slot = Math.floor((Date.now() - SETTLED_MS) / SLOT_MS) + count;
  await pause(slot * SLOT_MS + SETTLED_MS - Date.now());
}

/** Measures the bytes that each table grows over some slots. */
async function growth(sql: Sql, over: number): Promise<ReadonlyMap<string, number>> {
  const before = await sizes(sql);
  await afterSlots(over);
  return new Map([...(await sizes(sql))].map(([table, bytes]) => [table, bytes - (before.get(table) ?? 0)]));
}

async function sizes(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<{ table: string; bytes: number }[]>`
    select c.relname as table, pg_total_relation_size(c.oid)::bigint as bytes from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind = 'r'`;
  return new Map(rows.map(({ table, bytes }) => [table, bytes]));
}
