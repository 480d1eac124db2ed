/** funding_percentile_below and funding_percentile_above: the hourly funding ranks below or above a percentile of the last days. */
import { type ConditionDefinition, type Direction, indicatorCondition, numberField } from './condition.ts';

function fundingPercentileCondition(direction: Direction): ConditionDefinition {
  return indicatorCondition({
    type: `funding_percentile_${direction}`,
    description: `The hourly funding of the asset's perpetual ranks ${direction} a percentile of the last days.`,
    direction,
    kinds: ['perp', 'spot'],
    fields: {
      windowDays: { type: 'integer', min: 1, max: 365, description: 'Look-back in days of hourly rates.' },
      percentile: { type: 'number', min: 0, max: 100, description: `Mid-rank percentile, 0 to 100; passes strictly ${direction} it.` },
    },
    limit: 'percentile',
    need: (condition) => ({ name: 'funding_percentile', period: numberField(condition, 'windowDays'), timeframe: '1h' }),
  });
}

export const FUNDING_PERCENTILE_BELOW = fundingPercentileCondition('below');

export const FUNDING_PERCENTILE_ABOVE = fundingPercentileCondition('above');
