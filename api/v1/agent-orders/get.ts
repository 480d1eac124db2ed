/** GET /v1/agent-orders/:id: returns a trade proposal with its fills and their quotes. */
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { NO_PROPOSAL, ProposalBody, ProposalPath, proposalBody } from './proposal-body.ts';

export const getProposal = defineRoute({
  method: 'GET',
  url: '/v1/agent-orders/:id',
  name: 'getProposal',
  tag: 'agent-orders',
  summary: 'One trade proposal with its fills',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: ProposalPath },
  answers: { 200: { description: 'The proposal.', schema: ProposalBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const proposal = id === null ? null : await ports.proposals.reads.find(memberOf(request).orgId, id);
    return proposal === null ? sendProblem(reply, 'not_found', NO_PROPOSAL) : proposalBody(proposal, ports.clock.now());
  },
});
