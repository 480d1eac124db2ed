/** The worker: carries actors. Ticks, durable timers and errands; as many processes of it as there are. */
import { agentKind } from '../../../actors/agent/effects.ts';
import { createCommandDesk } from '../../../actors/agent/command-desk.ts';
import type { AgentCommands } from '../../../actors/agent/commands.ts';
import { createShardTicker, type TickStore } from '../../../actors/agent/shard-tick.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import { startDispatcher } from '../../../actors/runtime/dispatcher.ts';
import { type ErrandCarrier, startErrands } from '../../../actors/runtime/errands.ts';
import { lookEvery } from '../../../actors/runtime/look.ts';
import { createRuntime, type Runtime } from '../../../actors/runtime/runtime.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import type { Clock } from '../../../streams/clock.ts';
import { openTickQueue, type QueuePlace, type TickJob } from '../../adapters/queue/tick-queue.ts';
import { createActorStore } from '../../adapters/store/actor-store.ts';
import { createAgentDirectory } from '../../adapters/store/agent-directory.ts';
import type { Sql } from '../../adapters/store/database.ts';
import { createIdempotencyStore } from '../../adapters/store/idempotency-store.ts';
import { createDispatchStore, createTickStore, databaseNow } from '../../adapters/store/tick-store.ts';
import { AGENT_TICK_MS } from '../../domain/time.ts';
import type { Logger } from '../log.ts';
import type { ServiceMetrics } from '../metrics.ts';

/** Shards that one process ticks at a time. */
const SHARDS_AT_ONCE = 4;
const SYSTEM = 'system';
/** How long the answer under an Idempotency-Key is kept, and how often old ones are forgotten. */
const ANSWER_HOURS = 48;
const TIDY_MS = 3_600_000;

/** The actors of this database, as any role may reach them. */
export interface Actors {
  readonly runtime: Runtime;
  readonly commands: AgentCommands;
}

export function openActors(sql: Sql, clock: Clock, newId: () => string): Actors {
  const runtime = createRuntime({ store: createActorStore(sql), directory: createDirectory([agentKind]), clock });
  return { runtime, commands: createCommandDesk({ runtime, agents: createAgentDirectory(sql), clock, newId }) };
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
  readonly tickStore?: TickStore;
}): { ping(): Promise<void>; stop(): Promise<void> } {
  const { sql, clock, log, metrics, actors } = deps;
  const actorStore = createActorStore(sql);
  const complain =
    (what: string) =>
    (error: unknown): void => {
      log.warn({ err: error }, what);
    };
  const ticker = createShardTicker({
    store: deps.tickStore ?? createTickStore(sql, actorStore.incident),
    now: () => databaseNow(sql),
    clock,
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
  // Agents have no errands; kinds of actors that do name their carriers here.
  const carriers: { [kind: string]: ErrandCarrier } = {};
  const errands = startErrands({ store: actorStore, runtime: actors.runtime, carriers, clock, onError: complain('errands') });
  const answers = createIdempotencyStore(sql);
  const tidying = lookEvery(clock, TIDY_MS, () => answers.forgetOlderThan(ANSWER_HOURS), complain('forgetting old answers'));
  return {
    ping: () => queue.ping(),
    async stop() {
      await Promise.all([dispatcher.stop(), timers.stop(), errands.stop(), tidying.stop()]);
      await queue.close();
    },
  };
}
