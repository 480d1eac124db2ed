/** Takes orders on prediction markets: risk, then the fill on paper, with audit and answer in the step's transaction. */
import type { ActorState } from '../../src/domain/actor-step.ts';
import { costModelOf } from '../../src/domain/costs.ts';
import { LicenceLost } from '../../src/domain/execution.ts';
import { contentId } from '../../src/domain/ids.ts';
import { paperFill } from '../../src/domain/paper-fill.ts';
import { takenFeeUsd } from '../../src/domain/prediction-order.ts';
import { type Outcome, refuse } from '../../src/domain/refusal.ts';
import type { EpochMs } from '../../src/domain/time.ts';
import type { Clock } from '../../streams/clock.ts';
import { answeredMeanwhile, answerRows, auditRow } from '../agent/command-rows.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { PredictionOrderCommands, PredictionOrderView, PredictionPreTrade, PredictionVerdict } from './commands.ts';
import { predictionOrderContext, predictionOrderState } from './effects.ts';
import type { PredictionOrderInput } from './protocol.ts';

/** How often an order is judged anew where its book moved between the judgement and the fill. */
const ATTEMPTS = 5;

export function createPredictionOrderDesk(deps: {
  readonly runtime: Pick<Runtime, 'start'>;
  readonly preTrade: PredictionPreTrade;
  /** True where a step failed because its book was not at the version that it was judged on. */
  readonly isOverrun: (error: unknown) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}): PredictionOrderCommands {
  const { runtime, clock } = deps;

  /** What a paper order comes to. */
  function onPaper(
    id: string,
    { market, order, verdict, touch }: PredictionVerdict,
  ): Pick<PredictionOrderInput, 'begins' | 'reason' | 'detail' | 'fills'> {
    if (!verdict.ok) throw new Error(`risk refused order ${id}`);
    const filled = paperFill(verdict.approved, verdict.market, costModelOf(order.instrument), {
      id: contentId(`fill\n${id}`),
      at: clock.now(),
      decisionPrice: touch,
      feeUsdOf: (parts) => takenFeeUsd(market.fee, parts),
    });
    return filled.outcome === 'no_fill'
      ? { begins: 'failed', reason: filled.reason, detail: filled.detail, fills: [] }
      : { begins: filled.outcome, reason: null, detail: null, fills: [filled.fill] };
  }

  return {
    async paper(context, wish) {
      const id = deps.newId();
      for (let attempt = 1; ; attempt++) {
        const judged = await deps.preTrade.judge(context.orgId, id, 'paper', wish);
        if (!judged.ok) return judged;
        const blocked = blockedBy(judged.value);
        if (blocked !== null) return blocked;
        const createdAt = clock.now();
        const input = inputOf(judged.value, wish.outcome, context.subject, createdAt, { ...onPaper(id, judged.value), onchain: null });
        try {
          const plan = await runtime.start('prediction_order', id, context.orgId, input as never, {
            cause: `${context.subject} ${context.requestId}`,
            also: (begins) => [
              auditRow(context, 'prediction_order.paper', id, null, begins.state),
              ...answerRows(context, predictionOrderView(id, begins.state, createdAt)),
            ],
          });
          return { ok: true, value: predictionOrderView(id, plan.state, createdAt) };
        } catch (error) {
          if (error instanceof LicenceLost)
            return refuse('halted', 'an emergency halt came while the order was placed; it was not carried out');
          if (deps.isOverrun(error) && attempt < ATTEMPTS) continue;
          if (deps.isOverrun(error)) return refuse('unavailable', 'other orders kept changing the book: try again');
          return answeredMeanwhile(error);
        }
      }
    },
  };
}

/** The refusal of an order that risk does not let pass; null where it does. */
export function blockedBy({ verdict }: Pick<PredictionVerdict, 'verdict'>): Outcome<never> | null {
  if (verdict.ok) return null;
  const { rejections } = verdict.risk;
  const detail = `risk does not let it pass: ${rejections.map(({ code }) => code).join(', ')}`;
  return { ok: false, refusal: { code: 'blocked_by_risk', detail, rejections } };
}

/** What an order's actor begins with. */
export function inputOf(
  judged: PredictionVerdict,
  outcome: PredictionOrderInput['outcome'],
  placedBy: string,
  createdAt: EpochMs,
  begun: Pick<PredictionOrderInput, 'begins' | 'reason' | 'detail' | 'fills' | 'onchain'>,
): PredictionOrderInput {
  const { market, order, verdict, touch, epoch, capitalUsd, bookVersion } = judged;
  return {
    order,
    marketId: market.id,
    outcome,
    ...begun,
    decisionPrice: touch,
    risk: verdict.risk,
    placedBy,
    epoch,
    capitalUsd,
    bookVersion,
    createdAt,
  };
}

/** An order as its step left it; what it filled later is read from the store. */
export function predictionOrderView(id: string, state: ActorState, at: EpochMs): PredictionOrderView {
  const context = predictionOrderContext(state);
  return {
    id,
    state: predictionOrderState(state),
    reason: context.reason,
    detail: context.detail,
    marketId: context.marketId,
    outcome: context.outcome,
    order: context.order,
    onchain: context.onchain,
    decisionPrice: context.decisionPrice,
    risk: context.risk,
    placedBy: context.placedBy,
    filledQuantity: context.filledQuantity,
    filledNotionalUsd: context.filledNotionalUsd,
    feesUsd: context.feesUsd,
    refundUsd: context.refundUsd,
    fills: context.fills,
    createdAt: context.createdAt,
    changedAt: at,
  };
}
