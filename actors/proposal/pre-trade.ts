/** Risk and market queries of a proposal at its approval and at its execution. */
import type { RiskAttribution } from '../../src/domain/agents/decision.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { PaperMarket } from '../../src/domain/orders/paper-fill.ts';
import type { RiskApproved } from '../../src/domain/risk/assess.ts';
import type { ProposalContext } from './protocol.ts';

/** An order as the pre-trade risk function sees it now. */
export type PresentVerdict = {
  /** Version of the assessed mandate of the organization, if the execution has to verify it. */
  readonly mandateVersion?: number;
} & (
  | {
      readonly ok: true;
      readonly approved: RiskApproved<Order>;
      readonly risk: RiskAttribution;
      /** Market that it was assessed on and may be filled on. */
      readonly market: PaperMarket;
    }
  | { readonly ok: false; readonly risk: RiskAttribution }
);

/** Runs the pre-trade risk function on the present quotes, the present book and the mandate of the moment. */
export interface PreTrade {
  assess(
    orgId: string,
    proposal: Pick<ProposalContext, 'agentId' | 'order' | 'readsReference' | 'flattens'> & Partial<Pick<ProposalContext, 'epoch'>>,
  ): Promise<PresentVerdict>;
}

/** Rejections that pass by themselves: the data of this moment is no good, the order may still be. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set(['quote_not_live', 'stale_reference_feed']);

/** True if nothing but the data of the moment stands in the way. */
export function isPassing(risk: RiskAttribution): boolean {
  return risk.rejections.length > 0 && risk.rejections.every(({ code }) => OF_THE_MOMENT.has(code));
}

/** True if a halt or a pause stands in the way, and not a token that is no longer valid. */
export function isHalted(risk: RiskAttribution): boolean {
  return risk.rejections.some(({ change }) => change?.kind === 'lift_halt');
}
