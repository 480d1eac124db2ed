/** volatility_below: annualised realised volatility is below a percentage. */
import { indicatorCondition, numberField, PERIOD_FIELD, TIMEFRAME_FIELD, textField } from '../condition.ts';

export const VOLATILITY_BELOW = indicatorCondition({
  type: 'volatility_below',
  description: 'The annualised volatility of the last closed bars lies below a percentage.',
  direction: 'below',
  kinds: null,
  fields: {
    period: PERIOD_FIELD,
    pct: { type: 'number', min: 0, max: 10_000, description: 'Annualised percent; passes strictly below it.' },
    timeframe: TIMEFRAME_FIELD,
  },
  limit: 'pct',
  need: (condition) => ({ name: 'volatility', period: numberField(condition, 'period'), timeframe: textField(condition, 'timeframe') }),
});
