/** Actors of every kind: their state, steps and what-if branches, and interventions of a person outside their state charts. */
import { type Static, type TObject, Type } from 'typebox';
import type { CommandContext } from '../../src/core/command-context.ts';
import type { InterventionCommands, Intervention, InterventionAction } from '../../actors/intervention/commands.ts';
import type { ActorBranches } from '../../actors/runtime/actor-branches.ts';
import type { ActorReads } from '../../src/adapters/store/actors/actor-reads.ts';
import type { ActorEvent } from '../../src/domain/agents/actor-step.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import { isoTime } from '../../src/domain/values/time.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { onceOnly } from '../idempotency.ts';
import { idInPath } from '../identifier.ts';
import { sendProblem, sendRefusal } from '../problem.ts';
import { defineRoute, type RouteGroup } from '../route.ts';
import { AnyJson, choice, IdText, NullableTime, nullable, objectSchema, pageFields, pageSchema, Time, versionSchema } from '../shapes.ts';
import { StepBody } from './agents/agent-history.ts';
import { InterventionBody, interventionBody } from './runtime.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly actors: ActorBranches & { readonly reads: ActorReads };
  }
}

const ActorPath = objectSchema({ id: IdText });
const NO_ACTOR = 'there is no actor with this id';

export const AnyObject = Type.Unsafe<{ readonly [key: string]: unknown }>({ type: 'object', additionalProperties: true });

const summary = {
  id: IdText,
  kind: Type.String({ description: '`agent`, `take`, `proposal` and so on.' }),
  name: nullable(
    'string',
    'The name of an agent or of the one that is evaluated, what an order buys or sells, what a transfer sends, the symbol of a token or a Take, what a transaction is for; null if an actor has none of these.',
  ),
  machine: Type.String({ description: 'The machine and its version, for example `agent@1`.' }),
  version: Type.Integer({ description: 'Steps taken, including quarantines.' }),
  status: choice(['running', 'done', 'quarantined']),
  value: AnyJson,
  createdAt: Time,
  changedAt: Time,
};

const ActorBody = Type.Object(summary, { $id: 'Actor' });

const ActorDetailBody = Type.Object(
  {
    ...summary,
    context: {
      ...AnyObject,
      description: "The actor's present context; of a proposal whose steps were archived only what it is named by.",
    },
    incidents: Type.Array(Type.Object({ at: Time, kind: Type.String(), detail: Type.String() }), {
      description: 'Internal errors, newest first, at most 20.',
    }),
  },
  { $id: 'ActorDetail' },
);

/** Consequences of a step in the past or in a branch. */
const followed = {
  changes: Type.Array(Type.Object({ path: Type.String(), before: AnyJson, after: AnyJson }), {
    description: 'Changes of the context by the event.',
  }),
  records: Type.Array(AnyObject),
  timers: Type.Array(AnyObject),
  announcements: Type.Array(AnyObject),
};

/** Maximum events of a branch. */
const MOST_EVENTS = 20;
const BranchBody = Type.Object(
  {
    kind: Type.String(),
    machine: Type.String({ description: 'The present machine, which the branch is of.' }),
    version: Type.Integer({ description: 'Version at which the branch leaves the history.' }),
    steps: Type.Array(
      Type.Object({
        event: AnyObject,
        from: AnyJson,
        to: AnyJson,
        status: choice(['active', 'done']),
        taken: Type.Boolean({ description: 'False if the state has no transition for the event, or all its guards fail.' }),
        refusal: Type.Unsafe<object | null>({
          type: ['object', 'null'],
          description: 'Reason the actor would refuse the event before its machine sees it. The branch ends here.',
          properties: { code: { type: 'string' }, detail: { type: 'string' } },
        }),
        ...followed,
        activities: Type.Array(AnyObject),
      }),
    ),
    takes: Type.Array(Type.String(), { description: 'The events that the machine reacts to where the branch ends.' }),
  },
  { $id: 'ActorBranch' },
);

