/** Execution assumptions of a backtest. They are part of every result and can be changed only within limits. */
import { findCostModel, type MarketState, assumedMarketState } from '../orders/costs.ts';
import type { Problem } from '../values/field.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** Assumptions about the execution of trades. Ratios, hence numbers. */
export type Assumptions = {
  /** Multiplies half spread, fees and depth impact of the venues' cost models. Must be at least 1. */
  readonly costMultiplier: number;
  /**
   * Maximum share of the last closed bar's traded notional that one order may take, in percent. If the history has pools, their depth is
   * the limit instead.
   */
  readonly maxParticipationPct: number;
  /** Minimum notional of an order, in US dollars. Smaller orders are not sent. */
  readonly minOrderUsd: number;
};

export const DEFAULT_ASSUMPTIONS: Assumptions = { costMultiplier: 1, maxParticipationPct: 10, minOrderUsd: 10 };

/** Inclusive bounds. A run may be harder than the model, never easier. */
export const ASSUMPTION_LIMITS: Readonly<
  Record<keyof Assumptions, { readonly min: number; readonly max: number; readonly description: string }>
> = {
  costMultiplier: {
    min: 1,
    max: 10,
    description: 'Multiplies spread, fee and depth impact of the cost models; costs are never below the model.',
  },
  maxParticipationPct: {
    min: 0.1,
    max: 10,
    description:
      "Largest share of the last closed bar's notional that one order takes, in percent. Of recorded pools it takes the share that risk allows.",
  },
  minOrderUsd: { min: 10, max: 100_000, description: 'Orders below this notional are not sent, in US dollars.' },
};

/** Reads assumptions over the defaults. Adds a problem for each that is out of bounds. */
export function readAssumptions(given: Readonly<Partial<Record<keyof Assumptions, number>>>, problems: Problem[]): Assumptions {
  const read = (name: keyof Assumptions): number => {
    const value = given[name] ?? DEFAULT_ASSUMPTIONS[name];
    const { min, max } = ASSUMPTION_LIMITS[name];
    if (!(value >= min && value <= max))
      problems.push({ path: `$.assumptions.${name}`, problem: `${value} is out of bounds`, allowed: `a number from ${min} to ${max}` });
    return value;
  };
  return { costMultiplier: read('costMultiplier'), maxParticipationPct: read('maxParticipationPct'), minOrderUsd: read('minOrderUsd') };
}

export interface TradeCosts extends MarketState {
  readonly model: string;
}

/** Returns the costs of an instrument by its model, times the multiplier. @throws Error for a reference price. */
export function computeTradeCosts(instrument: InstrumentKey, assumptions: Pick<Assumptions, 'costMultiplier'>): TradeCosts {
  return harder(findCostModel(instrument).name, assumedMarketState(instrument), assumptions);
}

/** Returns the costs in another market state than the model's, times the multiplier. */
export function harder(
  model: string,
  { feeBps, halfSpreadBps, depthUsd }: MarketState,
  { costMultiplier }: Pick<Assumptions, 'costMultiplier'>,
): TradeCosts {
  return {
    model,
    feeBps: feeBps * costMultiplier,
    halfSpreadBps: halfSpreadBps * costMultiplier,
    depthUsd: depthUsd / costMultiplier,
  };
}
