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
  /** Periods in which the agent was paused, ascending. The last one may have no end. */
  readonly pauses: readonly { readonly from: EpochMs; readonly to: EpochMs | null }[];
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
 * Returns the series of a paper evaluation. Round trips are those of the stage: one that was open at the entry goes on from its value then,
 * and a gain realized while the agent was paused does not count, because a person may have chosen its moment. A day on which a position had
 * no live bid is left out, because unknown is never good. A position that was open when the stage was entered and had no bid then counts at
 * its cost.
 */
export function computePaperSeries(rows: PaperRows): PaperSeries {
  const { enteredAt, evaluatedAt } = rows;
  let book = emptyBook(rows.bookId, 'paper', rows.capitalUsd);
  const trips = new RoundTrips();
  const afterFill = (fill: Fill, inStage: boolean): void => {
    book = applyFill(book, fill);
    const pnlUsd = trips.closedBy(fill, book);
    if (inStage && pnlUsd !== null && !(isAbove(pnlUsd) && wasPaused(rows, fill.at))) trades.push([fill.at, pnlUsd]);
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
  const valueAtEntry = valueAt(book, rows.entryMarks, enteredAt);
  const startEquityUsd = plainDecimal(valueAtEntry ?? atCost(book));
  trips.restart(book, valueAtEntry === null ? null : rows.entryMarks);
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

/** Returns the equity, or null if a holding has no mark, even if it is dust. */
function valueAt(book: TradingBook, marks: Marks, at: EpochMs): DecimalString | null {
  const { equityUsd, leftOut } = markBook(book, marks, at);
  return leftOut.length > 0 ? null : equityUsd;
}

function isAbove(usd: DecimalString): boolean {
  return new Decimal(usd).gt(0);
}

function wasPaused({ pauses }: Pick<PaperRows, 'pauses'>, at: EpochMs): boolean {
  return pauses.some(({ from, to }) => from <= at && (to === null || at < to));
}

function atCost(book: TradingBook): Decimal {
  return book.holdings.reduce((sum, { costUsd }) => sum.plus(costUsd), new Decimal(book.cashUsd));
}

/**
 * Cash that each instrument has cost since it was last flat, or since the entry to the stage. A round trip ends when the book is flat in it
 * again.
 */
class RoundTrips {
  readonly #flows = new Map<InstrumentKey, Decimal>();

  /** Lets open round trips go on from the value of their positions at these marks, or from their cost without marks. */
  restart({ holdings }: TradingBook, marks: Marks | null): void {
    this.#flows.clear();
    for (const { instrument, quantity, costUsd } of holdings)
      this.#flows.set(
        instrument,
        marks === null ? new Decimal(costUsd).neg() : new Decimal(quantity).times(marks.get(instrument) ?? 0).neg(),
      );
  }

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
