/** funding_percentile_below: the hourly funding ranks below a percentile of the last days. */
import { fundingPercentileCondition } from './funding-percentile.ts';

export const FUNDING_PERCENTILE_BELOW = fundingPercentileCondition('below');
