/** Worker process that tests can kill: the product's wiring, ticking in short slots. */
import { randomBytes } from 'node:crypto';
import type { TradingTickStore } from '../../actors/ticking/trading-decisions.ts';
import { createMetrics } from '../../src/adapters/log/metrics.ts';
import type { QueueAddress } from '../../src/adapters/queue/bullmq.ts';
import { createActorStore } from '../../src/adapters/store/actors/actor-store.ts';
import { createTickStore } from '../../src/adapters/store/agents/tick-store.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { createLog } from '../../src/adapters/log/log.ts';
import { openActors, startWorker } from '../../src/boot/roles/worker.ts';
import { uuidV7 } from '../../src/domain/values/ids.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { createLiveClock } from '../../streams/clock/live-clock.ts';
import { containment } from '../harness/contained.ts';

/** Contents of the environment variable WORKER, as JSON. */
export interface WorkerOrders {
  readonly databaseUrl: string;
  readonly queue: QueueAddress;
  readonly periodMs: number;
  /** Agent whose decision ends this process, or blocks it for so many milliseconds, once. */
  readonly poison?: { readonly agentId: string; readonly hangMs?: number };
}

// A killed run closes this pipe, and the worker exits.
process.stdin.resume().once('end', () => process.exit(1));

const orders = JSON.parse(process.env['WORKER'] as string) as WorkerOrders;
const clock = createLiveClock();
const log = createLog('warn');
const sql = openDatabase({ url: orders.databaseUrl, connections: 8, name: 'sevengate worker' });
const store = createTickStore(sql, createActorStore(sql).incident);
const worker = startWorker({
  sql,
  queue: orders.queue,
  actors: openActors(sql, clock, () => uuidV7(clock.now(), randomBytes(10))),
  clock,
  holder: `worker ${process.pid}`,
  log,
  metrics: createMetrics(),
  containment,
  kept: { feedHistoryDays: 7, activityHistoryDays: 30, trailHistory: { days: null, folder: '' } },
  // No two kinds share a period.
  periodsMs: { agent: orders.periodMs, take: 2 * orders.periodMs },
  tickStore: orders.poison ? poisoned(store, orders.poison) : store,
});
process.once('SIGTERM', () => {
  void worker
    .stop()
    .then(() => sql.end({ timeout: 3 }))
    .then(() => process.exit(0));
});
process.stdout.write('ready\n');

/** Makes the rules of one agent crash or hang when its decision reads them. */
function poisoned(good: TradingTickStore, { agentId, hangMs }: NonNullable<WorkerOrders['poison']>): TradingTickStore {
  let hung = false;
  const worst = (manifest: Manifest): Manifest => ({
    ...manifest,
    get entry() {
      if (hangMs === undefined) process.kill(process.pid, 'SIGKILL');
      else if (!hung) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, hangMs);
      hung = true;
      return manifest.entry;
    },
  });
  return {
    ...good,
    duties: async (ids) =>
      (await good.duties(ids)).map((duty) => (duty.id === agentId ? { ...duty, manifest: worst(duty.manifest) } : duty)),
  };
}
