/** What a prediction order's actions mean once they are committed. */
import type { ActorState } from '../../src/domain/actor-step.ts';
import type { Fill } from '../../src/domain/book.ts';
import type { ActorKind, Effect, StepInfo } from '../runtime/actor-kind.ts';
import { predictionOrderMachine } from './machine.ts';
import type { PredictionOrderContext, PredictionOrderState } from './protocol.ts';

export const FOLLOW_PREDICTION_ORDER = 'follow_prediction_order';
export const FOLLOW_ORDER_TRANSACTION = 'follow_order_transaction';

export function predictionOrderContext(state: Pick<ActorState, 'context'>): PredictionOrderContext {
  return state.context as unknown as PredictionOrderContext;
}

/** The state in the words of the outside: a paper order whose rest lapsed is partially filled. */
export function predictionOrderState(state: Pick<ActorState, 'value'>): PredictionOrderState {
  return state.value === 'lapsed' ? 'partially_filled' : (state.value as PredictionOrderState);
}

const record = (type: string, fields: { readonly [key: string]: unknown }): Effect => ({ kind: 'record', record: { type, ...fields } });
const errand = (kind: string, { actorId }: StepInfo): Effect => ({
  kind: 'errand',
  errand: { kind, payload: { predictionOrderId: actorId } },
});

/** The row of the projection as the step leaves it. */
function projected(info: StepInfo): { readonly [field: string]: unknown } {
  const context = predictionOrderContext(info);
  const { order, onchain } = context;
  return {
    id: info.actorId,
    orgId: info.orgId,
    mode: order.mode,
    bookId: order.bookId,
    marketId: context.marketId,
    outcome: context.outcome,
    instrument: order.instrument,
    order,
    onchain,
    transactionId: onchain?.transactionId ?? null,
    decisionPrice: context.decisionPrice,
    risk: context.risk,
    placedBy: context.placedBy,
    epoch: context.epoch,
    state: predictionOrderState(info),
    reason: context.reason,
    detail: context.detail,
    filledQuantity: context.filledQuantity,
    filledNotionalUsd: context.filledNotionalUsd,
    feesUsd: context.feesUsd,
    refundUsd: context.refundUsd,
    createdAt: context.createdAt,
    changedAt: info.now,
  };
}

function fillRecords(fills: readonly Fill[], info: StepInfo, bookVersion: number | null): Effect[] {
  const { capitalUsd } = predictionOrderContext(info);
  const expected = bookVersion === null ? {} : { expectedVersion: bookVersion };
  return fills.map((fill) => record('fill', { orgId: info.orgId, fill, capitalUsd, ...expected }));
}

export const predictionOrderKind: ActorKind = {
  kind: 'prediction_order',
  machine: predictionOrderMachine,
  judge: () => null,
  migrations: {},
  effects: {
    projectOrder: (_: undefined, info) => [record('prediction_order', projected(info))],
    alertOperators: ({ what }: { readonly what: string }, info) => {
      const { order, refundUsd, onchain } = predictionOrderContext(info);
      const { mode, instrument, side, quantity, limitPrice } = order;
      const state = predictionOrderState(info);
      const depositUsd = onchain?.depositUsd ?? null;
      const body = { what, predictionOrderId: info.actorId, state, mode, instrument, side, quantity, limitPrice, depositUsd, refundUsd };
      return [{ kind: 'announcement', announcement: { channel: 'alerts', body } }];
    },
    requireEpoch: (_: undefined, info) => [record('control_licence', { orgId: info.orgId, epoch: predictionOrderContext(info).epoch })],
    askVenue: (_: undefined, info) => [errand(FOLLOW_PREDICTION_ORDER, info)],
    askTransaction: (_: undefined, info) => [errand(FOLLOW_ORDER_TRANSACTION, info)],
    recordFills: ({ fills }: { readonly fills: readonly Fill[] }, info) => fillRecords(fills, info, null),
    recordOwnFills: (_: undefined, info) => {
      const { fills, bookVersion } = predictionOrderContext(info);
      return fillRecords(fills, info, bookVersion);
    },
  },
};
