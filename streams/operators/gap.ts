/** Marks gaps in a venue's numbering. A lost message makes the book unreliable until it is sent again. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import { GAP } from '../quality/flag-bits.ts';
import { type QualityRule, type RuleMemory, type RuleOptions, rulesOperator } from './rule.ts';

/**
 * Returns the flag bit of a quote: `GAP` from a missing number until the feed has resynchronized, which is when the adapter stops flagging
 * quotes as `resyncing`, or a new connection begins.
 */
function gapBits(quote: Quote, memory: RuleMemory): number {
  const resyncing = quote.flags.length !== 0 && quote.flags.includes('resyncing');
  const inStepAgain = memory.resyncing && !resyncing;
  memory.resyncing = resyncing;
  if (inStepAgain) memory.gapped = false;
  if (quote.sequence === null) return memory.gapped ? GAP : 0;
  const last = memory.gapSequence;
  if (last === null || quote.sequence > last) memory.gapSequence = quote.sequence;
  if (memory.limits.sequence === 'contiguous' && last !== null && quote.sequence > last + 1 && !inStepAgain) memory.gapped = true;
  return memory.gapped ? GAP : 0;
}

export function gapRule(options: RuleOptions = {}): QualityRule {
  return {
    quote(quote, memory) {
      const wasGapped = memory.gapped;
      const bits = gapBits(quote, memory);
      if (memory.gapped && !wasGapped) options.counters?.count(quote.venue, 'gap');
      return bits;
    },
    // A new connection restarts the numbers.
    connected(memory) {
      memory.gapSequence = null;
      memory.gapped = false;
      memory.resyncing = false;
    },
  };
}

/**
 * Marks quotes of feeds with contiguous numbers `degraded` with `gap` from a lost number until the feed is in step again
 * (limits: `sequence`).
 * ```
 * source  --1--2--4--5--C--1--    (numbers; C: connected)
 * gap()   --1--2--4'-5'-C--1--    (': degraded, gap)
 * ```
 */
export function gap(options: RuleOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return rulesOperator([gapRule(options)], options);
}
