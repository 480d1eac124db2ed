/**
 * Reader of frames without JSON.parse, for venues that write them without blanks. It checks every byte, so that nothing it accepts could
 * read differently as JSON. At the first unexpected byte the frame is parsed instead, with the same result. Levels of books, numbers and
 * names keep the venue's exact text.
 */
import type { DecimalString } from '../../domain/values/decimal.ts';
import type { BookLevel } from './order-book.ts';
import { MAX_DECIMAL_CHARACTERS } from './wire-decimal.ts';

const QUOTE = 34;
const ZERO = 48;
const COMMA = 44;
const MINUS = 45;
const POINT = 46;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const CLOSE_OBJECT = 125;
/** Larger frames are parsed: they are rare. */
const LONGEST_FRAME = 65_536;
const LONGEST_COUNT = 15;
/** `0000` as a word, the upper halves of its bytes, and what lifts a byte above 9 out of them. */
const ZEROS = 0x30303030;
const NIBBLES = 0xf0f0f0f0 | 0;
const SIXES = 0x06060606;
/** Decimals that one frame may have. */
const MOST_SPANS = 4_096;

/**
 * The frame that is being scanned, copied here: a view of words over a socket's own memory would must be made for every
 * packet. Behind a frame lie bytes of earlier ones, so every reader asks where the frame ends.
 */
const BYTES = new Uint8Array(LONGEST_FRAME + 16);
const WORDS = new DataView(BYTES.buffer);

/** Bytes that have to follow one another, compared four at a time. At least four of them. */
export class Literal {
  readonly length: number;
  readonly first: number;
  readonly last: number;
  /** The words between the first and the last one; empty up to eight bytes. */
  readonly between: Int32Array;

  /** @throws RangeError below four bytes. */
  constructor(text: string) {
    const bytes = Buffer.from(text);
    if (bytes.length < 4) throw new RangeError(`"${text}" is too short to be compared by words`);
    this.length = bytes.length;
    this.first = bytes.readInt32LE(0);
    this.last = bytes.readInt32LE(bytes.length - 4);
    this.between = Int32Array.from({ length: Math.max(0, Math.ceil(bytes.length / 4) - 2) }, (_, word) => bytes.readInt32LE(4 + 4 * word));
  }
}

const TRUE = new Literal('true');
const FALSE = new Literal('false');

/** The members of an object, in any order. */
export function memberNames(...names: readonly string[]): readonly Literal[] {
  return names.map((name) => new Literal(`"${name}":`));
}

/** Bytes of a level between its numbers, at most twelve, compared by up to three words of which the unused bytes are masked. */
class Between {
  readonly length: number;
  readonly mask: number;
  readonly first: number;
  readonly middleAt: number;
  readonly middle: number;
  readonly lastAt: number;
  readonly last: number;

  /** @throws RangeError above twelve bytes. */
  constructor(text: string) {
    const bytes = Buffer.from(text);
    if (bytes.length > 12) throw new RangeError(`"${text}" is too long to stand between two numbers`);
    const padded = Buffer.alloc(12);
    bytes.copy(padded);
    this.length = bytes.length;
    this.mask = bytes.length >= 4 ? -1 : 2 ** (8 * bytes.length) - 1;
    this.first = padded.readInt32LE(0);
    this.lastAt = Math.max(0, bytes.length - 4);
    this.last = padded.readInt32LE(this.lastAt);
    this.middleAt = Math.min(4, this.lastAt);
    this.middle = padded.readInt32LE(this.middleAt);
  }
}

/** The longest quoted number that is remembered, with the bytes before it and its closing quote. */
const LONGEST_REPEATED = 96;

/**
 * A quoted number behind bytes that are always the same, as a frame had it before: where they stand again, nothing must be read or made anew. Of one instrument's best prices a message changes one side and repeats the other.
 */
