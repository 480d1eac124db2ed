/** GET /v1/arbitrage/basis: returns token, reference and perpetual of each underlying, with spread, costs, net edge and half-life. */
import { Type } from 'typebox';
import { isoTime } from '../../../src/domain/values/time.ts';
import { encodeCursor } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { nullable, objectOf, pageFields, Time } from '../../shapes.ts';
import { cutOfQuery } from '../rankings/row-body.ts';
import { BasisRowBody, basisBody } from './basis-body.ts';

const LIST = 'basis';
export const DEFAULT_BASIS_NOTIONAL_USD = '1000';

export const listBasis = defineRoute({
  method: 'GET',
  url: '/v1/arbitrage/basis',
  name: 'listBasis',
  tag: 'arbitrage',
  summary: 'The spread between token, reference and perpetual, with what it costs to trade it',
  description:
    'A leg that is not live gives no edge. Costs are those of a round trip: fees, spread, impact, transfer fee, funding until the mean half-life.',
  permission: 'market:read',
  cost: 'read',
  schema: {
    querystring: objectOf({
      at: Type.Optional(
        Type.String({ format: 'date-time', description: 'The last cut at or before this instant; the newest where it is missing.' }),
      ),
      notionalUsd: Type.Optional(
        Type.String({
          pattern: '^[1-9]\\d{0,8}(\\.\\d{1,6})?$',
          default: DEFAULT_BASIS_NOTIONAL_USD,
          description: 'The size that costs are computed for.',
        }),
      ),
      symbol: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
      ...pageFields,
    }),
  },
  answers: {
    200: {
      description: 'A page of the basis, by symbol.',
      schema: Type.Object({ items: Type.Array(BasisRowBody), nextCursor: nullable('string'), asOf: Time }),
    },
  },
  refusals: [],
  handle: (ports) => async (request) => {
    const { notionalUsd = DEFAULT_BASIS_NOTIONAL_USD, symbol } = request.query;
    const { cut, skip, limit } = await cutOfQuery(ports, request.query, LIST);
    const rows = (await ports.rankings.basis.rows(cut, notionalUsd)).filter((row) => symbol === undefined || row.symbol === symbol);
    const nextCursor = skip + limit < rows.length ? encodeCursor(LIST, `${cut.slot}.${skip + limit}`) : null;
    return { items: rows.slice(skip, skip + limit).map(basisBody), nextCursor, asOf: isoTime(cut.slot) };
  },
});
