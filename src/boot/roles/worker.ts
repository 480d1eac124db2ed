/** The worker: carries actors. Ticks, durable timers and activities; as many processes of it as there are. */

import { createCommandHandler } from '../../../actors/agent/command-handler.ts';
import type { AgentCommands } from '../../../actors/agent/commands.ts';
import { agentKind } from '../../../actors/agent/effects.ts';
import { evaluationKind } from '../../../actors/evaluation/effects.ts';
import type { MarketPreTrade } from '../../../actors/market-order/commands.ts';
import { marketOrderKind } from '../../../actors/market-order/effects.ts';
import { marketOrderWorkers } from '../../../actors/market-order/execution.ts';
import { predictionOrderKind } from '../../../actors/prediction-order/effects.ts';
import { predictionOrderWorkers } from '../../../actors/prediction-order/execution.ts';
import { proposalKind } from '../../../actors/proposal/effects.ts';
import { type ExecutionDeps, executionWorkers } from '../../../actors/proposal/execution.ts';
import { createKillSwitch } from '../../../actors/proposal/kill-switch.ts';
import { type ActivityWorker, startActivities } from '../../../actors/runtime/activities.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { startDispatcher } from '../../../actors/runtime/dispatcher.ts';
import { runEvery } from '../../../actors/runtime/run-every.ts';
import { createRuntime, type Runtime } from '../../../actors/runtime/runtime.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import type { TradingTickStore } from '../../../actors/ticking/trading-ticker.ts';
import { createTradingTicker } from '../../../actors/ticking/trading-ticker.ts';
import type { Clock } from '../../../streams/clock.ts';
import { openTickQueue, type QueuePlace, type TickJob } from '../../adapters/queue/tick-queue.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import { createAgentDirectory } from '../../adapters/store/agents/agent-directory.ts';
import { createDispatchStore, createTickStore, databaseNow } from '../../adapters/store/agents/tick-store.ts';
import { createIdempotencyStore } from '../../adapters/store/callers/idempotency-store.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createKillSwitchStore } from '../../adapters/store/orders/kill-switch-store.ts';
import { settleResolved } from '../../adapters/store/orders/prediction-order-store.ts';
import { createProposalStore } from '../../adapters/store/orders/proposal-store.ts';
import { createVaultStore } from '../../adapters/store/vaults/vault-store.ts';
import { AGENT_TICK_MS } from '../../domain/time.ts';
import type { InstrumentKey } from '../../domain/venue.ts';
import { startBreakers } from '../breakers.ts';
import type { Logger } from '../log.ts';
import type { ServiceMetrics } from '../metrics.ts';
import type { OnchainPredictions } from '../prediction-orders.ts';
import { type PrimaryChain, preparedTransactions, preparedTransactionWorkers } from '../prepared-transactions.ts';

/** Shards that one process ticks at a time. */
const SHARDS_AT_ONCE = 4;
const SYSTEM = 'system';
/** How long the answer under an Idempotency-Key is kept, and how often old ones are forgotten. */
const ANSWER_HOURS = 48;
const TIDY_MS = 3_600_000;
/** How soon after a breaker its kill switch acts. */
const KILL_SWITCH_MS = 1_000;
/** How soon what a book holds of a market is settled once its resolution is known; providers are listed as often. */
const SETTLE_MS = 30_000;
/** Vaults are priced once per cut; one that was priced on it already is left alone. */
const VAULT_MARK_MS = AGENT_TICK_MS / 2;

/** The actors of this database, as any role may reach them. */
export interface Actors {
  readonly runtime: Runtime;
  readonly commands: AgentCommands;
}

export function openActors(sql: Sql, clock: Clock, newId: () => string): Actors {
  const runtime = createRuntime({
    store: createActorStore(sql),
    directory: createDirectory([agentKind, evaluationKind, marketOrderKind, predictionOrderKind, preparedTransactions, proposalKind]),
    clock,
  });
  return { runtime, commands: createCommandHandler({ runtime, agents: createAgentDirectory(sql), clock, newId }) };
}

