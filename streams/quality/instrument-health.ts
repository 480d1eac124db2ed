/** Health of each instrument's own book, while its venue is received well: changes for agents. */
import { Observable, type OperatorFunction } from 'rxjs';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { type InstrumentKey, instrumentKey, type Venue } from '../../src/domain/market/venue.ts';
import { DATA_DEGRADATION_MS } from '../../src/domain/venues/venue-facts.ts';
import type { Clock } from '../clock/clock.ts';
import { CROSSED, toFlags, GAP, toFlagBits, OVER_AGE, RESYNCING } from './flag-bits.ts';
import type { Freshness } from './freshness.ts';

/** An instrument's book became gapped, crossed or silent, or recovered. */
export interface InstrumentEdge {
  readonly type: 'feed.degraded' | 'feed.restored';
  readonly instrument: InstrumentKey;
  readonly at: EpochMs;
  /**
   * Start of the five seconds: receipt of the last quote without a flag, or for polled quotes the due time of the next one. Null if there
   * was none.
   */
  readonly goodAt: EpochMs | null;
  /** One sentence for people. */
  readonly detail: string;
}

/** Flags of a broken book. A thin market is not broken: one side may be empty, and a jump is confirmed or refuted later. */
const BROKEN = GAP | RESYNCING | CROSSED;

interface InstrumentWatch {
  readonly freshness: Freshness;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  /** Returns the maximum milliseconds between polls of an instrument, or null if unknown. */
  readonly askedEveryMs: (venue: Venue, instrument: string) => number | null;
}

interface Health {
  degraded: boolean | null;
  /** Receipt of the last good quote. */
  goodAt: EpochMs | null;
  /** Time by which the next good quote is due, or null if silence means nothing. */
  dueAt: EpochMs | null;
  cancel: (() => void) | null;
}

/**
 * Returns edges of single instruments, from assessed messages with time flags (`MarketPipeline.assessed`). The first good quote of an
 * instrument is reported as `feed.restored`, because an earlier process may have reported it degraded. A timer reports silence: five
 * seconds after the last good quote, or for polled quotes after the next one was due. A feed that only sends changes is never silent for
 * a single instrument. Lost connections are reported per venue.
 * ```
 * source             --a--b'--c'--d--    (': crossed, gapped or over age)
 * instrumentEdges()  --R--D-------R--    (D: feed.degraded, R: feed.restored)
 * ```
 */
export function instrumentEdges(watch: InstrumentWatch): OperatorFunction<FeedMessage, InstrumentEdge> {
  return (source) =>
    new Observable((subscriber) => {
      const healths = new InstrumentHealths(watch, (edge) => subscriber.next(edge));
      const subscription = source.subscribe({
        next: (message) => {
          if (message.kind === 'quote') healths.take(message);
        },
        error: (error) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
      return () => {
        healths.stop();
        subscription.unsubscribe();
      };
    });
}

class InstrumentHealths {
  readonly #watch: InstrumentWatch;
  readonly #tell: (edge: InstrumentEdge) => void;
  readonly #healths = new Map<InstrumentKey, Health>();

  constructor(watch: InstrumentWatch, tell: (edge: InstrumentEdge) => void) {
    this.#watch = watch;
    this.#tell = tell;
  }

  take(quote: Quote): void {
    const key = instrumentKey(quote.venue, quote.instrument);
    let health = this.#healths.get(key);
    if (health === undefined) {
      health = { degraded: null, goodAt: null, dueAt: null, cancel: null };
      this.#healths.set(key, health);
    }
    const { everyMs, byAge } = this.#silenceOf(quote);
    const broken = toFlagBits(quote.flags) & (byAge ? BROKEN | OVER_AGE : BROKEN);
    // The same quote comes again when time flags change. It is no new sign.
    if (broken === 0 && (health.goodAt === null || quote.receivedAt > health.goodAt)) {
      health.goodAt = quote.receivedAt;
      health.dueAt = everyMs === null ? null : quote.receivedAt + everyMs;
    }
    if (broken !== 0) this.#become(key, health, true, quote.receivedAt, health.goodAt, `${key} is ${toFlags(broken).join(', ')}`);
    else if (quote.receivedAt === health.goodAt && !this.#isSilent(health))
      this.#become(key, health, false, quote.receivedAt, health.goodAt, `${key} is quoted soundly`);
    if (health.cancel === null) this.#arm(key, health);
  }

  stop(): void {
    for (const { cancel } of this.#healths.values()) cancel?.();
  }

  /** Returns the milliseconds after a quote at which the next one is due, or null if unknown, and if a quote's age also shows silence. */
  #silenceOf(quote: Quote): { readonly everyMs: number | null; readonly byAge: boolean } {
    const { cadence } = this.#watch.freshness.feedLimits(quote);
    if (cadence === 'change_only') return { everyMs: null, byAge: false };
    if (cadence === 'continuous') return { everyMs: 0, byAge: true };
    const everyMs = this.#watch.askedEveryMs(quote.venue, quote.instrument);
    return { everyMs, byAge: everyMs === null };
  }

  #isSilent({ dueAt }: Health): boolean {
    return dueAt !== null && this.#watch.clock.now() > dueAt + DATA_DEGRADATION_MS;
  }

  /** Sets one timer per instrument, renewed when it fires, so that a quote costs none. */
  #arm(key: InstrumentKey, health: Health): void {
    if (health.dueAt === null || this.#isSilent(health)) return;
    health.cancel = this.#watch.clock.deadline(health.dueAt + DATA_DEGRADATION_MS + 1, () => {
      health.cancel = null;
      if (!this.#isSilent(health)) return this.#arm(key, health);
      const detail = `${key} was not quoted since ${new Date(health.goodAt as EpochMs).toISOString()}`;
      this.#become(key, health, true, this.#watch.clock.now(), health.dueAt, detail);
    });
  }

  #become(instrument: InstrumentKey, health: Health, degraded: boolean, at: EpochMs, goodAt: EpochMs | null, detail: string): void {
    if (health.degraded === degraded) return;
    health.degraded = degraded;
    this.#tell({ type: degraded ? 'feed.degraded' : 'feed.restored', instrument, at, goodAt, detail });
  }
}
