/** POST /v1/arbitrage/policies/:id/disarm: stops its evaluation, and cancels its pending proposals. */

import type { TakeView } from '../../../actors/take/resource.ts';
import { memberOf } from '../../caller.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { TO_STOP } from '../../permission.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, EmptyBody } from '../../shapes.ts';
import { NO_POLICY, PolicyBody, policyBody } from './policy-body.ts';

export const disarmBasisPolicy = defineRoute({
  method: 'POST',
  url: '/v1/arbitrage/policies/:id/disarm',
  name: 'disarmBasisPolicy',
  tag: 'arbitrage',
  summary: 'Disarms a basis policy',
  description: 'The position stays open.',
  permission: TO_STOP,
  cost: 'emergency',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The policy, disarmed.', schema: PolicyBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return async (request, reply) => {
      const id = idInPath(request.params);
      const found = id === null ? null : await ports.takes.reads.find(memberOf(request).orgId, id);
      if (id === null || found === null || found.take.origin !== 'basis') return sendProblem(reply, 'not_found', NO_POLICY);
      return carryOut(request, reply, {
        status: 200,
        answer: (view: TakeView) => policyBody(view),
        run: (context) => ports.takes.commands.disarm(context, id),
      });
    };
  },
});
