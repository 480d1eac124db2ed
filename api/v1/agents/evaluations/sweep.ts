/** POST /v1/agents/:id/sweep: queues a sweep of thresholds of the agent's active manifest, with a walk-forward. */

import { Type } from 'typebox';
import type { EvaluationView } from '../../../../actors/evaluation/commands.ts';
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import { readSweep, SWEEP_LIMITS, type SweepGiven } from '../../../../src/domain/backtest/sweep.ts';
import { DEFAULT_WALK_FORWARD } from '../../../../src/domain/backtest/sweep-windows.ts';
import { memberOf } from '../../../caller.ts';
import { onceOnly } from '../../../idempotency.ts';
import { idInPath } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath, AnyNumber, objectOf } from '../../../shapes.ts';
import { simulationFields } from './backtest.ts';
import { EvaluationRunBody, evaluationBody } from './evaluation-body.ts';

const { trainDays, testDays } = DEFAULT_WALK_FORWARD;
const days = (most: number, description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: most, description }));

const SweepBody = objectOf({
  ...simulationFields,
  parameters: Type.Array(
    objectOf({
      path: Type.String({
        maxLength: 80,
        description: 'A threshold by its place in the payload form, such as `stopLossPct` or `entryConditions[0].value`.',
      }),
      values: Type.Array(Type.Union([AnyNumber, Type.String({ maxLength: 40 })]), {
        minItems: 1,
        maxItems: SWEEP_LIMITS.values,
        description: 'The values that it takes, as the manifest writes them.',
      }),
    }),
    {
      minItems: 1,
      maxItems: SWEEP_LIMITS.parameters,
      description: `Every combination of the values is a variant; at most ${SWEEP_LIMITS.variants}.`,
    },
  ),
  walkForward: Type.Optional(
    objectOf({
      trainDays: days(SWEEP_LIMITS.trainDays, `Days of which the best variant is picked. Default ${trainDays}.`),
      testDays: days(SWEEP_LIMITS.testDays, `Days after them in which what it earned counts. Default ${testDays}.`),
    }),
  ),
});

export const sweepAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/sweep',
  name: 'sweepAgent',
  tag: 'agents',
  summary: 'Runs a sweep of thresholds with a walk-forward',
  description:
    'Queues backtests of variants of the active manifest, in which named thresholds take other values, all over the same history. The result holds every variant with its deflated Sharpe ratio, which counts every manifest that the organization has tried and whose daily returns correlate by 0.5 or more with those of the best variant, and a walk-forward: each training window picks the best variant, and the test window after it counts. A sweep is no evidence for a gate. Progress is announced on the channel `agents`.',
  permission: 'trade:execute',
  cost: 'costly',
  schema: { params: AgentPath, body: SweepBody },
  idempotent: true,
  answers: { 202: { description: 'The run, queued.', schema: EvaluationRunBody } },
  refusals: ['not_found', 'state_conflict', 'external_not_listable'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return async (request, reply) => {
      const id = idInPath(request.params);
      const { reads } = ports.agents;
      const { orgId } = memberOf(request);
      const agent = id === null ? null : await reads.get(orgId, id);
      const manifest = id === null || agent === null ? null : await reads.manifest(orgId, id, agent.manifestVersion);
      if (id === null || manifest === null) return sendProblem(reply, 'not_found', NO_AGENT);
      const read = readSweep(manifest, request.body as SweepGiven, ports.clock.now());
      if (!('request' in read)) return sendProblem(reply, 'malformed', 'the sweep cannot be run as asked', { problems: read });
      return carryOut(request, reply, {
        status: 202,
        answer: (view: EvaluationView) => evaluationBody(view, ports.clock.now()),
        run: (context) => ports.agents.evaluations.commands.start(context, id, 'sweep', read.request),
      });
    };
  },
});