const askWhatIf = defineRoute({
  method: 'POST',
  url: '/v1/actors/:id/what-if',
  name: 'askWhatIf',
  tag: 'actors',
  summary: 'Simulates other events from any step of an actor',
  description:
    'Rebuilds the state after `version` and sends the events to a copy, one after the other. For each event the answer has the transition, the changed context, and the records, timers, activities and announcements that a real step would have committed. Nothing is stored or executed. To let a delay of the chart pass, send its event, whose name is listed under `timers`.',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    params: ActorPath,
    body: objectSchema({
      version: versionSchema(1, 'The version of the step that the branch leaves from.'),
      events: Type.Array(
        Type.Unsafe<{ readonly type: string; readonly [key: string]: unknown }>({
          type: 'object',
          required: ['type'],
          properties: { type: { type: 'string', minLength: 1, maxLength: 200 } },
          additionalProperties: true,
        }),
        { minItems: 1, maxItems: MOST_EVENTS },
      ),
      at: Type.Optional(Type.String({ format: 'date-time', description: 'Time of the events. Default: now.' })),
    }),
  },
  answers: { 200: { description: 'The branch.', schema: BranchBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    if (id === null) return sendProblem(reply, 'not_found', NO_ACTOR);
    const { version, events, at } = request.body;
    const wish = { version, events: events as readonly ActorEvent[], at: at === undefined ? null : Date.parse(at) };
    const outcome = await ports.actors.whatIf(requireMember(request).orgId, id, wish);
    return outcome.ok ? outcome.value : sendRefusal(reply, outcome.refusal);
  },
});

const exportActorTest = defineRoute({
  method: 'GET',
  url: '/v1/actors/:id/test',
  name: 'exportActorTest',
  tag: 'actors',
  summary: "A stretch of an actor's history as a test that vitest runs",
  description:
    'TypeScript for the folder `test/exported` of the repository: the state before the first step, the events with their times, and the result of each. The test passes while the state chart behaves the same. To fix a defect, write the correct result into the test and change the chart until it passes.',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    params: ActorPath,
    querystring: objectSchema({
      from: versionSchema(0, 'The version before the first step of the test; 0 begins with the start.'),
      to: versionSchema(1, 'The version of the last step; at most 500 steps.'),
    }),
  },
  answers: { 200: { description: 'The source of the test.', contentType: 'text/plain' } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    if (id === null) return sendProblem(reply, 'not_found', NO_ACTOR);
    const { from, to } = request.query;
    const outcome = await ports.actors.exportTest(requireMember(request).orgId, id, from, to);
    if (!outcome.ok) return sendRefusal(reply, outcome.refusal);
    reply.header('content-disposition', `attachment; filename="${id}-${from}-${to}.test.ts"`);
    return reply.type('text/plain; charset=utf-8').send(outcome.value);
  },
});

const listActors = defineRoute({
  method: 'GET',
  url: '/v1/actors',
  name: 'listActors',
  tag: 'actors',
  summary: 'The durable actors of every kind, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({
      ...pageFields,
      kind: Type.Optional(Type.String({ pattern: '^[a-z_]{1,40}$', description: 'Kind of actor, e.g. `agent`.' })),
      status: Type.Optional(choice(['running', 'done', 'quarantined'])),
      search: Type.Optional(Type.String({ minLength: 1, maxLength: 80, description: 'Part of the agent name, the kind or the id.' })),
    }),
  },
  answers: { 200: { description: 'A page of actors.', schema: pageSchema(ActorBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const page = pageOfQuery(request.query, 'actors', POSITIONS.number);
    const { kind = null, status = null, search = null } = request.query;
    return pageBody(
      await ports.actors.reads.list(requireMember(request).orgId, { kind, status, search }, page),
      'actors',
      (actor) => actor,
    );
  },
});

const getActor = defineRoute({
  method: 'GET',
  url: '/v1/actors/:id',
  name: 'getActor',
  tag: 'actors',
  summary: 'One actor of any kind: state, context and incidents',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: ActorPath },
  answers: { 200: { description: 'The actor.', schema: ActorDetailBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.actors.reads.get(requireMember(request).orgId, id);
    if (found === null) return sendProblem(reply, 'not_found', NO_ACTOR);
    return { ...found, incidents: found.incidents.map((incident) => ({ ...incident, at: isoTime(incident.at) })) };
  },
});

