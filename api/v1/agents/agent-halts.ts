/** Pausing, closing, resuming and releasing agents, and the emergency halt of all. */
import { Type } from 'typebox';
import type { HaltView } from '../../../actors/agent/emergency-halt.ts';
import type { AgentView } from '../../../actors/agent/resource.ts';
import { MAX_HALT_REASON_CHARS, NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { computePriceStep } from '../../../src/domain/market/market-step.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { requireMember } from '../../caller.ts';
import { malformed } from '../../http/strict-json.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { TO_STOP } from '../../permission.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, EmptyBody, IdText, NullableTime, nullable, objectSchema } from '../../shapes.ts';
import { wishedAmount } from '../manual-order-body.ts';
import { AgentBody, agentBody, waitingAgentBody } from './agent-body.ts';

export const pauseAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/pause',
  name: 'pauseAgent',
  tag: 'agents',
  summary: 'Pauses one agent',
  description: 'Stops its decisions and cancels its pending proposals. This route has a rate limit of its own.',
  permission: TO_STOP,
  cost: 'emergency',
  stops: true,
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The agent, paused.', schema: AgentBody } },
  refusals: ['not_found', 'already_paused', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, { status: 200, answer: agentBody, run: (context) => ports.agents.commands.pause(context, id) });
    };
  },
});

const CloseWish = Type.Object(
  {
    instrument: Type.Optional(Type.String({ maxLength: 200, description: 'Position to close. Default: all positions.' })),
    limitPrice: wishedAmount('Lowest acceptable price, on the tick of the instrument. Requires `instrument`. Default: at market.'),
  },
  { additionalProperties: false },
);

/** Reads the requested closing. @throws InputError if the limit has no instrument, is zero or is off the tick size. */
function readWish({ instrument, limitPrice }: { readonly instrument?: string; readonly limitPrice?: string }) {
  const key = instrument === undefined ? null : (instrument as InstrumentKey);
  if (limitPrice === undefined) return { instrument: key, limitPrice: null };
  if (key === null) throw malformed('$.limitPrice', 'a limit price needs one instrument', 'a limit together with an instrument');
  if (/^[0.]+$/.test(limitPrice)) throw malformed('$.limitPrice', 'it is zero', 'a number above zero');
  const step = computePriceStep(key, limitPrice);
  if (!new Decimal(limitPrice).mod(step).isZero())
    throw malformed('$.limitPrice', 'it is not a multiple of the tick size', `a multiple of ${step}`);
  return { instrument: key, limitPrice };
}

export const closeAgentPositions = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/close',
  name: 'closeAgentPositions',
  tag: 'agents',
  summary: "Closes an agent's positions",
  description:
    'Pauses the agent and sells its positions with reduce-only orders within its slippage budget. Orders pass the pre-trade risk function and are retried every minute until all positions are closed. Works at every stage and autonomy level, also after a pause, halt, demotion or new version. With a limit price, the position is sold when the market pays it. A second request replaces the first; resuming the agent cancels it.',
  permission: TO_STOP,
  cost: 'emergency',
  schema: { params: AgentPath, body: CloseWish },
  bodyRule: 'optional',
  idempotent: true,
  answers: {
    200: {
      description: 'The agent, paused. `closing` lists the positions that are not sold yet, with the reason that each waits.',
      schema: AgentBody,
    },
  },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return async (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      const wish = readWish((request.body ?? {}) as Parameters<typeof readWish>[0]);
      const facts = await ports.agents.closingFacts(requireMember(request).orgId, id);
      return carryOut(request, reply, {
        status: 200,
        answer: (view: AgentView) => waitingAgentBody(view, facts),
        run: (context) => ports.agents.commands.close(context, id, wish),
      });
    };
  },
});

export const resumeAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/resume',
  name: 'resumeAgent',
  tag: 'agents',
  summary: 'Resumes a paused agent',
  description:
    'The agent continues at the stage that it was paused from, unless its manifest changed. After a breaker the cause must be gone, and somebody other than the creator must ask.',
  permission: 'risk:manage',
  cost: 'write',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The agent, running again.', schema: AgentBody } },
  refusals: ['not_found', 'not_paused', 'cause_persists', 'resume_by_creator', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, { status: 200, answer: agentBody, run: (context) => ports.agents.commands.resume(context, id) });
    };
  },
});

