/** Effects of a trade proposal's committed actions, and validation of its events. */
import type { ActorEvent, ActorState } from '../../src/domain/agents/actor-step.ts';
import { type ProposalState, proposalTransactionId } from '../../src/domain/orders/execution.ts';
import { type Refusal, refuse } from '../../src/domain/values/refusal.ts';
import { type EpochMs, isoTime } from '../../src/domain/values/time.ts';
import { type ActorKind, type Effect, orderActivity, record, type StepInfo } from '../runtime/actor-kind.ts';
import { readAnswer, isStale, staleAnswer } from './execution-events.ts';
import { proposalMachine } from './machine.ts';
import { currentPart, reservedUsd, shownExecution } from './parts.ts';
import type { FillsToRecord, ProposalContext, ProposalEvent } from './protocol.ts';
import { type Proposal, proposal } from './resource.ts';

export const EXECUTE_ORDER = 'execute_order';
export const RECONCILE_ORDER = 'reconcile_order';
export const WITHDRAW_ORDER = 'withdraw_order';

export function proposalContext(state: Pick<ActorState, 'context'>): ProposalContext {
  return state.context as unknown as ProposalContext;
}

/** States of the chart between two parts of an order. Their public state is executing. */
const BETWEEN_PARTS: ReadonlySet<unknown> = new Set(['preparing', 'waiting', 'resting', 'withdrawing']);

export function proposalState(state: Pick<ActorState, 'value'>): ProposalState {
  return BETWEEN_PARTS.has(state.value) ? 'executing' : (state.value as ProposalState);
}

/** Returns the proposal after a step. */
export function proposalRow(id: string, state: Pick<ActorState, 'context' | 'value'>, changedAt: EpochMs): Proposal {
  const context = proposalContext(state);
  const { mode, bookId, instrument } = context.order;
  const [notionalUsd, execution] = [reservedUsd(context), shownExecution(context, state.value as string)];
  return proposal.pick({ mode, bookId, instrument, notionalUsd, execution, id, state: proposalState(state), changedAt }, context);
}

/** Announcements made while a transaction waits for its owner's signature. */
const AWAITS_SIGNATURE: ReadonlySet<string> = new Set(['awaiting_signature', 'signature_needed']);

/** Returns the announced fields of a proposal. */
function announced(what: string, info: StepInfo): { readonly [key: string]: string | null } {
  const context = proposalContext(info);
  const { order } = context;
  return {
    what,
    proposalId: info.actorId,
    agentId: context.agentId,
    decisionId: context.decisionId,
    state: proposalState(info),
    reason: context.reason,
    side: context.side,
    mode: order.mode,
    instrument: order.instrument,
    quantity: order.quantity,
    limitPrice: order.limitPrice,
    notionalUsd: order.notionalUsd,
    filledQuantity: context.filledQuantity,
    filledNotionalUsd: context.filledNotionalUsd,
    ...(AWAITS_SIGNATURE.has(what) ? { transactionId: proposalTransactionId(info.actorId) } : {}),
    expiresAt: isoTime(context.expiresAt),
  };
}

/** Returns why a proposal refuses an answer or a command. Commands are told the proposal's state. */
function validateProposal(state: ActorState, event: ActorEvent): Refusal | null {
  const value = proposalState(state);
  const command = event as unknown as ProposalEvent;
  const { reason } = proposalContext(state);
  if ((command.type === 'approve' || command.type === 'decline' || command.type === 'block') && value !== 'pending_approval') {
    return refuse('state_conflict', `the proposal is ${value}${reason === null ? '' : ` (${reason})`}; only a pending one can be decided`)
      .refusal;
  }
  const { part } = (event['answer'] ?? {}) as { readonly part?: number };
  if (readAnswer(command) !== null && part !== undefined && part !== currentPart(proposalContext(state)).number)
    return refuse('state_conflict', 'the answer is about another part of the order').refusal;
  if (event.type === 'order.observed' && (state.value !== 'resting' || isStale(proposalContext(state), command)))
    return refuse('state_conflict', 'the order no longer rests, or was filled further since it was observed').refusal;
  // During a withdrawal only the answer to it counts.
  if (event.type === 'activity.done' && state.value === 'withdrawing' && event['kind'] !== WITHDRAW_ORDER)
    return refuse('state_conflict', 'the order is being cancelled').refusal;
  return staleAnswer(state, event);
}

const toCarry = (kind: string, info: StepInfo, reduces = proposalContext(info).order.side === 'sell'): readonly Effect[] => [
  orderActivity(kind, { proposalId: info.actorId }, reduces),
];

export const proposalKind: ActorKind = {
  kind: 'proposal',
  machine: proposalMachine,
  validate: validateProposal,
  migrations: {},
  effects: {
    projectProposal: (_: undefined, info) => [record('proposal', proposal.record(info.orgId, proposalRow(info.actorId, info, info.now)))],
    announceProposal: ({ what }: { readonly what: string }, info) => [
      { kind: 'announcement', announcement: { channel: 'proposals', about: proposalContext(info).agentId, body: announced(what, info) } },
    ],
    alertOperators: ({ what }: { readonly what: string }, info) => [
      { kind: 'announcement', announcement: { channel: 'alerts', about: proposalContext(info).agentId, body: announced(what, info) } },
    ],
    requirePermit: (_: undefined, info) => {
      const { agentId, epoch, manifestHash, order, begins, flattens } = proposalContext(info);
      return [
        record('execution_permit', {
          orgId: info.orgId,
          agentId,
          epoch,
          manifestHash,
          mode: order.mode,
          reduceOnly: order.reduceOnly,
          byItself: begins === 'approved',
          flattens: flattens ?? false,
        }),
      ];
    },
    takeLease: ({ forMs }: { readonly forMs: number }, info) => [
      record('execution_lease', { key: info.actorId, orgId: info.orgId, epoch: proposalContext(info).epoch, forMs }),
    ],
    endLease: (_: undefined, info) => [record('execution_lease_ended', { key: info.actorId })],
    executeOrder: (_: undefined, info) => toCarry(EXECUTE_ORDER, info),
    reconcileOrder: (_: undefined, info) => toCarry(RECONCILE_ORDER, info),
    withdrawOrder: (_: undefined, info) => toCarry(WITHDRAW_ORDER, info, true),
    recordFills: ({ fills, sent }: FillsToRecord, info) =>
      fills.map((fill) => record('fill', { orgId: info.orgId, proposalId: info.actorId, fill, sent })),
  },
};
