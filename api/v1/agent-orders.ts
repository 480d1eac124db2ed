/** Trade proposals of agents, and their approval. */
import { Type } from 'typebox';
import type { ProposalCommands } from '../../actors/proposal/commands.ts';
import { type ProposalView, proposal } from '../../actors/proposal/resource.ts';
import type { ProposalStore } from '../../src/adapters/store/orders/proposal-store.ts';
import { WORK_FIELDS } from '../../src/core/work-fields.ts';
import type { Fill } from '../../src/domain/books/book.ts';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import { type EpochMs, isoTime } from '../../src/domain/values/time.ts';
import { proposalProgress } from '../../src/domain/values/work-progress.ts';
import { requireMember } from '../caller.ts';
import { POSITIONS, pageBody, pageOfQuery } from '../cursor.ts';
import { onceOnly } from '../idempotency.ts';
import { idInPath } from '../identifier.ts';
import { sendProblem } from '../problem.ts';
import { defineRoute, type RouteGroup } from '../route.ts';
import { EmptyBody, IdText, objectSchema, pageFields, pageSchema } from '../shapes.ts';

declare module '../route.ts' {
  interface ApiPorts {
    readonly proposals: {
      readonly reads: Pick<ProposalStore, 'list' | 'find'>;
      readonly commands: ProposalCommands;
    };
  }
}

export const ProposalStateWord = proposal.wire.state;

const ProposalBody = Type.Object(
  { ...proposal.wire, ...WORK_FIELDS },
  {
    $id: 'Proposal',
    examples: [
      {
        id: '5b1f6a0e-93c4-8d21-9a7e-2f1c40d6b8aa',
        agentId: '019a5b1e-7c00-7000-8000-000000000001',
        decisionId: '1c2e4f60-7788-8abc-9def-001122334455',
        slot: '2026-03-02T14:31:00.000Z',
        side: 'entry',
        state: 'pending_approval',
        reason: null,
        mode: 'paper',
        bookId: 'agent:019a5b1e-7c00-7000-8000-000000000001:paper:1',
        instrument: 'spotchain:NVDAx',
        order: { side: 'buy', reduceOnly: false, quantity: '5.31', limitPrice: '188.2', notionalUsd: '999.342', maxSlippageBps: 50 },
        execution: {
          asked: 'smart_order_routing_maker_first',
          algorithm: 'taker_immediate',
          urgency: 'medium',
          fallback: 'no_resting_orders',
          phase: 'waiting',
          restingAt: null,
          left: '5.31',
          parts: [],
        },
        decisionPrice: '187.4',
        risk: { verdict: 'passed', rejections: [] },
        autonomy: 'confirm',
        manifestVersion: 1,
        manifestHash: 'c5f5a7f1f5d0f3a6f8f5e3b8a1f0c2d4e6f8a0b2c4d6e8f0a1b2c3d4e5f60718',
        decidedBy: null,
        filledQuantity: '0',
        filledNotionalUsd: '0',
        averageFillPrice: null,
        fills: [],
        transaction: null,
        createdAt: '2026-03-02T14:31:00.412Z',
        expiresAt: '2026-03-02T14:41:00.412Z',
        changedAt: '2026-03-02T14:31:00.412Z',
        progress: null,
        remainingMs: 600_000,
        waitingFor: { cause: 'approval', detail: 'a member approves or declines it before it expires' },
      },
    ],
  },
);

function proposalBody(view: ProposalView, at: EpochMs) {
  const { side, reduceOnly, quantity, limitPrice, notionalUsd, maxSlippageBps } = view.order;
  return {
    ...proposal.body(view, {
      order: { side, reduceOnly, quantity, limitPrice, notionalUsd, maxSlippageBps },
      execution: executionBody(view.execution),
      averageFillPrice: averagePrice(view),
      fills: view.fills.map(fillBody),
      transaction: transactionBody(view.transaction),
    }),
    ...proposalProgress(view, at),
  };
}

function executionBody(execution: ProposalView['execution']) {
  if (execution === null) return null;
  const { asked, algorithm, urgency, fallback, phase, restingAt, left, parts } = execution;
  return {
    asked,
    algorithm,
    urgency,
    fallback,
    phase,
    restingAt,
    left,
    parts: parts.map(({ number, kind, quantity, dueAt, executedQuantity, reason }) => ({
      number,
      kind,
      quantity,
      dueAt: dueAt === null ? null : isoTime(dueAt),
      executedQuantity,
      reason,
    })),
  };
}

function transactionBody(transaction: ProposalView['transaction']) {
  if (transaction === null) return null;
  const { id, state, wallet, executor } = transaction;
  return { id, state, wallet, signedBy: executor === 'user' ? ('owner' as const) : ('delegated_signer' as const) };
}

function averagePrice({ filledQuantity, filledNotionalUsd }: ProposalView): string | null {
  const quantity = new Decimal(filledQuantity);
  return quantity.isZero() ? null : plainDecimal(new Decimal(filledNotionalUsd).div(quantity).toSignificantDigits(18));
}

