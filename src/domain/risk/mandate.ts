/** The mandate by which an order is assessed: the stricter of the manifest's limits and the organization's preferences. */
import type { Autonomy, Stage } from '../agents/agent.ts';
import { compareDecimals, Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { RiskPreferences } from './preferences.ts';

/** Fields of the preferences, each at its stricter value. */
export type Mandate = RiskPreferences;

/** Part of `max_capital_usd` that may be used at `limited_live`. */
const LIMITED_LIVE_PART = '0.1';

/**
 * Returns the stricter value of every limit that both have. At `limited_live` a tenth of the manifest's capital counts. @param manifest
 * Null for a manual order, whose mandate is the preferences alone. @param stage Null without an agent. @param autonomy `risk_only` may only
 * reduce.
 */
export function combineMandate(manifest: Manifest | null, preferences: RiskPreferences, stage: Stage | null, autonomy?: Autonomy): Mandate {
  const reduceOnly = preferences.reduceOnly || autonomy === 'risk_only';
  if (manifest === null) return { ...preferences, reduceOnly };
  const capital = stage === 'limited_live' ? limitedLiveCapital(manifest.maxCapitalUsd) : manifest.maxCapitalUsd;
  return {
    maxCapitalUsd: lesser(capital, preferences.maxCapitalUsd),
    maxTradeNotionalUsd: lesser(manifest.maxTradeNotionalUsd, preferences.maxTradeNotionalUsd),
    maxLeverage: lesser(manifest.maxLeverage, preferences.maxLeverage),
    maxDailyDrawdownPct: Math.min(manifest.maxDailyDrawdownPct, preferences.maxDailyDrawdownPct),
    maxOpenPositions: Math.min(manifest.maxOpenPositions, preferences.maxOpenPositions),
    maxSlippageBps: Math.min(manifest.maxSlippageBps, preferences.maxSlippageBps),
    maxPositionWeightPct: preferences.maxPositionWeightPct,
    maxUnderlyingWeightPct: preferences.maxUnderlyingWeightPct,
    maxPoolSharePct: preferences.maxPoolSharePct,
    requireLiveReference: preferences.requireLiveReference,
    reduceOnly,
  };
}

/** Returns the capital that `limited_live` may use: a tenth, rounded down to a millionth of a US dollar. */
export function limitedLiveCapital(maxCapitalUsd: DecimalString): DecimalString {
  return plainDecimal(new Decimal(maxCapitalUsd).times(LIMITED_LIVE_PART).toDecimalPlaces(6, Decimal.ROUND_FLOOR));
}

function lesser(a: DecimalString, b: DecimalString): DecimalString {
  return compareDecimals(a, b) <= 0 ? a : b;
}
