/**
 * How many paper executions a worker carries out: 1,000 agents of one organization that all trade in every slot, from the
 * proposals of the tick to the last fill, booked and signed. With steps that share transactions, and with one each.
 */
import { executionWorkers } from '../actors/proposal/execution.ts';
import { startActivities } from '../actors/runtime/activities.ts';
import { createDirectory } from '../actors/runtime/directory.ts';
import { createRuntime } from '../actors/runtime/runtime.ts';
import { createTradingTicker } from '../actors/ticking/trading-decisions.ts';
import { openWriterKeys } from '../src/adapters/signing-keys/writer-keys.ts';
import { createActorStore } from '../src/adapters/store/actors/actor-store.ts';
import { shareCommits } from '../src/adapters/store/actors/shared-commits.ts';
import { writeCut } from '../src/adapters/store/agents/cut-store.ts';
import { createDispatchStore } from '../src/adapters/store/agents/dispatch-store.ts';
import { createTickStore } from '../src/adapters/store/agents/tick-store.ts';
import { openDatabase, type Sql } from '../src/adapters/store/database.ts';
import { migrate } from '../src/adapters/store/migrate.ts';
import { createProposalStore } from '../src/adapters/store/orders/proposal-store.ts';
import { createRiskReads, createSharedRiskReads } from '../src/adapters/store/risk/risk-reads.ts';
import { registerWriters } from '../src/adapters/store/trail/writer-registry.ts';
import { ACTOR_KINDS } from '../src/boot/capabilities/index.ts';
import { ALL_ENABLED } from '../src/domain/risk/index.ts';
import { createPreTrade } from '../src/trading/pre-trade.ts';
import { createVirtualClock } from '../streams/virtual-clock.ts';
import { SLOT, sampleObservation } from '../test/actors/agent/sample.ts';
import { BTC, eagerManifest, quoteOf } from '../test/actors/proposal/trading-fixture.ts';
import { NO_TRADES } from '../test/harness/trading.ts';
import { actorsOn } from '../test/world/actor-world.ts';
import { type OwnDatabase, withDatabase } from './database.ts';
import { bench, type Contender } from './harness.ts';
import { followedBook } from './followed-book.ts';
import { costWithServer } from './server-cost.ts';
import { eachRow } from '../actors/runtime/containment.ts';

const AGENTS = Number(process.env['BENCH_AGENTS'] ?? 1_000);
const PERIOD = 60_000;
const ORG = '00000000-0000-7000-8000-000000000001';
/** Bought at the first price, sold at the second. */
const PRICES = ['60000', '71000'] as const;

const wall: Record<string, number[]> = {};
await withDatabase(async (own) => {
  const { home, server, ends } = own;
  const admin = openDatabase({ url: server.url, role: null, name: 'bench', connections: 1 });
  ends.push(() => admin.end());
  const keys = openWriterKeys(home, ['worker']);
  const trading = async (name: 'shared' | 'alone'): Promise<Contender> => {
    await admin`create database ${admin(name)}`;
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    await migrate(url.href);
    const owner = openDatabase({ url: url.href, role: null, name: 'bench owner', connections: 1 });
    await owner`insert into organizations (id, name) values (${ORG}, 'bench')`;
    await agentsOn(owner);
    await owner.end();
    await registerWriters(url.href, [keys.worker]);
    const sql = openDatabase({ url: url.href, name: `bench ${name}`, connections: 20, writer: keys.worker });
    ends.push(() => sql.end());
    return executing(name, sql, own);
  };
  const contenders = [await trading('shared'), await trading('alone')];
  await bench({
    title: `paper executions of ${AGENTS} agents that trade in every slot`,
    rounds: 7,
    warmUps: 2,
    contenders,
    comparisons: [{ what: 'executions per second, steps shared against alone', ours: 'shared', reference: 'alone', goal: null }],
    notes: [
      process.platform === 'linux'
        ? "rates are per second of processor time, ours and the server's together: the tick, its proposals, risk, fill and signatures"
        : 'rates are per second of wall time',
    ],
  });
  for (const [name, rates] of Object.entries(wall))
    process.stdout.write(`${name}: carried out per second of wall time, by round: ${rates.map((rate) => Math.round(rate)).join(' ')}\n`);
});

