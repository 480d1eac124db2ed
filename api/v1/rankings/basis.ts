/** The basis of every underlying at a cut: token, reference and perpetual, with costs, net edge and half-life. */
import { Type } from 'typebox';
import { hasBasis } from '../../../src/domain/basis/basis-legs.ts';
import { type BasisRow, basisRow, NO_EDGE_REASONS } from '../../../src/domain/basis/basis-row.ts';
import type { Cut } from '../../../src/domain/market/cut.ts';
import type { DecimalString } from '../../../src/domain/values/decimal.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { encodeCursor } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, NullableDecimalText, nullable, objectSchema, pageFields, Time } from '../../shapes.ts';
import { createHalfLives, type HalfLifeDeps } from './half-lives.ts';
import { createOncePerCut } from './once-per-cut.ts';
import { cutOfQuery, PriceBody, priceBody } from './ranking-rows.ts';

export const BasisRowBody = Type.Object(
  {
    symbol: Type.String(),
    underlying: Type.String(),
    at: { ...Time, description: 'The cut.' },
    notionalUsd: { ...DecimalText, description: 'The size that costs are computed for.' },
    legs: Type.Object({ token: PriceBody, reference: PriceBody, perpetual: PriceBody }),
    hourlyFunding: NullableDecimalText,
    liquidityUsd: NullableDecimalText,
    edges: Type.Array(
      Type.Object({
        against: choice(['reference', 'perpetual']),
        spreadBps: Type.Unsafe<string | null>({ ...NullableDecimalText, description: 'Above zero the token is the dearer leg.' }),
        costs: Type.Array(Type.Object({ name: Type.String(), bps: DecimalText }), { description: 'Costs of a round trip.' }),
        netEdgeBps: Type.Unsafe<string | null>({
          ...NullableDecimalText,
          description: 'Size of the spread less the costs; null if a leg is not live.',
        }),
        halfLifeHours: nullable('number', 'Half-life of the spread, from stored hourly bars.'),
        reasons: Type.Array(choice(NO_EDGE_REASONS), { description: 'Reasons why there is no edge.' }),
      }),
    ),
  },
  { $id: 'BasisRow' },
);

export function basisBody(row: BasisRow) {
  return {
    ...row,
    at: isoTime(row.at),
    legs: { token: priceBody(row.legs.token), reference: priceBody(row.legs.reference), perpetual: priceBody(row.legs.perpetual) },
    edges: row.edges.map((edge) => ({ ...edge, costs: [...edge.costs], reasons: [...edge.reasons] })),
  };
}

/** Creates the reads of the basis at a cut, with half-lives from stored bars, for the route and the feed channel. */
export function createBasisReads(deps: HalfLifeDeps) {
  const { catalog } = deps;
  const halfLives = createHalfLives(deps);

  async function computeRows(cut: Cut, notionalUsd: DecimalString): Promise<readonly BasisRow[]> {
    const lives = await halfLives(cut.slot);
    return catalog.entries
      .filter(hasBasis)
      .sort((a, b) => (a.instrument < b.instrument ? -1 : 1))
      .map((entry) => {
        const perpetual = entry.pairedPerp === null ? undefined : cut.observations.get(entry.pairedPerp);
        return basisRow(entry, cut, perpetual, { notionalUsd, halfLife: lives.get(entry.key) ?? { reference: null, perpetual: null } });
      });
  }

  const once = createOncePerCut<Promise<readonly BasisRow[]>>();
  return {
    /** Returns rows of all instruments with a reference price or a perpetual, by symbol. */
    rows: (cut: Cut, notionalUsd: DecimalString): Promise<readonly BasisRow[]> =>
      once(cut, notionalUsd, () => computeRows(cut, notionalUsd)),
  };
}

export type BasisReads = ReturnType<typeof createBasisReads>;

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
    querystring: objectSchema({
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
