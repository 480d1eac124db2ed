/** Blind replay sessions, the backtest of an external agent: outside code answers the history slot by slot. */
import { Type } from 'typebox';
import type { EvaluationView } from '../../../actors/evaluation/commands.ts';
import { ObservationBody } from '../../../src/core/decision-shapes.ts';
import { DISPOSITIONS, NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { readBacktestRequest } from '../../../src/domain/backtest/request.ts';
import { ORDER_SIDES } from '../../../src/domain/orders/order.ts';
import type { AskedSession, StepAsk } from '../../../src/domain/outside/replay-step.ts';
import type { Problem } from '../../../src/domain/values/field.ts';
import { type Outcome, refuse } from '../../../src/domain/values/refusal.ts';
import { requireMember } from '../../caller.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { orAgentToken } from '../../permission.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import { AgentPath, choice, DecimalText, EmptyBody, IdText, NullableDecimalText, nullable, objectSchema, Time } from '../../shapes.ts';
import { readOrderTerms, wishedAmount } from '../manual-order-body.ts';
import { DEFAULT_SEEDS, EvaluationRunBody, evaluationBody, readRunIds, simulationFields } from './agent-evaluations.ts';

declare module '../../route.ts' {
  interface ApiPorts {
    /** Replay sessions, of this process and of those that it reaches; null if there can be none. */
    readonly replays: {
      /** Answers a step as JSON, or returns null if no process runs the session. */
      step(of: AskedSession, step: StepAsk): Promise<Outcome<string> | null>;
      /** Stops answering a cancelled session. */
      abandon(of: AskedSession): Promise<void>;
    } | null;
  }
}

const NO_SESSION = 'there is no replay session with this id';
const NO_WORKER = refuse(
  'feature_disabled',
  'this process runs no worker and reaches none: set REDIS_URL, or start the API and a worker in one process',
);
const SessionPath = objectSchema({ id: IdText, sessionId: IdText });

const OpenBody = objectSchema({
  kind: choice(['backtest', 'stress_test'], 'History of the gate, or the scenarios of the stress test. The latter takes no other field.'),
  from: simulationFields.from,
  to: simulationFields.to,
  look: Type.Optional(
    Type.Boolean({ description: 'True makes a rehearsal whose result is no evidence. It counts as a trial all the same.' }),
  ),
});

/** Maximum number of steps: more than any history has bars. */
const MOST_STEPS = 10_000_000;
/** Maximum slots of a step: one per path. */
const MOST_SLOTS = 64;

const BlindTradeBody = objectSchema({
  side: choice(ORDER_SIDES),
  instrument: Type.String({ minLength: 1, maxLength: 40, description: 'An alias, as the slot names it.' }),
  notionalUsd: wishedAmount('Size in US dollars. Give this or `quantity`.'),
  quantity: wishedAmount(
    'Size in shown base units. Give this or `notionalUsd`. To sell a whole position, send its quantity as it is shown.',
  ),
  limitPrice: wishedAmount('Worst acceptable shown price.'),
});

const StepBody = objectSchema({
  step: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_STEPS,
      description: 'The step that is answered. Leave it out with `answers` to ask for the step that waits.',
    }),
  ),
  answers: Type.Optional(
    Type.Array(Type.Union([BlindTradeBody, Type.Null()]), {
      maxItems: MOST_SLOTS,
      description: 'One for each slot of the step, in their order: a trade, or null to propose nothing.',
    }),
  ),
});

