/** Reads of books: an organization's list, and the fills of a book, newest first. Every read takes the organization. */
import type { Fill, FillQuote, Position } from '../../../domain/books/book.ts';
import type { LedgerMove } from '../../../domain/books/equity-course.ts';
import type { ExecutionMode } from '../../../domain/orders/order.ts';
import type { ShadowMeasurement } from '../../../domain/shadow/measure.ts';
import { type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { Page, PageOf } from '../../../domain/values/page.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { pageOfRows } from '../queries.ts';
import { type BookFigures, toBookFigures } from './book-store.ts';
import { createTotalReads, type MoveRow, toMove } from './total-reads.ts';

/** Book in a list, valued at cost, because a list has no prices. */
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

/** Every booking of a book, for its equity curve. */
export interface BookCourse {
  readonly openedAt: EpochMs;
  /** Ascending. */
  readonly moves: readonly LedgerMove[];
}

/** Fill with the result of its venue's flow; null outside the shadow stage, and until it is measured. */
interface BookedFill extends Fill {
  readonly shadow: (ShadowMeasurement & { readonly digest: string }) | null;
}

interface BookListRow extends BookFigures {
  id: string;
  number: number;
  agent_id: string | null;
  mode: ExecutionMode;
  manifest_version: number | null;
  version: number;
  open_proposals: number;
  opened_at: number;
  changed_at: number;
}

function toBook(row: BookListRow) {
  return {
    id: row.id,
    agentId: row.agent_id,
    mode: row.mode,
    manifestVersion: row.manifest_version,
    version: row.version,
    ...toBookFigures(row),
    openProposals: row.open_proposals,
    openedAt: row.opened_at,
    changedAt: row.changed_at,
  };
}

interface FillRow {
  id: string;
  number: number;
  order_id: string;
  book_id: string;
  instrument: Fill['instrument'];
  side: Fill['side'];
  quantity: string;
  fill_price: string;
  fee_usd: string;
  notional_usd: string;
  decision_price: string;
  slippage_bps: number;
  at: number;
  quotes: readonly FillQuote[];
}

/** A fill as it is stored. */
export function toFill(row: FillRow): Fill {
  return {
    id: row.id,
    orderId: row.order_id,
    bookId: row.book_id,
    instrument: row.instrument,
    side: row.side,
    quantity: plainDecimal(row.quantity),
    fillPrice: plainDecimal(row.fill_price),
    feeUsd: plainDecimal(row.fee_usd),
    notionalUsd: plainDecimal(row.notional_usd),
    decisionPrice: plainDecimal(row.decision_price),
    slippageBps: row.slippage_bps,
    at: row.at,
    quotes: row.quotes,
  };
}

type MeasuredRow = NonNullable<BookedFill['shadow']>;

function toMeasured(row: MeasuredRow | null): MeasuredRow | null {
  if (row === null) return null;
  const plain = (figure: string | null): string | null => (figure === null ? null : plainDecimal(figure));
  return { ...row, quantity: plain(row.quantity), price: plain(row.price) };
}

export function createBookReads(sql: Sql) {
  return {
    ...createTotalReads(sql),

    /** Lists books. The position is the last book's number. */
    async list(orgId: string, agentId: string | null, { limit, after }: Page): Promise<PageOf<BookSummary>> {
      const rows = await sql<BookListRow[]>`
        select b.id, b.number, b.agent_id, b.mode, b.manifest_version, b.version, b.capital_usd, b.cash_usd, b.holdings, b.realized_pnl_usd,
          b.fees_usd, b.funding_usd, b.fills, b.turnover_usd, b.slippage_usd, b.opened_at, b.changed_at,
          (select count(*)::int from proposals p where p.book_id = b.id and p.state in ('pending_approval', 'approved', 'executing', 'unknown')) as open_proposals
        from books b where b.org_id = ${orgId}
        ${agentId === null ? sql`` : sql`and b.agent_id = ${agentId}`}
        ${after === null ? sql`` : sql`and b.number < ${Number(after)}`}
        order by b.number desc limit ${limit + 1}`;
      const page = pageOfRows(rows, limit, ({ number }) => String(number));
      return { items: page.items.map(toBook), next: page.next };
    },

    /** Lists the fills of a book; null if the organization has no such book. The position is the last fill's number. */
    async fills(orgId: string, bookId: string, { limit, after }: Page): Promise<PageOf<BookedFill> | null> {
      const [known, rows] = await Promise.all([
        sql`select 1 from books where id = ${bookId} and org_id = ${orgId}`,
        sql<(FillRow & { shadow: MeasuredRow | null })[]>`
          select id, number, order_id, book_id, instrument, side, quantity, fill_price, fee_usd, notional_usd, decision_price, slippage_bps, at, quotes, (
            select jsonb_build_object('rule', w.rule, 'from', w.from_at, 'until', w.until_at, 'trades', w.trades, 'books', w.books, 'outcome', w.outcome,
              'reason', w.reason, 'quantity', w.quantity::text, 'price', w.price::text, 'digest', w.digest)
            from shadow_windows w where w.fill_id = fills.id) as shadow
          from fills where book_id = ${bookId} ${after === null ? sql`` : sql`and number < ${Number(after)}`}
          order by number desc limit ${limit + 1}`,
      ]);
      if (known.length === 0) return null;
      const page = pageOfRows(rows, limit, ({ number }) => String(number));
      return { items: page.items.map((row) => ({ ...toFill(row), shadow: toMeasured(row.shadow) })), next: page.next };
    },

    /** Returns all bookings of a book; null if the organization has no such book. */
    async course(orgId: string, bookId: string): Promise<BookCourse | null> {
      const [[known], rows] = await Promise.all([
        sql<{ opened_at: number }[]>`select opened_at from books where id = ${bookId} and org_id = ${orgId}`,
        sql<MoveRow[]>`
          select t.at, a.kind, a.asset, l.amount from ledger_transactions t
          join ledger_legs l on l.transaction_id = t.id join ledger_accounts a on a.id = l.account_id
          where t.book_id = ${bookId} and a.kind in ('cash', 'capital', 'position') order by t.at, t.number`,
      ]);
      return known === undefined ? null : { openedAt: known.opened_at, moves: rows.map(toMove) };
    },
  };
}

/** Reads of books, newest first. */
export type BookReads = ReturnType<typeof createBookReads>;
