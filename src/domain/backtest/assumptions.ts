/** Trading assumptions of a backtest, by name. They are part of every result and can be changed within limits only. */
import { costModelOf, type MarketState, marketStateOf } from '../orders/costs.ts';
import type { Problem } from '../values/field.ts';
import type { InstrumentKey } from '../market/venue.ts';

/** Assumptions about the execution of trades. Ratios, hence numbers. */
export interface Assumptions {
  /** Multiplies half spread, fees and depth impact of the venues' cost models. 1 is the model; below 1 is refused. */
  readonly costMultiplier: number;
  /** The largest share of the last closed bar's traded notional that one order may take, in percent; where the history holds pools, their depth bounds it. */
  readonly maxParticipationPct: number;
  /** Orders below this notional are not sent, in US dollars. */
  readonly minOrderUsd: number;
}

export const DEFAULT_ASSUMPTIONS: Assumptions = { costMultiplier: 1, maxParticipationPct: 10, minOrderUsd: 10 };

/** Bounds, inclusive: a run may be made harder, never easier than the model. */
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

/** Reads given assumptions over the default ones; adds a problem for each that is out of its limits. */
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

/** The costs of one instrument under the assumptions. */
export interface TradeCosts extends MarketState {
  readonly model: string;
}

/** The costs of the instrument as its model assumes them, made harder by the multiplier. @throws Error for a reference price. */
export function costsOf(instrument: InstrumentKey, assumptions: Pick<Assumptions, 'costMultiplier'>): TradeCosts {
  return harder(costModelOf(instrument).name, marketStateOf(instrument), assumptions);
}

/** The costs in a state of the market that is not that of the model, made harder by the multiplier. */
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
