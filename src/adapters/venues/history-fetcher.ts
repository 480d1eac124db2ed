/** What evaluations want to know of the past: fetched from the venues, and kept. */
import type { CandleHistory } from '../../../streams/candle-keeper.ts';
import type { Clock } from '../../../streams/clock.ts';
import { timeframeMs } from '../../domain/time.ts';
import type { Venue } from '../../domain/venue.ts';
import type { HistoryFetcher } from '../../simulation/ports.ts';
import { createCandleStore } from '../store/candles/candle-store.ts';
import { createCandleWindows } from '../store/candles/candle-windows.ts';
import type { Sql } from '../store/database.ts';
import { backfillCandles } from './candle-backfill.ts';
import { VenueError } from './venue-feed.ts';

/** A venue without a history, or that does not answer, leaves what was asked of it unknown. */
export function createHistoryFetcher({
  sql,
  histories,
  clock,
}: {
  readonly sql: Sql;
  readonly histories: Readonly<Partial<Record<Venue, CandleHistory>>>;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
}): HistoryFetcher {
  const store = createCandleStore(sql);
  const windows = createCandleWindows(sql);
  return {
    async bars(series, range, { signal, progress }) {
      const history = histories[series.venue];
      const barMs = timeframeMs(series.timeframe);
      if (history === undefined || barMs === null) return null;
      const { stopped } = await backfillCandles({ ...series, ...range, barMs, history, store, windows, clock, signal, progress });
      return stopped;
    },
    async funding(perpetual, { from, to }) {
      try {
        const rates = await histories.evmvenue?.fetchFunding?.(perpetual, from, to);
        return rates === undefined ? null : rates.map(({ at, hourlyFunding }) => ({ receivedAt: at, value: hourlyFunding }));
      } catch (error) {
        if (error instanceof VenueError) return null;
        throw error;
      }
    },
  };
}
