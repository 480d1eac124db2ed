/** Base of every importer of foreign recordings, with counts of what it read. */
import { type DecimalString, plainDecimal } from '../../domain/values/decimal.ts';
import type { TapeEvent } from '../../domain/tape/tape.ts';
import type { Venue } from '../../domain/market/venue.ts';
import type { CsvRecord } from '../csv-records.ts';
import { wireDecimal } from '../venues/wire-decimal.ts';

/** Facts about a recording that the user states because it does not contain them. */
export interface ImportTarget {
  readonly venue: Venue;
  /** Product name of the instrument, or null to use the recording's. */
  readonly instrument: string | null;
  /** Timeframe of bars, or null to use the file name's. */
  readonly timeframe: string | null;
  /** Date of files whose times count from midnight, `YYYY-MM-DD`, or null to use the file name's. */
  readonly date: string | null;
}

/** Unpacked recording for importers. */
export interface ImportSource {
  readonly file: string;
  /** Yields the lines without their breaks and without a last empty line. */
  lines(): AsyncIterable<string>;
  /** Yields the records of a CSV without empty lines. @throws TapeError if it is not a CSV */
  records(): AsyncIterable<CsvRecord>;
  /** Returns the whole recording as text, for formats that are one JSON value. @throws TapeError beyond 256 MiB */
  text(): Promise<string>;
}

/** Unusable parts by reason, with the first one as an example. */
interface Refused {
  count: number;
  readonly firstPlace: string;
  readonly firstDetail: string;
}

/** Counts of an import. Everything dropped is counted. */
export class ImportCounts {
  /** Number of lines, rows or trades read. */
  read = 0;
  readonly skipped = new Map<string, number>();
  readonly rejected = new Map<string, Refused>();

  /** Counts valid data that a tape cannot hold. */
  skip(reason: string, count = 1): void {
    this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + count);
  }

  /** Counts invalid data. */
  reject(reason: string, place: string, detail: string): void {
    const known = this.rejected.get(reason);
    if (known === undefined) this.rejected.set(reason, { count: 1, firstPlace: place, firstDetail: detail.slice(0, 200) });
    else known.count++;
  }

  get rejectedTotal(): number {
    let total = 0;
    for (const { count } of this.rejected.values()) total += count;
    return total;
  }
}

/** Returns the first line of a sample, with either line ending. */
export function firstLine(sample: string): string {
  return (sample.split(/\r\n|\n|\r/, 1)[0] as string).replace(/^\uFEFF/, '').trim();
}

/** Recording format. */
export interface Importer {
  readonly name: string;
  /** Description of the format in one sentence. */
  readonly accepts: string;
  /** Venues that such a recording may represent. */
  readonly venues: readonly Venue[];
  /** Returns true if the recording has this format. `sample` is its first 16 KiB, unpacked. */
  recognises(sample: string, file: string): boolean;
  /** Yields the events, ascending. @throws TapeError if the whole recording is unusable */
  read(source: ImportSource, target: ImportTarget, counts: ImportCounts): AsyncIterable<TapeEvent>;
}

/**
 * Parses a CSV cell as a plain decimal. An exponent, as programs write small sizes (`8e-06`), is expanded exactly. Null if it is not a
 * number.
 */
export function cellDecimal(text: string | undefined): DecimalString | null {
  if (text === undefined) return null;
  return /^\d{1,20}(\.\d{1,20})?[eE][+-]?\d{1,2}$/.test(text) ? plainDecimal(text) : wireDecimal(text);
}
