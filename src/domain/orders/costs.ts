/**
 * The cost of an order: half spread, depth impact, the venue's fee and the mint's transfer fee. Backtests, stress runs, paper, portfolio
 * impact, rankings and the basis all use it. If the market state was not observed, the instrument's cost model supplies an assumption.
 */
import { CATALOG } from '../catalog/catalog.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import {
  EXECUTABLE_VENUES,
  type ExecutableVenue,
  isExecutable,
  type InstrumentKey,
  splitInstrumentKey,
  VENUE_FACTS,
} from '../market/venue.ts';
import type { CostModel } from '../venues/venue-facts.ts';

/** Trading costs of each executable venue. */
export const COST_MODELS = Object.fromEntries(EXECUTABLE_VENUES.map((venue) => [venue, VENUE_FACTS[venue].costs])) as Readonly<
  Record<ExecutableVenue, CostModel>
>;

/**
 * Returns the cost model of an instrument: its own if its venue has one for it, else the venue's. @throws Error for an instrument of a
 * venue that takes no orders.
 */
export function findCostModel(instrument: InstrumentKey): CostModel {
  const { venue, instrument: name } = splitInstrumentKey(instrument);
  if (!isExecutable(venue)) throw new Error(`${instrument} cannot be traded: ${venue} has reference prices only`);
  return VENUE_FACTS[venue].costsOf?.(name) ?? COST_MODELS[venue];
}

/** Basis points of the whole. */
const BPS = 10_000;
/** Liquidity of one pool side as a multiple of the one-percent depth. */
const SIDE_PER_DEPTH = 200;

/** Market state that an order meets. Ratios and estimates, hence numbers. */
export interface MarketState {
  /** The venue's taker fee. */
  readonly feeBps: number;
  /** Distance of the best price from the midpoint. Includes the mint's transfer fee, like pool quotes. */
  readonly halfSpreadBps: number;
  /** Notional that moves the price by one percent, in US dollars. */
  readonly depthUsd: number;
}

/** Observations of a market. Null if not observed. */
export interface SeenState {
  readonly halfSpreadBps: number | null;
  /** Liquidity of both sides of the pools, in US dollars. */
  readonly liquidityUsd: number | null;
}

/** Returns the fee that the instrument's mint takes of each transfer, in basis points. 0 if it is no token. */
export function findTransferFeeBps(instrument: InstrumentKey): number {
  return CATALOG.byKey(instrument)?.token?.transferFeeBps ?? 0;
}

/** Returns the market state that an instrument's cost model assumes. */
export function assumedMarketState(instrument: InstrumentKey): MarketState {
  const { takerFeeBps, halfSpreadBps, depthUsd } = findCostModel(instrument);
  return { feeBps: takerFeeBps, halfSpreadBps: halfSpreadBps + findTransferFeeBps(instrument), depthUsd: Number(depthUsd) };
}

/** Returns the state of a market with observed values in place of assumed ones. */
export function observedState(assumed: MarketState, { halfSpreadBps, liquidityUsd }: SeenState): MarketState {
  return {
    feeBps: assumed.feeBps,
    halfSpreadBps: halfSpreadBps ?? assumed.halfSpreadBps,
    depthUsd: liquidityUsd !== null && liquidityUsd > 0 ? depthOfPool(liquidityUsd) : assumed.depthUsd,
  };
}

/** Returns the notional that moves a constant-product pool by one percent. `liquidityUsd` is both sides together. */
function depthOfPool(liquidityUsd: number): number {
  return liquidityUsd / 2 / SIDE_PER_DEPTH;
}

/** Returns the liquidity of the pool, both sides together, that is as deep as a cost model assumes. */
export function poolOfDepth(depthUsd: DecimalString): DecimalString {
  return plainDecimal(new Decimal(depthUsd).times(2 * SIDE_PER_DEPTH));
}

/** Returns the US dollars on one side of the equally deep pool. */
export function halveDepth({ depthUsd }: Pick<MarketState, 'depthUsd'>): number {
  return depthUsd * SIDE_PER_DEPTH;
}

/**
 * Computes the average price of an order over the best price, along the curve of `pooledPrice`, in doubles. Infinite for a buy of the whole
 * pool. @param notionalUsd Size of the order at the best price.
 */
export function averageOverBest(side: 'buy' | 'sell', notionalUsd: number, state: Pick<MarketState, 'depthUsd'>): number {
  const oneSide = halveDepth(state);
  if (side === 'sell') return oneSide / (oneSide + notionalUsd);
  return notionalUsd < oneSide ? oneSide / (oneSide - notionalUsd) : Number.POSITIVE_INFINITY;
}

/** Returns the distance of an average fill of this notional from the midpoint, in basis points, before fees. Positive is a cost. */
export function slippageFromMiddleBps(side: 'buy' | 'sell', notionalUsd: number, state: MarketState): number {
  const best = 1 + ((side === 'buy' ? 1 : -1) * state.halfSpreadBps) / BPS;
  return Math.abs(best * averageOverBest(side, notionalUsd * best, state) - 1) * BPS;
}

/**
 * Computes the expected slippage of an order in basis points, before fees: how far its average fill is beyond the best price, measured like
 * `computeSlippageBps`.
 */
export function expectedSlippageBps(side: 'buy' | 'sell', notionalUsd: number, state: Pick<MarketState, 'depthUsd'>): number {
  return Math.abs(averageOverBest(side, notionalUsd, state) - 1) * BPS;
}

/** Returns the venue's fee of a notional in US dollars, rounded up to a millionth. */
export function computeFeeUsd(notionalUsd: Decimal | DecimalString, model: CostModel): DecimalString {
  return plainDecimal(new Decimal(notionalUsd).times(model.takerFeeBps).div(BPS).toDecimalPlaces(6, Decimal.ROUND_UP));
}

/**
 * Returns the average price of taking `quantity` out of a constant-product pool at `startPrice`: for a buy of notional N against one side
 * worth U it is startPrice x (1 + N/U), for a sell startPrice x U/(U + N). `liquidityUsd` is both sides together.
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

/**
 * Returns the slippage against the decision price in basis points, negative if the price is better. A ratio, so a number is exact enough.
 */
export function computeSlippageBps(
  side: 'buy' | 'sell',
  decisionPrice: Decimal | DecimalString,
  fillPrice: Decimal | DecimalString,
): number {
  const decided = new Decimal(decisionPrice);
  const away = new Decimal(fillPrice).minus(decided).div(decided).times(BPS);
  return (side === 'buy' ? away : away.neg()).toDecimalPlaces(4).toNumber() + 0;
}
