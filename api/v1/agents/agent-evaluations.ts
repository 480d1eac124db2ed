/** Evaluations of an agent: backtests, sweeps and stress tests of its active manifest, and their runs. */
import { Type } from 'typebox';
import type { EvaluationView } from '../../../actors/evaluation/commands.ts';
import { EVALUATIONS, RUN_STATES } from '../../../actors/evaluation/machine.ts';
import { WAITS_FOR_WORK, WORK_FIELDS } from '../../../src/core/work-fields.ts';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { costFigures, hasDrifted } from '../../../src/domain/agents/calibration.ts';
import { ASSUMPTION_LIMITS } from '../../../src/domain/backtest/assumptions.ts';
import { readBacktestRequest } from '../../../src/domain/backtest/request.ts';
import { readSweep, SWEEP_LIMITS, type SweepGiven } from '../../../src/domain/backtest/sweep.ts';
import { DEFAULT_WALK_FORWARD } from '../../../src/domain/backtest/sweep-windows.ts';
import type { Provenance } from '../../../src/domain/market/data-source.ts';
import type { EpochMs } from '../../../src/domain/values/time.ts';
import { awaitedWork, evaluationProgress } from '../../../src/domain/values/work-progress.ts';
import { requireMember } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath, storedId } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import {
  AgentPath,
  AnyNumber,
  asStored,
  choice,
  EmptyBody,
  HashText,
  IdText,
  NullableTime,
  nullable,
  objectSchema,
  pageFields,
  pageSchema,
  Time,
} from '../../shapes.ts';
import { OriginsBody, SIMULATED } from './agent-gates.ts';
import { AgreementResultBody, BacktestResultBody, StressTestResultBody, SweepResultBody } from './evaluation-results.ts';

export const EvaluationRunBody = Type.Object(
  {
    id: IdText,
    agentId: IdText,
    evaluation: choice(EVALUATIONS),
    state: choice(RUN_STATES, '`refused`: the run cannot be done, see `ending`. `failed`: a defect of the service.'),
    manifestVersion: Type.Integer(),
    manifestHash: HashText,
    request: Type.Unsafe<object>({
      type: 'object',
      additionalProperties: true,
      description: 'The request with every default resolved.',
    }),
    requestedBy: Type.String(),
    createdAt: Time,
    startedAt: NullableTime,
    endedAt: NullableTime,
    attempts: Type.Integer({ description: 'Attempts. More than one if a process died over it.' }),
    ending: Type.Unsafe<{ code: string; detail: string } | null>({
      type: ['object', 'null'],
      required: ['code', 'detail'],
      properties: { code: { type: 'string' }, detail: { type: 'string' } },
      description: 'Reason it has no result, such as `insufficient_history`.',
    }),
    resultHash: Type.Unsafe<string | null>({
      type: ['string', 'null'],
      description: 'SHA-256 of the canonical result: the same for the same manifest, history and request.',
    }),
    summary: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      additionalProperties: true,
      description: 'The main numbers of a finished run.',
    }),
    provenance: Type.Unsafe<Provenance | null>({
      type: ['object', 'null'],
      required: ['simulated', 'origins'],
      properties: { simulated: Type.Boolean({ description: SIMULATED }), origins: OriginsBody },
      description: 'Origins of the market data that the result stands on. Null before the run has finished.',
    }),
    ...WORK_FIELDS,
    waitsForWork: WAITS_FOR_WORK,
  },
  { $id: 'EvaluationRun' },
);

const RunPath = objectSchema({ id: IdText, runId: IdText });

/** Message for a run that does not exist or belongs to another organization. */
const NO_RUN = 'there is no such run of an agent of yours';

export function evaluationBody({ told, ...view }: EvaluationView, at: EpochMs) {
  return { ...view, ...evaluationProgress(view.state, told, at), waitsForWork: awaitedWork(view.state, told) };
}

