/** Outside proposals: trades that code outside the service asks for under the mandate of an external agent. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { OutsideReceipt, OutsideView, ProposalWish } from '../../../actors/agent/outside-proposals.ts';
import { DISPOSITIONS, NO_AGENT } from '../../../src/domain/agents/agent.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { ORDER_SIDES } from '../../../src/domain/orders/order.ts';
import { OUTSIDE_STATES, REASON_LENGTH } from '../../../src/domain/outside/outside-proposal.ts';
import type { Json } from '../../../src/domain/values/canonical-json.ts';
import { isoTime } from '../../../src/domain/values/time.ts';
import { requireMember } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath, storedId } from '../../identifier.ts';
import { orAgentToken } from '../../permission.ts';
import { sendProblem, sendRefusal } from '../../problem.ts';
import { type ApiPorts, defineRoute } from '../../route.ts';
import {
  AgentPath,
  AnyJson,
  choice,
  HashText,
  IdText,
  NullableDecimalText,
  nullable,
  objectSchema,
  pageFields,
  pageSchema,
  shownText,
  Time,
} from '../../shapes.ts';
import { readOrderTerms, wishedAmount } from '../manual-order-body.ts';

const NO_PROPOSAL = 'there is no outside proposal with this id';

export const OutsideProposalRequest = objectSchema({
  side: choice(ORDER_SIDES, 'Long only: a buy opens a position, a sell reduces one of the agent’s own book.'),
  instrument: Type.String({ minLength: 1, maxLength: 120, pattern: '^[\\x21-\\x7e]+$', description: 'One of the universe.' }),
  notionalUsd: wishedAmount('Size in US dollars. Give this or `quantity`.'),
  quantity: wishedAmount('Size in base units, rounded down to whole lots. Give this or `notionalUsd`.'),
  limitPrice: wishedAmount('Worst acceptable price. It waits for no other slot than its own.'),
  reason: shownText(REASON_LENGTH, 'Shown to people as text. Nothing acts on it.'),
  inputs: Type.Optional({
    ...AnyJson,
    description: 'Inputs of the decision, at most 16 KiB in RFC 8785 form. The bytes are kept for 90 days, their SHA-256 for ever.',
  }),
  clientId: Type.String({
    pattern: '^[A-Za-z0-9._:-]{1,64}$',
    description: 'Your own name of the proposal, unique for the agent for ever. The same body under it gets the same answer.',
  }),
  manifestHash: { ...HashText, description: 'Hash of the manifest that the code trades under: the active one.' },
});

const receiptFields = {
  id: IdText,
  agentId: IdText,
  clientId: Type.String(),
  side: choice(ORDER_SIDES),
  instrument: Type.String(),
  notionalUsd: NullableDecimalText,
  quantity: NullableDecimalText,
  limitPrice: NullableDecimalText,
  reason: Type.String({ description: 'Text of the outside code. Show it as text.' }),
  inputsHash: nullable('string', 'SHA-256 of the RFC 8785 form of `inputs`.'),
  manifestHash: HashText,
  hash: { ...HashText, description: 'SHA-256 of the RFC 8785 form of what was proposed. The decision of its slot names it.' },
  slot: { ...Time, description: 'The slot that it joins.' },
  receivedAt: Time,
  submittedBy: Type.String(),
};

const outcomeFields = {
  state: choice(
    OUTSIDE_STATES,
    '`missed`: the slot passed without a decision on it. `superseded`: a rule of the mandate, such as the stop-loss, came first. `archived`: the decision lies in an archive file.',
  ),
  decision: Type.Unsafe<object | null>({
    type: ['object', 'null'],
    required: ['id', 'disposition', 'reason'],
    properties: { id: IdText, disposition: choice(DISPOSITIONS), reason: nullable('string') },
    description: 'The decision of its slot; null while it is pending, if it was missed and once it is archived.',
  }),
};

export const OutsideReceiptBody = Type.Object(
  { ...receiptFields, state: Type.Optional(outcomeFields.state), decision: Type.Optional(outcomeFields.decision) },
  {
    $id: 'OutsideProposalReceipt',
    description: 'An outside proposal as it was received. It never changes. `state` and `decision` are there if a request waited for them.',
  },
);

const OutsideProposalBody = Type.Object({ ...receiptFields, ...outcomeFields }, { $id: 'OutsideProposal' });

export function receiptBody(receipt: OutsideReceipt) {
  const { id, agentId, clientId, side, instrument, notionalUsd, quantity, limitPrice, reason, inputsHash, manifestHash, hash } = receipt;
  const proposed = { id, agentId, clientId, side, instrument, notionalUsd, quantity, limitPrice, reason, inputsHash, manifestHash, hash };
  const { slot, receivedAt, submittedBy } = receipt;
  return { ...proposed, slot: isoTime(slot), receivedAt: isoTime(receivedAt), submittedBy };
}

function outsideBody({ state, decision, ...receipt }: OutsideView) {
  return { ...receiptBody(receipt), state, decision };
}

/** Maximum wait for a decision in seconds: the next slot, the one after it, and its lateness. */
const MOST_WAIT_S = 90;
const LOOK_MS = 500;
const WAIT = /(?:^|[,;\s])wait=(\d{1,5})(?=$|[,;\s])/i;

