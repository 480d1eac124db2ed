/** Signal hooks: URLs that turn chart alerts into outside proposals of an external agent. */

import { Type } from 'typebox';
import type { OpenedHook, SignalHook } from '../../../../actors/agent/signal-hooks.ts';
import { NO_AGENT } from '../../../../src/domain/agents/agent.ts';
import { isoTime } from '../../../../src/domain/values/time.ts';
import { memberOf } from '../../../caller.ts';
import { malformed } from '../../../http/strict-json.ts';
import { onceOnly } from '../../../idempotency.ts';
import { idInPath, storedId } from '../../../identifier.ts';
import { TO_STOP } from '../../../permission.ts';
import { sendProblem } from '../../../problem.ts';
import { defineRoute } from '../../../route.ts';
import { AgentPath, HashText, IdText, NullableTime, objectOf, shownText, Time } from '../../../shapes.ts';
import { SIGNALS_URL } from '../../signals/address.ts';

const MOST_TICKERS = 50;
const filled = (description: string) => shownText(200, description);

const Template = objectOf({
  side: filled('Becomes `buy` or `sell`, such as `{{action}}`.'),
  instrument: filled('Becomes a ticker of `tickers` or an instrument, such as `{{ticker}}`.'),
  notionalUsd: Type.Optional(filled('Becomes the size in US dollars. Give this or `quantity`.')),
  quantity: Type.Optional(filled('Becomes the size in base units. Give this or `notionalUsd`.')),
  limitPrice: Type.Optional(filled('Becomes the worst acceptable price.')),
  reason: Type.Optional(filled('Shown to people as text. The name of the hook unless given.')),
  id: Type.Optional(filled('Names the alert, for senders without `webhook-id`: the same name is the same proposal.')),
});
const Tickers = Type.Array(objectOf({ ticker: filled('Name that the sender has.'), instrument: filled('Instrument of the universe.') }), {
  maxItems: MOST_TICKERS,
});

const hookFields = {
  id: IdText,
  agentId: IdText,
  name: Type.String(),
  template: Template,
  tickers: Tickers,
  manifestHash: { ...HashText, description: 'Hash of the manifest that its proposals name: that of its creation.' },
  createdBy: Type.String(),
  createdAt: Time,
  revokedAt: NullableTime,
};
const SignalHookBody = Type.Object(hookFields, { $id: 'SignalHook', description: 'A signal hook, without its secret.' });
const OpenedHookBody = Type.Object(
  {
    ...hookFields,
    path: Type.String({ description: 'Path for senders that cannot sign. It is a secret: whoever has it can send.' }),
    signedPath: Type.String({ description: 'Path for senders that sign as Standard Webhooks says.' }),
    signingSecret: Type.String({ description: 'Key of the signatures, `whsec_` and base64. Shown once, as `path` is.' }),
  },
  { $id: 'OpenedSignalHook' },
);

function hookBody({ id, agentId, name, template, tickers, manifestHash, createdBy, createdAt, revokedAt }: SignalHook) {
  const made = { createdBy, createdAt: isoTime(createdAt), revokedAt: revokedAt === null ? null : isoTime(revokedAt) };
  return { id, agentId, name, template, tickers, manifestHash, ...made };
}

function openedBody(opened: OpenedHook) {
  const signingSecret = `whsec_${Buffer.from(opened.digest, 'hex').toString('base64')}`;
  return { ...hookBody(opened), path: `${SIGNALS_URL}/${opened.token}`, signedPath: `${SIGNALS_URL}/${opened.id}`, signingSecret };
}

export const createSignalHook = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/signals',
  name: 'createSignalHook',
  tag: 'agents',
  summary: 'Makes an address at which alerts become outside proposals of the agent',
  description:
    'An alert is JSON or plain text, such as TradingView sends. The template says what of it becomes the side, instrument and size of a proposal: `{{action}}` or `{{order.size}}` is a field of JSON, `{{1}}` the first word of plain text. The path and the signing secret are shown once. Repeating the request makes another hook.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    params: AgentPath,
    body: objectOf({ name: shownText(80, 'Name of the sender.'), template: Template, tickers: Type.Optional(Tickers) }),
  },
  answers: { 201: { description: 'The hook with its secret.', schema: OpenedHookBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      const { name, template, tickers = [] } = request.body;
      if ((template.notionalUsd === undefined) === (template.quantity === undefined))
        throw malformed('$.template', 'give exactly one of quantity and notionalUsd', 'one of the two');
      return carryOut(request, reply, {
        status: 201,
        answer: openedBody,
        // The answer contains a secret, so it is not remembered.
        run: ({ remember: _, ...context }) => ports.agents.signals.create(context, id, { name, template, tickers }),
      });
    };
  },
});

export const listSignalHooks = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/signals',
  name: 'listSignalHooks',
  tag: 'agents',
  summary: 'The signal hooks of an agent, newest first',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: AgentPath },
  answers: { 200: { description: 'All of its hooks, revoked ones too.', schema: Type.Object({ items: Type.Array(SignalHookBody) }) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.signals.list(memberOf(request).orgId, id);
    return found === null ? sendProblem(reply, 'not_found', NO_AGENT) : { items: found.map(hookBody) };
  },
});

const HookPath = objectOf({ id: IdText, hookId: IdText });

export const rotateSignalHook = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/signals/:hookId/rotate',
  name: 'rotateSignalHook',
  tag: 'agents',
  summary: 'Gives a signal hook another secret',
  description: 'The secret before it works for another day. Rotate twice, or revoke the hook, to end it at once.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: HookPath },
  answers: { 200: { description: 'The hook with its new secret.', schema: OpenedHookBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const [id, hookId] = [idInPath(request.params), storedId(request.params.hookId)];
      if (id === null || hookId === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, {
        status: 200,
        answer: openedBody,
        run: ({ remember: _, ...context }) => ports.agents.signals.rotate(context, id, hookId),
      });
    };
  },
});

export const revokeSignalHook = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/signals/:hookId/revoke',
  name: 'revokeSignalHook',
  tag: 'agents',
  summary: 'Revokes a signal hook',
  description: 'From the answer on it takes nothing. Revoking it again changes nothing.',
  permission: TO_STOP,
  cost: 'write',
  schema: { params: HookPath },
  idempotent: true,
  answers: { 200: { description: 'The hook, revoked.', schema: SignalHookBody } },
  refusals: ['not_found'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const [id, hookId] = [idInPath(request.params), storedId(request.params.hookId)];
      if (id === null || hookId === null) return sendProblem(reply, 'not_found', NO_AGENT);
      return carryOut(request, reply, {
        status: 200,
        answer: hookBody,
        run: (context) => ports.agents.signals.revoke(context, id, hookId),
      });
    };
  },
});
