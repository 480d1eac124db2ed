/**
 * Paper executions per second: 1,000 agents of four organizations that all trade in every slot, from the tick's proposals to the last
 * fill, booked and signed. Compares steps that share transactions with steps in their own; and one worker, eight workers that divide the
 * organizations, and eight that take any due work. The workers are eight pools in one process.
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
import type { Quote } from '../src/domain/market/quote.ts';
import { createVirtualClock, type VirtualClock } from '../streams/clock/virtual-clock.ts';
import { SLOT, sampleObservation } from '../test/actors/agent/sample.ts';
import { BTC, eagerManifest, quoteOf } from '../test/actors/proposal/trading-fixture.ts';
import { NO_TRADES } from '../test/harness/trading.ts';
import { actorsOn } from '../test/world/actor-world.ts';
import { type OwnDatabase, withDatabase } from './database.ts';
import { bench, type Contender, median } from './harness.ts';
import { followedBook } from './followed-book.ts';
import { keepFigures } from './measured.ts';
import { costWithServer, serverMicroseconds } from './server-cost.ts';
import { eachRow } from '../actors/runtime/containment.ts';

const AGENTS = Number(process.env['BENCH_AGENTS'] ?? 1_000);
const PERIOD = 60_000;
const ORGS = [1, 2, 3, 4].map((number) => `00000000-0000-7000-8000-00000000000${number}`);
const MANY = 8;
/** Agents buy at the first price and sell at the second. */
const PRICES = ['60000', '71000'] as const;

/** Cost of an execution on the server: processor time in milliseconds, and commits. */
interface ServerCost {
  readonly ms: number;
  readonly commits: number;
}

const wall: Record<string, number[]> = {};
const ofServer: Record<string, ServerCost[]> = {};
await withDatabase(async (own) => {
  const { home, server, ends } = own;
  const admin = openDatabase({ url: server.url, role: null, name: 'bench', connections: 1 });
  ends.push(() => admin.end());
  const keys = openWriterKeys(home, ['worker']);
  const trading = async (name: string, how: Workers): Promise<Contender> => {
    await admin`create database ${admin(name)}`;
    const url = new URL(server.url);
    url.pathname = `/${name}`;
    await migrate(url.href);
    const owner = openDatabase({ url: url.href, role: null, name: 'bench owner', connections: 1 });
    await owner`insert into organizations (id, name) select id, id::text from unnest(${ORGS}::uuid[]) as id`;
    await agentsOn(owner);
    await owner.end();
    await registerWriters(url.href, [keys.worker]);
    const pools = Array.from({ length: how.workers }, (_, index) =>
      openDatabase({ url: url.href, name: `bench ${name} ${index}`, connections: how.workers === 1 ? 20 : 6, writer: keys.worker }),
    );
    ends.push(() => Promise.all(pools.map((sql) => sql.end())));
    return executing(name, how, pools, own);
  };
  const contenders = [
    await trading('shared', { workers: 1, shares: true, divides: true }),
    await trading('alone', { workers: 1, shares: false, divides: true }),
    await trading('eight', { workers: MANY, shares: true, divides: true }),
    await trading('undivided', { workers: MANY, shares: true, divides: false }),
  ];
  await bench({
    title: `paper executions of ${AGENTS} agents of ${ORGS.length} organizations that trade in every slot`,
    rounds: 7,
    warmUps: 2,
    contenders,
    comparisons: [
      { what: 'executions per second, steps shared against alone', ours: 'shared', reference: 'alone', goal: null },
      { what: 'the same with eight workers against one', ours: 'eight', reference: 'shared', goal: null },
      { what: 'eight workers that take what is due against one', ours: 'undivided', reference: 'shared', goal: null },
    ],
    notes: [
      process.platform === 'linux'
        ? "rates are per second of processor time, ours and the server's together: the tick, its proposals, risk, fill and signatures"
        : 'rates are per second of wall time',
    ],
  });
  for (const [name, rates] of Object.entries(wall))
    process.stdout.write(`${name}: carried out per second of wall time, by round: ${rates.map((rate) => Math.round(rate)).join(' ')}\n`);
  for (const [name, costs] of Object.entries(ofServer))
    process.stdout.write(
      `${name}: for an execution, ${median(costs.map(({ ms }) => ms)).toFixed(2)} ms of PostgreSQL and ${median(costs.map(({ commits }) => commits)).toFixed(2)} commits\n`,
    );
  keepFigures('PostgreSQL for a paper execution, organizations divided among workers', serverFigures());
});

/** Returns the server's processor time and commits for an execution with one worker and with eight, and their ratio. */
function serverFigures() {
  const [one, eight] = ['shared', 'eight'].map((name) => ofServer[name] ?? []) as [ServerCost[], ServerCost[]];
  const range = (numbers: readonly number[], unit: string): { readonly value: string; readonly spread: string } => ({
    value: `${median(numbers).toFixed(2)}${unit}`,
    spread: `${Math.min(...numbers).toFixed(2)}${unit} to ${Math.max(...numbers).toFixed(2)}${unit}`,
  });
  const cost = (costs: readonly ServerCost[], of: keyof ServerCost, unit: string) => {
    const numbers = costs.map((one) => one[of]);
    return range(numbers, unit);
  };
  const ratios = one.map(({ ms }, round) => (eight[round] as ServerCost).ms / ms);
  return [
    { what: 'processor time with one worker', ...cost(one, 'ms', ' ms'), goal: '' },
    { what: 'processor time with eight workers', ...cost(eight, 'ms', ' ms'), goal: '' },
    { what: 'eight workers against one', ...range(ratios, ' times'), goal: '≤ 1.15 times' },
    { what: 'commits with one worker', ...cost(one, 'commits', ''), goal: '' },
    { what: 'commits with eight workers', ...cost(eight, 'commits', ''), goal: '' },
  ];
}

