/** What books have earned: equity, realized and unrealized, and since the beginning of the UTC day. Pure. */
import { isPosition, markBook, type TradingBook } from '../book.ts';
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
  /** Profit minus the profit at the beginning of this UTC day: the results of all days sum to the profit. Null if either is unknown. */
  readonly todayUsd: DecimalString | null;
}

export interface BookEarnings extends Earnings {
  readonly bookId: string;
  /** Positions without a price. */
  readonly unpriced: readonly InstrumentKey[];
  /** Dust without a price, which is worth nothing in these figures. */
  readonly leftOut: readonly InstrumentKey[];
  /** Held instruments whose price is not live. */
  readonly notLive: readonly InstrumentKey[];
}

/** Cash, capital and quantities of a book at an instant. */
export interface BookContents {
  readonly cashUsd: DecimalString;
  readonly capitalUsd: DecimalString;
  readonly holdings: readonly { readonly instrument: InstrumentKey; readonly quantity: DecimalString }[];
}

/** Equity minus capital at these prices; null if the price of a position is unknown. Dust without a price is worth nothing. */
export function profitOf({ cashUsd, capitalUsd, holdings }: BookContents, priceOf: (instrument: InstrumentKey) => DecimalString | null) {
  let profit = new Decimal(cashUsd).minus(capitalUsd);
  for (const { instrument, quantity } of holdings) {
    const price = priceOf(instrument);
    if (price === null && isPosition({ instrument, quantity })) return null;
    profit = profit.plus(new Decimal(quantity).times(price ?? 0));
  }
  return plainDecimal(profit);
}

/** The earnings of one book at the middle of each quote. `dayBeganUsd` is its profit at the beginning of the UTC day. */
export function bookEarnings(
  book: TradingBook,
  quotes: ReadonlyMap<InstrumentKey, Quote>,
  at: EpochMs,
  dayBeganUsd: DecimalString | null,
): BookEarnings {
  const marks = new Map<InstrumentKey, DecimalString>();
  for (const { instrument } of book.holdings) {
    const quote = quotes.get(instrument);
    const mid = quote === undefined ? null : midPrice(quote.bid, quote.ask);
    if (mid !== null) marks.set(instrument, mid);
  }
  const { equityUsd, unrealizedPnlUsd, unpriced, leftOut } = markBook(book, marks, at);
  const pnlUsd = equityUsd === null ? null : less(equityUsd, book.capitalUsd);
  return {
    bookId: book.id,
    capitalUsd: book.capitalUsd,
    equityUsd,
    pnlUsd,
    realizedPnlUsd: book.realizedPnlUsd,
    unrealizedPnlUsd,
    feesUsd: book.feesUsd,
    todayUsd: pnlUsd === null || dayBeganUsd === null ? null : less(pnlUsd, dayBeganUsd),
    unpriced,
    leftOut,
    notLive: book.holdings.flatMap(({ instrument }) => {
      const quote = quotes.get(instrument);
      return quote === undefined || quote.quality === 'live' ? [] : [instrument];
    }),
  };
}

/** The earnings of all books together. What rests on a missing price is null. */
export function totalEarnings(books: readonly BookEarnings[]): Earnings {
  return {
    capitalUsd: sum(books, 'capitalUsd') as DecimalString,
    equityUsd: sum(books, 'equityUsd'),
    pnlUsd: sum(books, 'pnlUsd'),
    realizedPnlUsd: sum(books, 'realizedPnlUsd') as DecimalString,
    unrealizedPnlUsd: sum(books, 'unrealizedPnlUsd'),
    feesUsd: sum(books, 'feesUsd') as DecimalString,
    todayUsd: sum(books, 'todayUsd'),
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
