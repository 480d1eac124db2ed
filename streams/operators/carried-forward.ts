/** Reference prices that are not of now: the session is closed, or the publisher repeats an old price. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { FeedMessage } from '../../src/domain/market-event.ts';
import { markReference } from '../flag-bits.ts';
import { freshnessOf, type Rule, type RuleOptions, ruleOperator } from './rule.ts';

export function createCarriedForwardRule(options: RuleOptions = {}): Rule {
  const freshness = freshnessOf(options);
  return (message) => {
    if (message.kind !== 'reference') return message;
    const marks = freshness.sessionMarks(message, message.receivedAt);
    if (marks === 0) return message;
    options.counters?.count('reference', 'carried_forward');
    return markReference(message, marks);
  };
}

/**
 * Marks reference prices `stale`: with `session_closed` while no session is open, with `carried_forward` where the
 * publisher repeats a price that it did not update within the age limit, or the price of another session (spec 2.3).
 * ```
 * source            --a----b----c----    (a: fresh, REGULAR; b: not updated for an hour; c: on a Sunday)
 * carriedForward()  --a----b'---c"---    (': carried_forward, ": session_closed, carried_forward; both stale)
 * ```
 */
export function carriedForward(options: RuleOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return ruleOperator(() => createCarriedForwardRule(options));
}
