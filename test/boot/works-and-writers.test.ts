// Recurring work changes only tables that its process writes: each runs once on a database with registered writers.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeCheckpoints } from '../../actors/runtime/actor-history.ts';
import { createContainment } from '../../actors/runtime/containment.ts';
import { createDirectory } from '../../actors/runtime/directory.ts';
import { startDispatcher } from '../../actors/runtime/dispatcher.ts';
import { openWriterKeys } from '../../src/adapters/signing-keys/writer-keys.ts';
import { createActorStore } from '../../src/adapters/store/actors/actor-store.ts';
import { createHistoryStore } from '../../src/adapters/store/actors/history-store.ts';
import { createQuarantineLedger } from '../../src/adapters/store/actors/quarantine-store.ts';
import { createRecurringStore } from '../../src/adapters/store/actors/recurring-store.ts';
import { writeCut } from '../../src/adapters/store/agents/cut-store.ts';
import { createDispatchStore } from '../../src/adapters/store/agents/dispatch-store.ts';
import { isOutage, openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { createShadowStore } from '../../src/adapters/store/gates/shadow-store.ts';
import { createIntelligenceStore } from '../../src/adapters/store/intelligence/intelligence-store.ts';
import { separateLogins } from '../../src/adapters/store/logins.ts';
import { createProposalStore } from '../../src/adapters/store/orders/proposal-store.ts';
import { stalledShardsWatch, tidyingWork } from '../../src/adapters/store/store-upkeep.ts';
import { registerWriters } from '../../src/adapters/store/trail/writer-registry.ts';
import type { WorkerDeps, WorkerTrading } from '../../src/boot/capabilities/capability.ts';
import { ACTOR_KINDS, listRecurringWork, listWatches } from '../../src/boot/capabilities/index.ts';
import { leaderboardWork } from '../../src/boot/wiring/leaderboard.ts';
import { reserveWork } from '../../src/boot/wiring/reserves.ts';
import { measureDue } from '../../src/trading/shadow-measuring.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { sampleCut, sampleManifest } from '../actors/agent/sample.ts';
import { testDatabase } from '../harness/postgres.ts';
import { actorsOn } from '../world/actor-world.ts';

const OURS = '00000000-0000-7000-8000-000000000001';
const MINUTE = 60_000;
const WRITERS = ['feed', 'worker', 'api'] as const;
const slot = Math.floor(Date.now() / MINUTE) * MINUTE - MINUTE;
const clock = createVirtualClock(slot + 1_000);
const sessions = {} as Record<(typeof WRITERS)[number], Sql>;
let home: string;

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'sevengate-works-'));
  const url = await testDatabase();
  const keys = openWriterKeys(home, WRITERS);
  await registerWriters(url, Object.values(keys));
  const { appUrl } = await separateLogins(url);
  for (const writer of WRITERS)
    sessions[writer] = openDatabase({ url: appUrl, name: `as ${writer}`, connections: 2, writer: keys[writer] });
  await sessions.api`insert into organizations (id, name) values (${OURS}, 'ours')`;
  const { commands, tick } = actorsOn(sessions.worker, clock);
  const context = { orgId: OURS, subject: 'ann', permissions: [], requestId: 'r' } as const;
  expect((await commands.create(context, sampleManifest())).ok).toBe(true);
  await tick(sampleCut(slot, { premiumPct: 0, rsi: 50 }), undefined, sessions.feed);
  await sessions.feed`
    insert into intelligence_events (id, state, kind, severity, direction, symbols, headline, first_at, observed_at, received_at, families, copies, withdrawn)
    values ('old', 'rumor', 'guidance', 'high', 'negative', '{AAPL}', 'an old story', 0, 0, 0, '{}', '{}', '{}')`;
});
afterAll(async () => {
  for (const sql of Object.values(sessions)) await sql.end();
  rmSync(home, { recursive: true, force: true });
});

const fail = (error: unknown): never => {
  throw error;
};
const containmentOf = (sql: Sql) =>
  createContainment({ isOutage, isSilence: () => false, ledger: createQuarantineLedger(sql), clock, onError: () => fail });
/** Clock without timers: the test triggers the work. */
const told = { now: clock.now, deadline: () => () => {} };