/** Maximum steps of an answer. */
const MOST_STEPS = 200;

const StretchBody = Type.Object(
  {
    version: Type.Integer({ description: 'Current version of the actor.' }),
    items: Type.Array(StepBody, { description: 'Oldest first.' }),
    archived: Type.Optional(
      Type.Object(
        { at: Time, file: Type.String() },
        { description: 'Time and archive file of the move, if the actor has ended and its steps were moved.' },
      ),
    ),
  },
  { $id: 'StepStretch', description: 'Versions created by a quarantine have no step.' },
);

const listActorSteps = defineRoute({
  method: 'GET',
  url: '/v1/actors/:id/steps',
  name: 'listActorSteps',
  tag: 'actors',
  summary: "Any stretch of an actor's committed steps, by version",
  description: `Returns at most ${MOST_STEPS} steps after version \`from\` up to version \`to\`.`,
  permission: 'agent:read',
  cost: 'read',
  schema: {
    params: ActorPath,
    querystring: objectSchema({
      from: versionSchema(0, 'The version before the first step of the stretch.'),
      to: versionSchema(1, 'The version of its last step.'),
    }),
  },
  answers: { 200: { description: 'The stretch.', schema: StretchBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const { from, to } = request.query;
    if (to <= from || to - from > MOST_STEPS)
      return sendProblem(reply, 'malformed', `$.to: the range must end after its start, ${from}, and holds at most ${MOST_STEPS} steps`);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.actors.reads.steps(requireMember(request).orgId, id, from, to);
    if (found === null) return sendProblem(reply, 'not_found', NO_ACTOR);
    const { version, items, archived } = found;
    const moved = archived === null ? {} : { archived: { ...archived, at: isoTime(archived.at) } };
    return { version, items: items.map((step) => ({ ...step, at: isoTime(step.at) })), ...moved };
  },
});

const FateBody = Type.Unsafe<object | null>({
  type: ['object', 'null'],
  description: 'Outcome of the activity, or null if it is not stored.',
  required: ['state', 'attempts', 'dueAt', 'answer', 'endedAt'],
  properties: {
    state: choice(['pending', 'done', 'given_up']),
    attempts: Type.Integer(),
    dueAt: { ...Time, description: 'Time of the next attempt, or of the last one.' },
    answer: AnyJson,
    endedAt: NullableTime,
  },
});

const AccountBody = Type.Object(
  {
    kind: Type.String(),
    machine: Type.String({ description: 'The present machine, which took the step again.' }),
    version: Type.Integer(),
    at: Time,
    event: AnyObject,
    status: choice(['active', 'done']),
    guards: Type.Array(
      Type.Object({
        guard: Type.String(),
        params: AnyJson,
        passed: Type.Boolean(),
        inputs: Type.Array(Type.Object({ path: Type.String(), value: AnyJson }), {
          description: "Inputs of the guard: fields of `context` and `event`, and `state` if it asks for the machine's state.",
        }),
      }),
      { description: 'The guards that the step asked, in their order.' },
    ),
    ...followed,
    activities: Type.Array(Type.Object({ kind: Type.String(), payload: AnyObject, fate: FateBody })),
    context: { ...AnyObject, description: 'Context after the step.' },
    takes: Type.Array(Type.String(), { description: 'The events that the machine reacts to after it.' }),
  },
  { $id: 'StepAccount' },
);

const getActorStep = defineRoute({
  method: 'GET',
  url: '/v1/actors/:id/steps/:version',
  name: 'getActorStep',
  tag: 'actors',
  summary: 'One step of an actor: its guards and their inputs, changes and effects',
  description:
    'Rebuilds the state before the step from the last checkpoint and takes the step again with traced guards. Writes nothing. Answers `state_conflict` if the present machine leads to another state than the stored step.',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    params: objectSchema({
      id: IdText,
      version: Type.String({ description: 'The version that the step led to.' }),
    }),
  },
  answers: { 200: { description: 'The account of the step.', schema: AccountBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const { version } = request.params;
    if (id === null || !/^[1-9]\d{0,11}$/.test(version)) return sendProblem(reply, 'not_found', NO_ACTOR);
    const outcome = await ports.actors.account(requireMember(request).orgId, id, Number(version));
    if (!outcome.ok) return sendRefusal(reply, outcome.refusal);
    const { at, activities, ...account } = outcome.value;
    const toFate = ({ fate }: (typeof activities)[number]) =>
      fate === null ? null : { ...fate, dueAt: isoTime(fate.dueAt), endedAt: fate.endedAt === null ? null : isoTime(fate.endedAt) };
    return { ...account, at: isoTime(at), activities: activities.map((one) => ({ ...one, fate: toFate(one) })) };
  },
});

const Reason = Type.String({
  minLength: 1,
  maxLength: 500,
  pattern: '\\S',
  description: 'Reason of the intervention. Recorded for good with the caller.',
});
const INTERVENED = { 200: { description: 'The intervention as recorded.', schema: InterventionBody } } as const;

const retryActivity = intervention({
  action: 'retry',
  name: 'retryActivity',
  summary: 'Retries one activity of an actor at once',
  description:
    'Runs a pending activity now and resets its attempt count. An abandoned activity can be retried only if its actor has taken no step since; otherwise the answer is `state_conflict`.',
  body: objectSchema({
    activity: Type.String({ pattern: '^[0-9a-f-]{36}:\\d{1,12}:\\d{1,6}$', description: 'The key of the activity.' }),
    reason: Reason,
  }),
  run: (commands, context, id, { activity, reason }) => commands.retry(context, id, activity, reason),
});

const resetActor = intervention({
  action: 'reset',
  name: 'resetActor',
  summary: 'Resets the attempts of all pending activities of an actor and retries them at once',
  body: objectSchema({ reason: Reason }),
  run: (commands, context, id, { reason }) => commands.reset(context, id, reason),
});

const releaseActor = intervention({
  action: 'release',
  name: 'releaseActor',
  summary: 'Takes an actor of any kind out of quarantine',
  description:
    'An agent stays paused with the cause `quarantine` until somebody other than its creator resumes it. Any other actor continues from its last state with its timers; results that it missed are listed under its abandoned activities. If the cause is still present, the actor is quarantined again.',
  body: objectSchema({ reason: Reason }),
  run: (commands, context, id, { reason }) => commands.release(context, id, reason),
});

function intervention<Body extends TObject>(of: {
  readonly action: InterventionAction;
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly body: Body;
  readonly run: (commands: InterventionCommands, context: CommandContext, id: string, body: Static<Body>) => Promise<Outcome<Intervention>>;
}) {
  const { action, name, summary, description, body, run } = of;
  return defineRoute({
    method: 'POST',
    url: `/v1/actors/:id/${action}`,
    name,
    tag: 'actors',
    summary,
    ...(description === undefined ? {} : { description }),
    permission: 'risk:manage',
    cost: 'write',
    schema: { params: ActorPath, body },
    idempotent: true,
    answers: INTERVENED,
    refusals: ['not_found', 'state_conflict'],
    handle: (ports) => {
      const carryOut = onceOnly(ports);
      return (request, reply) => {
        const id = idInPath(request.params);
        if (id === null) return sendProblem(reply, 'not_found', NO_ACTOR);
        return carryOut(request, reply, {
          status: 200,
          answer: interventionBody,
          run: (context) => run(ports.runtime.commands, context, id, request.body as Static<Body>),
        });
      };
    },
  });
}

export const actorRoutes: RouteGroup = {
  tag: {
    name: 'actors',
    position: 90,
    description:
      'State and history of every durable actor: agents, Takes, proposals, orders, transfers and launches. Read its steps, open one step to see guards and effects, and try other events with what-if, which stores nothing. `state_conflict` means that a newer state chart no longer takes the stored step.',
  },
  routes: [askWhatIf, exportActorTest, listActors, getActor, listActorSteps, getActorStep],
};

export const interventionRoutes: RouteGroup = {
  tag: actorRoutes.tag,
  routes: [retryActivity, resetActor, releaseActor],
};
