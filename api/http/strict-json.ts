/** Reads JSON bodies strictly: bounded depth, no duplicate keys, no text that a database refuses, no number that loses digits. */
import { exactNumber } from './exact-number.ts';
import { InputError } from '../problem.ts';

/** Maximum nesting of objects and lists. */
export const MAX_DEPTH = 16;
/** Maximum values of a body, entries of a list and fields of an object: more than any request needs, and few enough to check at once. */
const MAX_VALUES = 5_000;
const MAX_ENTRIES = 1_000;
const MAX_FIELDS = 256;

/** Names that would reach an object's prototype. */
const RESERVED = new Set(['__proto__', 'constructor', 'prototype']);
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const PLAIN_STRING = /"([^"\\\u0000-\u001f]*)"/y;
const ANY_STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const BLANKS = /[ \t\n\r]*/y;

/** A value of a request body. Objects are plain. */
export type BodyValue = null | boolean | number | string | BodyValue[] | { [key: string]: BodyValue };

/**
 * Parses a request body, which must be an object. @param places Receives the text position of each value, by path. @throws InputError
 * `malformed` or `body_too_deep` with the place.
 */
export function parseStrictJson(text: string, places?: Map<string, number>): { [key: string]: BodyValue } {
  const reader = new JsonReader(text, places);
  const value = reader.document();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw malformed('$', 'the body is not an object', 'a JSON object');
  }
  return value;
}

/** Reads the bytes of a body as text. @throws InputError if they are not UTF-8. */
export function decodeUtf8(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    throw new InputError('malformed', 'the body is not UTF-8');
  }
}

/** Refuses texts that PostgreSQL cannot store or UTF-8 cannot encode. */
export function checkText(text: string, path: string): string {
  if (text.includes('\u0000')) throw malformed(path, 'the text has a NUL character', 'text without U+0000');
  if (!text.isWellFormed()) throw malformed(path, 'the text has a lone surrogate', 'well-formed Unicode');
  return text;
}

/** Refuses keys that reach into prototypes. */
export function checkKey(key: string, path: string): string {
  if (RESERVED.has(key)) throw malformed(path, `${JSON.stringify(key)} is a reserved name`, 'any other field name');
  return checkText(key, path);
}

/** Refuses a list that is already full. */
export function checkLength(entries: number, path: string): void {
  if (entries >= MAX_ENTRIES) throw malformed(path, 'the list is too long', `at most ${MAX_ENTRIES} entries`);
}

/** Refuses an object that is already full. */
export function checkFields(fields: number, path: string): void {
  if (fields >= MAX_FIELDS) throw malformed(path, 'the object has too many fields', `at most ${MAX_FIELDS} fields`);
}

export function tooDeep(path: string): InputError {
  const problem = { path, problem: `nested deeper than ${MAX_DEPTH}`, allowed: `at most ${MAX_DEPTH} levels` };
  return new InputError('body_too_deep', `the body is nested deeper than ${MAX_DEPTH} levels`, [problem]);
}

export function malformed(path: string, problem: string, allowed: string): InputError {
  return new InputError('malformed', `${path}: ${problem}; allowed: ${allowed}`, [{ path, problem, allowed }]);
}

/** Recursion is bounded by `MAX_DEPTH`, so a hostile body cannot exhaust the stack. */
class JsonReader {
  readonly text: string;
  at = 0;
  values = 0;

  readonly #places: Map<string, number> | undefined;

  constructor(text: string, places?: Map<string, number>) {
    this.text = text;
    this.#places = places;
  }

  document(): BodyValue {
    this.blanks();
    const value = this.value('$', 0);
    this.blanks();
    if (this.at < this.text.length) throw this.unexpected('$', 'the end of the body');
    return value;
  }

