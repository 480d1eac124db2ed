/** Effects of a prediction order's committed actions. */
import type { ActorState } from '../../src/domain/agents/actor-step.ts';
import type { PredictionOrderState } from '../../src/domain/prediction/prediction-order.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { MANUAL_ORDER_EFFECTS, orderPlace } from '../manual-order/manual-order.ts';
import { type ActorKind, type Effect, orderActivity, record, type StepInfo } from '../runtime/actor-kind.ts';
import { predictionOrderMachine, type PredictionOrderContext } from './machine.ts';
import { type PredictionOrder, predictionOrder } from './resource.ts';

export const FOLLOW_PREDICTION_ORDER = 'follow_prediction_order';
export const FOLLOW_ORDER_TRANSACTION = 'follow_order_transaction';

export function predictionOrderContext(state: Pick<ActorState, 'context'>): PredictionOrderContext {
  return state.context as unknown as PredictionOrderContext;
}

/** Returns the public state. A paper order whose remainder lapsed is partially filled. */
function predictionOrderState(state: Pick<ActorState, 'value'>): PredictionOrderState {
  return state.value === 'lapsed' ? 'partially_filled' : (state.value as PredictionOrderState);
}

const toAsk = (kind: string, info: StepInfo): readonly Effect[] => [
  orderActivity(kind, { predictionOrderId: info.actorId }, predictionOrderContext(info).order.side === 'sell'),
];

/** Returns the order after a step. */
export function predictionOrderRow(id: string, state: Pick<ActorState, 'context' | 'value'>, changedAt: EpochMs): PredictionOrder {
  const context = predictionOrderContext(state);
  const transactionId = context.onchain?.transactionId ?? null;
  return predictionOrder.pick({ ...orderPlace(context), id, state: predictionOrderState(state), transactionId, changedAt }, context);
}

export const predictionOrderKind: ActorKind = {
  kind: 'prediction_order',
  machine: predictionOrderMachine,
  validate: () => null,
  migrations: {},
  effects: {
    ...MANUAL_ORDER_EFFECTS,
    projectOrder: (_: undefined, info) => [
      record('prediction_order', predictionOrder.record(info.orgId, predictionOrderRow(info.actorId, info, info.now))),
    ],
    alertOperators: ({ what }: { readonly what: string }, info) => {
      const { order, refundUsd, onchain } = predictionOrderContext(info);
      const { mode, instrument, side, quantity, limitPrice } = order;
      const state = predictionOrderState(info);
      const depositUsd = onchain?.depositUsd ?? null;
      const body = { what, predictionOrderId: info.actorId, state, mode, instrument, side, quantity, limitPrice, depositUsd, refundUsd };
      return [{ kind: 'announcement', announcement: { channel: 'alerts', body } }];
    },
    askVenue: (_: undefined, info) => toAsk(FOLLOW_PREDICTION_ORDER, info),
    askTransaction: (_: undefined, info) => toAsk(FOLLOW_ORDER_TRANSACTION, info),
  },
};
