/** Simulated time of a sandbox, stored in its database. Only the owner of the tables can advance it. */
import type { Clock } from '../../../streams/clock/clock.ts';
import { aheadOfSystem, createLiveClock } from '../../../streams/clock/live-clock.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { Sql, Transaction } from './database.ts';
import { createWorkRecorder } from './long-work-store.ts';

/** Shift of a database's time. */
export interface SimulatedTime {
  /** Milliseconds by which the service's time is ahead of the machine's. */
  readonly aheadMs: number;
  /** Service time of the first shift; later data is simulated. */
  readonly since: EpochMs;
}

/** Reads the simulated time; null if it was never shifted. */
export async function simulatedTime(sql: Sql | Transaction): Promise<SimulatedTime | null> {
  const [row] = await sql<SimulatedTime[]>`select ahead_ms as "aheadMs", since from simulated()`;
  return row ?? null;
}

/** Returns the milliseconds by which the service's time is ahead of the machine's; 0 if it was never shifted. */
export async function aheadOfMachine(sql: Sql): Promise<number> {
  return (await simulatedTime(sql))?.aheadMs ?? 0;
}

/** Creates a live clock with the time of this database's service. */
export async function databaseClock(sql: Sql): Promise<Clock> {
  const aheadMs = await aheadOfMachine(sql);
  return createLiveClock(aheadOfSystem(() => aheadMs));
}

/** Advances the service's time to at least `at`; it never goes back. `owner` is connected as the owner of the tables. */
export async function moveTimeTo(owner: Sql, at: EpochMs): Promise<void> {
  // Not flushed to disk: later writes commit after it.
  await owner.begin((transaction) => [
    transaction`set local synchronous_commit to off`,
    transaction`
      insert into simulated_time (ahead_ms, since) select ${at} - record_clock_ms(), record_clock_ms() where ${at} > record_clock_ms()
      on conflict (only_one) do update set ahead_ms = simulated_time.ahead_ms + excluded.ahead_ms`,
  ]);
}

/** Records progress in the database while time is advanced. @param clock machine time, not simulated time */
export function recordedMove(sql: Sql, clock: Pick<Clock, 'now' | 'deadline'>, signal: AbortSignal) {
  const recorder = createWorkRecorder(sql, clock, 'sevengate sandbox advance');
  const work = {
    kind: 'sandbox_advance',
    subject: 'the time of the sandbox',
    source: "the sandbox's market",
    unit: 'hours',
    recorded: 'always',
    failureOf: () => (signal.aborted ? 'it was stopped before its end; what was lived through stays' : null),
    thrownFailureOf: () => 'it failed for a reason that its terminal tells; what was lived through stays',
  } as const;
  return <Moved>(live: (tell: (done: number, total: number) => void) => Promise<Moved>): Promise<Moved> =>
    recorder.during(work, (tell) => live(tell.progress.bind(tell)));
}