export class Repeated {
  readonly lead: Literal;
  readonly words = new DataView(new ArrayBuffer(LONGEST_REPEATED + 4));
  /** Start of the last word, which ends with the closing quote. */
  last = 0;
  /** Null before there was one. */
  text: DecimalString | null = null;

  /** @throws RangeError if the lead leaves no room for a number. */
  constructor(lead: string) {
    this.lead = new Literal(lead);
    if (this.lead.length + MAX_DECIMAL_CHARACTERS + 1 > LONGEST_REPEATED)
      throw new RangeError(`"${lead}" is too long to be remembered with a number`);
  }
}

/** Layout of one level of a venue's book. */
export class LevelLayout {
  readonly open: Between;
  readonly middle: Between;
  readonly close: Between;
  readonly counted: boolean;
  readonly zeroSizes: boolean;

  /**
   * `open` price `middle` size `close`, and before the last byte of `close` a whole number where it is `counted`.
   * `zeroSizes`: whether a size of zero may stand there, which removes a level.
   */
  constructor(open: string, middle: string, close: string, { counted = false, zeroSizes = false } = {}) {
    this.open = new Between(open);
    this.middle = new Between(middle);
    this.close = new Between(close);
    this.counted = counted;
    this.zeroSizes = zeroSizes;
  }
}

/** Values by names, found by the bytes of a name without making a text of them. Names that JSON would escape are not in it. */
export class NameTable<Value> {
  readonly #buckets: { readonly name: Uint8Array; readonly value: Value }[][];

  constructor(values: ReadonlyMap<string, Value>) {
    this.#buckets = Array.from({ length: 4 * 2 ** Math.ceil(Math.log2(values.size + 1)) }, () => []);
    for (const [name, value] of values) {
      if (!/^[\w.:@/-]+$/.test(name)) continue;
      const bytes = Buffer.from(name);
      let sum = 0;
      for (const byte of bytes) sum = hashed(sum, byte);
      this.bucketOf(sum).push({ name: bytes, value });
    }
  }

  bucketOf(sum: number): { readonly name: Uint8Array; readonly value: Value }[] {
    return this.#buckets[sum & (this.#buckets.length - 1)] as { readonly name: Uint8Array; readonly value: Value }[];
  }
}

function hashed(sum: number, byte: number): number {
  return (sum * 31 + byte) | 0;
}

/** True if these bytes are at this place. A word has to follow their beginning. */
function stands(at: number, { mask, first, middleAt, middle, lastAt, last }: Between): boolean {
  if ((WORDS.getInt32(at, true) & mask) !== first) return false;
  if (lastAt === 0) return true;
  return WORDS.getInt32(at + middleAt, true) === middle && WORDS.getInt32(at + lastAt, true) === last;
}

/** True for a word of four digits: each byte is 0x30 to 0x39. */
function areDigits(four: number): boolean {
  return (four & NIBBLES) === ZEROS && ((four + SIXES) & NIBBLES) === ZEROS;
}

/** Returns the end of the unsigned plain decimal that begins here, doubled, plus one if it is not zero; -1 if there is none. */
function decimalAt(start: number, end: number): number {
  let at = start;
  let any = 0;
  let code = BYTES[at] as number;
  while (code >= 48 && code <= 57 && at < end) {
    any |= code;
    code = BYTES[++at] as number;
  }
  if (at === start || at >= end) return -1;
  if (code === POINT) {
    const fraction = ++at;
    // Four digits at a time: each byte is 0x30 to 0x39.
    while (at + 4 <= end) {
      const four = WORDS.getInt32(at, true);
      if (!areDigits(four)) break;
      any |= four | (four >>> 16);
      at += 4;
      any |= any >>> 8;
    }
    code = BYTES[at] as number;
    while (code >= 48 && code <= 57 && at < end) {
      any |= code;
      code = BYTES[++at] as number;
    }
    if (at === fraction) return -1;
  }
  if (at - start > MAX_DECIMAL_CHARACTERS) return -1;
  return 2 * at + ((any & 15) === 0 ? 0 : 1);
}

