// Hours of a sandbox are simulated at once: the database is as if they had passed, and marks them as simulated.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createNewIds } from '../../src/adapters/new-ids.ts';
import { createDispatchStore, databaseNow } from '../../src/adapters/store/agents/dispatch-store.ts';
import { createAgentDirectory } from '../../src/adapters/store/agents/agent-directory.ts';
import { seedOrganization } from '../../src/adapters/store/callers/seed-organization.ts';
import { writeRecords } from '../../src/adapters/store/actors/actor-records.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { createWorkReads } from '../../src/adapters/store/long-work-store.ts';
import { simulatedTime } from '../../src/adapters/store/simulated-time.ts';
import { trailText } from '../../src/adapters/store/trail/trail-text.ts';
import { verifyTrail } from '../../src/adapters/store/trail-verifier.ts';
import { isConfig, readConfig, ROLES } from '../../src/boot/config.ts';
import { openGates } from '../../src/boot/wiring/gates.ts';
import { createLog } from '../../src/adapters/log/log.ts';
import { openActors } from '../../src/boot/roles/worker.ts';
import { moveSandboxOn } from '../../src/boot/sandbox/sandbox-stretch.ts';
import { createServiceProcess, type ServiceProcess } from '../../src/boot/service-process.ts';
import { takeDatabaseTime } from '../../src/boot/sandbox/simulated-clock.ts';
import { openStoreConnections, type StoreConnections } from '../../src/boot/store-connections.ts';
import { bookIds } from '../../src/domain/books/book.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { EXAMPLE } from '../../src/sandbox/example-organization.ts';
import { createMarketWords } from '../../src/sandbox/market/market-words.ts';
import { createSeededMarket } from '../../src/sandbox/market/seeded-market.ts';
import { testDatabase } from '../harness/postgres.ts';

const MINUTE = 60_000;
const HOUR = 3_600_000;
const home = mkdtempSync(join(tmpdir(), 'sevengate-stretch-'));
chmodSync(home, 0o711);

let url: string;
let owner: Sql;
let service: ServiceProcess;
let store: StoreConnections;
let trader: string;
/** Agent that holds a perpetual at five times leverage and never trades by itself. */
let margined: string;

const NOBODY_STOPS = new AbortController().signal;
const as = (subject: string, permissions: readonly string[]) => ({ orgId: EXAMPLE.id, subject, permissions, requestId: 'test' }) as never;

/** Creates an agent that always trades, unless changed. */
async function agentOf(commands: ReturnType<typeof openActors>['commands'], over: object): Promise<string> {
  const read = readManifest({
    universe: ['BTCUSDT'],
    timeframe: '1h',
    entryConditions: [{ type: 'price_above', price: 1 }],
    exitConditions: [{ type: 'price_above', price: 1 }],
    maxCapitalUsd: 10_000,
    maxTradeNotionalUsd: 1_000,
    stopLossPct: 8,
    takeProfitPct: 50,
    maxDailyDrawdownPct: 5,
    maxOpenPositions: 1,
    maxSlippageBps: 60,
    ...over,
  });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  const made = await commands.create(as('operator', ['trade:execute']), read.manifest);
  if (!made.ok) throw new Error(made.refusal.detail);
  return made.value.id;
}

function configOf(env: Readonly<Record<string, string>> = {}) {
  const config = readConfig({ DATABASE_URL: url, SEVENGATE_HOME: home, QUEUE_BACKEND: 'postgres', ...env });
  if (!isConfig(config)) throw new Error(JSON.stringify(config));
  return config;
}

beforeAll(async () => {
  url = await testDatabase();
  owner = openDatabase({ url, role: null, connections: 2, name: 'stretch owner' });
  await owner`delete from clock_shift`;
  service = createServiceProcess({
    config: configOf(),
    roles: ROLES,
    record: null,
    path: '',
    log: createLog('silent'),
    signal: NOBODY_STOPS,
  });
  store = await openStoreConnections(service);
  const { commands } = openActors(store.sql, service.clock, service.newId);
  await store.asOwner((tables) => seedOrganization(EXAMPLE, { sql: store.sql, owner: tables, commands, newId: service.newId }));
  // Trades every minute that it may, whatever the market: a coin has no session.
  trader = await agentOf(commands, { name: 'Always trading' });
  margined = await agentOf(commands, { name: 'On margin', universe: ['BTC'], maxLeverage: 5 });
  const raised = await commands.setAutonomy(as('risk-manager', ['trade:execute', 'risk:manage']), trader, 'policy_auto');
  if (!raised.ok) throw new Error(raised.refusal.detail);
}, 60_000);
afterAll(async () => {
  await service.stop();
  await owner.end();
  rmSync(home, { recursive: true, force: true });
});

