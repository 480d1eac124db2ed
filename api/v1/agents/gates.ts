/** GET /v1/agents/:id/gates: where each of the seven gates stands for the active manifest. */

import { Type } from 'typebox';
import { STAGES } from '../../../src/domain/agent.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, choice, GateCheckBody, StageWord } from '../../shapes.ts';
import { NO_AGENT } from './agent-body.ts';
import { EvidenceKindWord, GateEvidenceBody, gateEvidenceBody, MetricsBody } from './evidence-body.ts';

const GateBody = Type.Object(
  {
    from: StageWord,
    to: StageWord,
    kind: EvidenceKindWord,
    state: choice(['behind', 'here', 'ahead'], '`here`: the gate that the agent stands at.'),
    passed: Type.Boolean(),
    checks: Type.Array(GateCheckBody, { description: 'Of the gate the agent stands at: as it would be assessed now.' }),
    metrics: Type.Unsafe<{ readonly [name: string]: number | null } | null>({ anyOf: [MetricsBody, { type: 'null' }] }),
    problems: Type.Array(Type.String()),
    evidence: Type.Unsafe<ReturnType<typeof gateEvidenceBody> | null>({ anyOf: [GateEvidenceBody, { type: 'null' }] }),
  },
  { $id: 'Gate' },
);

export const listGates = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/gates',
  name: 'listGates',
  tag: 'agents',
  summary: 'The promotion gates of an agent',
  description: 'Every gate with its conditions, what was observed and what is asked. Nothing is written.',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The gates in order.', schema: Type.Object({ stage: StageWord, gates: Type.Array(GateBody) }) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.gates.standing(memberOf(request).orgId, id);
    if (found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    const here = STAGES.indexOf(found.stage);
    return {
      stage: found.stage,
      gates: found.gates.map(({ gate, kind, passed, checks, metrics, problems, evidence }) => {
        const place = STAGES.indexOf(gate);
        return {
          from: gate,
          to: STAGES[place + 1] as (typeof STAGES)[number],
          kind,
          state: place < here ? ('behind' as const) : place === here ? ('here' as const) : ('ahead' as const),
          passed,
          checks: [...checks],
          metrics,
          problems: [...problems],
          evidence: evidence && gateEvidenceBody(evidence),
        };
      }),
    };
  },
});
