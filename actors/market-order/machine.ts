/**
 * State chart of a manual order. On paper, an order that takes liquidity ends at once. Live, it is executed like a proposal. A resting
 * order waits at its venue, is filled in parts, and is withdrawn on cancellation or halt.
 */
import { assign, setup } from 'xstate';
import type { Fill } from '../../src/domain/books/book.ts';
import type { SeenTrades } from '../../src/domain/orders/execution.ts';
import type { OrderPart } from '../../src/domain/orders/execution-plan.ts';
import { sumFills } from '../../src/domain/orders/order.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { ManualOrderContext, ManualOrderInput } from '../manual-order/manual-order.ts';
import { isStale, readAnswer, TAKE_LEASE } from '../proposal/execution-events.ts';
import type { ExecutionAnswer, ExecutionEvent, RestingAt, RestingTerms } from '../proposal/protocol.ts';
import { effect } from '../runtime/actor-kind.ts';
import { atRest, beginningAtRest, toldFills } from './resting.ts';

/** Input of an order. Plain JSON. A paper order begins in its final state or resting. A live one begins unexecuted. */
export interface MarketOrderInput extends ManualOrderInput {
  readonly begins: 'approved' | 'resting' | 'filled' | 'partially_filled' | 'failed';
  /** Resting terms. Absent for an order that fills at once or lapses. */
  readonly resting?: RestingTerms;
}

/** Context of an order. Plain JSON, stored in the snapshot. */
export interface MarketOrderContext extends MarketOrderInput, ManualOrderContext {
  /** End of the last execution lease, or null before the first. */
  readonly leaseUntil: EpochMs | null;
  /** Field that the shared execution worker reads of proposals. Always false for manual orders. */
  readonly readsReference: false;
  /** Remaining part of a resting order, as the execution worker reads it. Absent if the order does not rest. */
  readonly part?: OrderPart;
  /** Resting price, and the time up to which market activity was checked. Null if it does not rest. */
  readonly rest?: RestingAt | null;
  readonly seen?: SeenTrades | null;
  /** Reason for the requested cancellation; null if none was requested. */
  readonly stopped?: string | null;
}

export type MarketOrderEvent = ExecutionEvent | { readonly type: 'cancel'; readonly reason: string };

/** Returns the final reason. A cancellation's reason is kept. */
function toReason({ reason, stopped }: MarketOrderContext, event: MarketOrderEvent) {
  if (event.type === 'cancel') return { reason: event.reason, detail: null };
  if (stopped != null) return { reason: stopped, detail: null };
  if (event.type === 'activity.given_up') return { reason: 'execution_given_up', detail: event.detail };
  const answer = readAnswer(event);
  if (answer?.outcome === 'blocked') return { reason: answer.risk.rejections[0]?.code ?? null, detail: null };
  if (answer?.outcome === 'rejected') return { reason: answer.reason, detail: answer.detail };
  if (answer?.outcome === 'superseded') return { reason: answer.reason, detail: null };
  return { reason: answer === null ? reason : null, detail: null };
}

interface Told {
  readonly context: MarketOrderContext;
  readonly event: MarketOrderEvent;
}

/** Guard: true if the activity or the venue reports this outcome and none of it is booked yet. */
const told =
  (outcome: ExecutionAnswer['outcome']) =>
  ({ context, event }: Told): boolean =>
    readAnswer(event)?.outcome === outcome && !isStale(context, event);

const BOOK = [
  'addFills',
  { type: 'recordFills', params: ({ event }: { readonly event: MarketOrderEvent }) => ({ fills: toldFills(event) }) },
] as const;

/** Final answers of the venue. */
const ENDS = [
  { guard: 'isFilled', target: 'filled', actions: BOOK },
  { guard: 'isPartiallyFilled', target: 'partially_filled', actions: [...BOOK, 'rememberReason'] },
  { guard: 'isEndedAfterFills', target: 'partially_filled', actions: 'rememberReason' },
  { guard: 'isEndedByCancel', target: 'cancelled', actions: 'rememberReason' },
  { guard: 'isRejected', target: 'failed', actions: 'rememberReason' },
] as const;