export function startWorker(deps: {
  readonly sql: Sql;
  readonly queue: QueuePlace;
  readonly actors: Actors;
  readonly clock: Clock;
  readonly holder: string;
  readonly log: Logger;
  readonly metrics: ServiceMetrics;
  /** How often actors are ticked; `AGENT_TICK_MS` unless told. */
  readonly periodsMs?: readonly number[];
  /** Where ticks are read from and committed to, where that is not simply the database. */
  readonly tickStore?: TradingTickStore;
  /** What orders are executed with. A process without it executes none: their activities wait for one that does. */
  readonly trading?: Pick<ExecutionDeps, 'preTrade' | 'clients'> & {
    /** The primary chain. A process without it carries no prepared transaction: they wait for one that does. */
    readonly primaryChain?: PrimaryChain | null;
    /** The venue of live prediction orders. A process without it asks after none of them. */
    readonly onchainPredictions?: OnchainPredictions | null;
    /** Risk for the orders of people. A process without it executes none of them. */
    readonly manual?: MarketPreTrade;
    readonly approvalMs: number;
    /** The price at which a sell of the instrument would trade now; null where none is live. */
    readonly bid: (instrument: InstrumentKey) => string | null;
  };
}): { ping(): Promise<void>; stop(): Promise<void> } {
  const { sql, clock, log, metrics, actors } = deps;
  const actorStore = createActorStore(sql);
  const complain =
    (what: string) =>
    (error: unknown): void => {
      log.warn({ err: error }, what);
    };
  const breakers = startBreakers({ sql, runtime: actors.runtime, clock, onError: complain('breakers') });
  const ticker = createTradingTicker({
    store: deps.tickStore ?? createTickStore(sql, actorStore.incident),
    now: () => databaseNow(sql),
    clock,
    ...(deps.trading === undefined ? {} : { approvalMs: deps.trading.approvalMs }),
    onMarked: breakers.onMarked,
    pause: async (agentId) => {
      await actors.runtime.deliver(agentId, { type: 'pause', cause: 'tick_crash' }, { cause: SYSTEM });
    },
  });
  const queue = openTickQueue(deps.queue, complain('queue'));
  queue.work(async (job: TickJob) => {
    const began = clock.now();
    const { decisions, late, crashed } = await ticker.tick(job.periodMs, job.shard, job.slot);
    metrics.ticked({ decisions, late, crashed: crashed.length, tookMs: clock.now() - began, behindMs: clock.now() - job.slot });
  }, SHARDS_AT_ONCE);
  const dispatcher = startDispatcher({
    store: createDispatchStore(sql),
    enqueue: (jobs) => queue.add(jobs),
    clock,
    periodsMs: deps.periodsMs ?? [AGENT_TICK_MS],
    holder: deps.holder,
    onError: complain('dispatcher'),
  });
  const timers = startTimers({ store: actorStore, runtime: actors.runtime, clock, onError: complain('timers') });
  const execution = deps.trading && {
    ...deps.trading,
    runtime: actors.runtime,
    load: actorStore.load,
    leaseIsHeld: createProposalStore(sql).leaseIsHeld,
    clock,
  };
  // Agents have no activities; kinds of actors that do name their activity workers here.
  const workers: { [kind: string]: ActivityWorker } = {
    ...(execution === undefined ? {} : executionWorkers(execution)),
    ...(execution === undefined || deps.trading?.manual === undefined
      ? {}
      : marketOrderWorkers({ ...execution, preTrade: deps.trading.manual })),
    ...(deps.trading?.onchainPredictions
      ? predictionOrderWorkers({ load: actorStore.load, venue: deps.trading.onchainPredictions.venue })
      : {}),
    ...(deps.trading?.primaryChain
      ? preparedTransactionWorkers({ sql, runtime: actors.runtime, chain: deps.trading.primaryChain.chain, clock })
      : {}),
  };
  const activities = startActivities({ store: actorStore, runtime: actors.runtime, workers, clock, onError: complain('errands') });
  const vaults = createVaultStore(sql);
  const marking = runEvery(clock, VAULT_MARK_MS, () => vaults.mark(), complain('pricing vaults'));
  const settling = runEvery(clock, SETTLE_MS, () => settleResolved(sql, clock.now()), complain('settling resolved prediction markets'));
  const killSwitch = deps.trading && createKillSwitch({ ...deps.trading, store: createKillSwitchStore(sql), clock });
  const flattening = killSwitch && runEvery(clock, KILL_SWITCH_MS, killSwitch.look, complain('closing what a breaker holds'));
  const answers = createIdempotencyStore(sql);
  const tidying = runEvery(clock, TIDY_MS, () => answers.forgetOlderThan(ANSWER_HOURS), complain('forgetting old answers'));
  return {
    ping: () => queue.ping(),
    async stop() {
      await Promise.all([
        breakers.stop(),
        dispatcher.stop(),
        timers.stop(),
        activities.stop(),
        marking.stop(),
        settling.stop(),
        tidying.stop(),
        flattening?.stop(),
      ]);
      await queue.close();
    },
  };
}
