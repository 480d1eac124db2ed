/** Results of paper trading, from the rows of the paper book: daily equity and round trips. */
import {
  applyFill,
  applyFunding,
  emptyBook,
  type Fill,
  markBook,
  type MultiplierChange,
  rescaledBook,
  startOfUtcDay,
  type TradingBook,
} from '../books/book.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { type PaperSeries, RULES_VERSION } from './evidence.ts';
import type { FundingPayment } from '../orders/funding.ts';
import { DAY_MS, type EpochMs } from '../values/time.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** Prices at which positions are valued: live bids. */
export type Marks = ReadonlyMap<InstrumentKey, DecimalString>;

/** Rows that a paper evaluation reads. */
export interface PaperRows {
  readonly bookId: string;
  /** Starting capital of the paper book: the manifest's `maxCapitalUsd`. */
  readonly capitalUsd: DecimalString;
  readonly enteredAt: EpochMs;
  readonly evaluatedAt: EpochMs;
  /** Paused time between the two, in milliseconds. It does not count as trading days. */
  readonly pausedMs: number;
  /** Mean cost of a fill in the manifest's backtest, in basis points, or null without one. */
  readonly promisedBps: number | null;
  /** Fills of the book, including those from before the stage, ascending by `at`. */
  readonly fills: readonly Fill[];
  /** Funding booked to it, ascending by hour. */
  readonly funding: readonly FundingPayment[];
  /** Changes of the traded tokens' multipliers, ascending by `at`. */
  readonly rescalings: readonly MultiplierChange[];
  /** Last live bids in the hours before the stage was entered, in units of that time. */
  readonly entryMarks: Marks;
  /** Last live bids of each UTC day since then in units of its end, by 00:00 of the day. */
  readonly dayMarks: ReadonlyMap<EpochMs, Marks>;
}

/**
 * Returns the series of a paper evaluation. A day on which a position had no live bid is left out, because unknown is never good. A
 * position that was open when the stage was entered and had no bid then counts at its cost.
 */
export function computePaperSeries(rows: PaperRows): PaperSeries {
  const { enteredAt, evaluatedAt } = rows;
  let book = emptyBook(rows.bookId, 'paper', rows.capitalUsd);
  const trips = new RoundTrips();
  const afterFill = (fill: Fill, inStage: boolean): void => {
    book = applyFill(book, fill);
    const pnlUsd = trips.closedBy(fill, book);
    if (inStage && pnlUsd !== null) trades.push([fill.at, pnlUsd]);
  };
  const afterPayment = (payment: FundingPayment): void => {
    book = applyFunding(book, payment.paidUsd);
    trips.pay(payment);
  };
  const afterChange = (change: MultiplierChange): void => {
    book = rescaledBook(book, change);
  };
  // A payment at the end of an hour and a new multiplier come before a fill at the same instant.
  const events = [
    ...rows.funding.map((payment) => ({ at: payment.hour, book: () => afterPayment(payment) })),
    ...rows.rescalings.map((change) => ({ at: change.at, book: () => afterChange(change) })),
    ...rows.fills.map((fill) => ({ at: fill.at, book: (inStage: boolean) => afterFill(fill, inStage) })),
  ].sort((a, b) => a.at - b.at);
  let next = 0;
  const trades: (readonly [EpochMs, DecimalString])[] = [];
  const advance = (until: EpochMs, inStage: boolean): void => {
    for (; next < events.length; next++) {
      const event = events[next] as (typeof events)[number];
      if (event.at >= until || event.at > evaluatedAt) return;
      event.book(inStage);
    }
  };
  advance(enteredAt, false);
  const startEquityUsd = plainDecimal(valueAt(book, rows.entryMarks, enteredAt) ?? atCost(book));
  const days: (readonly [EpochMs, DecimalString])[] = [];
  for (let day = startOfUtcDay(enteredAt); day <= evaluatedAt; day += DAY_MS) {
    advance(day + DAY_MS, true);
    const equity = valueAt(book, rows.dayMarks.get(day) ?? new Map(), day);
    if (equity !== null) days.push([day, equity]);
  }
  const costs = rows.fills
    .filter(({ at }) => at >= enteredAt && at <= evaluatedAt)
    .map(({ notionalUsd, slippageBps }) => [notionalUsd, slippageBps] as const);
  const { pausedMs, promisedBps } = rows;
  return { rules: RULES_VERSION.paper, enteredAt, evaluatedAt, pausedMs, promisedBps, startEquityUsd, days, trades, costs };
}

function valueAt(book: TradingBook, marks: Marks, at: EpochMs): DecimalString | null {
  return markBook(book, marks, at).equityUsd;
}

function atCost(book: TradingBook): Decimal {
  return book.holdings.reduce((sum, { costUsd }) => sum.plus(costUsd), new Decimal(book.cashUsd));
}

/** Cash that each instrument has cost since it was last flat. A round trip ends when the book is flat in it again. */
class RoundTrips {
  readonly #flows = new Map<InstrumentKey, Decimal>();

  /** Adds funding to the open round trip of its instrument. */
  pay({ instrument, paidUsd }: FundingPayment): void {
    const flow = this.#flows.get(instrument);
    if (flow !== undefined) this.#flows.set(instrument, flow.minus(paidUsd));
  }

  /** Returns the profit of the round trip that a fill ends, or null. `after` is the book after the fill. */
  closedBy(fill: Fill, after: TradingBook): DecimalString | null {
    const paid = fill.side === 'buy' ? new Decimal(fill.notionalUsd).neg() : new Decimal(fill.notionalUsd);
    const flow = (this.#flows.get(fill.instrument) ?? new Decimal(0)).plus(paid).minus(fill.feeUsd);
    if (after.holdings.some(({ instrument }) => instrument === fill.instrument)) {
      this.#flows.set(fill.instrument, flow);
      return null;
    }
    this.#flows.delete(fill.instrument);
    return plainDecimal(flow.toDecimalPlaces(8));
  }
}