/** Transitions of an order that begins to rest. If it was cancelled before that was known, it is withdrawn at once. */
const COMES_TO_REST = [
  { guard: 'isRestingAndStopped', target: 'withdrawing', actions: ['noteRest', ...BOOK] },
  { guard: 'isResting', target: 'resting', actions: ['noteRest', ...BOOK, { type: 'alertOperators', params: { what: 'order_resting' } }] },
] as const;

export const marketOrderMachine = setup({
  types: { context: {} as MarketOrderContext, events: {} as MarketOrderEvent, input: {} as MarketOrderInput },
  actions: {
    projectOrder: effect<undefined>(),
    alertOperators: effect<{ readonly what: string }>(),
    /** Notifies those that wait for the end of a resting order. */
    tellEnd: effect<{ readonly what: string }>(),
    /** Makes the database refuse the step if a halt came meanwhile. */
    requireEpoch: effect<undefined>(),
    takeLease: effect<{ readonly forMs: number }>(),
    endLease: effect<undefined>(),
    executeOrder: effect<undefined>(),
    reconcileOrder: effect<undefined>(),
    /** Withdraws the resting order and reads its result. */
    withdrawOrder: effect<undefined>(),
    recordFills: effect<{ readonly fills: readonly Fill[] }>(),
    recordOwnFills: effect<undefined>(),
    rememberReason: assign(({ context, event }) => toReason(context, event)),
    rememberRisk: assign({
      risk: ({ context, event }) => {
        const answer = readAnswer(event);
        return answer?.outcome === 'blocked' ? answer.risk : context.risk;
      },
    }),
    /** Records the cancellation request. */
    stop: assign({ stopped: ({ context, event }) => context.stopped ?? (event.type === 'cancel' ? event.reason : null) }),
    noteRest: assign(({ context, event }) => atRest(context, event)),
    addFills: assign({
      filledQuantity: ({ context, event }) => sumFills('quantity', toldFills(event), context.filledQuantity),
      filledNotionalUsd: ({ context, event }) => sumFills('notionalUsd', toldFills(event), context.filledNotionalUsd),
    }),
  },
  guards: {
    beginsFilled: ({ context }) => context.begins === 'filled',
    beginsPartiallyFilled: ({ context }) => context.begins === 'partially_filled',
    beginsUnfilled: ({ context }) => context.begins === 'failed',
    beginsResting: ({ context }) => context.begins === 'resting',
    isFilled: told('filled'),
    isPartiallyFilled: told('partially_filled'),
    isRejected: told('rejected'),
    isEndedAfterFills: ({ context, event }) => told('rejected')({ context, event }) && context.filledQuantity !== '0',
    isEndedByCancel: ({ context, event }) => told('rejected')({ context, event }) && context.stopped != null,
    isBlocked: told('blocked'),
    isSuperseded: told('superseded'),
    isUnknown: told('unknown'),
    isResting: told('resting'),
    isRestingAndStopped: ({ context, event }) => told('resting')({ context, event }) && context.stopped != null,
    isFilledFurther: ({ context, event }) => told('resting')({ context, event }) && toldFills(event).length > 0,
    rests: ({ context }) => context.resting !== undefined,
    hasFills: ({ context }) => context.filledQuantity !== '0',
    isPaperWithFills: ({ context }) => context.order.mode === 'paper' && context.filledQuantity !== '0',
    isPaper: ({ context }) => context.order.mode === 'paper',
  },
  delays: { reconcileAfter: 15_000 },
}).createMachine({
  id: 'market_order@1',
  context: ({ input }) => ({
    ...input,
    ...beginningAtRest(input),
    leaseUntil: null,
    filledQuantity: sumFills('quantity', input.fills),
    filledNotionalUsd: sumFills('notionalUsd', input.fills),
    readsReference: false,
  }),
  initial: 'placed',
  states: {
    /** Transient first state. */
    placed: {
      entry: ['requireEpoch'],
      always: [
        { guard: 'beginsFilled', target: 'filled', actions: 'recordOwnFills' },
        { guard: 'beginsPartiallyFilled', target: 'partially_filled', actions: 'recordOwnFills' },
        { guard: 'beginsUnfilled', target: 'failed' },
        {
          guard: 'beginsResting',
          target: 'resting',
          actions: ['recordOwnFills', { type: 'alertOperators', params: { what: 'order_resting' } }],
        },
        { target: 'approved' },
      ],
    },
    /** The order waits for its execution. Nothing was sent yet. */
    approved: {
      entry: ['projectOrder', 'executeOrder'],
      on: {
        'execution.begun': {
          target: 'executing',
          actions: ['requireEpoch', assign({ leaseUntil: ({ event }) => event.leaseUntil }), TAKE_LEASE],
        },
        cancel: { target: 'cancelled', actions: 'rememberReason' },
        'activity.done': [
          { guard: 'isBlocked', target: 'blocked_by_risk', actions: ['rememberRisk', 'rememberReason'] },
          { guard: 'isSuperseded', target: 'cancelled', actions: 'rememberReason' },
          { guard: 'isRejected', target: 'failed', actions: 'rememberReason' },
        ],
        'activity.given_up': { target: 'failed', actions: 'rememberReason' },
      },
    },
    /** From this state on the order may be at the exchange. */
    executing: {
      entry: ['projectOrder'],
      exit: 'endLease',
      on: {
        // An activity worker that replaces a dead one takes a new lease.
        'execution.begun': { actions: ['requireEpoch', assign({ leaseUntil: ({ event }) => event.leaseUntil }), TAKE_LEASE] },
        // A part being sent cannot be stopped. What rests afterwards can be withdrawn.
        cancel: { guard: 'rests', actions: 'stop' },
        'activity.done': [
          ...COMES_TO_REST,
          ...ENDS,
          { guard: 'isBlocked', target: 'blocked_by_risk', actions: ['rememberRisk', 'rememberReason'] },
          { guard: 'isSuperseded', target: 'cancelled', actions: 'rememberReason' },
          { guard: 'isUnknown', target: 'unknown', actions: [{ type: 'alertOperators', params: { what: 'order_outcome_unknown' } }] },
        ],
        'activity.given_up': {
          target: 'unknown',
          actions: ['rememberReason', { type: 'alertOperators', params: { what: 'order_outcome_unknown' } }],
        },
      },
    },
    /** Rests at its limit until it is filled or cancelled. Its state is polled. */
    resting: {
      entry: ['projectOrder'],
      on: {
        'order.observed': [{ guard: 'isFilledFurther', target: 'resting', reenter: true, actions: ['noteRest', ...BOOK] }, ...ENDS],
        cancel: { target: 'withdrawing', actions: 'stop' },
      },
    },
    /** Withdrawal of the remaining quantity. The venue says whether it was filled meanwhile. */
    withdrawing: {
      entry: ['projectOrder', 'withdrawOrder'],
      after: { reconcileAfter: { target: 'withdrawing', reenter: true } },
      on: {
        cancel: { actions: 'stop' },
        'activity.done': [...ENDS],
        'order.observed': [{ guard: 'isFilledFurther', target: 'withdrawing', reenter: true, actions: ['noteRest', ...BOOK] }, ...ENDS],
        // A paper order has nothing at a venue.
        'activity.given_up': [
          { guard: 'isPaperWithFills', target: 'partially_filled', actions: 'rememberReason' },
          { guard: 'isPaper', target: 'cancelled', actions: 'rememberReason' },
          {},
        ],
      },
    },
    /** The order may have been executed. Only the exchange's own report leads out. */
    unknown: {
      entry: ['projectOrder', 'reconcileOrder'],
      after: { reconcileAfter: { target: 'unknown', reenter: true } },
      on: {
        cancel: { guard: 'rests', actions: 'stop' },
        'activity.done': [...COMES_TO_REST, ...ENDS, { guard: 'isUnknown' }],
        'activity.given_up': {},
      },
    },
    filled: { type: 'final', entry: ['projectOrder', { type: 'tellEnd', params: { what: 'order_filled' } }] },
    partially_filled: { type: 'final', entry: ['projectOrder', { type: 'tellEnd', params: { what: 'order_partially_filled' } }] },
    failed: { type: 'final', entry: ['projectOrder', { type: 'tellEnd', params: { what: 'order_failed' } }] },
    cancelled: { type: 'final', entry: ['projectOrder', { type: 'tellEnd', params: { what: 'order_cancelled' } }] },
    blocked_by_risk: { type: 'final', entry: ['projectOrder'] },
  },
});
