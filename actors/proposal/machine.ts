/**
 * The state chart of a trade proposal: waits for approval, executes, and ends. An order is sent whole or in parts: it rests before the
 * remainder is taken, or it is cut into slices. Every part takes its own lease.
 */
import { assign, setup } from 'xstate';
import { sumFills } from '../../src/domain/orders/order.ts';
import { effect } from '../runtime/actor-kind.ts';
import { answered, RECORD_FILLS, readAnswer, readFills, TAKE_LEASE } from './execution-events.ts';
import { isExecuted, isInParts, readExecution, restMs, waitMs, withPartEnded } from './parts.ts';
import type { FillsToRecord, ProposalContext, ProposalEvent, ProposalInput } from './protocol.ts';

/** Returns the reason of the end, from any event that ends it. */
function readReason(event: ProposalEvent): string | null {
  if (event.type === 'cancel' || event.type === 'decline') return event.reason;
  if (event.type === 'block') return event.risk.rejections[0]?.code ?? null;
  if (event.type === 'activity.given_up') return 'execution_given_up';
  const answer = readAnswer(event);
  if (answer?.outcome === 'blocked') return answer.risk.rejections[0]?.code ?? null;
  if (answer?.outcome === 'rejected' || answer?.outcome === 'superseded') return answer.reason;
  return null;
}

/** Transitions that end a part by its venue's report, with fills that are not booked yet. */
const ENDS_WITH_FILLS = [
  { guard: 'isFilled', target: 'settling', actions: ['addFills', RECORD_FILLS, 'endPart'] },
  { guard: 'isPartiallyFilled', target: 'settling', actions: ['addFills', RECORD_FILLS, 'endPart'] },
] as const;

/** Transitions that end a part by its venue's report. */
const PART_ENDS = [...ENDS_WITH_FILLS, { guard: 'isRejected', target: 'settling', actions: ['rememberReason', 'endPart'] }] as const;

/** Actions if the venue has not answered. The order may have arrived. */
const TELL_UNKNOWN = [
  { type: 'announceProposal', params: { what: 'unknown' } },
  { type: 'alertOperators', params: { what: 'order_outcome_unknown' } },
] as const;