/** A text of up to sixteen plain characters, which costs a third of a decoded one; null for a longer one. */
function shortText(at: number, length: number): string | null {
  if (length > 16) return null;
  const sixteen = String.fromCharCode(
    BYTES[at] as number,
    BYTES[at + 1] as number,
    BYTES[at + 2] as number,
    BYTES[at + 3] as number,
    BYTES[at + 4] as number,
    BYTES[at + 5] as number,
    BYTES[at + 6] as number,
    BYTES[at + 7] as number,
    BYTES[at + 8] as number,
    BYTES[at + 9] as number,
    BYTES[at + 10] as number,
    BYTES[at + 11] as number,
    BYTES[at + 12] as number,
    BYTES[at + 13] as number,
    BYTES[at + 14] as number,
    BYTES[at + 15] as number,
  );
  return sixteen.substring(0, length);
}

/** Scan position in a frame. It is reused for every frame, since nothing of it outlives the call. */
export class FrameScan {
  #frame: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  #text: string | null = null;
  readonly #spans = new Int32Array(2 * MOST_SPANS);
  /** Spans that were found: the next number, price or size gets this index. */
  found = 0;

  /** @returns false for a frame that is too long to be worth a scan. */
  begin(frame: Buffer): boolean {
    if (frame.length > LONGEST_FRAME) return false;
    BYTES.set(frame);
    this.#frame = frame;
    this.#at = 0;
    this.#end = frame.length;
    this.#text = null;
    this.found = 0;
    return true;
  }

