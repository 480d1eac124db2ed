/** POST /v1/agents/:id/evaluations/:runId/cancel. */
import type { EvaluationView } from '../../../../actors/evaluation/commands.ts';
import { onceOnly } from '../../../idempotency.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { EmptyBody } from '../../../shapes.ts';
import { EvaluationRunBody, evaluationBody, NO_RUN, RunPath, runIdsOf } from './evaluation-body.ts';

export const cancelEvaluation = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/evaluations/:runId/cancel',
  name: 'cancelEvaluation',
  tag: 'agents',
  summary: 'Cancels an evaluation run that has not ended',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: RunPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The run, cancelled.', schema: EvaluationRunBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const ids = runIdsOf(request.params);
      if (ids === null) return sendProblem(reply, 'not_found', NO_RUN);
      return carryOut(request, reply, {
        status: 200,
        answer: (view: EvaluationView) => evaluationBody(view, ports.clock.now()),
        run: (context) => ports.agents.evaluations.commands.cancel(context, ids.agentId, ids.runId),
      });
    };
  },
});
