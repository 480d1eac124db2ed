/** Rejection codes of the pre-trade risk function, in the order of the results. */

export const RISK_CODES = [
  'position_weight_breach',
  'duplicate_underlying_breach',
  'pool_liquidity_breach',
  'daily_drawdown_breach',
  'stale_reference_feed',
  'quote_not_live',
  'venue_mismatch',
  'notional_limit_breach',
  'open_positions_breach',
  'capital_limit_breach',
  'slippage_budget_breach',
  'reduce_only',
  'halted',
  'feature_disabled',
  'insufficient_balance',
  'leverage_breach',
] as const;
export type RiskCode = (typeof RISK_CODES)[number];

/** Bit of each code in a mask of breaches. */
export const RISK_BITS = Object.freeze(Object.fromEntries(RISK_CODES.map((code, index) => [code, 1 << index]))) as Readonly<
  Record<RiskCode, number>
>;
