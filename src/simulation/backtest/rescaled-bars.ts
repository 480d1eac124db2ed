/** Prices of tokens across changes of their multiplier, in the units of the end: a split is neither a loss nor a profit. */
import type { Fact } from '../../domain/backtest/fact.ts';
import type { MultiplierChange } from '../../domain/books/book.ts';
import type { Candle } from '../../domain/candles/candle.ts';
import { type InstrumentKey, instrumentKey } from '../../domain/market/venue.ts';
import { Decimal, type DecimalString, plainDecimal } from '../../domain/values/decimal.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import type { FinerReads } from './finer-bars.ts';
import { KeptBars } from './kept-bars.ts';
import type { InstrumentInput } from './history.ts';

/** Changes of multipliers within a history, by token, ascending. */
export type HistoryChanges = ReadonlyMap<InstrumentKey, readonly MultiplierChange[]>;

/** Significant digits of a converted price, as many as an adapter keeps. */
const DIGITS = 15;

/**
 * Returns an input whose own bars are in the units of its end, with its benchmark's prices converted alike. Premiums stay, because both
 * are per share, and a share is split with its token.
 */
export function withRescaledBenchmark(input: InstrumentInput, changes: readonly MultiplierChange[]): InstrumentInput {
  if (changes.length === 0) return input;
  const { referenceCandles, marks } = input;
  const bars = new KeptBars();
  for (const candle of referenceCandles ?? []) bars.add([rescaledCandle(candle, changes)]);
  return {
    ...input,
    ...(referenceCandles === undefined ? {} : { referenceCandles: bars }),
    ...(marks === undefined ? {} : { marks: marks.map((mark) => rescaledMark(mark, changes)) }),
  };
}

/** Returns reads of bars in the units of the end. */
export function rescaledReads(reads: FinerReads, changes: HistoryChanges): FinerReads {
  if (changes.size === 0) return reads;
  return {
    storedSpans: reads.storedSpans,
    async bars(range) {
      const own = changes.get(instrumentKey(range.venue, range.instrument)) ?? [];
      const candles = await reads.bars(range);
      return own.length === 0 ? candles : candles.map((candle) => rescaledCandle(candle, own));
    },
  };
}

/** A bar is in the units of its open time. */
function rescaledCandle(candle: Candle, changes: readonly MultiplierChange[]): Candle {
  const factor = unitsAtEnd(candle.openTime, changes);
  if (factor === null) return candle;
  const price = (text: DecimalString): DecimalString => plainDecimal(new Decimal(text).div(factor).toSignificantDigits(DIGITS));
  const { openTime, open, high, low, close, volume } = candle;
  return {
    openTime,
    open: price(open),
    high: price(high),
    low: price(low),
    close: price(close),
    volume: plainDecimal(new Decimal(volume).times(factor).toSignificantDigits(DIGITS)),
  };
}

function rescaledMark(mark: Fact, changes: readonly MultiplierChange[]): Fact {
  const factor = unitsAtEnd(mark.receivedAt, changes);
  return factor === null ? mark : { ...mark, value: plainDecimal(new Decimal(mark.value).div(factor).toSignificantDigits(DIGITS)) };
}

/** Returns how many units of the end one unit of an instant is, or null if the units are the same. */
function unitsAtEnd(at: EpochMs, changes: readonly MultiplierChange[]): Decimal | null {
  const last = changes.at(-1);
  const next = changes.find((change) => change.at > at);
  return last === undefined || next === undefined || last.after === next.before ? null : new Decimal(last.after).div(next.before);
}
