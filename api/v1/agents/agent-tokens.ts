/** Tokens with which outside code proposes for one agent and reads the data it needs. */
import { Type } from 'typebox';
import type { AgentToken, NewAgentToken } from '../../../actors/agent/agent-tokens.ts';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { requireMember } from '../../caller.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath, storedId } from '../../identifier.ts';
import { TO_STOP } from '../../permission.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import { AgentPath, IdText, NullableTime, objectSchema, shownText, Time } from '../../shapes.ts';

const tokenFields = {
  id: IdText,
  agentId: IdText,
  name: Type.String(),
  createdBy: Type.String(),
  createdAt: Time,
  revokedAt: NullableTime,
};
const AgentTokenBody = Type.Object(tokenFields, { $id: 'AgentToken', description: 'A token of an agent, without its text.' });
const NewAgentTokenBody = Type.Object(
  { ...tokenFields, token: Type.String({ description: 'Shown once; only its SHA-256 is kept.' }) },
  { $id: 'NewAgentToken' },
);

function tokenBody({ id, agentId, name, createdBy, createdAt, revokedAt }: AgentToken) {
  return { id, agentId, name, createdBy, createdAt: isoTime(createdAt), revokedAt: revokedAt === null ? null : isoTime(revokedAt) };
}

export const createAgentToken = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/tokens',
  name: 'createAgentToken',
  tag: 'agents',
  summary: 'Creates a token for outside code that proposes trades for the agent',
  description:
    'The token can propose trades for this agent and read its context and outside proposals, and nothing else. It has its own rate limit. The text is shown once. Repeating the request creates another token.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: AgentPath, body: objectSchema({ name: shownText(80, 'Name of the program that uses it.') }) },
  answers: { 201: { description: 'The token with its text.', schema: NewAgentTokenBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, {
        status: 201,
        answer: (made: NewAgentToken) => ({ ...tokenBody(made), token: made.token }),
        // The answer contains a secret, so it is not remembered.
        run: ({ remember: _, ...context }) => ports.agents.tokens.create(context, id, request.body.name),
      });
    };
  },
});

export const listAgentTokens = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/tokens',
  name: 'listAgentTokens',
  tag: 'agents',
  summary: 'The tokens of an agent, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'All of its tokens, revoked ones too.', schema: Type.Object({ items: Type.Array(AgentTokenBody) }) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.tokens.list(requireMember(request).orgId, id);
    return found === null ? sendProblem(reply, 'not_found', NO_AGENT) : { items: found.map(tokenBody) };
  },
});

export const revokeAgentToken = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/tokens/:tokenId/revoke',
  name: 'revokeAgentToken',
  tag: 'agents',
  summary: 'Revokes a token of an agent',
  description: 'The token stops working at once. Revoking it again changes nothing.',
  permission: TO_STOP,
  cost: 'write',
  schema: { params: objectSchema({ id: IdText, tokenId: IdText }) },
  idempotent: true,
  answers: { 200: { description: 'The token, revoked.', schema: AgentTokenBody } },
  refusals: ['not_found'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const [id, tokenId] = [idInPath(request.params), storedId(request.params.tokenId)];
      if (id === null || tokenId === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, {
        status: 200,
        answer: tokenBody,
        run: (context) => ports.agents.tokens.revoke(context, id, tokenId),
      });
    };
  },
});
