/** Takes: compiled, forked, armed, closed and published, with their decisions and history. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { CommandContext } from '../../src/core/command-context.ts';
import type { AgentView } from '../../actors/agent/resource.ts';
import { type TakeCommands, takeInvalid } from '../../actors/take/commands.ts';
import { publishedTake, type TakeReading, type TakeView, take } from '../../actors/take/resource.ts';
import type { DecisionStore } from '../../src/adapters/store/agents/decision-reads.ts';
import type { TakeReads } from '../../src/adapters/store/takes/take-reads.ts';
import { CATALOG, type Catalog } from '../../src/domain/catalog/catalog.ts';
import { EXECUTION_MODES } from '../../src/domain/orders/order.ts';
import { compileThesis } from '../../src/domain/take/compile-thesis.ts';
import { readingOfFields, readTakeFields } from '../../src/domain/take/read-take.ts';
import { TAKE_STATES, type Take } from '../../src/domain/take/take.ts';
import { type Outcome, refuse } from '../../src/domain/values/refusal.ts';
import { type EpochMs, isoTime } from '../../src/domain/values/time.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { onceOnly } from '../idempotency.ts';
import { idInPath, storedId } from '../identifier.ts';
import { TO_STOP } from '../permission.ts';
import { sendProblem, sendRefusal } from '../problem.ts';
import { type ApiPorts, defineRoute, type RouteGroup } from '../route.ts';
import { AgentPath, AnyJson, AnyNumber, choice, DecimalText, EmptyBody, IdText, objectSchema, pageFields, pageSchema } from '../shapes.ts';
import { agentBody, agentFields } from './agents/agent-body.ts';
import {
  DecisionBody,
  decisionPageSchema,
  ExplainedDecision,
  explainedDecision,
  toMovedBefore,
  NO_DECISION,
} from './agents/agent-decisions.ts';
import { ChartBody, StepBody } from './agents/agent-history.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly takes: {
      readonly reads: Pick<TakeReads, 'list' | 'find' | 'listPublished' | 'history' | 'chartState'>;
      readonly commands: TakeCommands;
      readonly decisions: Pick<DecisionStore, 'list' | 'get'>;
    };
  }
}

const TakeBody = Type.Object(take.wire, { $id: 'Take' });
const PublishedTakeBody = Type.Object(publishedTake.wire, {
  $id: 'PublishedTake',
  description: 'Does not show the author or the trades.',
});

/** Readings that an author confirms before a Take acts on them. */
const ConfirmField = Type.Optional(
  Type.Array(Type.String({ maxLength: 2_100 }), { maxItems: 100, description: 'The texts of `open` that the author accepts.' }),
);

/** Message for a Take that does not exist or belongs to another organization. */
const NO_TAKE = 'there is no Take with this id';

type TakeCommand = (commands: TakeCommands, context: CommandContext, id: string) => Promise<Outcome<TakeView>>;

/** Returns the handler of a route without a body: 200 with the Take, or `not_found`. */
function commandToTake(command: TakeCommand) {
  return (ports: ApiPorts) => {
    const carryOut = onceOnly(ports);
    return (request: FastifyRequest & { readonly params: { readonly id: string } }, reply: FastifyReply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_TAKE);
      return carryOut(request, reply, {
        status: 200,
        answer: take.body,
        run: (context) => command(ports.takes.commands, context, id),
      });
    };
  };
}

interface Compilation {
  readonly take: Take;
  readonly reading: TakeReading;
}

