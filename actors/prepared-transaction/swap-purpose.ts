/** The purpose `swap`: checks its promise on the chain, and books the single fill of a finalized swap. */
import { plainDecimal, type DecimalString } from '../../src/domain/values/decimal.ts';
import { contentId } from '../../src/domain/values/ids.ts';
import { balanceObjection, swapFill, toUi, type SwapPromise } from '../../src/domain/solana/swap.ts';
import { record } from '../runtime/actor-kind.ts';
import type { PreparedTransactionContext } from './machine.ts';
import type { PurposeRules } from './purpose.ts';
import type { FillQuote } from '../../src/domain/books/book.ts';
import type { RiskAttribution } from '../../src/domain/agents/decision.ts';
import type { Order } from '../../src/domain/orders/order.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { RouteStep } from './swap-router.ts';

/** Promise of a prepared swap: its frozen subject. Plain JSON. */
export interface SwapSubject {
  readonly instrument: InstrumentKey;
  readonly promise: SwapPromise;
  /** The order that risk accepted, at the worst price. */
  readonly order: Order;
  readonly slippageBps: number;
  /** Executable price when it was prepared. */
  readonly decisionPrice: DecimalString;
  readonly market: FillQuote;
  readonly priceImpactPct: DecimalString | null;
  readonly steps: readonly RouteStep[];
  readonly risk: RiskAttribution;
  /** Trade proposal that requested the swap and books its fill. Missing for a person's own swap. */
  readonly proposal?: SwapProposal;
}

/** A trade proposal, and the agent or Take it belongs to. */
export interface SwapProposal {
  readonly id: string;
  readonly traderId: string;
}

export function swapSubject(context: Pick<PreparedTransactionContext, 'subject'>): SwapSubject {
  return context.subject as unknown as SwapSubject;
}

export const swapPurpose: PurposeRules = {
  dollarsPaid(context) {
    const { promise, proposal } = swapSubject(context);
    // A proposal's swap spends what is bound for its agent or Take, whoever signs it.
    return promise.side === 'buy' && proposal === undefined ? plainDecimal(toUi(promise.inAmount, promise.input)) : '0';
  },
  objection: (context, { changes }) => balanceObjection(changes, swapSubject(context).promise),

  settle(context, info) {
    const { order, promise, decisionPrice, market, proposal } = swapSubject(context);
    const { landed } = context;
    if (landed === null) throw new Error(`swap ${info.actorId} cannot be settled before it lands`);
    const fill = swapFill(landed.changes, promise, {
      // The same id at every attempt, so that the fill is booked once.
      id: contentId(`fill\n${info.actorId}`),
      orderId: info.actorId,
      bookId: order.bookId,
      instrument: order.instrument,
      decisionPrice,
      at: landed.blockTime ?? info.now,
      quotes: [market],
    });
    // The proposal books its own swap, like a fill on any venue.
    if (fill !== null && (proposal !== undefined || context.executor === 'delegated')) return [];
    if (fill !== null) return [record('fill', { orgId: info.orgId, fill })];
    const body = { what: 'swap_moved_nothing', transactionId: info.actorId, wallet: context.wallet, signature: context.signature };
    return [{ kind: 'announcement', announcement: { channel: 'alerts', body } }];
  },
};
