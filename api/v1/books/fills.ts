/** GET /v1/books/:id/fills: the executions of one book, each with the quotes that it was made on. */
import { Type } from 'typebox';
import { readBookId } from '../../../src/domain/book.ts';
import { ORDER_SIDES } from '../../../src/domain/order.ts';
import { isoTime } from '../../../src/domain/time.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, NullableDecimalText, objectOf, pageFields, pageOf, Time } from '../../shapes.ts';

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
    notionalUsd: { ...DecimalText, description: 'What was given or got, exact and without the fee.' },
    decisionPrice: DecimalText,
    slippageBps: Type.Number({ description: 'How much worse than the decision price; below zero is better.' }),
    at: Time,
    quotes: Type.Array(Type.Object({ source: Type.String(), observedAt: Time, bid: NullableDecimalText, ask: NullableDecimalText })),
  },
  { $id: 'Fill' },
);

const NO_BOOK = 'there is no book with this id';

export const listFills = defineRoute({
  method: 'GET',
  url: '/v1/books/:id/fills',
  name: 'listFills',
  tag: 'books',
  summary: 'The fills of one book, newest first',
  cost: 'read',
  schema: {
    params: objectOf({ id: Type.String({ maxLength: 100, description: 'Id of a book, as `GET /v1/books` lists it.' }) }),
    querystring: objectOf(pageFields),
  },
  answers: { 200: { description: 'A page of fills.', schema: pageOf(FillBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'fills', POSITIONS.number);
    const { id } = request.params;
    const found = readBookId(id) === null ? null : await ports.books.fills(memberOf(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_BOOK);
    return pageBody(found, 'fills', ({ at, quotes, ...plain }) => ({
      ...plain,
      at: isoTime(at),
      quotes: quotes.map(({ observedAt, ...quote }) => ({ ...quote, observedAt: isoTime(observedAt) })),
    }));
  },
});
