/** Signal hooks: URLs that turn chart alerts into outside proposals of an external agent, never into orders. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type OpenedHook, SIGNAL_TOKEN, type SignalHook } from '../../../actors/agent/signal-hooks.ts';
import type { FoundHook } from '../../../src/adapters/store/agents/signal-hook-store.ts';
import { NO_AGENT } from '../../../src/domain/agents/agent.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import type { OrderSide } from '../../../src/domain/orders/order.ts';
import { type Alert, fillTemplate } from '../../../src/domain/outside/signal-template.ts';
import { type Json, sha256Hex } from '../../../src/domain/values/canonical-json.ts';
import { type EpochMs, isoTime, MINUTE_MS } from '../../../src/domain/values/time.ts';
import { requireMember } from '../../caller.ts';
import { addressKey } from '../../http/rate-limits.ts';
import { malformed, parseStrictJson, decodeUtf8 } from '../../http/strict-json.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath, storedId } from '../../identifier.ts';
import { TO_STOP } from '../../permission.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import { AgentPath, HashText, IdText, NullableTime, objectSchema, shownText, Time } from '../../shapes.ts';
import { compileValidator } from '../../validation.ts';
import { readOrderTerms } from '../manual-order-body.ts';
import { OutsideProposalRequest, OutsideReceiptBody, receiptBody } from './outside-proposals.ts';

const SIGNALS_URL = '/v1/signals';

const MOST_TICKERS = 50;
const templateText = (description: string) => shownText(200, description);

const Template = objectSchema({
  side: templateText('Becomes `buy` or `sell`, such as `{{action}}`.'),
  instrument: templateText('Becomes a ticker of `tickers` or an instrument, such as `{{ticker}}`.'),
  notionalUsd: Type.Optional(templateText('Becomes the size in US dollars. Give this or `quantity`.')),
  quantity: Type.Optional(templateText('Becomes the size in base units. Give this or `notionalUsd`.')),
  limitPrice: Type.Optional(templateText('Becomes the worst acceptable price.')),
  reason: Type.Optional(templateText('Shown to people as text. The name of the hook unless given.')),
  id: Type.Optional(templateText('Names the alert, for senders without `webhook-id`: the same name is the same proposal.')),
});
const Tickers = Type.Array(
  objectSchema({ ticker: templateText('Name that the sender has.'), instrument: templateText('Instrument of the universe.') }),
  {
    maxItems: MOST_TICKERS,
  },
);

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
    body: objectSchema({ name: shownText(80, 'Name of the sender.'), template: Template, tickers: Type.Optional(Tickers) }),
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
    const found = id === null ? null : await ports.agents.signals.list(requireMember(request).orgId, id);
    return found === null ? sendProblem(reply, 'not_found', NO_AGENT) : { items: found.map(hookBody) };
  },
});

const HookPath = objectSchema({ id: IdText, hookId: IdText });

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

/** Maximum difference in milliseconds between the signature's time and now. */
const TOLERANCE_MS = 5 * MINUTE_MS;
const DELIVERY_ID = /^[\x21-\x7e]{1,200}$/;

/**
 * Returns why none of the keys has signed a delivery by Standard Webhooks 1.x (HMAC-SHA-256 over id, timestamp and body), or null if one has.
 * Keys are hexadecimal.
 */
function unsignedBecause(headers: IncomingHttpHeaders, body: Buffer, keys: readonly string[], now: EpochMs): string | null {
  const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures } = headers;
  if (typeof signatures !== 'string') return 'webhook-signature is missing: sign the delivery, or use the path with the secret';
  if (typeof id !== 'string' || !DELIVERY_ID.test(id)) return 'webhook-id: allowed are 1 to 200 printable ASCII characters';
  if (typeof timestamp !== 'string' || !/^\d{1,12}$/.test(timestamp)) return 'webhook-timestamp: allowed are whole seconds since 1970';
  if (Math.abs(now - Number(timestamp) * 1_000) > TOLERANCE_MS)
    return `webhook-timestamp is more than ${TOLERANCE_MS / MINUTE_MS} minutes from now: sign it again`;
  const given = signatures
    .split(' ')
    .slice(0, 10)
    .flatMap((one) => (one.startsWith('v1,') ? [Buffer.from(one.slice('v1,'.length), 'base64')] : []));
  const isSigned = keys.some((key) => {
    const right = createHmac('sha256', Buffer.from(key, 'hex')).update(`${id}.${timestamp}.`).update(body).digest();
    return given.some((one) => one.length === right.length && timingSafeEqual(one, right));
  });
  return isSigned ? null : 'webhook-signature is of no secret of this hook';
}

const NO_HOOK = 'no signal hook has this address, or it was revoked';

