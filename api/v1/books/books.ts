/** Books: the isolated accounts of agents and people, with their fills. */
import { Type } from 'typebox';
import type { BookReads, BookSummary } from '../../../src/adapters/store/books/book-reads.ts';
import { averageEntryPrice, meanSlippageBps, readBookId } from '../../../src/domain/books/book.ts';
import { EXECUTION_MODES, ORDER_SIDES } from '../../../src/domain/orders/order.ts';
import { UNKNOWN_REASONS } from '../../../src/domain/shadow/measure.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { FLOW_RULES } from '../../../src/domain/venues/venue-facts.ts';
import { requireMember } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute, type RouteGroup } from '../../route.ts';
import {
  choice,
  DecimalText,
  HashText,
  IdText,
  NullableDecimalText,
  nullable,
  objectSchema,
  pageFields,
  pageSchema,
  Time,
} from '../../shapes.ts';
import { getPerformance } from './book-earnings.ts';
import { getEquity, getTotalEquity } from './equity-curves.ts';
import { getPortfolio } from './portfolio.ts';
import { simulateImpact } from './portfolio-impact.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    readonly books: BookReads;
  }
}

const BookBody = Type.Object(
  {
    id: Type.String({
      description: 'Id of the book. Encodes the agent, mode and manifest version, or the manual book of the organization.',
    }),
    agentId: nullable('string', 'Null for the manual book.'),
    mode: choice(EXECUTION_MODES),
    manifestVersion: nullable('integer', 'The manifest version that a paper book belongs to.'),
    version: Type.Integer({ description: 'Counts what was booked.' }),
    capitalUsd: DecimalText,
    cashUsd: DecimalText,
    positions: Type.Array(
      Type.Object({
        instrument: Type.String(),
        quantity: DecimalText,
        averageEntryPrice: DecimalText,
        costUsd: DecimalText,
        openedAt: Time,
      }),
      { description: 'At cost, in the order of opening.' },
    ),
    realizedPnlUsd: { ...DecimalText, description: 'Proceeds of sales minus their cost, before fees and funding.' },
    feesUsd: { ...DecimalText, description: 'Below zero if rebates were larger.' },
    fundingUsd: { ...DecimalText, description: 'Funding that its perpetuals paid, booked by the hour; below zero if they received more.' },
    fills: Type.Integer(),
    slippageBps: nullable(
      'number',
      'Mean slippage of fills against their decision prices, weighted by notional, in basis points. Null before the first fill.',
    ),
    openProposals: Type.Integer({ description: 'Proposals that reserve capacity.' }),
    openedAt: Time,
    changedAt: Time,
  },
  { $id: 'Book' },
);

function bookBody(book: BookSummary) {
  const { holdings, openedAt, changedAt, slippageUsd, turnoverUsd, ...plain } = book;
  return {
    ...plain,
    positions: holdings.map(({ instrument, quantity, costUsd, openedAt: since }) => ({
      instrument,
      quantity,
      averageEntryPrice: averageEntryPrice({ costUsd, quantity }),
      costUsd,
      openedAt: isoTime(since),
    })),
    slippageBps: meanSlippageBps({ fills: plain.fills, slippageUsd, turnoverUsd }),
    openedAt: isoTime(openedAt),
    changedAt: isoTime(changedAt),
  };
}

const listBooks = defineRoute({
  method: 'GET',
  url: '/v1/books',
  name: 'listBooks',
  tag: 'books',
  summary: 'The books of agents and people, newest first',
  description: 'A book is opened by its first fill or deposit.',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema({ ...pageFields, agentId: Type.Optional(IdText) }) },
  answers: { 200: { description: 'A page of books.', schema: pageSchema(BookBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'books', POSITIONS.number);
    return pageBody(await ports.books.list(requireMember(request).orgId, request.query.agentId ?? null, page), 'books', bookBody);
  },
});

const ShadowBody = Type.Object({
  rule: Type.Union([choice(FLOW_RULES, 'Method of the measurement.'), Type.Null()]),
  from: { ...Time, description: 'Time at which the order left or began to rest.' },
  until: {
    ...Time,
    description:
      'Time at which it reached its venue or was taken back. On the primary chain it includes the age that a pool state may have.',
  },
  trades: Type.Integer({ description: 'Trades that were received in between.' }),
  books: Type.Integer({ description: 'Books or pool states that were received in between.' }),
  outcome: choice(['measured', 'unknown']),
  reason: Type.Union([choice(UNKNOWN_REASONS, 'Reason the quantity is unknown.'), Type.Null()]),
  quantity: { ...NullableDecimalText, description: 'Quantity that the flow gives, at most what paper filled. Null if unknown.' },
  price: { ...NullableDecimalText, description: 'Its average price; null if nothing is given.' },
  digest: { ...HashText, description: 'SHA-256 of the flow that it was measured by, as the feed signed it.' },
});

const FillBody = Type.Object(
  {
    id: Type.String(),
    orderId: Type.String(),
    bookId: Type.String(),
    instrument: Type.String(),
    side: choice(ORDER_SIDES),
    quantity: DecimalText,
    fillPrice: { ...DecimalText, description: '`notionalUsd` / `quantity`; of a swap rounded to 12 decimals where it has no end.' },
    feeUsd: { ...DecimalText, description: 'Above zero is paid, below zero is received.' },
    notionalUsd: { ...DecimalText, description: 'Money that moved, exact and without the fee.' },
    decisionPrice: DecimalText,
    slippageBps: Type.Number({ description: 'Slippage against the decision price, in basis points. Negative is better.' }),
    at: Time,
    quotes: Type.Array(Type.Object({ source: Type.String(), observedAt: Time, bid: NullableDecimalText, ask: NullableDecimalText })),
    shadow: Type.Union([ShadowBody, Type.Null()], {
      description: "Fill that the venue's order flow would have given instead. Null outside of the shadow stage and before it is measured.",
    }),
  },
  { $id: 'Fill' },
);

const NO_BOOK = 'there is no book with this id';

const listFills = defineRoute({
  method: 'GET',
  url: '/v1/books/:id/fills',
  name: 'listFills',
  tag: 'books',
  summary: 'The fills of one book, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    params: objectSchema({ id: Type.String({ maxLength: 100, description: 'Id of a book, as `GET /v1/books` lists it.' }) }),
    querystring: objectSchema(pageFields),
  },
  answers: { 200: { description: 'A page of fills.', schema: pageSchema(FillBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'fills', POSITIONS.number);
    const { id } = request.params;
    const found = readBookId(id) === null ? null : await ports.books.fills(requireMember(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_BOOK);
    return pageBody(found, 'fills', ({ at, quotes, shadow, ...plain }) => ({
      ...plain,
      shadow: shadow === null ? null : { ...shadow, from: isoTime(shadow.from), until: isoTime(shadow.until) },
      at: isoTime(at),
      quotes: quotes.map(({ observedAt, ...quote }) => ({ ...quote, observedAt: isoTime(observedAt) })),
    }));
  },
});

export const bookRoutes: RouteGroup = {
  tag: {
    name: 'books',
    position: 110,
    description:
      'Positions, fills, P&L and equity curves, per book and for the whole portfolio. Paper and real money are never added up. A missing price makes the dependent numbers null.',
  },
  routes: [listBooks, listFills, getEquity, getPortfolio, getPerformance, getTotalEquity, simulateImpact],
};