/** Reads a thesis in words, or the fields of a Take. @param now Instant from which relative times count. */
function readCompilation(body: Readonly<Record<string, unknown>>, catalog: Catalog, now: EpochMs): Outcome<Compilation> {
  const { thesis, ...fields } = body;
  if (thesis === undefined) {
    const read = readTakeFields(fields, { catalog, now });
    if (!read.ok) return takeInvalid(read.problems);
    return { ok: true, value: { take: read.take, reading: readingOfFields(read.take, read.assumed) } };
  }
  const [stray] = Object.keys(fields);
  if (stray !== undefined) {
    return takeInvalid([{ path: `$.${stray.slice(0, 60)}`, problem: 'cannot be combined with a thesis', allowed: 'a thesis, or fields' }]);
  }
  if (typeof thesis !== 'string') return takeInvalid([{ path: '$.thesis', problem: 'is not a text', allowed: 'a thesis in words' }]);
  const compiled = compileThesis(thesis, { catalog, now });
  if (compiled.ok) {
    const { take, understood, assumed, notUnderstood, open } = compiled;
    return { ok: true, value: { take, reading: { thesis, understood, assumed, notUnderstood, open } } };
  }
  if (compiled.why === 'invalid') return takeInvalid(compiled.problems);
  const { questions } = compiled;
  return { ok: false, refusal: { code: 'thesis_ambiguous', detail: questions[0] ?? 'the thesis leaves too much open', questions } };
}

/** Shape of the body for the document. The domain reads the body and reports every problem. */
const CompileBody = Type.Object(
  {
    thesis: Type.Optional(
      Type.String({ description: 'Thesis in English, by the grammar of docs/guides/takes.md. Send no other field with it.' }),
    ),
    symbol: Type.Optional(Type.String()),
    target: Type.Optional(AnyJson),
    conditions: Type.Optional(Type.Object({ entry: Type.Optional(Type.Array(AnyJson)), exit: Type.Optional(Type.Array(AnyJson)) })),
    allocationUsd: Type.Optional(Type.Union([Type.String(), AnyNumber])),
    maxSlippageBps: Type.Optional(AnyNumber),
    timeframe: Type.Optional(Type.String()),
    expiresAt: Type.Optional(Type.String()),
  },
  { examples: [{ thesis: 'Buy AAPLx when it trades more than 2% below its reference, with $500; sell when the premium is above 0.5%' }] },
);

const compileTake = defineRoute({
  method: 'POST',
  url: '/v1/takes/compile',
  name: 'compileTake',
  tag: 'takes',
  summary: 'Turns a thesis into an auditable Take',
  description:
    'The answer lists how each phrase was read and what was assumed. An ambiguous thesis is refused with `thesis_ambiguous` and the questions that would settle it.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { body: CompileBody },
  bodyRule: 'read_by_handler',
  idempotent: true,
  answers: { 201: { description: 'The draft.', schema: TakeBody } },
  refusals: ['thesis_ambiguous', 'take_invalid'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const body = request.body as unknown;
      const read = readCompilation(
        typeof body === 'object' && body !== null && !Array.isArray(body) ? (body as Record<string, unknown>) : { thesis: null },
        ports.catalog.entries,
        ports.clock.now(),
      );
      if (!read.ok) return sendRefusal(reply, read.refusal);
      const { take: policy, reading } = read.value;
      return carryOut(request, reply, {
        status: 201,
        answer: take.body,
        run: (context) => ports.takes.commands.create(context, policy, reading),
      });
    };
  },
});

const forkTakeRoute = defineRoute({
  method: 'POST',
  url: '/v1/takes/fork',
  name: 'forkTake',
  tag: 'takes',
  summary: 'Clones a Take with another allocation, slippage budget or thresholds',
  description:
    'Forks a Take of your own, or a published one of another organization. The lineage is kept. The fork has an expiry of its own.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectSchema({
      takeId: Type.String({ minLength: 1, maxLength: 64 }),
      allocationUsd: Type.Optional(DecimalText),
      maxSlippageBps: Type.Optional(Type.Number({ minimum: 0, maximum: 10_000 })),
      thresholds: Type.Optional(
        Type.Record(Type.String(), AnyJson, { description: 'By `<side>[<index>].<field>`, for example `entry[0].pct`.' }),
      ),
    }),
  },
  idempotent: true,
  answers: { 201: { description: 'The draft of the fork.', schema: TakeBody } },
  refusals: ['not_found', 'take_invalid'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { takeId: given, ...changes } = request.body;
      const takeId = storedId(given);
      if (takeId === null) return sendProblem(reply, 'not_found', NO_TAKE);
      return carryOut(request, reply, {
        status: 201,
        answer: take.body,
        run: (context) => ports.takes.commands.fork(context, takeId, changes),
      });
    };
  },
});

