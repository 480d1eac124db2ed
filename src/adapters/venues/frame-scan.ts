/**
 * Reading frames without JSON.parse, for venues that write them without blanks. Whoever scans checks every byte, so that
 * nothing that is accepted could read differently as JSON; at the first byte that is not as expected the frame is parsed
 * instead, with the same outcome. Levels of books, numbers and names keep the venue's exact spelling.
 */
import type { DecimalString } from '../../domain/decimal.ts';
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

/** How a venue writes one level of a book. */
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

/** Whether these bytes stand there. A word has to follow their beginning. */
function stands(words: DataView, at: number, { mask, first, middleAt, middle, lastAt, last }: Between): boolean {
  if ((words.getInt32(at, true) & mask) !== first) return false;
  if (lastAt === 0) return true;
  return words.getInt32(at + middleAt, true) === middle && words.getInt32(at + lastAt, true) === last;
}

/** Where the plain decimal without a sign that begins here ends, doubled, and one more where it is not zero; -1 where there is none. */
function decimalAt(bytes: Uint8Array, words: DataView, start: number, end: number): number {
  let at = start;
  let any = 0;
  let code = bytes[at] as number;
  while (code >= 48 && code <= 57 && at < end) {
    any |= code;
    code = bytes[++at] as number;
  }
  if (at === start || at >= end) return -1;
  if (code === POINT) {
    const fraction = ++at;
    // Four digits at a time: each byte is 0x30 to 0x39.
    while (at + 4 <= end) {
      const four = words.getInt32(at, true);
      if ((four & NIBBLES) !== ZEROS || ((four + SIXES) & NIBBLES) !== ZEROS) break;
      any |= four | (four >>> 16);
      at += 4;
      any |= any >>> 8;
    }
    code = bytes[at] as number;
    while (code >= 48 && code <= 57 && at < end) {
      any |= code;
      code = bytes[++at] as number;
    }
    if (at === fraction) return -1;
  }
  if (at - start > MAX_DECIMAL_CHARACTERS) return -1;
  return 2 * at + ((any & 15) === 0 ? 0 : 1);
}

/** Where a scan stands in its frame. One is used again for every frame, since nothing of it outlives the call. */
export class FrameScan {
  #frame: Buffer = Buffer.alloc(0);
  #buffer: ArrayBufferLike = this.#frame.buffer;
  #bytes: Uint8Array = new Uint8Array(this.#buffer);
  #words: DataView = new DataView(this.#buffer);
  #base = 0;
  #at = 0;
  #end = 0;
  #text: string | null = null;
  readonly #spans = new Int32Array(2 * MOST_SPANS);
  /** Spans that were found: the next number, price or size gets this index. */
  found = 0;

  /** @returns false for a frame that is too long to be worth a scan. */
  begin(frame: Buffer): boolean {
    if (frame.length > LONGEST_FRAME) return false;
    if (frame.buffer !== this.#buffer) {
      this.#buffer = frame.buffer;
      this.#bytes = new Uint8Array(frame.buffer);
      this.#words = new DataView(frame.buffer);
    }
    this.#frame = frame;
    this.#base = this.#at = frame.byteOffset;
    this.#end = frame.byteOffset + frame.length;
    this.#text = null;
    this.found = 0;
    return true;
  }