const TAKEN_UNDER_LEASE = ['requirePermit', 'takeLeaseUntil', TAKE_LEASE] as const;

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
    /** Makes the database refuse the step if the proposal was superseded. */
    requirePermit: effect<undefined>(),
    takeLease: effect<{ readonly forMs: number }>(),
    endLease: effect<undefined>(),
    executeOrder: effect<undefined>(),
    reconcileOrder: effect<undefined>(),
    /** Withdraws the resting order and reads its result. */
    withdrawOrder: effect<undefined>(),
    takeLeaseUntil: assign(({ context, event }) =>
      event.type === 'execution.begun'
        ? { leaseUntil: event.leaseUntil, startedAt: context.startedAt ?? event.leaseUntil - event.leaseMs }
        : {},
    ),
    /** Records the stop. No further part is sent. */
    stop: assign(({ context, event }) => ({
      reason: readReason(event) ?? context.reason,
      stopped: context.stopped ?? readReason(event),
    })),
    noteRest: assign(({ context, event }) =>
      event.type === 'activity.done' && event.answer.outcome === 'resting'
        ? { rest: { price: event.answer.price, since: event.answer.at ?? context.leaseUntil ?? context.createdAt } }
        : {},
    ),
    /** Remembers how much of a resting part is filled and which of its trades are booked. */
    noteSeen: assign(({ context, event }) => {
      const answer = readAnswer(event);
      return { seen: answer?.outcome === 'resting' ? (answer.seen ?? null) : (context.seen ?? null) };
    }),
    endPart: assign(({ context, event }) => withPartEnded(context, event, readReason(event))),
    beginNextPart: assign(({ context: { next } }) => ({
      ...(next == null ? {} : { part: next }),
      next: null,
      rest: null,
      leaseUntil: null,
    })),
    dropNext: assign({ next: null }),
    forgetReason: assign({ reason: null }),
    recordFills: effect<FillsToRecord>(),
    rememberReason: assign({ reason: ({ context, event }) => context.stopped ?? readReason(event) ?? context.reason }),
    rememberRisk: assign({
      risk: ({ context, event }) => {
        if (event.type === 'approve' || event.type === 'block') return event.risk;
        if (event.type === 'activity.done' && event.answer.outcome === 'blocked') return event.answer.risk;
        return context.risk;
      },
    }),
    addFills: assign({
      filledQuantity: ({ context, event }) => sumFills('quantity', readFills(event), context.filledQuantity),
      filledNotionalUsd: ({ context, event }) => sumFills('notionalUsd', readFills(event), context.filledNotionalUsd),
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
    /** True on paper, where an execution that was given up leaves no trace and did not happen. */
    isPaper: ({ context }) => context.order.mode === 'paper',
    isResting: answered('resting'),
    isInParts: ({ context }) => isInParts(context),
    isRestingAndStopped: ({ context, event }) => (context.stopped ?? null) !== null && answered('resting')({ event }),
    nextIsDue: ({ context }) => (context.next ?? null) !== null && waitMs(context) === 0,
    hasNext: ({ context }) => (context.next ?? null) !== null,
    isExecuted: ({ context }) => isExecuted(context),
    hasFills: ({ context }) => context.filledQuantity !== '0',
    isStopped: ({ context }) => (context.stopped ?? null) !== null,
    isOver: ({ context }) => readExecution(context).algorithm === 'twap' && context.ended?.at(-1)?.reason === 'slice_missed',
  },
  delays: {
    approvalWindow: ({ context }) => context.approvalMs,
    /** Interval in milliseconds between queries of an unknown outcome. */
    reconcileAfter: 15_000,
    restWindow: ({ context }) => restMs(context),
    untilNext: ({ context }) => waitMs(context),
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
    ...(input.execution === undefined ? {} : { execution: input.execution }),
  }),
  initial: 'compiled',
  states: {
    /** Transient first state. */
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
    /** The order waits for its execution. Nothing was sent yet. */
    approved: {
      entry: ['projectProposal', { type: 'announceProposal', params: { what: 'approved' } }, 'executeOrder'],
      on: {
        'execution.begun': {
          target: 'executing',
          actions: TAKEN_UNDER_LEASE,
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
    /** From this state on the order may be at the venue. */
    executing: {
      entry: ['projectProposal', { type: 'announceProposal', params: { what: 'executing' } }],
      exit: 'endLease',
      on: {
        // An activity worker that replaces a dead one takes a new lease.
        'execution.begun': { actions: TAKEN_UNDER_LEASE },
        // A part being sent cannot be stopped. Later parts can.
        cancel: { guard: 'isInParts', actions: 'stop' },
        'activity.done': [
          { guard: 'isRestingAndStopped', target: 'withdrawing', actions: 'noteRest' },
          { guard: 'isResting', target: 'resting', actions: 'noteRest' },
          ...PART_ENDS,
          { guard: 'isBlocked', target: 'settling', actions: ['rememberRisk', 'rememberReason', 'endPart'] },
          { guard: 'isSupersededSinceThen', target: 'settling', actions: ['rememberReason', 'endPart'] },
          {
            guard: 'awaitsSignature',
            target: 'unknown',
            actions: [
              { type: 'announceProposal', params: { what: 'awaiting_signature' } },
              { type: 'alertOperators', params: { what: 'signature_needed' } },
            ],
          },
          // The chain takes its time. Nobody has to act.
          { guard: 'isUnderWay', target: 'unknown' },
          { guard: 'isUnknown', target: 'unknown', actions: TELL_UNKNOWN },
        ],
        'activity.given_up': [
          { guard: 'isPaper', target: 'settling', actions: ['rememberReason', 'endPart'] },
          { target: 'unknown', actions: ['rememberReason', ...TELL_UNKNOWN] },
        ],
      },
    },
    /** Transient state: a part has ended, and the plan decides what follows. */
    settling: {
      always: [
        { guard: 'nextIsDue', target: 'preparing' },
        { guard: 'hasNext', target: 'waiting' },
        { guard: 'isExecuted', target: 'filled', actions: 'forgetReason' },
        { guard: 'hasFills', target: 'partially_filled' },
        { guard: 'isStopped', target: 'cancelled' },
        { guard: 'isOver', target: 'expired' },
        { target: 'failed' },
      ],
    },
    /** Waits for the next slice. Nothing is at the venue. */
    waiting: {
      entry: 'projectProposal',
      after: { untilNext: { target: 'preparing' } },
      on: { cancel: { target: 'settling', actions: ['stop', 'dropNext'] } },
    },
    /** The next part is about to be sent. */
    preparing: {
      entry: ['beginNextPart', 'projectProposal', 'executeOrder'],
      on: {
        'execution.begun': { target: 'executing', actions: TAKEN_UNDER_LEASE },
        cancel: { target: 'settling', actions: ['stop', 'dropNext'] },
        'activity.done': [
          { guard: 'isBlocked', target: 'settling', actions: ['rememberRisk', 'rememberReason', 'endPart'] },
          { guard: 'isSupersededSinceThen', target: 'settling', actions: ['rememberReason', 'endPart'] },
          { guard: 'isRejected', target: 'settling', actions: ['rememberReason', 'endPart'] },
        ],
        'activity.given_up': { target: 'settling', actions: ['rememberReason', 'endPart'] },
      },
    },
    /** Rests post-only at the near side, for a time that the urgency determines. */
    resting: {
      entry: 'projectProposal',
      after: { restWindow: { target: 'withdrawing' } },
      on: {
        cancel: { target: 'withdrawing', actions: 'stop' },
        // The window goes on. A report of an end without a fill is verified when the order is withdrawn.
        'order.observed': [
          { guard: 'isResting', actions: ['addFills', RECORD_FILLS, 'noteSeen', 'projectProposal'] },
          ...ENDS_WITH_FILLS,
          { guard: 'isRejected', target: 'withdrawing' },
        ],
      },
    },
    /** Withdrawal of the remaining quantity. The venue says whether it was filled meanwhile. */
    withdrawing: {
      entry: ['projectProposal', 'withdrawOrder'],
      on: {
        cancel: { actions: 'stop' },
        'activity.done': [...PART_ENDS, { guard: 'isUnknown', target: 'unknown', actions: TELL_UNKNOWN }],
        'activity.given_up': [
          { guard: 'isPaper', target: 'settling', actions: ['rememberReason', 'endPart'] },
          { target: 'unknown', actions: ['rememberReason', ...TELL_UNKNOWN] },
        ],
      },
    },
    /** The order may have been executed. Only the venue's own report leads out. */
    unknown: {
      entry: ['projectProposal', 'reconcileOrder'],
      after: {
        reconcileAfter: { target: 'unknown', reenter: true, actions: assign({ lookUps: ({ context }) => context.lookUps + 1 }) },
      },
      on: {
        cancel: { guard: 'isInParts', actions: 'stop' },
        'activity.done': [{ guard: 'isResting', target: 'withdrawing', actions: 'noteRest' }, ...PART_ENDS, { guard: 'isUnknown' }],
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