const armTake = defineRoute({
  method: 'POST',
  url: '/v1/takes/arm',
  name: 'armTake',
  tag: 'takes',
  summary: 'Makes a Take an active policy',
  description:
    'A Take from words is armed once its author has confirmed what its `open` names; until then it is refused with `take_unsettled`. Limits are those of the stored risk preferences, never of the request. `live` trades its allocation on the spot exchange, where live orders there are switched on, or from a wallet that is delegated to the Take (`POST /v1/delegations`) on the primary chain, where delegated signing is switched on; elsewhere it is refused with `feature_disabled`, and without a delegation with `state_conflict`. The allocations of all live Takes together stay within the capital of the preferences. A live Take needs free dollars where it trades, on the primary chain in its wallet: those that no vault, no other armed Take and nothing that a person asked for has bound (`insufficient_balance`).',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectSchema({
      takeId: Type.String({ minLength: 1, maxLength: 64 }),
      mode: choice(EXECUTION_MODES),
      confirm: ConfirmField,
    }),
  },
  idempotent: true,
  answers: { 200: { description: 'The Take, armed.', schema: TakeBody } },
  refusals: ['not_found', 'take_unsettled', 'state_conflict', 'cause_persists', 'blocked_by_risk', 'feature_disabled'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const { mode, confirm } = request.body;
      const takeId = storedId(request.body.takeId);
      if (takeId === null) return sendProblem(reply, 'not_found', NO_TAKE);
      return carryOut(request, reply, {
        status: 200,
        answer: take.body,
        run: (context) => ports.takes.commands.arm(context, takeId, mode, confirm),
      });
    };
  },
});

const LaunchDraft = Type.Object({
  takeId: Type.String(),
  preset: Type.String({ description: 'Name of a preset of GET /v1/launches/dbc/presets.' }),
  name: Type.String(),
  symbol: Type.String(),
  quoteMint: Type.String({ description: 'The mint of the asset that the Take is about.' }),
});

const TokenizedBody = Type.Object(
  {
    as: choice(['agent', 'launch']),
    takeId: Type.String(),
    agent: Type.Unsafe<object | null>({
      anyOf: [Type.Object(agentFields), { type: 'null' }],
      description: 'The draft agent, at autonomy `research`.',
    }),
    launch: Type.Unsafe<object | null>({
      anyOf: [LaunchDraft, { type: 'null' }],
      description: 'Values to begin POST /v1/launches/dbc/prepare with.',
    }),
  },
  { $id: 'TokenizedTake' },
);

/** Returns the draft of a launch, or null if no curve can be quoted in the Take's asset. */
function launchDraft(takeId: string, symbol: string, hash: string) {
  const entry = CATALOG.bySymbol(symbol);
  if (entry === undefined || entry.token === null) return null;
  return {
    takeId,
    preset: 'reference_anchored',
    name: `Take on ${symbol}`,
    symbol: `T${hash.slice(0, 6).toUpperCase()}`,
    quoteMint: entry.token.mint,
  };
}

