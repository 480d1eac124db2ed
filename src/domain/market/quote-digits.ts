/** A quote as integer digits, which bulk replay reads without creating decimal texts. */
import type { DecimalString } from '../values/decimal.ts';
import type { Quality, QualityFlag, Quote } from './quote.ts';
import type { EpochMs } from '../values/time.ts';
import type { ExecutableVenue } from './venue.ts';

/** A decimal as an exact whole number of units of 10^-scale. `scale` is -1 if only the text is exact. */
export interface Digits {
  /** Null until it is first read. */
  text: DecimalString | null;
  mantissa: number;
  scale: number;
}

/** Shared origin of a source's quotes of one instrument. */
export interface QuoteOrigin {
  readonly venue: ExecutableVenue;
  readonly instrument: string;
  readonly source: string;
  readonly sourceTime: boolean;
  readonly quality: Quality;
  readonly flags: readonly QualityFlag[];
}

/** Bits of missing sides. */
export const NO_BID = 1;
export const NO_ASK = 2;
export const NO_BID_SIZE = 4;
export const NO_ASK_SIZE = 8;

export interface QuoteDigits {
  readonly origin: QuoteOrigin;
  receivedAt: EpochMs;
  observedAt: EpochMs;
  hasSequence: boolean;
  /** Undefined if `hasSequence` is false. */
  sequence: number;
  /** Bits of `NO_BID`, `NO_ASK`, `NO_BID_SIZE` and `NO_ASK_SIZE`. The digits of a missing side are not part of this quote. */
  missing: number;
  readonly bid: Digits;
  readonly ask: Digits;
  readonly bidSize: Digits;
  readonly askSize: Digits;
}

export function newDigits(): Digits {
  return { text: '', mantissa: 0, scale: -1 };
}

/** Returns empty digits for a source's next quote. */
export function newQuoteDigits(origin: QuoteOrigin): QuoteDigits {
  return {
    origin,
    receivedAt: 0,
    observedAt: 0,
    hasSequence: false,
    sequence: 0,
    missing: 0,
    bid: newDigits(),
    ask: newDigits(),
    bidSize: newDigits(),
    askSize: newDigits(),
  };
}

/** Copies `from` to `to`. Both must have the same origin. */
export function copyQuoteDigits(from: QuoteDigits, to: QuoteDigits): void {
  to.receivedAt = from.receivedAt;
  to.observedAt = from.observedAt;
  to.hasSequence = from.hasSequence;
  to.sequence = from.sequence;
  to.missing = from.missing;
  copyDigits(from.bid, to.bid);
  copyDigits(from.ask, to.ask);
  copyDigits(from.bidSize, to.bidSize);
  copyDigits(from.askSize, to.askSize);
}

function copyDigits(from: Digits, to: Digits): void {
  to.text = from.text;
  to.mantissa = from.mantissa;
  to.scale = from.scale;
}

/** Returns the text of a decimal, created on first use. */
export function digitsText(digits: Digits): DecimalString {
  digits.text ??= writeDigits(digits.mantissa, digits.scale);
  return digits.text;
}

/** Returns the plain decimal of a whole number of units of 10^-scale, with all of its places. */
export function writeDigits(mantissa: number, scale: number): DecimalString {
  if (scale === 0) return String(mantissa);
  const negative = mantissa < 0;
  let digits = String(negative ? -mantissa : mantissa);
  if (digits.length <= scale) digits = digits.padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${negative ? '-' : ''}${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Returns the quote with its texts. */
export function quoteOfDigits(digits: QuoteDigits): Quote {
  const { origin, missing } = digits;
  return {
    kind: 'quote',
    venue: origin.venue,
    instrument: origin.instrument,
    source: origin.source,
    observedAt: digits.observedAt,
    receivedAt: digits.receivedAt,
    sourceTime: origin.sourceTime,
    bid: (missing & NO_BID) !== 0 ? null : digitsText(digits.bid),
    ask: (missing & NO_ASK) !== 0 ? null : digitsText(digits.ask),
    bidSize: (missing & NO_BID_SIZE) !== 0 ? null : digitsText(digits.bidSize),
    askSize: (missing & NO_ASK_SIZE) !== 0 ? null : digitsText(digits.askSize),
    sequence: digits.hasSequence ? digits.sequence : null,
    quality: origin.quality,
    flags: origin.flags,
  };
}
