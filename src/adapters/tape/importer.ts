/** Base of every importer of foreign recordings, with the counts of what it read. */
import { type DecimalString, plainDecimal } from '../../domain/values/decimal.ts';
import type { TapeEvent } from '../../domain/tape/tape.ts';
import type { Venue } from '../../domain/market/venue.ts';
import type { CsvRecord } from '../csv-records.ts';
import { wireDecimal } from '../venues/wire-decimal.ts';

/** Facts that the person states about a recording, because it does not contain them. */
export interface ImportTarget {
  readonly venue: Venue;
  /** The product's name of the instrument; null: as the recording names it. */
  readonly instrument: string | null;
  /** Timeframe of bars; null takes it from the file name. */
  readonly timeframe: string | null;
  /** Date of files whose times count from midnight, `YYYY-MM-DD`; null takes it from the file name. */
  readonly date: string | null;
}

/** A recording as importers read it, unpacked. */
export interface ImportSource {
  readonly file: string;
  /** The lines without their breaks; the last empty one is left out. */
  lines(): AsyncIterable<string>;
  /** The records of a CSV, empty lines left out. @throws TapeError for what is no CSV. */
  records(): AsyncIterable<CsvRecord>;
  /** Returns the whole recording as text, for those that are one JSON value. @throws TapeError beyond 256 MiB. */
  text(): Promise<string>;
}

/** Parts that could not be used, by reason, with the first one as an example. */
export interface Refused {
  count: number;
  readonly firstPlace: string;
  readonly firstDetail: string;
}

/** Result of an import. Nothing is dropped uncounted. */
export class ImportCounts {
  /** Lines, rows or trades that were read. */
  read = 0;
  readonly skipped = new Map<string, number>();
  readonly rejected = new Map<string, Refused>();

  /** Counts something sound that a tape has no place for. */
  skip(reason: string, count = 1): void {
    this.skipped.set(reason, (this.skipped.get(reason) ?? 0) + count);
  }

  /** Counts something that should have been usable and is not. */
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

/** Returns the first line of a sample, with any line ending. */
export function firstLine(sample: string): string {
  return (sample.split(/\r\n|\n|\r/, 1)[0] as string).replace(/^\uFEFF/, '').trim();
}

/** One format of recordings. */
export interface Importer {
  readonly name: string;
  /** One sentence for people who ask what is accepted. */
  readonly accepts: string;
  /** The venues that such a recording can honestly stand for. */
  readonly venues: readonly Venue[];
  /** Returns true if the recording is of this format; `sample` is its first 16 KiB, unpacked. */
  recognises(sample: string, file: string): boolean;
  /** The events, ascending. @throws TapeError if the recording as a whole cannot be used. */
  read(source: ImportSource, target: ImportTarget, counts: ImportCounts): AsyncIterable<TapeEvent>;
}

/**
 * Reads a CSV cell as a plain decimal. An exponent, as programs write small sizes (`8e-06`), is written out exactly. Null if it is not a
 * number.
 */
export function cellDecimal(text: string | undefined): DecimalString | null {
  if (text === undefined) return null;
  return /^\d{1,20}(\.\d{1,20})?[eE][+-]?\d{1,2}$/.test(text) ? plainDecimal(text) : wireDecimal(text);
}