test('only a service with simulators alone may be moved forward', async () => {
  const real = {
    ...service,
    config: configOf({ SPOTEXCHANGE_URL: 'https://exchange.example', SPOTEXCHANGE_STREAM_URL: 'wss://exchange.example' }),
  };
  const moving = { until: (from: number) => from + HOUR, progress: () => {}, signal: NOBODY_STOPS };
  await expect(moveSandboxOn(real, store, moving)).rejects.toThrow(
    /these settings name real systems: SPOTEXCHANGE_URL, SPOTEXCHANGE_STREAM_URL/,
  );
  // A running service would receive and tick the same slots.
  const leases = createDispatchStore(store.sql);
  expect(await leases.hold('feed', 'a service', 5 * MINUTE)).toBe(true);
  await expect(moveSandboxOn(service, store, moving)).rejects.toThrow(/a service runs on this database: stop it/);
  await leases.release('feed', 'a service');
  expect(await simulatedTime(store.sql)).toBe(null);
});

test('every slot of an hour is cut, decided by every agent and traded on, and the trail is intact', async () => {
  const began = await databaseNow(store.sql);
  const progress: number[] = [];
  const { from, to } = await moveSandboxOn(service, store, {
    until: (from: number) => from + HOUR,
    progress: (done) => progress.push(done),
    signal: NOBODY_STOPS,
  });
  expect(from).toBeGreaterThanOrEqual(began);
  expect(to).toBe(Math.floor((from + HOUR) / MINUTE) * MINUTE);
  expect(progress).toEqual([1]);
  const slots = Array.from(
    { length: Math.floor((to - from) / MINUTE) + (from % MINUTE === 0 ? 0 : 1) },
    (_, n) => Math.floor(from / MINUTE + 1) * MINUTE + n * MINUTE,
  );
  const cuts = await owner<{ slot: number; source: string }[]>`select slot, source from cuts order by slot`;
  expect(cuts).toEqual(slots.map((slot) => ({ slot, source: 'streams' })));

  // The news of what its agents look at was received all the time.
  const receptions = await owner<{ from: number; to: number; bitcoin: boolean; gold: boolean }[]>`
    select from_at as "from", to_at as "to", 'BTC' = any(underlyings) as bitcoin, 'GOLD' = any(underlyings) as gold
    from event_receptions where source = 'news:wire'`;
  expect(receptions).toMatchObject([{ bitcoin: true, gold: false }]);
  expect(slots.every((slot) => receptions.some(({ from, to }) => from <= slot && slot < to))).toBe(true);

  const agents = await owner<{ id: string; tick_from: number }[]>`select id, tick_from from actors where kind = 'agent'`;
  expect(agents).toHaveLength(5);
  for (const { id, tick_from } of agents) {
    const rows = await owner<
      { slot: number; reason: string | null }[]
    >`select slot, reason from decisions where agent_id = ${id} and slot > ${from} order by slot`;
    expect(rows.map(({ slot }) => slot)).toEqual(slots.filter((slot) => slot >= tick_from));
    expect(rows.filter(({ reason }) => reason === 'late_tick' || reason === 'tick_crash')).toEqual([]);
  }

  // It buys and sells at different moments between two slots, each on the quote of that moment.
  const fills = await owner<{ side: string; order: string; at: number; quotes: { observedAt: number }[] }[]>`
    select side, order_id as "order", at, quotes from fills where book_id like ${`agent:${trader}%`} order by number`;
  expect(fills.length).toBeGreaterThan(10);
  // A resting order may be filled in parts.
  const sides = [...new Map(fills.map(({ order, side }) => [order, side])).values()];
  expect(sides.slice(0, 4)).toEqual(['buy', 'sell', 'buy', 'sell']);
  for (const { at, quotes } of fills) {
    expect(at).toBeGreaterThan(from);
    expect(at).toBeLessThan(to + MINUTE);
    expect(at - (quotes[0]?.observedAt ?? 0)).toBeLessThan(60_000);
  }
  const open = await owner`select 1 from activities where state = 'given_up'`;
  expect(open).toEqual([]);

  // The database's clock is at the end of the stretch, and a service that starts on it too.
  const now = await databaseNow(store.sql);
  expect(now).toBeGreaterThan(to);
  expect(now - to).toBeLessThan(5 * MINUTE);
  const simulated = await simulatedTime(store.sql);
  expect(simulated?.since).toBeGreaterThanOrEqual(from);
  expect((simulated?.aheadMs ?? 0) / HOUR).toBeCloseTo(1, 0);

  const report = await verifyTrail(owner, () => {}, { keys: null, since: null, archive: null });
  expect(report.breaks).toEqual([]);
  expect(trailText(report)).toMatch(/^the trail is whole: .*; simulated since 20.*Z: the time of this sandbox was moved on$/);
}, 120_000);

