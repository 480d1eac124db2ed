/** POST /v1/agents/:id/stress_test: queues the stress test of the agent's active manifest. */

import { Type } from 'typebox';
import type { EvaluationView } from '../../../../actors/evaluation/commands.ts';
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import { onceOnly } from '../../../idempotency.ts';
import { idInPath } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath, objectOf } from '../../../shapes.ts';
import { EvaluationRunBody, evaluationBody } from './evaluation-body.ts';

/** Default number of simulated worlds per scenario and severity. */
export const DEFAULT_SEEDS = 3;
const MOST_SEEDS = 20;

const StressTestBody = objectOf({
  seeds: Type.Optional(
    Type.Integer({
      minimum: DEFAULT_SEEDS,
      maximum: MOST_SEEDS,
      description: `Worlds that each scenario is played in, at each severity: seeds 1 to this one. Default ${DEFAULT_SEEDS}; fewer prove too little.`,
    }),
  ),
});

export const stressTestAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/stress_test',
  name: 'stressTestAgent',
  tag: 'agents',
  summary: 'Runs the stress test',
  description:
    "Queues a stress test of the active manifest: flash crash, weekend opening gap, liquidity freeze and de-peg of quote and reference, each in several seeded worlds and at two severities, at the recent level and volatility of the agent's own universe. The agent decides, is assessed by the risk engine and is filled on paper as it would be live; positions that its rules have not opened before the shock are added, and the report names them. The agent must survive every run of severity `standard`. Progress is announced on the channel `agents`.",
  permission: 'trade:execute',
  cost: 'costly',
  schema: { params: AgentPath, body: StressTestBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 202: { description: 'The run, queued.', schema: EvaluationRunBody } },
  refusals: ['not_found', 'state_conflict', 'external_not_listable'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      const { seeds = DEFAULT_SEEDS } = (request.body ?? {}) as { readonly seeds?: number };
      return carryOut(request, reply, {
        status: 202,
        answer: (view: EvaluationView) => evaluationBody(view, ports.clock.now()),
        run: (context) => ports.agents.evaluations.commands.start(context, id, 'stress_test', { seeds }),
      });
    };
  },
});
