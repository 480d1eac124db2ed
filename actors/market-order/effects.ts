/** What a market order's actions mean once they are committed. */
import type { ActorState } from '../../src/domain/actor-step.ts';
import type { Fill } from '../../src/domain/book.ts';
import type { ActorKind, Effect, StepInfo } from '../runtime/actor-kind.ts';
import { marketOrderMachine } from './machine.ts';
import type { MarketOrderContext, MarketOrderState } from './protocol.ts';

export const EXECUTE_MARKET_ORDER = 'execute_market_order';
export const RECONCILE_MARKET_ORDER = 'reconcile_market_order';

export function marketOrderContext(state: Pick<ActorState, 'context'>): MarketOrderContext {
  return state.context as unknown as MarketOrderContext;
}

export function marketOrderState(state: Pick<ActorState, 'value'>): MarketOrderState {
  return state.value as MarketOrderState;
}

const record = (type: string, fields: { readonly [key: string]: unknown }): Effect => ({ kind: 'record', record: { type, ...fields } });
/** The carriers of executions know an order by this name, whoever placed it. */
const errand = (kind: string, { actorId }: StepInfo): Effect => ({ kind: 'errand', errand: { kind, payload: { proposalId: actorId } } });

/** The row of the projection as the step leaves it. */
function projected(info: StepInfo): { readonly [field: string]: unknown } {
  const { order, decisionPrice, risk, placedBy, epoch, reason, detail, filledQuantity, filledNotionalUsd, createdAt } =
    marketOrderContext(info);
  return {
    id: info.actorId,
    orgId: info.orgId,
    mode: order.mode,
    bookId: order.bookId,
    instrument: order.instrument,
    order,
    decisionPrice,
    risk,
    placedBy,
    epoch,
    state: marketOrderState(info),
    reason,
    detail,
    filledQuantity,
    filledNotionalUsd,
    createdAt,
    changedAt: info.now,
  };
}

function fillRecords(fills: readonly Fill[], info: StepInfo, bookVersion: number | null): Effect[] {
  const { capitalUsd } = marketOrderContext(info);
  const expected = bookVersion === null ? {} : { expectedVersion: bookVersion };
  return fills.map((fill) => record('fill', { orgId: info.orgId, fill, capitalUsd, ...expected }));
}

export const marketOrderKind: ActorKind = {
  kind: 'market_order',
  machine: marketOrderMachine,
  judge: () => null,
  migrations: {},
  effects: {
    projectOrder: (_: undefined, info) => [record('market_order', projected(info))],
    alertOperators: ({ what }: { readonly what: string }, info) => {
      const { order } = marketOrderContext(info);
      const { mode, instrument, side, quantity, limitPrice } = order;
      const body = { what, marketOrderId: info.actorId, state: marketOrderState(info), mode, instrument, side, quantity, limitPrice };
      return [{ kind: 'announcement', announcement: { channel: 'alerts', body } }];
    },
    requireEpoch: (_: undefined, info) => [record('control_licence', { orgId: info.orgId, epoch: marketOrderContext(info).epoch })],
    takeLease: ({ forMs }: { readonly forMs: number }, info) => [
      record('execution_lease', { key: info.actorId, orgId: info.orgId, epoch: marketOrderContext(info).epoch, forMs }),
    ],
    endLease: (_: undefined, info) => [record('execution_lease_ended', { key: info.actorId })],
    executeOrder: (_: undefined, info) => [errand(EXECUTE_MARKET_ORDER, info)],
    reconcileOrder: (_: undefined, info) => [errand(RECONCILE_MARKET_ORDER, info)],
    recordFills: ({ fills }: { readonly fills: readonly Fill[] }, info) => fillRecords(fills, info, null),
    recordOwnFills: (_: undefined, info) => {
      const { fills, bookVersion } = marketOrderContext(info);
      return fillRecords(fills, info, bookVersion);
    },
  },
};
