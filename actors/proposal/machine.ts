/** The state chart of a trade proposal: waiting for an operator, executing, and what it came to. */
import { assign, setup } from 'xstate';
import { totalOf } from '../../src/domain/filled.ts';
import { effect } from '../runtime/actor-kind.ts';
import { answered, fillsOf, SETTLE, TAKE_LEASE } from './execution-events.ts';
import type { FillsToRecord, ProposalContext, ProposalEvent, ProposalInput } from './protocol.ts';

/** Why it ended as it did, from whatever ended it. */
function reasonOf(event: ProposalEvent): string | null {
  if (event.type === 'cancel' || event.type === 'decline') return event.reason;
  if (event.type === 'block') return event.risk.rejections[0]?.code ?? null;
  if (event.type === 'activity.given_up') return 'execution_given_up';
  if (event.type !== 'activity.done') return null;
  const { answer } = event;
  if (answer.outcome === 'blocked') return answer.risk.rejections[0]?.code ?? null;
  if (answer.outcome === 'rejected' || answer.outcome === 'superseded') return answer.reason;
  return null;
}

export const proposalMachine = setup({
  types: {
    context: {} as ProposalContext,
    events: {} as ProposalEvent,
    input: {} as ProposalInput & { readonly createdAt: number },
  },
  actions: {
    projectProposal: effect<undefined>(),
    announceProposal: effect<{ readonly what: string }>(),
    alertOperators: effect<{ readonly what: string }>(),
    /** The database refuses the step where the proposal has been superseded. */
    requirePermit: effect<undefined>(),
    takeLease: effect<{ readonly forMs: number }>(),
    endLease: effect<undefined>(),
    executeOrder: effect<undefined>(),
    reconcileOrder: effect<undefined>(),
    recordFills: effect<FillsToRecord>(),
    rememberReason: assign({ reason: ({ context, event }) => reasonOf(event) ?? context.reason }),
    rememberRisk: assign({
      risk: ({ context, event }) => {
        if (event.type === 'approve' || event.type === 'block') return event.risk;
        if (event.type === 'activity.done' && event.answer.outcome === 'blocked') return event.answer.risk;
        return context.risk;
      },
    }),
    addFills: assign({
      filledQuantity: ({ context, event }) => totalOf('quantity', fillsOf(event), context.filledQuantity),
      filledNotionalUsd: ({ context, event }) => totalOf('notionalUsd', fillsOf(event), context.filledNotionalUsd),
    }),
  },
  guards: {
    isSuperseded: ({ context }) => context.begins === 'cancelled',
    executesByItself: ({ context }) => context.begins === 'approved',
    isFilled: answered('filled'),
    isPartiallyFilled: answered('partially_filled'),
    isRejected: answered('rejected'),
    isBlocked: answered('blocked'),
    isSupersededSinceThen: answered('superseded'),
    awaitsSignature: ({ event }) =>
      event.type === 'activity.done' && event.answer.outcome === 'unknown' && event.answer.awaitsSignature === true,
    isUnderWay: ({ event }) => event.type === 'activity.done' && event.answer.outcome === 'unknown' && event.answer.underWay === true,
    isUnknown: answered('unknown'),
    /** Paper leaves no trace outside: an execution that was given up did not happen. */
    isPaper: ({ context }) => context.order.mode === 'paper',
  },
  delays: {
    approvalWindow: ({ context }) => context.approvalMs,
    /** An unknown outcome is asked for again. */
    reconcileAfter: 15_000,
  },
}).createMachine({
  id: 'proposal@1',
  context: ({ input }) => ({
    agentId: input.agentId,
    decisionId: input.decisionId,
    slot: input.slot,
    side: input.side,
    manifestVersion: input.manifestVersion,
    manifestHash: input.manifestHash,
    autonomy: input.autonomy,
    epoch: input.epoch,
    order: input.order,
    decisionPrice: input.decisionPrice,
    readsReference: input.readsReference,
    risk: input.risk,
    flattens: input.flattens ?? false,
    begins: input.begins,
    reason: input.reason,
    approvalMs: input.approvalMs,
    createdAt: input.createdAt,
    expiresAt: input.createdAt + input.approvalMs,
    decidedBy: null,
    leaseUntil: null,
    filledQuantity: '0',
    filledNotionalUsd: '0',
    lookUps: 0,
  }),
  initial: 'compiled',
  states: {
    /** Left at once when the actor is created. */
    compiled: {
      always: [
        { guard: 'isSuperseded', target: 'cancelled' },
        { guard: 'executesByItself', target: 'approved' },
        { target: 'pending_approval' },
      ],
    },
    pending_approval: {
      entry: ['projectProposal', { type: 'announceProposal', params: { what: 'proposed' } }],
      after: { approvalWindow: { target: 'expired', actions: assign({ reason: 'approval_window_over' }) } },
      on: {
        approve: {
          target: 'approved',
          actions: ['requirePermit', 'rememberRisk', assign({ decidedBy: ({ event }) => event.subject })],
        },
        decline: { target: 'declined', actions: ['rememberReason', assign({ decidedBy: ({ event }) => event.subject })] },
        cancel: { target: 'cancelled', actions: 'rememberReason' },
        block: { target: 'blocked_by_risk', actions: ['rememberRisk', 'rememberReason'] },
      },
    },
    /** To be executed; nothing of it has left yet. */
    approved: {
      entry: ['projectProposal', { type: 'announceProposal', params: { what: 'approved' } }, 'executeOrder'],
      on: {
        'execution.begun': {
          target: 'executing',
          actions: ['requirePermit', assign({ leaseUntil: ({ event }) => event.leaseUntil }), TAKE_LEASE],
        },
        cancel: { target: 'cancelled', actions: 'rememberReason' },
        'activity.done': [
          { guard: 'isBlocked', target: 'blocked_by_risk', actions: ['rememberRisk', 'rememberReason'] },
          { guard: 'isSupersededSinceThen', target: 'cancelled', actions: 'rememberReason' },
          { guard: 'isRejected', target: 'failed', actions: 'rememberReason' },
        ],
        'activity.given_up': { target: 'failed', actions: 'rememberReason' },
      },
    },
    /** From here on the order may be at the venue. */
    executing: {
      entry: ['projectProposal', { type: 'announceProposal', params: { what: 'executing' } }],
      exit: 'endLease',
      on: {
        // An activity worker that follows one that died takes the lease anew.
        'execution.begun': {
          actions: ['requirePermit', assign({ leaseUntil: ({ event }) => event.leaseUntil }), TAKE_LEASE],
        },
        'activity.done': [
          ...SETTLE,
          { guard: 'isBlocked', target: 'failed', actions: ['rememberRisk', 'rememberReason'] },
          { guard: 'isSupersededSinceThen', target: 'cancelled', actions: 'rememberReason' },
          {
            guard: 'awaitsSignature',
            target: 'unknown',
            actions: [
              { type: 'announceProposal', params: { what: 'awaiting_signature' } },
              { type: 'alertOperators', params: { what: 'signature_needed' } },
            ],
          },
          // The chain takes its time: nothing that anybody has to look at.
          { guard: 'isUnderWay', target: 'unknown' },
          {
            guard: 'isUnknown',
            target: 'unknown',
            actions: [
              { type: 'announceProposal', params: { what: 'unknown' } },
              { type: 'alertOperators', params: { what: 'order_outcome_unknown' } },
            ],
          },
        ],
        'activity.given_up': [
          { guard: 'isPaper', target: 'failed', actions: 'rememberReason' },
          {
            target: 'unknown',
            actions: [
              'rememberReason',
              { type: 'announceProposal', params: { what: 'unknown' } },
              { type: 'alertOperators', params: { what: 'order_outcome_unknown' } },
            ],
          },
        ],
      },
    },
    /** The order may have been executed: only the venue's own word leads out. */
    unknown: {
      entry: ['projectProposal', 'reconcileOrder'],
      after: {
        reconcileAfter: { target: 'unknown', reenter: true, actions: assign({ lookUps: ({ context }) => context.lookUps + 1 }) },
      },
      on: {
        'activity.done': [...SETTLE, { guard: 'isUnknown' }],
        'activity.given_up': {},
      },
    },
    filled: { type: 'final', entry: ['projectProposal', { type: 'announceProposal', params: { what: 'filled' } }] },
    partially_filled: { type: 'final', entry: ['projectProposal', { type: 'announceProposal', params: { what: 'partially_filled' } }] },
    failed: { type: 'final', entry: ['projectProposal', { type: 'announceProposal', params: { what: 'failed' } }] },
    expired: { type: 'final', entry: ['projectProposal', { type: 'announceProposal', params: { what: 'expired' } }] },
    cancelled: { type: 'final', entry: ['projectProposal', { type: 'announceProposal', params: { what: 'cancelled' } }] },
    declined: { type: 'final', entry: ['projectProposal', { type: 'announceProposal', params: { what: 'declined' } }] },
    blocked_by_risk: { type: 'final', entry: ['projectProposal', { type: 'announceProposal', params: { what: 'blocked_by_risk' } }] },
  },
});
