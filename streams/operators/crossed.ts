/** Marks impossible books: a bid above the ask, or a missing side. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import { compareDecimals } from '../../src/domain/values/decimal.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import { CROSSED, ONE_SIDED } from '../quality/flag-bits.ts';
import { type QualityRule, type RuleOptions, rulesOperator } from './rule.ts';

/** Returns the flag bit of a book: crossed, one-sided or none. A locked book (bid = ask) is allowed, because venues show it for moments. */
function bookBits(quote: Quote): number {
  const { bid, ask } = quote;
  if (bid === null || ask === null) return ONE_SIDED;
  return compareDecimals(bid, ask) > 0 ? CROSSED : 0;
}

export function crossedRule(options: RuleOptions = {}): QualityRule {
  return {
    quote(quote) {
      const bits = bookBits(quote);
      if (bits !== 0) options.counters?.count(quote.venue, bits === CROSSED ? 'crossed' : 'one_sided');
      return bits;
    },
  };
}

/**
 * Marks quotes `degraded`: with `crossed` where the bid lies above the ask, with `one_sided` if a side is missing.
 * ```
 * source     --a-----b-----c-----d-----    (bid/ask: 1/2, 2/2, 3/2, -/2)
 * crossed()  --a-----b-----c'----d"----    (': crossed, ": one_sided; both degraded)
 * ```
 */
export function crossed(options: RuleOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return rulesOperator([crossedRule(options)], options);
}
