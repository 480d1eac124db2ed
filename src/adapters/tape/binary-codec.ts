/**
 * Compact form of a tape: blocks of at most 1,024 events, each with its own tables and checksum, so that a block can be read, skipped or
 * lost independently. Prices are stored as differences of their digits. Events without a compact form are stored as lines, so that every
 * tape is restored byte for byte.
 */
import { crc32, deflateRawSync, inflateRawSync } from 'node:zlib';
import { isDecimalString } from '../../domain/values/decimal.ts';
import { NO_FLAGS, QUALITIES, QUALITY_FLAGS, type Quality, type QualityFlag, SESSIONS, type Session } from '../../domain/market/quote.ts';
import {
  type Digits,
  digitsText,
  NO_ASK,
  NO_ASK_SIZE,
  NO_BID,
  NO_BID_SIZE,
  newDigits,
  newQuoteDigits,
  type QuoteDigits,
  quoteOfDigits,
} from '../../domain/market/quote-digits.ts';
import { leanEvent, TAPE_BATCH, type TapeEvent, tapeEventProblem, tapeLine } from '../../domain/tape/tape.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { EXECUTABLE_VENUES, VENUES, type Venue } from '../../domain/market/venue.ts';

/** First bytes of every compact tape. */
export const BINARY_MAGIC = Buffer.from('SEVTAPE1', 'latin1');
/** Bytes of the preamble: magic, length of the header line, and its checksum. */
export const PREAMBLE_BYTES = 16;
/** Bytes of a frame: mark, flags, events, plain bytes, stored bytes, first and last time, checksums of the payload and of the frame. */
export const FRAME_BYTES = 38;
/** Maximum size of a header or block in bytes. Anything longer is not a tape of ours and would only use memory. */
export const MAX_PART_BYTES = 64 * 1024 * 1024;

const BLOCK_MARK = 0x42;
const END_MARK = 0x45;
const DEFLATED = 1;

/** Header of each block, and of the end mark. */
export interface Frame {
  readonly kind: 'block' | 'end';
  readonly deflated: boolean;
  /** Number of events in the block, or in the whole tape for the end mark. */
  readonly events: number;
  readonly plainBytes: number;
  readonly storedBytes: number;
  readonly firstAt: EpochMs;
  readonly lastAt: EpochMs;
  readonly checksum: number;
}

/** Encodes the beginning of a tape: magic and header line. */
export function encodePreamble(headerLine: string): Buffer {
  const header = Buffer.from(headerLine, 'utf8');
  const preamble = Buffer.alloc(PREAMBLE_BYTES);
  BINARY_MAGIC.copy(preamble);
  preamble.writeUInt32LE(header.length, 8);
  preamble.writeUInt32LE(crc32(header), 12);
  return Buffer.concat([preamble, header]);
}

function encodeFrame(frame: Frame): Buffer {
  const bytes = Buffer.alloc(FRAME_BYTES);
  bytes[0] = frame.kind === 'block' ? BLOCK_MARK : END_MARK;
  bytes[1] = frame.deflated ? DEFLATED : 0;
  bytes.writeUInt32LE(frame.kind === 'block' ? frame.events : 0, 2);
  bytes.writeUInt32LE(frame.plainBytes, 6);
  bytes.writeUInt32LE(frame.storedBytes, 10);
  bytes.writeDoubleLE(frame.kind === 'block' ? frame.firstAt : frame.events, 14);
  bytes.writeDoubleLE(frame.lastAt, 22);
  bytes.writeUInt32LE(frame.checksum, 30);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 34)), 34);
  return bytes;
}

/** Decodes a frame. @throws RangeError naming its fault */
export function decodeFrame(bytes: Buffer): Frame {
  if (crc32(bytes.subarray(0, 34)) !== bytes.readUInt32LE(34))
    throw new RangeError('the frame of the block fails its checksum: the bytes were changed');
  const mark = bytes[0];
  if (mark !== BLOCK_MARK && mark !== END_MARK) throw new RangeError(`a block begins with mark ${BLOCK_MARK}, this one with ${mark}`);
  const frame: Frame = {
    kind: mark === BLOCK_MARK ? 'block' : 'end',
    deflated: (bytes[1] as number) === DEFLATED,
    events: mark === BLOCK_MARK ? bytes.readUInt32LE(2) : bytes.readDoubleLE(14),
    plainBytes: bytes.readUInt32LE(6),
    storedBytes: bytes.readUInt32LE(10),
    firstAt: bytes.readDoubleLE(14),
    lastAt: bytes.readDoubleLE(22),
    checksum: bytes.readUInt32LE(30),
  };
  if (frame.plainBytes > MAX_PART_BYTES || frame.storedBytes > MAX_PART_BYTES) {
    throw new RangeError(`a block holds at most ${MAX_PART_BYTES} bytes, this one ${Math.max(frame.plainBytes, frame.storedBytes)}`);
  }
  return frame;
}

