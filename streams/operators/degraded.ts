/** Combines an adapter's flags and a reference's confidence into one quality. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { ReferencePrice } from '../../src/domain/market/quote.ts';
import type { FeedLimits } from '../../src/domain/venues/venue-facts.ts';
import { toFlagBits, WIDE_CONFIDENCE } from '../quality/flag-bits.ts';
import { type QualityRule, type RuleOptions, rulesOperator } from './rule.ts';

/**
 * Returns the flag bit of a reference price whose confidence interval is too wide for comparing a token. Half-width / price is a ratio,
 * hence a number.
 */
function confidenceBits(reference: ReferencePrice, limits: FeedLimits): number {
  const ratio = Number(reference.confidence) / Number(reference.referencePrice);
  // Written so that NaN fails closed.
  return ratio >= 0 && ratio <= limits.maxConfidence ? 0 : WIDE_CONFIDENCE;
}

export function degradedRule(options: RuleOptions = {}): QualityRule {
  const own = ({ flags }: { readonly flags: ReferencePrice['flags'] }): number => (flags.length === 0 ? 0 : toFlagBits(flags));
  return {
    quote: own,
    reference(reference, { limits }) {
      const bits = confidenceBits(reference, limits);
      if (bits !== 0) options.counters?.count('reference', 'wide_confidence');
      return bits | own(reference);
    },
  };
}

/**
 * Gives every quote and reference price at least the quality that its flags amount to, and marks references whose
 * confidence / price is above the bound (limits: `maxConfidence`) `degraded` with `wide_confidence`.
 * ```
 * source      --a--b--c--    (a: live with flag resyncing; b: clean; c: reference 100 ± 2)
 * degraded()  --a'-b--c'-    (': degraded)
 * ```
 */
export function degraded(options: RuleOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return rulesOperator([degradedRule(options)], options);
}
