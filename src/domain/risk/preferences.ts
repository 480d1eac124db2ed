/** Risk preferences of an organization: its own limits on every order of agents and people. */
import type { DecimalString } from '../values/decimal.ts';

/** Preferences. Every field has a value. Percentages and basis points are ratios, hence numbers. */
export interface RiskPreferences {
  /** Maximum capital of one book in positions, in US dollars. */
  readonly maxCapitalUsd: DecimalString;
  /** Maximum notional of one order, in US dollars. */
  readonly maxTradeNotionalUsd: DecimalString;
  /** Maximum ratio of a book's exposure to its equity. */
  readonly maxLeverage: DecimalString;
  /** Loss of a UTC day, in percent of the day's first equity, above which a book opens no more positions. */
  readonly maxDailyDrawdownPct: number;
  /** Maximum open positions of one book. */
  readonly maxOpenPositions: number;
  /** Slippage budget: maximum distance of a limit price beyond the executable price, in basis points. */
  readonly maxSlippageBps: number;
  /** Maximum weight of one instrument over all books of the organization, in percent of their equity. */
  readonly maxPositionWeightPct: number;
  /** Maximum weight of one underlying over all instruments with exposure to it, in percent of the books' equity. */
  readonly maxUnderlyingWeightPct: number;
  /** Maximum share of a pool's liquidity per position, in percent. */
  readonly maxPoolSharePct: number;
  /** True if an instrument with a reference price is bought only while that price is live, whatever the rules use. */
  readonly requireLiveReference: boolean;
  /** True if nothing is bought at all. */
  readonly reduceOnly: boolean;
}

/**
 * Defaults until an organization sets its own. Limits that a manifest also sets are generous here. The pool share is the one above which
 * the stress scenarios charge an exit haircut.
 */
export const DEFAULT_PREFERENCES: RiskPreferences = Object.freeze({
  maxCapitalUsd: '10000000',
  maxTradeNotionalUsd: '1000000',
  maxLeverage: '5',
  maxDailyDrawdownPct: 20,
  maxOpenPositions: 100,
  maxSlippageBps: 500,
  maxPositionWeightPct: 100,
  maxUnderlyingWeightPct: 100,
  maxPoolSharePct: 5,
  requireLiveReference: false,
  reduceOnly: false,
});
