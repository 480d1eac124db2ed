/**
 * Lives through a stretch of time as fast as its parts can: the market is received, each slot is cut, every shard is ticked, and
 * what follows from a tick (orders, timers) is carried out at its own instant, before the next slot begins. The parts are those
 * of the live service over its own store; only the clock is a virtual one.
 */
import type { VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { AGENT_TICK_MS, type EpochMs, HOUR_MS } from '../../domain/values/time.ts';
import { ORDER_AFTER_MS } from '../paper-broker.ts';

/** The market's last word before a slot comes so long before it. */
const LAST_WORD_MS = 1_000;
/** Interval of the check for recurring work that is due. */
const LOOK_MS = 500;

export interface LivedParts {
  readonly clock: VirtualClock;
  /** Takes in what the market says at the clock's instant. */
  readonly receive: () => Promise<void>;
  /** Ticks every shard of this period up to the slot, whose cut the streams have made by now. */
  readonly tick: (periodMs: number, slot: EpochMs) => Promise<void>;
  /** Time at which the next timer or activity is due; null if none waits. */
  readonly nextDue: () => Promise<EpochMs | null>;
  /** Fires the timers and carries out the activities that are due. */
  readonly carryDue: () => Promise<void>;
  /** Runs once in every simulated hour, at a slot. */
  readonly everyHour: (slot: EpochMs) => Promise<void>;
}

export interface LivedStretch {
  readonly to: EpochMs;
  /** Periods of ticks, in milliseconds. */
  readonly periodsMs: readonly number[];
  /** Ends the stretch after the slot that is under way. */
  readonly signal: AbortSignal;
}

/** Lives from the clock's present on; answers the last slot that was lived through. */
export async function liveThrough(parts: LivedParts, { to, periodsMs, signal }: LivedStretch): Promise<EpochMs> {
  const { clock } = parts;
  const stepMs = Math.min(AGENT_TICK_MS, ...periodsMs);
  let last = clock.now();
  for (let slot = Math.floor(last / stepMs + 1) * stepMs; slot <= to && !signal.aborted; slot += stepMs) {
    await followUp(parts, slot - LAST_WORD_MS);
    if (clock.now() < slot - LAST_WORD_MS) await clock.settleTo(slot - LAST_WORD_MS);
    await parts.receive();
    // One millisecond past the slot: everything that was received within it is in its cut.
    await clock.settleTo(slot + 1);
    for (const periodMs of periodsMs) if (slot % periodMs === 0) await parts.tick(periodMs, slot);
    if (slot % HOUR_MS === 0) await parts.everyHour(slot);
    last = slot;
  }
  return last;
}

/** Carries out what is due before an instant, each at its own time and on what the market says then. */
async function followUp(parts: LivedParts, until: EpochMs): Promise<void> {
  const { clock } = parts;
  // A worker sends an order so long after its slot, and looks again as often.
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
