/** GET /v1/delegations: lists delegations, newest first. */
import { Type } from 'typebox';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { malformed } from '../../http/strict-json.ts';
import { defineRoute } from '../../route.ts';
import { IdText, objectOf, pageFields, pageOf } from '../../shapes.ts';
import { DelegationBody, delegationBody } from './delegation-body.ts';

export const listDelegations = defineRoute({
  method: 'GET',
  url: '/v1/delegations',
  name: 'listDelegations',
  tag: 'delegations',
  summary: 'Delegations of wallets to agents and Takes, newest first',
  description: 'The newest delegation of an agent or a Take counts, unless it was revoked or has expired.',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectOf({ ...pageFields, agentId: Type.Optional(IdText), takeId: Type.Optional(IdText) }) },
  answers: { 200: { description: 'A page of delegations.', schema: pageOf(DelegationBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'delegations', POSITIONS.number);
    const { agentId, takeId } = request.query;
    if (agentId !== undefined && takeId !== undefined) throw malformed('$.takeId', 'it requires agentId', 'agentId, takeId, or neither');
    const trader = agentId ?? takeId ?? null;
    return pageBody(await ports.delegations.reads.list(memberOf(request).orgId, trader, page), 'delegations', delegationBody);
  },
});
