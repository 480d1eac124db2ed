/** The registry of indicators. */
import type { IndicatorNeed } from '../market/cut.ts';
import { EMA, type EmaState } from './ema.ts';
import { FUNDING_PERCENTILE, type FundingPercentileState } from './funding-percentile.ts';
import type { Indicator } from './indicator.ts';
import { RSI, type RsiState } from './rsi.ts';
import { VOLATILITY, type VolatilityState } from './volatility.ts';

export type { Indicator };
export { EMA, FUNDING_PERCENTILE, RSI, VOLATILITY };

/** State of any indicator, as plain JSON. */
export type IndicatorState = RsiState | EmaState | VolatilityState | FundingPercentileState;

const INDICATORS = { rsi: RSI, ema: EMA, volatility: VOLATILITY, funding_percentile: FUNDING_PERCENTILE } as const satisfies Readonly<
  Record<IndicatorNeed['name'], unknown>
>;

/** Returns the indicator of a name, for callers that keep states of several kinds together. */
export function findIndicator(name: IndicatorNeed['name']): Indicator<IndicatorState> {
  return INDICATORS[name] as unknown as Indicator<IndicatorState>;
}
