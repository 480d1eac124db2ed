/** Reads the closed bars of one CSV file, strictly: every row is a sound bar or is named with what is wrong with it. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { compareDecimals, isPositive } from '../../domain/decimal.ts';
import type { EpochMs } from '../../domain/time.ts';
import { type BarColumn, type CandleForm, formOf } from './candle-forms.ts';

/** Why a row is no bar. */
export const BAD_ROW_REASONS = [
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
export type BadRowReason = (typeof BAD_ROW_REASONS)[number];

/** A row that is no bar, and where it stands. */
export interface BadRow {
  readonly reason: BadRowReason;
  /** From 1, the header included. */
  readonly line: number;
  /** The file's own name of the column; null where the whole row is wrong. */
  readonly column: string | null;
  readonly detail: string;
}

/** A file that cannot be imported: says the file, the line, the column and what was wrong. */
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

/** Sound bars in the order of the file, as rows for `COPY`: six fields parted by tabs, one bar a line. */
export interface BarBatch {
  readonly rows: string;
  readonly bars: number;
  readonly firstOpen: EpochMs;
  readonly lastOpen: EpochMs;
}

export interface ReadOptions {
  /** The length of a bar in milliseconds. */
  readonly barMs: number;
  /** Bars that are not closed by then are no bars yet. */
  readonly now: EpochMs;
  /** Whether a bar that opens off the grid of its timeframe is moved back onto it (US shares open at 13:30 UTC). */
  readonly align: boolean;
  /** Hears of every row that is no bar; throws to end the reading. */
  readonly onBad: (row: BadRow) => void;
  /** Hears how many bytes of the file were read. */
  readonly onBytes?: (bytes: number) => void;
  /** Bars of one batch. Default 20,000. */
  readonly batch?: number;
}

export interface CandleReading {
  /** Ends with the file; `result` holds from then on. */
  batches(): AsyncGenerator<BarBatch>;
  /** The form, the hash of the file's bytes, and what was moved onto the grid. */
  result(): { readonly form: CandleForm['name']; readonly sha256: string; readonly aligned: number };
}

const BATCH = 20_000;
const MAX_LINE = 4_096;
const CHUNK_BYTES = 256 * 1024;
/** Nothing that trades is older than 1970 or further than 2100. */
const LAST_OPEN = Date.UTC(2100, 0, 1);
const DECIMAL = /^\d{1,30}(?:\.\d{1,30})?$/;
const EXPONENT = /^[+-]?\d+(?:[.,]\d+)?[eE][+-]?\d+$/;
const ISO = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/;

type TimeUnit = 'seconds' | 'milliseconds' | 'microseconds' | 'text';
type ReadTime = { readonly at: EpochMs; readonly unit: TimeUnit } | { readonly reason: BadRowReason; readonly detail: string };

/** Reads a time in any of the spellings of the forms; text without an offset is UTC. */
export function readOpenTime(text: string, milliseconds: boolean): ReadTime {
  if (/^\d{1,17}$/.test(text)) {
    const value = Number(text);
    if (milliseconds || (text.length >= 12 && text.length <= 14)) return inRange(value, 'milliseconds', text);
    if (text.length <= 11) return inRange(value * 1_000, 'seconds', text);
    return value % 1_000 === 0
      ? inRange(value / 1_000, 'microseconds', text)
      : { reason: 'bad_time', detail: `the microseconds ${text} fall on no millisecond` };
  }
  if (EXPONENT.test(text)) {
    return {
      reason: 'damaged_time',
      detail: `the time ${text} was written with an exponent, as spreadsheets do: its last digits are lost`,
    };
  }
  const match = milliseconds ? null : ISO.exec(text);
  if (match === null) return { reason: 'bad_time', detail: `${quoted(text)} is no open time` };
  const [, day, clock = '00:00', zone = 'Z'] = match;
  const offset = zone === 'UTC' ? 'Z' : zone.replace(/^([+-]\d{2}):?(\d{2})$/, '$1:$2');
  const at = Date.parse(`${day}T${clock.length === 5 ? `${clock}:00` : clock}${offset}`);
  // The engine takes 31 February for a day of March.
  if (Number.isNaN(at) || !sameDay(day as string)) return { reason: 'bad_time', detail: `${quoted(text)} is no time of the calendar` };
  return inRange(at, 'text', text);
}

function sameDay(day: string): boolean {
  const at = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(day);
}

function inRange(at: EpochMs, unit: TimeUnit, text: string): ReadTime {
  if (Number.isSafeInteger(at) && at >= 0 && at < LAST_OPEN) return { at, unit };
  return { reason: 'bad_time', detail: `the time ${text.slice(0, 40)} lies outside of 1970 to 2100` };
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, 40));
}

