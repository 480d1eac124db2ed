/** Reads the closed bars of one CSV file. Every row is a valid bar or is reported with its problem. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { compareDecimals, isPositive } from '../../domain/values/decimal.ts';
import { DAY_MS, type EpochMs, MINUTE_MS, isoTime } from '../../domain/values/time.ts';
import { type InstantsAt, wallClock } from '../../domain/values/wall-clock.ts';
import { CsvFault, type CsvRecord, csvRecords } from '../csv-records.ts';
import { type BarColumn, type CandleForm, detectForm } from './candle-forms.ts';
import { ShareClock, tradedUntil } from './share-hours.ts';

/** Reasons why a row is not a bar. */
const BAD_ROW_REASONS = [
  'wrong_columns',
  'bad_time',
  'damaged_time',
  'mixed_time_units',
  'off_grid',
  'unclosed',
  'bad_number',
  'non_positive',
  'negative_volume',
  'high_below_low',
  'not_enclosed',
  'duplicate',
  'disorder',
] as const;
type BadRowReason = (typeof BAD_ROW_REASONS)[number];

/** Row that is not a valid bar. */
export interface BadRow {
  readonly reason: BadRowReason;
  /** Line number from 1, header included. */
  readonly line: number;
  /** Column title in the file; null if the whole row is invalid. */
  readonly column: string | null;
  readonly detail: string;
}

/** Thrown for a file that cannot be imported; names file, line, column and problem. */
export class CandleFileError extends Error {
  readonly file: string;
  readonly row: BadRow | null;

  constructor(file: string, row: BadRow | null, message: string) {
    super(
      row === null
        ? `${file}: ${message}`
        : `${file}: line ${row.line}${row.column === null ? '' : `, column "${row.column}"`}: ${message}`,
    );
    this.name = 'CandleFileError';
    this.file = file;
    this.row = row;
  }
}

/** Valid bars in file order as rows for `COPY`: six fields separated by tabs, one bar per line. */
interface BarBatch {
  readonly rows: string;
  readonly bars: number;
  readonly firstOpen: EpochMs;
  readonly lastOpen: EpochMs;
}

export interface ReadOptions {
  /** The length of a bar in milliseconds. */
  readonly barMs: number;
  /** Bars that close after it are rejected. */
  readonly now: EpochMs;
  /** True to shift bars onto the grid of the timeframe if they then still end no earlier than they traded (days of US shares). */
  readonly align: boolean;
  /** True for bars of a US share, false for a market that trades around the clock. Default: null, not known. */
  readonly ofShare?: boolean | null;
  /** Time zone of times without an offset. Default: UTC. */
  readonly timezone?: string;
  /** Receives every invalid row; may throw to stop reading. */
  readonly onBad: (row: BadRow) => void;
  /** Receives the number of bytes read of the file. */
  readonly onBytes?: (bytes: number) => void;
  /** Bars per batch. Default 20,000. */
  readonly batch?: number;
}

const BATCH = 20_000;
const CHUNK_BYTES = 256 * 1024;
/** Maximum rows of a file in descending order, which is reversed in memory. Five years of minutes have 2.6 million. */
const MAX_TURNED = 5_000_000;
/** Number of rows from which the order of a file is detected. */
const ORDER_SAMPLE = 100;
/** Latest accepted open time. Years before 1970 and after 2100 are rejected. */
const LAST_OPEN = Date.UTC(2100, 0, 1);
const DECIMAL = /^\d{1,30}(?:\.\d{1,30})?$/;
const EXPONENT = /^[+-]?\d+(?:[.,]\d+)?[eE][+-]?\d+$/;
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/;

type TimeUnit = 'seconds' | 'milliseconds' | 'microseconds' | 'text';
type ReadTime = { readonly at: EpochMs; readonly unit: TimeUnit } | { readonly reason: BadRowReason; readonly detail: string };