export const releaseAgent = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/release',
  name: 'releaseAgent',
  tag: 'agents',
  summary: 'Takes an agent out of quarantine',
  description:
    'An agent is quarantined if one of its rows cannot be read or its machine threw; its incidents name the cause. Release it after the repair. It is then paused with the cause `quarantine` until somebody other than its creator resumes it. If the cause remains, its next tick quarantines it again.',
  permission: 'risk:manage',
  cost: 'write',
  schema: { params: AgentPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The agent, paused.', schema: AgentBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, { status: 200, answer: agentBody, run: (context) => ports.agents.commands.release(context, id) });
    };
  },
});

const HaltBody = Type.Object(
  {
    paused: Type.Array(IdText, { description: 'The agents that this halt has paused by now.' }),
    pausing: Type.Integer({ description: 'Agents still being paused in the background. None of them begins anything meanwhile.' }),
    cancelledProposals: Type.Integer(),
    epoch: Type.Integer({ description: 'Counts the halts of the organization; nothing of an older epoch begins after this answer.' }),
  },
  { $id: 'Halt', examples: [{ paused: ['019a5b1e-7c00-7000-8000-000000000001'], cancelledProposals: 2, epoch: 3, pausing: 0 }] },
);

const Reason = Type.String({
  minLength: 1,
  maxLength: MAX_HALT_REASON_CHARS,
  pattern: '\\S',
  description: 'Reason of the halt, which every member is shown.',
});

const LastHaltBody = Type.Object(
  {
    epoch: Type.Integer({ description: 'Counts the halts of the organization; 0 if there was none.' }),
    haltedAt: NullableTime,
    haltedBy: nullable('string', 'Subject of the member who halted, or `command line`. Null if there was no halt, or it was not recorded.'),
    reason: nullable('string', 'Reason that was given with the halt.'),
    isPausing: Type.Boolean({ description: 'True while agents are still being paused. None of them begins anything meanwhile.' }),
  },
  {
    $id: 'LastHalt',
    examples: [{ epoch: 3, haltedAt: '2026-11-21T05:14:00.000Z', haltedBy: 'ann', reason: 'prices look wrong', isPausing: false }],
  },
);

export const getHalt = defineRoute({
  method: 'GET',
  url: '/v1/agents/emergency-halt',
  name: 'getHalt',
  tag: 'agents',
  summary: 'The newest emergency halt of the organization: who asked for it, when and why',
  description: 'A halt holds until each agent is resumed: `pauseCause` of an agent is `emergency_halt` until then.',
  permission: 'agent:read',
  cost: 'read',
  schema: {},
  answers: { 200: { description: 'The newest halt.', schema: LastHaltBody } },
  refusals: [],
  handle: (ports) => async (request) => {
    const last = await ports.agents.lastHalt(requireMember(request).orgId);
    return {
      epoch: last?.epoch ?? 0,
      haltedAt: last?.at ?? null,
      haltedBy: last?.by ?? null,
      reason: last?.reason ?? null,
      isPausing: last?.isPausing ?? false,
    };
  },
});

export const emergencyHalt = defineRoute({
  method: 'POST',
  url: '/v1/agents/emergency-halt',
  name: 'emergencyHalt',
  tag: 'agents',
  summary: "Pauses all of the organization's agents and cancels their pending proposals",
  permission: TO_STOP,
  cost: 'emergency',
  stops: true,
  schema: { body: objectSchema({ reason: Type.Optional(Reason) }) },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The halt is in force.', schema: HaltBody } },
  refusals: [],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) =>
      carryOut(request, reply, {
        status: 200,
        answer: ({ paused, pausing, cancelledProposals, epoch }: HaltView) => ({ paused, pausing, cancelledProposals, epoch }),
        run: (context) => ports.agents.commands.emergencyHalt(context, request.body?.reason ?? null),
      });
  },
});
