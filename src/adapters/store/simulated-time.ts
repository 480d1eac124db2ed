/** Simulated time of a sandbox: how far its database says it was moved on. Only the owner of the tables moves it. */
import type { Clock } from '../../../streams/clock.ts';
import { aheadOfSystem, createLiveClock } from '../../../streams/live-clock.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { StretchPorts } from '../../simulation/stretch/stretch.ts';
import type { Sql, Transaction } from './database.ts';
import { createWorkRecorder } from './long-work-store.ts';

/** A database whose time was moved. */
export interface SimulatedTime {
  /** Lead of the service's time over the machine's, in milliseconds. */
  readonly aheadMs: number;
  /** The service's time when it was moved first: what was written from then on is simulated. */
  readonly since: EpochMs;
}

/** Reads the simulated time; null if the time was never moved. */
export async function simulatedTime(sql: Sql | Transaction): Promise<SimulatedTime | null> {
  const [row] = await sql<SimulatedTime[]>`select ahead_ms as "aheadMs", since from simulated()`;
  return row ?? null;
}

/** Milliseconds that the service's time is ahead of the machine's; zero if it was never moved. */
export async function aheadOfMachine(sql: Sql): Promise<number> {
  return (await simulatedTime(sql))?.aheadMs ?? 0;
}

/** A live clock that stands where the service of this database stands. */
export async function databaseClock(sql: Sql): Promise<Clock> {
  const aheadMs = await aheadOfMachine(sql);
  return createLiveClock(aheadOfSystem(() => aheadMs));
}

/** Moves the service's time on to `at` at least; it never goes back. `owner` works as the owner of the tables. */
export async function moveTimeTo(owner: Sql, at: EpochMs): Promise<void> {
  // Not waited for on disk: what is written at that time commits after it.
  await owner.begin((transaction) => [
    transaction`set local synchronous_commit to off`,
    transaction`
      insert into simulated_time (ahead_ms, since) select ${at} - record_clock_ms(), record_clock_ms() where ${at} > record_clock_ms()
      on conflict (only_one) do update set ahead_ms = simulated_time.ahead_ms + excluded.ahead_ms`,
  ]);
}

/**
 * Writes in the database how far a stretch is while it is lived through, as of all long work.
 * @param clock Of the machine's time, not of the stretch's.
 */
export function recordedMove(sql: Sql, clock: Pick<Clock, 'now' | 'deadline'>, signal: AbortSignal): StretchPorts['recorded'] {
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
  return (live) => recorder.during(work, (tell) => live(tell.progress.bind(tell)));
}