async function agentsOn(sql: Sql): Promise<void> {
  const clock = createVirtualClock(SLOT + 1_000);
  const { commands } = actorsOn(sql, clock);
  for (let agent = 0; agent < AGENTS; agent++) {
    const context = {
      orgId: ORGS[agent % ORGS.length] as string,
      subject: 'ann',
      permissions: ['trade:execute', 'risk:manage'],
      requestId: `r${agent}`,
    } as const;
    const outcome = await commands.create(context, eagerManifest({ name: `agent ${agent}` }));
    if (!outcome.ok) throw new Error(outcome.refusal.detail);
    const raised = await commands.setAutonomy({ ...context, requestId: `a${agent}` }, outcome.value.id, 'policy_auto');
    if (!raised.ok) throw new Error(raised.refusal.detail);
  }
}

/** Number of workers, and two choices: steps due together share a transaction, and workers divide the organizations. */
interface Workers {
  readonly workers: number;
  readonly shares: boolean;
  readonly divides: boolean;
}

/** Creates a worker's activities on a pool of its own. */
function working(sql: Sql, how: Workers, worker: string, parts: { clock: VirtualClock; quote: () => Quote; errors: unknown[] }) {
  const { clock, quote, errors } = parts;
  const plain = createActorStore(sql, how.divides ? worker : null);
  const store = how.shares ? shareCommits(plain) : plain;
  const runtime = createRuntime({ store, directory: createDirectory(ACTOR_KINDS), clock });
  const book = followedBook(clock, 'BTCUSDT');
  const preTrade = createPreTrade({
    reads: how.shares ? createSharedRiskReads(sql) : createRiskReads(sql),
    disabledVenues: () => ALL_ENABLED,
    bus: { latest: (key) => (key === BTC ? quote() : null) },
    clock,
    orderBooks: book.orderBooks,
  });
  const { leaseIsHeld } = createProposalStore(sql);
  const activities = startActivities({
    contained: eachRow((error) => errors.push(error)),
    store,
    runtime,
    workers: executionWorkers({ runtime, load: store.load, preTrade, clients: {}, flows: NO_TRADES, leaseIsHeld, clock }),
    clock: { now: () => clock.now(), deadline: () => () => {} },
    onError: (error) => errors.push(error),
  });
  return { activities, book, attend: () => store.attend(clock.now() + 5_000, ['execute_order', 'reconcile_order', 'withdraw_order']) };
}

/** Contender whose round is two slots: all agents buy, then all sell. */
function executing(name: string, how: Workers, pools: readonly Sql[], { server, ends }: OwnDatabase): Contender {
  const clock = createVirtualClock(SLOT + 1_000);
  const [sql] = pools as [Sql];
  let price: string = PRICES[0];
  const quote = () => quoteOf(BTC, clock.now(), price, String(Number(price) + 1), 'live', '1000');
  const errors: unknown[] = [];
  const workers = pools.map((pool, index) => working(pool, how, `${name} ${index}`, { clock, quote, errors }));
  ends.push(() => Promise.all(workers.map(({ activities }) => activities.stop())));
  const ticker = createTradingTicker({
    store: createTickStore(sql, createActorStore(sql).incident),
    now: async () => clock.now(),
    clock,
    pause: async () => {},
    approvalMs: 600_000,
  });
  const dispatch = createDispatchStore(sql);
  let slot = SLOT;
  const filled = async (): Promise<number> =>
    (await sql<{ fills: number }[]>`select count(*)::int as fills from proposals where slot = ${slot} and state = 'filled'`)[0]?.fills ?? 0;
  const commits = async (): Promise<number> =>
    (
      await sql<{ commits: number }[]>`
      select pg_stat_force_next_flush(), xact_commit::int as commits from pg_stat_database where datname = current_database()`
    )[0]?.commits ?? 0;
  return {
    name,
    round: async () => {
      const rates: number[] = (wall[name] ??= []);
      const before = { server: serverMicroseconds(server.pid) ?? Number.NaN, commits: await commits() };
      const cost = await costWithServer(server.pid, AGENTS * PRICES.length, async () => {
        for (const next of PRICES) {
          price = next;
          slot += PERIOD;
          clock.advanceTo(slot + 500);
          for (const { book, attend } of workers) {
            book.quote(Number(price));
            await attend();
          }
          const base = sampleObservation(BTC, slot, { mid: price, premiumPct: null, rsi: 30, quality: 'live' });
          const seen = base.quote && { ...base.quote, bid: price, ask: String(Number(price) + 1), mid: price };
          await writeCut(sql, { slot, observations: new Map([[BTC, { ...base, quote: seen }]]) }, 'streams');
          for (const { shard } of await dispatch.dueShards(PERIOD, slot)) await ticker.tick(PERIOD, shard, slot);
          const began = performance.now();
          // A worker that finds nothing looks again, as the service's loops do, until all work is done.
          do await Promise.all(workers.map(({ activities }) => activities.carryDue()));
          while ((await filled()) < AGENTS && errors.length === 0);
          rates.push((AGENTS * 1_000) / (performance.now() - began));
          if (errors.length > 0)
            throw new Error(`${await filled()} fills of ${AGENTS} agents; ${errors.slice(0, 3).map(String).join('; ')}`);
        }
      });
      const fills = AGENTS * PRICES.length;
      (ofServer[name] ??= []).push({
        ms: ((serverMicroseconds(server.pid) ?? Number.NaN) - before.server) / 1_000 / fills,
        commits: ((await commits()) - before.commits) / fills,
      });
      return cost;
    },
  };
}
