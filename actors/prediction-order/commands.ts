/** Commands of prediction-market orders, as the API calls them. */
import type { ExecutionMode, Order } from '../../src/domain/orders/order.ts';
import type { PredictionMarket } from '../../src/domain/prediction/market.ts';
import type { PredictionWish } from '../../src/domain/prediction/order.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { ManualVerdict } from '../manual-order/verdict.ts';
import type { PreparedTransactionView } from '../prepared-transaction/resource.ts';
import type { PredictionOrderView } from './resource.ts';

/** Message for an order that does not exist or belongs to another organization. */
export const NO_PREDICTION_ORDER = 'there is no prediction order with this id';

/** Commands of prediction orders. Each answers after its transaction has committed. */
export interface PredictionOrderCommands {
  /** Fills a paper order at once from the venue's live book, or lapses it. A risk refusal names every limit. */
  paper(context: CommandContext, wish: PredictionWish): Promise<Outcome<PredictionOrderView>>;
}

/** Commands of live orders, in two steps. */
export interface LivePredictionOrders {
  /**
   * Requests a transaction from the venue that opens the order, validates exactly that order and stores both. Nothing is on the chain yet.
   */
  prepare(
    context: CommandContext,
    wish: PredictionWish,
    wallet: string,
  ): Promise<Outcome<{ readonly order: PredictionOrderView; readonly transaction: PreparedTransactionView }>>;
  /** Submits the signed bytes of the order's transaction. An executed transaction opens the order. It does not mean a fill. */
  execute(context: CommandContext, orderId: string, signedBase64: string): Promise<Outcome<PreparedTransactionView>>;
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
