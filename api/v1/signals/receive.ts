/** POST /v1/signals/:key: turns an alert into an outside proposal, never into an order. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { SIGNAL_TOKEN } from '../../../actors/agent/signal-hooks.ts';
import type { FoundHook } from '../../../src/adapters/store/agents/signal-hooks.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import type { OrderSide } from '../../../src/domain/orders/order.ts';
import { type Alert, fillTemplate } from '../../../src/domain/outside/signal-template.ts';
import { type Json, sha256Hex } from '../../../src/domain/values/canonical-json.ts';
import { addressKey } from '../../http/rate-limits.ts';
import { parseStrictJson, utf8Of } from '../../http/strict-json.ts';
import { storedId } from '../../identifier.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import { objectOf } from '../../shapes.ts';
import { compileValidator } from '../../validation.ts';
import { OutsideProposalRequest, OutsideReceiptBody, receiptBody } from '../agents/outside/outside-proposals.ts';
import { termsOf } from '../manual-order-body.ts';
import { SIGNALS_URL } from './address.ts';
import { unsignedBecause } from './webhook-signature.ts';

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
    params: objectOf({ key: Type.String() }),
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
    return propose(ports, request, reply, hook, alertOf(request.headers['content-type'] ?? '', body));
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
function alertOf(contentType: string, body: Buffer): Alert {
  const text = utf8Of(body);
  return contentType.startsWith('application/json') ? { json: parseStrictJson(text) as Json } : { text };
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
  const { maxSlippageBps: _, ...terms } = termsOf(fields);
  const trade = { ...wished, ...terms, side: fields.side as OrderSide, instrument: fields.instrument as InstrumentKey };
  const context = { orgId: hook.orgId, subject: `signal:${hook.id}`, permissions: [], requestId: request.id };
  const outcome = await ports.agents.outside.propose(context, hook.agentId, trade);
  return outcome.ok ? reply.code(202).send(receiptBody(outcome.value)) : sendRefusal(reply, outcome.refusal);
}
