/** Takes people's orders: risk, then the fill on paper or the way to the exchange, with audit and answer in the step's transaction. */
import type { ActorState } from '../../src/domain/actor-step.ts';
import { costModelOf } from '../../src/domain/costs.ts';
import { LicenceLost } from '../../src/domain/execution.ts';
import { contentId } from '../../src/domain/ids.ts';
import type { ExecutionMode } from '../../src/domain/order.ts';
import { paperFill } from '../../src/domain/paper-fill.ts';
import { type Outcome, refuse } from '../../src/domain/refusal.ts';
import type { Clock } from '../../streams/clock.ts';
import { answeredMeanwhile, answerRows, auditRow } from '../agent/command-rows.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { ManualPreTrade, ManualVerdict, MarketOrderCommands, MarketOrderView } from './commands.ts';
import { marketOrderContext, marketOrderState } from './effects.ts';
import type { MarketOrderInput } from './protocol.ts';

/** How often an order is judged anew where its book moved between the judgement and the fill. */
const ATTEMPTS = 5;

export function createMarketOrderDesk(deps: {
  readonly runtime: Pick<Runtime, 'start'>;
  readonly preTrade: ManualPreTrade;
  /** Whether live orders on the spot exchange are switched on. */
  readonly live: boolean;
  /** True where a step failed because its book was not at the version that it was judged on. */
  readonly isOverrun: (error: unknown) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}): MarketOrderCommands {
  const { runtime, clock } = deps;

  /** What a paper order comes to, and where a live one begins. */
  function beginning(
    id: string,
    mode: ExecutionMode,
    { order, verdict, touch }: ManualVerdict,
  ): Pick<MarketOrderInput, 'begins' | 'reason' | 'detail' | 'fills'> {
    const open = { reason: null, detail: null, fills: [] };
    if (!verdict.ok) throw new Error(`risk refused order ${id}`);
    if (mode === 'live') return { begins: 'approved', ...open };
    const info = { id: contentId(`fill\n${id}`), at: clock.now(), decisionPrice: touch };
    const filled = paperFill(verdict.approved, verdict.market, costModelOf(order.instrument), info);
    return filled.outcome === 'no_fill'
      ? { begins: 'failed', reason: filled.reason, detail: filled.detail, fills: [] }
      : { begins: filled.outcome, ...open, fills: [filled.fill] };
  }

  return {
    async place(context, mode, request): Promise<Outcome<MarketOrderView>> {
      if (mode === 'live' && !deps.live)
        return refuse(
          'feature_disabled',
          'live orders on the spot exchange are switched off: SVC_LIVE_SPOTEXCHANGE_ENABLED=true switches them on',
        );
      const id = deps.newId();
      for (let attempt = 1; ; attempt++) {
        const judged = await deps.preTrade.judge(context.orgId, id, mode, request);
        if (!judged.ok) return judged;
        const { verdict } = judged.value;
        if (!verdict.ok) {
          const { rejections } = verdict.risk;
          const detail = `risk does not let it pass: ${rejections.map(({ code }) => code).join(', ')}`;
          return { ok: false, refusal: { code: 'blocked_by_risk', detail, rejections } };
        }
        const begun = beginning(id, mode, judged.value);
        const createdAt = clock.now();
        const input: MarketOrderInput = {
          // As risk let it pass: with its limit drawn in to its budget on the present price.
          order: verdict.approved,
          ...begun,
          decisionPrice: judged.value.touch,
          risk: verdict.risk,
          placedBy: context.subject,
          epoch: judged.value.epoch,
          capitalUsd: judged.value.capitalUsd,
          bookVersion: judged.value.bookVersion,
          createdAt,
        };
        try {
          const plan = await runtime.start('market_order', id, context.orgId, input as never, {
            cause: `${context.subject} ${context.requestId}`,
            also: (begins) => [
              auditRow(context, `market_order.${mode}`, id, null, begins.state),
              ...answerRows(context, viewOf(id, begins.state, createdAt)),
            ],
          });
          return { ok: true, value: viewOf(id, plan.state, createdAt) };
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

function viewOf(id: string, state: ActorState, at: number): MarketOrderView {
  const { reason, detail, order, decisionPrice, risk, placedBy, filledQuantity, filledNotionalUsd, fills, createdAt } =
    marketOrderContext(state);
  return {
    id,
    state: marketOrderState(state),
    reason,
    detail,
    order,
    decisionPrice,
    risk,
    placedBy,
    filledQuantity,
    filledNotionalUsd,
    fills,
    createdAt,
    changedAt: at,
  };
}
