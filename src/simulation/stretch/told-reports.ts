/** News from archives emitted as time advances: each report at its time, and heartbeats of every source. */
import { WIRE_SOURCE, listEventSources, LONGEST_EVENT_LOOKBACK_HOURS } from '../../domain/intelligence/listening.ts';
import type { Report } from '../../domain/intelligence/report.ts';
import type { FeedHeartbeat } from '../../domain/market/market-event.ts';
import { type EpochMs, HOUR_MS } from '../../domain/values/time.ts';
import type { HistoryArchives } from '../../adapters/venues/history-fetcher.ts';

/** Creates the reports. Begins with those within the rules' lookback. */
export function createToldReports(
  archives: Pick<HistoryArchives, 'reports'>,
  from: EpochMs,
  emit: (told: { readonly kind: 'report'; readonly report: Report } | FeedHeartbeat) => void,
) {
  /** Unsent reports of each underlying, and the time up to which they were read. */
  const read = new Map<string, { to: EpochMs; ahead: Report[] }>();

  function readOn(underlying: string, at: EpochMs): readonly Report[] {
    const known = read.get(underlying) ?? { to: from - LONGEST_EVENT_LOOKBACK_HOURS * HOUR_MS, ahead: [] };
    read.set(underlying, known);
    if (known.to < at) {
      const stretch = { from: known.to, to: at + HOUR_MS };
      const found = listEventSources(underlying).flatMap((source) => archives.reports(source, underlying, stretch) ?? []);
      known.ahead = [...known.ahead, ...found];
      known.to = stretch.to;
    }
    const due = known.ahead.filter(({ publishedAt }) => publishedAt <= at);
    if (due.length > 0) known.ahead = known.ahead.filter(({ publishedAt }) => publishedAt > at);
    return due;
  }

  return {
    /** Emits these underlyings' reports up to now in order of time, and a heartbeat of each of their sources. */
    tellUntil(at: EpochMs, underlyings: readonly string[]): void {
      const due = underlyings.flatMap((underlying) => readOn(underlying, at));
      for (const report of due.sort((a, b) => a.publishedAt - b.publishedAt || (a.id < b.id ? -1 : 1)))
        emit({ kind: 'report', report: { ...report, receivedAt: at } });
      const sources = new Set([WIRE_SOURCE, ...underlyings.flatMap(listEventSources)]);
      for (const source of sources) emit({ kind: 'heartbeat', venue: 'reference', source, receivedAt: at });
    },
  };
}
