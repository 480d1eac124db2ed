/** The whole chain of quality rules in one pass: what the live path and the replay run. */
import { type MonoTypeOperatorFunction, pipe } from 'rxjs';
import type { FeedMessage } from '../src/domain/market-event.ts';
import type { Quote, ReferencePrice } from '../src/domain/quote.ts';
import { CLOCK_SKEW, CROSSED, markQuote, markReference, OUT_OF_ORDER } from './flag-bits.ts';
import { carriedForward } from './operators/carried-forward.ts';
import { clockSkew, isSkewed, VenueOffsets } from './operators/clock-skew.ts';
import { crossed, judgeBook } from './operators/crossed.ts';
import { degraded, judgeConfidence } from './operators/degraded.ts';
import { type GapSlot, gap, judgeGap, resetGap } from './operators/gap.ts';
import {
  judgeQuoteOrder,
  judgeTimedOrder,
  outOfOrder,
  type QuoteOrderSlot,
  resetQuoteOrder,
  resetTimedOrder,
  timedSlots,
} from './operators/out-of-order.ts';
import { contradictJump, type JumpSlot, judgeQuoteJump, judgeReferenceJump, jumpSlots, priceJump } from './operators/price-jump.ts';
import { FeedSlots, freshnessOf, type Rule, type RuleOptions, ruleOperator } from './operators/rule.ts';
import type { FeedLimits } from './quality-limits.ts';

export interface QualityChainOptions extends RuleOptions {
  readonly offsets?: VenueOffsets;
}

/** The rules one after the other, as operators: the plain version that `createQualityRule` is proved equal to. */
export function composedQuality(options: QualityChainOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return pipe(
    clockSkew(options),
    outOfOrder(options),
    gap(options),
    crossed(options),
    degraded(options),
    carriedForward(options),
    priceJump(options),
  );
}

interface ChainSlot extends QuoteOrderSlot, GapSlot {
  limits: FeedLimits | null;
  /** Shared by every feed of the venue that tells of the instrument. */
  jump: JumpSlot | null;
}

/**
 * The same rules as one: one look-up per quote, and one copy at most. Returns null where the message is dropped.
 * Deterministic in the sequence of messages; knows no clock (`stale` adds what time does).
 */
export function createQualityRule(options: QualityChainOptions = {}): Rule {
  const freshness = freshnessOf(options);
  const { counters, offsets } = options;
  const quotes = new FeedSlots<ChainSlot>(() => ({
    limits: null,
    jump: null,
    sequence: null,
    observedAt: Number.NEGATIVE_INFINITY,
    last: null,
    gapSequence: null,
    gapped: false,
    resyncing: false,
  }));
  const timed = { reference: timedSlots(), perp_context: timedSlots(), pool_liquidity: timedSlots() };
  const jumps = jumpSlots();

  function judgeQuote(quote: Quote): Quote | null {
    const slot = quotes.at(quote.venue, quote.source, quote.instrument);
    const limits = slot.limits ?? (slot.limits = freshness.feedLimits(quote));
    if (offsets !== undefined && quote.sourceTime) offsets.take(quote);
    let marks = 0;
    if (isSkewed(quote, limits)) {
      marks = CLOCK_SKEW;
      counters?.count(quote.venue, 'clock_skew');
    }
    const order = judgeQuoteOrder(slot, quote, limits);
    if (order !== 'newer') {
      counters?.count(quote.venue, order === 'restarted' ? 'out_of_order' : order);
      if (order !== 'restarted') return null;
      marks |= OUT_OF_ORDER;
    }
    const wasGapped = slot.gapped;
    marks |= judgeGap(slot, quote, limits);
    if (slot.gapped && !wasGapped) counters?.count(quote.venue, 'gap');
    const book = judgeBook(quote);
    if (book !== 0) {
      marks |= book;
      counters?.count(quote.venue, book === CROSSED ? 'crossed' : 'one_sided');
    }
    if (quote.flags.length !== 0) {
      // Its own feed heard another source contradict it.
      if (quote.flags.includes('price_jump')) counters?.count(quote.venue, 'price_jump');
    } else if (marks === 0 && quote.quality === 'live') {
      const jump = slot.jump ?? (slot.jump = jumps.at(quote.venue, quote.instrument));
      marks = judgeQuoteJump(jump, quote, limits);
      if (marks !== 0) counters?.count(quote.venue, 'price_jump');
    }
    return markQuote(quote, marks);
  }

  function judgeReference(reference: ReferencePrice): ReferencePrice | null {
    const limits = freshness.feedLimits(reference);
    offsets?.take(reference);
    let marks = 0;
    if (isSkewed(reference, limits)) {
      marks = CLOCK_SKEW;
      counters?.count('reference', 'clock_skew');
    }
    const order = judgeTimedOrder(
      timed.reference.at('reference', reference.source, reference.instrument),
      reference,
      freshness.limits.venues.reference.maxSkewMs,
    );
    if (order !== 'newer') {
      counters?.count('reference', order);
      return null;
    }
    const confidence = judgeConfidence(reference, limits);
    if (confidence !== 0) counters?.count('reference', 'wide_confidence');
    const session = freshness.sessionMarks(reference, reference.receivedAt);
    if (session !== 0) counters?.count('reference', 'carried_forward');
    marks |= confidence | session;
    if (reference.flags.length !== 0) {
      if (reference.flags.includes('price_jump')) counters?.count('reference', 'price_jump');
    } else if (marks === 0 && reference.quality === 'live') {
      marks = judgeReferenceJump(jumps.at('reference', reference.instrument), reference, limits);
      if (marks !== 0) counters?.count('reference', 'price_jump');
    }
    return markReference(reference, marks);
  }

  return (message) => {
    switch (message.kind) {
      case 'quote':
        return judgeQuote(message);
      case 'reference':
        return judgeReference(message);
      case 'perp_context':
      case 'pool_liquidity': {
        const slot = timed[message.kind].at(message.venue, message.source, message.instrument);
        const order = judgeTimedOrder(slot, message, freshness.limits.venues[message.venue].maxSkewMs);
        if (order === 'newer') {
          if (message.kind === 'perp_context')
            contradictJump(jumps.at(message.venue, message.instrument), message, freshness.limits.venues.evmvenue.maxJump);
          return message;
        }
        counters?.count(message.venue, order);
        return null;
      }
      case 'feed_status':
        if (message.status === 'connected') {
          quotes.eachOf(message, (slot) => {
            resetQuoteOrder(slot);
            resetGap(slot);
          });
          for (const slots of Object.values(timed)) slots.eachOf(message, resetTimedOrder);
        }
        return message;
      default:
        return message;
    }
  };
}

/** The one-pass chain as an operator. */
export function fusedQuality(options: QualityChainOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return ruleOperator(() => createQualityRule(options));
}

export { VenueOffsets };
