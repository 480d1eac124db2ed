/** What a market order's actions mean once they are committed, and which answers it takes. */
import type { ActorState } from '../../src/domain/actor-step.ts';
import type { MarketOrderState } from '../../src/domain/execution.ts';
import { MANUAL_ORDER_EFFECTS, manualOrderRow } from '../manual-order/order.ts';
import { staleAnswer } from '../proposal/execution-events.ts';
import { type ActorKind, activity, type Effect, record, type StepInfo } from '../runtime/actor-kind.ts';
import { marketOrderMachine } from './machine.ts';
import type { MarketOrderContext } from './protocol.ts';

export const EXECUTE_MARKET_ORDER = 'execute_market_order';
export const RECONCILE_MARKET_ORDER = 'reconcile_market_order';

export function marketOrderContext(state: Pick<ActorState, 'context'>): MarketOrderContext {
  return state.context as unknown as MarketOrderContext;
}

export function marketOrderState(state: Pick<ActorState, 'value'>): MarketOrderState {
  return state.value as MarketOrderState;
}

/** The activity workers of executions know an order by this name, whoever placed it. */
const toCarry = (kind: string, { actorId }: StepInfo): readonly Effect[] => [activity(kind, { proposalId: actorId })];

export const marketOrderKind: ActorKind = {
  kind: 'market_order',
  machine: marketOrderMachine,
  validate: staleAnswer,
  migrations: {},
  effects: {
    ...MANUAL_ORDER_EFFECTS,
    projectOrder: (_: undefined, info) => [record('market_order', { ...manualOrderRow(info), state: marketOrderState(info) })],
    alertOperators: ({ what }: { readonly what: string }, info) => {
      const { order } = marketOrderContext(info);
      const { mode, instrument, side, quantity, limitPrice } = order;
      const body = { what, marketOrderId: info.actorId, state: marketOrderState(info), mode, instrument, side, quantity, limitPrice };
      return [{ kind: 'announcement', announcement: { channel: 'alerts', body } }];
    },
    takeLease: ({ forMs }: { readonly forMs: number }, info) => [
      record('execution_lease', { key: info.actorId, orgId: info.orgId, epoch: marketOrderContext(info).epoch, forMs }),
    ],
    endLease: (_: undefined, info) => [record('execution_lease_ended', { key: info.actorId })],
    executeOrder: (_: undefined, info) => toCarry(EXECUTE_MARKET_ORDER, info),
    reconcileOrder: (_: undefined, info) => toCarry(RECONCILE_MARKET_ORDER, info),
  },
};
