/** Commands of manual orders on the spot exchange, as the API calls them. */
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { TimeInForce } from '../../src/domain/orders/execution.ts';
import type { ExecutionMode, Order, OrderSide } from '../../src/domain/orders/order.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { LeftByOrder, ManualVerdict } from '../manual-order/verdict.ts';
import type { PresentVerdict } from '../proposal/pre-trade.ts';

/** Message for an order that does not exist or belongs to another organization. */
export const NO_MARKET_ORDER = 'there is no market order with this id';

/** A person's order. Exactly one of the sizes is given. */
export interface MarketOrderRequest {
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  readonly quantity: DecimalString | null;
  /** Maximum cost of a buy, or proceeds of a sell at its worst price. */
  readonly notionalUsd: DecimalString | null;
  /** Worst acceptable price, or null to derive it from the slippage budget and the present price. */
  readonly limitPrice: DecimalString | null;
  /** Slippage budget in basis points, or null for the organization's own limit, at most 50. */
  readonly maxSlippageBps: number | null;
  /** `gtc` rests at its limit price until it is filled or cancelled. The default fills at once or lapses. */
  readonly timeInForce?: TimeInForce;
  /** True for a `gtc` order that must not take liquidity. */
  readonly postOnly?: boolean;
}

/** Risk of manual orders on the spot exchange. The mandate is the organization's preferences, the book its manual book. */
export interface MarketPreTrade {
  /**
   * Compiles orders on the present market and validates each on the account that the previous one leaves. Refuses if there is no price or
   * the size does not fit the instrument. `place` receives each validation and returns the order's effect on the next.
   */
  validateInTurn(
    orgId: string,
    mode: ExecutionMode,
    asked: readonly { readonly id: string; readonly request: MarketOrderRequest }[],
    place: (index: number, validated: Outcome<ManualVerdict>) => LeftByOrder,
  ): Promise<void>;
  /** Validates a compiled order in its control epoch, or in the present one if none is given. */
  reassess(orgId: string, placed: { readonly order: Order; readonly epoch?: number }): Promise<PresentVerdict>;
}
