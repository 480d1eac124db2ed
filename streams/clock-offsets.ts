/** Offset of each venue's clock from ours: a median of the measurements, so that no single slow answer moves it. */
import type { FeedMessage } from '../src/domain/market/market-event.ts';
import type { ClockOffset } from '../src/domain/market/market-state.ts';
import type { ReferencePrice } from '../src/domain/market/quote.ts';
import { sessionAt } from '../src/domain/market/session.ts';
import type { EpochMs } from '../src/domain/values/time.ts';
import type { Venue } from '../src/domain/market/venue.ts';

/** Measurements that are kept of each kind. */
const PROBES = 9;
const EVENTS = 257;
/** Answers of a server's time count for so long; then its events speak again. */
const PROBE_LIFE_MS = 10 * 60_000;

/** The newest measurements of one kind, and what is in the middle of them. */
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

  /** The lower middle if the number is even. */
  median(): number {
    const sorted = [...this.#values].sort((a, b) => a - b);
    return sorted[(sorted.length - 1) >> 1] ?? 0;
  }
}

/**
 * True if a reference price was published just now. Outside of regular sessions it is hours old, and a delayed or undated one says nothing
 * about a clock.
 */
function tellsTime({ quality, observedAt, receivedAt }: ReferencePrice): boolean {
  return quality === 'live' && observedAt !== receivedAt && sessionAt(receivedAt) === 'REGULAR';
}

/** Measures venue by venue, from answers of a venue's server time where it has one, and from its events. */
export class ClockOffsets {
  readonly #probes = new Map<Venue, Measured>();
  readonly #events = new Map<Venue, Measured>();

  /** Takes a message's own time. An event is late by its way to us, so what it shows is an offset with that way included. */
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

  /** Takes an answer of a venue's server time, asked at `askedAt` and received at `heardAt`: halfway between it was right. */
  probe(venue: Venue, serverTime: EpochMs, askedAt: EpochMs, heardAt: EpochMs): void {
    let measured = this.#probes.get(venue);
    if (measured === undefined) {
      measured = new Measured(PROBES);
      this.#probes.set(venue, measured);
    }
    measured.add(serverTime - (askedAt + heardAt) / 2, heardAt);
  }

  /** The venue's offset; null if nothing was measured. Positive: its clock is ahead of ours. */
  of(venue: Venue, at: EpochMs): ClockOffset | null {
    const probes = this.#probes.get(venue);
    if (probes !== undefined && at - probes.at <= PROBE_LIFE_MS) return offsetOf(probes, 'server_time');
    const events = this.#events.get(venue);
    return events === undefined ? null : offsetOf(events, 'event_time');
  }
}

function offsetOf(measured: Measured, method: ClockOffset['method']): ClockOffset {
  return { offsetMs: Math.round(measured.median()), method, samples: measured.samples, measuredAt: measured.at };
}
