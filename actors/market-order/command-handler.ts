/** Takes people's orders: risk, then the fill on paper or the way to the exchange, with audit and answer in the step's transaction. */
import type { ActorState } from '../../src/domain/actor-step.ts';
import { costModelOf } from '../../src/domain/costs.ts';
import { contentId } from '../../src/domain/ids.ts';
import type { ExecutionMode } from '../../src/domain/order.ts';
import { paperFill } from '../../src/domain/paper-fill.ts';
import { type Outcome, refuse } from '../../src/domain/refusal.ts';
import { lackInWords } from '../../src/domain/risk/index.ts';
import type { Clock } from '../../streams/clock.ts';
import { answerRows, auditRow } from '../agent/command-rows.ts';
import type { CommandContext } from '../agent/commands.ts';
import { manualOrderView } from '../manual-order/order.ts';
import { placedOnVerdict } from '../manual-order/placing.ts';
import { type PassedVerdict, passed } from '../manual-order/verdict.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { MarketOrderCommands, MarketOrderRequest, MarketOrderView, MarketPreTrade } from './commands.ts';
import { marketOrderContext, marketOrderState } from './effects.ts';
import type { MarketOrderInput } from './protocol.ts';

export function createMarketOrderHandler(deps: {
  readonly runtime: Pick<Runtime, 'start'>;
  readonly preTrade: MarketPreTrade;
  /** What live orders of an organization on the spot exchange lack; null where they lack nothing. */
  readonly lacks: (orgId: string) => string | null;
  /** True where a step failed because its book was not at the version that it was validated on. */
  readonly isOverrun: (error: unknown) => boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly newId: () => string;
}): MarketOrderCommands {
  const { runtime, clock } = deps;

  /** What a paper order comes to, and where a live one begins. */
  function beginning(
    id: string,
    mode: ExecutionMode,
    { order, verdict, touch }: PassedVerdict,
  ): Pick<MarketOrderInput, 'begins' | 'reason' | 'detail' | 'fills'> {
    const open = { reason: null, detail: null, fills: [] };
    if (mode === 'live') return { begins: 'approved', ...open };
    const info = { id: contentId(`fill\n${id}`), at: clock.now(), decisionPrice: touch };
    const filled = paperFill(verdict.approved, verdict.market, costModelOf(order.instrument), info);
    return filled.outcome === 'no_fill'
      ? { begins: 'failed', reason: filled.reason, detail: filled.detail, fills: [] }
      : { begins: filled.outcome, ...open, fills: [filled.fill] };
  }

  async function assessedAndBegun(
    context: CommandContext,
    id: string,
    mode: ExecutionMode,
    request: MarketOrderRequest,
  ): Promise<Outcome<MarketOrderView>> {
    const validated = passed(await deps.preTrade.validate(context.orgId, id, mode, request));
    if (!validated.ok) return validated;
    const { verdict, touch, epoch, capitalUsd, bookVersion } = validated.value;
    const begun = beginning(id, mode, validated.value);
    const createdAt = clock.now();
    const input: MarketOrderInput = {
      // As risk let it pass: with its limit drawn in to its budget on the present price.
      order: verdict.approved,
      ...begun,
      decisionPrice: touch,
      risk: verdict.risk,
      placedBy: context.subject,
      epoch,
      capitalUsd,
      bookVersion,
      createdAt,
    };
    const plan = await runtime.start('market_order', id, context.orgId, input as never, {
      cause: `${context.subject} ${context.requestId}`,
      also: (begins) => [
        auditRow(context, `market_order.${mode}`, id, null, begins.state),
        ...answerRows(context, marketOrderView(id, begins.state, createdAt)),
      ],
    });
    return { ok: true, value: marketOrderView(id, plan.state, createdAt) };
  }

  return {
    async place(context, mode, request) {
      const missing = mode === 'live' ? deps.lacks(context.orgId) : null;
      if (missing !== null) return refuse('feature_disabled', lackInWords('spotexchange', missing));
      const id = deps.newId();
      return placedOnVerdict(
        context.orgId,
        (error) => (deps.isOverrun(error) ? 'moved' : null),
        () => assessedAndBegun(context, id, mode, request),
      );
    },
  };
}

function marketOrderView(id: string, state: ActorState, at: number): MarketOrderView {
  return { ...manualOrderView(id, marketOrderContext(state), at), state: marketOrderState(state) };
}