/** Opens a file for reading. Gzip is unpacked where the name ends in `.gz`. Nothing is read before `batches`. */
export function readCandleFile(file: string, options: ReadOptions): CandleReading {
  const { barMs, now, align, onBad } = options;
  const hash = createHash('sha256');
  let form: CandleForm | null = null;
  let digest = '';
  let aligned = 0;

  async function* batches(): AsyncGenerator<BarBatch> {
    let unit: TimeUnit | null = null;
    let lastOpen = -1;
    let number = 0;
    let rows: string[] = [];
    let firstOpen = 0;
    const size = options.batch ?? BATCH;

    const bad = (reason: BadRowReason, column: BarColumn | null, detail: string): null => {
      const place = form === null || column === null ? undefined : form.places[column];
      onBad({ reason, line: number, column: place === undefined ? null : (form?.titles[place] ?? column), detail });
      return null;
    };

    /** The row of a sound bar for COPY; null where it is none, which was said. */
    function take({ places, width, time }: CandleForm, line: string): string | null {
      const fields = line.split(',');
      if (fields.length !== width) return bad('wrong_columns', null, `has ${fields.length} fields, needed are ${width}`);
      const read = readOpenTime(unquoted(fields[places.openTime] as string), time === 'milliseconds');
      if ('reason' in read) return bad(read.reason, 'openTime', read.detail);
      if (unit !== null && read.unit !== unit) {
        return bad('mixed_time_units', 'openTime', `the time is written in ${read.unit}, those before in ${unit}`);
      }
      let openTime = read.at;
      const off = openTime % barMs;
      if (off !== 0) {
        if (!align) {
          return bad('off_grid', 'openTime', `the bar opens ${off / 1_000} s after its timeframe begins; --align moves it back`);
        }
        openTime -= off;
      }
      if (openTime + barMs > now) return bad('unclosed', 'openTime', 'the bar is not closed yet');
      if (openTime === lastOpen) return bad('duplicate', 'openTime', 'the bar before opens at the same time');
      if (openTime < lastOpen) return bad('disorder', 'openTime', 'the bar opens before the one above it; needed is ascending order');
      const open = unquoted(fields[places.open] as string);
      const high = unquoted(fields[places.high] as string);
      const low = unquoted(fields[places.low] as string);
      const close = unquoted(fields[places.close] as string);
      const volume = unquoted(fields[places.volume] as string);
      const wrong = wrongPrices(open, high, low, close, volume);
      if (wrong !== null) return bad(...wrong);
      unit = read.unit;
      lastOpen = openTime;
      if (off !== 0) aligned++;
      return `${openTime}\t${open}\t${high}\t${low}\t${close}\t${volume}`;
    }

    const full = (): BarBatch => {
      const batch = { rows: `${rows.join('\n')}\n`, bars: rows.length, firstOpen, lastOpen };
      rows = [];
      return batch;
    };

    for await (const lines of linesOf(file, hash, options.onBytes)) {
      for (const raw of lines) {
        number++;
        const line = raw.endsWith('\r') ? raw.slice(0, -1) : raw;
        if (form === null) {
          form = firstForm(file, line);
          if (form.headed) continue;
        }
        if (line === '') continue;
        const row = take(form, line);
        if (row === null) continue;
        if (rows.length === 0) firstOpen = lastOpen;
        rows.push(row);
      }
      if (rows.length >= size) yield full();
    }
    if (form === null) throw new CandleFileError(file, null, 'is empty');
    if (rows.length > 0) yield full();
    digest = hash.digest('hex');
  }

  return { batches, result: () => ({ form: form?.name ?? 'uniform', sha256: digest, aligned }) };
}

