/** POST /v1/agents/:id/backtest: queues the historical simulation of the agent's active manifest. */

import { Type } from 'typebox';
import type { EvaluationView } from '../../../../actors/evaluation/commands.ts';
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import { ASSUMPTION_LIMITS } from '../../../../src/domain/backtest/assumptions.ts';
import { readBacktestRequest } from '../../../../src/domain/backtest/request.ts';
import { onceOnly } from '../../../idempotency.ts';
import { idInPath } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath, objectOf, Time } from '../../../shapes.ts';
import { EvaluationRunBody, evaluationBody } from './evaluation-body.ts';

const limits = ASSUMPTION_LIMITS;
const assumption = (name: keyof typeof limits) =>
  Type.Optional(Type.Number({ minimum: limits[name].min, maximum: limits[name].max, description: limits[name].description }));

/** Period and assumptions of the simulation. */
export const simulationFields = {
  from: Type.Optional({ ...Time, description: 'Start of the period. Default: a little more than five years before `to`.' }),
  to: Type.Optional({ ...Time, description: 'End of the period. Default: the end of the last full UTC day.' }),
  timeframe: Type.Optional(Type.String({ description: "Timeframe of the bars, such as 1h. Default: the manifest's own." })),
  assumptions: Type.Optional(
    objectOf({
      costMultiplier: assumption('costMultiplier'),
      maxParticipationPct: assumption('maxParticipationPct'),
      minOrderUsd: assumption('minOrderUsd'),
    }),
  ),
};

const BacktestBody = objectOf({
  ...simulationFields,
  look: Type.Optional(
    Type.Boolean({
      description:
        "True runs an exploratory backtest (a look), whose result does not count as evidence. A run with another timeframe than the manifest's, or another period than the default, is always a look.",
    }),
  ),
});

export const backtestAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/backtest',
  name: 'backtestAgent',
  tag: 'agents',
  summary: 'Runs the historical simulation',
  description:
    "Queues a backtest of the active manifest over closed bars. Missing bars are fetched from the venue. Decisions see only data known at the time and fill at the next open. A history of less than five years, or with a gap outside the trading calendar, ends the run as `refused` with `insufficient_history`. Only a run with the manifest's own timeframe over the default period counts as evidence. Any other run is a look: it may be shorter, has `request.look` true and opens no gate. Progress is published on the channel `agents`.",
  permission: 'trade:execute',
  cost: 'costly',
  schema: { params: AgentPath, body: BacktestBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 202: { description: 'The run, queued.', schema: EvaluationRunBody } },
  refusals: ['not_found', 'state_conflict', 'external_not_listable'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      const read = readBacktestRequest(request.body ?? {}, ports.clock.now());
      if (!('assumptions' in read)) return sendProblem(reply, 'malformed', 'the backtest cannot be run as asked', { problems: read });
      return carryOut(request, reply, {
        status: 202,
        answer: (view: EvaluationView) => evaluationBody(view, ports.clock.now()),
        run: (context) => ports.agents.evaluations.commands.start(context, id, 'backtest', read),
      });
    };
  },
});
