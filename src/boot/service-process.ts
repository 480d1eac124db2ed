/** Shared parts of one process of the service: its settings, clock, ids, log, metrics and lifecycle. */
import { randomBytes, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../../streams/clock/clock.ts';
import { aheadOfSystem, createLiveClock } from '../../streams/clock/live-clock.ts';
import { createMetrics, type ServiceMetrics } from '../adapters/log/metrics.ts';
import { createNewIds } from '../adapters/new-ids.ts';
import type { Config, Role } from './config.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
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

export interface ServiceProcess extends StartOptions, Lifecycle {
  readonly clock: Clock;
  /** Sets the clock ahead of the machine's by this many milliseconds, for a sandbox whose time was moved. */
  setAhead(aheadMs: number): void;
  /** Creates a UUIDv7. */
  readonly newId: () => string;
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Name of this process in leases. */
  readonly holder: string;
  readonly metrics: ServiceMetrics;
  runs(role: Role): boolean;
  /** Returns a handler that logs an error which the named part survives. */
  readonly warn: (what: string) => (error: unknown) => void;
}

export function createServiceProcess(options: StartOptions): ServiceProcess {
  const { log, roles } = options;
  let aheadMs = 0;
  const clock = createLiveClock(aheadOfSystem(() => aheadMs));
  return {
    ...options,
    ...createLifecycle(log, clock),
    clock,
    setAhead: (ms) => void (aheadMs = ms),
    newId: createNewIds(clock),
    random: () => randomBytes(4).readUInt32LE() / 2 ** 32,
    holder: `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`,
    metrics: createMetrics(),
    runs: (role) => roles.includes(role),
    warn: (what) => (error) => log.warn({ err: error }, what),
  };
}
