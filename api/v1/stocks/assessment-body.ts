/** An assessment on the wire: a closed object, and no claim without a source. */
import { Type } from 'typebox';
import type { Assessment } from '../../../src/domain/assessment/assess-stock.ts';
import { SOURCE_KINDS } from '../../../src/domain/assessment/claim.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { choice, NullableDecimalText, nullable, Time } from '../../shapes.ts';

const closed = { additionalProperties: false };
const sources = Type.Array(Type.String(), { minItems: 1, description: 'Ids of the list `sources`; at least one.' });
const ClaimBody = Type.Object({ id: Type.String(), text: Type.String(), sources }, closed);

export const AssessmentBody = Type.Object(
  {
    symbol: Type.String(),
    at: Time,
    bull: Type.Array(ClaimBody),
    bear: Type.Array(ClaimBody),
    valuation: Type.Object(
      {
        tokenPrice: NullableDecimalText,
        referencePrice: NullableDecimalText,
        gapPct: nullable('number'),
        session: nullable('string'),
        claims: Type.Array(ClaimBody),
      },
      closed,
    ),
    catalysts: Type.Array(
      Type.Object({ id: Type.String(), text: Type.String(), sources, status: choice(['observed', 'unconfirmed', 'scheduled']) }, closed),
    ),
    thin: Type.Array(Type.String(), { description: 'Gaps in the evidence.' }),
    sources: Type.Array(Type.Object({ id: Type.String(), kind: choice(SOURCE_KINDS), at: Time }, closed)),
    method: choice(
      ['deterministic', 'model'],
      '`model`: a language model phrased and ordered the claims, and every number and source was checked.',
    ),
    note: nullable('string', 'Reason the model’s phrasing was not used; null if it was used or not requested.'),
  },
  { ...closed, $id: 'Assessment' },
);

export function assessmentBody(assessment: Assessment, method: 'deterministic' | 'model', note: string | null) {
  const claim = ({ id, text, sources: ids }: { readonly id: string; readonly text: string; readonly sources: readonly string[] }) => ({
    id,
    text,
    sources: [...ids],
  });
  return {
    symbol: assessment.symbol,
    at: isoTime(assessment.at),
    bull: assessment.bull.map(claim),
    bear: assessment.bear.map(claim),
    valuation: { ...assessment.valuation, claims: assessment.valuation.claims.map(claim) },
    catalysts: assessment.catalysts.map((one) => ({ ...claim(one), status: one.status })),
    thin: [...assessment.thin],
    sources: assessment.sources.map(({ id, kind, at }) => ({ id, kind, at: isoTime(at) })),
    method,
    note,
  };
}
