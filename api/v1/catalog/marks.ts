/** GET /v1/catalog/marks: lists every received change of an issuer's mark, with its source. */
import { Type } from 'typebox';
import { percentAbove } from '../../../src/domain/market/valuation.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { DecimalText, NullableDecimalText, nullable, objectOf, pageFields, pageOf, Time } from '../../shapes.ts';

const MarkChangeBody = Type.Object(
  {
    instrument: Type.String(),
    issuer: Type.String(),
    source: Type.String(),
    mint: Type.String({ description: 'The mint that the issuer named; only marks of the verified mint are kept.' }),
    seenAt: { ...Time, description: 'Time at which the mark was first received. Issuers give no time of their own.' },
    markPrice: { ...DecimalText, description: 'US dollars per UI unit of the token.' },
    markValuation: { ...DecimalText, description: 'US dollars.' },
    previousMarkPrice: NullableDecimalText,
    previousMarkValuation: NullableDecimalText,
    changePct: nullable('number', 'Change of the price in percent; null for the first mark.'),
    supply: { ...NullableDecimalText, description: 'UI units in existence at that time, by the issuer.' },
    issuerTokenPrice: { ...NullableDecimalText, description: "The issuer's own word on the token's price." },
    issuerImpliedValuation: { ...NullableDecimalText, description: "The issuer's own word on the implied valuation." },
  },
  { $id: 'MarkChange' },
);

export const listMarks = defineRoute({
  method: 'GET',
  url: '/v1/catalog/marks',
  name: 'listMarks',
  tag: 'market',
  summary: "History of issuers' marks",
  permission: 'market:read',
  cost: 'read',
  schema: { querystring: objectOf({ instrument: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })), ...pageFields }) },
  answers: { 200: { description: 'Changes of marks, newest first.', schema: pageOf(MarkChangeBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = await ports.catalog.marks.changes(request.query.instrument ?? null, pageOfQuery(request.query, 'marks', POSITIONS.number));
    return pageBody(page, 'marks', ({ change, previous }) => ({
      instrument: change.symbol,
      issuer: change.issuer,
      source: change.source,
      mint: change.mint,
      seenAt: isoTime(change.receivedAt),
      markPrice: change.markPrice,
      markValuation: change.markValuation,
      previousMarkPrice: previous?.markPrice ?? null,
      previousMarkValuation: previous?.markValuation ?? null,
      changePct: previous === null ? null : percentAbove(change.markPrice, previous.markPrice),
      supply: change.supply,
      issuerTokenPrice: change.tokenPrice,
      issuerImpliedValuation: change.impliedValuation,
    }));
  },
});
