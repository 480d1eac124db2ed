/** Commands of swaps, as the API calls them. */
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

export interface SwapWish {
  readonly instrument: InstrumentKey;
  readonly side: OrderSide;
  /** Input amount in UI units: dollars for a buy, tokens for a sell. */
  readonly amount: DecimalString;
  /** Maximum slippage below the quote, in basis points. Null means 50, or the mandate's budget if that is less. */
  readonly slippageBps: number | null;
}

/** A swap at present prices. Nothing is stored or reserved. */
export interface SwapQuote {
  readonly instrument: InstrumentKey;
  readonly promise: Omit<SwapPromise, 'wallet'>;
  readonly slippageBps: number;
  readonly priceImpactPct: DecimalString | null;
  readonly steps: readonly RouteStep[];
  /** Live quote at the same time. */
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

/** Commands of swaps. Each answers after its transaction has committed. */
export interface SwapCommands {
  /** Prices a swap. Refuses if the token has no live quote or the aggregator has no route. */
  quote(orgId: string, wish: SwapWish): Promise<Outcome<SwapQuote>>;
  /** Assesses risk, then requests the route, checks it and stores the transaction. */
  prepare(context: CommandContext, wish: SwapWish & { readonly wallet: string }): Promise<Outcome<PreparedTransactionView>>;
  /** Submits the signed bytes. See `TransactionSubmission`. */
  execute(context: CommandContext, id: string, signedBase64: string): Promise<Outcome<PreparedTransactionView>>;
}
