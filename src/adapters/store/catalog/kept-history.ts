/** Lists stored events, marks and liquidity for backtests, also as text. */
import { isoTime } from '../../../domain/values/time.ts';
import type { Sql } from '../database.ts';
import { listArchives } from '../intelligence/event-archive-store.ts';
import { listHistory } from './market-history-store.ts';

export async function keptHistory(sql: Sql) {
  return { archives: await listArchives(sql), facts: await listHistory(sql) };
}

/** Formats one line per archive and series. */
export function keptHistoryText({ archives, facts }: Awaited<ReturnType<typeof keptHistory>>): string {
  const lines = [
    ...archives.map(
      ({ source, underlyings, from, to, reports, file }) =>
        `${source} of ${underlyings.join(', ')} from ${isoTime(from)} to ${isoTime(to)}: ${reports} reports (${file})`,
    ),
    ...facts.map(
      ({ what, instrument, values, from, to }) => `${what} of ${instrument}: ${values} values, ${isoTime(from)} to ${isoTime(to)}`,
    ),
  ];
  return lines.length === 0 ? 'nothing is kept: history import-events and import-facts bring it' : lines.join('\n');
}
