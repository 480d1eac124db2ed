/** P&L of the books of a mode, read together: present figures, and the P&L at the start of the UTC day. */
import { utcDayOf } from '../../../src/domain/books/book.ts';
import type { DecimalString } from '../../../src/domain/values/decimal.ts';
import type { ExecutionMode } from '../../../src/domain/orders/order.ts';
import { type BookEarnings, bookEarnings, type DayBeginning, NOTHING_YET, profitOf } from '../../../src/domain/portfolio/performance.ts';
import type { PortfolioMaterial } from '../../../src/domain/portfolio/portfolio.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import type { ApiPorts } from '../../route.ts';

interface ReadEarnings extends Pick<PortfolioMaterial, 'at' | 'books' | 'quotes'> {
  /** Earnings in the order of the books. */
  readonly earned: readonly BookEarnings[];
}

export async function readEarnings(
  { portfolio, books: reads }: Pick<ApiPorts, 'portfolio' | 'books'>,
  orgId: string,
  mode: ExecutionMode,
): Promise<ReadEarnings> {
  const { at, books, quotes } = await portfolio.read(orgId, mode, { read: [], unread: [] });
  const day = utcDayOf(at);
  const contents = await reads.contentsBefore(
    orgId,
    books.map(({ state }) => state.id),
    day,
  );
  const held = [...new Set([...contents.values()].flatMap(({ holdings }) => holdings.map(({ instrument }) => instrument)))];
  const mids = held.length === 0 ? new Map<InstrumentKey, DecimalString>() : await reads.midsBefore(orgId, held, day);
  const marked = new Map([...contents].map(([id, own]) => [id, profitOf(own, (instrument) => mids.get(instrument) ?? null)]));
  const unmarked = [...new Set([...marked.values()].flatMap((own) => own.unmarked))];
  const traded = unmarked.length === 0 ? null : await reads.tradedSince(orgId, [...marked.keys()], unmarked, day);
  const began = (bookId: string): DayBeginning => {
    const own = marked.get(bookId);
    return own === undefined ? NOTHING_YET : { ...own, traded: traded?.get(bookId) ?? new Map() };
  };
  return { at, books, quotes, earned: books.map(({ state }) => bookEarnings(state, quotes, at, began(state.id))) };
}
