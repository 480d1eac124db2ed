/** Gaps in a venue's numbering: what was lost in between makes the book untrustworthy until it is sent anew. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { FeedMessage } from '../../src/domain/market-event.ts';
import type { Quote } from '../../src/domain/quote.ts';
import { GAP, markQuote } from '../flag-bits.ts';
import type { FeedLimits } from '../quality-limits.ts';
import { FeedSlots, freshnessOf, type Rule, type RuleOptions, ruleOperator } from './rule.ts';

export interface GapSlot {
  gapSequence: number | null;
  gapped: boolean;
  resyncing: boolean;
}

/**
 * The mark of one quote: `GAP` from a missing number on until the feed is in step again. In step again means: the
 * adapter has flagged quotes as `resyncing` and stops doing so, or a new connection begins.
 */
export function judgeGap(slot: GapSlot, quote: Quote, limits: FeedLimits): number {
  const resyncing = quote.flags.length !== 0 && quote.flags.includes('resyncing');
  const inStepAgain = slot.resyncing && !resyncing;
  slot.resyncing = resyncing;
  if (inStepAgain) slot.gapped = false;
  if (quote.sequence === null) return slot.gapped ? GAP : 0;
  const last = slot.gapSequence;
  if (last === null || quote.sequence > last) slot.gapSequence = quote.sequence;
  if (limits.sequence === 'contiguous' && last !== null && quote.sequence > last + 1 && !inStepAgain) slot.gapped = true;
  return slot.gapped ? GAP : 0;
}

/** A new connection numbers anew. */
export function resetGap(slot: GapSlot): void {
  slot.gapSequence = null;
  slot.gapped = false;
  slot.resyncing = false;
}

export function createGapRule(options: RuleOptions = {}): Rule {
  const freshness = freshnessOf(options);
  const slots = new FeedSlots<GapSlot>(() => ({ gapSequence: null, gapped: false, resyncing: false }));
  return (message) => {
    if (message.kind === 'quote') {
      const slot = slots.at(message.venue, message.source, message.instrument);
      const wasGapped = slot.gapped;
      const marks = judgeGap(slot, message, freshness.feedLimits(message));
      if (slot.gapped && !wasGapped) options.counters?.count(message.venue, 'gap');
      return marks === 0 ? message : markQuote(message, marks);
    }
    if (message.kind === 'feed_status' && message.status === 'connected') slots.eachOf(message, resetGap);
    return message;
  };
}

/**
 * Marks quotes of feeds with contiguous numbers `degraded` with `gap` from a lost number until the feed is in step again
 * (limits: `sequence`; spec 2.1).
 * ```
 * source  --1--2--4--5--C--1--    (numbers; C: connected)
 * gap()   --1--2--4'-5'-C--1--    (': degraded, gap)
 * ```
 */
export function gap(options: RuleOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return ruleOperator(() => createGapRule(options));
}
