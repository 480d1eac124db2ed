/** Store ports of the book routes. */
import type { Fill, Position } from '../../../src/domain/books/book.ts';
import type { DecimalString } from '../../../src/domain/values/decimal.ts';
import type { LedgerMove } from '../../../src/domain/books/equity-course.ts';
import type { ExecutionMode } from '../../../src/domain/orders/order.ts';
import type { BookContents } from '../../../src/domain/portfolio/performance.ts';
import type { ShadowMeasurement } from '../../../src/domain/shadow/measure.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import type { Page, PageOf } from '../../page.ts';

/** A book as lists show it: at cost, for a list knows no prices. */
export interface BookSummary {
  readonly id: string;
  readonly agentId: string | null;
  readonly mode: ExecutionMode;
  readonly manifestVersion: number | null;
  readonly version: number;
  readonly capitalUsd: DecimalString;
  readonly cashUsd: DecimalString;
  readonly holdings: readonly Position[];
  readonly realizedPnlUsd: DecimalString;
  readonly feesUsd: DecimalString;
  readonly fundingUsd: DecimalString;
  readonly fills: number;
  readonly turnoverUsd: DecimalString;
  readonly slippageUsd: DecimalString;
  readonly openProposals: number;
  readonly openedAt: EpochMs;
  readonly changedAt: EpochMs;
}

/** Every booking of a book, from which its curve is made. */
export interface BookCourse {
  readonly openedAt: EpochMs;
  /** Ascending. */
  readonly moves: readonly LedgerMove[];
}

/** A fill with what the flow of its venue would have given in its place; null outside of the shadow stage, and before it is measured. */
export interface BookedFill extends Fill {
  readonly shadow: (ShadowMeasurement & { readonly digest: string }) | null;
}

/** Reads of books, newest first. */
export interface BookReads {
  list(orgId: string, agentId: string | null, page: Page): Promise<PageOf<BookSummary>>;
  /** Null if the organization has no such book. */
  fills(orgId: string, bookId: string, page: Page): Promise<PageOf<BookedFill> | null>;
  /** Null if the organization has no such book. */
  course(orgId: string, bookId: string): Promise<BookCourse | null>;
  /** Time at which the first of these books was opened, and from when on observations lie in the database; null if nothing limits it. */
  opened(orgId: string, bookIds: readonly string[]): Promise<{ readonly openedAt: EpochMs | null; readonly observedFrom: EpochMs | null }>;
  /**
   * Ledger moves of these books together, summed up to each of `times` (ascending). There is at most one move of each kind and instrument.
   */
  movesOf(orgId: string, bookIds: readonly string[], times: readonly EpochMs[]): Promise<readonly LedgerMove[]>;
  /** Holdings and cash of each of these books before an instant, by book id. A book that is not open is left out. */
  contentsBefore(orgId: string, bookIds: readonly string[], before: EpochMs): Promise<ReadonlyMap<string, BookContents>>;
  /** The last middle of each instrument before an instant: of the newest cut, or one of the day before that. */
  midsBefore(orgId: string, instruments: readonly InstrumentKey[], before: EpochMs): Promise<ReadonlyMap<InstrumentKey, DecimalString>>;
  /** Dollars that instruments have brought to each book since an instant, less what they have cost, fees included. */
  tradedSince(
    orgId: string,
    bookIds: readonly string[],
    instruments: readonly InstrumentKey[],
    since: EpochMs,
  ): Promise<ReadonlyMap<string, ReadonlyMap<InstrumentKey, DecimalString>>>;
  /** The middles that the newest cut at each of `times` observed; a cut that is older than `withinMs` is none. */
  observedMids(
    orgId: string,
    instruments: readonly InstrumentKey[],
    times: readonly EpochMs[],
    withinMs: number,
  ): Promise<ReadonlyMap<EpochMs, ReadonlyMap<InstrumentKey, DecimalString>>>;
}
