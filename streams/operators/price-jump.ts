/** Marks prices that move further from the last accepted one than a market does at once, until they are confirmed. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { PerpContext, Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Venue } from '../../src/domain/market/venue.ts';
import { PRICE_JUMP } from '../quality/flag-bits.ts';
import { type JumpMemory, type QualityRule, type RuleMemory, type RuleOptions, rulesOperator } from './rule.ts';

/** Number of clean, agreeing prices, without a contradicting one in between, that confirm a jump. */
const CONFIRMING_EVENTS = 3;
/** Minimum milliseconds until a jump is confirmed. */
const CONFIRMING_MS = 10_000;
/** Maximum relative difference of prices that are `alike`. */
const ALIKE_WITHIN = 0.1;

/**
 * True if a price has jumped. Prices are compared as ratios to the last accepted one, and on prediction markets in dollars, because a
 * contract pays one dollar.
 */
function jumped(venue: Venue, from: number, to: number, maxJump: number): boolean {
  // Written so that NaN counts as a jump.
  return !(Math.abs(to - from) <= maxJump * (venue === 'prediction' ? 1 : from));
}

function middle(bid: DecimalString, ask: DecimalString): number {
  return (Number(bid) + Number(ask)) / 2;
}

/**
 * True if two plain decimals are so similar that no limit separates them: equally many digits before the point and the same first two
 * digits, so that they differ by less than a tenth. False says nothing.
 */
function alike(a: DecimalString, b: DecimalString): boolean {
  const first = a.charCodeAt(0);
  if (first !== b.charCodeAt(0) || first < 49 || first > 57) return false;
  const point = a.indexOf('.');
  if (point < 2 || b.charCodeAt(point) !== 46 || a.charCodeAt(1) !== b.charCodeAt(1)) return false;
  return b.indexOf('.') === point;
}

/** True if the midpoints of two tops of one instrument differ by more than `maxJump`, for feeds with two sources of one venue. */
export function apart(
  venue: Venue,
  bid: DecimalString,
  ask: DecimalString,
  otherBid: DecimalString,
  otherAsk: DecimalString,
  maxJump: number,
): boolean {
  if (maxJump >= ALIKE_WITHIN && alike(bid, otherBid) && alike(ask, otherAsk)) return false;
  return jumped(venue, middle(otherBid, otherAsk), middle(bid, ask), maxJump);
}

/** Returns the flag bit of a clean price. Accepts it, or remembers it as a possible jump. */
function jumpBits(
  event: Quote | ReferencePrice,
  bid: DecimalString,
  ask: DecimalString,
  { jump, limits: { maxJump } }: RuleMemory,
): number {
  if (jump.bid !== '') {
    const near = maxJump >= ALIKE_WITHIN && alike(bid, jump.bid) && alike(ask, jump.ask);
    if (!near && !isConfirmed(jump, event.venue, middle(bid, ask), event.receivedAt, maxJump)) return PRICE_JUMP;
  }
  jump.bid = bid;
  jump.ask = ask;
  jump.candidate = Number.NaN;
  return 0;
}

function isConfirmed(jump: JumpMemory, venue: Venue, price: number, receivedAt: EpochMs, maxJump: number): boolean {
  if (!jumped(venue, middle(jump.bid, jump.ask), price, maxJump)) return true;
  if (jumped(venue, jump.candidate, price, maxJump)) {
    jump.agreed = 0;
    jump.since = receivedAt;
  }
  jump.candidate = price;
  jump.agreed++;
  return jump.agreed >= CONFIRMING_EVENTS && receivedAt - jump.since >= CONFIRMING_MS;
}

/** Resets a possible jump if the venue's own mark price supports the last accepted price. */
function contradict({ jump, limits }: RuleMemory, context: PerpContext): void {
  if (Number.isNaN(jump.candidate)) return;
  if (!jumped(context.venue, middle(jump.bid, jump.ask), Number(context.markPrice), limits.maxJump)) jump.candidate = Number.NaN;
}

export function priceJumpRule(options: RuleOptions = {}): QualityRule {
  const { counters } = options;
  /** True if no rule has flagged the price. Only such prices are compared and accepted. */
  const isClean = (event: Quote | ReferencePrice, found: number): boolean =>
    found === 0 && event.quality === 'live' && event.flags.length === 0;
  const tell = (event: Quote | ReferencePrice, bits: number): number => {
    // A feed marks a price itself if its other source of the venue contradicts it.
    if (bits !== 0 || (event.flags.length !== 0 && event.flags.includes('price_jump'))) counters?.count(event.venue, 'price_jump');
    return bits;
  };
  return {
    quote(quote, memory, found) {
      const { bid, ask } = quote;
      // A quote without both sides is not compared.
      const compared = bid !== null && ask !== null && isClean(quote, found);
      return tell(quote, compared ? jumpBits(quote, bid, ask, memory) : 0);
    },
    reference(reference, memory, found) {
      const { referencePrice } = reference;
      return tell(reference, isClean(reference, found) ? jumpBits(reference, referencePrice, referencePrice, memory) : 0);
    },
    context(event, memory) {
      if (event.kind === 'perp_context') contradict(memory, event);
      return 0;
    },
  };
}

/**
 * Marks quotes and reference prices `degraded` with `price_jump` that lie further from the last accepted price of their
 * venue's instrument than its limit (limits: `maxJump`), until three of them in ten seconds or more agree and nothing of
 * the same venue (another feed's quote, the mark price) speaks for the old price in between.
 * ```
 * source       --100--101--9900--102--9900--9901-- 10 s --9900--    (prices)
 * priceJump()  --100--101--9900'-102--9900'-9901'----------9900--    (': degraded, price_jump)
 * ```
 */
export function priceJump(options: RuleOptions = {}): MonoTypeOperatorFunction<FeedMessage> {
  return rulesOperator([priceJumpRule(options)], options);
}
