/** Effects of a market order's committed actions, and validation of its answers. */
import type { ActorState } from '../../src/domain/agents/actor-step.ts';
import type { MarketOrderState } from '../../src/domain/orders/execution.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { MANUAL_ORDER_EFFECTS, orderPlace } from '../manual-order/manual-order.ts';
import { staleAnswer } from '../proposal/execution-events.ts';
import { type ActorKind, type Effect, orderActivity, record, type StepInfo } from '../runtime/actor-kind.ts';
import { marketOrderMachine, type MarketOrderContext } from './machine.ts';
import { type MarketOrder, marketOrder } from './resource.ts';
import { boundUsd } from './resting.ts';

export const EXECUTE_MARKET_ORDER = 'execute_market_order';
export const RECONCILE_MARKET_ORDER = 'reconcile_market_order';
export const WITHDRAW_MARKET_ORDER = 'withdraw_market_order';

export function marketOrderContext(state: Pick<ActorState, 'context'>): MarketOrderContext {
  return state.context as unknown as MarketOrderContext;
}

export function marketOrderState(state: Pick<ActorState, 'value'>): MarketOrderState {
  return state.value as MarketOrderState;
}

/** Requests an activity from the execution workers, which know the order by this name. */
const toCarry = (kind: string, info: StepInfo, reduces = marketOrderContext(info).order.side === 'sell'): readonly Effect[] => [
  orderActivity(kind, { proposalId: info.actorId }, reduces),
];

const AT_REST: ReadonlySet<unknown> = new Set(['resting', 'withdrawing'] satisfies MarketOrderState[]);

/** Returns the order after a step. */
export function marketOrderRow(id: string, state: Pick<ActorState, 'context' | 'value'>, changedAt: EpochMs): MarketOrder {
  const context = marketOrderContext(state);
  const { resting, rest } = context;
  const own = {
    ...orderPlace(context),
    id,
    state: marketOrderState(state),
    timeInForce: resting === undefined ? 'ioc' : 'gtc',
    postOnly: resting?.postOnly ?? false,
    restingAt: AT_REST.has(state.value) ? (rest?.price ?? null) : null,
    boundUsd: boundUsd(context),
    changedAt,
  } as const;
  return marketOrder.pick(own, context);
}

function alert(what: string, info: StepInfo): readonly Effect[] {
  const { order, filledQuantity, reason } = marketOrderContext(info);
  const { mode, instrument, side, quantity, limitPrice } = order;
  const state = marketOrderState(info);
  const body = { what, marketOrderId: info.actorId, state, mode, instrument, side, quantity, limitPrice, filledQuantity, reason };
  return [{ kind: 'announcement', announcement: { channel: 'alerts', body } }];
}

export const marketOrderKind: ActorKind = {
  kind: 'market_order',
  machine: marketOrderMachine,
  validate: staleAnswer,
  migrations: {},
  effects: {
    ...MANUAL_ORDER_EFFECTS,
    projectOrder: (_: undefined, info) => [
      record('market_order', marketOrder.record(info.orgId, marketOrderRow(info.actorId, info, info.now))),
    ],
    alertOperators: ({ what }: { readonly what: string }, info) => alert(what, info),
    tellEnd: ({ what }: { readonly what: string }, info) => (marketOrderContext(info).resting === undefined ? [] : alert(what, info)),
    takeLease: ({ forMs }: { readonly forMs: number }, info) => [
      record('execution_lease', { key: info.actorId, orgId: info.orgId, epoch: marketOrderContext(info).epoch, forMs }),
    ],
    endLease: (_: undefined, info) => [record('execution_lease_ended', { key: info.actorId })],
    executeOrder: (_: undefined, info) => toCarry(EXECUTE_MARKET_ORDER, info),
    reconcileOrder: (_: undefined, info) => toCarry(RECONCILE_MARKET_ORDER, info),
    withdrawOrder: (_: undefined, info) => toCarry(WITHDRAW_MARKET_ORDER, info, true),
  },
};
