/** POST /v1/agent-orders/:id/approve. */
import type { ProposalView } from '../../../actors/proposal/resource.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { EmptyBody } from '../../shapes.ts';
import { NO_PROPOSAL, ProposalBody, ProposalPath, proposalBody } from './proposal-body.ts';

export const approveProposal = defineRoute({
  method: 'POST',
  url: '/v1/agent-orders/:id/approve',
  name: 'approveProposal',
  tag: 'agent-orders',
  summary: 'Approves one pending proposal',
  description:
    'Runs the risk check again on the present quotes. A refusal names every limit, and the proposal ends as `blocked_by_risk`. If only live data is missing at the moment, it stays pending and can be approved again. An approved proposal is executed at once.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: ProposalPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The proposal, approved.', schema: ProposalBody } },
  refusals: ['not_found', 'state_conflict', 'halted', 'blocked_by_risk'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_PROPOSAL);
      return carryOut(request, reply, {
        status: 200,
        answer: (view: ProposalView) => proposalBody(view, ports.clock.now()),
        run: (context) => ports.proposals.commands.approve(context, id),
      });
    };
  },
});