/** Encodes the end mark, which proves that nothing is missing. */
export function encodeEnd(events: number, lastAt: EpochMs): Buffer {
  return encodeFrame({ kind: 'end', deflated: false, events, plainBytes: 0, storedBytes: 0, firstAt: 0, lastAt, checksum: 0 });
}

/** Encodings of a decimal in a block. */
const NULL = 0;
const SAME = 1;
const DELTA = 2;
const ABSOLUTE = 3;
const TEXT = 4;
const MODE_BITS = 3;

/** Limit of times and numbers in compact form. Larger ones are stored as lines. */
const COMPACT_LIMIT = 2 ** 50;
/** Digits that a double holds exactly, with room for a difference and its sign. */
const MAX_DIGITS = 15;

/** Coding state of a shape: its last event, to which the next one is a difference. */
interface ShapeState {
  /** Index of the kind in `SHAPES`. */
  readonly code: number;
  /** Members shared by all events of the shape. */
  readonly members: readonly unknown[];
  readonly fields: readonly Digits[];
  sequence: number;
  /** Last quote of the shape, whose decimals are the fields, or null for other events. */
  readonly quote: QuoteDigits | null;
}

const QUOTE = 0;
const REFERENCE = 1;
const PERP_CONTEXT = 2;
const POOL_LIQUIDITY = 3;
const HEARTBEAT = 4;
/** Number of decimals of each shape. */
const FIELD_COUNTS = [4, 2, 5, 1, 0] as const;

function newState(code: number, members: readonly unknown[]): ShapeState {
  if (code !== QUOTE)
    return { code, members, fields: Array.from({ length: FIELD_COUNTS[code] as number }, newDigits), sequence: 0, quote: null };
  const [venue, instrument, source, sourceTime, quality, flags] = members;
  const quote = newQuoteDigits({ venue, instrument, source, sourceTime, quality, flags } as QuoteDigits['origin']);
  return { code, members, fields: [quote.bid, quote.ask, quote.bidSize, quote.askSize], sequence: 0, quote };
}

let parsedMantissa = 0;
let parsedScale = 0;

/** Parses a decimal into digits and scale. False if formatting them would give another text. */
function parseDigits(text: string): boolean {
  let at = 0;
  const negative = text.charCodeAt(0) === 45;
  if (negative) at++;
  const first = at;
  let mantissa = 0;
  let point = -1;
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 46) {
      if (point >= 0) return false;
      point = at;
    } else if (code >= 48 && code <= 57) mantissa = mantissa * 10 + (code - 48);
    else return false;
  }
  const whole = (point < 0 ? text.length : point) - first;
  const fraction = point < 0 ? 0 : text.length - point - 1;
  if (whole === 0 || whole + fraction > MAX_DIGITS || (point >= 0 && fraction === 0)) return false;
  if (whole > 1 && text.charCodeAt(first) === 48) return false;
  if (negative && mantissa === 0) return false;
  parsedMantissa = negative ? -mantissa : mantissa;
  parsedScale = fraction;
  return true;
}

/** Encoder that collects events into blocks. */
export class BlockEncoder {
  readonly #deflate: boolean;
  #bytes = Buffer.allocUnsafe(64 * 1024);
  #at = 0;
  #events = 0;
  #firstAt: EpochMs = 0;
  #lastAt: EpochMs = 0;
  #shapes = new Map<string, { readonly id: number; readonly state: ShapeState }>();

  constructor(options: { readonly deflate: boolean }) {
    this.#deflate = options.deflate;
  }

  get events(): number {
    return this.#events;
  }