  /** Passes over exactly these bytes. */
  take(literal: Literal): boolean {
    const at = this.#at;
    const { length, between } = literal;
    if (at + length > this.#end) return false;
    if (WORDS.getInt32(at, true) !== literal.first || WORDS.getInt32(at + length - 4, true) !== literal.last) return false;
    for (let word = 0; word < between.length; word++) if (WORDS.getInt32(at + 4 + 4 * word, true) !== between[word]) return false;
    this.#at = at + length;
    return true;
  }

  /** Passes over one byte, if it is there. */
  byte(code: number): boolean {
    if (this.#at >= this.#end || BYTES[this.#at] !== code) return false;
    this.#at++;
    return true;
  }

  comma(): boolean {
    return this.byte(COMMA);
  }

  /** True where `}` comes so many times, and then nothing. */
  closes(objects: number): boolean {
    for (let one = 0; one < objects; one++) if (!this.byte(CLOSE_OBJECT)) return false;
    return this.#at === this.#end;
  }

  /** Returns the index of the member's name among the names, or -1. */
  member(names: readonly Literal[]): number {
    for (let index = 0; index < names.length; index++) if (this.take(names[index] as Literal)) return index;
    return -1;
  }

  /** A whole number of at least 0 that a double holds; -1 if none stands here. */
  count(): number {
    const start = this.#at;
    const end = this.#end;
    let at = start;
    let value = 0;
    for (; at + 4 <= end; at += 4) {
      const four = WORDS.getInt32(at, true);
      if (!areDigits(four)) break;
      value = value * 10_000 + (four & 15) * 1_000 + ((four >> 8) & 15) * 100 + ((four >> 16) & 15) * 10 + ((four >> 24) & 15);
    }
    let code = BYTES[at] as number;
    while (at < end && code >= 48 && code <= 57) {
      value = value * 10 + (code - 48);
      code = BYTES[++at] as number;
    }
    const digits = at - start;
    if (digits === 0 || digits > LONGEST_COUNT || (digits > 1 && BYTES[start] === ZERO)) return -1;
    this.#at = at;
    return value;
  }

  /** Returns a table's value for the name that ends before `stop`, which stays; null if it has none. */
  named<Value>(table: NameTable<Value>, stop: number): Value | null {
    const start = this.#at;
    const end = this.#end;
    let at = start;
    let sum = 0;
    for (let code = BYTES[at] as number; at < end && code !== stop; code = BYTES[++at] as number) sum = hashed(sum, code);
    const bucket = table.bucketOf(sum);
    for (let index = 0; index < bucket.length; index++) {
      const { name, value } = bucket[index] as { readonly name: Uint8Array; readonly value: Value };
      if (name.length !== at - start) continue;
      let same = 0;
      while (same < name.length && BYTES[start + same] === name[same]) same++;
      if (same < name.length) continue;
      this.#at = at;
      return value;
    }
    return null;
  }

  /** Reads a quoted text of plain ASCII; null if it is not one or has an escape. */
  quoted(): string | null {
    const from = this.#at + 1;
    return this.passText() ? this.#cut(from, this.#at - 1) : null;
  }

  /** Passes over such a text. */
  passText(): boolean {
    const end = this.#end;
    if (this.#at >= end || BYTES[this.#at] !== QUOTE) return false;
    for (let at = this.#at + 1; at < end; at++) {
      const code = BYTES[at] as number;
      if (code === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      if (code < 32 || code > 126 || code === BACKSLASH) return false;
    }
    return false;
  }

  /** A whole number of at least 0 in quotes; -1 if none stands here. */
  quotedCount(): number {
    const count = this.byte(QUOTE) ? this.count() : -1;
    return this.byte(QUOTE) ? count : -1;
  }

  /** Passes over `true` or `false`. */
  passFlag(): boolean {
    return this.take(TRUE) || this.take(FALSE);
  }

  /** A quoted decimal that is above zero: its span. */
  price(): boolean {
    return this.byte(QUOTE) && this.#decimal(false) === 1 && this.byte(QUOTE);
  }

  /** A quoted decimal of at least zero. */
  size(): boolean {
    return this.byte(QUOTE) && this.#decimal(false) >= 0 && this.byte(QUOTE);
  }

  /** A quoted decimal of either sign. */
  difference(): boolean {
    return this.byte(QUOTE) && this.#decimal(true) >= 0 && this.byte(QUOTE);
  }

  /** Reads a quoted number above zero behind its lead, or null. */
  repeated(number: Repeated): DecimalString | null {
    const { words, last } = number;
    const start = this.#at;
    const end = start + last + 4;
    if (end > this.#end) return this.#changed(number);
    let at = 0;
    while (at < last && WORDS.getInt32(start + at, true) === words.getInt32(at, true)) at += 4;
    // The last word ends with the closing quote; what it shares with the one before it is compared twice.
    if (at < last || WORDS.getInt32(start + last, true) !== words.getInt32(last, true)) return this.#changed(number);
    this.#at = end;
    return number.text;
  }

  #changed(number: Repeated): DecimalString | null {
    const start = this.#at;
    if (!this.take(number.lead)) return null;
    const from = this.#at;
    const read = decimalAt(from, this.#end);
    const to = read >> 1;
    if (read < 0 || (read & 1) === 0 || to >= this.#end || BYTES[to] !== QUOTE) return null;
    this.#at = to + 1;
    number.last = to - 3 - start;
    for (let at = 0; start + at <= to; at += 4) number.words.setInt32(at, WORDS.getInt32(start + at, true), true);
    number.text = shortText(from, to - from) ?? this.#cut(from, to);
    return number.text;
  }

  /** A list of levels, two spans each. @returns how many; -1 if one is no level with a price above zero. */
  levels({ open, middle, close, counted, zeroSizes }: LevelLayout): number {
    if (!this.byte(OPEN_LIST)) return -1;
    if (this.byte(CLOSE_LIST)) return 0;
    const spans = this.#spans;
    const end = this.#end;
    // Words are read whole: behind the last level there is always a word of frame, or the frame is cut off.
    const safe = end - 12;
    let span = 2 * this.found;
    let at = this.#at;
    for (;;) {
      if (at > safe || span > 2 * MOST_SPANS - 4 || !stands(at, open)) return -1;
      at += open.length;
      const price = decimalAt(at, end);
      if ((price & 1) === 0 || price < 0) return -1;
      spans[span++] = at;
      at = price >> 1;
      spans[span++] = at;
      if (at > safe || !stands(at, middle)) return -1;
      at += middle.length;
      const size = decimalAt(at, end);
      if (size < 0 || ((size & 1) === 0 && !zeroSizes)) return -1;
      spans[span++] = at;
      at = size >> 1;
      spans[span++] = at;
      if (at > end - 4 || !stands(at, close)) return -1;
      at += close.length;
      if (counted) {
        const digits = at;
        let code = BYTES[at] as number;
        while (code >= 48 && code <= 57 && at < end) code = BYTES[++at] as number;
        if (code !== CLOSE_OBJECT || at === digits || at > digits + LONGEST_COUNT || (at > digits + 1 && BYTES[digits] === 48)) return -1;
        at++;
      }
      const next = BYTES[at++];
      if (at > end) return -1;
      if (next === COMMA) continue;
      if (next !== CLOSE_LIST) return -1;
      this.#at = at;
      const levels = (span - 2 * this.found) >> 2;
      this.found = span >> 1;
      return levels;
    }
  }

  /** One level as `[price, size]`, if no other is wanted: without a text of the whole frame. */
  pair(level: number): BookLevel {
    const spans = this.#spans;
    const at = 4 * level;
    const from = spans[at] as number;
    const text = this.#frame.toString('latin1', from, spans[at + 3]);
    return [text.slice(0, (spans[at + 1] as number) - from), text.slice((spans[at + 2] as number) - from)];
  }

  /** Levels of a list as `[price, size]`, from the one that was found as number `from`. */
  pairs(from: number, levels: number): BookLevel[] {
    const text = this.#whole();
    const spans = this.#spans;
    const pairs: BookLevel[] = [];
    for (let at = 4 * from; at < 4 * (from + levels); at += 4)
      pairs.push([text.substring(spans[at] as number, spans[at + 1]), text.substring(spans[at + 2] as number, spans[at + 3])]);
    return pairs;
  }

  /**
   * Returns the text of a span in its shortest form: `0.5300` is `0.53`, `25.00` is `25`. Null if it has leading zeros, which the JSON
   * parser handles.
   */
  shortest(span: number): DecimalString | null {
    const start = this.#spans[2 * span] as number;
    const end = this.#spans[2 * span + 1] as number;
    const digits = BYTES[start] === MINUS ? start + 1 : start;
    if (BYTES[digits] === ZERO && digits + 1 < end && BYTES[digits + 1] !== POINT) return null;
    let to = end;
    if (BYTES[end - 1] === ZERO) {
      let point = end - 1;
      while (point > digits && BYTES[point] !== POINT) point--;
      if (point > digits) {
        while (BYTES[to - 1] === ZERO) to--;
        if (to - 1 === point) to--;
      }
      // Minus zero is zero.
      if (to - 1 === digits && BYTES[digits] === ZERO) return '0';
    }
    return this.#cut(start, to);
  }

  /** Passes over a decimal and keeps its span. @returns 1 for a number that is not zero, 0 for zero, -1 if there is none. */
  #decimal(signed: boolean): number {
    const start = this.#at;
    const from = signed && BYTES[start] === MINUS ? start + 1 : start;
    const read = decimalAt(from, this.#end);
    const at = read >> 1;
    if (read < 0 || at - start > MAX_DECIMAL_CHARACTERS) return -1;
    if (this.found >= MOST_SPANS) return -1;
    this.#spans[2 * this.found] = start;
    this.#spans[2 * this.found + 1] = at;
    this.found++;
    this.#at = at;
    return read & 1;
  }

  #cut(from: number, to: number): string {
    return this.#whole().substring(from, to);
  }

  /** Latin-1 is one copy without decoding: every byte that is cut out of it was seen to be plain ASCII. */
  #whole(): string {
    const text = this.#text ?? this.#frame.toString('latin1');
    this.#text = text;
    return text;
  }
}
