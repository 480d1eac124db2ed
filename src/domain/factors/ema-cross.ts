/** ema_cross: enter when the fast average crosses above the slow one, exit when it crosses below. */
import { MAX_PERIOD, TIMEFRAME_FIELD } from '../conditions/condition.ts';
import type { FactorDefinition } from './factor.ts';

export const EMA_CROSS: FactorDefinition = {
  name: 'ema_cross',
  description:
    'Enters when the fast EMA crosses above the slow one on the first timeframe while it stands above it on every further one; exits when it crosses below on the first.',
  parameters: {
    fast: { type: 'integer', min: 1, max: MAX_PERIOD, description: 'Period of the fast average in closed bars; less than slow.' },
    slow: { type: 'integer', min: 2, max: MAX_PERIOD, description: 'Period of the slow average in closed bars.' },
    timeframe: TIMEFRAME_FIELD,
  },
  usesTimeframe: true,
  expand: ({ fast, slow }, timeframes) => {
    const on = (type: string, timeframe: string) => ({ type, fast: fast as number, slow: slow as number, timeframe });
    const [first, ...further] = timeframes as [string, ...string[]];
    return {
      entry: [on('ema_cross_up', first), ...further.map((timeframe) => on('ema_above', timeframe))],
      exit: [on('ema_cross_down', first)],
    };
  },
};