/** The form of a file by its first line. @throws CandleFileError where it is none that is understood. */
function firstForm(file: string, line: string): CandleForm {
  const form = formOf(line);
  if (typeof form === 'string') throw new CandleFileError(file, null, `${form}; see sevengate candles import --help`);
  return form;
}

function unquoted(field: string): string {
  const first = field.charCodeAt(0);
  const last = field.charCodeAt(field.length - 1);
  // Nearly every field is a bare number.
  if (first >= 48 && first <= 57 && last >= 48 && last <= 57) return field;
  const text = field.trim();
  return text.length > 1 && text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

type Wrong = readonly [BadRowReason, BarColumn, string];

/** What is wrong with the prices or the volume of a row, the first thing found; null where they make a bar. */
function wrongPrices(open: string, high: string, low: string, close: string, volume: string): Wrong | null {
  const wrong = wrongPrice('open', open) ?? wrongPrice('high', high) ?? wrongPrice('low', low) ?? wrongPrice('close', close);
  if (wrong !== null) return wrong;
  if (!DECIMAL.test(volume)) {
    return volume.startsWith('-') && DECIMAL.test(volume.slice(1))
      ? ['negative_volume', 'volume', `the volume ${volume.slice(0, 40)} is below zero`]
      : ['bad_number', 'volume', `${quoted(volume)} is no plain decimal number`];
  }
  if (compareDecimals(high, low) < 0) return ['high_below_low', 'high', `the high ${high} is below the low ${low}`];
  return notEnclosed('open', open, high, low) ?? notEnclosed('close', close, high, low);
}

function wrongPrice(column: BarColumn, text: string): Wrong | null {
  if (DECIMAL.test(text)) return isPositive(text) ? null : ['non_positive', column, `the price ${text} is not above zero`];
  if (text.startsWith('-') && DECIMAL.test(text.slice(1)))
    return ['non_positive', column, `the price ${text.slice(0, 40)} is not above zero`];
  return ['bad_number', column, `${quoted(text)} is no plain decimal number`];
}

function notEnclosed(column: BarColumn, price: string, high: string, low: string): Wrong | null {
  if (compareDecimals(price, high) <= 0 && compareDecimals(price, low) >= 0) return null;
  return ['not_enclosed', column, `the price ${price} lies outside of low ${low} to high ${high}`];
}

/** The lines of a file, without their ends, many at a time; feeds its bytes to the hash. @throws CandleFileError */
async function* linesOf(
  file: string,
  hash: { update(bytes: Buffer): unknown },
  onBytes?: (bytes: number) => void,
): AsyncGenerator<readonly string[]> {
  const raw = createReadStream(file, { highWaterMark: CHUNK_BYTES });
  raw.on('data', (chunk) => {
    hash.update(chunk as Buffer);
    onBytes?.(chunk.length);
  });
  const unpacked = file.endsWith('.gz') ? raw.pipe(createGunzip({ chunkSize: CHUNK_BYTES })) : raw;
  // A failure of the file does not pass through the pipe by itself.
  if (unpacked !== raw) raw.on('error', (error) => unpacked.destroy(error));
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest = '';
  try {
    for await (const chunk of unpacked) {
      const text = rest + decoder.decode(chunk as Buffer, { stream: true });
      const lines = text.split('\n');
      rest = lines.pop() as string;
      yield lines;
      if (rest.length > MAX_LINE)
        throw new CandleFileError(file, null, `has a line of more than ${MAX_LINE} characters: it is no CSV of bars`);
    }
    rest += decoder.decode();
  } catch (error) {
    if (error instanceof CandleFileError) throw error;
    throw new CandleFileError(file, null, readingFailure(error));
  } finally {
    raw.destroy();
  }
  if (rest !== '') yield [rest];
}

function readingFailure(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file';
  if (code === 'EISDIR') return 'is a folder';
  if (code === 'ERR_ENCODING_INVALID_ENCODED_DATA') return 'is no UTF-8 text';
  if (code?.startsWith('Z_') === true) return 'is no sound gzip file';
  return `cannot be read: ${message}`;
}
