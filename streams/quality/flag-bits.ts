/** Quality flags as bits, the resulting quality, and copies of events with them. */
import {
  NO_FLAGS,
  QUALITIES,
  QUALITY_FLAGS,
  type Quality,
  type QualityFlag,
  type Quote,
  type ReferencePrice,
} from '../../src/domain/market/quote.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { ExecutableVenue } from '../../src/domain/market/venue.ts';

/** One bit for each flag. */
export const GAP = 1 << 0;
export const OUT_OF_ORDER = 1 << 1;
export const CROSSED = 1 << 2;
export const CLOCK_SKEW = 1 << 3;
export const ONE_SIDED = 1 << 4;
export const WIDE_CONFIDENCE = 1 << 5;
export const OVER_AGE = 1 << 6;
export const SESSION_CLOSED = 1 << 7;
export const CARRIED_FORWARD = 1 << 8;
export const RESYNCING = 1 << 9;
export const FEED_DOWN = 1 << 10;
export const PRICE_JUMP = 1 << 11;

/** Flags that make an event `stale` rather than `degraded`: old, not wrong. */
const AGE_FLAGS = OVER_AGE | SESSION_CLOSED | CARRIED_FORWARD;

const FLAG_LISTS: (readonly QualityFlag[] | undefined)[] = [NO_FLAGS];

/** Returns the flags of a set of bits in the order of `QUALITY_FLAGS`, one shared frozen list per set. */
export function toFlags(bits: number): readonly QualityFlag[] {
  let flags = FLAG_LISTS[bits];
  if (flags === undefined) {
    flags = Object.freeze(QUALITY_FLAGS.filter((_, index) => (bits & (1 << index)) !== 0));
    FLAG_LISTS[bits] = flags;
  }
  return flags;
}

/** Returns the bits of a list of flags. */
export function toFlagBits(flags: readonly QualityFlag[]): number {
  let bits = 0;
  for (let index = 0; index < flags.length; index++) bits |= 1 << QUALITY_FLAGS.indexOf(flags[index] as QualityFlag);
  return bits;
}

const RANK: Readonly<Record<Quality, number>> = { live: 0, delayed: 1, stale: 2, degraded: 3, halted: 4 };

/** Returns the worse of two qualities, in the order of `QUALITIES`. */
export function worseQuality(a: Quality, b: Quality): Quality {
  return RANK[a] >= RANK[b] ? a : b;
}

/** Returns a quality combined with a set of bits. */
export function qualityWith(quality: Quality, bits: number): Quality {
  if (bits === 0) return quality;
  const implied = (bits & ~AGE_FLAGS) !== 0 ? RANK.degraded : RANK.stale;
  return RANK[quality] >= implied ? quality : (QUALITIES[implied] as Quality);
}

/** Returns a quote with another quality and other flags. Written as a literal, because an object spread costs ten times as much. */
export function withQuality<V extends ExecutableVenue>(quote: Quote<V>, quality: Quality, flags: readonly QualityFlag[]): Quote<V> {
  return {
    kind: 'quote',
    venue: quote.venue,
    instrument: quote.instrument,
    source: quote.source,
    observedAt: quote.observedAt,
    receivedAt: quote.receivedAt,
    sourceTime: quote.sourceTime,
    bid: quote.bid,
    ask: quote.ask,
    bidSize: quote.bidSize,
    askSize: quote.askSize,
    sequence: quote.sequence,
    quality,
    flags,
  };
}

/** Returns a reference price with another quality and other flags. */
function withReferenceQuality(reference: ReferencePrice, quality: Quality, flags: readonly QualityFlag[]): ReferencePrice {
  return {
    kind: 'reference',
    venue: 'reference',
    instrument: reference.instrument,
    source: reference.source,
    observedAt: reference.observedAt,
    receivedAt: reference.receivedAt,
    feedUpdatedAt: reference.feedUpdatedAt,
    referencePrice: reference.referencePrice,
    confidence: reference.confidence,
    publisherSession: reference.publisherSession,
    quality,
    flags,
  };
}

/** Returns the quote with added flags, or the same object if they change nothing. */
export function withQuoteFlags(quote: Quote, bits: number): Quote {
  const before = quote.flags.length === 0 ? 0 : toFlagBits(quote.flags);
  const all = before | bits;
  if (all === 0) return quote;
  const quality = qualityWith(quote.quality, all);
  return all === before && quality === quote.quality ? quote : withQuality(quote, quality, toFlags(all));
}

/** Returns the reference price with added flags, or the same object if they change nothing. */
export function withReferenceFlags(reference: ReferencePrice, bits: number): ReferencePrice {
  const before = reference.flags.length === 0 ? 0 : toFlagBits(reference.flags);
  const all = before | bits;
  if (all === 0) return reference;
  const quality = qualityWith(reference.quality, all);
  return all === before && quality === reference.quality ? reference : withReferenceQuality(reference, quality, toFlags(all));
}

/** Returns an event's age at an instant by its own time, never negative, because venue clocks may run ahead. */
export function ageMs(observedAt: EpochMs, at: EpochMs): number {
  return at > observedAt ? at - observedAt : 0;
}