/** Reads agent and run from a path. Null if one of them is not a UUID. */
export function readRunIds(params: {
  readonly id: string;
  readonly runId: string;
}): { readonly agentId: string; readonly runId: string } | null {
  const [agentId, runId] = [idInPath(params), storedId(params.runId)];
  return agentId === null || runId === null ? null : { agentId, runId };
}

function assumption(name: keyof typeof ASSUMPTION_LIMITS) {
  const { min: minimum, max: maximum, description } = ASSUMPTION_LIMITS[name];
  return Type.Optional(Type.Number({ minimum, maximum, description }));
}

/** Period and assumptions of the simulation. */
export const simulationFields = {
  from: Type.Optional({ ...Time, description: 'Start of the period. Default: a little more than five years before `to`.' }),
  to: Type.Optional({ ...Time, description: 'End of the period. Default: the end of the last full UTC day.' }),
  timeframe: Type.Optional(Type.String({ description: "Timeframe of the bars, such as 1h. Default: the manifest's own." })),
  assumptions: Type.Optional(
    objectSchema({
      costMultiplier: assumption('costMultiplier'),
      maxParticipationPct: assumption('maxParticipationPct'),
      minOrderUsd: assumption('minOrderUsd'),
    }),
  ),
};

const BacktestBody = objectSchema({
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

const { trainDays, testDays } = DEFAULT_WALK_FORWARD;
const windowDays = (most: number, description: string) => Type.Optional(Type.Integer({ minimum: 1, maximum: most, description }));

const SweepBody = objectSchema({
  ...simulationFields,
  parameters: Type.Array(
    objectSchema({
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
    objectSchema({
      trainDays: windowDays(SWEEP_LIMITS.trainDays, `Days of which the best variant is picked. Default ${trainDays}.`),
      testDays: windowDays(SWEEP_LIMITS.testDays, `Days after them in which what it earned counts. Default ${testDays}.`),
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
      const { orgId } = requireMember(request);
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

/** Default number of simulated worlds per scenario and severity. */
export const DEFAULT_SEEDS = 3;
const MOST_SEEDS = 20;

const StressTestBody = objectSchema({
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
      const ids = readRunIds(request.params);
      if (ids === null) return sendProblem(reply, 'not_found', NO_RUN);
      return carryOut(request, reply, {
        status: 200,
        answer: (view: EvaluationView) => evaluationBody(view, ports.clock.now()),
        run: (context) => ports.agents.evaluations.commands.cancel(context, ids.agentId, ids.runId),
      });
    };
  },
});

export const listEvaluations = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/evaluations',
  name: 'listEvaluations',
  tag: 'agents',
  summary: "The runs of an agent's evaluations, newest first",
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath, querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of runs.', schema: pageSchema(EvaluationRunBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'evaluations', POSITIONS.uuid);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.evaluations.list(requireMember(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_AGENT);
    return pageBody(found, 'evaluations', (run) => evaluationBody(run, ports.clock.now()));
  },
});

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
    const ids = readRunIds(request.params);
    const { orgId } = requireMember(request);
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

/** Content security policy of a page that runs no script. */
const STILL = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
/** Policy of a stand-alone page: it reads nothing of ours, and its script may only draw and offer a file. */
const ALONE = "frame-ancestors 'self'; sandbox";
const ABLE = 'allow-scripts allow-downloads allow-popups allow-popups-to-escape-sandbox';

export const getEvaluationReport = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/evaluations/:runId/report',
  name: 'getEvaluationReport',
  tag: 'agents',
  summary: 'The report of a finished evaluation run as a page',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: RunPath },
  answers: { 200: { description: 'The page; it loads nothing else.', contentType: 'text/html' } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const ids = readRunIds(request.params);
    const found = ids === null ? null : await ports.agents.evaluations.page(requireMember(request).orgId, ids.agentId, ids.runId);
    if (found === null) return sendProblem(reply, 'not_found', NO_RUN);
    const policy = found.policy === null ? `${STILL}; ${ALONE}` : `${found.policy}; ${ALONE} ${ABLE}`;
    return reply.header('content-type', 'text/html; charset=utf-8').header('content-security-policy', policy).send(found.page);
  },
});
