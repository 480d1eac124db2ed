/** GET /v1/agent-orders: trade proposals, newest first. */
import { Type } from 'typebox';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { defineRoute } from '../../route.ts';
import { IdText, objectOf, pageFields, pageOf } from '../../shapes.ts';
import { ProposalBody, ProposalStateWord, proposalBody } from './proposal-body.ts';

export const listProposals = defineRoute({
  method: 'GET',
  url: '/v1/agent-orders',
  name: 'listProposals',
  tag: 'agent-orders',
  summary: 'Trade proposals, newest first',
  description: 'Proposals that wait for an approval, proposals that were executed without one, and the outcome of both.',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectOf({ ...pageFields, state: Type.Optional(ProposalStateWord), agentId: Type.Optional(IdText) }),
  },
  answers: { 200: { description: 'A page of proposals.', schema: pageOf(ProposalBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { state, agentId } = request.query;
    const filter = { ...(state === undefined ? {} : { state }), ...(agentId === undefined ? {} : { agentId: agentId.toLowerCase() }) };
    const page = pageOfQuery(request.query, 'proposals', POSITIONS.number);
    return pageBody(await ports.proposals.reads.list(memberOf(request).orgId, filter, page), 'proposals', (view) =>
      proposalBody(view, ports.clock.now()),
    );
  },
});
