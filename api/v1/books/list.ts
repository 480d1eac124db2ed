/** GET /v1/books: the isolated books of an organization's agents and people. */
import { Type } from 'typebox';
import type { BookSummary } from '../../../src/adapters/store/books/book-reads.ts';
import { averageEntryPrice, meanSlippageBps } from '../../../src/domain/books/book.ts';
import { EXECUTION_MODES } from '../../../src/domain/orders/order.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, IdText, nullable, objectOf, pageFields, pageOf, Time } from '../../shapes.ts';

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

export const listBooks = defineRoute({
  method: 'GET',
  url: '/v1/books',
  name: 'listBooks',
  tag: 'books',
  summary: 'The books of agents and people, newest first',
  description: 'A book is opened by its first fill or deposit.',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf({ ...pageFields, agentId: Type.Optional(IdText) }) },
  answers: { 200: { description: 'A page of books.', schema: pageOf(BookBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'books', POSITIONS.number);
    return pageBody(await ports.books.list(memberOf(request).orgId, request.query.agentId ?? null, page), 'books', bookBody);
  },
});