  /** Adds an event. `line` is its original line if that differs from `tapeLine`'s canonical form, and is then stored. */
  add(event: TapeEvent, line: string | null): void {
    if (this.#events === 0) {
      this.#firstAt = event.receivedAt;
      this.#lastAt = event.receivedAt;
    }
    if (line !== null || !this.#addCompact(event)) {
      const bytes = Buffer.from(line ?? tapeLine(event), 'utf8');
      this.#reserve(bytes.length + 16);
      this.#varint(0);
      this.#varint(bytes.length);
      bytes.copy(this.#bytes, this.#at);
      this.#at += bytes.length;
    }
    this.#lastAt = event.receivedAt;
    this.#events++;
  }

  /** Returns the block of the events added since the last one, or null if there are none. */
  take(): Buffer | null {
    if (this.#events === 0) return null;
    const plain = this.#bytes.subarray(0, this.#at);
    const packed = this.#deflate ? deflateRawSync(plain, { level: 3 }) : plain;
    const deflated = packed.length < plain.length;
    const stored = deflated ? packed : plain;
    const frame = encodeFrame({
      kind: 'block',
      deflated,
      events: this.#events,
      plainBytes: plain.length,
      storedBytes: stored.length,
      firstAt: this.#firstAt,
      lastAt: this.#lastAt,
      checksum: crc32(stored),
    });
    const block = Buffer.concat([frame, stored]);
    this.#at = 0;
    this.#events = 0;
    this.#shapes = new Map();
    return block;
  }

  #addCompact(event: TapeEvent): boolean {
    if (!(event.receivedAt < COMPACT_LIMIT)) return false;
    switch (event.kind) {
      case 'quote': {
        const { venue, instrument, source, sourceTime, quality, flags, sequence } = event;
        if (!compactNames(instrument, source) || !(event.observedAt < COMPACT_LIMIT)) return false;
        if (sequence !== null && !(sequence < COMPACT_LIMIT)) return false;
        const key = `0\0${venue}\0${instrument}\0${source}\0${sourceTime ? 1 : 0}\0${quality}\0${flags.length === 0 ? '' : flags.join()}`;
        const state = this.#shape(key, QUOTE, () => [venue, instrument, source, sourceTime, quality, flags]);
        this.#times(event.receivedAt, event.observedAt);
        const modes = this.#at;
        this.#at += 2;
        let mask = this.#decimal(state.fields[0] as Digits, event.bid);
        mask |= this.#decimal(state.fields[1] as Digits, event.ask) << MODE_BITS;
        mask |= this.#decimal(state.fields[2] as Digits, event.bidSize) << (2 * MODE_BITS);
        mask |= this.#decimal(state.fields[3] as Digits, event.askSize) << (3 * MODE_BITS);
        if (sequence !== null) {
          mask |= 1 << (4 * MODE_BITS);
          this.#zigzag(sequence - state.sequence);
          state.sequence = sequence;
        }
        this.#bytes.writeUInt16LE(mask, modes);
        return true;
      }
      case 'reference': {
        const { instrument, source, publisherSession, quality, flags } = event;
        if (!compactNames(instrument, source) || !(event.observedAt < COMPACT_LIMIT) || !(event.feedUpdatedAt < COMPACT_LIMIT))
          return false;
        const key = `1\0${instrument}\0${source}\0${publisherSession ?? ''}\0${quality}\0${flags.join()}`;
        const state = this.#shape(key, REFERENCE, () => [instrument, source, publisherSession, quality, flags]);
        this.#times(event.receivedAt, event.observedAt);
        this.#zigzag(event.feedUpdatedAt - event.receivedAt);
        this.#decimals(state, [event.referencePrice, event.confidence]);
        return true;
      }
      case 'perp_context': {
        const { instrument, source } = event;
        if (!compactNames(instrument, source) || !(event.observedAt < COMPACT_LIMIT)) return false;
        const state = this.#shape(`2\0${instrument}\0${source}`, PERP_CONTEXT, () => [instrument, source]);
        this.#times(event.receivedAt, event.observedAt);
        this.#decimals(state, [event.markPrice, event.oraclePrice, event.hourlyFunding, event.openInterest, event.dayNotional]);
        return true;
      }
      case 'pool_liquidity': {
        const { instrument, source } = event;
        if (!compactNames(instrument, source) || !(event.observedAt < COMPACT_LIMIT)) return false;
        const state = this.#shape(`3\0${instrument}\0${source}`, POOL_LIQUIDITY, () => [instrument, source]);
        this.#times(event.receivedAt, event.observedAt);
        this.#decimals(state, [event.liquidityUsd]);
        return true;
      }
      case 'heartbeat': {
        const { venue, source } = event;
        if (!compactNames(source, '')) return false;
        this.#shape(`4\0${venue}\0${source}`, HEARTBEAT, () => [venue, source]);
        this.#varint(event.receivedAt - this.#lastAt);
        return true;
      }
      default:
        return false;
    }
  }

  /** Writes the shape of the next event, and its definition on first use. */
  #shape(key: string, code: number, members: () => readonly unknown[]): ShapeState {
    this.#reserve(512);
    const known = this.#shapes.get(key);
    if (known !== undefined) {
      this.#varint(known.id + 2);
      return known.state;
    }
    const definition = Buffer.from(JSON.stringify([code, ...members()]), 'utf8');
    this.#reserve(definition.length + 512);
    this.#varint(1);
    this.#varint(definition.length);
    definition.copy(this.#bytes, this.#at);
    this.#at += definition.length;
    const state = newState(code, []);
    this.#shapes.set(key, { id: this.#shapes.size, state });
    return state;
  }

  #times(receivedAt: EpochMs, observedAt: EpochMs): void {
    this.#varint(receivedAt - this.#lastAt);
    this.#zigzag(observedAt - receivedAt);
  }

