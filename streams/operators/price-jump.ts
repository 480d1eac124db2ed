/** Prices that leave the last accepted one by more than a market does at once: not believed until they are confirmed. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { PerpContext, Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Venue } from '../../src/domain/market/venue.ts';
import { PRICE_JUMP } from '../flag-bits.ts';
import { type JumpMemory, type QualityRule, type RuleMemory, type RuleOptions, rulesOperator } from './rule.ts';

/** A jumped price is accepted after so many clean ones that agree with it, none that contradict it in between... */
const CONFIRMING_EVENTS = 3;
/** ...and not before so long. Milliseconds. */
const CONFIRMING_MS = 10_000;
/** Prices that are `alike` lie within this share of each other. */
const ALIKE_WITHIN = 0.1;

/** Prices are compared as ratios to the last accepted one; prediction markets pay a dollar, so there in dollars. */
function jumped(venue: Venue, from: number, to: number, maxJump: number): boolean {
  // Written so that what is not a number counts as a jump.
  return !(Math.abs(to - from) <= maxJump * (venue === 'prediction' ? 1 : from));
}

function middle(bid: DecimalString, ask: DecimalString): number {
  return (Number(bid) + Number(ask)) / 2;
}

/**
 * True if two plain decimals are so alike that no limit of ours lies between them: equally long before the point,
 * with the same first two digits, hence less than a tenth apart. False says nothing.
 */
function alike(a: DecimalString, b: DecimalString): boolean {
  const first = a.charCodeAt(0);
  if (first !== b.charCodeAt(0) || first < 49 || first > 57) return false;
  const point = a.indexOf('.');
  if (point < 2 || b.charCodeAt(point) !== 46 || a.charCodeAt(1) !== b.charCodeAt(1)) return false;
  return b.indexOf('.') === point;
}

/** True if the middles of two tops of one instrument lie further apart than `maxJump`: for feeds that receive two sources of one venue. */
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

/** The flag bit of a clean price. Accepts it, or remembers it as the price that the market may have jumped to. */
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

/** The venue's own mark price speaks for the last accepted price: then what was thought of a jump begins anew. */
function contradict({ jump, limits }: RuleMemory, context: PerpContext): void {
  if (Number.isNaN(jump.candidate)) return;
  if (!jumped(context.venue, middle(jump.bid, jump.ask), Number(context.markPrice), limits.maxJump)) jump.candidate = Number.NaN;
}

export function priceJumpRule(options: RuleOptions = {}): QualityRule {
  const { counters } = options;
  /** True if no rule found fault with the price. Only such prices are compared and become the reference of later comparisons. */
  const isClean = (event: Quote | ReferencePrice, found: number): boolean =>
    found === 0 && event.quality === 'live' && event.flags.length === 0;
  const tell = (event: Quote | ReferencePrice, bits: number): number => {
    // A feed whose other source of the venue contradicts a price marks it itself.
    if (bits !== 0 || (event.flags.length !== 0 && event.flags.includes('price_jump'))) counters?.count(event.venue, 'price_jump');
    return bits;
  };
  return {
    quote(quote, memory, found) {
      const { bid, ask } = quote;
      // A quote without two sides says nothing here.
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
