/** What a simulated trade costs: spread, venue fee, depth and latency under a named model, the same on paper and in a backtest. */
import { Decimal, type DecimalString, plainDecimal } from './decimal.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from './venue.ts';

/** The costs of trading on one venue. Named, so that a fill and an evaluation say which assumptions they were made under. */
export interface CostModel {
  readonly name: string;
  /** What the venue takes of an order that takes liquidity. */
  readonly takerFeeBps: number;
  /** Assumed distance of the best price from the middle, where only one price is known (a bar of candles). */
  readonly halfSpreadBps: number;
  /** Assumed notional of one side within one percent of the middle, in US dollars, where neither a book nor a pool is known. */
  readonly depthUsd: DecimalString;
  /** From the decision to the venue: what an order is priced on is at least so much younger than its decision. */
  readonly latencyMs: number;
}

/**
 * The published fees of the venues' lowest tier and cautious depths; the aggregator's quotes already hold the fees of
 * the pools that they lead through, so only the spread between its two directions and the network is assumed on top.
 */
export const COST_MODELS: Readonly<Record<ExecutableVenue, CostModel>> = {
  spotchain: { name: 'spotchain-taker-1', takerFeeBps: 5, halfSpreadBps: 15, depthUsd: '50000', latencyMs: 2_000 },
  spotexchange: { name: 'spotexchange-taker-1', takerFeeBps: 10, halfSpreadBps: 1, depthUsd: '5000000', latencyMs: 250 },
  evmvenue: { name: 'evmvenue-taker-1', takerFeeBps: 4.5, halfSpreadBps: 1, depthUsd: '5000000', latencyMs: 500 },
  prediction: { name: 'prediction-taker-1', takerFeeBps: 100, halfSpreadBps: 100, depthUsd: '5000', latencyMs: 2_000 },
};

/** The model of the instrument's venue. @throws Error for a reference price, which nobody trades. */
export function costModelOf(instrument: InstrumentKey): CostModel {
  const { venue } = splitInstrumentKey(instrument);
  if (venue === 'reference') throw new Error(`${instrument} is a reference price and never trades`);
  return COST_MODELS[venue];
}

/** Ten thousand basis points are the whole. */
const BPS = 10_000;

/** The venue's fee of a notional, in US dollars, rounded up to a millionth: never in the trader's favour. */
export function feeUsdOf(notionalUsd: Decimal | DecimalString, model: CostModel): DecimalString {
  return plainDecimal(new Decimal(notionalUsd).times(model.takerFeeBps).div(BPS).toDecimalPlaces(6, Decimal.ROUND_UP));
}

/**
 * The average price of taking `quantity` out of a constant-product pool at `startPrice`: for a buy of notional N against
 * one side worth U the average is startPrice x (1 + N/U), for a sell startPrice x U/(U + N). `liquidityUsd` is both
 * sides together.
 */
export function pooledPrice(
  side: 'buy' | 'sell',
  startPrice: Decimal | DecimalString,
  quantity: Decimal | DecimalString,
  liquidityUsd: Decimal | DecimalString,
): Decimal {
  const start = new Decimal(startPrice);
  const notional = start.times(quantity);
  const oneSide = new Decimal(liquidityUsd).div(2);
  // A buy of q tokens out of T = U/p leaves T - q: the average price is U/(T - q) = p U/(U - N).
  if (side === 'buy')
    return notional.gte(oneSide) ? new Decimal(Number.POSITIVE_INFINITY) : start.times(oneSide).div(oneSide.minus(notional));
  return start.times(oneSide).div(oneSide.plus(notional));
}

/** How far a price lies on the bad side of the one that was decided on, in basis points; below zero where it is better. A ratio, hence a number. */
export function slippageBpsOf(side: 'buy' | 'sell', decisionPrice: Decimal | DecimalString, fillPrice: Decimal | DecimalString): number {
  const decided = new Decimal(decisionPrice);
  const away = new Decimal(fillPrice).minus(decided).div(decided).times(BPS);
  return (side === 'buy' ? away : away.neg()).toDecimalPlaces(4).toNumber() + 0;
}
