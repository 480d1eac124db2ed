/** GET /v1/agents/:id/evaluations/:runId: returns a run, with its whole result once it has finished. */
import { Type } from 'typebox';
import type { EvaluationView } from '../../../../actors/evaluation/commands.ts';
import { costFigures, hasDrifted } from '../../../../src/domain/agents/calibration.ts';
import { memberOf } from '../../../caller.ts';
import { sendProblem } from '../../../problem.ts';
import { type ApiPorts, defineRoute } from '../../../route.ts';
import { asStored, nullable } from '../../../shapes.ts';
import { EvaluationRunBody, evaluationBody, NO_RUN, RunPath, runIdsOf } from './evaluation-body.ts';
import { AgreementResultBody, BacktestResultBody, StressTestResultBody, SweepResultBody } from './result-bodies.ts';

const EvaluationDetail = Type.Object(
  {
    ...EvaluationRunBody.properties,
    optimistic: nullable(
      'boolean',
      'Of a backtest of the active manifest: true if fills since then cost so much more than expected that its result is too good (`GET /v1/agents/{id}/calibration`). Null if too few fills say so, and of any other run.',
    ),
    result: asStored<object | null>(
      Type.Union([BacktestResultBody, SweepResultBody, StressTestResultBody, AgreementResultBody, Type.Null()], {
        description: 'The result that the result hash covers, by the kind of the evaluation. Null before the end.',
      }),
    ),
  },
  { $id: 'EvaluationRunDetail' },
);

/** True if the fills since a backtest have drifted from its cost model, or null if unknown. */
async function isOptimistic(ports: Pick<ApiPorts, 'agents'>, orgId: string, run: EvaluationView): Promise<boolean | null> {
  const found = await ports.agents.calibration(orgId, run.agentId);
  if (found === null || found.manifestVersion !== run.manifestVersion) return null;
  const since = Date.parse(run.createdAt);
  return hasDrifted(costFigures(found.fills.filter(({ at }) => at > since)));
}

export const getEvaluation = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/evaluations/:runId',
  name: 'getEvaluation',
  tag: 'agents',
  summary: 'One evaluation run with its result',
  permission: 'agent:read',
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
    const optimistic = run.evaluation === 'backtest' ? await isOptimistic(ports, orgId, run) : null;
    return {
      ...evaluationBody(run, ports.clock.now()),
      optimistic,
      result: report === null ? null : (JSON.parse(report.result) as object),
    };
  },
});