test('the stretch is recorded as long work: its hours, and its duration by the machine’s clock', async () => {
  const { items } = await createWorkReads(store.sql).list({ limit: 10, after: null }, null);
  expect(items).toMatchObject([
    {
      kind: 'sandbox_advance',
      subject: 'the time of the sandbox',
      workedOnBy: `sevengate sandbox advance, process ${process.pid}`,
      unit: 'hours',
      done: 1,
      total: 1,
      error: null,
    },
  ]);
  const [{ begunAt, seenAt, endedAt }] = items as [(typeof items)[number]];
  // It simulated an hour, ended at the service's present time, and took less than an hour.
  expect(endedAt).toBeGreaterThanOrEqual(seenAt);
  const [slot] = await owner<{ last: number }[]>`select max(slot)::bigint as last from cuts`;
  expect(endedAt).toBeGreaterThan(slot?.last ?? Number.POSITIVE_INFINITY);
  expect(seenAt - begunAt).toBeLessThan(HOUR / 2);
});

test('a further stretch continues without a gap', async () => {
  const before = await owner<{ slot: number }[]>`select max(slot)::bigint as slot from cuts`;
  const { from, to } = await moveSandboxOn(service, store, {
    until: (from: number) => from + 5 * MINUTE,
    progress: () => {},
    signal: NOBODY_STOPS,
  });
  expect(from).toBeGreaterThan(before[0]?.slot ?? 0);
  const [gap] = await owner<{ rows: number; slots: number }[]>`
    select count(*)::int as rows, ((max(slot) - min(slot)) / ${MINUTE} + 1)::int as slots from decisions where agent_id = ${trader}`;
  expect(gap?.rows).toBe(gap?.slots);
  expect(to).toBeGreaterThan(from);
  expect((await verifyTrail(owner, () => {}, { keys: null, since: null, archive: null })).whole).toBe(true);
}, 60_000);

test('a perpetual at its maintenance margin is liquidated at the first slot of a stretch, once, like the venue does', async () => {
  const at = await databaseNow(store.sql);
  const bookId = bookIds.paper(margined, 1);
  const price = Math.round(1.2475 * middleOf(at));
  const bought = {
    id: 'bought on margin',
    orderId: 'bought on margin',
    bookId,
    instrument: 'evmvenue:BTC',
    side: 'buy',
    quantity: '0.01',
    fillPrice: String(price),
    notionalUsd: String(price / 100),
    feeUsd: '0',
    decisionPrice: String(price),
    slippageBps: 0,
    at,
    quotes: [],
  } as const;
  await store.sql.begin((transaction) => writeRecords(transaction, [{ type: 'fill', orgId: EXAMPLE.id, fill: bought }]));
  const { from } = await moveSandboxOn(service, store, {
    until: (from: number) => from + 2 * MINUTE,
    progress: () => {},
    signal: NOBODY_STOPS,
  });
  const ended = await owner<{ side: string; quantity: string; price: number; fee: string; at: number }[]>`
    select side, quantity::text, fill_price::float8 as price, fee_usd::text as fee, at from fills where book_id = ${bookId} and id <> ${bought.id}`;
  // Four fifths of its cost are borrowed. The market is 0.2 % of its value above that, less than two thirds of a margin of 1.25 %:
  // the venue takes it over with its whole margin, at the price at which nothing is left.
  expect(ended).toMatchObject([{ side: 'sell', quantity: '0.01', fee: '0' }]);
  expect(ended[0]?.price).toBeCloseTo(0.8 * price, 6);
  expect(ended[0]?.at).toBeLessThanOrEqual(Math.ceil(from / MINUTE) * MINUTE + 1_000);
  const alerts =
    await owner`select body ->> 'what' as what from announcements where actor_id = ${margined} and body ->> 'what' = 'liquidated'`;
  expect(alerts).toHaveLength(1);
}, 60_000);

