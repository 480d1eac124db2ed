/** Marks events from the future, and measures each venue's clock offset. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import { type EpochMs, MINUTE_MS } from '../../src/domain/values/time.ts';
import { VENUES, type Venue } from '../../src/domain/market/venue.ts';
import type { FeedLimits } from '../../src/domain/venues/venue-facts.ts';
import { CLOCK_SKEW } from '../quality/flag-bits.ts';
import { type QualityRule, type RuleMemory, type RuleOptions, rulesOperator } from './rule.ts';

/** True if an event's own time is further in the future than the limit. */
export function isSkewed(event: Quote | ReferencePrice, limits: FeedLimits): boolean {
  const bound = event.receivedAt + limits.maxSkewMs;
  return event.observedAt > bound || (event.kind === 'reference' && event.feedUpdatedAt > bound);
}

/** Window in milliseconds for the minimum delay. */
const OFFSET_WINDOW_MS = MINUTE_MS;

/**
 * Minimum lag of receipts behind a venue's own times over the last one to two minutes, in milliseconds: network delay plus clock
 * difference. Negative if the venue's clock runs ahead. Null if the venue sends no times.
 */
export class VenueOffsets {
  readonly #windows = new Map<Venue, { from: EpochMs; least: number; before: number }>();

  take(event: Quote | ReferencePrice): void {
    if (event.kind === 'quote' && !event.sourceTime) return;
    const delay = event.receivedAt - event.observedAt;
    const window = this.#windows.get(event.venue);
    if (window === undefined) {
      this.#windows.set(event.venue, { from: event.receivedAt, least: delay, before: Number.POSITIVE_INFINITY });
    } else if (event.receivedAt - window.from >= OFFSET_WINDOW_MS) {
      window.before = event.receivedAt - window.from >= 2 * OFFSET_WINDOW_MS ? Number.POSITIVE_INFINITY : window.least;
      window.from = event.receivedAt;
      window.least = delay;
    } else if (delay < window.least) window.least = delay;
  }

  offsetMs(venue: Venue): number | null {
    const window = this.#windows.get(venue);
    return window === undefined ? null : Math.min(window.least, window.before);
  }

  /** Clock offset of every venue. */
  all(): Readonly<Record<Venue, number | null>> {
    return Object.fromEntries(VENUES.map((venue) => [venue, this.offsetMs(venue)])) as Record<Venue, number | null>;
  }
}

export interface ClockSkewOptions extends RuleOptions {
  /** Destination of the measured offsets. */
  readonly offsets?: VenueOffsets;
}

export function clockSkewRule(options: ClockSkewOptions = {}): QualityRule {
  const { counters, offsets } = options;
  const measureSkew = (event: Quote | ReferencePrice, { limits }: RuleMemory): number => {
    offsets?.take(event);
    if (!isSkewed(event, limits)) return 0;
    counters?.count(event.venue, 'clock_skew');
    return CLOCK_SKEW;
  };
  return { quote: measureSkew, reference: measureSkew };
}

/**
 * Marks events whose own time lies more than 2 s (limits: `maxSkewMs`) in the future `degraded` with `clock_skew`.
 * ```
 * source       --a--b--c--    (b: observedAt = receivedAt + 3 s)
 * clockSkew()  --a--b'-c--    (': degraded, clock_skew)
 * ```
 */
export function clockSkew(options: ClockSkewOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return rulesOperator([clockSkewRule(options)], options);
}
