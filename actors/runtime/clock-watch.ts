/** Compares this machine's clock with PostgreSQL's. A process whose clock is off takes no cut. */
import type { EpochMs } from '../../src/domain/values/time.ts';
import { ageInWords } from '../../src/domain/values/words.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { Log } from '../../streams/log.ts';
import { runEvery } from './run-every.ts';

/**
 * Maximum difference in milliseconds. Machines with NTP differ by a few. A larger one would misjudge quotes that expire after five seconds.
 */
const BOUND_MS = 2_000;
const CHECK_MS = 5_000;

export interface ClockState {
  /** Difference in milliseconds, positive if this machine's clock is ahead of PostgreSQL's. Null before the first answer. */
  readonly offsetMs: number | null;
  /** True if the difference is within the limit, and before the first answer. */
  readonly ok: boolean;
  /** One sentence for people. */
  readonly detail: string;
}

export interface ClockWatch {
  /** Compares the clocks now. @throws the database's error, which leaves the state unchanged. */
  check(): Promise<ClockState>;
  state(): ClockState;
  stop(): Promise<void>;
}

/**
 * Compares the clocks every five seconds. Half of the query's own duration is added to the bound, because PostgreSQL may have read its
 * clock at any time in it. `told` receives every comparison.
 */
export function createClockWatch(deps: {
  /** Returns the time of PostgreSQL's clock. */
  readonly databaseNow: () => Promise<EpochMs>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>;
  readonly told?: (state: ClockState) => void;
}): ClockWatch {
  const { databaseNow, clock, log } = deps;
  let known: ClockState = { offsetMs: null, ok: true, detail: 'not compared yet' };

  async function check(): Promise<ClockState> {
    const before = clock.now();
    const databaseAt = await databaseNow();
    const after = clock.now();
    const offsetMs = Math.round((before + after) / 2 - databaseAt);
    const ok = Math.abs(offsetMs) <= BOUND_MS + (after - before) / 2;
    const direction = offsetMs > 0 ? 'ahead of' : 'behind';
    const detail = `this machine's clock is ${ageInWords(Math.abs(offsetMs))} ${direction} PostgreSQL's; at most ${ageInWords(BOUND_MS)} is accepted`;
    if (known.ok && !ok) log.error({ offsetMs }, `${detail}: this process writes no cut until the clocks agree`);
    if (!known.ok && ok) log.info({ offsetMs }, "this machine's clock agrees with PostgreSQL's again");
    known = { offsetMs, ok, detail };
    deps.told?.(known);
    return known;
  }

  const look = runEvery(
    clock,
    "comparing this machine's clock",
    CHECK_MS,
    async () => void (await check()),
    (error) => log.warn({ err: error }, "comparing this machine's clock with PostgreSQL's"),
  );
  return { check, state: () => known, stop: () => look.stop() };
}
