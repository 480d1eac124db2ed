/** Reading fields of untrusted objects: what is missing or mistyped refuses the whole message, with its reason. */
import { Decimal, type DecimalString, plainDecimal } from '../../../domain/values/decimal.ts';
import type { Rejection, RejectionReason } from '../../../domain/market/quote.ts';
import type { EpochMs } from '../../../domain/values/time.ts';
import { valueText } from '../../../domain/values/value-text.ts';
import { rejection } from '../feed-messages.ts';
import { wireDecimal } from '../wire-decimal.ts';

export type Fields = Readonly<Record<string, unknown>>;

/** Error of an unusable message. Thrown inside of a map and counted at its edge. */
export class Unreadable extends Error {
  readonly reason: RejectionReason;

  constructor(reason: RejectionReason, detail: string) {
    super(detail);
    this.reason = reason;
  }
}

/** Carries out one map; what cannot be read becomes a counted rejection. */
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

/** A text that must be there and must not be empty. */
export function textIn(fields: Fields, name: string): string {
  const value = fields[name];
  if (typeof value !== 'string' || value === '') throw new Unreadable('missing_field', `${name} is missing or no text`);
  return value;
}

/** A text that may be missing, null or empty; of another type it refuses the message. */
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

/** The shortest plain form of a decimal: `0.5300` is `0.53`. A number of JSON keeps the digits that it was written with. */
export function decimalOf(value: unknown, name: string): DecimalString {
  if (typeof value === 'number' && Number.isFinite(value)) return plainDecimal(new Decimal(value));
  const text = wireDecimal(value);
  if (text === null)
    throw new Unreadable(value === undefined ? 'missing_field' : 'bad_number', `${name} ${valueText(value)} is not a plain decimal`);
  return trimmed(text);
}

/** The first of these fields that is there as a decimal, else null. */
export function maybeDecimal(fields: Fields, ...names: readonly string[]): DecimalString | null {
  for (const name of names) {
    const value = fields[name];
    if (value !== undefined && value !== null && value !== '') return decimalOf(value, name);
  }
  return null;
}

/** Reads a price with an order behind it, strictly between 0 and 1. Providers write 0 or 1 if there is none: null. */
export function maybePrice(fields: Fields, name: string): DecimalString | null {
  const value = maybeDecimal(fields, name);
  if (value === null || value === '0' || value === '1') return null;
  return priceOf(value, name);
}

/** @param value in its shortest form, as `decimalOf` gives it. @throws Unreadable for what is no price of a contract that pays one dollar. */
export function priceOf(value: DecimalString, name: string): DecimalString {
  // Without zeros that say nothing, whatever lies between 0 and 1 begins with `0.`.
  if (value.charCodeAt(0) === 48 && value.charCodeAt(1) === 46) return value;
  if (value === '0' || value.charCodeAt(0) === 45) throw new Unreadable('non_positive_price', `${name} ${value} is not above zero`);
  throw new Unreadable('bad_number', `${name} ${value} is not a probability`);
}

/** A size of at least zero. */
export function sizeOf(value: unknown, name: string): DecimalString {
  const size = decimalOf(value, name);
  if (size.startsWith('-') && size !== '-0') throw new Unreadable('bad_number', `${name} ${size} is below zero`);
  return size;
}

/** A size of at least zero that may be missing, null or empty. */
export function maybeSize(fields: Fields, name: string): DecimalString | null {
  const size = maybeDecimal(fields, name);
  return size === null ? null : sizeOf(size, name);
}

/**
 * Reads ISO 8601, or `2026-03-19 23:20:15+00`. Without an offset it is UTC, whatever the time zone of this machine. Null if the field is
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

/** Milliseconds since 1970, as a text or a number. */
export function epochOf(value: unknown, name: string): EpochMs {
  const at = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof at !== 'number' || !Number.isSafeInteger(at) || at < 0) {
    throw new Unreadable(value === undefined ? 'missing_field' : 'bad_number', `${name} ${valueText(value)} is not a time in milliseconds`);
  }
  return at;
}

/** Removes trailing zeros: books find a level by its spelling. */
function trimmed(decimal: DecimalString): DecimalString {
  let from = decimal.charCodeAt(0) === 45 ? 1 : 0;
  let to = decimal.length;
  // Most decimals of venues begin with one digit before the point.
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
