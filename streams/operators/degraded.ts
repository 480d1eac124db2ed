/** Combined quality: what an adapter flagged and what a reference's confidence says, in one word. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { FeedMessage } from '../../src/domain/market-event.ts';
import type { ReferencePrice } from '../../src/domain/quote.ts';
import { markQuote, markReference, WIDE_CONFIDENCE } from '../flag-bits.ts';
import type { FeedLimits } from '../quality-limits.ts';
import { freshnessOf, type Rule, type RuleOptions, ruleOperator } from './rule.ts';

/** The mark of a reference price whose confidence interval is too wide to compare a token with. Half-width / price is a ratio, hence a number. */
export function judgeConfidence(reference: ReferencePrice, limits: FeedLimits): number {
  const ratio = Number(reference.confidence) / Number(reference.referencePrice);
  // Written so that a ratio that is no number fails closed.
  return ratio >= 0 && ratio <= limits.maxConfidence ? 0 : WIDE_CONFIDENCE;
}

export function createDegradedRule(options: RuleOptions = {}): Rule {
  const freshness = freshnessOf(options);
  return (message) => {
    if (message.kind === 'quote') return markQuote(message, 0);
    if (message.kind !== 'reference') return message;
    const marks = judgeConfidence(message, freshness.feedLimits(message));
    if (marks !== 0) options.counters?.count('reference', 'wide_confidence');
    return markReference(message, marks);
  };
}

/**
 * Gives every quote and reference price at least the quality that its flags amount to, and marks references whose
 * confidence / price is above the bound (limits: `maxConfidence`) `degraded` with `wide_confidence` (spec 2.1, 2.3).
 * ```
 * source      --a--b--c--    (a: live with flag resyncing; b: clean; c: reference 100 ± 2)
 * degraded()  --a'-b--c'-    (': degraded)
 * ```
 */
export function degraded(options: RuleOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return ruleOperator(() => createDegradedRule(options));
}
