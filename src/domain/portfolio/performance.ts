/** Earnings of books: equity, realized and unrealized P&L, and P&L since the start of the UTC day. Pure. */
import { isPosition, markBook, findPosition, type TradingBook } from '../books/book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { Quote } from '../market/quote.ts';
import type { EpochMs } from '../values/time.ts';
import { midPrice } from '../market/valuation.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** Earnings in US dollars. Null if a required price is missing. */
export interface Earnings {
  /** Deposits minus withdrawals. */
  readonly capitalUsd: DecimalString;
  readonly equityUsd: DecimalString | null;
  /** Equity minus capital: after fees and funding. */
  readonly pnlUsd: DecimalString | null;
  /** Proceeds of sales minus the cost of the sold units. Fees and funding are separate. */
  readonly realizedPnlUsd: DecimalString;
  readonly unrealizedPnlUsd: DecimalString | null;
  readonly feesUsd: DecimalString;
  /** Funding paid by perpetuals, negative if received. */
  readonly fundingUsd: DecimalString;
  /**
   * P&L minus the P&L at the start of this UTC day. Together with what `todayWithout` leaves out, the results of all days sum to the P&L.
   * Null if the P&L is unknown, or if no price of the day's start is known.
   */
  readonly todayUsd: DecimalString | null;
  /** Instruments held at the start of the day without a known price then. Today's result leaves them out. */
  readonly todayWithout: readonly InstrumentKey[];
}

export interface BookEarnings extends Earnings {
  readonly bookId: string;
  /** Positions without a price. */
  readonly unpriced: readonly InstrumentKey[];
  /** Dust without a price, which counts as 0 in these figures. */
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

/** Equity minus capital at given prices, and the positions without a price, which are left out. */
interface MarkedProfit {
  /** Null if there are positions and none has a price. */
  readonly profitUsd: DecimalString | null;
  readonly unmarked: readonly InstrumentKey[];
}

/** Marks a book. Dust without a price counts as 0. */
export function computeProfit(
  { cashUsd, capitalUsd, holdings }: BookContents,
  priceOf: (instrument: InstrumentKey) => DecimalString | null,
): MarkedProfit {
  let profit = new Decimal(cashUsd).minus(capitalUsd);
  const positions = holdings.filter(isPosition);
  const unmarked = positions.filter(({ instrument }) => priceOf(instrument) === null).map(({ instrument }) => instrument);
  for (const { instrument, quantity } of holdings) profit = profit.plus(new Decimal(quantity).times(priceOf(instrument) ?? 0));
  return { profitUsd: unmarked.length > 0 && unmarked.length === positions.length ? null : plainDecimal(profit), unmarked };
}

export interface DayBeginning extends MarkedProfit {
  /** Dollars from each unmarked instrument since then, minus its cost, with fees, funding and payouts. */
  readonly traded: ReadonlyMap<InstrumentKey, DecimalString>;
}

/** Start of a day for a book without earlier events. */
export const NOTHING_YET: DayBeginning = Object.freeze({ profitUsd: '0', unmarked: [], traded: new Map() });

/** Returns the P&L since the day began, without instruments that had no price then. */
function sinceBegan(pnlUsd: DecimalString, book: TradingBook, marks: ReadonlyMap<InstrumentKey, DecimalString>, began: DayBeginning) {
  if (began.profitUsd === null) return null;
  let today = new Decimal(pnlUsd).minus(began.profitUsd);
  for (const instrument of began.unmarked) {
    const quantity = findPosition(book, instrument)?.quantity ?? '0';
    today = today.minus(new Decimal(quantity).times(marks.get(instrument) ?? 0)).minus(began.traded.get(instrument) ?? 0);
  }
  return plainDecimal(today);
}

/** Returns the earnings of one book at quote midpoints. */
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

/**
 * Returns the earnings of all books together. Fields that depend on a missing present price are null. Today leaves out what `todayWithout`
 * names.
 */
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

/** Sums a field over the books, or returns null if one of them is null. */
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