export const receiveSignal = defineRoute({
  method: 'POST',
  url: `${SIGNALS_URL}/:key`,
  name: 'receiveSignal',
  tag: 'agents',
  summary: 'Takes an alert as an outside proposal',
  description:
    'The key is the secret of a signal hook, or its id if the delivery is signed as Standard Webhooks says (`webhook-id`, `webhook-timestamp`, `webhook-signature`). At most 16 KiB of JSON or plain text. The same `webhook-id` with the same alert gets the same answer. Each hook has a rate limit of its own.',
  permission: 'public',
  cost: 'write',
  schema: {
    params: objectSchema({ key: Type.String() }),
    body: Type.Unsafe<Buffer>({ type: 'object', additionalProperties: true, description: 'The alert: JSON, or plain text.' }),
  },
  bodyRule: 'read_by_handler',
  raw: true,
  answers: { 202: { description: 'The proposal, received for its slot.', schema: OutsideReceiptBody } },
  refusals: ['unauthenticated', 'not_found', 'state_conflict', 'halted', 'proposals_refused', 'proposal_pending', 'outside_mandate'],
  handle: (ports) => async (request, reply) => {
    const { key } = request.params;
    const id = storedId(key);
    const now = ports.clock.now();
    const asked = id !== null ? { id } : key.startsWith(SIGNAL_TOKEN) ? { digest: sha256Hex(key) } : null;
    const hook = asked === null ? null : ((await ports.access.signals?.find(asked, now)) ?? null);
    if (hook === null) return refuseSender(ports, request, reply, 'not_found', NO_HOOK);
    const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0);
    const isSigned = id !== null || request.headers['webhook-signature'] !== undefined;
    const unsigned = isSigned ? unsignedBecause(request.headers, body, hook.digests, now) : null;
    if (unsigned !== null) return refuseSender(ports, request, reply, 'unauthenticated', unsigned);
    const allowance = await ports.access.limits.take(`signal hook ${hook.id}`, 'costly');
    if (!allowance.allowed) {
      const detail = `this hook takes ${allowance.limit} alerts a minute: send again in ${allowance.retryAfterSeconds} s`;
      return sendProblem(reply, 'rate_limited', detail, allowance);
    }
    return propose(ports, request, reply, hook, readAlert(request.headers['content-type'] ?? '', body));
  },
});

/** Refuses a sender. Guessing addresses or signatures uses up the limit of its own network address. */
async function refuseSender(
  ports: ApiPorts,
  request: FastifyRequest,
  reply: FastifyReply,
  code: 'not_found' | 'unauthenticated',
  detail: string,
): Promise<FastifyReply> {
  const allowance = await ports.access.limits.take(addressKey(request.ip), 'failed_identity');
  if (allowance.allowed) return sendProblem(reply, code, detail);
  return sendProblem(reply, 'rate_limited', 'too many deliveries without a valid hook', allowance);
}

/** Reads the alert. @throws InputError if it is not UTF-8, or claims to be JSON and is not. */
function readAlert(contentType: string, body: Buffer): Alert {
  const text = decodeUtf8(body);
  // Media types are equal whatever their case.
  return contentType.toLowerCase().startsWith('application/json') ? { json: parseStrictJson(text) as Json } : { text };
}

const checkProposal = compileValidator(OutsideProposalRequest, 'body');

async function propose(
  ports: ApiPorts,
  request: FastifyRequest,
  reply: FastifyReply,
  hook: FoundHook,
  alert: Alert,
): Promise<FastifyReply> {
  const filled = fillTemplate(hook, alert);
  if (!filled.ok) return sendRefusal(reply, filled.refusal);
  const { id, ...fields } = filled.value;
  const sent = request.headers['webhook-id'];
  // Two deliveries with one id are one proposal. An alert without an id is a new one each time.
  const name = (typeof sent === 'string' ? sent : id) ?? request.id;
  const clientId = `signal:${sha256Hex(`${hook.id} ${name}`).slice(0, 48)}`;
  const inputs = 'text' in alert ? { text: alert.text } : alert.json;
  const wished = { reason: `signal: ${hook.name}`, ...fields, inputs, clientId, manifestHash: hook.manifestHash };
  const checked = checkProposal(wished);
  if ('error' in checked) throw checked.error;
  const { maxSlippageBps: _, ...terms } = readOrderTerms(fields);
  const trade = { ...wished, ...terms, side: fields.side as OrderSide, instrument: fields.instrument as InstrumentKey };
  const context = { orgId: hook.orgId, subject: `signal:${hook.id}`, permissions: [], requestId: request.id };
  const outcome = await ports.agents.outside.propose(context, hook.agentId, trade);
  return outcome.ok ? reply.code(202).send(receiptBody(outcome.value)) : sendRefusal(reply, outcome.refusal);
}