/** Returns the means of a worker that may do everything; outside systems do not answer. */
function workerDeps(): WorkerDeps {
  const sql = sessions.worker;
  const trading = {
    preTrade: {} as WorkerTrading['preTrade'],
    clients: {},
    flows: { between: async () => null } as never,
    histories: { transactions: null, fills: async () => [], failureOf: () => null },
    reserves: { exchange: null, balancesOf: null, positionsOf: null },
    bridge: { outside: { providers: { across: { name: 'across', pushes: { follow() {} } } } } },
    approvalMs: MINUTE,
    manualMarks: async () => new Map(),
    bid: () => null,
  } as unknown as WorkerTrading;
  const { runtime } = actorsOn(sql, clock);
  const { leaseIsHeld } = createProposalStore(sql);
  const containment = containmentOf(sql);
  return { sql, store: createActorStore(sql), runtime, clock, leaseIsHeld, trading, containment, onError: () => fail };
}

test('the worker runs all recurring and polled work, and writes only its own tables', async () => {
  const deps = workerDeps();
  const { sql } = deps;
  const metrics = { leaderboardRefreshed() {}, reservesCompared() {}, stalled() {}, quarantined() {} };
  const kept = { feedHistoryDays: 1, activityHistoryDays: 1, trailHistory: { days: 30, folder: join(home, 'archive') } };
  const dispatcher = startDispatcher({
    store: createDispatchStore(sql),
    enqueue: async () => {},
    clock: told,
    periodsMs: [MINUTE],
    holder: 'this test',
    contained: deps.containment('dispatcher'),
    onError: fail,
  });
  const checkpoints = {
    store: createHistoryStore(sql),
    directory: createDirectory(ACTOR_KINDS),
    contained: deps.containment('checkpoints'),
  };
  const works = [
    ...listRecurringWork(deps),
    ...leaderboardWork(deps, metrics),
    ...reserveWork(deps, metrics),
    ...tidyingWork(sql, kept, clock),
    { what: 'slots of 60000 ms', run: dispatcher.look },
    { what: 'checkpoints', run: () => writeCheckpoints(checkpoints) },
    ...listWatches(deps),
    stalledShardsWatch(sql, metrics, { error: fail as never }),
  ];
  const recurring = createRecurringStore(sql);
  const failed: unknown[] = [];
  for (const { what, run } of works) {
    await recurring.claim(what, slot, 'this test', MINUTE);
    await recurring.renew(what, 'this test', MINUTE);
    await run().catch((error: unknown) => failed.push([what, String(error)]));
    await recurring.ended(what, slot, 'this test', null);
  }
  await dispatcher.stop();
  expect(failed).toEqual([]);
  expect(works.length).toBeGreaterThan(15);
});

test('the feed cuts, measures and deletes what it received, and the worker deletes none of it', async () => {
  const sql = sessions.feed;
  await writeCut(sql, sampleCut(slot + MINUTE, { premiumPct: 0, rsi: 50 }), 'silence').catch(() => {});
  const keeper = { window: () => null } as never;
  await measureDue({
    store: createShadowStore(sql),
    keeper,
    follow: () => {},
    now: slot,
    contained: containmentOf(sql)('measuring shadow orders'),
  });
  await expect(createIntelligenceStore(sessions.worker).prune(clock.now())).rejects.toThrow(
    'the worker does not write intelligence_events',
  );
  expect(await createIntelligenceStore(sql).prune(clock.now())).toBe(1);
});

test.each(WRITERS)('the %s takes and returns a lease, and records a row that its loops cannot handle', async (writer) => {
  const leases = createDispatchStore(sessions[writer]);
  const ledger = createQuarantineLedger(sessions[writer]);
  await leases.hold(`the duty of the ${writer}`, 'this test', MINUTE);
  await ledger.note('what the feed observes', { id: writer, orgId: OURS }, 'a row that nobody can have written', MINUTE);
  const noted = () => sessions[writer]`select 1 from quarantined_rows where row_id = ${writer}`;
  expect(await noted()).toHaveLength(1);
  await ledger.release('what the feed observes', writer);
  await leases.release(`the duty of the ${writer}`, 'this test');
  expect(await noted()).toHaveLength(0);
});