/** Parses a time in any supported format. Text without an offset is local time of `local`, or UTC. */
export function readOpenTime(text: string, milliseconds: boolean, local?: InstantsAt): ReadTime {
  if (/^\d{1,17}$/.test(text)) {
    const value = Number(text);
    if (milliseconds || (text.length >= 12 && text.length <= 14)) return inRange(value, 'milliseconds', text);
    if (text.length <= 11) return inRange(value * 1_000, 'seconds', text);
    return value % 1_000 === 0
      ? inRange(value / 1_000, 'microseconds', text)
      : { reason: 'bad_time', detail: `${text} microseconds is not a whole number of milliseconds` };
  }
  if (EXPONENT.test(text)) {
    return {
      reason: 'damaged_time',
      detail: `the time ${text} was written with an exponent, as spreadsheets do: its last digits are lost`,
    };
  }
  const match = milliseconds ? null : ISO.exec(text);
  if (match === null) return { reason: 'bad_time', detail: `${quoted(text)} is not an open time` };
  const [, day, clock = '00:00', written] = match;
  const zone = written ?? 'Z';
  const offset = zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2');
  const at = Date.parse(`${day}T${clock.length === 5 ? `${clock}:00` : clock}${offset}`);
  // `Date` turns 31 February into a day of March.
  if (Number.isNaN(at) || !sameDay(day as string)) return { reason: 'bad_time', detail: `${quoted(text)} is not a valid date and time` };
  if (written !== undefined || local === undefined) return inRange(at, 'text', text);
  const [instant, again] = local(at);
  if (instant === undefined)
    return { reason: 'bad_time', detail: `${quoted(text)} does not exist in the time zone, because clocks are set forward` };
  if (again !== undefined)
    return {
      reason: 'bad_time',
      detail: `${quoted(text)} occurs twice in the time zone, because clocks are set back: write it with an offset`,
    };
  return inRange(instant, 'text', text);
}

function sameDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

function inRange(at: EpochMs, unit: TimeUnit, text: string): ReadTime {
  if (Number.isSafeInteger(at) && at >= 0 && at < LAST_OPEN) return { at, unit };
  return { reason: 'bad_time', detail: `the time ${text.slice(0, 40)} is outside 1970 to 2100` };
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}

const NEW_YORK_CLOCK =
  "read as UTC, the bars lie outside of the exchange's hours or apart from its volume, as New York's wall clock does: " +
  'import with --timezone America/New_York, or with --timezone UTC if the times really are UTC';

/** Opens a file. Names that end in `.gz` are unpacked. Reading begins with `batches`. */
export function readCandleFile(file: string, options: ReadOptions) {
  const hash = createHash('sha256');
  const reader = new BarReader(options);
  let digest = '';

  /** Yields batches until the end of the file; `result` is valid afterwards. */
  async function* batches(): AsyncGenerator<BarBatch> {
    const size = options.batch ?? BATCH;
    try {
      for await (const records of oldestFirst(file, csvRecords(readBytes(file, hash, options.onBytes)), reader)) {
        reader.take(records);
        if (reader.waiting >= size) yield reader.batch();
      }
    } catch (error) {
      throw error instanceof CandleFileError || !isReadingFailure(error) ? error : new CandleFileError(file, null, readingFailure(error));
    }
    if (reader.form === null) throw new CandleFileError(file, null, 'is empty');
    if (reader.isOnNewYorkClock) throw new CandleFileError(file, null, NEW_YORK_CLOCK);
    if (reader.waiting > 0) yield reader.batch();
    digest = hash.digest('hex');
  }

  return {
    batches,
    /** Returns the format, the hash of the file, and the number of shifted bars. */
    result: (): { readonly form: CandleForm['name']; readonly sha256: string; readonly aligned: number } => ({
      form: reader.form?.name ?? 'uniform',
      sha256: digest,
      aligned: reader.aligned,
    }),
  };
}

/** Detects the format from the first record and yields the records, oldest first. @throws CandleFileError */
async function* oldestFirst(
  file: string,
  steps: AsyncIterable<readonly CsvRecord[]>,
  reader: BarReader,
): AsyncGenerator<readonly CsvRecord[]> {
  let turned: CsvRecord[] | null = null;
  for await (const step of steps) {
    let records = step;
    if (reader.form === null) {
      const form = firstForm(file, (records[0] as CsvRecord).fields);
      reader.form = form;
      if (form.headed) records = records.slice(1);
      if (isNewestFirst(records, form, reader.local)) turned = [];
    }
    if (turned === null) yield records;
    else {
      turned.push(...records);
      if (turned.length > MAX_TURNED)
        throw new CandleFileError(file, null, `is written newest first and has more than ${MAX_TURNED} rows: turn it round first (tac)`);
    }
  }
  if (turned !== null) yield turned.reverse();
}

