/** Offset of each venue's clock from ours, as a median of measurements, so that a single slow answer does not change it. */
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { ClockOffset } from '../../src/domain/market/market-state.ts';
import type { ReferencePrice } from '../../src/domain/market/quote.ts';
import { sessionAt } from '../../src/domain/market/session.ts';
import { type EpochMs, MINUTE_MS } from '../../src/domain/values/time.ts';
import type { Venue } from '../../src/domain/market/venue.ts';

/** Number of measurements kept per kind. */
const PROBES = 9;
const EVENTS = 257;
/** Milliseconds for which answers of a server's time count. Afterwards its events are used again. */
const PROBE_LIFE_MS = 10 * MINUTE_MS;

/** Newest measurements of one kind, and their median. */
class Measured {
  readonly #values: number[] = [];
  readonly #most: number;
  #next = 0;
  at: EpochMs = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get samples(): number {
    return this.#values.length;
  }

  add(value: number, at: EpochMs): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % this.#most;
    this.at = at;
  }

  /** Returns the median, or the lower middle if the number is even. */
  median(): number {
    const sorted = [...this.#values].sort((a, b) => a - b);
    return sorted[(sorted.length - 1) >> 1] ?? 0;
  }
}

/**
 * True if a reference price was published just now. Outside regular sessions it is hours old, and a delayed or undated one says nothing
 * about a clock.
 */
function tellsTime({ quality, observedAt, receivedAt }: ReferencePrice): boolean {
  return quality === 'live' && observedAt !== receivedAt && sessionAt(receivedAt) === 'REGULAR';
}

/** Measures each venue by its server time, if it has one, and by its events. */
export class ClockOffsets {
  readonly #probes = new Map<Venue, Measured>();
  readonly #events = new Map<Venue, Measured>();

  /** Measures by a message's own time. An event arrives late, so its offset includes the latency. */
  take(message: FeedMessage): void {
    if (message.kind !== 'quote' && message.kind !== 'reference') return;
    if (message.kind === 'quote' ? !message.sourceTime : !tellsTime(message)) return;
    let measured = this.#events.get(message.venue);
    if (measured === undefined) {
      measured = new Measured(EVENTS);
      this.#events.set(message.venue, measured);
    }
    measured.add(message.observedAt - message.receivedAt, message.receivedAt);
  }

  /**
   * Measures by an answer of a venue's server time, requested at `askedAt` and received at `heardAt`. It is assumed to be right halfway
   * between.
   */
  probe(venue: Venue, serverTime: EpochMs, askedAt: EpochMs, heardAt: EpochMs): void {
    let measured = this.#probes.get(venue);
    if (measured === undefined) {
      measured = new Measured(PROBES);
      this.#probes.set(venue, measured);
    }
    measured.add(serverTime - (askedAt + heardAt) / 2, heardAt);
  }

  /** Returns the venue's offset, positive if its clock is ahead, or null if nothing was measured. */
  of(venue: Venue, at: EpochMs): ClockOffset | null {
    const probes = this.#probes.get(venue);
    if (probes !== undefined && at - probes.at <= PROBE_LIFE_MS) return toOffset(probes, 'server_time');
    const events = this.#events.get(venue);
    return events === undefined ? null : toOffset(events, 'event_time');
  }
}

function toOffset(measured: Measured, method: ClockOffset['method']): ClockOffset {
  return { offsetMs: Math.round(measured.median()), method, samples: measured.samples, measuredAt: measured.at };
}
