/** GET /v1/agents/:id/gates: returns the state of the seven gates for the active manifest. */

import { Type } from 'typebox';
import { NO_AGENT, STAGES } from '../../../../src/domain/agents/agent.ts';
import { gateProgress } from '../../../../src/domain/agents/gate-progress.ts';
import { whyNoTrades } from '../../../../src/domain/agents/why-no-trades.ts';
import { isoTime } from '../../../../src/domain/values/time.ts';
import { memberOf } from '../../../caller.ts';
import { idInPath } from '../../../identifier.ts';
import { sendProblem } from '../../../problem.ts';
import { type ApiPorts, defineRoute } from '../../../route.ts';
import { AgentPath, choice, GateCheckBody, nullable, StageWord } from '../../../shapes.ts';
import { MissingHistoryBody, missingHistoryBody } from '../evaluations/missing-history-body.ts';
import { EvidenceKindWord, GateEvidenceBody, gateEvidenceBody, MetricsBody } from './evidence-body.ts';

const GateBody = Type.Object(
  {
    from: StageWord,
    to: StageWord,
    kind: EvidenceKindWord,
    state: choice(['behind', 'here', 'ahead'], '`here`: the next gate of the agent.'),
    passed: Type.Boolean(),
    checks: Type.Array(GateCheckBody, { description: 'Checks of the present gate, as they would be assessed now.' }),
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
      description: 'Progress through the present gate, such as `day 3 of 14, 2 of 5 closed trades`.',
    }),
    next: Type.String({ description: 'Next action for a person, or the event that the agent waits for.' }),
    whyNoTrades: Type.Array(Type.String(), {
      description:
        'Reasons for no trades over the last 60 decisions, most important first: quarantine or pause; autonomy; proposals pending or unfilled; rejections by risk or price quality; missed slots; and how often each entry rule passed. Empty if an order was filled or the gate has enough trades.',
    }),
    missingHistory: Type.Array(MissingHistoryBody, {
      description: 'Before the backtest: data that the conditions need and the stored history lacks.',
    }),
    execution: Type.Array(Type.String(), {
      description:
        'Execution of its orders on each venue and the fees, in sentences. Backtests, stress tests and paper trading use the same.',
    }),
    liveLimit: nullable('string', 'Part of the universe that can never trade live, in one sentence. Null if everything can.'),
    simulated: Type.Boolean({
      description:
        'True if a source of its market data is not real, or the time of this sandbox was moved on. Its records then count in a sandbox only.',
    }),
    gates: Type.Array(GateBody),
  },
  { $id: 'Gates' },
);

/** Number of newest decisions that explain missing trades: one hour. */
const LOOKS = 60;
const PROPOSALS = 100;

/** Explains why the agent has not traded in its newest decisions. */
async function whyIdle(ports: Pick<ApiPorts, 'agents' | 'proposals'>, orgId: string, id: string): Promise<readonly string[]> {
  const page = { limit: LOOKS, after: null };
  const [agent, chart, decided, proposed] = await Promise.all([
    ports.agents.reads.get(orgId, id),
    ports.agents.reads.chartState(orgId, id),
    ports.agents.decisions.list(orgId, id, page),
    ports.proposals.reads.list(orgId, { agentId: id }, { limit: PROPOSALS, after: null }),
  ]);
  const decisions = decided?.items ?? [];
  const since = decisions.at(-1)?.slot ?? '';
  return whyNoTrades({
    isQuarantined: chart?.status === 'quarantined',
    pauseCause: agent?.pauseCause ?? null,
    autonomy: agent?.autonomy ?? 'research',
    decisions,
    proposals: proposed.items.filter(({ slot }) => isoTime(slot) >= since),
  });
}

export const listGates = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/gates',
  name: 'listGates',
  tag: 'agents',
  summary: 'The promotion gates of an agent',
  description:
    "Every gate with observed and required values, the agent's progress, the next action, and the reasons for no trades. Read-only.",
  permission: 'agent:read',
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
    const { progress, next, hasTrades } = gateProgress(
      gateState === undefined ? null : { ...gateState, isAssessed: gateState.evidence !== null },
    );
    return {
      stage: found.stage,
      progress,
      // At the last stage no other field says what holds it.
      next: gateState === undefined ? (found.gates.flatMap(({ problems }) => problems)[0] ?? next) : next,
      whyNoTrades: hasTrades ? [] : [...(await whyIdle(ports, orgId, id))],
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
