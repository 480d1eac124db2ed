/** Commands of prediction-market orders: the protocol between the API and the order's actor. */
import type { ExecutionMode, Order } from '../../src/domain/orders/order.ts';
import type { PredictionMarket } from '../../src/domain/prediction/market.ts';
import type { PredictionWish } from '../../src/domain/prediction/order.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { ManualVerdict } from '../manual-order/verdict.ts';
import type { PreparedTransactionView } from '../prepared-transaction/resource.ts';
import type { PredictionOrderView } from './resource.ts';

/** The one sentence for missing and foreign orders alike. */
export const NO_PREDICTION_ORDER = 'there is no prediction order with this id';

/** Every command answers after its transaction is committed. */
export interface PredictionOrderCommands {
  /** Filled, or not, at once through the venue's live book. A refusal by risk names every limit. */
  paper(context: CommandContext, wish: PredictionWish): Promise<Outcome<PredictionOrderView>>;
}

/** Live orders, in two steps. */
export interface LivePredictionOrders {
  /** Asks the venue for a transaction that opens the order, validates exactly that order and stores both. Nothing is on the chain yet. */
  prepare(
    context: CommandContext,
    wish: PredictionWish,
    wallet: string,
  ): Promise<Outcome<{ readonly order: PredictionOrderView; readonly transaction: PreparedTransactionView }>>;
  /** Takes the signed bytes of the order's transaction. Executed is not filled. */
  execute(context: CommandContext, orderId: string, signedBase64: string): Promise<Outcome<PreparedTransactionView>>;
}

/** Risk assessment of an order at this moment. */
export interface PredictionVerdict extends ManualVerdict {
  readonly market: PredictionMarket;
}

/** Risk for orders on prediction markets: the one risk function on the venue's present book and the manual book. */
export interface PredictionPreTrade {
  /** Compiles the order on the present market and validates it; refused if the market takes none, or there is no live price. */
  validate(orgId: string, id: string, mode: ExecutionMode, wish: PredictionWish): Promise<Outcome<PredictionVerdict>>;
  /** Validates an order that was compiled before, on the market of this moment. */
  revalidate(orgId: string, market: PredictionMarket, order: Order): Promise<Outcome<PredictionVerdict>>;
}
