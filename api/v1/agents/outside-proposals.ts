/** Outside proposals: trades that code outside of the service asks for under the mandate of an external agent. */
import { Type } from 'typebox';
import type { OutsideReceipt, OutsideView } from '../../../actors/agent/outside-proposals.ts';
import { DISPOSITIONS, NO_AGENT } from '../../../src/domain/agent.ts';
import type { Json } from '../../../src/domain/canonical-json.ts';
import { ORDER_SIDES } from '../../../src/domain/order.ts';
import { OUTSIDE_STATES, REASON_LENGTH } from '../../../src/domain/outside-proposal.ts';
import { isoTime } from '../../../src/domain/time.ts';
import type { InstrumentKey } from '../../../src/domain/venue.ts';
import { memberOf } from '../../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../../cursor.ts';
import { onceOnly } from '../../idempotency.ts';
import { idInPath, storedId } from '../../identifier.ts';
import { sendProblem } from '../../problem.ts';
import { defineRoute } from '../../route.ts';
import {
  AgentPath,
  AnyJson,
  choice,
  HashText,
  IdText,
  NullableDecimalText,
  nullable,
  objectOf,
  pageFields,
  pageOf,
  shownText,
  Time,
} from '../../shapes.ts';
import { termsOf, wishedAmount } from '../manual-order-body.ts';

const NO_PROPOSAL = 'there is no outside proposal with this id';

export const OutsideProposalRequest = objectOf({
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

export const OutsideReceiptBody = Type.Object(receiptFields, {
  $id: 'OutsideProposalReceipt',
  description: 'An outside proposal as it was received. It never changes.',
});

const OutsideProposalBody = Type.Object(
  {
    ...receiptFields,
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
  },
  { $id: 'OutsideProposal' },
);

export function receiptBody(receipt: OutsideReceipt) {
  const { id, agentId, clientId, side, instrument, notionalUsd, quantity, limitPrice, reason, inputsHash, manifestHash, hash } = receipt;
  const proposed = { id, agentId, clientId, side, instrument, notionalUsd, quantity, limitPrice, reason, inputsHash, manifestHash, hash };
  const { slot, receivedAt, submittedBy } = receipt;
  return { ...proposed, slot: isoTime(slot), receivedAt: isoTime(receivedAt), submittedBy };
}

function outsideBody({ state, decision, ...receipt }: OutsideView) {
  return { ...receiptBody(receipt), state, decision };
}

export const proposeTrade = defineRoute({
  method: 'POST',
  url: '/v1/agents/:id/proposals',
  name: 'proposeTrade',
  tag: 'agents',
  summary: 'Proposes a trade of an external agent from outside code',
  description:
    'The proposal joins the next slot, where the mandate and the pre-trade risk function decide on it. It is no order: at `confirm` a person still approves what the agent then proposes (`/v1/agent-orders`). One waits per agent. Read what became of it with `GET /v1/agents/{id}/proposals/{proposalId}`.',
  cost: 'write',
  schema: { params: AgentPath, body: OutsideProposalRequest },
  idempotent: true,
  answers: { 202: { description: 'The proposal, received for its slot.', schema: OutsideReceiptBody } },
  refusals: ['not_found', 'state_conflict', 'halted', 'proposals_refused', 'proposal_pending', 'outside_mandate'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_AGENT);
      const { side, instrument, reason, inputs, clientId, manifestHash } = request.body;
      const { quantity, notionalUsd, limitPrice } = termsOf(request.body);
      const size = { side, instrument: instrument as InstrumentKey, notionalUsd, quantity, limitPrice };
      const wish = { ...size, reason, inputs: inputs as Json | undefined, clientId, manifestHash };
      return carryOut(request, reply, {
        status: 202,
        answer: receiptBody,
        run: (context) => ports.agents.outside.propose(context, id, wish),
      });
    };
  },
});

export const listOutsideProposals = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/proposals',
  name: 'listOutsideProposals',
  tag: 'agents',
  summary: 'The outside proposals of an agent, newest first',
  description: 'Proposals of outside code. The resulting proposals of the agent are under `/v1/agent-orders`.',
  cost: 'read',
  schema: { params: AgentPath, querystring: objectOf(pageFields) },
  answers: { 200: { description: 'A page of outside proposals.', schema: pageOf(OutsideProposalBody) } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const page = pageOfQuery(request.query, 'outside', POSITIONS.number);
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.agents.outside.list(memberOf(request).orgId, id, page);
    return found === null ? sendProblem(reply, 'not_found', NO_AGENT) : pageBody(found, 'outside', outsideBody);
  },
});

export const getOutsideProposal = defineRoute({
  method: 'GET',
  url: '/v1/agents/:id/proposals/:proposalId',
  name: 'getOutsideProposal',
  tag: 'agents',
  summary: 'One outside proposal and what became of it',
  cost: 'read',
  schema: { params: objectOf({ id: IdText, proposalId: IdText }) },
  answers: { 200: { description: 'The outside proposal.', schema: OutsideProposalBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const [id, proposalId] = [idInPath(request.params), storedId(request.params.proposalId)];
    const found = id === null || proposalId === null ? null : await ports.agents.outside.get(memberOf(request).orgId, id, proposalId);
    return found === null ? sendProblem(reply, 'not_found', NO_PROPOSAL) : outsideBody(found);
  },
});
