/** GET /v1/agents/:id/vault/price-history: price of a vault's share over time. */
import { Type } from 'typebox';
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import { isoTime } from '../../../../src/domain/values/time.ts';
import { memberOf } from '../../../caller.ts';
import { idInPath } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath, DecimalText, objectOf, Time } from '../../../shapes.ts';

const MOST_POINTS = 300;

const PriceHistoryBody = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        at: Time,
        equityUsd: DecimalText,
        sharePriceUsd: DecimalText,
        drawdownPct: Type.Number({ description: 'Drawdown of the share price from its highest value so far.' }),
      }),
      { description: 'Ascending.' },
    ),
  },
  { $id: 'VaultPriceHistory' },
);

export const getVaultPriceHistory = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/vault/price-history',
  name: 'getVaultPriceHistory',
  tag: 'vaults',
  summary: 'Price history of a vault share, with its drawdown',
  description: `The vault is valued once a minute while it holds assets. Returns at most ${MOST_POINTS} valuations, evenly spread and including the newest. Unsigned valuations are left out.`,
  permission: 'agent:read',
  cost: 'costly',
  schema: {
    params: AgentPath,
    querystring: objectOf({ points: Type.Optional(Type.Integer({ minimum: 2, maximum: MOST_POINTS, default: MOST_POINTS })) }),
  },
  answers: { 200: { description: 'Share prices, oldest first; empty if the vault was never valued.', schema: PriceHistoryBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const points = request.query.points ?? MOST_POINTS;
    const items = id === null ? null : await ports.vaults.course(memberOf(request).orgId, id, points);
    if (items === null) return sendProblem(reply, 'not_found', NO_AGENT);
    return { items: items.map(({ at, ...point }) => ({ at: isoTime(at), ...point })) };
  },
});
