/** POST /v1/agents/:id/sign-off: records an independent risk manager's decision on the step from `limited_live` to `live`. */

import { Type } from 'typebox';
import type { GateEvidence } from '../../../../actors/agent/gate-handler.ts';
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import { onceOnly } from '../../../idempotency.ts';
import { idInPath } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath, objectOf } from '../../../shapes.ts';
import { GateEvidenceBody, gateEvidenceBody } from './evidence-body.ts';

export const signOffAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/sign-off',
  name: 'signOffAgent',
  tag: 'agents',
  summary: 'Signs off the step to live capital, or refuses it',
  description:
    'Only by a member with `risk:manage` who is neither the creator nor the member who asks for the promotion. The newest sign-off or refusal counts, for this manifest and this stay at `limited_live` only.',
  permission: 'risk:manage',
  cost: 'write',
  schema: {
    params: AgentPath,
    body: objectOf({
      approved: Type.Boolean(),
      comment: Type.Optional(Type.String({ maxLength: 2_000, default: '', description: 'Reason, kept with the sign-off.' })),
    }),
  },
  idempotent: true,
  answers: { 201: { description: 'The sign-off or refusal is recorded.', schema: GateEvidenceBody } },
  refusals: ['not_found', 'sign_off_refused', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      const { approved, comment } = request.body;
      return carryOut(request, reply, {
        status: 201,
        answer: (evidence: GateEvidence) => gateEvidenceBody(evidence),
        run: (context) => ports.agents.gates.signOff(context, id, { approved, comment: comment ?? '' }),
      });
    };
  },
});
