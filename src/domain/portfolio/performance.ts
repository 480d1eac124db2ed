/** What books have earned: equity, realized and unrealized, and since the beginning of the UTC day. Pure. */
import { markBook, type TradingBook, utcDayOf } from '../book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../decimal.ts';
import type { Quote } from '../quote.ts';
import type { EpochMs } from '../time.ts';
import { midPrice } from '../valuation.ts';
import type { InstrumentKey } from '../venue.ts';

/** What is earned, in US dollars; null where a price is missing that it rests on. */
export interface Earnings {
  /** Paid in minus paid out. */
  readonly capitalUsd: DecimalString;
  readonly equityUsd: DecimalString | null;
  /** Equity minus capital: after fees. */
  readonly pnlUsd: DecimalString | null;
  /** Proceeds of sales minus the cost of what was sold; fees stand apart. */
  readonly realizedPnlUsd: DecimalString;
  readonly unrealizedPnlUsd: DecimalString | null;
  readonly feesUsd: DecimalString;
  /** Equity minus the equity at the first mark of this UTC day; null where the book was not marked yet today. */
  readonly todayUsd: DecimalString | null;
}

export interface BookEarnings extends Earnings {
  readonly bookId: string;
  /** Held instruments without a price. */
  readonly unpriced: readonly InstrumentKey[];
  /** Held instruments whose price is not live. */
  readonly notLive: readonly InstrumentKey[];
}

/** The earnings of one book at the middle of each quote. */
export function bookEarnings(book: TradingBook, quotes: ReadonlyMap<InstrumentKey, Quote>, at: EpochMs): BookEarnings {
  const marks = new Map<InstrumentKey, DecimalString>();
  for (const { instrument } of book.holdings) {
    const quote = quotes.get(instrument);
    const mid = quote === undefined ? null : midPrice(quote.bid, quote.ask);
    if (mid !== null) marks.set(instrument, mid);
  }
  const { equityUsd, unrealizedPnlUsd, unpriced } = markBook(book, marks, at);
  const isBegun = book.day === utcDayOf(at) && book.dayStartEquityUsd !== null;
  return {
    bookId: book.id,
    capitalUsd: book.capitalUsd,
    equityUsd,
    pnlUsd: equityUsd === null ? null : less(equityUsd, book.capitalUsd),
    realizedPnlUsd: book.realizedPnlUsd,
    unrealizedPnlUsd,
    feesUsd: book.feesUsd,
    todayUsd: equityUsd === null || !isBegun ? null : less(equityUsd, book.dayStartEquityUsd as DecimalString),
    unpriced,
    notLive: book.holdings.flatMap(({ instrument }) => {
      const quote = quotes.get(instrument);
      return quote === undefined || quote.quality === 'live' ? [] : [instrument];
    }),
  };
}

/** The earnings of all books together. What rests on a missing price is null; a day that a book has not begun adds nothing. */
export function totalEarnings(books: readonly BookEarnings[]): Earnings {
  const today = books.filter(({ todayUsd }) => todayUsd !== null);
  const isDayUnknown = today.length === 0 || books.some(({ equityUsd }) => equityUsd === null);
  return {
    capitalUsd: sum(books, 'capitalUsd') as DecimalString,
    equityUsd: sum(books, 'equityUsd'),
    pnlUsd: sum(books, 'pnlUsd'),
    realizedPnlUsd: sum(books, 'realizedPnlUsd') as DecimalString,
    unrealizedPnlUsd: sum(books, 'unrealizedPnlUsd'),
    feesUsd: sum(books, 'feesUsd') as DecimalString,
    todayUsd: isDayUnknown ? null : sum(today, 'todayUsd'),
  };
}

/** Null where one of them is. */
function sum(books: readonly BookEarnings[], field: keyof Earnings): DecimalString | null {
  let total = new Decimal(0);
  for (const book of books) {
    const value = book[field];
    if (value === null) return null;
    total = total.plus(value);
  }
  return plainDecimal(total);
}

function less(one: DecimalString, other: DecimalString): DecimalString {
  return plainDecimal(new Decimal(one).minus(other));
}
