/** Market activity of the sandbox over a window of time, without venues: the tops of its books at intervals. */
import type { MarketFlow } from '../../domain/orders/resting-fill.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { type ExecutableVenue, type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';
import type { MarketWords } from './market-words.ts';

/** Interval of the books against which resting paper orders are checked, in milliseconds. */
const STEP_MS = 2_000;

/** No trades are told: a top that reaches a limit says enough. */
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