async function agentsOn(sql: Sql): Promise<void> {
  const clock = createVirtualClock(SLOT + 1_000);
  const { commands } = actorsOn(sql, clock);
  for (let agent = 0; agent < AGENTS; agent++) {
    const context = { orgId: ORG, subject: 'ann', permissions: ['trade:execute', 'risk:manage'], requestId: `r${agent}` } as const;
    const outcome = await commands.create(context, eagerManifest({ name: `agent ${agent}` }));
    if (!outcome.ok) throw new Error(outcome.refusal.detail);
    const raised = await commands.setAutonomy({ ...context, requestId: `a${agent}` }, outcome.value.id, 'policy_auto');
    if (!raised.ok) throw new Error(raised.refusal.detail);
  }
}

/** A contender whose rounds are two slots: all agents buy, then all sell. */
function executing(name: 'shared' | 'alone', sql: Sql, { server, ends }: OwnDatabase): Contender {
  const clock = createVirtualClock(SLOT + 1_000);
  const plain = createActorStore(sql);
  const store = name === 'shared' ? shareCommits(plain) : plain;
  const runtime = createRuntime({ store, directory: createDirectory(ACTOR_KINDS), clock });
  let price: string = PRICES[0];
  const quote = () => quoteOf(BTC, clock.now(), price, String(Number(price) + 1), 'live', '1000');
  const book = followedBook(clock, 'BTCUSDT');
  const preTrade = createPreTrade({
    reads: name === 'shared' ? createSharedRiskReads(sql) : createRiskReads(sql),
    disabledVenues: () => ALL_ENABLED,
    bus: { latest: (key) => (key === BTC ? quote() : null) },
    clock,
    orderBooks: book.orderBooks,
  });
  const { leaseIsHeld } = createProposalStore(sql);
  const errors: unknown[] = [];
  const activities = startActivities({
    contained: eachRow((error) => errors.push(error)),
    store,
    runtime,
    workers: executionWorkers({ runtime, load: store.load, preTrade, clients: {}, flows: NO_TRADES, leaseIsHeld, clock }),
    clock: { now: () => clock.now(), deadline: () => () => {} },
    onError: (error) => errors.push(error),
  });
  ends.push(() => activities.stop());
  const ticker = createTradingTicker({
    store: createTickStore(sql, plain.incident),
    now: async () => clock.now(),
    clock,
    pause: async () => {},
    approvalMs: 600_000,
  });
  const dispatch = createDispatchStore(sql);
  let slot = SLOT;
  return {
    name,
    round: async () => {
      const rates: number[] = (wall[name] ??= []);
      const cost = await costWithServer(server.pid, AGENTS * PRICES.length, async () => {
        for (const next of PRICES) {
          price = next;
          slot += PERIOD;
          clock.advanceTo(slot + 500);
          book.quote(Number(price));
          const base = sampleObservation(BTC, slot, { mid: price, premiumPct: null, rsi: 30, quality: 'live' });
          const seen = base.quote && { ...base.quote, bid: price, ask: String(Number(price) + 1), mid: price };
          await writeCut(sql, { slot, observations: new Map([[BTC, { ...base, quote: seen }]]) }, 'streams');
          for (const { shard } of await dispatch.dueShards(PERIOD, slot)) await ticker.tick(PERIOD, shard, slot);
          const began = performance.now();
          await activities.carryDue();
          rates.push((AGENTS * 1_000) / (performance.now() - began));
          const [filled] = await sql<
            { fills: number }[]
          >`select count(*)::int as fills from proposals where slot = ${slot} and state = 'filled'`;
          if (filled?.fills !== AGENTS || errors.length > 0)
            throw new Error(`${filled?.fills} fills of ${AGENTS} agents; ${errors.slice(0, 3).map(String).join('; ')}`);
        }
      });
      return cost;
    },
  };
}