const tokenizeTake = defineRoute({
  method: 'POST',
  url: '/v1/takes/tokenize',
  name: 'tokenizeTake',
  tag: 'takes',
  summary: 'Turns a Take into a draft agent or a launch draft',
  description:
    'The manifest of the agent decides on the same cuts as the Take does. The agent stands at `draft` and passes every gate as any other. Refused with `take_unsettled` until the author has confirmed what `open` names, here or when the Take was armed.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    body: objectSchema({ takeId: Type.String({ minLength: 1, maxLength: 64 }), as: choice(['agent', 'launch']), confirm: ConfirmField }),
  },
  idempotent: true,
  answers: { 201: { description: 'The draft agent, or the start of a launch.', schema: TokenizedBody, shownAt: '/v1/agents/{agent.id}' } },
  refusals: ['not_found', 'take_unsettled', 'take_invalid', 'halted', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return async (request, reply) => {
      const { as, confirm } = request.body;
      const takeId = storedId(request.body.takeId);
      if (takeId === null) return sendProblem(reply, 'not_found', NO_TAKE);
      const found = await ports.takes.commands.manifestFor(requireMember(request).orgId, takeId, confirm);
      if (!found.ok) return sendRefusal(reply, found.refusal);
      const { view, manifest } = found.value;
      if (as === 'agent') {
        return carryOut(request, reply, {
          status: 201,
          answer: (agent: AgentView) => ({ as, takeId, agent: agentBody(agent), launch: null }),
          run: (context) => ports.agents.commands.create(context, manifest),
        });
      }
      const launch = launchDraft(takeId, view.symbol, view.hash);
      if (launch === null)
        return sendRefusal(
          reply,
          refuse('take_invalid', `${view.symbol} is not a token of the primary chain, so no launch can be paired with it`).refusal,
        );
      return reply.code(201).send({ as, takeId, agent: null, launch });
    };
  },
});

const publishTake = defineRoute({
  method: 'POST',
  url: '/v1/takes/:id/publish',
  name: 'publishTake',
  tag: 'takes',
  summary: 'Publishes a Take',
  description: 'Makes conditions, limits and thesis readable to every organization, not its trades. This cannot be undone.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The Take, published.', schema: TakeBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: commandToTake((commands, context, id) => commands.publish(context, id)),
});

const disarmTake = defineRoute({
  method: 'POST',
  url: '/v1/takes/:id/disarm',
  name: 'disarmTake',
  tag: 'takes',
  summary: 'Disarms a Take',
  description: 'The position stays open. Armed again, the Take watches its exit conditions again.',
  permission: TO_STOP,
  cost: 'emergency',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The Take, disarmed.', schema: TakeBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: commandToTake((commands, context, id) => commands.disarm(context, id)),
});

const closeTake = defineRoute({
  method: 'POST',
  url: '/v1/takes/:id/close',
  name: 'closeTake',
  tag: 'takes',
  summary: 'Closes the position of a Take',
  description:
    'Disarms the Take and sells its position at market within its slippage budget, with a retry every minute until it is sold. Works after a halt too. Waits only while the price is not live.',
  permission: TO_STOP,
  cost: 'emergency',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The Take, disarmed with the reason `closing`; it is `closed` once all is sold.', schema: TakeBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: commandToTake((commands, context, id) => commands.close(context, id)),
});

const listTakes = defineRoute({
  method: 'GET',
  url: '/v1/takes',
  name: 'listTakes',
  tag: 'takes',
  summary: "The organization's Takes, newest first",
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({
      state: Type.Optional(choice(TAKE_STATES)),
      ...pageFields,
    }),
  },
  answers: { 200: { description: 'A page of Takes.', schema: pageSchema(TakeBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { state = null } = request.query;
    const page = pageOfQuery(request.query, 'takes', POSITIONS.number);
    return pageBody(await ports.takes.reads.list(requireMember(request).orgId, { origin: null, state }, page), 'takes', take.body);
  },
});

const listPublishedTakes = defineRoute({
  method: 'GET',
  url: '/v1/takes/published',
  name: 'listPublishedTakes',
  tag: 'takes',
  summary: 'Published Takes of all organizations, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of published Takes.', schema: pageSchema(PublishedTakeBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'published-takes', POSITIONS.number);
    return pageBody(await ports.takes.reads.listPublished(requireMember(request).orgId, page), 'published-takes', publishedTake.body);
  },
});

