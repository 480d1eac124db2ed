/** Handles paper orders on prediction markets: risk, then the fill, with audit and answer in the step's transaction. */
import { answerRows, auditRow, type CommandContext } from '../../src/core/command-context.ts';
import type { ActorState } from '../../src/domain/agents/actor-step.ts';
import { findCostModel } from '../../src/domain/orders/costs.ts';
import type { ExecutionMode, Order } from '../../src/domain/orders/order.ts';
import { paperFill } from '../../src/domain/orders/paper-fill.ts';
import type { PredictionMarket } from '../../src/domain/prediction/market.ts';
import { type PredictionWish, takenFeeUsd } from '../../src/domain/prediction/prediction-order.ts';
import { contentId } from '../../src/domain/values/ids.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { type ManualVerdict, type PassedVerdict, passed } from '../manual-order/manual-order.ts';
import { placedOnVerdict } from '../manual-order/placing.ts';
import type { Runtime } from '../runtime/runtime.ts';
import { predictionOrderContext, predictionOrderRow } from './effects.ts';
import type { PredictionOrderInput } from './machine.ts';
import type { PredictionOrderView } from './resource.ts';

/** Message for an order that does not exist or belongs to another organization. */
export const NO_PREDICTION_ORDER = 'there is no prediction order with this id';

/** Commands of prediction orders. Each answers after its transaction has committed. */
export interface PredictionOrderCommands {
  /** Fills a paper order at once from the venue's live book, or lapses it. A risk refusal names every limit. */
  paper(context: CommandContext, wish: PredictionWish): Promise<Outcome<PredictionOrderView>>;
}

/** Risk assessment of an order now. */
export interface PredictionVerdict extends ManualVerdict {
  readonly market: PredictionMarket;
}

/** Risk of prediction orders: the shared risk function on the venue's present book and the manual book. */
export interface PredictionPreTrade {
  /** Compiles the order on the present market and validates it. Refuses if the market accepts no orders or has no live price. */
  validate(orgId: string, id: string, mode: ExecutionMode, wish: PredictionWish): Promise<Outcome<PredictionVerdict>>;
  /** Validates a compiled order on the present market. */
  revalidate(orgId: string, market: PredictionMarket, order: Order): Promise<Outcome<PredictionVerdict>>;
}

export function createPredictionOrderHandler(deps: {
  readonly runtime: Pick<Runtime, 'start'>;
  readonly preTrade: PredictionPreTrade;
  /** True if a step failed because its book was no longer at the validated version. */
  readonly isOverrun: (error: unknown) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}): PredictionOrderCommands {
  const { runtime, clock } = deps;

  /** Returns the result of a paper order. */
  function onPaper(
    id: string,
    { market, order, verdict, touch }: PassedVerdict<PredictionVerdict>,
  ): Pick<PredictionOrderInput, 'begins' | 'reason' | 'detail' | 'fills'> {
    const filled = paperFill(verdict.approved, verdict.market, findCostModel(order.instrument), {
      id: contentId(`fill\n${id}`),
      at: clock.now(),
      decisionPrice: touch,
      feeUsdOf: (parts) => takenFeeUsd(market.fee, parts),
    });
    return filled.outcome === 'no_fill'
      ? { begins: 'failed', reason: filled.reason, detail: filled.detail, fills: [] }
      : { begins: filled.outcome, reason: null, detail: null, fills: [filled.fill] };
  }

  async function assessedAndFilled(context: CommandContext, id: string, wish: PredictionWish): Promise<Outcome<PredictionOrderView>> {
    const validated = passed(await deps.preTrade.validate(context.orgId, id, 'paper', wish));
    if (!validated.ok) return validated;
    const createdAt = clock.now();
    const input = toOrderInput(validated.value, wish.outcome, context.subject, createdAt, {
      ...onPaper(id, validated.value),
      onchain: null,
    });
    const plan = await runtime.start('prediction_order', id, context.orgId, input, {
      cause: `${context.subject} ${context.requestId}`,
      also: (begins) => [
        auditRow(context, 'prediction_order.paper', id, null, begins.state),
        ...answerRows(context, predictionOrderView(id, begins.state, createdAt)),
      ],
    });
    return { ok: true, value: predictionOrderView(id, plan.state, createdAt) };
  }

  return {
    async paper(context, wish) {
      const id = deps.newId();
      return placedOnVerdict(
        context.orgId,
        (error) => (deps.isOverrun(error) ? 'moved' : null),
        () => assessedAndFilled(context, id, wish),
      );
    },
  };
}

/** Returns the initial input of an order's actor. */
export function toOrderInput(
  validated: PredictionVerdict,
  outcome: PredictionOrderInput['outcome'],
  placedBy: string,
  createdAt: EpochMs,
  begun: Pick<PredictionOrderInput, 'begins' | 'reason' | 'detail' | 'fills' | 'onchain'>,
): PredictionOrderInput {
  const { market, order, verdict, touch, epoch, bookVersion } = validated;
  return {
    order,
    marketId: market.id,
    outcome,
    ...begun,
    decisionPrice: touch,
    risk: verdict.risk,
    placedBy,
    epoch,
    bookVersion,
    createdAt,
  };
}

/** Returns the view of an order after its step. Later fills are read from the store. */
export function predictionOrderView(id: string, state: ActorState, at: EpochMs): PredictionOrderView {
  return { ...predictionOrderRow(id, state, at), fills: predictionOrderContext(state).fills };
}
