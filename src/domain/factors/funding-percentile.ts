/** funding_percentile: enter only while the perpetual's funding ranks low among its last days. */
import { type FactorDefinition, whenGiven } from './factor.ts';

export const FUNDING_PERCENTILE_FACTOR: FactorDefinition = {
  name: 'funding_percentile',
  description:
    'Enters while hourly funding ranks below max_percentile of the last window_days; exits above exit_percentile where it is given.',
  parameters: {
    window_days: { type: 'integer', min: 1, max: 365, description: 'Look-back in days of hourly rates.' },
    max_percentile: { type: 'integer', min: 0, max: 100, description: 'Percentile below which the factor lets a trade enter.' },
    exit_percentile: { type: 'integer', min: 0, max: 100, optional: true, description: 'Percentile above which the factor exits.' },
  },
  usesTimeframe: false,
  expand: ({ window_days, max_percentile, exit_percentile }) => ({
    entry: [{ type: 'funding_percentile_below', windowDays: window_days as number, percentile: max_percentile as number }],
    exit: whenGiven(exit_percentile, (percentile) => ({ type: 'funding_percentile_above', windowDays: window_days as number, percentile })),
  }),
};