/** Returns true if most of the first times descend. */
function isNewestFirst(records: readonly CsvRecord[], { places, time }: CandleForm, local: InstantsAt | undefined): boolean {
  const times = records.slice(0, ORDER_SAMPLE).flatMap(({ fields }) => {
    const read = readOpenTime(unquoted(fields[places.openTime] ?? ''), time === 'milliseconds', local);
    return 'reason' in read ? [] : [read.at];
  });
  let balance = 0;
  for (let index = 1; index < times.length; index++) balance += Math.sign((times[index] as number) - (times[index - 1] as number));
  return balance < 0;
}

type Wrong = readonly [BadRowReason, BarColumn | null, string];

/** Validates records and collects valid ones as rows for `COPY`. */
class BarReader {
  readonly #options: ReadOptions;
  form: CandleForm | null = null;
  aligned = 0;
  #unit: TimeUnit | null = null;
  #lastOpen = -1;
  #firstOpen = 0;
  #rows: string[] = [];
  readonly local: InstantsAt | undefined;
  /** Checks the time zone of a share's intraday bars; null if the caller stated it. */
  readonly #clock: ShareClock | null;

  constructor(options: ReadOptions) {
    this.#options = options;
    this.local = options.timezone === undefined ? undefined : wallClock(options.timezone);
    this.#clock = options.ofShare !== false && options.timezone === undefined && options.barMs < DAY_MS ? new ShareClock() : null;
  }

  get isOnNewYorkClock(): boolean {
    return this.#clock?.isNewYork() === true;
  }

  get waiting(): number {
    return this.#rows.length;
  }