const SlotBody = Type.Object(
  {
    path: Type.Integer({ description: 'Path of the slot. Keep the state of your strategy apart for each.' }),
    cut: Type.Object({ slot: Time, observations: Type.Array(ObservationBody) }, { description: 'As in the context of the agent.' }),
    book: Type.Object({
      cashUsd: DecimalText,
      equityUsd: { ...NullableDecimalText, description: 'Null while nothing prices a position.' },
      realizedPnlUsd: DecimalText,
      positions: Type.Array(
        Type.Object({ instrument: Type.String(), quantity: DecimalText, averageEntryPrice: DecimalText, openedAt: Time }),
      ),
    }),
    last: Type.Unsafe<object | null>({
      type: ['object', 'null'],
      required: ['disposition', 'reason'],
      properties: { disposition: choice(DISPOSITIONS), reason: nullable('string') },
      description: 'The decision at the slot before on this path; null at the first slot.',
    }),
  },
  { $id: 'ReplaySlot', description: 'One slot of a path: names, dates and price levels are disguised.' },
);

const ReplayStepBody = Type.Object(
  {
    step: Type.Integer(),
    done: Type.Boolean({ description: 'True after the last slot: the result follows as the run’s ending or summary.' }),
    slots: Type.Array(SlotBody),
  },
  { $id: 'ReplayStep' },
);

export const openReplaySession = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/replay-sessions',
  name: 'openReplaySession',
  tag: 'agents',
  summary: 'Opens a blind replay session, the backtest or the stress test of an external agent',
  description:
    'The service shows the history of the active manifest slot by slot and decides each slot with what your code answers, with the risk rules and costs of every backtest. 21 paths are shown at once: the true history and 20 that are resampled from its returns. Instruments have aliases, dates are moved by whole weeks, price levels are scaled. A result that is significantly better on the true history ends the run as `refused` with `foreknowledge`. A session of kind `stress_test` shows the runs of the stress test at once instead, from minute to minute, with their own shocks, outages and given positions. One evaluation of an agent is open at a time. Every session of a backtest is a trial, whatever its end. Without an answer for 10 minutes it ends as `expired`, and after 24 hours in any case. If its process ends, it ends as `interrupted`.',
  permission: orAgentToken('trade:execute'),
  cost: 'costly',
  schema: { params: AgentPath, body: OpenBody },
  idempotent: true,
  answers: { 202: { description: 'The session as an evaluation run, queued.', schema: EvaluationRunBody } },
  refusals: ['not_found', 'state_conflict', 'feature_disabled', 'external_not_listable'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      const { kind, ...given } = request.body;
      const read = kind === 'backtest' ? readBacktestRequest(given, ports.clock.now()) : readStressRequest(given);
      if (Array.isArray(read)) return sendProblem(reply, 'malformed', 'the session cannot be opened as asked', { problems: read });
      return carryOut(request, reply, {
        status: 202,
        answer: (view: EvaluationView) => evaluationBody(view, ports.clock.now()),
        run: async (context) =>
          ports.replays === null && (await ports.agents.reads.get(context.orgId, id)) !== null
            ? NO_WORKER
            : ports.agents.evaluations.commands.start(context, id, kind, { ...(read as object), session: context.requestId }),
      });
    };
  },
});

export const getReplaySession = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/replay-sessions/:sessionId',
  name: 'getReplaySession',
  tag: 'agents',
  summary: 'One replay session and how far it is',
  permission: orAgentToken('agent:read'),
  cost: 'read',
  schema: { params: SessionPath },
  answers: { 200: { description: 'The session as an evaluation run.', schema: EvaluationRunBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const found = await findSession(ports, requireMember(request).orgId, request.params);
    return found === null ? sendProblem(reply, 'not_found', NO_SESSION) : evaluationBody(found, ports.clock.now());
  },
});

