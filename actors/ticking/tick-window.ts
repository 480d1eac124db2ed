/** The period in which an actor is ticked, and its due slots. */
import type { EpochMs } from '../../src/domain/values/time.ts';

/** Pause of an actor: slots from `from` on and before `until`. */
interface Rest {
  readonly from: EpochMs;
  readonly until: EpochMs;
}

/** Stored actor of a shard. Ticked in the slots from `tickFrom` on and before `tickUntil`, if set, but not during `rests`. */
export interface ShardActor {
  readonly id: string;
  readonly version: number;
  readonly tickFrom: EpochMs;
  readonly tickUntil: EpochMs | null;
  readonly rests: readonly Rest[];
}

/** True if the actor has a row to write for the slot. */
export function isDue(actor: ShardActor, slot: EpochMs): boolean {
  if (slot < actor.tickFrom || (actor.tickUntil !== null && slot >= actor.tickUntil)) return false;
  for (const { from, until } of actor.rests) if (from <= slot && slot < until) return false;
  return true;
}

/** True if the actor was paused after `slot`, even if it has been resumed since. */
export function dutyEnds(actor: ShardActor, slot: EpochMs): boolean {
  return actor.tickUntil !== null || actor.rests.some(({ from }) => from > slot);
}

/** Time in milliseconds after a slot's start from which a tick is written as late. */
export const LATE_AFTER_MS = 30_000;

/** Period in which an actor is ticked, from its steps. `from` is null if it never was. */
export interface TickWindow {
  readonly from: EpochMs | null;
  readonly until: EpochMs | null;
  readonly rests: readonly Rest[];
}

/** Applies a step's `tick_window` record to the previous window. A new duty keeps the unticked part of the earlier one. */
export function movedWindow(
  before: TickWindow | undefined,
  moved: { readonly from: EpochMs | null; readonly until: EpochMs | null },
): TickWindow {
  const { from = null, until = null, rests = [] } = before ?? {};
  if (moved.from === null) return { from, until: moved.until, rests };
  if (from === null || until === null || until <= from) return { from: moved.from, until: moved.until, rests: [] };
  return { from, until: moved.until, rests: until < moved.from ? [...rests, { from: until, until: moved.from }] : rests };
}
