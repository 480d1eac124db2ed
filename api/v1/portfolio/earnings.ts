/** Profit of the books of a mode, read together: the figures of now and the profit at the beginning of the UTC day. */
import { utcDayOf } from '../../../src/domain/book.ts';
import type { DecimalString } from '../../../src/domain/decimal.ts';
import type { ExecutionMode } from '../../../src/domain/order.ts';
import { type BookEarnings, bookEarnings, profitOf } from '../../../src/domain/portfolio/performance.ts';
import type { PortfolioMaterial } from '../../../src/domain/portfolio/portfolio.ts';
import type { ApiPorts } from '../../ports.ts';

/** A price that was observed longer before the day began says nothing of it. Milliseconds. */
const DAY_PRICE_MAX_AGE_MS = 7 * 86_400_000;

export interface ReadEarnings extends Pick<PortfolioMaterial, 'at' | 'books' | 'quotes'> {
  /** In the order of the books. */
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
  const mids = held.length === 0 ? undefined : (await reads.observedMids(orgId, held, [day], DAY_PRICE_MAX_AGE_MS)).get(day);
  const began = (bookId: string): DecimalString | null => {
    const own = contents.get(bookId);
    return own === undefined ? '0' : profitOf(own, (instrument) => mids?.get(instrument) ?? null);
  };
  return { at, books, quotes, earned: books.map(({ state }) => bookEarnings(state, quotes, at, began(state.id))) };
}
