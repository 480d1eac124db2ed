/** The purpose `swap`: checks its promise on the chain, and books the single fill of a finalized swap. */
import { plainDecimal } from '../../src/domain/values/decimal.ts';
import { contentId } from '../../src/domain/values/ids.ts';
import { balanceObjection, swapFill, uiOf } from '../../src/domain/solana/swap.ts';
import { record } from '../runtime/actor-kind.ts';
import type { PreparedTransactionContext } from './protocol.ts';
import type { PurposeRules } from './purpose.ts';
import type { SwapSubject } from './swap-commands.ts';

export function swapSubject(context: Pick<PreparedTransactionContext, 'subject'>): SwapSubject {
  return context.subject as unknown as SwapSubject;
}

export const swapPurpose: PurposeRules = {
  dollarsPaid(context) {
    const { promise, proposal } = swapSubject(context);
    // A proposal's swap spends what is bound for its agent or Take, whoever signs it.
    return promise.side === 'buy' && proposal === undefined ? plainDecimal(uiOf(promise.inAmount, promise.input)) : '0';
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
