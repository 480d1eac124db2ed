// Faults in background loops: every loop over rows gets a good row and a bad one, and handles the good one.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createBookBreakers } from '../../actors/agent/book-breakers.ts';
import { createBreakerWatch } from '../../actors/agent/breaker-watch.ts';
import { assessDue } from '../../actors/agent/daily-gates.ts';
import { createEmergencyHalt } from '../../actors/agent/emergency-halt.ts';
import { createRestingWatch } from '../../actors/market-order/resting-watch.ts';
import { createKillSwitch } from '../../actors/proposal/kill-switch.ts';
import { startActivities } from '../../actors/runtime/activities.ts';
import { writeCheckpoints } from '../../actors/runtime/actor-history.ts';
import { type ContainedLoop, createContainment } from '../../actors/runtime/containment.ts';
import { startDispatcher } from '../../actors/runtime/dispatcher.ts';
import { LOOPS, type RowLoop } from '../../actors/runtime/loops.ts';
import { startTimers } from '../../actors/runtime/timers.ts';
import { rereadArmed } from '../../actors/take/reread-armed.ts';
import { createMarketNeeds } from '../../actors/ticking/market-needs.ts';
import { createMetrics } from '../../src/adapters/log/metrics.ts';
import { countQuarantined, createQuarantineLedger } from '../../src/adapters/store/actors/quarantine-store.ts';
import { createAgentDirectory } from '../../src/adapters/store/agents/agent-directory.ts';
import { createBreakerFacts } from '../../src/adapters/store/agents/breaker-facts.ts';
import { writeCut } from '../../src/adapters/store/agents/cut-store.ts';
import {
  activeManifests,
  addedLiveInstruments,
  liveInstruments,
  tradersSubscribedTo,
} from '../../src/adapters/store/agents/manifest-reads.ts';
import { createFundingStore, type FundingStore } from '../../src/adapters/store/books/funding-store.ts';
import { createMarginStore } from '../../src/adapters/store/books/margin-store.ts';
import { createManualDayStore } from '../../src/adapters/store/books/manual-day-store.ts';
import { isOutage, openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { createShadowStore } from '../../src/adapters/store/gates/shadow-store.ts';
import { createKillSwitchStore } from '../../src/adapters/store/orders/kill-switch-store.ts';
import { settleResolved } from '../../src/adapters/store/orders/prediction-order-store.ts';
import { stalledShardsWatch } from '../../src/adapters/store/store-upkeep.ts';
import { createReserveStore } from '../../src/adapters/store/vaults/reserve-store.ts';
import { createVaultStore, heldInstruments } from '../../src/adapters/store/vaults/vault-store.ts';
import { bridgeTransferCapability } from '../../src/boot/capabilities/bridge-transfer.ts';
import { createLeaderboardRefresh } from '../../src/trading/leaderboard-refresh.ts';
import { bookFunding } from '../../src/trading/book-funding.ts';
import { createRescalings } from '../../src/trading/rescalings.ts';
import { liquidateBooks } from '../../src/trading/liquidations.ts';
import { beginManualDays } from '../../src/trading/manual-days.ts';
import { createReserveCheck } from '../../src/trading/reserve-check.ts';
import { measureDue } from '../../src/trading/shadow-measuring.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { sampleCut, sampleManifest, SLOT } from '../actors/agent/sample.ts';
import { testDatabase } from '../harness/postgres.ts';
import { actorsOn } from '../world/actor-world.ts';

const OURS = '00000000-0000-7000-8000-000000000001';
const THEIRS = '00000000-0000-7000-8000-000000000002';
const BROKEN = new Error('a row that nobody can have written');
const BTC = 'spotexchange:BTCUSDT';

let sql: Sql;
let owner: Sql;
let actors: ReturnType<typeof actorsOn>;
const clock = createVirtualClock(SLOT + 1_000);
const idle = { now: () => clock.now(), deadline: () => () => {} };
const told: string[] = [];

beforeAll(async () => {
  const url = await testDatabase();
  sql = openDatabase({ url, name: 'test' });
  owner = openDatabase({ url, role: null, connections: 1, name: 'test owner' });
  for (const id of [OURS, THEIRS]) await sql`insert into organizations (id, name) values (${id}, 'one')`;
  actors = actorsOn(sql, clock);
});
afterAll(async () => {
  await sql.end();
  await owner.end();
});

async function agent(orgId: string): Promise<string> {
  const context = { orgId, subject: 'ann', permissions: ['trade:execute', 'risk:manage'], requestId: 'r' } as const;
  const outcome = await actors.commands.create(context, sampleManifest());
  if (!outcome.ok) throw new Error(outcome.refusal.detail);
  return outcome.value.id;
}

const TABLES = ['actors', 'steps', 'agents', 'manifests', 'books', 'fills', 'vaults', 'prediction_markets', 'control', 'timers'];

/** Writes rows as the owner with triggers disabled. */
async function written(statement: (sql: Sql) => Promise<unknown>): Promise<void> {
  await owner.begin(async (transaction) => {
    for (const table of TABLES) await transaction`alter table ${transaction(table)} disable trigger all`;
    await statement(transaction as unknown as Sql);
    for (const table of TABLES) await transaction`alter table ${transaction(table)} enable trigger all`;
  });
}

/** Writes a step that the actor has not taken, at its next version. */
const forgedStep = (on: Sql, id: string) => on`
  insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
  select id, version + 1, ${SLOT}, machine, '{"type":"forged"}', '{}', '{}', 'x' from actors where id = ${id}`;

/** Creates a book with live capital. `fills` above 0 without turnover makes it unreadable. */
const liveBook = (on: Sql, orgId: string, id: string, fills: number) => on`
  insert into books (id, org_id, agent_id, mode, version, capital_usd, cash_usd, holdings, fills, turnover_usd, opened_at, changed_at)
  values (${`agent:${id}:live`}, ${orgId}, ${id}, 'live', 1, 1000, 1000, '[]', ${fills}, 0, ${SLOT}, ${SLOT})`;

interface Case {
  /** Runs the loop once over a good row and a bad one. Returns the state of the good one. */
  run(contained: ContainedLoop): Promise<unknown>;
  readonly handled: unknown;
  /** False if the bad row is quarantined with its actor. */
  readonly counted?: false;
}

const good = { id: 'good' };
const bad = { id: 'bad' };
const unless = (id: string): void => {
  if (id === bad.id) throw BROKEN;
};

/** Cases of all loops over rows: the type requires one for each loop. */
const CASES: Readonly<Record<RowLoop, Case>> = {
  timers: {
    async run(contained) {
      const [poison, neighbour] = [await agent(THEIRS), await agent(OURS)];
      const event = { type: 'pause', cause: 'tick_crash' };
      await written(async (on) => {
        await forgedStep(on, poison);
        for (const id of [poison, neighbour])
          await on`insert into timers (actor_id, timer_id, due_at, event) values (${id}, 'due', 0, ${on.json(event)})`;
      });
      await startTimers({ store: actors.store, runtime: actors.runtime, clock: idle, contained, onError: () => {} }).fireDue();
      return sql`select pause_cause from agents where id = ${neighbour}`;
    },
    handled: [{ pause_cause: 'tick_crash' }],
  },
  activities: {
    async run(contained) {
      const done: string[] = [];
      const due = [bad, good].map(({ id }) => ({ key: id, actorId: id, kind: 'letter', payload: {}, attempts: 10 }));
      let taken = false;
      const carrying = startActivities({
        store: {
          takeActivities: async () => (taken ? [] : ((taken = true), due)),
          renewActivities: async () => {},
          attend: async () => {},
          giveUpActivity: async (key) => void done.push(key),
        },
        runtime: {
          deliver: async (id) => {
            unless(id);
            return { ok: false, refusal: { code: 'state_conflict', detail: '' } };
          },
        },
        workers: { letter: () => Promise.reject(BROKEN) },
        clock: idle,
        contained,
        onError: () => {},
      });
      await carrying.carryDue();
      return done;
    },
    handled: ['good'],
  },
  dispatcher: {
    async run(contained) {
      const periods: number[] = [];
      const dispatcher = startDispatcher({
        store: {
          now: async () => SLOT,
          cutExists: async () => true,
          writeSilence: async () => true,
          dueShards: async (periodMs) => {
            if (periodMs === 60_000) throw BROKEN;
            return [{ periodMs, shard: 0 }];
          },
          hold: async () => true,
          release: async () => {},
        },
        enqueue: async (jobs) => void periods.push(...jobs.map(({ periodMs }) => periodMs)),
        clock: idle,
        periodsMs: [60_000, 30_000],
        holder: 'test',
        contained,
        onError: () => {},
      });
      await dispatcher.look();
      return periods;
    },
    handled: [30_000],
  },
  breakers: {
    async run(contained) {
      const [poison, neighbour] = [await agent(THEIRS), await agent(OURS)];
      await written(async (on) => {
        for (const [orgId, id, fills] of [
          [THEIRS, poison, 1],
          [OURS, neighbour, 0],
        ] as const) {
          await on`update agents set stage = 'live' where id = ${id}`;
          await liveBook(on, orgId, id, fills);
          await on`
            insert into fills (id, order_id, book_id, instrument, side, quantity, fill_price, fee_usd, notional_usd, decision_price, slippage_bps, at, quotes)
            values (${`fill ${id}`}, 'o', ${`agent:${id}:live`}, ${BTC}, 'buy', 1, 1, 0, 1, 1, 0, ${clock.now()}, '[]')`;
        }
      });
      const looked: string[] = [];
      const watch = {
        look: async (books: readonly { readonly agentId: string }[]) => {
          looked.push(...books.map(({ agentId }) => agentId));
          return [];
        },
      };
      await createBookBreakers({ kind: 'agent', facts: createBreakerFacts(sql), watch, clock, contained, onError: () => {} }).look();
      return looked.map((id) => (id === neighbour ? 'neighbour' : id));
    },
    handled: ['neighbour'],
  },
  'breakers of Takes': {
    async run(contained) {
      const paused: string[] = [];
      const watch = createBreakerWatch({
        runtime: {
          deliver: async (id) => {
            unless(id);
            paused.push(id);
            return { ok: false, refusal: { code: 'state_conflict', detail: '' } };
          },
        },
        slippage: async () => new Map(),
        drawdownLimits: async (ids) => new Map(ids.map((id) => [id, 1])),
        clock,
        contained,
      });
      const book = ({ id }: { readonly id: string }) => ({
        agentId: id,
        stage: 'live' as const,
        manifest: { maxDailyDrawdownPct: 1 },
        marked: { dailyDrawdownPct: 50 },
      });
      await watch.look([bad, good].map(book));
      return paused;
    },
    handled: ['good'],
  },
  'reading Takes of older readings': {
    async run(contained) {
      const told: string[] = [];
      const questions = (id: string) => (): readonly string[] => {
        unless(id);
        return ['the words mean something else today'];
      };
      await rereadArmed({
        unasked: async () => [bad, good].map(({ id }) => ({ id, orgId: OURS, questions: questions(id) })),
        runtime: {
          deliver: async (id) => {
            told.push(id);
            return { ok: false, refusal: { code: 'state_conflict', detail: '' } };
          },
        },
        contained,
      });
      return told;
    },
    handled: ['good'],
  },
  'going on with halts': {
    async run(contained) {
      const store = createAgentDirectory(sql);
      for (const orgId of [THEIRS, OURS]) await store.beginHalt(orgId, { subject: 'ann', requestId: 'r1' }, []);
      await sql`update control set sweeping_until = clock_timestamp() - interval '1 second'`;
      const onDuty = (orgId: string): Promise<readonly string[]> => (orgId === THEIRS ? Promise.reject(BROKEN) : store.onDuty(orgId));
      await createEmergencyHalt({ runtime: actors.runtime, store: { ...store, onDuty }, clock: idle }).sweepAbandoned(contained);
      return sql`select swept_epoch = epoch as swept from control where org_id = ${OURS}`;
    },
    handled: [{ swept: true }],
  },
  'closing positions': {
    async run(contained) {
      const asked: string[] = [];
      const trader = { orgId: OURS, closing: [], everything: true, mode: 'paper', maxSlippageBps: 1, epoch: 0 };
      const holdings = [{ instrument: BTC, quantity: '1', costUsd: '1', openedAt: 0 }];
      const tripped = [
        { ...trader, id: 'bad', bookId: 'bad', holdings: { not: 'a list' } },
        { ...trader, id: 'good', bookId: 'good', holdings },
      ];
      const killSwitch = createKillSwitch({
        store: { tripped: async () => tripped as never, closing: async () => [], start: async () => true },
        runtime: { deliver: () => Promise.reject(BROKEN) },
        preTrade: {
          assess: async (_: string, { agentId }: { agentId: string }) => {
            asked.push(agentId);
            return { ok: false };
          },
        } as never,
        bid: () => '100',
        clock,
        contained,
      });
      await killSwitch.look();
      return asked;
    },
    handled: ['good'],
  },
  'orders that rest': {
    async run(contained) {
      const looked: string[] = [];
      const orders = [...Array.from({ length: 5 }, () => bad), good].map(({ id }, place) => ({
        id: id === 'bad' ? `bad ${place}` : id,
        orgId: OURS,
        mode: 'paper' as const,
      }));
      const watch = createRestingWatch({
        resting: async () => orders,
        restingParts: async () => [],
        runtime: { deliver: () => Promise.reject(BROKEN) },
        load: async ([id]: readonly string[]) => {
          if (id?.startsWith('bad')) throw BROKEN;
          looked.push(id as string);
          return new Map();
        },
        clients: {},
        flows: {},
        clock,
        contained,
        onError: () => {},
      } as never);
      // Five are checked at once, oldest first: bad ones do not delay the others.
      for (let looks = 0; looks < 2; looks++) await watch.look().catch(() => {});
      return looked;
    },
    handled: ['good'],
  },
  'following what bridges push': {
    async run(contained) {
      const followed: string[] = [];
      const provider = (name: string, fault: boolean) => ({
        name,
        pushes: {
          follow: () => {
            if (fault) throw BROKEN;
            followed.push(name);
          },
        },
      });
      const providers = { relay: provider('relay', true), cctp: provider('cctp', false) };
      const deps = {
        sql,
        runtime: actors.runtime,
        trading: { bridge: { outside: { providers } } },
        containment: () => contained,
        onError: () => () => {},
      };
      for (const { run } of bridgeTransferCapability.watches(deps as never)) await run();
      return followed;
    },
    handled: ['cctp'],
  },
  'pricing vaults': {
    async run(contained) {
      const [poison, neighbour] = [await agent(THEIRS), await agent(OURS)];
      await written(async (on) => {
        for (const [orgId, id, fills] of [
          [THEIRS, poison, 1],
          [OURS, neighbour, 0],
        ] as const) {
          await liveBook(on, orgId, id, fills);
          await on`insert into vaults (agent_id, total_shares, allocated_usd, changes) values (${id}, 1000, 1000, 1)`;
        }
      });
      await writeCut(sql, sampleCut(SLOT, { premiumPct: null, rsi: null }), 'streams');
      const signed = { requireCut: async () => {}, signedOnes: async (_: string, keys: readonly string[]) => new Set(keys) };
      await createVaultStore(sql, signed as never).mark(contained);
      return sql`select equity_usd::int as equity from vault_marks where agent_id = ${neighbour}`;
    },
    handled: [{ equity: 1000 }],
  },
  'beginning days of manual books': {
    async run(contained) {
      const manual = (on: Sql, orgId: string, fills: number) => on`
        insert into books (id, org_id, mode, version, capital_usd, cash_usd, holdings, fills, turnover_usd, opened_at, changed_at)
        values (${`manual:${orgId}`}, ${orgId}, 'paper', 1, 0, 0, '[]', ${fills}, 0, ${SLOT}, ${SLOT})`;
      await written(async (on) => {
        await manual(on, THEIRS, 1);
        await manual(on, OURS, 0);
      });
      await beginManualDays({ store: createManualDayStore(sql), marks: async () => new Map(), clock, contained });
      return sql`select day_start_equity_usd::int as equity from books where id = ${`manual:${OURS}`} and day is not null`;
    },
    handled: [{ equity: 0 }],
  },
  'booking funding': {
    async run(contained) {
      const held = [{ instrument: 'evmvenue:BTC', quantity: '1', costUsd: '5', openedAt: SLOT }];
      await written(async (on) => {
        for (const orgId of [THEIRS, OURS])
          await on`
            insert into books (id, org_id, mode, version, capital_usd, cash_usd, holdings, fills, turnover_usd, opened_at, changed_at)
            values (${`funding:${orgId}`}, ${orgId}, 'paper', 1, 0, 0, ${on.json(held)}, 0, 0, ${SLOT}, ${SLOT})`;
      });
      const hour = 3_600_000;
      const ended = Math.floor(SLOT / hour) * hour;
      const store = createFundingStore(sql);
      const broken: FundingStore = {
        ...store,
        fills: async (bookId) => {
          if (bookId === `funding:${THEIRS}`) throw new Error('unreadable');
          return [{ instrument: 'evmvenue:BTC', side: 'buy', quantity: '1', at: ended - 1 }];
        },
      };
      const history = {
        fetchFunding: async () => [{ at: ended, hourlyFunding: '0.0001' }],
        fetchCandles: async () => [{ openTime: ended - hour, open: '1', high: '1', low: '1', close: '50000', volume: '1' }],
      };
      await bookFunding({ store: broken, history, clock: { now: () => ended + 120_000 }, contained });
      return sql`select funding_usd::text as paid from books where id = ${`funding:${OURS}`} and funding_usd > 0`;
    },
    handled: [{ paid: '5' }],
  },
  'booking new multipliers': {
    async run(contained) {
      const due = [THEIRS, OURS].map((orgId) => ({ bookId: `rescaled:${orgId}`, orgId, instrument: 'spotchain:AAPLx' as const, at: SLOT }));
      const booked: string[] = [];
      const store = {
        due: async () => due,
        book: async ({ orgId }: (typeof due)[number]) => {
          if (orgId === THEIRS) throw new Error('unreadable');
          booked.push(orgId);
          return true;
        },
      };
      await createRescalings({ store, clock: { now: () => SLOT + 120_000 }, contained })();
      return booked;
    },
    handled: [OURS],
  },
  'liquidating perpetuals': {
    async run(contained) {
      await written(async (on) => {
        for (const [orgId, costUsd] of [
          [THEIRS, 'unreadable'],
          [OURS, '50000'],
        ] as const) {
          const held = [{ instrument: 'evmvenue:BTC', quantity: '1', costUsd, openedAt: SLOT }];
          await on`
            insert into books (id, org_id, mode, version, capital_usd, cash_usd, holdings, fills, turnover_usd, opened_at, changed_at)
            values (${`margin:${orgId}`}, ${orgId}, 'paper', 1, 0, 0, ${on.json(held)}, 0, 0, ${SLOT}, ${SLOT})`;
        }
      });
      // Preferences allow five times leverage: a fifth of the cost is the margin, and at 40 % below the cost the venue has taken all of it.
      await liquidateBooks({ store: createMarginStore(sql), bid: () => '30000', clock: { now: () => SLOT }, contained });
      return sql`select fill_price::int as price, side from fills where book_id = ${`margin:${OURS}`}`;
    },
    handled: [{ price: 40_000, side: 'sell' }],
  },
  'settling resolved prediction markets': {
    async run(contained) {
      const market = (letter: string) => `pm-${letter.repeat(24)}`;
      await written(async (on) => {
        for (const [letter, orgId, payout] of [
          ['a', THEIRS, '1000000'],
          ['b', OURS, '1'],
        ] as const) {
          const id = market(letter);
          const outcomes = ['yes', 'no'].map((side) => ({ side, payout: side === 'yes' ? payout : '0' }));
          await on`
            insert into prediction_markets (id, provider, provider_id, question, status, provider_status, closes_at, source, observed_at, received_at, body)
            values (${id}, 'kalshi', ${id}, 'q', 'resolved', 'settled', ${SLOT}, 's', ${SLOT}, ${SLOT}, ${on.json({ id, outcomes })})`;
          await on`
            insert into prediction_status_changes (market_id, status, provider_status, source, observed_at, received_at, payouts)
            select id, status, provider_status, source, observed_at, received_at, prediction_payouts(body) from prediction_markets where id = ${id}`;
          const holdings = [{ instrument: `prediction:${id}.yes`, quantity: '10', costUsd: '5', openedAt: SLOT }];
          await on`
            insert into books (id, org_id, mode, version, capital_usd, cash_usd, holdings, fills, turnover_usd, opened_at, changed_at)
            values (${`org:${orgId}:paper`}, ${orgId}, 'paper', 1, 100, 95, ${on.json(holdings)}, 1, 5, ${SLOT}, ${SLOT})`;
        }
      });
      await settleResolved(sql, SLOT, contained);
      return sql`select market_id, payout::int as payout from prediction_settlements`;
    },
    handled: [{ market_id: `pm-${'b'.repeat(24)}`, payout: 1 }],
  },
  'refreshing the leaderboard': {
    async run(contained) {
      const saved: number[] = [];
      const wallet = (id: number) => ({
        id,
        chain: 'evmvenue',
        address: String(id),
        newest: null,
        ledgerSlot: null,
        ledger: {},
        readAt: null,
        transactions: 0,
        truncatedAt: null,
      });
      const refresh = createLeaderboardRefresh({
        store: {
          stale: async () => [wallet(1), wallet(2)] as never,
          save: async ({ wallet: { id } }: { wallet: { id: number } }) => {
            if (id === 1) throw BROKEN;
            saved.push(id);
          },
          failed: async () => {},
          project: async () => ({ waiting: 0, behindMs: 0 }),
        } as never,
        histories: { transactions: null, fills: async () => [], failureOf: () => null },
        clock,
        contained,
      });
      expect(await refresh.run()).toMatchObject({ refreshed: 1, failed: 1 });
      return saved;
    },
    handled: [2],
  },
  'comparing what vaults claim with what is held': {
    async run(contained) {
      const claims = {
        cashUsd: '0',
        cashAt: { spotexchange: '0', spotchain: '0' },
        depositedUsd: '0',
        holdings: [],
        books: { cashUsd: '0', capitalUsd: '0' },
      };
      const kept: string[] = [];
      const broken = (): never => {
        throw BROKEN;
      };
      const check = createReserveCheck({
        store: {
          claims: async () =>
            new Map([
              [THEIRS, broken],
              [OURS, () => claims],
            ]),
          newest: async () => null,
          walletsOf: async () => [],
          positionsOf: async () => [],
          keep: async (orgId: string) => void kept.push(orgId),
        } as never,
        places: { exchange: null, balancesOf: null, positionsOf: null },
        clock,
        contained,
      });
      await check.run();
      return kept;
    },
    handled: [OURS],
  },
  checkpoints: {
    async run(contained) {
      const reached: string[] = [];
      const subject = (id: string) => ({ id, orgId: OURS, kind: 'agent', version: 128, checkpointVersion: 0 });
      await writeCheckpoints({
        store: {
          due: async () => [subject('bad'), subject('good')],
          checkpoint: async () => null,
          steps: async (id: string) => {
            unless(id);
            return [];
          },
          write: async (id: string) => void reached.push(id),
        } as never,
        directory: { kind: () => ({}) } as never,
        contained,
      });
      return reached;
    },
    handled: ['good'],
  },
  'assessing paper and shadow stages': {
    async run(contained) {
      const assessed: string[] = [];
      const validate = async ({ id }: { readonly id: string }): Promise<void> => {
        unless(id);
        assessed.push(id);
      };
      const untold = async () => [bad, good];
      const tellOutdated = (id: string) => validate({ id });
      const silence = { silent: async () => [bad, good].map(({ id }) => ({ id, last: 0 })), tellSilence: validate };
      const agreement = {
        due: async () => [bad, good].map(({ id }) => ({ id, orgId: OURS, passedRun: null, dueSince: 0 })),
        disagreed: async () => [bad, good].map(({ id }) => ({ id, runId: id, agreementPct: null })),
        runtime: { deliver: tellOutdated as never },
        evaluations: { start: (_: unknown, id: string) => tellOutdated(id).then(() => ({ ok: true })) as never },
        newId: () => OURS,
      };
      const gates = { dueForToday: untold, validate, untold, tellOutdated, filled: untold, tellDrift: tellOutdated, agreement, ...silence };
      await assessDue(gates, SLOT, contained);
      return assessed;
    },
    handled: ['good', 'good', 'good', 'good', 'good', 'good'],
  },
  'what the feed observes': {
    async run(contained) {
      const poison = await agent(THEIRS);
      await agent(OURS);
      await written(
        (on) => on`update manifests set canonical = '{"x":1}', hash = encode(sha256('{"x":1}'), 'hex') where agent_id = ${poison}`,
      );
      const needs = createMarketNeeds({ manifests: () => activeManifests(sql), held: () => heldInstruments(sql), contained });
      await needs.refresh();
      const universe = sampleManifest().universe as readonly { readonly key: string }[];
      return universe.every(({ key }) => needs.looked.has(key)) && needs.indicators.length > 0;
    },
    handled: true,
  },
  'measuring shadow orders': {
    async run(contained) {
      const measured: string[] = [];
      const order = (id: string) => ({
        id,
        instrument: BTC,
        side: 'buy',
        quantity: '1',
        limitPrice: '1',
        sentAt: SLOT - 3_600_000,
        restedUntil: null,
      });
      await measureDue({
        store: {
          instruments: async () => [],
          unmeasured: async () => [order('bad'), order('good')] as never,
          write: async ([found]) => {
            unless(found?.order.id ?? '');
            measured.push(found?.order.id ?? '');
          },
        },
        keeper: { window: (span: object) => ({ ...span, books: [], trades: [], gaps: [] }) } as never,
        now: SLOT,
        contained,
      });
      return measured;
    },
    handled: ['good'],
  },
};

const containment = () =>
  createContainment({
    isOutage,
    isSilence: () => false,
    ledger: createQuarantineLedger(sql),
    clock,
    onError: (what) => () => void told.push(what),
  });

describe.each(Object.entries(CASES) as [RowLoop, Case][])('%s', (loop, { run, handled }) => {
  test('a bad row is skipped and counted, and the good one is handled', async () => {
    expect(await run(containment()(loop))).toEqual(handled);
    const rows = await sql<{ detail: string }[]>`select detail from quarantined_rows where loop = ${loop}`;
    expect(rows.length, loop).toBeGreaterThan(0);
    expect((await countQuarantined(sql)).rows.find((one) => one.loop === loop)?.count).toBe(rows.length);
    const alerts =
      await sql`select 1 from announcements where channel = 'alerts' and body->>'what' = 'row_quarantined' and body->>'loop' = ${loop}`;
    expect(alerts).toHaveLength(rows.length);
  });
});

test('the metrics count quarantined rows by loop, and the actors', async () => {
  const metrics = createMetrics();
  const { actors: count, rows } = await countQuarantined(sql);
  expect(rows.length).toBeGreaterThan(5);
  await stalledShardsWatch(sql, metrics, { error: () => {} }).run();
  const written = (await metrics.render()).split('\n').filter((line) => line.startsWith('sevengate_quarantined_'));
  expect(written.sort()).toEqual(
    [`sevengate_quarantined_actors ${count}`, ...rows.map((row) => `sevengate_quarantined_rows{loop="${row.loop}"} ${row.count}`)].sort(),
  );
  // A released row is no longer counted.
  const loop = rows[0]?.loop as RowLoop;
  for (const { id } of await sql<{ id: string }[]>`select row_id as id from quarantined_rows where loop = ${loop}`)
    await createQuarantineLedger(sql).release(loop, id);
  await stalledShardsWatch(sql, metrics, { error: () => {} }).run();
  expect(await metrics.render()).not.toContain(`sevengate_quarantined_rows{loop="${loop}"}`);
});

test('every loop of the service is in the matrix, or has a reason why no row can stop it', () => {
  const withRows = Object.entries(LOOPS).filter(([, { row }]) => row !== null);
  expect(Object.keys(CASES).sort()).toEqual(withRows.map(([name]) => name).sort());
  for (const [name, loop] of Object.entries(LOOPS)) if (loop.row === null) expect(loop.why, name).toMatch(/\w/);
});

test('a quarantined row is retried after its wait, and released once it succeeds', async () => {
  const contained = containment()('checkpoints');
  let broken = true;
  const work = (): void => {
    if (broken) throw BROKEN;
  };
  const each = () => contained.each([{ id: 'mended' }], ({ id }) => ({ id, orgId: OURS }), work);
  const failures = async () => (await sql`select failures from quarantined_rows where row_id = 'mended'`).map((row) => row['failures']);
  expect(await each()).toBe(0);
  expect([contained.waiting, await each(), await failures()]).toEqual([1, 0, [1]]);
  clock.advanceTo(clock.now() + 1_000);
  expect([await each(), await failures()]).toEqual([0, [2]]);
  broken = false;
  clock.advanceTo(clock.now() + 2_000);
  expect([await each(), await failures(), contained.waiting]).toEqual([1, [], 0]);
});

test('an outage quarantines no row', async () => {
  const contained = containment()('checkpoints');
  const lost = Object.assign(new Error('gone'), { code: 'CONNECTION_CLOSED' });
  await expect(
    contained.each(
      [{ id: 'blameless' }],
      ({ id }) => ({ id, orgId: OURS }),
      () => Promise.reject(lost),
    ),
  ).rejects.toBe(lost);
  expect(await sql`select 1 from quarantined_rows where row_id = 'blameless'`).toEqual([]);
});

test('a forged step of one agent: the halt of its organization pauses all others, quarantines that one, and completes', async () => {
  const [poison, neighbour] = [await agent(OURS), await agent(OURS)];
  await written((on) => forgedStep(on, poison));
  const halts = createEmergencyHalt({ runtime: actors.runtime, store: createAgentDirectory(sql), clock: idle });
  await halts.halt(OURS, { subject: 'ann', requestId: 'r1' }, [], 'done');
  const causes = await sql`select id, pause_cause from agents where id in (${poison}, ${neighbour})`;
  expect(Object.fromEntries(causes.map((row) => [row['id'], row['pause_cause']]))).toEqual({
    [poison]: 'quarantine',
    [neighbour]: 'emergency_halt',
  });
  expect(await sql`select swept_epoch = epoch as swept from control where org_id = ${OURS}`).toEqual([{ swept: true }]);
  expect(await sql`select kind from incidents where actor_id = ${poison}`).toEqual([{ kind: 'quarantined' }]);
});

describe.each([
  [
    'manifests of text that is not JSON',
    (on: Sql, id: string) =>
      on`update manifests set canonical = 'schemaVersion: 1', hash = encode(sha256('schemaVersion: 1'), 'hex') where agent_id = ${id}`,
  ],
  [
    'manifests whose universe is a number',
    (on: Sql, id: string) =>
      on`update manifests set canonical = '{"universe":3,"entry":3,"exit":[]}', hash = encode(sha256('{"universe":3,"entry":3,"exit":[]}'), 'hex') where agent_id = ${id}`,
  ],
  ['books whose holdings are no list', (on: Sql, id: string) => on`update books set holdings = '{"x":1}' where agent_id = ${id}`],
])('%s', (_, poison) => {
  test('fail no query over several organizations', async () => {
    const id = await agent(THEIRS);
    await written(async (on) => {
      await liveBook(on, THEIRS, id, 0);
      await on`update agents set stage = 'shadow', closing = '[{"instrument":null,"limitPrice":null,"at":1}]' where id = ${id}`;
      await poison(on, id);
    });
    const live = await agent(THEIRS);
    await written(async (on) => {
      await on`update agents set stage = 'live' where id = ${live}`;
      await poison(on, live);
    });
    const killSwitch = createKillSwitchStore(sql);
    await Promise.all([
      activeManifests(sql),
      heldInstruments(sql),
      tradersSubscribedTo(sql)('spotchain'),
      createShadowStore(sql).instruments(),
      killSwitch.tripped(),
      killSwitch.closing(),
      createReserveStore(sql).claims(),
      liveInstruments(sql),
      addedLiveInstruments(sql, 'spotchain', []),
    ]);
  });
});
