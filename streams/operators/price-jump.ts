/** Prices that leave the last accepted one by more than a market does at once: not believed until they are confirmed. */
import type { MonoTypeOperatorFunction } from 'rxjs';
import type { DecimalString } from '../../src/domain/decimal.ts';
import type { FeedMessage } from '../../src/domain/market-event.ts';
import type { PerpContext, Quote, ReferencePrice } from '../../src/domain/quote.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { Venue } from '../../src/domain/venue.ts';
import { markQuote, markReference, PRICE_JUMP } from '../flag-bits.ts';
import type { FeedLimits } from '../quality-limits.ts';
import { SlotTable } from '../slot-table.ts';
import { freshnessOf, type Rule, type RuleOptions, ruleOperator } from './rule.ts';

/** A jumped price is accepted after so many clean ones that agree with it, none that contradict it in between... */
const CONFIRMING_EVENTS = 3;
/** ...and not before so long. Milliseconds. */
const CONFIRMING_MS = 10_000;
/** Prices that are `alike` lie within this share of each other. */
const ALIKE_WITHIN = 0.1;
/** Instruments remembered of one venue: a feed that invents names costs memory of its own, not of the process. */
const MAX_INSTRUMENTS = 20_000;

/** What is believed of one instrument of one venue, whichever of the venue's feeds said it. */
export interface JumpSlot {
  /** The last accepted sides as texts; of a reference price both are the price. Empty before the first. */
  bid: DecimalString;
  ask: DecimalString;
  /** The price to which the market may have jumped; NaN while there is none. */
  candidate: number;
  /** How many events agreed with the candidate, and since when. */
  agreed: number;
  since: EpochMs;
}

/** Prices are compared as ratios to the last accepted one; prediction markets pay a dollar, so there in dollars. */
function jumped(venue: Venue, from: number, to: number, maxJump: number): boolean {
  // Written so that what is no number counts as a jump.
  return !(Math.abs(to - from) <= maxJump * (venue === 'prediction' ? 1 : from));
}

function middle(bid: DecimalString, ask: DecimalString): number {
  return (Number(bid) + Number(ask)) / 2;
}

/**
 * True where two plain decimals are so alike that no limit of ours lies between them: equally long before the point,
 * with the same first two digits, hence less than a tenth apart. False says nothing.
 */
function alike(a: DecimalString, b: DecimalString): boolean {
  const first = a.charCodeAt(0);
  if (first !== b.charCodeAt(0) || first < 49 || first > 57) return false;
  const point = a.indexOf('.');
  if (point < 2 || b.charCodeAt(point) !== 46 || a.charCodeAt(1) !== b.charCodeAt(1)) return false;
  return b.indexOf('.') === point;
}

/** True where the middles of two tops of one instrument lie further apart than `maxJump`: for feeds that hear two sources of one venue. */
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

/** The mark of a clean price. Accepts it, or remembers it as where the market may have jumped to. */
function judge(slot: JumpSlot, venue: Venue, bid: DecimalString, ask: DecimalString, receivedAt: EpochMs, maxJump: number): number {
  if (slot.bid !== '') {
    const near = maxJump >= ALIKE_WITHIN && alike(bid, slot.bid) && alike(ask, slot.ask);
    if (!near && !isConfirmed(slot, venue, bid, ask, receivedAt, maxJump)) return PRICE_JUMP;
  }
  slot.bid = bid;
  slot.ask = ask;
  slot.candidate = Number.NaN;
  return 0;
}

function isConfirmed(slot: JumpSlot, venue: Venue, bid: DecimalString, ask: DecimalString, receivedAt: EpochMs, maxJump: number): boolean {
  const price = middle(bid, ask);
  if (!jumped(venue, middle(slot.bid, slot.ask), price, maxJump)) return true;
  if (jumped(venue, slot.candidate, price, maxJump)) {
    slot.agreed = 0;
    slot.since = receivedAt;
  }
  slot.candidate = price;
  slot.agreed++;
  return slot.agreed >= CONFIRMING_EVENTS && receivedAt - slot.since >= CONFIRMING_MS;
}

/** The mark of a quote on which nothing else was found wrong. A quote without two sides says nothing here. */
export function judgeQuoteJump(slot: JumpSlot, quote: Quote, limits: FeedLimits): number {
  const { bid, ask } = quote;
  if (bid === null || ask === null) return 0;
  return judge(slot, quote.venue, bid, ask, quote.receivedAt, limits.maxJump);
}

/** The mark of a reference price on which nothing else was found wrong. */
export function judgeReferenceJump(slot: JumpSlot, reference: ReferencePrice, limits: FeedLimits): number {
  const { referencePrice } = reference;
  return judge(slot, 'reference', referencePrice, referencePrice, reference.receivedAt, limits.maxJump);
}

/** The venue's own mark price speaks for the last accepted price: then what was thought of a jump begins anew. */
export function contradictJump(slot: JumpSlot, context: PerpContext, maxJump: number): void {
  if (Number.isNaN(slot.candidate)) return;
  if (!jumped(context.venue, middle(slot.bid, slot.ask), Number(context.markPrice), maxJump)) slot.candidate = Number.NaN;
}

/** Slots by venue and instrument. */
export function jumpSlots(): SlotTable<JumpSlot> {
  return new SlotTable<JumpSlot>(() => ({ bid: '', ask: '', candidate: Number.NaN, agreed: 0, since: 0 }), MAX_INSTRUMENTS);
}

export function createPriceJumpRule(options: RuleOptions = {}): Rule {
  const freshness = freshnessOf(options);
  const slots = jumpSlots();
  return (message) => {
    if (message.kind === 'perp_context') {
      contradictJump(slots.at(message.venue, message.instrument), message, freshness.limits.venues.evmvenue.maxJump);
      return message;
    }
    if (message.kind !== 'quote' && message.kind !== 'reference') return message;
    if (message.quality !== 'live' || message.flags.length !== 0) {
      if (message.flags.includes('price_jump')) options.counters?.count(message.venue, 'price_jump');
      return message;
    }
    const slot = slots.at(message.venue, message.instrument);
    const limits = freshness.feedLimits(message);
    const marks = message.kind === 'quote' ? judgeQuoteJump(slot, message, limits) : judgeReferenceJump(slot, message, limits);
    if (marks === 0) return message;
    options.counters?.count(message.venue, 'price_jump');
    return message.kind === 'quote' ? markQuote(message, marks) : markReference(message, marks);
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
  return ruleOperator(() => createPriceJumpRule(options));
}
