// `sandbox advance` is killed with -9 three times and continued: nothing is duplicated, and every gap is named.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { chainsHold } from '../invariants/chains-hold.ts';
import { waitFor } from '../harness/wait-for.ts';
import { databaseUrlIn, launch, newHome, type Service, sevengate, startService } from './running-service.ts';
import { tradingAgents } from './trading-agents.ts';

const MINUTE = 60_000;
/** Longest time that decisions wait for their commit, in simulated milliseconds. */
const UNKEPT_MS = 20 * MINUTE;
/** Simulated minutes after which each stretch is killed: within a committed hour, at its end, and long after it. */
const KILLED_AFTER = [35, 61, 150];
const STRETCH_MS = 600_000;

const home = newHome();
let service: Service;
beforeAll(async () => {
  service = await startService({ home });
  await tradingAgents(service, 'busy', 2);
  await service.stop();
}, STRETCH_MS);
afterAll(async () => service.discard());

/** Returns the last recorded cut, or null while the database does not answer. */
async function lastCut(): Promise<number | null> {
  let sql: Sql | null = null;
  try {
    sql = openDatabase({ url: databaseUrlIn(home), role: null, connections: 1, name: 'killed stretch' });
    const [row] = await sql<{ slot: number | null }[]>`select max(slot)::float8 as slot from cuts`;
    return row?.slot ?? 0;
  } catch {
    // Not started yet, or the address belongs to a killed stretch's database.
    return null;
  } finally {
    await sql?.end({ timeout: 2 });
  }
}

/** Starts a stretch. A killed one holds its lease until it expires: retries until the new one may run. */
async function begunStretch(days: string): Promise<ReturnType<typeof launch>> {
  const before = (await lastCut()) ?? 0;
  for (;;) {
    const stretch = launch({ home, command: 'sandbox', args: ['advance', '--days', days, '--json'] });
    const lives = waitFor(async () => ((await lastCut()) ?? 0) > before, { what: 'its first cut', deadlineMs: STRETCH_MS });
    const ended = await Promise.race([lives.then(() => null), stretch.exited()]);
    if (ended === null) return stretch;
    lives.catch(() => {});
    expect(stretch.stderr()).toContain('a service runs on this database');
  }
}

/** Starts a stretch of a day and kills it after so many recorded minutes. Returns its last cut. */
async function killedStretch(minutes: number): Promise<number> {
  const stretch = await begunStretch('1');
  const began = (await lastCut()) as number;
  const cut = await waitFor(
    async () => {
      const last = await lastCut();
      return last !== null && last >= began + minutes * MINUTE ? last : null;
    },
    { what: `${minutes} minutes of the stretch`, deadlineMs: STRETCH_MS },
  );
  process.kill(stretch.pid, 'SIGKILL');
  await stretch.exited();
  return cut;
}

test('a stretch killed three times leaves out no slot and repeats none, and names what it lost', async () => {
  const kills: number[] = [];
  for (const minutes of KILLED_AFTER) kills.push(await killedStretch(minutes));
  const stretch = await begunStretch('0.1');
  expect((await stretch.exited()).code, stretch.stderr()).toBe(0);
  service = await startService({ home });
  const sql = service.database();
  try {
    const last = Date.parse(JSON.parse(stretch.stdout()).to);
    const cuts = await sql<{ slot: number }[]>`select slot::float8 as slot from cuts where slot <= ${last} order by slot`;
    expect(cuts.filter(({ slot }, n) => n > 0 && slot <= (cuts[n - 1]?.slot as number))).toEqual([]);
    const agents = await sql<
      { id: string; tick_from: number }[]
    >`select id, tick_from::float8 as tick_from from actors where kind = 'agent'`;
    expect(agents.length).toBeGreaterThan(4);
    let lost = 0;
    for (const { id, tick_from } of agents) {
      const rows = await sql<{ slot: number; reason: string | null }[]>`
        select slot::float8 as slot, reason from decisions where agent_id = ${id} and slot <= ${last} order by slot`;
      const first = Math.ceil(tick_from / MINUTE) * MINUTE;
      // Every slot once, from the first to the last.
      expect(rows.map(({ slot }) => slot)).toEqual(Array.from({ length: (last - first) / MINUTE + 1 }, (_, n) => first + n * MINUTE));
      // Gaps are named and are around a kill: uncommitted decisions, or time that passed before the next stretch.
      const late = rows.filter(({ slot, reason }) => reason === 'late_tick' && slot > (kills[0] as number) - UNKEPT_MS);
      for (const { slot } of late)
        expect(
          kills.some((cut) => Math.abs(slot - cut) <= UNKEPT_MS),
          new Date(slot).toISOString(),
        ).toBe(true);
      lost += late.length;
    }
    console.log(`${lost} decisions of ${agents.length} agents are named as late after ${kills.length} kills`);
    // Each order ended once, with exactly its fills.
    const orders = await sql<{ id: string; state: string; filled: string; booked: string; fills: number }[]>`
      select p.id, p.state, p.filled_quantity::text as filled, coalesce(sum(f.quantity), 0)::text as booked, count(f.id)::int as fills
      from proposals p left join fills f on f.order_id = p.order_body ->> 'id' where p.slot < ${last} group by p.id`;
    expect(orders.filter(({ state }) => state === 'filled').length).toBeGreaterThan(100);
    expect(orders.filter(({ filled, booked }) => Number(filled) !== Number(booked))).toEqual([]);
    expect(orders.filter(({ state, fills }) => (state === 'filled') !== (fills === 1))).toEqual([]);
    expect(await sql`select 1 from activities where state = 'given_up'`).toEqual([]);
    expect((await chainsHold(sql)).broken).toEqual([]);
  } finally {
    await sql.end({ timeout: 2 });
  }
  const verified = await sevengate(['verify-trail', '--json'], { SEVENGATE_HOME: home });
  expect(JSON.parse(verified.stdout), verified.stderr).toMatchObject({ whole: true, breaks: [] });
});
