/** Shared parts of one process of the service: its settings, clock, ids, log, metrics and lifecycle. */
import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { aheadOfSystem, createLiveClock } from '../../streams/clock/live-clock.ts';
import { createMetrics } from '../adapters/log/metrics.ts';
import { createNewIds } from '../adapters/new-ids.ts';
import type { Config, Role } from './config.ts';
import type { Logger } from '../adapters/log/log.ts';
import type { Clock } from '../../streams/clock/clock.ts';

export interface StartOptions {
  readonly config: Config;
  readonly roles: readonly Role[];
  /** Tape file that records everything received, or null if nothing is recorded. */
  readonly record: string | null;
  /** Search path for programs such as redis-server. */
  readonly path: string;
  readonly log: Logger;
  /** Signal that aborts when the process is told to stop before it has started. */
  readonly signal: AbortSignal;
}

export type ServiceProcess = ReturnType<typeof createServiceProcess>;

export function createServiceProcess(options: StartOptions) {
  const { log, roles } = options;
  let aheadMs = 0;
  const clock = createLiveClock(aheadOfSystem(() => aheadMs));
  return {
    ...options,
    ...createLifecycle(log, clock),
    clock,
    /** Sets the clock ahead of the machine's by this many milliseconds, for a sandbox whose time was moved. */
    setAhead: (ms: number): void => void (aheadMs = ms),
    /** Creates a UUIDv7. */
    newId: createNewIds(clock),
    /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
    random: (): number => randomBytes(4).readUInt32LE() / 2 ** 32,
    /** Name of this process in leases. */
    holder: `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`,
    metrics: createMetrics(),
    runs: (role: Role): boolean => roles.includes(role),
    /** Returns a handler that logs an error which the named part survives. */
    warn:
      (what: string): ((error: unknown) => void) =>
      (error) =>
        log.warn({ err: error }, what),
  };
}

/** Time after which a slow stop is logged, in milliseconds. */
const SLOW_MS = 2_000;

/** Keeps the started parts of a process, which are stopped in reverse order. */
function createLifecycle(log: Pick<Logger, 'warn'>, clock: Pick<Clock, 'elapsed'>) {
  const stops: { readonly what: string; readonly stop: () => Promise<unknown> }[] = [];
  return {
    /** Registers how to stop a part that was just started. `what` names it in the log if stopping fails. */
    onStop: (what: string, stop: () => Promise<unknown>): void => void stops.push({ what, stop }),
    /** Stops everything, newest first. Logs errors and slow parts, and continues with the rest. */
    async stop(): Promise<void> {
      for (const { what, stop } of stops.splice(0).reverse()) {
        const began = clock.elapsed();
        await stop().catch((error: unknown) => log.warn({ err: error }, `stopping ${what}`));
        const tookMs = Math.round(clock.elapsed() - began);
        if (tookMs > SLOW_MS) log.warn({ tookMs }, `stopping ${what} took ${tookMs} ms`);
      }
    },
  };
}
