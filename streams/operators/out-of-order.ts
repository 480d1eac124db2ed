/** Drops old and repeated events: an older event never replaces a newer one. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { Quote } from '../../src/domain/market/quote.ts';
import { OUT_OF_ORDER } from '../quality/flag-bits.ts';
import { isSkewed } from './clock-skew.ts';
import { DROPPED, type QualityRule, type RuledEvent, type RuleMemory, type RuleOptions, rulesOperator } from './rule.ts';

/** Order of a quote. `restarted`: older by the venue's sequence, but received so late that the venue must have restarted its count. */
type Order = 'newer' | 'out_of_order' | 'duplicate' | 'restarted';

function sameBook(a: RuledEvent, b: Quote): boolean {
  return a.kind === 'quote' && a.bid === b.bid && a.ask === b.ask && a.bidSize === b.bidSize && a.askSize === b.askSize;
}

/**
 * Orders a quote relative to earlier ones, by the venue's numbers if it has them, else by its times. The same number with another book is
 * newer, because a block may contain several. A time from the future orders nothing, because it would block every good quote after it. A
 * polled feed's unchanged answer confirms the price and is no duplicate. Within a connection quotes are not out of order by more than a
 * quote's maximum age. A still older quote shows that a venue restarted its numbers or set its clock back. Dropping it would keep the last
 * quote alive through heartbeats, so it is `restarted` and the order begins with it.
 */
function quoteOrder(quote: Quote, memory: RuleMemory): Order {
  const { limits, last } = memory;
  const timed = quote.sourceTime && !isSkewed(quote, limits);
  const difference = comparePlace(quote, memory, timed);
  if (difference < 0) {
    // A polled feed's last answer ages by itself.
    if (limits.cadence === 'polled' || last === null || quote.receivedAt - last.receivedAt <= limits.maxAgeMs) return 'out_of_order';
    memory.sequence = quote.sequence;
    memory.observedAt = timed ? quote.observedAt : Number.NEGATIVE_INFINITY;
    memory.last = quote;
    return 'restarted';
  }
  const level = difference === 0;
  if (level && last !== null && sameBook(last, quote) && (quote.sourceTime || limits.cadence !== 'polled')) return 'duplicate';
  if (quote.sequence !== null) memory.sequence = quote.sequence;
  if (timed && quote.observedAt > memory.observedAt) memory.observedAt = quote.observedAt;
  memory.last = quote;
  return 'newer';
}

/** Compares a quote with the feed's newest: negative if older, 0 if level, positive if newer. */
function comparePlace(quote: Quote, memory: RuleMemory, timed: boolean): number {
  if (quote.sequence !== null && memory.sequence !== null) {
    const difference = quote.sequence - memory.sequence;
    return difference !== 0 || !timed ? difference : quote.observedAt - memory.observedAt;
  }
  return timed ? quote.observedAt - memory.observedAt : 1;
}

/** Events ordered by time only. */
type TimedEvent = Exclude<RuledEvent, Quote>;

function sameContent(a: RuledEvent, b: TimedEvent): boolean {
  if (b.kind === 'reference') {
    return (
      a.kind === 'reference' &&
      a.feedUpdatedAt === b.feedUpdatedAt &&
      a.referencePrice === b.referencePrice &&
      a.confidence === b.confidence
    );
  }
  if (b.kind === 'pool_liquidity') return a.kind === 'pool_liquidity' && a.liquidityUsd === b.liquidityUsd;
  return (
    a.kind === 'perp_context' &&
    a.markPrice === b.markPrice &&
    a.oraclePrice === b.oraclePrice &&
    a.hourlyFunding === b.hourlyFunding &&
    a.openInterest === b.openInterest &&
    a.dayNotional === b.dayNotional
  );
}

/** Orders an event without numbers relative to earlier ones. */
function timedOrder(event: TimedEvent, memory: RuleMemory): Exclude<Order, 'restarted'> {
  if (event.observedAt > event.receivedAt + memory.limits.maxSkewMs) return 'newer';
  if (event.observedAt < memory.observedAt) return 'out_of_order';
  if (event.observedAt === memory.observedAt && memory.last !== null && sameContent(memory.last, event)) return 'duplicate';
  memory.observedAt = event.observedAt;
  memory.last = event;
  return 'newer';
}

export function outOfOrderRule(options: RuleOptions = {}): QualityRule {
  const { counters } = options;
  const timed = (event: TimedEvent, memory: RuleMemory): number => {
    const order = timedOrder(event, memory);
    if (order === 'newer') return 0;
    counters?.count(event.venue, order);
    return DROPPED;
  };
  return {
    quote(quote, memory) {
      const order = quoteOrder(quote, memory);
      if (order === 'newer') return 0;
      counters?.count(quote.venue, order === 'restarted' ? 'out_of_order' : order);
      return order === 'restarted' ? OUT_OF_ORDER : DROPPED;
    },
    reference: timed,
    context: timed,
    // A new connection restarts the numbers, and its first event is news even if nothing changed. Times continue.
    connected(memory) {
      memory.sequence = null;
      memory.last = null;
    },
  };
}

/**
 * Drops, and counts, events that are older than or equal to what was received before. An older one never replaces a newer one.
 * Where a venue begins to count anew, its first quote is marked `degraded` with `out_of_order` and order begins with it.
 * ```
 * source        --1--3--2--3--4--    (numbers)
 * outOfOrder()  --1--3--------4--    (2: out_of_order, 3: duplicate)
 * ```
 */
export function outOfOrder(options: RuleOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return rulesOperator([outOfOrderRule(options)], options);
}