export function fillBody(fill: Fill) {
  return {
    id: fill.id,
    side: fill.side,
    quantity: fill.quantity,
    fillPrice: fill.fillPrice,
    notionalUsd: fill.notionalUsd,
    feeUsd: fill.feeUsd,
    slippageBps: fill.slippageBps,
    at: isoTime(fill.at),
    quotes: fill.quotes.map(({ source, observedAt, bid, ask }) => ({ source, observedAt: isoTime(observedAt), bid, ask })),
  };
}

/** Message for a proposal that does not exist or belongs to another organization. */
const NO_PROPOSAL = 'there is no proposal with this id';

const ProposalPath = objectSchema({ id: IdText });

const listProposals = defineRoute({
  method: 'GET',
  url: '/v1/agent-orders',
  name: 'listProposals',
  tag: 'agent-orders',
  summary: 'Trade proposals, newest first',
  description: 'Proposals that wait for an approval, proposals that were executed without one, and the outcome of both.',
  permission: 'agent:read',
  cost: 'read',
  schema: {
    querystring: objectSchema({ ...pageFields, state: Type.Optional(ProposalStateWord), agentId: Type.Optional(IdText) }),
  },
  answers: { 200: { description: 'A page of proposals.', schema: pageSchema(ProposalBody) } },
  refusals: [],
  handle: (ports) => async (request) => {
    const { state, agentId } = request.query;
    const filter = { ...(state === undefined ? {} : { state }), ...(agentId === undefined ? {} : { agentId: agentId.toLowerCase() }) };
    const page = pageOfQuery(request.query, 'proposals', POSITIONS.number);
    return pageBody(await ports.proposals.reads.list(requireMember(request).orgId, filter, page), 'proposals', (view) =>
      proposalBody(view, ports.clock.now()),
    );
  },
});

const getProposal = defineRoute({
  method: 'GET',
  url: '/v1/agent-orders/:id',
  name: 'getProposal',
  tag: 'agent-orders',
  summary: 'One trade proposal with its fills',
  permission: 'agent:read',
  cost: 'read',
  schema: { params: ProposalPath },
  answers: { 200: { description: 'The proposal.', schema: ProposalBody } },
  refusals: ['not_found'],
  handle: (ports) => async (request, reply) => {
    const id = idInPath(request.params);
    const found = id === null ? null : await ports.proposals.reads.find(requireMember(request).orgId, id);
    return found === null ? sendProblem(reply, 'not_found', NO_PROPOSAL) : proposalBody(found, ports.clock.now());
  },
});

const approveProposal = defineRoute({
  method: 'POST',
  url: '/v1/agent-orders/:id/approve',
  name: 'approveProposal',
  tag: 'agent-orders',
  summary: 'Approves one pending proposal',
  description:
    'Runs the risk check again on the present quotes. A refusal names every limit, and the proposal ends as `blocked_by_risk`. If only live data is missing at the moment, it stays pending and can be approved again. An approved proposal is executed at once.',
  permission: 'trade:execute',
  cost: 'write',
  schema: { params: ProposalPath, body: EmptyBody },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The proposal, approved.', schema: ProposalBody } },
  refusals: ['not_found', 'state_conflict', 'halted', 'blocked_by_risk'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_PROPOSAL);
      return carryOut(request, reply, {
        status: 200,
        answer: (view: ProposalView) => proposalBody(view, ports.clock.now()),
        run: (context) => ports.proposals.commands.approve(context, id),
      });
    };
  },
});

const declineProposal = defineRoute({
  method: 'POST',
  url: '/v1/agent-orders/:id/decline',
  name: 'declineProposal',
  tag: 'agent-orders',
  summary: 'Declines one pending proposal',
  description: 'Frees the capacity that it reserved. While its rules still hold, the agent proposes again at its next tick.',
  permission: 'trade:execute',
  cost: 'write',
  schema: {
    params: ProposalPath,
    body: objectSchema({ reason: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Kept with the proposal.' })) }),
  },
  bodyRule: 'optional',
  idempotent: true,
  answers: { 200: { description: 'The proposal, declined.', schema: ProposalBody } },
  refusals: ['not_found', 'state_conflict'],
  handle: (ports) => {
    const carryOut = onceOnly(ports);
    return (request, reply) => {
      const id = idInPath(request.params);
      if (id === null) return sendProblem(reply, 'not_found', NO_PROPOSAL);
      const reason = request.body?.reason ?? null;
      return carryOut(request, reply, {
        status: 200,
        answer: (view: ProposalView) => proposalBody(view, ports.clock.now()),
        run: (context) => ports.proposals.commands.decline(context, id, reason),
      });
    };
  },
});

export const proposalRoutes: RouteGroup = {
  tag: {
    name: 'agent-orders',
    position: 80,
    description:
      'Trade proposals of agents. At autonomy `confirm` a proposal waits for approval until it expires. Approving runs the risk check again on present prices and can end in `blocked_by_risk` with every limit and the smallest change that would pass.',
  },
  routes: [listProposals, getProposal, approveProposal, declineProposal],
};
