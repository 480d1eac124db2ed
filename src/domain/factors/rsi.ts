/** rsi: enter oversold, exit overbought. */
import { PERIOD_FIELD, TIMEFRAME_FIELD } from '../conditions/condition.ts';
import type { FactorDefinition } from './factor.ts';

export const RSI_FACTOR: FactorDefinition = {
  name: 'rsi',
  description: 'Enters while RSI lies below oversold on every timeframe, exits when it lies above overbought on the first.',
  parameters: {
    period: { ...PERIOD_FIELD, default: 14 },
    oversold: { type: 'number', min: 0, max: 100, default: 30, description: 'RSI below which the factor lets a trade enter.' },
    overbought: { type: 'number', min: 0, max: 100, default: 70, description: 'RSI above which the factor exits.' },
    timeframe: TIMEFRAME_FIELD,
  },
  usesTimeframe: true,
  expand: ({ period, oversold, overbought }, timeframes) => ({
    entry: timeframes.map((timeframe) => ({ type: 'rsi_below', period: period as number, value: oversold as number, timeframe })),
    exit: [{ type: 'rsi_above', period: period as number, value: overbought as number, timeframe: timeframes[0] as string }],
  }),
};
