/** Shared parts of one process of the service: its settings, clock, ids, log, metrics and lifecycle. */
import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { aheadOfSystem, createLiveClock } from '../../streams/clock/live-clock.ts';
import { createMetrics } from '../adapters/log/metrics.ts';
import { createNewIds } from '../adapters/new-ids.ts';
import type { Config, Role } from './config.ts';
import { createLifecycle } from './lifecycle.ts';
import type { Logger } from '../adapters/log/log.ts';

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
