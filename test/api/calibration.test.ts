// Expected and realized costs of an agent from the rows of its orders, by the route and the drift alert. The expected
// cost is recomputed here by taking the order from a constant-product pool.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { filledAgents, tellDrift } from '../../src/adapters/store/gates/calibration-store.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, THEIRS } from './api-under-test.ts';

const MINUTE = 60_000;
const BEGAN = Date.UTC(2026, 2, 2, 9);
const INSTRUMENT = 'spotchain:AAPLx';
const PRICE = 200;

let api: ApiUnderTest;
let reader: string;
let agentId: string;
beforeAll(async () => {
  api = await apiUnderTest();
  reader = await api.token(['agent:read']);
  agentId = await createdAgent(api, await api.token(['agent:read', 'trade:execute']));
});
afterAll(() => api.close());

interface Filled {
  readonly side: 'buy' | 'sell';
  readonly quantity: number;
  /** US dollars of both sides of the pool in the decision's cut, or null without a cut. */
  readonly poolUsd: number | null;
  /** Cost of the fill beyond the price of its decision, in basis points. */
  readonly costBps: number;
  readonly mode?: 'paper' | 'live';
  readonly version?: number;
}

/** Trades tokens with the pool. Returns the distance of the average price from the first one, in basis points. */
function throughPool({ side, quantity, poolUsd }: Filled): number {
  const dollars = (poolUsd as number) / 2;
  const tokens = dollars / PRICE;
  const after = (dollars * tokens) / (side === 'buy' ? tokens - quantity : tokens + quantity);
  return Math.abs(Math.abs(after - dollars) / quantity / PRICE - 1) * 10_000;
}

let written = 0;
/** Writes fills as the service leaves them, without triggers, each with its order and the cut of its decision. */
async function fill(fills: readonly Filled[]): Promise<void> {
  await api.owner.begin(async (sql) => {
    for (const table of ['actors', 'proposals', 'books', 'fills', 'cuts', 'observations'])
      await sql`alter table ${sql(table)} disable trigger all`;
    for (const { side, quantity, poolUsd, costBps, mode = 'paper', version = 1 } of fills) {
      const slot = BEGAN + ++written * MINUTE;
      const book = mode === 'paper' ? `agent:${agentId}:paper:${version}` : `agent:${agentId}:live`;
      const id = `00000000-0000-7000-b000-${String(written).padStart(12, '0')}`;
      await sql`
        insert into books (id, org_id, agent_id, mode, manifest_version, capital_usd, cash_usd, opened_at, changed_at)
        select ${book}, org_id, id, ${mode}, ${mode === 'paper' ? version : null}, 1000, 1000, 0, ${slot} from agents where id = ${agentId}
        on conflict (id) do update set changed_at = excluded.changed_at`;
      await sql`insert into actors (id, org_id, kind, machine, version, snapshot, status) select ${id}, org_id, 'proposal', 'proposal@1', 1, '{}', 'done' from agents where id = ${agentId}`;
      await sql`
        insert into proposals (id, org_id, agent_id, decision_id, slot, side, manifest_version, manifest_hash, autonomy, epoch, mode, book_id, instrument,
          order_body, notional_usd, decision_price, reads_reference, risk, state, filled_quantity, execution, created_at, expires_at, changed_at)
        select ${id}, org_id, id, null, ${slot}, ${side === 'buy' ? 'entry' : 'exit'}, ${version}, manifest_hash, 'confirm', 0, ${mode}, ${book}, ${INSTRUMENT},
          ${sql.json({ side })}, ${quantity * PRICE}, ${PRICE}, false, '{}', 'filled', ${quantity}, ${sql.json({ algorithm: 'taker_immediate' })}, 0, 0, 0
        from agents where id = ${agentId}`;
      await sql`
        insert into fills (id, order_id, book_id, instrument, side, quantity, fill_price, fee_usd, notional_usd, decision_price, slippage_bps, at, quotes)
        values (${`fill-${written}`}, ${`${id}:0`}, ${book}, ${INSTRUMENT}, ${side}, ${quantity}, ${PRICE}, 0, ${quantity * PRICE}, ${PRICE}, ${costBps}, ${slot + 1_000}, '[]')`;
      if (poolUsd === null) continue;
      await sql`insert into cuts (slot, source, instruments) values (${slot}, 'streams', 1)`;
      await sql`
        insert into observations (slot, instrument, hash, body)
        values (${slot}, ${INSTRUMENT}, ${'0'.repeat(64)}, ${JSON.stringify({ liquidityUsd: String(poolUsd) })})`;
    }
    for (const table of ['actors', 'proposals', 'books', 'fills', 'cuts', 'observations'])
      await sql`alter table ${sql(table)} enable trigger all`;
  });
}

const told = async () => (await api.call('GET', `/v1/agents/${agentId}/calibration`, { token: reader })).body;
const alerts = () => api.owner<{ at: number; body: { detail: string } }[]>`
  select at, body from announcements where channel = 'alerts' and actor_id = ${agentId} and body ->> 'what' = 'costs_drifted' order by at`;