export const answerReplayStep = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/replay-sessions/:sessionId/steps',
  name: 'answerReplayStep',
  tag: 'agents',
  summary: 'Answers a step of a replay session and returns the next one',
  description:
    'A step shows one slot of each path that has not ended. Send the answers to it and receive the next step; `{}` returns the step that waits. The same answers sent again, as after a lost connection, get the same next step. Answers to any other step are refused with `state_conflict` and change nothing, so that two connections cannot both answer.',
  permission: orAgentToken('trade:execute'),
  cost: 'read',
  schema: { params: SessionPath, body: StepBody },
  answers: { 200: { description: 'The step that waits for its answers.', schema: ReplayStepBody } },
  refusals: ['not_found', 'state_conflict', 'feature_disabled'],
  handle: (ports) => async (request, reply) => {
    const { orgId } = requireMember(request);
    const { step, answers } = request.body;
    if ((step === undefined) !== (answers === undefined))
      return sendProblem(reply, 'malformed', 'step and answers: give both to answer a step, or neither to read the waiting one');
    const ids = readIds(request.params);
    if (ids === null) return sendProblem(reply, 'not_found', NO_SESSION);
    const given = answers?.map((trade) =>
      trade === null ? null : { side: trade.side, instrument: trade.instrument, ...readOrderTerms(trade) },
    );
    const asked = step === undefined || given === undefined ? null : { step, answers: given };
    const outcome = (await ports.replays?.step({ orgId, ...ids }, asked)) ?? null;
    const answered = outcome ?? (await notHere(ports, orgId, request.params));
    if (!answered.ok) return sendRefusal(reply, answered.refusal);
    return reply.type('application/json; charset=utf-8').send(answered.value);
  },
});

export const abandonReplaySession = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/replay-sessions/:sessionId/abandon',
  name: 'abandonReplaySession',
  tag: 'agents',
  summary: 'Ends a replay session without a result',
  description: 'It still counts as a trial.',
  permission: orAgentToken('trade:execute'),
  cost: 'write',
  schema: { params: SessionPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The session as an evaluation run, cancelled.', schema: EvaluationRunBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return async (request, reply) => {
      const found = await findSession(ports, requireMember(request).orgId, request.params);
      if (found === null) return sendProblem(reply, 'not_found', NO_SESSION);
      return carryOut(request, reply, {
        status: 200,
        answer: (view: EvaluationView) => evaluationBody(view, ports.clock.now()),
        async run(context) {
          const outcome = await ports.agents.evaluations.commands.cancel(context, found.agentId, found.id);
          if (outcome.ok) await ports.replays?.abandon({ orgId: context.orgId, agentId: found.agentId, runId: found.id });
          return outcome;
        },
      });
    };
  },
});

/** Reads the request of a stress session, which has no choices, so that nobody tries scenarios until one passes. */
function readStressRequest(given: object): { readonly seeds: number } | readonly Problem[] {
  const [extra] = Object.keys(given);
  if (extra === undefined) return { seeds: DEFAULT_SEEDS };
  return [{ path: `$.${extra}`, problem: 'a stress session always uses the scenarios of the gate', allowed: 'leave it out' }];
}

interface SessionParams {
  readonly id: string;
  readonly sessionId: string;
}

/** Reads agent and session (a run) from a path. Null if one of them is not a UUID. */
const readIds = ({ id, sessionId }: SessionParams) => readRunIds({ id, runId: sessionId });

/** Returns the organization's session, or null. */
async function findSession(ports: ApiPorts, orgId: string, params: SessionParams): Promise<EvaluationView | null> {
  const ids = readIds(params);
  const found = ids === null ? null : await ports.agents.evaluations.find(orgId, ids.agentId, ids.runId);
  return found?.request['session'] === undefined ? null : found;
}

/** Explains why a session takes no steps here. */
async function notHere(ports: ApiPorts, orgId: string, params: SessionParams): Promise<ReturnType<typeof refuse>> {
  const found = await findSession(ports, orgId, params);
  if (found === null) return refuse('not_found', NO_SESSION);
  if (found.endedAt !== null) {
    const why = found.ending === null || found.ending.code === found.state ? '' : `, ${found.ending.code}`;
    return refuse('state_conflict', `the session has ended: it is ${found.state}${why}`);
  }
  return refuse('unavailable', 'the session waits for a free place: ask again in a few seconds');
}