/** Returns the seconds that a request prefers to wait (RFC 7240), at most the maximum, or null. */
function preferredWait(prefer: string | readonly string[] | undefined): number | null {
  const found = WAIT.exec(String(prefer ?? ''))?.[1];
  return found === undefined ? null : Math.min(Number(found), MOST_WAIT_S);
}

type ProposingPorts = Pick<ApiPorts, 'agents' | 'clock'>;

/** Waits for the decision on a proposal. Null if it is still pending at the end, the caller has disconnected or the process ends. */
async function decided(
  ports: ProposingPorts,
  { request, raw }: FastifyReply,
  receipt: OutsideReceipt,
  seconds: number,
): Promise<OutsideView | null> {
  const { orgId } = requireMember(request);
  const { server } = request.server;
  const wasListening = server.listening;
  for (let looks = 0; ; looks++) {
    const view = await ports.agents.outside.get(orgId, receipt.agentId, receipt.id);
    if (view === null || view.state !== 'pending') return view;
    // The request counts as destroyed once its body was read. The answer is as soon as the caller has disconnected.
    const isOver = looks * LOOK_MS >= seconds * 1_000 || raw.destroyed || (wasListening && !server.listening);
    if (isOver) return null;
    await new Promise<void>((resolve) => void ports.clock.deadline(ports.clock.now() + LOOK_MS, resolve));
  }
}

export const proposeTrade = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/proposals',
  name: 'proposeTrade',
  tag: 'agents',
  summary: 'Proposes a trade of an external agent from outside code',
  description:
    'The proposal joins the next slot, where the mandate and the pre-trade risk function decide on it. It is no order: at `confirm` a person still approves what the agent then proposes (`/v1/agent-orders`). One waits per agent. Read what became of it with `GET /v1/agents/{id}/proposals/{proposalId}`, or send the header `Prefer: wait=90`: then `state` and `decision` are in the answer, unless there is no decision within so many seconds. `clientId` makes such a request safe to repeat, and an Idempotency-Key is not read.',
  permission: orAgentToken('trade:execute'),
  cost: 'write',
  schema: { params: AgentPath, body: OutsideProposalRequest },
  idempotent: true,
  waitsS: MOST_WAIT_S,
  answers: { 202: { description: 'The proposal, received for its slot.', schema: OutsideReceiptBody } },
  refusals: ['not_found', 'state_conflict', 'halted', 'proposals_refused', 'proposal_pending', 'outside_mandate'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      const { side, instrument, reason, inputs, clientId, manifestHash } = request.body;
      const { quantity, notionalUsd, limitPrice } = readOrderTerms(request.body);
      const size = { side, instrument: instrument as InstrumentKey, notionalUsd, quantity, limitPrice };
      const wish = { ...size, reason, inputs: inputs as Json | undefined, clientId, manifestHash };
      const waitS = preferredWait(request.headers['prefer']);
      if (waitS !== null) return proposeAndWait(ports, request, reply, { id, wish, waitS });
      return carryOut(request, reply, {
        status: 202,
        answer: receiptBody,
        run: (context) => ports.agents.outside.propose(context, id, wish),
      });
    };
  },
});

async function proposeAndWait(
  ports: ProposingPorts,
  request: FastifyRequest,
  reply: FastifyReply,
  { id, wish, waitS }: { readonly id: string; readonly wish: ProposalWish; readonly waitS: number },
) {
  const { orgId, subject, permissions } = requireMember(request);
  const received = await ports.agents.outside.propose({ orgId, subject, permissions, requestId: request.id }, id, wish);
  if (!received.ok) return sendRefusal(reply, received.refusal);
  reply.header('preference-applied', `wait=${waitS}`);
  const view = await decided(ports, reply, received.value, waitS);
  return reply.code(202).send(view === null ? receiptBody(received.value) : outsideBody(view));
}

export const listOutsideProposals = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/proposals',
  name: 'listOutsideProposals',
  tag: 'agents',
  summary: 'The outside proposals of an agent, newest first',
  description: 'Proposals of outside code. The resulting proposals of the agent are under `/v1/agent-orders`.',
  permission: orAgentToken('agent:read'),
  cost: 'read',
  schema: { params: AgentPath, querystring: objectSchema(pageFields) },
  answers: { 200: { description: 'A page of outside proposals.', schema: pageSchema(OutsideProposalBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'outside', POSITIONS.number);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.outside.list(requireMember(request).orgId, id, page);
    return found === null ? sendProblem(reply, 'not_found', NO_AGENT) : pageBody(found, 'outside', outsideBody);
  },
});

export const getOutsideProposal = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/proposals/:proposalId',
  name: 'getOutsideProposal',
  tag: 'agents',
  summary: 'One outside proposal and what became of it',
  permission: orAgentToken('agent:read'),
  cost: 'read',
  schema: { params: objectSchema({ id: IdText, proposalId: IdText }) },
  answers: { 200: { description: 'The outside proposal.', schema: OutsideProposalBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const [id, proposalId] = [idInPath(request.params), storedId(request.params.proposalId)];
    const found = id === null || proposalId === null ? null : await ports.agents.outside.get(requireMember(request).orgId, id, proposalId);
    return found === null ? sendProblem(reply, 'not_found', NO_PROPOSAL) : outsideBody(found);
  },
});