  private value(path: string, depth: number): BodyValue {
    if (++this.values > MAX_VALUES) throw malformed(path, 'too many values', `at most ${MAX_VALUES} values in one body`);
    this.#places?.set(path, this.at);
    const first = this.text.charAt(this.at);
    if (first === '"') return checkText(this.string(path), path);
    if (first === '{') return this.object(path, depth + 1);
    if (first === '[') return this.list(path, depth + 1);
    if (this.text.startsWith('true', this.at)) return this.word(true, 4);
    if (this.text.startsWith('false', this.at)) return this.word(false, 5);
    if (this.text.startsWith('null', this.at)) return this.word(null, 4);
    return this.number(path);
  }

  private word<Word>(word: Word, length: number): Word {
    this.at += length;
    return word;
  }

  private number(path: string): number {
    NUMBER.lastIndex = this.at;
    const literal = NUMBER.exec(this.text)?.[0];
    if (literal === undefined) throw this.unexpected(path, 'a JSON value');
    this.at += literal.length;
    const value = exactNumber(literal);
    if (value === null) {
      const shown = literal.length > 60 ? `${literal.slice(0, 60)}…` : literal;
      throw malformed(
        path,
        `the number ${shown} would lose digits`,
        'at most 15 significant digits; a longer decimal as a string where strings are taken',
      );
    }
    return value;
  }

  private string(path: string): string {
    PLAIN_STRING.lastIndex = this.at;
    const plain = PLAIN_STRING.exec(this.text);
    if (plain !== null) {
      this.at = PLAIN_STRING.lastIndex;
      return plain[1] as string;
    }
    ANY_STRING.lastIndex = this.at;
    const quoted = ANY_STRING.exec(this.text)?.[0];
    if (quoted === undefined) throw this.unexpected(path, 'a string in double quotes, control characters escaped');
    this.at += quoted.length;
    return JSON.parse(quoted) as string;
  }

  private object(path: string, depth: number): { [key: string]: BodyValue } {
    if (depth > MAX_DEPTH) throw tooDeep(path);
    const object: { [key: string]: BodyValue } = {};
    this.at++;
    this.blanks();
    if (this.taken('}')) return object;
    for (let fields = 0; ; fields++) {
      checkFields(fields, path);
      if (this.text.charAt(this.at) !== '"') throw this.unexpected(path, 'a field name in double quotes');
      const key = checkKey(this.string(path), path);
      if (Object.hasOwn(object, key))
        throw malformed(path, `the field ${JSON.stringify(key.slice(0, 80))} occurs twice`, 'every field once');
      this.blanks();
      if (!this.taken(':')) throw this.unexpected(path, 'a colon');
      this.blanks();
      object[key] = this.value(`${path}.${key.slice(0, 80)}`, depth);
      this.blanks();
      if (this.taken('}')) return object;
      if (!this.taken(',')) throw this.unexpected(path, 'a comma or a closing brace');
      this.blanks();
    }
  }

  private list(path: string, depth: number): BodyValue[] {
    if (depth > MAX_DEPTH) throw tooDeep(path);
    const list: BodyValue[] = [];
    this.at++;
    this.blanks();
    if (this.taken(']')) return list;
    for (;;) {
      checkLength(list.length, path);
      list.push(this.value(`${path}[${list.length}]`, depth));
      this.blanks();
      if (this.taken(']')) return list;
      if (!this.taken(',')) throw this.unexpected(path, 'a comma or a closing bracket');
      this.blanks();
    }
  }

  private taken(character: string): boolean {
    if (this.text.charAt(this.at) !== character) return false;
    this.at++;
    return true;
  }

  private blanks(): void {
    const code = this.text.charCodeAt(this.at);
    if (code > 32) return;
    BLANKS.lastIndex = this.at;
    BLANKS.exec(this.text);
    this.at = BLANKS.lastIndex;
  }

  private unexpected(path: string, allowed: string): InputError {
    const found = this.at >= this.text.length ? 'the end of the body' : JSON.stringify(this.text.charAt(this.at));
    return malformed(path, `this is not JSON: ${found} at character ${this.at + 1}`, allowed);
  }
}
