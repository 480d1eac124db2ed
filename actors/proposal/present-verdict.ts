/** Risk and market queries of a proposal at its approval and at its execution. */
import type { RiskAttribution } from '../../src/domain/agents/decision.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { PaperMarket } from '../../src/domain/orders/paper-fill.ts';
import type { RiskApproved } from '../../src/domain/risk/assess.ts';
import type { ProposalContext } from './protocol.ts';

/** Risk assessment of an order now. */
export type PresentVerdict = {
  /** Assessed version of the organization's mandate, if the execution has to verify it. */
  readonly mandateVersion?: number;
} & (
  | {
      readonly ok: true;
      readonly approved: RiskApproved<Order>;
      readonly risk: RiskAttribution;
      /** Market of the assessment, on which a paper order may be filled. */
      readonly market: PaperMarket;
    }
  | { readonly ok: false; readonly risk: RiskAttribution }
);

/** Runs the pre-trade risk function on the present quotes, book and mandate. */
export interface PreTrade {
  assess(
    orgId: string,
    proposal: Pick<ProposalContext, 'agentId' | 'order' | 'readsReference' | 'flattens'> & Partial<Pick<ProposalContext, 'epoch'>>,
  ): Promise<PresentVerdict>;
}

/** Rejections caused by the present data. The order may pass later. */
const OF_THE_MOMENT: ReadonlySet<string> = new Set(['quote_not_live', 'stale_reference_feed']);

/** True if only the present data stands in the way. */
export function isPassing(risk: RiskAttribution): boolean {
  return risk.rejections.length > 0 && risk.rejections.every(({ code }) => OF_THE_MOMENT.has(code));
}

/** True if a halt or a pause stands in the way, rather than an invalid token. */
export function isHalted(risk: RiskAttribution): boolean {
  return risk.rejections.some(({ change }) => change?.kind === 'lift_halt');
}
