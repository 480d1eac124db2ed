/** Order of events: an older one never replaces a newer one, and the same one is heard once. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { FeedMessage } from '../../src/domain/market-event.ts';
import type { PerpContext, PoolLiquidity, Quote, ReferencePrice } from '../../src/domain/quote.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import { markQuote, OUT_OF_ORDER } from '../flag-bits.ts';
import type { FeedLimits } from '../quality-limits.ts';
import { isSkewed } from './clock-skew.ts';
import { FeedSlots, freshnessOf, type Rule, type RuleOptions, ruleOperator } from './rule.ts';

/** `restarted`: older by the venue's word, yet heard so long after the last that the venue must have begun to count anew. */
export type Order = 'newer' | 'out_of_order' | 'duplicate' | 'restarted';

export interface QuoteOrderSlot {
  sequence: number | null;
  observedAt: EpochMs;
  last: Quote | null;
}

function sameBook(a: Quote, b: Quote): boolean {
  return a.bid === b.bid && a.ask === b.ask && a.bidSize === b.bidSize && a.askSize === b.askSize;
}

/**
 * Where a quote stands to those before it, by the venue's numbers where it has them, else by its times. The same
 * number with another book is newer (one block may bring several). A time from the future orders nothing: it would
 * shut out every good quote after it. A polled feed's unchanged answer is a new proof, never a duplicate.
 *
 * One connection does not bring quotes in the wrong order over longer than a quote may be old: what is still older
 * then shows a venue that numbers anew or set its clock back. To go on dropping it would leave the last quote
 * standing, vouched for by heartbeats; so it is `restarted`, and order begins with it.
 */
export function judgeQuoteOrder(slot: QuoteOrderSlot, quote: Quote, limits: FeedLimits): Order {
  const timed = quote.sourceTime && !isSkewed(quote, limits);
  const { last } = slot;
  const difference = placeOf(slot, quote, timed);
  if (difference < 0) {
    // A polled feed's last answer ages by itself.
    if (limits.cadence === 'polled' || last === null || quote.receivedAt - last.receivedAt <= limits.maxAgeMs) return 'out_of_order';
    slot.sequence = quote.sequence;
    slot.observedAt = timed ? quote.observedAt : Number.NEGATIVE_INFINITY;
    slot.last = quote;
    return 'restarted';
  }
  const level = difference === 0;
  if (level && last !== null && sameBook(last, quote) && (quote.sourceTime || limits.cadence !== 'polled')) return 'duplicate';
  if (quote.sequence !== null) slot.sequence = quote.sequence;
  if (timed && quote.observedAt > slot.observedAt) slot.observedAt = quote.observedAt;
  slot.last = quote;
  return 'newer';
}

/** Below, equal to or above zero as the quote is older than, level with or newer than what its slot has seen. */
function placeOf(slot: QuoteOrderSlot, quote: Quote, timed: boolean): number {
  if (quote.sequence !== null && slot.sequence !== null) {
    const difference = quote.sequence - slot.sequence;
    return difference !== 0 || !timed ? difference : quote.observedAt - slot.observedAt;
  }
  return timed ? quote.observedAt - slot.observedAt : 1;
}

/** A new connection numbers anew, and its first quote is news even where nothing changed. Times go on. */
export function resetQuoteOrder(slot: QuoteOrderSlot): void {
  slot.sequence = null;
  slot.last = null;
}

/** What is ordered by its time alone. */
export type TimedEvent = ReferencePrice | PerpContext | PoolLiquidity;

export interface TimedOrderSlot {
  observedAt: EpochMs;
  last: TimedEvent | null;
}

function sameContent(a: TimedEvent, b: TimedEvent): boolean {
  if (a.kind === 'reference') {
    return (
      b.kind === 'reference' &&
      a.feedUpdatedAt === b.feedUpdatedAt &&
      a.referencePrice === b.referencePrice &&
      a.confidence === b.confidence
    );
  }
  if (a.kind === 'pool_liquidity') return b.kind === 'pool_liquidity' && a.liquidityUsd === b.liquidityUsd;
  return (
    b.kind === 'perp_context' &&
    a.markPrice === b.markPrice &&
    a.oraclePrice === b.oraclePrice &&
    a.hourlyFunding === b.hourlyFunding &&
    a.openInterest === b.openInterest &&
    a.dayNotional === b.dayNotional
  );
}

/** Where an event without numbers stands to those before it. */
export function judgeTimedOrder(slot: TimedOrderSlot, event: TimedEvent, maxSkewMs: number): Exclude<Order, 'restarted'> {
  if (event.observedAt > event.receivedAt + maxSkewMs) return 'newer';
  if (event.observedAt < slot.observedAt) return 'out_of_order';
  if (event.observedAt === slot.observedAt && slot.last !== null && sameContent(slot.last, event)) return 'duplicate';
  slot.observedAt = event.observedAt;
  slot.last = event;
  return 'newer';
}

export function resetTimedOrder(slot: TimedOrderSlot): void {
  slot.last = null;
}

export function createOutOfOrderRule(options: RuleOptions = {}): Rule {
  const freshness = freshnessOf(options);
  const quotes = new FeedSlots<QuoteOrderSlot>(createQuoteOrderSlot);
  const timed = { reference: timedSlots(), perp_context: timedSlots(), pool_liquidity: timedSlots() };
  return (message) => {
    let order: Order;
    switch (message.kind) {
      case 'quote':
        order = judgeQuoteOrder(quotes.at(message.venue, message.source, message.instrument), message, freshness.feedLimits(message));
        break;
      case 'reference':
      case 'perp_context':
      case 'pool_liquidity':
        order = judgeTimedOrder(
          timed[message.kind].at(message.venue, message.source, message.instrument),
          message,
          freshness.limits.venues[message.venue].maxSkewMs,
        );
        break;
      case 'feed_status':
        if (message.status === 'connected') {
          quotes.eachOf(message, resetQuoteOrder);
          for (const slots of Object.values(timed)) slots.eachOf(message, resetTimedOrder);
        }
        return message;
      default:
        return message;
    }
    if (order === 'newer') return message;
    options.counters?.count(message.venue, order === 'restarted' ? 'out_of_order' : order);
    return order === 'restarted' && message.kind === 'quote' ? markQuote(message, OUT_OF_ORDER) : null;
  };
}

export function createQuoteOrderSlot(): QuoteOrderSlot {
  return { sequence: null, observedAt: Number.NEGATIVE_INFINITY, last: null };
}

export function timedSlots(): FeedSlots<TimedOrderSlot> {
  return new FeedSlots(() => ({ observedAt: Number.NEGATIVE_INFINITY, last: null }));
}

/**
 * Drops, and counts, events that are older than or equal to what was heard before (spec 2.1). An older one never replaces a newer one.
 * Where a venue begins to count anew, its first quote is marked `degraded` with `out_of_order` and order begins with it.
 * ```
 * source        --1--3--2--3--4--    (numbers)
 * outOfOrder()  --1--3--------4--    (2: out_of_order, 3: duplicate)
 * ```
 */
export function outOfOrder(options: RuleOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return ruleOperator(() => createOutOfOrderRule(options));
}
