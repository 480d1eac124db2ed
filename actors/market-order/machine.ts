/** The state chart of a person's order: a paper order is created in its final state, a live one is executed as a proposal's is. */
import { assign, setup } from 'xstate';
import type { Fill } from '../../src/domain/book.ts';
import { totalOf } from '../../src/domain/filled.ts';
import { answered, fillsOf, SETTLE, TAKE_LEASE } from '../proposal/execution-events.ts';
import { effect } from '../runtime/actor-kind.ts';
import type { MarketOrderContext, MarketOrderEvent, MarketOrderInput } from './protocol.ts';

function reasonOf(event: MarketOrderEvent): { readonly reason: string | null; readonly detail: string | null } {
  if (event.type === 'activity.given_up') return { reason: 'execution_given_up', detail: event.detail };
  if (event.type !== 'activity.done') return { reason: null, detail: null };
  const { answer } = event;
  if (answer.outcome === 'blocked') return { reason: answer.risk.rejections[0]?.code ?? null, detail: null };
  if (answer.outcome === 'rejected') return { reason: answer.reason, detail: answer.detail };
  return answer.outcome === 'superseded' ? { reason: answer.reason, detail: null } : { reason: null, detail: null };
}

export const marketOrderMachine = setup({
  types: { context: {} as MarketOrderContext, events: {} as MarketOrderEvent, input: {} as MarketOrderInput },
  actions: {
    projectOrder: effect<undefined>(),
    alertOperators: effect<{ readonly what: string }>(),
    /** The database refuses the step where a halt came since. */
    requireEpoch: effect<undefined>(),
    takeLease: effect<{ readonly forMs: number }>(),
    endLease: effect<undefined>(),
    executeOrder: effect<undefined>(),
    reconcileOrder: effect<undefined>(),
    recordFills: effect<{ readonly fills: readonly Fill[] }>(),
    recordOwnFills: effect<undefined>(),
    rememberReason: assign(({ event }) => reasonOf(event)),
    rememberRisk: assign({
      risk: ({ context, event }) =>
        event.type === 'activity.done' && event.answer.outcome === 'blocked' ? event.answer.risk : context.risk,
    }),
    addFills: assign({
      filledQuantity: ({ context, event }) => totalOf('quantity', fillsOf(event), context.filledQuantity),
      filledNotionalUsd: ({ context, event }) => totalOf('notionalUsd', fillsOf(event), context.filledNotionalUsd),
    }),
  },
  guards: {
    beginsFilled: ({ context }) => context.begins === 'filled',
    beginsPartiallyFilled: ({ context }) => context.begins === 'partially_filled',
    beginsUnfilled: ({ context }) => context.begins === 'failed',
    isFilled: answered('filled'),
    isPartiallyFilled: answered('partially_filled'),
    isRejected: answered('rejected'),
    isBlocked: answered('blocked'),
    isSuperseded: answered('superseded'),
    isUnknown: answered('unknown'),
  },
  delays: { reconcileAfter: 15_000 },
}).createMachine({
  id: 'market_order@1',
  context: ({ input }) => ({
    ...input,
    leaseUntil: null,
    filledQuantity: totalOf('quantity', input.fills),
    filledNotionalUsd: totalOf('notionalUsd', input.fills),
    readsReference: false,
  }),
  initial: 'placed',
  states: {
    /** Left at once when the actor is created. */
    placed: {
      entry: ['requireEpoch'],
      always: [
        { guard: 'beginsFilled', target: 'filled', actions: 'recordOwnFills' },
        { guard: 'beginsPartiallyFilled', target: 'partially_filled', actions: 'recordOwnFills' },
        { guard: 'beginsUnfilled', target: 'failed' },
        { target: 'approved' },
      ],
    },
    /** To be executed; nothing of it has left yet. */
    approved: {
      entry: ['projectOrder', 'executeOrder'],
      on: {
        'execution.begun': {
          target: 'executing',
          actions: ['requireEpoch', assign({ leaseUntil: ({ event }) => event.leaseUntil }), TAKE_LEASE],
        },
        'activity.done': [
          { guard: 'isBlocked', target: 'blocked_by_risk', actions: ['rememberRisk', 'rememberReason'] },
          { guard: 'isSuperseded', target: 'cancelled', actions: 'rememberReason' },
          { guard: 'isRejected', target: 'failed', actions: 'rememberReason' },
        ],
        'activity.given_up': { target: 'failed', actions: 'rememberReason' },
      },
    },
    /** From here on the order may be at the exchange. */
    executing: {
      entry: ['projectOrder'],
      exit: 'endLease',
      on: {
        // An activity worker that follows one that died takes the lease anew.
        'execution.begun': { actions: ['requireEpoch', assign({ leaseUntil: ({ event }) => event.leaseUntil }), TAKE_LEASE] },
        'activity.done': [
          ...SETTLE,
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
    /** The order may have been executed: only the exchange's own word leads out. */
    unknown: {
      entry: ['projectOrder', 'reconcileOrder'],
      after: { reconcileAfter: { target: 'unknown', reenter: true } },
      on: { 'activity.done': [...SETTLE, { guard: 'isUnknown' }], 'activity.given_up': {} },
    },
    filled: { type: 'final', entry: ['projectOrder'] },
    partially_filled: { type: 'final', entry: ['projectOrder'] },
    failed: { type: 'final', entry: ['projectOrder'] },
    cancelled: { type: 'final', entry: ['projectOrder'] },
    blocked_by_risk: { type: 'final', entry: ['projectOrder'] },
  },
});