  /** Passes over exactly these bytes. */
  take(literal: Literal): boolean {
    const at = this.#at;
    const { length, between } = literal;
    if (at + length > this.#end) return false;
    const words = this.#words;
    if (words.getInt32(at, true) !== literal.first || words.getInt32(at + length - 4, true) !== literal.last) return false;
    for (let word = 0; word < between.length; word++) if (words.getInt32(at + 4 + 4 * word, true) !== between[word]) return false;
    this.#at = at + length;
    return true;
  }

  /** Passes over one byte, where it is there. */
  byte(code: number): boolean {
    if (this.#at >= this.#end || this.#bytes[this.#at] !== code) return false;
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

  /** The place of the member's name among the names, -1 where it is none of them. */
  member(names: readonly Literal[]): number {
    for (let index = 0; index < names.length; index++) if (this.take(names[index] as Literal)) return index;
    return -1;
  }

  /** A whole number of at least 0 that a double holds; -1 where none stands here. */
  count(): number {
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    let value = 0;
    let code = bytes[at] as number;
    while (at < this.#end && code >= 48 && code <= 57) {
      value = value * 10 + (code - 48);
      code = bytes[++at] as number;
    }
    const digits = at - start;
    if (digits === 0 || digits > LONGEST_COUNT || (digits > 1 && bytes[start] === 48)) return -1;
    this.#at = at;
    return value;
  }

  /** What a table has for the name that ends before `stop`, which stays; null where it has nothing. */
  named<Value>(table: NameTable<Value>, stop: number): Value | null {
    const bytes = this.#bytes;
    const start = this.#at;
    const end = this.#end;
    let at = start;
    let sum = 0;
    for (let code = bytes[at] as number; at < end && code !== stop; code = bytes[++at] as number) sum = hashed(sum, code);
    const bucket = table.bucketOf(sum);
    for (let index = 0; index < bucket.length; index++) {
      const { name, value } = bucket[index] as { readonly name: Uint8Array; readonly value: Value };
      if (name.length !== at - start) continue;
      let same = 0;
      while (same < name.length && bytes[start + same] === name[same]) same++;
      if (same < name.length) continue;
      this.#at = at;
      return value;
    }
    return null;
  }

  /** A quoted text of plain ASCII; null where it is none or has an escape. */
  quoted(): string | null {
    const from = this.#at + 1 - this.#base;
    return this.passText() ? this.#cut(from, this.#at - 1 - this.#base) : null;
  }

  /** Passes over such a text. */
  passText(): boolean {
    const bytes = this.#bytes;
    const end = this.#end;
    if (this.#at >= end || bytes[this.#at] !== QUOTE) return false;
    for (let at = this.#at + 1; at < end; at++) {
      const code = bytes[at] as number;
      if (code === QUOTE) {
        this.#at = at + 1;
        return true;
      }
      if (code < 32 || code > 126 || code === BACKSLASH) return false;
    }
    return false;
  }

  /** A whole number of at least 0 in quotes; -1 where none stands here. */
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

  /** A price above zero without its quotes, which belong to the literals around it. */
  barePrice(): boolean {
    return this.#decimal(false) === 1;
  }

  /** A list of levels, two spans each. @returns how many; -1 where one is no level with a price above zero. */
  levels({ open, middle, close, counted, zeroSizes }: LevelLayout): number {
    if (!this.byte(OPEN_LIST)) return -1;
    if (this.byte(CLOSE_LIST)) return 0;
    const bytes = this.#bytes;
    const words = this.#words;
    const spans = this.#spans;
    const base = this.#base;
    const end = this.#end;
    // Words are read whole: behind the last level there is always a word of frame, or the frame is cut off.
    const safe = end - 12;
    let span = 2 * this.found;
    let at = this.#at;
    for (;;) {
      if (at > safe || span > 2 * MOST_SPANS - 4 || !stands(words, at, open)) return -1;
      at += open.length;
      const price = decimalAt(bytes, words, at, end);
      if ((price & 1) === 0 || price < 0) return -1;
      spans[span++] = at - base;
      at = price >> 1;
      spans[span++] = at - base;
      if (at > safe || !stands(words, at, middle)) return -1;
      at += middle.length;
      const size = decimalAt(bytes, words, at, end);
      if (size < 0 || ((size & 1) === 0 && !zeroSizes)) return -1;
      spans[span++] = at - base;
      at = size >> 1;
      spans[span++] = at - base;
      if (at > end - 4 || !stands(words, at, close)) return -1;
      at += close.length;
      if (counted) {
        const digits = at;
        let code = bytes[at] as number;
        while (code >= 48 && code <= 57 && at < end) code = bytes[++at] as number;
        if (code !== CLOSE_OBJECT || at === digits || at > digits + LONGEST_COUNT || (at > digits + 1 && bytes[digits] === 48)) return -1;
        at++;
      }
      const next = bytes[at++];
      if (at > end) return -1;
      if (next === COMMA) continue;
      if (next !== CLOSE_LIST) return -1;
      this.#at = at;
      const levels = (span - 2 * this.found) >> 2;
      this.found = span >> 1;
      return levels;
    }
  }

  /** One level as `[price, size]`, where no other is wanted: without a text of the whole frame. */
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

  /** The text of a span, as the venue wrote it. */
  text(span: number): DecimalString {
    return this.#cut(this.#spans[2 * span] as number, this.#spans[2 * span + 1] as number);
  }

  /**
   * The text of a span in its shortest spelling; null where zeros stand in front, which is left to the parsed way.
   * `0.5300` is `0.53`, `25.00` is `25`.
   */
  shortest(span: number): DecimalString | null {
    const bytes = this.#bytes;
    const start = this.#base + (this.#spans[2 * span] as number);
    const end = this.#base + (this.#spans[2 * span + 1] as number);
    const digits = bytes[start] === MINUS ? start + 1 : start;
    if (bytes[digits] === ZERO && digits + 1 < end && bytes[digits + 1] !== POINT) return null;
    let to = end;
    if (bytes[end - 1] === ZERO) {
      let point = end - 1;
      while (point > digits && bytes[point] !== POINT) point--;
      if (point > digits) {
        while (bytes[to - 1] === ZERO) to--;
        if (to - 1 === point) to--;
      }
      // Minus zero is zero.
      if (to - 1 === digits && bytes[digits] === ZERO) return '0';
    }
    return this.#cut(start - this.#base, to - this.#base);
  }

  /** Passes over a decimal and keeps its span. @returns 1 for a number that is not zero, 0 for zero, -1 where there is none. */
  #decimal(signed: boolean): number {
    const start = this.#at;
    const from = signed && this.#bytes[start] === MINUS ? start + 1 : start;
    const read = decimalAt(this.#bytes, this.#words, from, this.#end);
    const at = read >> 1;
    if (read < 0 || at - start > MAX_DECIMAL_CHARACTERS) return -1;
    if (this.found >= MOST_SPANS) return -1;
    this.#spans[2 * this.found] = start - this.#base;
    this.#spans[2 * this.found + 1] = at - this.#base;
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
