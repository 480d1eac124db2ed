/** GET /v1/agents/:id/vault/course: how the price of a share of the vault went. */
import { Type } from 'typebox';
import { NO_AGENT } from '../../../src/domain/agent.ts';
import { isoTime } from '../../../src/domain/time.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, DecimalText, objectOf, Time } from '../../shapes.ts';

const MOST_POINTS = 300;

const CourseBody = Type.Object(
  {
    items: Type.Array(
      Type.Object({
        at: Time,
        equityUsd: DecimalText,
        sharePriceUsd: DecimalText,
        drawdownPct: Type.Number({ description: 'Fall of the share price from its highest mark until then.' }),
      }),
      { description: 'Ascending.' },
    ),
  },
  { $id: 'VaultCourse' },
);

export const getVaultCourse = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/vault/course',
  name: 'getVaultCourse',
  tag: 'vaults',
  summary: 'Share price of the vault over time, with its drawdown',
  description: `The vault is marked once a minute while it holds anything. At most ${MOST_POINTS} marks are told, evenly spread, the newest among them; a mark that no writer signed is left out.`,
  cost: 'costly',
  schema: {
    params: AgentPath,
    querystring: objectOf({ points: Type.Optional(Type.Integer({ minimum: 2, maximum: MOST_POINTS, default: MOST_POINTS })) }),
  },
  answers: { 200: { description: 'The course; empty if the vault was never marked.', schema: CourseBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const points = request.query.points ?? MOST_POINTS;
    const items = id === null ? null : await ports.vaults.course(memberOf(request).orgId, id, points);
    if (items === null) return sendProblem(reply, 'not_found', NO_AGENT);
    return { items: items.map(({ at, ...point }) => ({ at: isoTime(at), ...point })) };
  },
});
