/** POST /v1/takes/tokenize: turns a Take into a draft agent with the same decisions, or into a draft for the launch studio. */
import { Type } from 'typebox';
import type { AgentView } from '../../../actors/agent/resource.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { refuse } from '../../../src/domain/values/refusal.ts';
import { memberOf } from '../../caller.ts';
import { onceOnly } from '../../idempotency.ts';
import { storedId } from '../../identifier.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { choice, objectOf } from '../../shapes.ts';
import { agentBody, agentFields } from '../agents/agent-body.ts';
import { ConfirmField, NO_TAKE } from './take-body.ts';

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

export const tokenizeTake = defineRoute({
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
    body: objectOf({ takeId: Type.String({ minLength: 1, maxLength: 64 }), as: choice(['agent', 'launch']), confirm: ConfirmField }),
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
      const found = await ports.takes.commands.manifestFor(memberOf(request).orgId, takeId, confirm);
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
