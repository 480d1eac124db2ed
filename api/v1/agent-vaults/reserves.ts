/** GET /v1/reserves. */
import { Type } from 'typebox';
import type { ReserveCheck } from '../../../src/domain/books/reserves.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, DecimalText, NullableDecimalText, objectOf, pageFields, pageOf, Time } from '../../shapes.ts';

const ReserveCheckBody = Type.Object(
  {
    at: Time,
    verdict: choice(
      ['backed', 'short', 'unknown'],
      '`short`: holdings of an asset are more than 10 bps below the claims. `unknown`: a place could not be read.',
    ),
    lines: Type.Array(
      Type.Object({
        asset: Type.String({
          description:
            '`USD` for the cash of all vaults, `USD:<venue>` for the part of it whose vaults trade at that venue only, else the key of an instrument. What is held of it beyond `claimed` lies outside the books: it backs no dollars, and no closing sells it.',
        }),
        claimed: DecimalText,
        held: NullableDecimalText,
      }),
    ),
    unknown: Type.Array(Type.String(), { description: 'Reasons for places that could not be read.' }),
  },
  {
    $id: 'ReserveCheck',
    examples: [
      {
        at: '2026-11-20T12:00:00.000Z',
        verdict: 'backed',
        lines: [
          { asset: 'USD', claimed: '1009.4', held: '996990.1' },
          { asset: 'spotexchange:BTCUSDT', claimed: '0.03148', held: '0.0314812' },
        ],
        unknown: [],
      },
    ],
  },
);

function reserveBody({ at, verdict, lines, unknown }: ReserveCheck) {
  return { at: isoTime(at), verdict, lines: lines.map(({ asset, claimed, held }) => ({ asset, claimed, held })), unknown: [...unknown] };
}

export const listReserves = defineRoute({
  method: 'GET',
  url: '/v1/reserves',
  name: 'listReserves',
  tag: 'vaults',
  summary: 'Claims of vaults and books, compared with the holdings',
  description:
    'Every two minutes the cash of all vaults and the positions of all live books are compared with the organization’s account at the spot exchange, with its linked and delegated wallets, and with its positions at the on-chain venue of prediction markets. Newest first. In a sandbox the one comparison is of this moment: the simulated dollars of the organization, and those that were paid into its vaults. A deposit that the newest comparison does not back is refused.',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of comparisons.', schema: pageOf(ReserveCheckBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'reserves', POSITIONS.number);
    return pageBody(await ports.vaults.reserves.list(memberOf(request).orgId, page), 'reserves', reserveBody);
  },
});
