/** Worker role: ticks, durable timers and activities of actors. Any number of processes may run it. */
import { type AgentCommands, createCommandHandler } from '../../../actors/agent/commands.ts';
import { startActivities } from '../../../actors/runtime/activities.ts';
import type { ActorStore } from '../../../actors/runtime/actor-store.ts';
import { writeCheckpoints } from '../../../actors/runtime/actor-history.ts';
import type { Containment } from '../../../actors/runtime/containment.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { startDispatcher } from '../../../actors/runtime/dispatcher.ts';
import { startRecurring } from '../../../actors/runtime/recurring.ts';
import { runEvery } from '../../../actors/runtime/run-every.ts';
import { createRuntime, type Runtime } from '../../../actors/runtime/runtime.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import { createTurns } from '../../../actors/ticking/shard-ticker.ts';
import type { TradingTickStore } from '../../../actors/ticking/trading-decisions.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { ServiceMetrics } from '../../adapters/log/metrics.ts';
import type { QueueAddress } from '../../adapters/queue/bullmq.ts';
import { openTickQueue, type TickJob } from '../../adapters/queue/tick-queue.ts';
import { openWorkPlan } from '../../adapters/queue/work-plan.ts';
import { createActorStore } from '../../adapters/store/actors/actor-store.ts';
import { createHistoryStore } from '../../adapters/store/actors/history-store.ts';
import { createRecurringStore } from '../../adapters/store/actors/recurring-store.ts';
import { shareCommits } from '../../adapters/store/actors/shared-commits.ts';
import { createAgentDirectory } from '../../adapters/store/agents/agent-directory.ts';
import { createDispatchStore, databaseNow } from '../../adapters/store/agents/dispatch-store.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createProposalStore } from '../../adapters/store/orders/proposal-store.ts';
import { type KeptDays, stalledShardsWatch, tidyingWork } from '../../adapters/store/store-upkeep.ts';
import type { WorkerDeps, WorkerTrading } from '../capabilities/capability.ts';
import { ACTOR_KINDS, createActivityWorkers, listRecurringWork, createTickers, listWatches } from '../capabilities/index.ts';
import { leaderboardWork } from '../wiring/leaderboard.ts';
import { reserveWork } from '../wiring/reserves.ts';
import type { Logger } from '../../adapters/log/log.ts';
import { MINUTE_MS } from '../../domain/values/time.ts';

/** Maximum number of shards that one process ticks at a time. */
const SHARDS_AT_ONCE = 4;
/** Interval of writing checkpoints of long histories. */
const CHECKPOINT_MS = MINUTE_MS;

const directory = createDirectory(ACTOR_KINDS);

/** Actors of this database, for any role. */
export interface Actors {
  readonly runtime: Runtime;
  readonly commands: AgentCommands;
}

/** Opens the actors. @param store commits steps instead of the database */
export function openActors(sql: Sql, clock: Clock, newId: () => string, store: ActorStore = shareCommits(createActorStore(sql))): Actors {
  const runtime = createRuntime({ store, directory, clock });
  return { runtime, commands: createCommandHandler({ runtime, agents: createAgentDirectory(sql), clock, newId }) };
}

export function startWorker(options: {
  readonly sql: Sql;
  readonly queue: QueueAddress;
  readonly actors: Actors;
  readonly containment: Containment;
  readonly clock: Clock;
  readonly holder: string;
  readonly log: Logger;
  readonly metrics: ServiceMetrics;
  /** Tick periods by kind in milliseconds that replace the kind's own. */
  readonly periodsMs?: Readonly<Record<string, number>>;
  /** Store of ticks, if it is not the database. */
  readonly tickStore?: TradingTickStore;
  readonly trading?: WorkerTrading;
  readonly kept: KeptDays;
}): { ping(): Promise<void>; stop(): Promise<void> } {
  const { sql, clock, log, metrics, actors, containment } = options;
  const { runtime } = actors;
  const store = shareCommits(createActorStore(sql, options.holder));
  const onError =
    (what: string) =>
    (error: unknown): void => {
      log.warn({ err: error }, what);
    };
  const { leaseIsHeld } = createProposalStore(sql);
  const deps: WorkerDeps = { sql, store, runtime, clock, leaseIsHeld, trading: options.trading ?? null, containment, onError };
  const tickers = createTickers({
    ...deps,
    now: () => databaseNow(sql),
    alone: createTurns(),
    ...(options.tickStore === undefined ? {} : { tickStore: options.tickStore }),
    periodsMs: options.periodsMs ?? {},
  });
  const queue = openTickQueue(options.queue, onError('queue'), (job, error) => {
    metrics.tickFailed();
    log.error({ err: error, ...job }, 'a tick failed; its shard did not advance');
  });
  queue.work(async ({ periodMs, shard, slot }: TickJob) => {
    const ticker = tickers.get(periodMs);
    if (ticker === undefined) throw new Error(`no kind of actor is ticked every ${periodMs} ms`);
    const began = clock.now();
    const { decisions, late, crashed } = await ticker.tick(periodMs, shard, slot);
    metrics.ticked({ decisions, late, crashed: crashed.length, tookMs: clock.now() - began, behindMs: clock.now() - slot });
  }, SHARDS_AT_ONCE);
  const dispatcher = startDispatcher({
    store: createDispatchStore(sql),
    enqueue: (jobs) => queue.add(jobs),
    clock,
    periodsMs: [...tickers.keys()],
    holder: options.holder,
    contained: containment('dispatcher'),
    onError: onError('dispatcher'),
  });
  const timers = startTimers({ store, runtime, clock, contained: containment('timers'), onError: onError('timers') });
  const parts = { store, runtime, workers: createActivityWorkers(deps), clock };
  const activities = startActivities({ ...parts, contained: containment('activities'), onError: onError('activities') });
  const plan = openWorkPlan(options.queue, onError('queue'));
  const recurring = startRecurring({
    works: [
      ...listRecurringWork(deps),
      ...[...tickers.keys()].map((periodMs) => ({ what: `slots of ${periodMs} ms` as const, everyMs: periodMs, run: dispatcher.look })),
      ...leaderboardWork(deps, metrics),
      ...reserveWork(deps, metrics),
      ...tidyingWork(sql, options.kept, clock),
      {
        what: 'checkpoints',
        everyMs: CHECKPOINT_MS,
        run: () => writeCheckpoints({ store: createHistoryStore(sql), directory, contained: containment('checkpoints') }),
      },
    ],
    plan,
    store: createRecurringStore(sql),
    clock,
    holder: options.holder,
    onError,
  });
  const watches = [...listWatches(deps), stalledShardsWatch(sql, metrics, log)].map(({ what, everyMs, run }) =>
    runEvery(clock, what, everyMs, run, onError(what)),
  );
  return {
    ping: () => queue.ping(),
    async stop() {
      await Promise.all([recurring, dispatcher, timers, activities, ...watches].map((part) => part.stop()));
      await Promise.all([queue.close(), plan.close()]);
    },
  };
}
