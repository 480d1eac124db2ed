/** Quality of a prediction market's book that was requested now. */
import { compareDecimals } from '../../src/domain/values/decimal.ts';
import type { PredictionBook } from '../../src/domain/prediction/market.ts';
import type { Evidence } from '../../src/domain/prediction/research.ts';
import { NO_FLAGS } from '../../src/domain/market/quote.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { CLOCK_SKEW, CROSSED, toFlags, toFlagBits, ONE_SIDED, OVER_AGE, qualityWith } from './flag-bits.ts';
import { findLimits, qualityLimits } from './quality-limits.ts';

/** Returns a requested book with its quality: live unless it is one-sided, contradictory or its own time is not current. */
export function assessedBook(book: PredictionBook, at: EpochMs): NonNullable<Evidence['book']> {
  const [bid, ask] = [book.bids[0], book.asks[0]];
  const limits = findLimits(qualityLimits(), 'prediction', book.source);
  let bits = toFlagBits(NO_FLAGS);
  if (bid === undefined || ask === undefined) bits |= ONE_SIDED;
  else if (compareDecimals(bid.price, ask.price) > 0) bits |= CROSSED;
  if (at - book.observedAt > limits.maxAgeMs) bits |= OVER_AGE;
  if (book.observedAt - at > limits.maxSkewMs) bits |= CLOCK_SKEW;
  return { ...book, quality: qualityWith('live', bits), flags: toFlags(bits) };
}
