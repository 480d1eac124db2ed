/** Field access to untrusted objects. A missing or mistyped field refuses the whole message with the reason. */
import { Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { Rejection, RejectionReason } from '../../../domain/market/quote.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { rejection } from '../feed-messages.ts';
import { wireDecimal } from '../wire-decimal.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Error of an unusable message, thrown within a mapping and counted at its edge. */
export class Unreadable extends Error {
  readonly reason: RejectionReason;

  constructor(reason: RejectionReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** Runs a mapping and converts its error to a rejection. */
export function readable<Value>(source: string, receivedAt: EpochMs, raw: unknown, read: () => Value): Value | Rejection {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error;
    const sample = (JSON.stringify(raw) ?? '').slice(0, 200).toWellFormed();
    return rejection('prediction', source, receivedAt, error.reason, error.message, sample);
  }
}

export function isRejection(value: unknown): value is Rejection {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'rejection';
}

export function objectIn(value: unknown, what: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Unreadable('unknown_shape', `${what} is not an object`);
  return value as Fields;
}

export function listIn(value: unknown, what: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new Unreadable(value === undefined ? 'missing_field' : 'unknown_shape', `${what} is no list`);
  return value;
}

/** Returns a required, non-empty text. @throws Unreadable */
export function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || value === '') throw new Unreadable('missing_field', `${name} is missing or no text`);
  return value;
}

/** Returns a text, or null if it is missing, null or empty. @throws Unreadable for another type */
export function maybeText(fields: Fields, name: string): string | null {
  const value = fields[name];
  if (value === undefined || value === null || value === '') return null;
  if (typeof value !== 'string') throw new Unreadable('unknown_shape', `${name} is no text`);
  return value;
}

export function maybeFlag(fields: Fields, name: string): boolean | null {
  const value = fields[name];
  if (value === undefined || value === null) return null;
  if (typeof value !== 'boolean') throw new Unreadable('unknown_shape', `${name} is neither true nor false`);
  return value;
}

export function flagIn(fields: Fields, name: string): boolean {
  const value = maybeFlag(fields, name);
  if (value === null) throw new Unreadable('missing_field', `${name} is missing`);
  return value;
}

/** Normalizes a decimal to its shortest form: `0.5300` becomes `0.53`. JSON numbers keep their written digits. @throws Unreadable */
export function readDecimal(value: unknown, name: string): DecimalString {
  if (typeof value === 'number' && Number.isFinite(value)) return plainDecimal(new Decimal(value));
  const text = wireDecimal(value);
  if (text === null)
    throw new Unreadable(value === undefined ? 'missing_field' : 'bad_number', `${name} ${valueText(value)} is not a plain decimal`);
  return trimmed(text);
}

/** Returns the first of these fields that is a decimal, or null. */
export function maybeDecimal(fields: Fields, ...names: readonly string[]): DecimalString | null {
  for (const name of names) {
    const value = fields[name];
    if (value !== undefined && value !== null && value !== '') return readDecimal(value, name);
  }
  return null;
}

/** Returns a price strictly between 0 and 1, or null for 0 and 1, which providers send if there is no order. */
export function maybePrice(fields: Fields, name: string): DecimalString | null {
  const value = maybeDecimal(fields, name);
  if (value === null || value === '0' || value === '1') return null;
  return readPrice(value, name);
}

/**
 * Checks a price of a contract that pays one dollar. @param value in the shortest form, from `readDecimal`
 * @throws Unreadable if it is not a price
 */
export function readPrice(value: DecimalString, name: string): DecimalString {
  // In the shortest form every value between 0 and 1 begins with `0.`.
  if (value.charCodeAt(0) === 48 && value.charCodeAt(1) === 46) return value;
  if (value === '0' || value.charCodeAt(0) === 45) throw new Unreadable('non_positive_price', `${name} ${value} is not above zero`);
  throw new Unreadable('bad_number', `${name} ${value} is not a probability`);
}

/** Returns a size of at least zero. @throws Unreadable */
export function readSize(value: unknown, name: string): DecimalString {
  const size = readDecimal(value, name);
  if (size.startsWith('-') && size !== '-0') throw new Unreadable('bad_number', `${name} ${size} is below zero`);
  return size;
}

/** Returns a size of at least zero, or null if it is missing, null or empty. @throws Unreadable */
export function maybeSize(fields: Fields, name: string): DecimalString | null {
  const size = maybeDecimal(fields, name);
  return size === null ? null : readSize(size, name);
}

/**
 * Parses ISO 8601, or `2026-03-19 23:20:15+00`. Without an offset it is UTC, whatever this machine's time zone. Null if the field is
 * empty.
 */
export function maybeTime(fields: Fields, name: string): EpochMs | null {
  const text = maybeText(fields, name);
  if (text === null) return null;
  const iso = text.replace(/^(\d{4}-\d\d-\d\d) /, '$1T').replace(/(:\d\d(?:\.\d+)?)([+-]\d\d)$/, '$1$2:00');
  const at = Date.parse(/T[\d:.]+$/.test(iso) ? `${iso}Z` : iso);
  if (!Number.isSafeInteger(at) || at < 0) throw new Unreadable('bad_number', `${name} ${text.slice(0, 60)} is not a time`);
  return at;
}

/** Returns milliseconds since 1970 from a text or a number. @throws Unreadable */
export function readEpoch(value: unknown, name: string): EpochMs {
  const at = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof at !== 'number' || !Number.isSafeInteger(at) || at < 0) {
    throw new Unreadable(value === undefined ? 'missing_field' : 'bad_number', `${name} ${valueText(value)} is not a time in milliseconds`);
  }
  return at;
}

/** Removes trailing zeros, because books identify a level by its text. */
function trimmed(decimal: DecimalString): DecimalString {
  let from = decimal.charCodeAt(0) === 45 ? 1 : 0;
  let to = decimal.length;
  // Fast path: most decimals have one digit before the point.
  if (decimal.charCodeAt(from + 1) !== 46 || decimal.charCodeAt(to - 1) === 48) {
    const point = decimal.indexOf('.');
    if (point >= 0) {
      while (decimal.charCodeAt(to - 1) === 48) to--;
      if (to - 1 === point) to--;
    }
    const last = (point < 0 || point > to ? to : point) - 1;
    while (from < last && decimal.charCodeAt(from) === 48) from++;
  }
  const digits = from === 0 && to === decimal.length ? decimal : decimal.slice(from, to);
  return decimal.charCodeAt(0) === 45 && digits !== '0' ? `-${digits}` : digits;
}
