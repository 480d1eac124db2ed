/** RFC 8785 canonical JSON and its SHA-256. */
import { createHash, hash } from 'node:crypto';

/** A value that JSON can carry. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json | undefined };

/**
 * Writes a value as RFC 8785 canonical JSON: keys sorted by UTF-16 code units, no blanks, ECMAScript numbers. Omits undefined members, like
 * JSON.stringify. @throws TypeError on NaN, infinities and lone surrogates, which have no canonical form.
 */
export function canonicalJson(value: Json | object): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new TypeError(`canonical JSON has no encoding for ${value}`);
    return JSON.stringify(value);
  }
  if (typeof value === 'string') {
    if (PLAIN.test(value)) return `"${value}"`;
    if (!value.isWellFormed()) throw new TypeError('canonical JSON has no encoding for a lone surrogate');
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    let items = '';
    for (let i = 0; i < value.length; i++) items += (i === 0 ? '' : ',') + canonicalJson(value[i] as Json);
    return `[${items}]`;
  }
  const object = value as { readonly [key: string]: Json | undefined };
  let members = '';
  for (const key of sortedKeys(object)) {
    const name = nameText(key);
    const member = object[key];
    if (member !== undefined) members += (members === '' ? '' : ',') + name + canonicalJson(member);
  }
  return `{${members}}`;
}

/** Text that JSON writes unescaped. */
const PLAIN = /^[ !#-[\]-~]*$/;

/** Returns the keys in order. Fast path: most objects already have them sorted. */
function sortedKeys(object: object): readonly string[] {
  const keys = Object.keys(object);
  for (let i = 1; i < keys.length; i++) if ((keys[i - 1] as string) > (keys[i] as string)) return keys.sort();
  return keys;
}

/** Cache of member names with their colon. Only the service's own names are cached, because there are few. */
const names = new Map<string, string>();
const NAMES_KEPT = 4_000;

function nameText(key: string): string {
  const known = names.get(key);
  if (known !== undefined) return known;
  if (!key.isWellFormed()) throw new TypeError('canonical JSON has no encoding for a name with a lone surrogate');
  const text = `${JSON.stringify(key)}:`;
  if (names.size < NAMES_KEPT && key.length <= 64) names.set(key, text);
  return text;
}

/** Returns the SHA-256 of a text in UTF-8, as 64 lower-case hexadecimal digits. */
export function sha256Hex(text: string): string {
  return hash('sha256', text);
}

/** Characters hashed at a time. */
const HASHED_AT_ONCE = 65_536;

/** Returns the SHA-256 of lines joined by line feeds, like `sha256Hex` of the whole text, without building it. */
export function sha256OfLines(lines: Iterable<string>): string {
  const digest = createHash('sha256');
  let part = '';
  let between = '';
  for (const line of lines) {
    part += between + line;
    between = '\n';
    if (part.length < HASHED_AT_ONCE) continue;
    digest.update(part);
    part = '';
  }
  return digest.update(part).digest('hex');
}

/** Returns the SHA-256 over the canonical JSON of a value, in lower-case hexadecimal. */
export function canonicalHash(value: Json | object): string {
  return sha256Hex(canonicalJson(value));
}
