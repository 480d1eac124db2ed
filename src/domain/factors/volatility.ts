/** volatility: enter only while realised volatility is low. */
import { PERIOD_FIELD, TIMEFRAME_FIELD } from '../conditions/condition.ts';
import type { FactorDefinition } from './factor.ts';

export const VOLATILITY_FACTOR: FactorDefinition = {
  name: 'volatility',
  description: 'Enters while annualised volatility lies below max_pct on every timeframe.',
  parameters: {
    period: { ...PERIOD_FIELD, default: 20 },
    max_pct: { type: 'number', min: 0, max: 10_000, description: 'Annualised percent below which the factor lets a trade enter.' },
    timeframe: TIMEFRAME_FIELD,
  },
  usesTimeframe: true,
  expand: ({ period, max_pct }, timeframes) => ({
    entry: timeframes.map((timeframe) => ({ type: 'volatility_below', period: period as number, pct: max_pct as number, timeframe })),
    exit: [],
  }),
};
