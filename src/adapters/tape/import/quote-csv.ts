/** Importer of best bids and asks from CSV with a header: nautilus exports, Tardis quotes and TrueFX ticks. */
import { isPositive } from '../../../domain/values/decimal.ts';
import { NO_FLAGS } from '../../../domain/market/quote.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { EXECUTABLE_VENUES, type ExecutableVenue } from '../../../domain/market/venue.ts';
import { cellDecimal, firstLine, type Importer } from '../importer.ts';
import { TapeError } from '../tape-error.ts';

/** Accepted names of each column. */
const COLUMNS = {
  time: ['timestamp', 'time'],
  localTime: ['local_timestamp'],
  symbol: ['symbol'],
  bid: ['bid', 'bid_price'],
  ask: ['ask', 'ask_price'],
  bidSize: ['bid_size', 'bid_amount'],
  askSize: ['ask_size', 'ask_amount'],
} as const;
type Column = keyof typeof COLUMNS;

function findColumns(header: readonly string[]): ReadonlyMap<Column, number> {
  const names = header.map((name) => name.trim());
  const found = new Map<Column, number>();
  for (const column of Object.keys(COLUMNS) as Column[]) {
    const index = names.findIndex((name) => (COLUMNS[column] as readonly string[]).includes(name));
    if (index >= 0) found.set(column, index);
  }
  return found;
}

/**
 * Parses ISO 8601 (a space may replace the T), or integer seconds, milliseconds or microseconds since 1970 by their length. Null for
 * anything else.
 */
export function parseTime(text: string): EpochMs | null {
  if (/^\d{10}$/.test(text)) return Number(text) * 1_000;
  if (/^\d{13}$/.test(text)) return Number(text);
  if (/^\d{16}$/.test(text)) return Math.floor(Number(text) / 1_000);
  const match = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/.exec(text);
  if (match === null) return null;
  const at = Date.parse(`${match[1]}T${match[2]}.${(match[3] ?? '').padEnd(3, '0').slice(0, 3)}${match[4]}`);
  return Number.isFinite(at) ? at : null;
}

export const QUOTE_CSV: Importer = {
  name: 'quote-csv',
  accepts:
    'CSV with a header of timestamp, bid and ask (and symbol, bid_size, ask_size, local_timestamp where known), as nautilus, Tardis and TrueFX write',
  venues: EXECUTABLE_VENUES,
  recognises(sample) {
    const columns = findColumns(firstLine(sample).split(','));
    return columns.has('time') && columns.has('bid') && columns.has('ask');
  },

  async *read(source, target, counts) {
    let columns: ReadonlyMap<Column, number> | null = null;
    for await (const { line, fields } of source.records()) {
      if (columns === null) {
        columns = findColumns(fields);
        if (!columns.has('symbol') && target.instrument === null) {
          throw new TapeError(source.file, 'line 1', 'has no column symbol: say with --instrument what it quotes');
        }
        continue;
      }
      counts.read++;
      const place = `line ${line}`;
      const cell = (column: Column): string => fields[columns?.get(column) ?? -1]?.trim() ?? '';
      const observedAt = parseTime(cell('time'));
      const receivedAt = columns.has('localTime') ? parseTime(cell('localTime')) : observedAt;
      if (observedAt === null || receivedAt === null) {
        counts.reject('bad_time', place, `${cell('time')} is neither ISO 8601 with a zone nor whole seconds, milliseconds or microseconds`);
        continue;
      }
      const bid = cellDecimal(cell('bid'));
      const ask = cellDecimal(cell('ask'));
      const bidSize = columns.has('bidSize') ? cellDecimal(cell('bidSize')) : null;
      const askSize = columns.has('askSize') ? cellDecimal(cell('askSize')) : null;
      const badSize = (columns.has('bidSize') && bidSize === null) || (columns.has('askSize') && askSize === null);
      if (bid === null || ask === null || badSize) {
        counts.reject('bad_number', place, `a price or size is not a plain decimal: ${fields.join(',').slice(0, 120)}`);
        continue;
      }
      if (!isPositive(bid) || !isPositive(ask)) {
        counts.reject('non_positive_price', place, `bid ${bid}, ask ${ask}`);
        continue;
      }
      yield {
        kind: 'quote',
        venue: target.venue as ExecutableVenue,
        instrument: target.instrument ?? cell('symbol').replace(/[/-]/g, ''),
        source: 'import:quote-csv',
        observedAt,
        receivedAt,
        // A single time may be the venue's or the recorder's, so it counts as the time of receipt.
        sourceTime: columns.has('localTime'),
        bid,
        ask,
        bidSize,
        askSize,
        sequence: null,
        quality: 'live',
        flags: NO_FLAGS,
      };
    }
  },
};
