/** funding_percentile_above: the hourly funding ranks above a percentile of the last days. */
import { fundingPercentileCondition } from './funding-percentile.ts';

export const FUNDING_PERCENTILE_ABOVE = fundingPercentileCondition('above');
