/** Market flow of the sandbox over a window of time, computed without venues: best bids and asks at intervals. */
import type { MarketFlow } from '../../domain/orders/resting-fill.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';
import type { MarketWords } from './market-words.ts';

/** Interval of the books that resting paper orders are checked against, in milliseconds. */
const STEP_MS = 2_000;

/** Needs no trades: a resting order fills when the best bid or ask reaches its limit. */
export function createMarketFlows(words: Pick<MarketWords, 'quote'>): {
  between(key: InstrumentKey, from: EpochMs, to: EpochMs): Promise<MarketFlow>;
} {
  return {
    async between(key, from, to) {
      const tops: MarketFlow['tops'][number][] = [];
      for (let at = from + STEP_MS; at <= to; at += STEP_MS) {
        const told = words.quote(key, at);
        if (told !== null) tops.push({ ...told, at });
      }
      return { venue: splitInstrumentKey(key).venue as ExecutableVenue, source: 'sandbox', trades: [], tops };
    },
  };
}
