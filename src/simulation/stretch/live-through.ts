/**
 * Runs through a period as fast as possible: receives the market, cuts each slot, ticks every shard, and carries out effects of a tick
 * (orders, timers) at their own times before the next slot. The parts are the live service's over its own store, under a virtual clock.
 */
import type { VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { AGENT_TICK_MS, type EpochMs, HOUR_MS } from '../../domain/values/time.ts';
import { ORDER_AFTER_MS } from '../paper-broker.ts';

/** Time before a slot at which the last prices are received, in milliseconds. */
const LAST_WORD_MS = 1_000;
/** Interval of the check for recurring work. */
const LOOK_MS = 500;

export interface LivedParts {
  readonly clock: VirtualClock;
  /** Receives the market's messages at the clock's time. */
  readonly receive: () => Promise<void>;
  /** Ticks every shard of this period up to the slot, which is already cut. */
  readonly tick: (periodMs: number, slot: EpochMs) => Promise<void>;
  /** Returns the time at which the next timer or activity is due, or null if there is none. */
  readonly nextDue: () => Promise<EpochMs | null>;
  /** Runs due timers and activities. */
  readonly carryDue: () => Promise<void>;
  /** Runs once every simulated hour, at a slot. */
  readonly everyHour: (slot: EpochMs) => Promise<void>;
}

interface LivedStretch {
  readonly to: EpochMs;
  /** Tick periods, in milliseconds. */
  readonly periodsMs: readonly number[];
  /** Ends the run after the current slot. */
  readonly signal: AbortSignal;
}

/** Runs from the clock's time on. Returns the last completed slot. */
export async function liveThrough(parts: LivedParts, { to, periodsMs, signal }: LivedStretch): Promise<EpochMs> {
  const { clock } = parts;
  const stepMs = Math.min(AGENT_TICK_MS, ...periodsMs);
  let last = clock.now();
  for (let slot = Math.floor(last / stepMs + 1) * stepMs; slot <= to && !signal.aborted; slot += stepMs) {
    await followUp(parts, slot - LAST_WORD_MS);
    if (clock.now() < slot - LAST_WORD_MS) await clock.settleTo(slot - LAST_WORD_MS);
    await parts.receive();
    // One millisecond past the slot, so that the cut contains everything received within it.
    await clock.settleTo(slot + 1);
    for (const periodMs of periodsMs) if (slot % periodMs === 0) await parts.tick(periodMs, slot);
    if (slot % HOUR_MS === 0) await parts.everyHour(slot);
    last = slot;
  }
  return last;
}

/** Carries out everything due before an instant, each at its own time and at that time's prices. */
async function followUp(parts: LivedParts, until: EpochMs): Promise<void> {
  const { clock } = parts;
  // A worker sends an order this long after its slot, and checks again at the same interval.
  let earliest = clock.now() + ORDER_AFTER_MS;
  for (;;) {
    const due = await parts.nextDue();
    if (due === null || due >= until) return;
    const at = Math.max(due, earliest);
    if (at >= until) return;
    await clock.settleTo(at);
    await parts.receive();
    await parts.carryDue();
    earliest = at + LOOK_MS;
  }
}
