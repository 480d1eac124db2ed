/** Commands of swaps: the protocol between the API and the swap handler. */
import type { FillQuote } from '../../src/domain/books/book.ts';
import type { DecimalString } from '../../src/domain/values/decimal.ts';
import type { RiskAttribution } from '../../src/domain/agents/decision.ts';
import type { Order, OrderSide } from '../../src/domain/orders/order.ts';
import type { Outcome } from '../../src/domain/values/refusal.ts';
import type { SwapPromise } from '../../src/domain/solana/swap.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import type { CommandContext } from '../agent/commands.ts';
import type { PreparedTransactionView } from './resource.ts';
import type { RouteStep } from './swap-router.ts';

/** Parameters of a swap. */
export interface SwapWish {
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  /** Amount to give, in UI units: dollars of a buy, tokens of a sell. */
  readonly amount: DecimalString;
  /** Maximum slippage below the quote, in basis points. Null means 50, or the mandate's budget if that is less. */
  readonly slippageBps: number | null;
}

/** A swap as it would be now. Nothing is stored or reserved. */
export interface SwapQuote {
  readonly instrument: InstrumentKey;
  readonly promise: Omit<SwapPromise, 'wallet'>;
  readonly slippageBps: number;
  readonly priceImpactPct: DecimalString | null;
  readonly steps: readonly RouteStep[];
  /** The live quote beside it. */
  readonly market: FillQuote;
  readonly quotedAt: EpochMs;
}

/** Promise of a prepared swap: its frozen subject. Plain JSON. */
export interface SwapSubject {
  readonly instrument: InstrumentKey;
  readonly promise: SwapPromise;
  /** The order that risk accepted, at the worst price. */
  readonly order: Order;
  readonly slippageBps: number;
  /** The executable price when it was prepared. */
  readonly decisionPrice: DecimalString;
  readonly market: FillQuote;
  readonly priceImpactPct: DecimalString | null;
  readonly steps: readonly RouteStep[];
  readonly risk: RiskAttribution;
  /** The trade proposal that asked for it, which books its fill; none of a person's own swap. */
  readonly proposal?: SwapProposal;
}

/** A trade proposal and the agent or the Take that it is of. */
export interface SwapProposal {
  readonly id: string;
  readonly traderId: string;
}

/** Every command answers after its transaction is committed. */
export interface SwapCommands {
  /** Refused if the token has no live quote, or the aggregator no route. */
  quote(orgId: string, wish: SwapWish): Promise<Outcome<SwapQuote>>;
  /** Risk first, then the route, checked and stored before it is answered. */
  prepare(context: CommandContext, wish: SwapWish & { readonly wallet: string }): Promise<Outcome<PreparedTransactionView>>;
  /** Takes the signed bytes; see `TransactionSubmission`. */
  execute(context: CommandContext, id: string, signedBase64: string): Promise<Outcome<PreparedTransactionView>>;
}
