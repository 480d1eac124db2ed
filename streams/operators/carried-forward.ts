/** Marks outdated reference prices: the session is closed, or the publisher repeats an old price. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import { chooseFreshness, type QualityRule, type RuleOptions, rulesOperator } from './rule.ts';

export function carriedForwardRule(options: RuleOptions = {}): QualityRule {
  const freshness = chooseFreshness(options);
  return {
    reference(reference) {
      const bits = freshness.sessionBits(reference, reference.receivedAt);
      if (bits !== 0) options.counters?.count('reference', 'carried_forward');
      return bits;
    },
  };
}

/**
 * Marks reference prices `stale`: with `session_closed` while no session is open, with `carried_forward` if the
 * publisher repeats a price that it did not update within the age limit, or the price of another session.
 * ```
 * source            --a----b----c----    (a: fresh, REGULAR; b: not updated for an hour; c: on a Sunday)
 * carriedForward()  --a----b'---c"---    (': carried_forward, ": session_closed, carried_forward; both stale)
 * ```
 */
export function carriedForward(options: RuleOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return rulesOperator([carriedForwardRule(options)], options);
}