const closeTo = (value: number) => expect.closeTo(value, 6) as number;
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

test('without fills nothing is known, and a foreign or missing agent is not found', async () => {
  expect(await told()).toMatchObject({ manifestVersion: 1, promisedBps: null, drifted: null, groups: [], fills: [], paper: { fills: 0 } });
  const url = `/v1/agents/${agentId}/calibration`;
  expect((await api.call('GET', url, { token: await api.token(['agent:read'], THEIRS) })).status).toBe(404);
  expect((await api.call('GET', url.replace(agentId, 'none'), { token: reader })).status).toBe(404);
});

/** Twelve expensive and cheap fills on paper, two live ones, one without its cut, and one of another manifest version. */
const FILLS: readonly Filled[] = [
  ...Array.from(
    { length: 12 },
    (_, n): Filled => ({
      side: n % 2 === 0 ? 'buy' : 'sell',
      quantity: n < 6 ? 2 : 8,
      poolUsd: n < 9 ? 400_000 : 1_000_000,
      costBps: 20 + 3 * n,
    }),
  ),
  { side: 'buy', quantity: 0.3, poolUsd: 250_000, costBps: 1, mode: 'live' },
  { side: 'sell', quantity: 60, poolUsd: 250_000, costBps: 800, mode: 'live' },
  { side: 'buy', quantity: 1, poolUsd: null, costBps: 9_999 },
  { side: 'buy', quantity: 1, poolUsd: 250_000, costBps: 9_999, version: 2 },
];

test('each fill is compared with the pool of its decision, by mode, venue, algorithm, size and hour', async () => {
  await fill(FILLS);
  const found = await told();
  const paper = FILLS.slice(0, 12);
  const [expected, realized] = [paper.map(throughPool), paper.map(({ costBps }) => costBps)];
  const differences = realized.map((cost, n) => cost - (expected[n] as number));
  const bias = mean(differences);
  const deviation = Math.sqrt(differences.reduce((sum, one) => sum + (one - bias) ** 2, 0) / 11);
  expect(found.paper).toMatchObject({
    fills: 13,
    unknown: 1,
    expectedBps: closeTo(mean(expected)),
    realizedBps: closeTo(mean(realized)),
    biasBps: closeTo(bias),
    biasErrorBps: closeTo(deviation / Math.sqrt(12)),
    dearer: differences.filter((one) => one > 0).length,
    cheaper: differences.filter((one) => one < 0).length,
  });
  expect(found.live).toMatchObject({ fills: 2, unknown: 0, realizedBps: 400.5 });
  // Newest first, without the other version's fill.
  const order = FILLS.slice(0, 15).reverse();
  expect(found.fills.map(({ mode }: { mode: string }) => mode)).toEqual(order.map(({ mode = 'paper' }) => mode));
  expect(found.fills.map(({ expectedBps }: { expectedBps: number | null }) => expectedBps)).toEqual(
    order.map((one) => (one.poolUsd === null ? null : closeTo(throughPool(one)))),
  );
  const groups = found.groups.map(({ by, key, fills }: { by: string; key: string; fills: number }) => `${by} ${key}: ${fills}`);
  expect(groups).toEqual([
    'venue spotchain: 15',
    'algorithm taker_immediate: 15',
    'size 10000 and more: 1',
    'size below 100: 1',
    'size below 1000: 7',
    'size below 10000: 6',
    'hour 09: 15',
  ]);
});

test('drift of trading agents is alerted once a day, with the route’s figure', async () => {
  const now = BEGAN + 60 * MINUTE;
  // A draft predicts nothing that could drift.
  expect(await filledAgents(api.sql, now)).toEqual([]);
  await api.owner.begin(async (sql) => {
    await sql`alter table agents disable trigger all`;
    await sql`update agents set stage = 'paper' where id = ${agentId}`;
    await sql`alter table agents enable trigger all`;
  });
  expect(await filledAgents(api.sql, now)).toEqual([{ id: agentId }]);
  const { drifted } = await told();
  // Its most expensive fill is an outlier: with that error the difference may be chance.
  expect(drifted).toBe(false);
  await tellDrift(api.sql, agentId, now);
  expect(await alerts()).toEqual([]);

  await fill(Array.from({ length: 40 }, (): Filled => ({ side: 'buy', quantity: 2, poolUsd: 400_000, costBps: 90 })));
  const after = await told();
  expect(after.drifted).toBe(true);
  const all = (after.paper.biasBps * 52 + after.live.biasBps * 2) / 54;
  await tellDrift(api.sql, agentId, now);
  const [alert, ...more] = await alerts();
  expect(more).toEqual([]);
  expect(alert?.at).toBe(now);
  expect(alert?.body.detail).toContain(`${Math.round(all * 1_000) / 1_000} bps more than expected, over 54 fills`);
  expect(await filledAgents(api.sql, now + 23 * 60 * MINUTE)).toEqual([]);
  expect(await filledAgents(api.sql, now + 24 * 60 * MINUTE - 1)).toEqual([]);
});
