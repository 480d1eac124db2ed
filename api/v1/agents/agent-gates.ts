/** Gates of an agent: its evidence, calibration, promotion and sign-off. */
import { Type } from 'typebox';
import type { GateEvidence, PromotedView } from '../../../actors/agent/gate-handler.ts';
import { NO_AGENT, STAGES } from '../../../src/domain/agents/agent.ts';
import {
  type CalibratedFill,
  COST_GROUPS,
  type CostFigures,
  costFigures,
  costsBy,
  DRIFT_BPS,
  hasDrifted,
  LEAST_FILLS,
} from '../../../src/domain/agents/calibration.ts';
import {
  EVIDENCE_KINDS,
  type EvidenceCheck,
  type EvidenceKind,
  type EvidenceMetrics,
  GATE_OF,
} from '../../../src/domain/agents/evidence.ts';
import { gateProgress } from '../../../src/domain/agents/gate-progress.ts';
import { whyNoTrades } from '../../../src/domain/agents/why-no-trades.ts';
import { SOURCE_ORIGINS, type SourceOrigin } from '../../../src/domain/market/data-source.ts';
import { type EpochMs, isoTime } from '../../../src/domain/values/time.ts';
import { requireMember } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import {
  AgentPath,
  choice,
  EmptyBody,
  GateCheckBody,
  HashText,
  IdText,
  nullable,
  objectSchema,
  pageFields,
  pageSchema,
  StageWord,
  Time,
} from '../../shapes.ts';
import { AGENT_EXAMPLE, agentBody, agentFields } from './agent-body.ts';
import { MissingHistoryBody, missingHistoryBody } from './evaluation-results.ts';

const EvidenceKindWord = choice(EVIDENCE_KINDS, 'Kind of the evaluation. Each opens one gate.');
const MetricsBody = Type.Unsafe<{ readonly [name: string]: number | null }>({
  type: 'object',
  additionalProperties: { type: ['number', 'null'] },
  description: 'Metrics that the checks use. The database recomputes them from the raw series.',
});

export const SIMULATED =
  'False if every source of market data that it stands on was real while it was made. Else it counts in a sandbox only: beside a real venue it opens no gate.';

export const OriginsBody = Type.Unsafe<{ readonly [source: string]: SourceOrigin }>({
  type: 'object',
  additionalProperties: { type: 'string', enum: [...SOURCE_ORIGINS] },
  description:
    'Origin of each source of market data while it was made: `real`, `sandbox`, `mixed` (real, with a part that is simulated) or `unknown` (from before the service kept it).',
});

const evidenceFields = {
  id: IdText,
  kind: EvidenceKindWord,
  stage: StageWord,
  manifestVersion: Type.Integer(),
  manifestHash: HashText,
  passed: Type.Boolean(),
  at: Time,
  checks: Type.Array(GateCheckBody),
  metrics: MetricsBody,
  simulated: Type.Boolean({ description: SIMULATED }),
  origins: OriginsBody,
  rulesVersion: Type.Integer({ description: 'Version of the gate rules that it was made under.' }),
  ruleChange: nullable(
    'string',
    'New requirement of the gate since this evidence was made, as a clause. Until the evidence is renewed, the agent passes no further gate and its vault accepts no deposit. Null if the rules are unchanged.',
  ),
};

const GateEvidenceBody = Type.Object(evidenceFields, { $id: 'GateEvidence' });

function gateEvidenceBody(evidence: {
  readonly id: string;
  readonly kind: EvidenceKind;
  readonly manifestVersion: number;
  readonly manifestHash: string;
  readonly passed: boolean;
  readonly at: EpochMs;
  readonly checks: readonly EvidenceCheck[];
  readonly metrics: EvidenceMetrics;
  readonly simulated: boolean;
  readonly origins?: Readonly<Record<string, SourceOrigin>>;
  /** Missing in answers stored before evidence had a version, like `ruleChange`. */
  readonly rulesVersion?: number;
  readonly ruleChange?: string | null;
}) {
  const {
    id,
    kind,
    manifestVersion,
    manifestHash,
    passed,
    at,
    checks,
    metrics,
    simulated,
    origins = {},
    rulesVersion = 1,
    ruleChange = null,
  } = evidence;
  return {
    id,
    kind,
    stage: GATE_OF[kind],
    manifestVersion,
    manifestHash,
    passed,
    at: isoTime(at),
    checks: [...checks],
    metrics,
    simulated,
    origins,
    rulesVersion,
    ruleChange,
  };
}

const PromotedBody = Type.Object(
  {
    ...agentFields,
    missingHistory: Type.Array(MissingHistoryBody, {
      description: 'After the step from `draft`: data that the conditions need and the backtest would miss.',
    }),
    liveLimit: nullable('string', 'Part of the universe that can never trade live, in one sentence. Null if everything can.'),
  },
  { $id: 'PromotedAgent', examples: [{ ...AGENT_EXAMPLE, stage: 'backtest', state: 'backtest', missingHistory: [], liveLimit: null }] },
);

function promotedBody(view: PromotedView) {
  return { ...agentBody(view), missingHistory: view.missingHistory.map(missingHistoryBody), liveLimit: view.liveLimit };
}

