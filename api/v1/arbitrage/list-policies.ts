/** GET /v1/arbitrage/policies: the organization's basis policies, newest first. */
import { Type } from 'typebox';
import { TAKE_STATES } from '../../../src/domain/take/take.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf, pageFields, pageOf } from '../../shapes.ts';
import { PolicyBody, policyBody } from './policy-body.ts';

export const listBasisPolicies = defineRoute({
  method: 'GET',
  url: '/v1/arbitrage/policies',
  name: 'listBasisPolicies',
  tag: 'arbitrage',
  summary: "The organization's basis policies, newest first",
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf({ state: Type.Optional(choice(TAKE_STATES)), ...pageFields }) },
  answers: { 200: { description: 'A page of policies.', schema: pageOf(PolicyBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { state = null } = request.query;
    const page = pageOfQuery(request.query, 'basis-policies', POSITIONS.number);
    return pageBody(await ports.takes.reads.list(memberOf(request).orgId, { origin: 'basis', state }, page), 'basis-policies', policyBody);
  },
});
