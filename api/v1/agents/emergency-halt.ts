/** POST /v1/agents/emergency-halt: answers as soon as the halt holds. */
import { Type } from 'typebox';
import type { HaltView } from '../../../actors/agent/commands.ts';
import { onceOnly } from '../../idempotency.ts';
import { defineRoute } from '../../route.ts';
import { EmptyBody, IdText } from '../../shapes.ts';

const HaltBody = Type.Object(
  {
    paused: Type.Array(IdText, { description: 'The agents that this halt has paused by now.' }),
    pausing: Type.Integer({ description: 'Agents still being paused in the background. None of them begins anything meanwhile.' }),
    cancelledProposals: Type.Integer(),
    epoch: Type.Integer({ description: 'Counts the halts of the organization; nothing of an older epoch begins after this answer.' }),
  },
  { $id: 'Halt', examples: [{ paused: ['019a5b1e-7c00-7000-8000-000000000001'], cancelledProposals: 2, epoch: 3, pausing: 0 }] },
);

export const emergencyHalt = defineRoute({
  method: 'POST',
  url: '/v1/agents/emergency-halt',
  name: 'emergencyHalt',
  tag: 'agents',
  summary: "Pauses all of the organization's agents and cancels their pending proposals",
  cost: 'emergency',
  stops: true,
  schema: { body: EmptyBody },
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
        run: (context) => ports.agents.commands.emergencyHalt(context),
      });
  },
});
