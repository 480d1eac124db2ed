/** Earnings of books: equity, realized and unrealized P&L, and since the beginning of the UTC day. Pure. */
import { isPosition, markBook, positionOf, type TradingBook } from '../books/book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { Quote } from '../market/quote.ts';
import type { EpochMs } from '../values/time.ts';
import { midPrice } from '../market/valuation.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** Earnings, in US dollars; null if a price is missing that it rests on. */
export interface Earnings {
  /** Paid in minus paid out. */
  readonly capitalUsd: DecimalString;
  readonly equityUsd: DecimalString | null;
  /** Equity minus capital: after fees and funding. */
  readonly pnlUsd: DecimalString | null;
  /** Proceeds of sales minus the cost of the sold units. Fees and funding are separate. */
  readonly realizedPnlUsd: DecimalString;
  readonly unrealizedPnlUsd: DecimalString | null;
  readonly feesUsd: DecimalString;
  /** Funding that perpetuals paid; below zero if they received more. */
  readonly fundingUsd: DecimalString;
  /**
   * Profit minus the profit at the beginning of this UTC day: with what `todayWithout` leaves out, the results of all days sum to
   * the profit. Null if the profit is unknown, or no price of the day's beginning is known.
   */
  readonly todayUsd: DecimalString | null;
  /** Instruments held when the day began without a known price of that moment. Today's result leaves them out. */
  readonly todayWithout: readonly InstrumentKey[];
}

export interface BookEarnings extends Earnings {
  readonly bookId: string;
  /** Positions without a price. */
  readonly unpriced: readonly InstrumentKey[];
  /** Dust without a price, which is worth nothing in these figures. */
  readonly leftOut: readonly InstrumentKey[];
  /** Instruments held whose price is not live. */
  readonly notLive: readonly InstrumentKey[];
}

/** Cash, capital and quantities of a book at an instant. */
export interface BookContents {
  readonly cashUsd: DecimalString;
  readonly capitalUsd: DecimalString;
  readonly holdings: readonly { readonly instrument: InstrumentKey; readonly quantity: DecimalString }[];
}

/** Equity minus capital at some prices, and the positions whose price is unknown, which are not in it. */
export interface MarkedProfit {
  /** Null if there are positions and no price of any. */
  readonly profitUsd: DecimalString | null;
  readonly unmarked: readonly InstrumentKey[];
}

/** Marks a book. Dust without a price is worth nothing. */
export function profitOf(
  { cashUsd, capitalUsd, holdings }: BookContents,
  priceOf: (instrument: InstrumentKey) => DecimalString | null,
): MarkedProfit {
  let profit = new Decimal(cashUsd).minus(capitalUsd);
  const positions = holdings.filter(isPosition);
  const unmarked = positions.filter(({ instrument }) => priceOf(instrument) === null).map(({ instrument }) => instrument);
  for (const { instrument, quantity } of holdings) profit = profit.plus(new Decimal(quantity).times(priceOf(instrument) ?? 0));
  return { profitUsd: unmarked.length > 0 && unmarked.length === positions.length ? null : plainDecimal(profit), unmarked };
}

/** State of a book at the beginning of the UTC day. */
export interface DayBeginning extends MarkedProfit {
  /** Dollars that each unmarked instrument has brought since, less its cost, fees included. */
  readonly traded: ReadonlyMap<InstrumentKey, DecimalString>;
}

/** The beginning of a day before which a book had nothing. */
export const NOTHING_YET: DayBeginning = Object.freeze({ profitUsd: '0', unmarked: [], traded: new Map() });

/** Profit since the day began, of all but the instruments without a price of that moment. */
function sinceBegan(pnlUsd: DecimalString, book: TradingBook, marks: ReadonlyMap<InstrumentKey, DecimalString>, began: DayBeginning) {
  if (began.profitUsd === null) return null;
  let today = new Decimal(pnlUsd).minus(began.profitUsd);
  for (const instrument of began.unmarked) {
    const quantity = positionOf(book, instrument)?.quantity ?? '0';
    today = today.minus(new Decimal(quantity).times(marks.get(instrument) ?? 0)).minus(began.traded.get(instrument) ?? 0);
  }
  return plainDecimal(today);
}

/** The earnings of one book at the middle of each quote. */
export function bookEarnings(book: TradingBook, quotes: ReadonlyMap<InstrumentKey, Quote>, at: EpochMs, began: DayBeginning): BookEarnings {
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
    fundingUsd: book.fundingUsd,
    todayUsd: pnlUsd === null ? null : sinceBegan(pnlUsd, book, marks, began),
    todayWithout: began.unmarked,
    unpriced,
    leftOut,
    notLive: book.holdings.flatMap(({ instrument }) => {
      const quote = quotes.get(instrument);
      return quote === undefined || quote.quality === 'live' ? [] : [instrument];
    }),
  };
}

/** The earnings of all books together. What rests on a missing price of now is null; today leaves out what `todayWithout` names. */
export function totalEarnings(books: readonly BookEarnings[]): Earnings {
  const begun = books.filter(({ pnlUsd, todayUsd }) => todayUsd !== null || pnlUsd === null);
  return {
    capitalUsd: sum(books, 'capitalUsd') as DecimalString,
    equityUsd: sum(books, 'equityUsd'),
    pnlUsd: sum(books, 'pnlUsd'),
    realizedPnlUsd: sum(books, 'realizedPnlUsd') as DecimalString,
    unrealizedPnlUsd: sum(books, 'unrealizedPnlUsd'),
    feesUsd: sum(books, 'feesUsd') as DecimalString,
    fundingUsd: sum(books, 'fundingUsd') as DecimalString,
    todayUsd: begun.length === 0 && books.length > 0 ? null : sum(begun, 'todayUsd'),
    todayWithout: [...new Set(books.flatMap(({ todayWithout }) => todayWithout))],
  };
}

/** Sums a field over the books; null if one of them is null. */
function sum(books: readonly BookEarnings[], field: Exclude<keyof Earnings, 'todayWithout'>): DecimalString | null {
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
