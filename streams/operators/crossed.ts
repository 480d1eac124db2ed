/** Books that cannot be: a bid above the ask, or a side that is missing. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import { compareDecimals } from '../../src/domain/decimal.ts';
import type { FeedMessage } from '../../src/domain/market-event.ts';
import type { Quote } from '../../src/domain/quote.ts';
import { CROSSED, markQuote, ONE_SIDED } from '../flag-bits.ts';
import { type Rule, type RuleOptions, ruleOperator } from './rule.ts';

/** The mark of a book: crossed, one-sided or none. A locked book (bid = ask) is allowed: venues show it for moments. */
export function judgeBook(quote: Quote): number {
  const { bid, ask } = quote;
  if (bid === null || ask === null) return ONE_SIDED;
  return compareDecimals(bid, ask) > 0 ? CROSSED : 0;
}

export function createCrossedRule(options: RuleOptions = {}): Rule {
  return (message) => {
    if (message.kind !== 'quote') return message;
    const marks = judgeBook(message);
    if (marks === 0) return message;
    options.counters?.count(message.venue, marks === CROSSED ? 'crossed' : 'one_sided');
    return markQuote(message, marks);
  };
}

/**
 * Marks quotes `degraded`: with `crossed` where the bid lies above the ask, with `one_sided` where a side is missing (spec 2.1).
 * ```
 * source     --a-----b-----c-----d-----    (bid/ask: 1/2, 2/2, 3/2, -/2)
 * crossed()  --a-----b-----c'----d"----    (': crossed, ": one_sided; both degraded)
 * ```
 */
export function crossed(options: RuleOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return ruleOperator(() => createCrossedRule(options));
}
