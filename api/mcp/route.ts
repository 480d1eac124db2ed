/** POST /mcp: the Model Context Protocol over HTTP. */
import { Type } from 'typebox';
import { AGENT_TOKEN } from '../../actors/agent/agent-tokens.ts';
import { sendProblem } from '../problem.ts';
import { defineRoute, type Route, type Tag } from '../route.ts';
import { AnyJson, objectSchema } from '../shapes.ts';
import type { McpWiring } from './server.ts';
import { setsIn, TOOL_SETS } from './tool-sets.ts';

const SET = `(${TOOL_SETS.join('|')})`;
const NO_SUBSCRIPTIONS = 'nothing here announces changes: ask again instead of listening';

const MessageBody = Type.Unsafe<{ readonly method?: string }>({
  type: 'object',
  required: ['jsonrpc'],
  properties: {
    jsonrpc: { type: 'string', const: '2.0' },
    id: { type: ['string', 'integer'], description: 'Missing in a notification.' },
    method: { type: 'string', minLength: 1, maxLength: 200, description: 'Such as tools/list or tools/call.' },
    params: { type: 'object', additionalProperties: true },
  },
  additionalProperties: true,
  description: 'One message of JSON-RPC 2.0. Batches are not taken.',
});

const AnswerBody = Type.Object(
  {
    jsonrpc: Type.String(),
    id: Type.Optional(Type.Unsafe<string | number | null>({ type: ['string', 'integer', 'null'] })),
    result: Type.Optional(Type.Unsafe<object>({ type: 'object', additionalProperties: true })),
    error: Type.Optional(Type.Object({ code: Type.Integer(), message: Type.String(), data: Type.Optional(AnyJson) })),
  },
  { description: 'A result or an error of JSON-RPC 2.0.' },
);

export const MCP: Tag = {
  name: 'mcp',
  position: 280,
  description:
    'The Model Context Protocol, for language models. Connect with a token of an agent or of a member. Its tools are operations of this API that read, research and propose, with the permissions of the token. No tool signs, approves, pays or places an order.',
};

export const mcpRoute = (wiring: McpWiring): Route =>
  defineRoute({
    method: 'POST',
    url: '/mcp',
    name: 'callMcp',
    tag: 'mcp',
    summary: 'The Model Context Protocol: tools that read, research and propose',
    description:
      'Takes one message of the revisions 2026-07-28 and 2025, with a token in Authorization: a member’s, or an agent’s, which sees the tools of its agent alone. Tools are operations of this API by their names, with the same permissions, limits and refusals. Nothing that signs, approves, resumes, pays, raises authority or places an order is a tool.',
    permission: 'bearer',
    cost: 'read',
    schema: {
      querystring: objectSchema({
        sets: Type.Optional(
          Type.String({ pattern: `^${SET}(,${SET}){0,2}$`, description: 'Sets of tools, such as `read,propose`. All unless given.' }),
        ),
      }),
      body: MessageBody,
    },
    answers: {
      200: { description: 'The answer of the protocol. A notification is answered 202, without a body.', schema: AnswerBody },
      400: { description: 'An error of the protocol.', schema: AnswerBody },
      404: { description: 'The protocol has no such method.', schema: AnswerBody },
    },
    refusals: [],
    handle: () => {
      // The packages of the protocol are loaded with the first message, not at the start.
      let loading: Promise<typeof import('./exchange.ts')> | undefined;
      let server: ReturnType<typeof import('./exchange.ts')['mcpServers']> | undefined;
      return async (request, reply) => {
        if (request.body.method === 'subscriptions/listen') return sendProblem(reply, 'malformed', NO_SUBSCRIPTIONS);
        loading ??= import('./exchange.ts');
        const { answerMessage, mcpServers } = await loading;
        server ??= mcpServers(wiring);
        const authorization = request.headers.authorization ?? '';
        const isAgent = authorization.slice('Bearer '.length).startsWith(AGENT_TOKEN);
        const { server: app, ip } = request;
        const mcp = server({
          sets: setsIn(request.query.sets),
          isAgent,
          async ask({ method, url, headers, body }) {
            const answer = await app.inject({
              method: method as 'GET',
              url,
              headers: { ...headers, authorization },
              remoteAddress: ip,
              ...(body === undefined ? {} : { payload: body }),
            });
            const retryAfter = answer.headers['retry-after'];
            return { status: answer.statusCode, retryAfter: retryAfter === undefined ? undefined : String(retryAfter), text: answer.body };
          },
        });
        return reply.send(await answerMessage(mcp, request.raw, request.body));
      };
    },
  });
