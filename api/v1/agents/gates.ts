/** GET /v1/agents/:id/gates: where each of the seven gates stands for the active manifest. */

import { Type } from 'typebox';
import { STAGES } from '../../../src/domain/agent.ts';
import { explainDecision } from '../../../src/domain/explain-decision.ts';
import { gateProgress } from '../../../src/domain/gate-progress.ts';
import { memberOf } from '../../caller.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, choice, GateCheckBody, nullable, StageWord } from '../../shapes.ts';
import { NO_AGENT } from './agent-body.ts';
import { EvidenceKindWord, GateEvidenceBody, gateEvidenceBody, MetricsBody } from './evidence-body.ts';
import { MissingHistoryBody, missingHistoryBody } from './missing-history-body.ts';
import type { DecisionReads } from './ports.ts';

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

const GatesBody = Type.Object(
  {
    stage: StageWord,
    progress: Type.String({
      description: 'How far it is through the gate that it stands at, such as `day 3 of 14, 2 of 5 closed trades`.',
    }),
    next: Type.String({ description: 'What somebody does next, or what is waited for.' }),
    whyNoTrades: Type.Array(Type.String(), {
      description:
        'Where the gate asks for trades that there are not: what its newest decision came to, and what was missing for a trade. Empty elsewhere.',
    }),
    missingHistory: Type.Array(MissingHistoryBody, {
      description: 'While its backtest lies before it: what its conditions look at and the kept history does not hold.',
    }),
    execution: Type.Array(Type.String(), {
      description:
        'How the orders of its manifest are carried out on the venues of its universe, and at what fees, in sentences. A backtest, a stress test and paper fill orders by the same.',
    }),
    liveLimit: nullable('string', 'What of its universe can never trade live, in one sentence; null where everything can.'),
    simulated: Type.Boolean({
      description: 'Whether the time of this sandbox was moved on, so that what is put on record now counts nowhere else.',
    }),
    gates: Type.Array(GateBody),
  },
  { $id: 'Gates' },
);

/** What stood between the agent's newest decision and a trade. */
async function whyNoTrades(decisions: Pick<DecisionReads, 'list'>, orgId: string, agentId: string): Promise<string[]> {
  const newest = (await decisions.list(orgId, agentId, { limit: 1, after: null }))?.items[0];
  if (newest === undefined) return ['It has decided nothing yet: an agent on duty decides every minute.'];
  const { summary, missing } = explainDecision(newest);
  return [summary, ...missing];
}

export const listGates = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/gates',
  name: 'listGates',
  tag: 'agents',
  summary: 'The promotion gates of an agent',
  description:
    'Every gate with its conditions, what was observed and what is asked; how far the agent is, what is next, and why there are no trades. Nothing is written.',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The gates in order.', schema: GatesBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { orgId } = memberOf(request);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.gates.progress(orgId, id);
    if (id === null || found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    const here = STAGES.indexOf(found.stage);
    const gateState = found.gates.find(({ gate }) => gate === found.stage);
    const { progress, next, lacksTrades } = gateProgress(
      gateState === undefined ? null : { ...gateState, isAssessed: gateState.evidence !== null },
    );
    return {
      stage: found.stage,
      progress,
      next,
      whyNoTrades: lacksTrades ? await whyNoTrades(ports.agents.decisions, orgId, id) : [],
      missingHistory: found.missingHistory.map(missingHistoryBody),
      execution: [...found.execution],
      liveLimit: found.liveLimit,
      simulated: found.simulated,
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