const getTake = defineRoute({
  method: 'GET',
  url: '/v1/takes/:id',
  name: 'getTake',
  tag: 'takes',
  summary: 'One Take',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The Take.', schema: TakeBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.takes.reads.find(requireMember(request).orgId, id);
    return found === null ? sendProblem(reply, 'not_found', NO_TAKE) : take.body(found);
  },
});

const TakeDecisionBody = Type.Object({ ...DecisionBody.properties, takeId: IdText }, { $id: 'TakeDecision' });

const listTakeDecisions = defineRoute({
  method: 'GET',
  url: '/v1/takes/:id/decisions',
  name: 'listTakeDecisions',
  tag: 'takes',
  summary: 'The decision records of a Take, newest first',
  description: 'One per half minute while it is running. `agentId` and `takeId` are the same id: what is hashed names the actor.',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath, querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of decisions.', schema: decisionPageSchema(TakeDecisionBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'take-decisions', POSITIONS.number);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.takes.decisions.list(requireMember(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_TAKE);
    return { ...pageBody(found, 'take-decisions', (decision) => ({ ...decision, takeId: decision.agentId })), ...toMovedBefore(found) };
  },
});

const explainTakeDecision = defineRoute({
  method: 'GET',
  url: '/v1/takes/:id/decisions/:decisionId/explain',
  name: 'explainTakeDecision',
  tag: 'takes',
  summary: 'One evaluation of a Take in words',
  description:
    'The observations, the rules that held, the decision, and what was missing for a trade. Every number is one of the decision record.',
  permission: 'agent:read',
  cost: 'costly',
  schema: { params: objectSchema({ id: IdText, decisionId: IdText }) },
  answers: { 200: { description: 'The decision in words.', schema: ExplainedDecision } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) =>
    (await explainedDecision(ports.takes.decisions, requireMember(request).orgId, request.params)) ??
    sendProblem(reply, 'not_found', NO_DECISION),
});

const listTakeHistory = defineRoute({
  method: 'GET',
  url: '/v1/takes/:id/history',
  name: 'listTakeHistory',
  tag: 'takes',
  summary: "The steps of the Take's state chart, newest first",
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath, querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of steps.', schema: pageSchema(StepBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'take-history', POSITIONS.number);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.takes.reads.history(requireMember(request).orgId, id, page);
    if (found === null) return sendProblem(reply, 'not_found', NO_TAKE);
    return pageBody(found, 'take-history', (step) => ({ ...step, at: isoTime(step.at) }));
  },
});

const getTakeChart = defineRoute({
  method: 'GET',
  url: '/v1/takes/:id/chart',
  name: 'getTakeChart',
  tag: 'takes',
  summary: "The Take's state chart with its present state",
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'The chart.', schema: ChartBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const chartState = id === null ? null : await ports.takes.reads.chartState(requireMember(request).orgId, id);
    if (chartState === null) return sendProblem(reply, 'not_found', NO_TAKE);
    const chart = ports.machines.describe(chartState.machine);
    const { machine, version, status, value } = chartState;
    return { machine, version, status, value, definition: chart?.definition ?? null, mermaid: chart?.mermaid ?? null };
  },
});

export const takeRoutes: RouteGroup = {
  tag: {
    name: 'takes',
    position: 200,
    description:
      'One-off trading policies written as a sentence. Compile a thesis, check how each phrase was read, confirm what is open, and arm it on paper or live. An ambiguous thesis is refused with questions (`thesis_ambiguous`).',
  },
  routes: [
    compileTake,
    forkTakeRoute,
    armTake,
    tokenizeTake,
    publishTake,
    disarmTake,
    closeTake,
    listTakes,
    listPublishedTakes,
    getTake,
    listTakeDecisions,
    explainTakeDecision,
    listTakeHistory,
    getTakeChart,
  ],
};
