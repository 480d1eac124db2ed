/** Commands of people's orders on the spot exchange: the protocol between the API and the order's actor. */
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { TimeInForce } from '../../src/domain/orders/execution.ts';
import type { ExecutionMode, Order, OrderSide } from '../../src/domain/orders/order.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { LeftByOrder, ManualVerdict } from '../manual-order/verdict.ts';
import type { PresentVerdict } from '../proposal/pre-trade.ts';
import type { MarketOrderView } from './resource.ts';

/** The one sentence for missing and foreign orders alike. */
export const NO_MARKET_ORDER = 'there is no market order with this id';

/** Order request of a person. Exactly one of the sizes is given. */
export interface MarketOrderRequest {
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  readonly quantity: DecimalString | null;
  /** The most that a buy may cost, or what a sell may bring at its worst price. */
  readonly notionalUsd: DecimalString | null;
  /** The worst acceptable price; null: the slippage budget on the present price decides. */
  readonly limitPrice: DecimalString | null;
  /** Slippage budget in basis points; null for the organization's own limit, at most half a percent. */
  readonly maxSlippageBps: number | null;
  /** `gtc` rests at its limit price until it is filled or cancelled; at once or not at all by default. */
  readonly timeInForce?: TimeInForce;
  /** True for a `gtc` order that never takes. */
  readonly postOnly?: boolean;
}

/** Every command answers after its transaction is committed. */
export interface MarketOrderCommands {
  /** Paper is filled, or not, at once; live is on its way. A refusal by risk names every limit. */
  place(context: CommandContext, mode: ExecutionMode, request: MarketOrderRequest): Promise<Outcome<MarketOrderView>>;
  /** Takes back what rests, or is on its way to rest. What was filled before, or is filled meanwhile, stays. */
  cancel(context: CommandContext, id: string): Promise<Outcome<MarketOrderView>>;
}

/** Risk for the orders of people on the spot exchange: the organization's preferences are the mandate, its manual book what they trade in. */
export interface MarketPreTrade {
  /**
   * Compiles orders on the present market and validates each on the account that the one before it leaves; refused if there is
   * no price, or the size is not one of the instrument's. `place` is told how each stands, and says what it leaves.
   */
  validateInTurn(
    orgId: string,
    mode: ExecutionMode,
    asked: readonly { readonly id: string; readonly request: MarketOrderRequest }[],
    place: (index: number, validated: Outcome<ManualVerdict>) => LeftByOrder,
  ): Promise<void>;
  /** Validates an order that was compiled before, placed in the given control epoch; in the present one if none is given. */
  reassess(orgId: string, placed: { readonly order: Order; readonly epoch?: number }): Promise<PresentVerdict>;
}
