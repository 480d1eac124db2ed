/** POST /v1/agents/:id/close: sells the agent's holdings, whatever its rules, stage and autonomy. */

import { Type } from 'typebox';
import type { AgentView } from '../../../actors/agent/resource.ts';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { priceStepOf } from '../../../src/domain/market/market-step.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { memberOf } from '../../caller.ts';
import { malformed } from '../../http/strict-json.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath } from '../../identifier.ts';
import { TO_STOP } from '../../permission.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath } from '../../shapes.ts';
import { wishedAmount } from '../manual-order-body.ts';
import { AgentBody, waitingAgentBody } from './agent-body.ts';

const CloseWish = Type.Object(
  {
    instrument: Type.Optional(Type.String({ maxLength: 200, description: 'Position to close. Default: all positions.' })),
    limitPrice: wishedAmount('Lowest acceptable price, on the tick of the instrument. Requires `instrument`. Default: at market.'),
  },
  { additionalProperties: false },
);

/** Reads the requested closing. @throws InputError if the limit has no instrument, is zero or is off the tick size. */
function wishOf({ instrument, limitPrice }: { readonly instrument?: string; readonly limitPrice?: string }) {
  const key = instrument === undefined ? null : (instrument as InstrumentKey);
  if (limitPrice === undefined) return { instrument: key, limitPrice: null };
  if (key === null) throw malformed('$.limitPrice', 'a limit price needs one instrument', 'a limit together with an instrument');
  if (/^[0.]+$/.test(limitPrice)) throw malformed('$.limitPrice', 'it is zero', 'a number above zero');
  const step = priceStepOf(key, limitPrice);
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
      const wish = wishOf((request.body ?? {}) as Parameters<typeof wishOf>[0]);
      const facts = await ports.agents.closingFacts(memberOf(request).orgId, id);
      return carryOut(request, reply, {
        status: 200,
        answer: (view: AgentView) => waitingAgentBody(view, facts),
        run: (context) => ports.agents.commands.close(context, id, wish),
      });
    };
  },
});
