/** Earnings of the books of a mode, together and individually. */
import { Type } from 'typebox';
import { readBookId, startOfUtcDay } from '../../../src/domain/books/book.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { EXECUTION_MODES, type ExecutionMode } from '../../../src/domain/orders/order.ts';
import {
  type BookEarnings,
  bookEarnings,
  type DayBeginning,
  NOTHING_YET,
  computeProfit,
  totalEarnings,
} from '../../../src/domain/portfolio/performance.ts';
import type { PortfolioMaterial } from '../../../src/domain/portfolio/portfolio.ts';
import type { DecimalString } from '../../../src/domain/values/decimal.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { requireMember } from '../../caller.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import { choice, DecimalText, NullableDecimalText, nullable, objectSchema, Time } from '../../shapes.ts';

interface ReadEarnings extends Pick<PortfolioMaterial, 'at' | 'books' | 'quotes'> {
  /** Earnings in the order of the books. */
  readonly earned: readonly BookEarnings[];
}

/** Reads the P&L of the books of a mode together: present figures, and the P&L at the start of the UTC day. */
export async function readEarnings(
  { portfolio, books: reads }: Pick<ApiPorts, 'portfolio' | 'books'>,
  orgId: string,
  mode: ExecutionMode,
): Promise<ReadEarnings> {
  const { at, books, quotes } = await portfolio.read(orgId, mode, { read: [], unread: [] });
  const day = startOfUtcDay(at);
  const contents = await reads.contentsBefore(
    orgId,
    books.map(({ state }) => state.id),
    day,
  );
  const held = [...new Set([...contents.values()].flatMap(({ holdings }) => holdings.map(({ instrument }) => instrument)))];
  const mids = held.length === 0 ? new Map<InstrumentKey, DecimalString>() : await reads.midsBefore(orgId, held, day);
  const marked = new Map([...contents].map(([id, own]) => [id, computeProfit(own, (instrument) => mids.get(instrument) ?? null)]));
  const unmarked = [...new Set([...marked.values()].flatMap((own) => own.unmarked))];
  const traded = unmarked.length === 0 ? null : await reads.tradedSince(orgId, [...marked.keys()], unmarked, day);
  const began = (bookId: string): DayBeginning => {
    const own = marked.get(bookId);
    return own === undefined ? NOTHING_YET : { ...own, traded: traded?.get(bookId) ?? new Map() };
  };
  return { at, books, quotes, earned: books.map(({ state }) => bookEarnings(state, quotes, at, began(state.id))) };
}

const EARNINGS = {
  capitalUsd: { ...DecimalText, description: 'Paid in minus paid out.' },
  equityUsd: { ...NullableDecimalText, description: 'Cash and holdings at the middle of their quotes; null if a price is missing.' },
  pnlUsd: { ...NullableDecimalText, description: 'Equity minus capital: realized and unrealized, less fees and funding.' },
  realizedPnlUsd: { ...DecimalText, description: 'Proceeds of sales minus their cost, before fees and funding.' },
  unrealizedPnlUsd: NullableDecimalText,
  feesUsd: { ...DecimalText, description: 'Below zero if rebates were larger.' },
  fundingUsd: { ...DecimalText, description: 'Funding that perpetuals paid; below zero if they received more.' },
  todayUsd: {
    ...NullableDecimalText,
    description:
      'Profit minus the profit at the beginning of this UTC day, so that all days sum to the profit. Instruments without a price of that moment are left out and named in `todayWithout`. Null if a price of now is unknown, or every price of that moment.',
  },
  todayWithout: Type.Array(Type.String(), {
    description:
      'Instruments held at midnight without a middle observed in the 24 hours before the last cut. Their result of today is in no figure.',
  }),
};

const PerformanceBody = Type.Object(
  {
    at: Time,
    mode: choice(EXECUTION_MODES),
    totals: Type.Object(EARNINGS),
    books: Type.Array(
      Type.Object({
        bookId: Type.String(),
        agentId: nullable('string', 'Null for the manual book.'),
        manifestVersion: nullable('integer', 'The manifest version that a paper book belongs to.'),
        version: Type.Integer({ description: 'Counts what was booked; 0 where the book is not opened yet.' }),
        ...EARNINGS,
        unpriced: Type.Array(Type.String(), { description: 'Positions without a price.' }),
        leftOut: Type.Array(Type.String(), { description: 'Dust of less than one lot without a price: it is in no figure.' }),
        notLive: Type.Array(Type.String(), { description: 'Held instruments whose price is not live.' }),
      }),
    ),
  },
  { $id: 'Performance' },
);

export const getPerformance = defineRoute({
  method: 'GET',
  url: '/v1/portfolio/performance',
  name: 'getPerformance',
  tag: 'books',
  summary: 'Equity, realized and unrealized profit and loss, and the profit and loss of this UTC day',
  description:
    'P&L of each book of one mode and of all together. Paper and real money are never added up. Holdings are valued at the mid price of their own venue. If a quote is missing, every number that depends on it is null.',
  permission: 'agent:read',
  cost: 'costly',
  schema: { querystring: objectSchema({ mode: Type.Optional(choice(EXECUTION_MODES, 'Default: `paper`.')) }) },
  answers: { 200: { description: 'Equity and profit and loss of the books.', schema: PerformanceBody } },
  refusals: [],
  handle: (ports) => async (request) => {
    const mode = request.query.mode ?? 'paper';
    const { at, books, earned } = await readEarnings(ports, requireMember(request).orgId, mode);
    return {
      at: isoTime(at),
      mode,
      totals: totalEarnings(earned),
      books: earned.map((book, index) => ({
        ...book,
        agentId: books[index]?.agentId ?? null,
        version: books[index]?.version ?? 0,
        manifestVersion: readBookId(book.bookId)?.manifestVersion ?? null,
      })),
    };
  },
});
