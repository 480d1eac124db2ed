/** History for evaluations, fetched from the venues and stored. */
import type { CandleHistory } from '../../../streams/candle-keeper.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { sourceStretches } from '../../domain/backtest/known-events.ts';
import { canonicalHash } from '../../domain/values/canonical-json.ts';
import { eventSourcesOf } from '../../domain/intelligence/listening.ts';
import { missingStretches, type Stretch } from '../../domain/values/stretches.ts';
import { type EpochMs, HOUR_MS, timeframeMs } from '../../domain/values/time.ts';
import type { Venue } from '../../domain/market/venue.ts';
import type { Fact } from '../../simulation/backtest/history.ts';
import type { HistoryArchives, HistoryFetcher } from '../../simulation/ports.ts';
import { createCandleStore } from '../store/candles/candle-store.ts';
import { createCandleWindows } from '../store/candles/candle-windows.ts';
import { createWorkRecorder } from '../store/long-work-store.ts';
import { type HistoryKind, keepHistory, keptStretch } from '../store/catalog/market-history-store.ts';
import type { Sql } from '../store/database.ts';
import { archivedStretches, keepArchive } from '../store/intelligence/event-archive-store.ts';
import { recordedBackfill } from './candle-backfill.ts';
import { VenueError } from './venue-feed.ts';

/** Source of facts and reports that no file brought. */
const ARCHIVE = 'archive';

/** A venue without a history, or that does not answer, leaves what was asked of it unknown. */
export function createHistoryFetcher({
  sql,
  histories,
  archives,
  clock,
}: {
  readonly sql: Sql;
  readonly histories: Readonly<Partial<Record<Venue, CandleHistory>>>;
  /** Null if files are the only archives. */
  readonly archives: HistoryArchives | null;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
}): HistoryFetcher {
  const store = createCandleStore(sql);
  const windows = createCandleWindows(sql);
  const recorder = createWorkRecorder(sql, clock, 'worker, for an evaluation');
  return {
    madeBy: ({ venue, instrument }) => histories[venue]?.madeBy?.(instrument) ?? null,
    async bars(series, range, { signal, progress }) {
      const history = histories[series.venue];
      const barMs = timeframeMs(series.timeframe);
      if (history === undefined || barMs === null) return null;
      const backfill = { ...series, ...range, barMs, history, store, windows, clock, signal, progress };
      const { stopped } = await recordedBackfill(recorder, 'long', backfill);
      return stopped;
    },
    async facts({ entry, eventHours, mark, pool }, { from, to }) {
      if (archives === null) return;
      const stretch = { from, to: Math.min(to, clock.now()) };
      if (eventHours !== null)
        await keepReports(sql, archives, entry.underlying, { ...stretch, from: from - eventHours * HOUR_MS }, clock.now());
      if (mark !== null) await keepArchived(sql, 'issuer_mark', mark, stretch, (part) => archives.marks(mark, part));
      if (pool !== null) await keepArchived(sql, 'pool_liquidity', pool, stretch, (part) => archives.liquidity(pool, part));
      await keepArchived(sql, 'half_spread', entry.key, stretch, (part) => archives.halfSpreads(entry.key, part));
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

/** Keeps what an archive tells of the parts of a stretch that were not taken from it before. */
async function keepArchived(
  sql: Sql,
  what: HistoryKind,
  instrument: string,
  { from, to }: Stretch,
  read: (part: Stretch) => readonly Fact[],
): Promise<void> {
  const kept = await keptStretch(sql, what, instrument, ARCHIVE);
  const parts =
    kept === null
      ? [{ from, to }]
      : [
          { from, to: kept.from },
          { from: kept.to, to },
        ];
  for (const part of parts) if (part.from < part.to) await keepHistory(sql, what, instrument, read(part), ARCHIVE);
}

/** Keeps what each source of an underlying told over the parts of a stretch for which no archive is kept yet. */
async function keepReports(sql: Sql, archives: HistoryArchives, underlying: string, stretch: Stretch, at: EpochMs): Promise<void> {
  const kept = await archivedStretches(sql, underlying);
  for (const source of eventSourcesOf(underlying)) {
    for (const missing of missingStretches(stretch, sourceStretches(source, null, kept))) {
      const reports = archives.reports(source, underlying, missing);
      if (reports === null) continue;
      const sha256 = canonicalHash([source, underlying, missing.from, missing.to, reports]);
      await keepArchive(sql, { source, underlyings: [underlying], ...missing, reports, file: ARCHIVE, sha256, at });
    }
  }
}
