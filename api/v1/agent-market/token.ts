/** GET /v1/agent-market/tokens/:mint: analytics of one agent token. */
import { Type } from 'typebox';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { agentTokens, analysisFor, DuplicateBody, exposureBody, HOLDER_FIELDS, heldBy, TokenBody, tokenBody } from './token-body.ts';

export const getAgentToken = defineRoute({
  method: 'GET',
  url: '/v1/agent-market/tokens/:mint',
  name: 'getAgentToken',
  tag: 'agent-market',
  summary: 'Analytics of one agent token',
  description:
    'Holders (curves, pools, lockers and burn addresses apart from wallets), the creator’s free and locked part, market depth, a risk score with each of its terms, and the return against the paired share. An unknown input is null and counts as the most risk.',
  permission: 'market:read',
  cost: 'costly',
  schema: {
    params: objectOf({ mint: Type.String({ minLength: 32, maxLength: 44, pattern: '^[1-9A-HJ-NP-Za-km-z]+$' }) }),
    querystring: objectOf(HOLDER_FIELDS),
  },
  answers: {
    200: {
      description: 'The token.',
      schema: Type.Object(
        {
          ...TokenBody.properties,
          duplicatedExposure: Type.Unsafe<ReturnType<typeof exposureBody>>({
            anyOf: [DuplicateBody, { type: 'null' }],
            description: 'By the books of the organization and the wallets that are named; null if nobody is named.',
          }),
        },
        { $id: 'AgentTokenAnalytics' },
      ),
    },
  },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const entry = agentTokens(ports).find(({ token }) => token?.mint === request.params.mint);
    if (entry === undefined) return sendProblem(reply, 'not_found', 'there is no agent token with this mint');
    const [analysis, held] = await Promise.all([
      analysisFor(ports, entry),
      heldBy(ports, request.caller?.orgId ?? null, request.query.wallets),
    ]);
    return { ...tokenBody(analysis), duplicatedExposure: exposureBody(entry, held) };
  },
});
