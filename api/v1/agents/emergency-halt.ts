/** POST /v1/agents/emergency-halt: answers as soon as the halt holds. GET returns the author, time and reason of the newest one. */

import { Type } from 'typebox';
import type { HaltView } from '../../../actors/agent/commands.ts';
import { MAX_HALT_REASON_CHARS } from '../../../src/domain/agents/agent.ts';
import { memberOf } from '../../caller.ts';
import { onceOnly } from '../../idempotency.ts';
import { TO_STOP } from '../../permission.ts';
import { defineRoute } from '../../route.ts';
import { IdText, NullableTime, nullable, objectOf } from '../../shapes.ts';

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
    const last = await ports.agents.lastHalt(memberOf(request).orgId);
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
  schema: { body: objectOf({ reason: Type.Optional(Reason) }) },
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
