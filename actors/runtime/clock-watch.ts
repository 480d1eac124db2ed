/** Comparison of this machine's clock with PostgreSQL's. A process whose clock is off takes no cut. */
import type { EpochMs } from '../../src/domain/values/time.ts';
import { ageInWords } from '../../src/domain/values/words.ts';
import type { Clock } from '../../streams/clock.ts';
import type { Log } from '../../streams/log.ts';
import { runEvery } from './run-every.ts';

/** Machines of one service that are kept by NTP differ by milliseconds; a quote of five seconds would be told wrong by more. */
const BOUND_MS = 2_000;
const CHECK_MS = 5_000;

export interface ClockState {
  /** Positive if this machine's clock is ahead of PostgreSQL's; null before the first answer. Milliseconds. */
  readonly offsetMs: number | null;
  /** True if the difference is within the limit, and before the first answer. */
  readonly ok: boolean;
  /** One sentence for people. */
  readonly detail: string;
}

export interface ClockWatch {
  /** Asks PostgreSQL now. @throws what the database throws: then the state stays as it was. */
  check(): Promise<ClockState>;
  state(): ClockState;
  stop(): Promise<void>;
}

/**
 * Compares the clocks every five seconds. Half of the question's own duration is allowed on top of the bound, because
 * nobody knows when within it PostgreSQL looked at its clock. `told` is told of every comparison.
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
    if (known.ok && !ok) log.error({ offsetMs }, `${detail}: this process takes no cut until they agree`);
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
