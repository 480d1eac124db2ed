/** A row of the basis on the wire. */
import { Type } from 'typebox';
import { type BasisRow, NO_EDGE_REASONS } from '../../../src/domain/basis/basis-row.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { choice, DecimalText, NullableDecimalText, nullable, Time } from '../../shapes.ts';
import { PriceBody, priceBody } from '../rankings/row-body.ts';

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
