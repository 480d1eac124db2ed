/** History for evaluations, fetched from the venues and stored. */
import type { CandleHistory } from '../../../streams/candle-keeper.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { Fact } from '../../domain/backtest/fact.ts';
import { sourceStretches } from '../../domain/backtest/known-events.ts';
import type { CandleSeries } from '../../domain/candles/candle.ts';
import type { CatalogEntry } from '../../domain/catalog/catalog.ts';
import { canonicalHash } from '../../domain/values/canonical-json.ts';
import { listEventSources } from '../../domain/intelligence/listening.ts';
import type { Report } from '../../domain/intelligence/report.ts';
import { missingStretches, type Stretch } from '../../domain/values/stretches.ts';
import { type EpochMs, HOUR_MS, timeframeMs } from '../../domain/values/time.ts';
import type { InstrumentKey, Venue } from '../../domain/market/venue.ts';
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

/** Archives that can be queried by range, in addition to imported files. */
export interface HistoryArchives {
  /** Returns all reports of a source about an underlying that were published in the range, or null if there is no archive of the source. */
  reports(source: string, underlying: string, stretch: Stretch): readonly Report[] | null;
  marks(instrument: string, stretch: Stretch): readonly Fact[];
  liquidity(instrument: InstrumentKey, stretch: Stretch): readonly Fact[];
  halfSpreads(instrument: InstrumentKey, stretch: Stretch): readonly Fact[];
}

/** Archived facts that an instrument's rules need. Null if no rule needs them or the asset has none. */
interface FactNeeds {
  readonly entry: Pick<CatalogEntry, 'key' | 'underlying'>;
  /** Longest lookback of the rules on events, in hours. */
  readonly eventHours: number | null;
  /** Token whose issuer marks are read. */
  readonly mark: string | null;
  /** Instrument whose pool depth is read. */
  readonly pool: InstrumentKey | null;
}

interface Job {
  readonly signal: AbortSignal;
  readonly progress: (done: number, total: number, workId: string | null) => void;
}

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
}) {
  const store = createCandleStore(sql);
  const windows = createCandleWindows(sql);
  const recorder = createWorkRecorder(sql, clock, 'worker, for an evaluation');
  return {
    /** Returns the local source that makes a series' bars, or null if its venue serves them. */
    madeBy: ({ venue, instrument }: CandleSeries): string | null => histories[venue]?.madeBy?.(instrument) ?? null,
    /** Fetches bars. Returns the refusal code if the venue did not return all of them, otherwise null. */
    async bars(series: CandleSeries, range: Stretch, { signal, progress }: Job): Promise<{ readonly code: string } | null> {
      const history = histories[series.venue];
      const barMs = timeframeMs(series.timeframe);
      if (history === undefined || barMs === null) return null;
      const backfill = { ...series, ...range, barMs, history, store, windows, clock, signal, progress };
      const { stopped } = await recordedBackfill(recorder, 'long', backfill);
      return stopped;
    },
    /** Stores the events, marks and liquidity from local archives that an instrument's rules need. */
    async facts({ entry, eventHours, mark, pool }: FactNeeds, { from, to }: Stretch): Promise<void> {
      if (archives === null) return;
      const stretch = { from, to: Math.min(to, clock.now()) };
      if (eventHours !== null)
        await keepReports(sql, archives, entry.underlying, { ...stretch, from: from - eventHours * HOUR_MS }, clock.now());
      if (mark !== null) await keepArchived(sql, 'issuer_mark', mark, stretch, (part) => archives.marks(mark, part));
      if (pool !== null) await keepArchived(sql, 'pool_liquidity', pool, stretch, (part) => archives.liquidity(pool, part));
      await keepArchived(sql, 'half_spread', entry.key, stretch, (part) => archives.halfSpreads(entry.key, part));
    },
    /** Returns the hourly funding of a perpetual, or null if its venue has none. */
    async funding(perpetual: string, { from, to }: Stretch): Promise<readonly Fact[] | null> {
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

export type HistoryFetcher = ReturnType<typeof createHistoryFetcher>;

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
  for (const source of listEventSources(underlying)) {
    for (const missing of missingStretches(stretch, sourceStretches(source, kept))) {
      const reports = archives.reports(source, underlying, missing);
      if (reports === null) continue;
      const sha256 = canonicalHash([source, underlying, missing.from, missing.to, reports]);
      await keepArchive(sql, { source, underlyings: [underlying], ...missing, reports, file: ARCHIVE, sha256, at });
    }
  }
}
