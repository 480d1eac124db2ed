/** Facts of unquoted prediction contracts in a portfolio. */
import type { DecimalString } from '../values/decimal.ts';
import type { OutcomeSide, PredictionMarket } from '../prediction/market.ts';
import { toExposureId, isListedNow } from '../prediction/prediction-order.ts';
import type { EpochMs } from '../values/time.ts';

/** Facts of a held outcome. */
export interface OutcomeFact {
  readonly name: string;
  /** Outcomes that exclude each other are one exposure. */
  readonly underlying: string;
  /** Value of one contract without a quote, or null if unknown. */
  readonly mark: DecimalString | null;
  readonly why: string;
  readonly source: string;
  readonly observedAt: EpochMs;
}

/** Returns the payout of a decided market or the listed bid of an open one. Others have no known value. */
export function outcomeFact(market: PredictionMarket, side: OutcomeSide, now: EpochMs): OutcomeFact {
  const { payout, bid } = market.outcomes[side === 'yes' ? 0 : 1];
  const shared = {
    name: `${side}: ${market.question}`,
    underlying: `prediction:${toExposureId(market)}`,
    source: market.source,
    observedAt: market.observedAt,
  };
  if (payout !== null && market.status === 'resolved')
    return { ...shared, mark: payout, why: 'the market is resolved: this is its payout' };
  if (bid !== null && market.status === 'open' && isListedNow(market, now))
    return { ...shared, mark: bid, why: 'no quote now: this is the bid of its listing' };
  return { ...shared, mark: null, why: `no quote, and its market is ${market.status} without a listed bid` };
}
