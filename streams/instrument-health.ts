/** Whether each instrument's own book can be believed: edges for those who look at it, while its venue is received well. */
import { Observable, type OperatorFunction } from 'rxjs';
import type { FeedMessage } from '../src/domain/market-event.ts';
import type { Quote } from '../src/domain/quote.ts';
import type { EpochMs } from '../src/domain/time.ts';
import { type InstrumentKey, instrumentKey } from '../src/domain/venue.ts';
import { CROSSED, flagsOf, GAP, flagBitsOf, OVER_AGE, RESYNCING } from './flag-bits.ts';
import type { Freshness } from './freshness.ts';

/** One instrument's book became gapped, crossed or silent, or whole again. */
export interface InstrumentEdge {
  readonly type: 'feed.degraded' | 'feed.restored';
  readonly instrument: InstrumentKey;
  readonly at: EpochMs;
  /** Receipt of the last quote that nothing was wrong with; null where there was none. */
  readonly goodAt: EpochMs | null;
  /** One sentence for people. */
  readonly detail: string;
}

/** A book that is wrong, not a market that is thin: one side may be empty, and a jump is confirmed or refuted by itself. */
const BROKEN = GAP | RESYNCING | CROSSED;

interface Health {
  degraded: boolean | null;
  goodAt: EpochMs | null;
}

/**
 * Edges of single instruments out of assessed messages with the flags of time (`MarketPipeline.assessed`). The first good
 * quote of an instrument is told as `feed.restored`: an earlier process may have told that it was degraded. A feed that
 * only speaks of changes is never silent for one instrument alone; that whole connections are lost is told by venue.
 * ```
 * source             --a--b'--c'--d--    (': crossed, gapped or over age)
 * instrumentEdges()  --R--D-------R--    (D: feed.degraded, R: feed.restored)
 * ```
 */
export function instrumentEdges(freshness: Freshness): OperatorFunction<FeedMessage, InstrumentEdge> {
  return (source) =>
    new Observable((subscriber) => {
      const healths = new Map<InstrumentKey, Health>();
      return source.subscribe({
        next: (message) => {
          if (message.kind !== 'quote') return;
          const edge = edgeOf(message, brokenBits(message, freshness), healths);
          if (edge !== null) subscriber.next(edge);
        },
        error: (error) => subscriber.error(error),
        complete: () => subscriber.complete(),
      });
    });
}

function brokenBits(quote: Quote, freshness: Freshness): number {
  if (quote.flags.length === 0) return 0;
  const silent = freshness.feedLimits(quote).cadence === 'change_only' ? 0 : OVER_AGE;
  return flagBitsOf(quote.flags) & (BROKEN | silent);
}

function edgeOf(quote: Quote, broken: number, healths: Map<InstrumentKey, Health>): InstrumentEdge | null {
  const instrument = instrumentKey(quote.venue, quote.instrument);
  let health = healths.get(instrument);
  if (health === undefined) {
    health = { degraded: null, goodAt: null };
    healths.set(instrument, health);
  }
  const degraded = broken !== 0;
  if (!degraded) health.goodAt = quote.receivedAt;
  if (health.degraded === degraded) return null;
  health.degraded = degraded;
  return {
    type: degraded ? 'feed.degraded' : 'feed.restored',
    instrument,
    at: quote.receivedAt,
    goodAt: health.goodAt,
    detail: degraded ? `${instrument} is ${flagsOf(broken).join(', ')}` : `${instrument} is quoted soundly`,
  };
}
