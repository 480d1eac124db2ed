/** GET /v1/agents/:id/evaluations/:runId: one run, with its whole result once it has finished. */
import { Type } from 'typebox';
import { memberOf } from '../../caller.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { asStored } from '../../shapes.ts';
import { EvaluationRunBody, evaluationBody, NO_RUN, RunPath, runIdsOf } from './evaluation-body.ts';
import { BacktestResultBody, StressTestResultBody, SweepResultBody } from './result-bodies.ts';

const EvaluationDetail = Type.Object(
  {
    ...EvaluationRunBody.properties,
    result: asStored<object | null>(
      Type.Union([BacktestResultBody, SweepResultBody, StressTestResultBody, Type.Null()], {
        description: 'The result that the result hash covers, by the kind of the evaluation. Null before the end.',
      }),
    ),
  },
  { $id: 'EvaluationRunDetail' },
);

export const getEvaluation = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/evaluations/:runId',
  name: 'getEvaluation',
  tag: 'agents',
  summary: 'One evaluation run with its result',
  cost: 'read',
  schema: { params: RunPath },
  answers: { 200: { description: 'The run.', schema: EvaluationDetail } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const ids = runIdsOf(request.params);
    const { orgId } = memberOf(request);
    const run = ids === null ? null : await ports.agents.evaluations.find(orgId, ids.agentId, ids.runId);
    if (ids === null || run === null) return sendProblem(reply, 'not_found', NO_RUN);
    const report = await ports.agents.evaluations.report(orgId, ids.agentId, ids.runId);
    return { ...evaluationBody(run, ports.clock.now()), result: report === null ? null : (JSON.parse(report.result) as object) };
  },
});