  #decimals(state: ShapeState, texts: readonly string[]): void {
    const modes = this.#at;
    this.#at += 2;
    let mask = 0;
    for (let i = 0; i < texts.length; i++) mask |= this.#decimal(state.fields[i] as Digits, texts[i] as string) << (i * MODE_BITS);
    this.#bytes.writeUInt16LE(mask, modes);
  }

  #decimal(field: Digits, text: string | null): number {
    if (text === null) return NULL;
    if (text === field.text) return SAME;
    field.text = text;
    if (!parseDigits(text)) {
      field.scale = -1;
      const bytes = Buffer.from(text, 'latin1');
      this.#reserve(bytes.length + 512);
      this.#varint(bytes.length);
      bytes.copy(this.#bytes, this.#at);
      this.#at += bytes.length;
      return TEXT;
    }
    const before = field.mantissa;
    const sameScale = field.scale === parsedScale;
    field.mantissa = parsedMantissa;
    field.scale = parsedScale;
    if (sameScale) {
      this.#zigzag(parsedMantissa - before);
      return DELTA;
    }
    this.#varint(parsedScale);
    this.#zigzag(parsedMantissa);
    return ABSOLUTE;
  }

  #zigzag(value: number): void {
    this.#varint(value >= 0 ? value * 2 : -value * 2 - 1);
  }

  #varint(value: number): void {
    let rest = value;
    const bytes = this.#bytes;
    while (rest >= 0x80000000) {
      bytes[this.#at++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest >= 128) {
      bytes[this.#at++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    bytes[this.#at++] = rest;
  }

  #reserve(more: number): void {
    if (this.#at + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#at + more));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

/** True if two names may form a shape. With a zero character different shapes could look alike. */
function compactNames(a: string, b: string): boolean {
  return !a.includes('\0') && !b.includes('\0');
}

/**
 * Opens a block's events. `previousAt` is the time of the preceding event.
 * @throws RangeError naming the block's fault
 */
export function openBlock(frame: Frame, stored: Buffer, previousAt: EpochMs): BlockDecoder {
  if (crc32(stored) !== frame.checksum) throw new RangeError('the block fails its checksum: the bytes were changed');
  const plain = frame.deflated ? inflateRawSync(stored, { maxOutputLength: MAX_PART_BYTES }) : stored;
  if (plain.length !== frame.plainBytes)
    throw new RangeError(`the block unpacks to ${plain.length} bytes, its frame says ${frame.plainBytes}`);
  if (frame.events > 0 && frame.firstAt < previousAt) {
    throw new RangeError(`the block begins at ${frame.firstAt}, before the ${previousAt} of the event above; a tape ascends by receivedAt`);
  }
  return new BlockDecoder(plain, frame);
}

/** Decoder that walks over a block's events. Only the digits of a quote are read until the event is accessed. */
export class BlockDecoder {
  readonly #bytes: Buffer;
  #at = 0;
  #lastAt: EpochMs;
  readonly #events: number;
  #walked = 0;
  readonly #shapes: ShapeState[] = [];
  /** Current event if it was fully read, or null if it is `quote`. */
  #event: TapeEvent | null = null;
  /** Digits of the current event until the next one, or null if it is not a quote. */
  quote: QuoteDigits | null = null;
  /** Line of the current event if it was stored as one, otherwise null. */
  line: string | null = null;

  constructor(bytes: Buffer, frame: Frame) {
    this.#bytes = bytes;
    this.#lastAt = frame.firstAt;
    this.#events = frame.events;
  }

  /** Time of the current event. */
  get lastAt(): EpochMs {
    return this.#lastAt;
  }

  /** Moves to the next event. False after the last one. @throws RangeError with the fault and the event's index in the block */
  next(): boolean {
    if (this.#walked === this.#events) {
      if (this.#at < this.#bytes.length) throw new RangeError(`the block holds more than the ${this.#events} events that its frame says`);
      return false;
    }
    this.#walked++;
    try {
      this.#read();
    } catch (error) {
      throw new RangeError(`event ${this.#walked} of the block ${(error as Error).message}`);
    }
    return true;
  }

  event(): TapeEvent {
    return this.#event ?? quoteOfDigits(this.quote as QuoteDigits);
  }

  #read(): void {
    this.quote = null;
    this.#event = null;
    const id = this.#varint();
    if (id === 0) {
      this.#event = this.#kept();
      return;
    }
    this.line = null;
    const state = id === 1 ? this.#definition() : this.#shapes[id - 2];
    if (state === undefined) throw new RangeError(`refers to shape ${id - 2}, and there are ${this.#shapes.length}`);
    const receivedAt = this.#lastAt + this.#varint();
    this.#lastAt = receivedAt;
    if (state.quote === null) this.#event = this.#rest(state, receivedAt);
    else this.#readQuote(state, state.quote, receivedAt);
  }

  #readQuote(state: ShapeState, quote: QuoteDigits, receivedAt: EpochMs): void {
    quote.receivedAt = receivedAt;
    quote.observedAt = receivedAt + this.#zigzag();
    const mask = this.#mask();
    let missing = 0;
    if (!this.#decimal(quote.bid, mask & 7)) missing |= NO_BID;
    if (!this.#decimal(quote.ask, (mask >> 3) & 7)) missing |= NO_ASK;
    if (!this.#decimal(quote.bidSize, (mask >> 6) & 7)) missing |= NO_BID_SIZE;
    if (!this.#decimal(quote.askSize, (mask >> 9) & 7)) missing |= NO_ASK_SIZE;
    if ((mask & (1 << 12)) !== 0) {
      state.sequence += this.#zigzag();
      quote.hasSequence = true;
      quote.sequence = state.sequence;
    } else quote.hasSequence = false;
    quote.missing = missing;
    this.quote = quote;
  }

  /** Decodes an event that is not a quote. */
  #rest({ code, members, fields }: ShapeState, receivedAt: EpochMs): TapeEvent {
    if (code === HEARTBEAT) {
      return { kind: 'heartbeat', venue: members[0] as Venue, source: members[1] as string, receivedAt };
    }
    const observedAt = receivedAt + this.#zigzag();
    if (code === REFERENCE) {
      const feedUpdatedAt = receivedAt + this.#zigzag();
      const mask = this.#mask();
      return {
        kind: 'reference',
        venue: 'reference',
        instrument: members[0] as string,
        source: members[1] as string,
        observedAt,
        receivedAt,
        feedUpdatedAt,
        referencePrice: this.#needed(fields[0] as Digits, mask & 7),
        confidence: this.#needed(fields[1] as Digits, (mask >> 3) & 7),
        publisherSession: members[2] as Session | null,
        quality: members[3] as Quality,
        flags: members[4] as readonly QualityFlag[],
      };
    }
    const mask = this.#mask();
    if (code === PERP_CONTEXT) {
      return {
        kind: 'perp_context',
        venue: 'evmvenue',
        instrument: members[0] as string,
        source: members[1] as string,
        observedAt,
        receivedAt,
        markPrice: this.#needed(fields[0] as Digits, mask & 7),
        oraclePrice: this.#needed(fields[1] as Digits, (mask >> 3) & 7),
        hourlyFunding: this.#needed(fields[2] as Digits, (mask >> 6) & 7),
        openInterest: this.#needed(fields[3] as Digits, (mask >> 9) & 7),
        dayNotional: this.#needed(fields[4] as Digits, (mask >> 12) & 7),
      };
    }
    return {
      kind: 'pool_liquidity',
      venue: 'spotchain',
      instrument: members[0] as string,
      source: members[1] as string,
      observedAt,
      receivedAt,
      liquidityUsd: this.#needed(fields[0] as Digits, mask & 7),
    };
  }

  #kept(): TapeEvent {
    const line = this.#text('utf8');
    this.line = line;
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch (error) {
      throw new RangeError(`is not JSON: ${(error as Error).message}`);
    }
    const problem = tapeEventProblem(value, this.#lastAt);
    if (problem !== null) throw new RangeError(problem);
    const event = leanEvent(value as TapeEvent);
    this.#lastAt = event.receivedAt;
    return event;
  }

  #definition(): ShapeState {
    const [code, ...members] = JSON.parse(this.#text('utf8')) as [number, ...unknown[]];
    const problem = shapeProblem(code, members);
    if (problem !== null) throw new RangeError(`has a shape ${problem}`);
    const last = members.length - 1;
    if (code === QUOTE || code === REFERENCE) {
      const flags = members[last] as QualityFlag[];
      members[last] = flags.length === 0 ? NO_FLAGS : Object.freeze(flags);
    }
    const state = newState(code, members);
    this.#shapes.push(state);
    return state;
  }

  #text(encoding: 'utf8' | 'latin1'): string {
    const length = this.#varint();
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new RangeError('ends beyond the block');
    const text = this.#bytes.toString(encoding, this.#at, end);
    this.#at = end;
    return text;
  }

  #needed(field: Digits, mode: number): string {
    if (!this.#decimal(field, mode)) throw new RangeError('lacks a decimal');
    return digitsText(field);
  }

  /** Decodes a decimal into its field. False if it is absent. */
  #decimal(field: Digits, mode: number): boolean {
    switch (mode) {
      case NULL:
        return false;
      case SAME:
        return true;
      case TEXT: {
        const text = this.#text('latin1');
        if (!isDecimalString(text)) throw new RangeError(`has ${JSON.stringify(text.slice(0, 40))} where a plain decimal belongs`);
        field.text = text;
        field.scale = -1;
        return true;
      }
      case DELTA:
        field.mantissa += this.#zigzag();
        break;
      case ABSOLUTE:
        field.scale = this.#varint();
        field.mantissa = this.#zigzag();
        break;
      default:
        throw new RangeError(`has a decimal of mode ${mode}`);
    }
    if (field.scale < 0 || field.scale > MAX_DIGITS || !(Math.abs(field.mantissa) < 1e15))
      throw new RangeError('has a decimal that is too long');
    field.text = null;
    return true;
  }

  #mask(): number {
    const at = this.#at;
    if (at + 2 > this.#bytes.length) throw new RangeError('ends beyond the block');
    this.#at = at + 2;
    return (this.#bytes[at] as number) | ((this.#bytes[at + 1] as number) << 8);
  }

  #zigzag(): number {
    const value = this.#varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  #varint(): number {
    const bytes = this.#bytes;
    let byte = bytes[this.#at++];
    if (byte === undefined) throw new RangeError('ends beyond the block');
    if (byte < 128) return byte;
    let value = byte & 127;
    let factor = 128;
    for (;;) {
      byte = bytes[this.#at++];
      if (byte === undefined) throw new RangeError('ends beyond the block');
      value += (byte & 127) * factor;
      if (byte < 128) return value;
      factor *= 128;
      if (factor > 2 ** 49) throw new RangeError('has a number that is too large');
    }
  }
}

/** Returns why a shape's members do not fit its kind, or null if they do. */
function shapeProblem(code: number, members: readonly unknown[]): string | null {
  const text = (value: unknown): boolean => typeof value === 'string' && value !== '';
  const among = (value: unknown, words: readonly unknown[]): boolean => words.includes(value);
  const flags = (value: unknown): boolean => Array.isArray(value) && value.every((flag) => among(flag, QUALITY_FLAGS));
  const [a, b, c, d, e, f] = members;
  const sound =
    code === QUOTE
      ? members.length === 6 &&
        among(a, EXECUTABLE_VENUES) &&
        text(b) &&
        text(c) &&
        typeof d === 'boolean' &&
        among(e, QUALITIES) &&
        flags(f)
      : code === REFERENCE
        ? members.length === 5 && text(a) && text(b) && (c === null || among(c, SESSIONS)) && among(d, QUALITIES) && flags(e)
        : code === PERP_CONTEXT || code === POOL_LIQUIDITY
          ? members.length === 2 && text(a) && text(b)
          : code === HEARTBEAT
            ? members.length === 2 && among(a, VENUES) && text(b)
            : false;
  return sound ? null : `that this release does not know: ${JSON.stringify([code, ...members]).slice(0, 120)}`;
}

/** Number of events in a full block. */
export const BLOCK_EVENTS = TAPE_BATCH;
