/** GET /v1/books/:id/fills: lists the fills of a book with their quotes, and in shadow with what the venue's flow would have given. */
import { Type } from 'typebox';
import { readBookId } from '../../../src/domain/books/book.ts';
import { ORDER_SIDES } from '../../../src/domain/orders/order.ts';
import { UNKNOWN_REASONS } from '../../../src/domain/shadow/measure.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { FLOW_RULES } from '../../../src/domain/venues/venue-facts.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, HashText, NullableDecimalText, objectOf, pageFields, pageOf, Time } from '../../shapes.ts';

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

export const listFills = defineRoute({
  method: 'GET',
  url: '/v1/books/:id/fills',
  name: 'listFills',
  tag: 'books',
  summary: 'The fills of one book, newest first',
  permission: 'agent:read',
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
    return pageBody(found, 'fills', ({ at, quotes, shadow, ...plain }) => ({
      ...plain,
      shadow: shadow === null ? null : { ...shadow, from: isoTime(shadow.from), until: isoTime(shadow.until) },
      at: isoTime(at),
      quotes: quotes.map(({ observedAt, ...quote }) => ({ ...quote, observedAt: isoTime(observedAt) })),
    }));
  },
});