  /** Returns the collected rows as one batch. */
  batch(): BarBatch {
    const rows = this.#rows;
    this.#rows = [];
    return { rows: `${rows.join('\n')}\n`, bars: rows.length, firstOpen: this.#firstOpen, lastOpen: this.#lastOpen };
  }

  take(records: readonly CsvRecord[]): void {
    const form = this.form as CandleForm;
    for (const { line, fields } of records) {
      const row = this.#rowOf(form, fields);
      if (typeof row === 'string') {
        if (this.#rows.length === 0) this.#firstOpen = this.#lastOpen;
        this.#rows.push(row);
        continue;
      }
      const [reason, column, detail] = row;
      const place = column === null ? null : form.places[column];
      this.#options.onBad({ reason, line, column: place === null ? null : (form.titles[place] ?? column), detail });
    }
  }

  /** Returns the row of a valid bar for `COPY`, or its problem. */
  #rowOf({ places, width, time }: CandleForm, fields: readonly string[]): string | Wrong {
    if (fields.length !== width) return ['wrong_columns', null, `has ${fields.length} fields, needed are ${width}`];
    const read = readOpenTime(unquoted(fields[places.openTime] as string), time === 'milliseconds', this.local);
    if ('reason' in read) return [read.reason, 'openTime', read.detail];
    if (this.#unit !== null && read.unit !== this.#unit)
      return ['mixed_time_units', 'openTime', `the time is written in ${read.unit}, those before in ${this.#unit}`];
    const off = read.at % this.#options.barMs;
    const openTime = read.at - off;
    const wrongTime = this.#wrongTime(openTime, off);
    if (wrongTime !== null) return wrongTime;
    const open = unquoted(fields[places.open] as string);
    const high = unquoted(fields[places.high] as string);
    const low = unquoted(fields[places.low] as string);
    const close = unquoted(fields[places.close] as string);
    const volume = unquoted(fields[places.volume] as string);
    const wrong = wrongPrices(open, high, low, close, volume);
    if (wrong !== null) return wrong;
    this.#unit = read.unit;
    this.#lastOpen = openTime;
    this.#clock?.take(read.at, Number(volume));
    if (off !== 0) this.aligned++;
    return `${openTime}\t${open}\t${high}\t${low}\t${close}\t${volume}`;
  }

  #wrongTime(openTime: EpochMs, off: number): Wrong | null {
    const { align, barMs, now } = this.#options;
    const early = off === 0 ? 0 : tradedUntil(openTime + off, barMs, this.#options.ofShare ?? null) - (openTime + barMs);
    if (early > 0)
      return [
        'off_grid',
        'openTime',
        `the bar opens ${off / 1_000} s after its timeframe begins and trades until ${isoTime(openTime + barMs + early)}: moved back, it would be known ${early / MINUTE_MS} minutes too early`,
      ];
    if (off !== 0 && !align)
      return ['off_grid', 'openTime', `the bar opens ${off / 1_000} s after its timeframe begins; --align moves it back`];
    if (openTime + barMs > now) return ['unclosed', 'openTime', 'the bar is not closed yet'];
    if (openTime === this.#lastOpen) return ['duplicate', 'openTime', 'the bar before opens at the same time'];
    if (openTime < this.#lastOpen)
      return ['disorder', 'openTime', 'the bar opens before the one that should precede it; needed is one order throughout'];
    return null;
  }
}

/** Detects the format from the first line. @throws CandleFileError if the format is not supported */
function firstForm(file: string, fields: readonly string[]): CandleForm {
  const form = detectForm(fields.join(','));
  if (typeof form === 'string') throw new CandleFileError(file, null, `${form}; see sevengate candles import --help`);
  return form;
}

function unquoted(field: string): string {
  const first = field.charCodeAt(0);
  const last = field.charCodeAt(field.length - 1);
  // Most fields are unquoted numbers.
  if (first >= 48 && first <= 57 && last >= 48 && last <= 57) return field;
  const text = field.trim();
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** Returns the first problem of a row's prices or volume; null if they make a bar. */
function wrongPrices(open: string, high: string, low: string, close: string, volume: string): Wrong | null {
  const wrong = wrongPrice('open', open) ?? wrongPrice('high', high) ?? wrongPrice('low', low) ?? wrongPrice('close', close);
  if (wrong !== null) return wrong;
  if (!DECIMAL.test(volume)) {
    return volume.startsWith('-') && DECIMAL.test(volume.slice(1))
      ? ['negative_volume', 'volume', `the volume ${volume.slice(0, 40)} is below zero`]
      : ['bad_number', 'volume', `${quoted(volume)} is not a plain decimal number`];
  }
  if (compareDecimals(high, low) < 0) return ['high_below_low', 'high', `the high ${high} is below the low ${low}`];
  return notEnclosed('open', open, high, low) ?? notEnclosed('close', close, high, low);
}

function wrongPrice(column: BarColumn, text: string): Wrong | null {
  if (DECIMAL.test(text)) return isPositive(text) ? null : ['non_positive', column, `the price ${text} is not above zero`];
  if (text.startsWith('-') && DECIMAL.test(text.slice(1)))
    return ['non_positive', column, `the price ${text.slice(0, 40)} is not above zero`];
  return ['bad_number', column, `${quoted(text)} is not a plain decimal number`];
}

function notEnclosed(column: BarColumn, price: string, high: string, low: string): Wrong | null {
  if (compareDecimals(price, high) <= 0 && compareDecimals(price, low) >= 0) return null;
  return ['not_enclosed', column, `the price ${price} lies outside of low ${low} to high ${high}`];
}

/** Streams the unpacked bytes of a file and hashes the packed ones. */
function readBytes(file: string, hash: { update(bytes: Buffer): unknown }, onBytes?: (bytes: number) => void): Readable {
  const raw = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  raw.on('data', (chunk) => {
    hash.update(chunk as Buffer);
    onBytes?.(chunk.length);
  });
  if (!file.endsWith('.gz')) return raw;
  const unpacked = raw.pipe(createGunzip({ chunkSize: CHUNK_BYTES }));
  // Neither errors of the file nor an early end of reading pass through the pipe.
  raw.on('error', (error) => unpacked.destroy(error));
  unpacked.on('close', () => raw.destroy());
  return unpacked;
}

function isReadingFailure(error: unknown): boolean {
  return error instanceof CsvFault || (error as NodeJS.ErrnoException).code !== undefined;
}

function readingFailure(error: unknown): string {
  if (error instanceof CsvFault) return error.message;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'is a folder';
  if (code?.startsWith('Z_') === true) return 'is no sound gzip file';
  return `cannot be read: ${message}`;
}
