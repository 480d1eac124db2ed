/** POST /v1/agent-orders/:id/decline: declines a trade proposal. */

import { Type } from 'typebox';
import type { ProposalView } from '../../../actors/proposal/resource.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { NO_PROPOSAL, ProposalBody, ProposalPath, proposalBody } from './proposal-body.ts';

export const declineProposal = defineRoute({
  method: 'POST',
  url: '/v1/agent-orders/:id/decline',
  name: 'declineProposal',
  tag: 'agent-orders',
  summary: 'Declines one pending proposal',
  description: 'Frees the capacity that it reserved. While its rules still hold, the agent proposes again at its next tick.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    params: ProposalPath,
    body: objectOf({ reason: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Kept with the proposal.' })) }),
  },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The proposal, declined.', schema: ProposalBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_PROPOSAL);
      const reason = request.body?.reason ?? null;
      return carryOut(request, reply, {
        status: 200,
        answer: (view: ProposalView) => proposalBody(view, ports.clock.now()),
        run: (context) => ports.proposals.commands.decline(context, id, reason),
      });
    };
  },
});