export const promoteAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/promote',
  name: 'promoteAgent',
  tag: 'agents',
  summary: 'Requests the next promotion stage',
  description:
    'Moves the agent to the next stage if its evidence passes. Otherwise 409: `evidence_missing` if there is no evidence, or `gate_failed` with each condition, the observed and the required value. The database enforces the same gate. The step from `draft` lists data that a backtest would miss, with the command that imports it.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The agent at its new stage.', schema: PromotedBody } },
  refusals: ['not_found', 'evidence_missing', 'gate_failed', 'sign_off_refused', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, { status: 200, answer: promotedBody, run: (context) => ports.agents.gates.promote(context, id) });
    };
  },
});

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
    body: objectSchema({
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

const EvidenceBody = Type.Object(
  {
    ...evidenceFields,
    runId: nullable('string', 'The evaluation run that it comes from; null if it follows from the rows of the store.'),
    seq: Type.Integer({ description: 'Its place in the agent’s chain of gate records.' }),
    hash: HashText,
  },
  { $id: 'Evidence' },
);

export const listEvidence = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/evidence',
  name: 'listEvidence',
  tag: 'agents',
  summary: 'Evaluation evidence of an agent, newest first',
  description: 'Each row opens one gate if it passed and is newer than the last demotion and manifest change.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath, querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of evidence.', schema: pageSchema(EvidenceBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'evidence', POSITIONS.number);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.reads.evidence(requireMember(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    return pageBody(found, 'evidence', (evidence) => ({
      ...gateEvidenceBody(evidence),
      runId: evidence.runId,
      seq: evidence.seq,
      hash: evidence.hash,
    }));
  },
});

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
    const { orgId } = requireMember(request);
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

/** Maximum fills listed individually. */
const MOST_SHOWN = 300;

const bps = (description: string) => nullable('number', `${description} Basis points; null if unknown.`);

const figures = {
  fills: Type.Integer(),
  unknown: Type.Integer({ description: 'Fills whose expectation is not on record. They are in no other figure.' }),
  expectedBps: bps('Mean expected cost.'),
  realizedBps: bps('Mean realized cost.'),
  biasBps: bps('Mean of realized less expected cost: above zero the expectation was too kind.'),
  biasErrorBps: bps('Standard error of the bias.'),
  medianBps: bps('Median of realized less expected cost.'),
  p10Bps: bps('Tenth percentile of realized less expected cost.'),
  p90Bps: bps('Ninetieth percentile of realized less expected cost.'),
  dearer: Type.Integer({ description: 'Fills that cost more than expected.' }),
  cheaper: Type.Integer({ description: 'Fills that cost less than expected.' }),
  signP: nullable(
    'number',
    'Sign test: the probability of so uneven a number of dearer and cheaper fills if both were as likely. Null without either.',
  ),
};

const CostFiguresBody = Type.Object(figures, { $id: 'CostFigures' });
const GroupBody = Type.Object({ by: choice(COST_GROUPS), key: Type.String(), ...figures }, { $id: 'CostGroup' });

const CalibrationBody = Type.Object(
  {
    manifestVersion: Type.Integer({ description: 'The active version, whose fills these are.' }),
    promisedBps: bps('Mean cost of a fill in the newest backtest that passed its gate.'),
    drifted: nullable(
      'boolean',
      `True if fills cost more than expected by more than ${DRIFT_BPS} basis points beyond their own error: backtests from before them are optimistic, and the alert \`costs_drifted\` is sent once a day. Null of fewer than ${LEAST_FILLS} fills.`,
    ),
    paper: CostFiguresBody,
    live: CostFiguresBody,
    groups: Type.Array(GroupBody, { description: 'The same by venue, algorithm, size in US dollars and hour of day (UTC).' }),
    fills: Type.Array(
      Type.Object({
        at: Time,
        mode: choice(['paper', 'live']),
        instrument: Type.String(),
        expectedBps: bps('Expected cost.'),
        realizedBps: Type.Number(),
      }),
      { description: `The newest ${MOST_SHOWN}, newest first.` },
    ),
  },
  { $id: 'Calibration' },
);

export const getCalibration = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/calibration',
  name: 'getCalibration',
  tag: 'agents',
  summary: 'Expected and realized trading costs of an agent',
  description:
    'Costs of the newest 1,000 fills of the active manifest, paper and live. A cost is the distance of a fill from the price that could be traded at the decision: the ask of a buy, the bid of a sell. Expected is what the cost model asks for that size in the market of the decision.',
  permission: 'agent:read',
  cost: 'costly',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The calibration; figures are null without fills.', schema: CalibrationBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.calibration(requireMember(request).orgId, id);
    if (found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    const { manifestVersion, promisedBps, fills } = found;
    const ofMode = (mode: CalibratedFill['mode']): CostFigures => costFigures(fills.filter((fill) => fill.mode === mode));
    return {
      manifestVersion,
      promisedBps,
      drifted: hasDrifted(costFigures(fills)),
      paper: ofMode('paper'),
      live: ofMode('live'),
      groups: COST_GROUPS.flatMap((by) => costsBy(by, fills).map((group) => ({ by, ...group }))),
      fills: fills
        .slice(0, MOST_SHOWN)
        .map(({ at, mode, instrument, expectedBps, realizedBps }) => ({ at: isoTime(at), mode, instrument, expectedBps, realizedBps })),
    };
  },
});