/** Returns the mid of the bitcoin perpetual at a time, as the sandbox's market computes it. */
function middleOf(at: number): number {
  const { SANDBOX_SEED: seed } = configOf();
  const sources = { spotexchange: '', evmvenue: '', perpContext: '', spotchain: '', liquidity: '', reference: '', mark: '' };
  const words = createMarketWords({ market: createSeededMarket({ seed }), seed, sources, catalog: CATALOG, now: () => at });
  const { bid, ask } = words.quote('evmvenue:BTC', at) ?? {};
  return (Number(bid) + Number(ask)) / 2;
}

test('later records say that they are simulated', async () => {
  const gates = openGates({
    sql: store.sql,
    evaluator: store.evaluator,
    runtime: openActors(store.sql, service.clock, service.newId).runtime,
    clock: service.clock,
    newId: createNewIds(service.clock),
    obtainable: new Set(),
  });
  const promoted = await gates.commands.promote(as('operator', ['trade:execute']), trader);
  expect(promoted).toMatchObject({ ok: true, value: { stage: 'backtest' } });
  const progress = await gates.commands.progress(EXAMPLE.id, trader);
  expect(progress).toMatchObject({ simulated: true });
  expect(progress?.gates[0]?.evidence).toMatchObject({ kind: 'manifest', simulated: true });
  expect((await createAgentDirectory(store.sql).find(EXAMPLE.id, trader))?.stage).toBe('backtest');
});

test('nobody removes the mark: not the service, and not the owner by mistake', async () => {
  for (const sql of [store.sql, store.evaluator]) {
    await expect(sql`update simulated_time set ahead_ms = 1`).rejects.toMatchObject({ code: '42501' });
    await expect(sql`delete from simulated_time`).rejects.toMatchObject({ code: '42501' });
    await expect(sql`insert into simulated_time (ahead_ms, since) values (1, 1)`).rejects.toMatchObject({ code: '42501' });
  }
  await expect(owner`delete from simulated_time`).rejects.toThrow(/stays simulated/);
  await expect(owner`truncate simulated_time`).rejects.toThrow(/stays simulated/);
  await expect(owner`update simulated_time set ahead_ms = ahead_ms - 1`).rejects.toThrow(/only moves forward/);
  await expect(owner`update simulated_time set since = since + 1`).rejects.toThrow(/only moves forward/);
});

test('a service starts on it at its time, and refuses if it could reach a real system', async () => {
  let aheadMs = 0;
  const setAhead = (ms: number): void => {
    aheadMs = ms;
  };
  await takeDatabaseTime({ config: configOf(), log: createLog('silent'), setAhead }, store.sql);
  expect(aheadMs).toBe((await simulatedTime(store.sql))?.aheadMs);
  const realOnes = [
    { EVMVENUE_URL: 'https://venue.example', EVMVENUE_STREAM_URL: 'wss://venue.example' },
    { SPOTCHAIN_URL: 'https://aggregator.example', SPOTCHAIN_RPC_URL: 'https://node.example' },
    { IDP_ISSUER: 'https://issuer.example', IDP_AUDIENCE: 'us', IDP_JWKS_URL: 'https://issuer.example/keys' },
  ];
  for (const env of realOnes) {
    const starting = takeDatabaseTime({ config: configOf(env as Record<string, string>), log: createLog('silent'), setAhead }, store.sql);
    await expect(starting).rejects.toThrow(
      new RegExp(`everything since is simulated, and these settings name real systems: ${Object.keys(env)[0]}`),
    );
  }
});
