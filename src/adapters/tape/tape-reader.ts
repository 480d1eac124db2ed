/** Reader of tapes in every form, in batches and bounded memory. It is strict about content, but tolerates a truncated last line. */
import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { constants, crc32, createGunzip } from 'node:zlib';
import {
  leanEvent,
  TAPE_BATCH,
  type TapeCut,
  type TapeEvent,
  type TapeHeader,
  type TapeWalk,
  tapeEventProblem,
  tapeHeaderProblem,
  tapeLine,
} from '../../domain/tape/tape.ts';
import { whyNotRead } from '../named-file.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import {
  BINARY_MAGIC,
  type BlockDecoder,
  decodeFrame,
  FRAME_BYTES,
  type Frame,
  MAX_PART_BYTES,
  openBlock,
  PREAMBLE_BYTES,
} from './binary-codec.ts';
import { TapeError } from './tape-error.ts';

export type TapeForm = 'ndjson' | 'ndjson.gz' | 'binary';

/** Events in tape order. A batch has at most 1,024. */
interface TapeBatch {
  readonly events: readonly TapeEvent[];
  /** Lines of the events without line breaks, or null if they were not requested. */
  readonly lines: readonly string[] | null;
}

export interface TapeReader {
  readonly file: string;
  readonly form: TapeForm;
  readonly header: TapeHeader;
  /** Header line as in the file. */
  readonly headerLine: string;
  /**
   * Yields the events once.
   * @throws TapeError at the first invalid event; the events before it have been yielded
   */
  batches(): AsyncGenerator<TapeBatch, void, undefined>;
  /** Yields the same events block by block, created on access. Null if the file's form has no blocks. */
  readonly walks: (() => AsyncGenerator<TapeWalk, void, undefined>) | null;
  /** Place at which the tape is truncated, known after reading the batches, or null if it is complete. */
  readonly cut: TapeCut | null;
  /** Bytes of the file read so far. */
  readonly bytesRead: number;
  readonly bytesTotal: number;
  close(): Promise<void>;
}

/** Maximum length of a line in bytes. A longer one is not an event and would only use memory. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 128 * 1024;

interface TapeReadOptions {
  /** True if the lines are returned with the events. */
  readonly lines?: boolean;
}

/**
 * Opens a tape and reads its header. The first bytes determine the form, not the name.
 * @throws TapeError if the file is missing, empty or not a tape
 */
export async function openTape(file: string, options: TapeReadOptions = {}): Promise<TapeReader> {
  const { start, size } = await firstBytes(file);
  if (start.length === 0) throw new TapeError(file, '', 'is empty; a tape begins with a header line {"tape":1, ...}');
  const gzipped = start[0] === 0x1f && start[1] === 0x8b;
  const state = new ReaderState(file, size, gzipped);
  try {
    const first = await state.peek(BINARY_MAGIC.length);
    const binary = first.length === BINARY_MAGIC.length && first.equals(BINARY_MAGIC);
    const body = binary ? await openBinary(state, options) : await openLines(state, options);
    return {
      file,
      form: binary ? 'binary' : gzipped ? 'ndjson.gz' : 'ndjson',
      header: body.header,
      headerLine: body.headerLine,
      batches: body.batches,
      walks: body.walks,
      get cut() {
        return state.cut;
      },
      get bytesRead() {
        return state.bytesRead;
      },
      bytesTotal: size,
      close: () => state.close(),
    };
  } catch (error) {
    await state.close();
    throw error;
  }
}

async function firstBytes(file: string): Promise<{ start: Buffer; size: number }> {
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(file, 'r');
  } catch (error) {
    throw new TapeError(file, '', `cannot be opened: ${whyNotRead(error)}`);
  }
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw new TapeError(file, '', 'is no file; a tape is a *.tape.ndjson, *.tape.ndjson.gz or *.tape file');
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    return { start: buffer.subarray(0, bytesRead), size: info.size };
  } finally {
    await handle.close();
  }
}

/** Plain bytes of a file, unpacked if it is gzipped. Bytes read in excess can be put back. */
class ReaderState {
  readonly file: string;
  cut: TapeCut | null = null;
  readonly #source: ReturnType<typeof createReadStream>;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #gzipSize: number | null;
  #plainBytes = 0;
  #held: Buffer = Buffer.alloc(0);
  #ended = false;
  #trailer: Buffer = Buffer.alloc(0);

  constructor(file: string, size: number, gzipped: boolean) {
    this.file = file;
    this.#gzipSize = gzipped ? size : null;
    this.#source = createReadStream(file, { highWaterMark: CHUNK_BYTES });
    if (gzipped) {
      this.#source.on('data', (chunk) => {
        this.#trailer = Buffer.concat([this.#trailer, chunk as Buffer]).subarray(-4);
      });
      // Yields all that can be unpacked of a truncated file; the length in its trailer reveals the truncation.
      const gunzip = createGunzip({ chunkSize: CHUNK_BYTES, finishFlush: constants.Z_SYNC_FLUSH });
      this.#source.on('error', (error) => gunzip.destroy(error));
      this.#source.pipe(gunzip);
      this.#chunks = gunzip[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    } else {
      this.#chunks = this.#source[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
    }
  }

  get bytesRead(): number {
    return this.#source.bytesRead;
  }

  /** Number of plain bytes returned so far. */
  get position(): number {
    return this.#plainBytes - this.#held.length;
  }

  /** True if a gzipped file is truncated. Known after reading everything. */
  get packedCutOff(): boolean {
    if (this.#gzipSize === null) return false;
    return this.#trailer.length < 4 || this.#trailer.readUInt32LE(0) !== this.#plainBytes % 2 ** 32;
  }

  /** Returns the next chunk, or null at the end. */
  async chunk(): Promise<Buffer | null> {
    if (this.#held.length > 0) {
      const held = this.#held;
      this.#held = Buffer.alloc(0);
      return held;
    }
    if (this.#ended) return null;
    let next: IteratorResult<Buffer>;
    try {
      next = await this.#chunks.next();
    } catch (error) {
      throw new TapeError(this.file, `byte ${this.#plainBytes}`, `cannot be read on: ${(error as Error).message}`);
    }
    if (next.done) {
      this.#ended = true;
      return null;
    }
    this.#plainBytes += next.value.length;
    return next.value;
  }

  putBack(bytes: Buffer): void {
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([bytes, this.#held]);
  }

  /** Returns up to `count` bytes without consuming them. */
  async peek(count: number): Promise<Buffer> {
    const bytes = await this.take(count);
    this.putBack(bytes);
    return bytes.subarray(0, count);
  }

  /** Returns exactly `count` bytes, or fewer at the end. */
  async take(count: number): Promise<Buffer> {
    const parts: Buffer[] = [];
    let length = 0;
    while (length < count) {
      const chunk = await this.chunk();
      if (chunk === null) break;
      parts.push(chunk);
      length += chunk.length;
    }
    const bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    if (bytes.length > count) {
      this.putBack(bytes.subarray(count));
      return bytes.subarray(0, count);
    }
    return bytes;
  }

  close(): Promise<void> {
    this.#ended = true;
    return new Promise((resolve) => {
      if (this.#source.closed) resolve();
      else {
        this.#source.once('close', () => resolve());
        this.#source.destroy();
      }
    });
  }
}

interface TapeBody {
  readonly header: TapeHeader;
  readonly headerLine: string;
  readonly batches: () => AsyncGenerator<TapeBatch, void, undefined>;
  readonly walks: TapeReader['walks'];
}

function parseHeader(file: string, line: string): TapeHeader {
  if (line.startsWith('\uFEFF')) throw new TapeError(file, 'line 1', 'begins with a byte order mark; save the file as UTF-8 without one');
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new TapeError(
      file,
      'line 1',
      `is no tape header; the first line should be {"tape":1, ...}, it is ${JSON.stringify(line.slice(0, 60))}`,
    );
  }
  const problem = tapeHeaderProblem(value);
  if (problem !== null) throw new TapeError(file, 'line 1', problem);
  return value as TapeHeader;
}

async function openLines(state: ReaderState, options: TapeReadOptions): Promise<TapeBody> {
  const source = new LineSource(state);
  const first = await source.next(0);
  if (first === null) throw new TapeError(state.file, 'line 1', 'is empty; a tape begins with a header line {"tape":1, ...}');
  const headerEnd = first.indexOf('\n') < 0 ? first.length : first.indexOf('\n');
  const headerLine = first.slice(0, headerEnd);
  const header = parseHeader(state.file, headerLine);

  async function* batches(): AsyncGenerator<TapeBatch, void, undefined> {
    let line = 1;
    let previousAt: EpochMs = 0;
    let events: TapeEvent[] = [];
    let kept: string[] | null = options.lines === true ? [] : null;
    let from = headerEnd + 1;
    for (let text: string | null = first; text !== null; text = await source.next(line)) {
      for (let to = 0; from <= text.length && to < text.length; from = to + 1) {
        to = text.indexOf('\n', from);
        if (to < 0) to = text.length;
        line++;
        const read = readLine(text.slice(from, to), previousAt);
        if ('problem' in read) {
          if (events.length > 0) yield { events, lines: kept };
          if (source.torn && to === text.length && read.torn) {
            state.cut = { place: `line ${line}`, detail: `the last line was cut off after ${to - from} characters` };
            return;
          }
          throw new TapeError(state.file, `line ${line}`, read.problem);
        }
        const { event } = read;
        previousAt = event.receivedAt;
        events.push(event);
        kept?.push(text.slice(from, to));
        if (events.length === TAPE_BATCH) {
          yield { events, lines: kept };
          events = [];
          kept = kept === null ? null : [];
        }
      }
      from = 0;
    }
    if (events.length > 0) yield { events, lines: kept };
    if (state.packedCutOff)
      state.cut = { place: `line ${line}`, detail: 'the compressed file ends without its trailer: more may have followed' };
  }

  return { header, headerLine, batches, walks: null };
}

function readLine(text: string, previousAt: EpochMs): { readonly event: TapeEvent } | { readonly problem: string; readonly torn: boolean } {
  if (text.trim() === '') return { problem: 'is empty; every line after the header is one event', torn: true };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    // The parser's message names the place by position or context.
    return {
      problem: `is not JSON (${(error as Error).message}); an event is one JSON object per line, and numbers are finite`,
      torn: true,
    };
  }
  const problem = tapeEventProblem(value, previousAt);
  return problem === null ? { event: leanEvent(value as TapeEvent) } : { problem, torn: false };
}

/** Text of a file in pieces of whole lines. */
class LineSource {
  readonly #state: ReaderState;
  #rest: Buffer[] = [];
  #restBytes = 0;
  #lines = 0;
  #done = false;
  /** True if the last returned line has no line break. */
  torn = false;

  constructor(state: ReaderState) {
    this.#state = state;
  }

  /**
   * Returns the lines of the next chunk (at least one) without the last line break, or null at the end. `linesBefore` is the number of
   * lines read before.
   */
  async next(linesBefore: number): Promise<string | null> {
    this.#lines = linesBefore;
    while (!this.#done) {
      const chunk = await this.#state.chunk();
      if (chunk === null) {
        this.#done = true;
        if (this.#restBytes === 0) return null;
        this.torn = true;
        return this.#text(Buffer.concat(this.#rest));
      }
      const end = chunk.lastIndexOf(10);
      if (end < 0) {
        this.#rest.push(chunk);
        this.#restBytes += chunk.length;
        if (this.#restBytes > MAX_LINE_BYTES) {
          throw new TapeError(this.#state.file, `line ${this.#lines + 1}`, `is longer than ${MAX_LINE_BYTES} bytes; is this a tape?`);
        }
        continue;
      }
      const whole = this.#restBytes === 0 ? chunk.subarray(0, end) : Buffer.concat([...this.#rest, chunk.subarray(0, end)]);
      this.#rest = end + 1 < chunk.length ? [chunk.subarray(end + 1)] : [];
      this.#restBytes = chunk.length - end - 1;
      return this.#text(whole);
    }
    return null;
  }

  #text(bytes: Buffer): string {
    if (isUtf8(bytes)) return bytes.toString('utf8');
    let line = this.#lines + 1;
    let from = 0;
    for (;;) {
      const end = bytes.indexOf(10, from);
      const part = bytes.subarray(from, end < 0 ? bytes.length : end);
      if (!isUtf8(part)) {
        // A character truncated at the very end belongs to a torn line.
        if (this.#done && end < 0) return bytes.toString('utf8');
        throw new TapeError(this.#state.file, `line ${line}`, 'is no UTF-8 text');
      }
      if (end < 0) return bytes.toString('utf8');
      from = end + 1;
      line++;
    }
  }
}

async function openBinary(state: ReaderState, options: TapeReadOptions): Promise<TapeBody> {
  const preamble = await state.take(PREAMBLE_BYTES);
  if (preamble.length < PREAMBLE_BYTES) throw new TapeError(state.file, `byte ${preamble.length}`, 'ends within the header');
  const length = preamble.readUInt32LE(8);
  if (length > MAX_PART_BYTES)
    throw new TapeError(state.file, 'byte 8', `says its header has ${length} bytes; at most ${MAX_PART_BYTES} are allowed`);
  const bytes = await state.take(length);
  if (bytes.length < length) throw new TapeError(state.file, `byte ${state.position}`, 'ends within the header');
  if (crc32(bytes) !== preamble.readUInt32LE(12))
    throw new TapeError(state.file, 'byte 16', 'the header fails its checksum: the bytes were changed');
  const headerLine = bytes.toString('utf8');
  const header = parseHeader(state.file, headerLine);

  async function* walks(): AsyncGenerator<BlockWalk, void, undefined> {
    let block = 0;
    let events = 0;
    let previousAt: EpochMs = 0;
    for (;;) {
      const at = state.position;
      const place = `block ${block + 1} at byte ${at}`;
      const frameBytes = await state.take(FRAME_BYTES);
      if (frameBytes.length < FRAME_BYTES) {
        state.cut = {
          place: `byte ${at}`,
          detail: frameBytes.length === 0 ? 'the file ends without its end mark: more may have followed' : `block ${block + 1} was cut off`,
        };
        return;
      }
      const frame = orTapeError(state.file, place, () => decodeFrame(frameBytes));
      if (frame.kind === 'end') {
        if (frame.events !== events)
          throw new TapeError(state.file, place, `the end mark says ${frame.events} events, the blocks hold ${events}`);
        const more = await state.take(1);
        if (more.length > 0)
          throw new TapeError(state.file, `byte ${state.position - 1}`, 'something follows the end mark; one file holds one tape');
        return;
      }
      const stored = await state.take(frame.storedBytes);
      if (stored.length < frame.storedBytes) {
        state.cut = { place: `byte ${at}`, detail: `block ${block + 1} was cut off` };
        return;
      }
      const decoder = orTapeError(state.file, place, () => openBlock(frame, stored, previousAt));
      block++;
      events += frame.events;
      if (frame.events === 0) continue;
      const walk = new BlockWalk(decoder, frame, { file: state.file, place });
      yield walk;
      previousAt = walk.lastAt;
    }
  }

  async function* batches(): AsyncGenerator<TapeBatch, void, undefined> {
    for await (const walk of walks()) yield walk.batch(options.lines === true);
  }

  return { header, headerLine, batches, walks };
}

function orTapeError<Value>(file: string, place: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    throw new TapeError(file, place, (error as Error).message);
  }
}

/** Walk over one block of a compact tape. */
class BlockWalk implements TapeWalk {
  readonly #decoder: BlockDecoder;
  readonly #where: { readonly file: string; readonly place: string };
  readonly events: number;
  readonly firstAt: EpochMs;

  constructor(decoder: BlockDecoder, frame: Frame, where: { readonly file: string; readonly place: string }) {
    this.#decoder = decoder;
    this.#where = where;
    this.events = frame.events;
    this.firstAt = frame.firstAt;
  }

  get lastAt(): EpochMs {
    return this.#decoder.lastAt;
  }

  get quote(): BlockDecoder['quote'] {
    return this.#decoder.quote;
  }

  next(): boolean {
    try {
      return this.#decoder.next();
    } catch (error) {
      throw new TapeError(this.#where.file, this.#where.place, (error as Error).message);
    }
  }

  event(): TapeEvent {
    return this.#decoder.event();
  }

  batch(wantLines: boolean): TapeBatch {
    const events: TapeEvent[] = [];
    const lines: string[] | null = wantLines ? [] : null;
    while (this.next()) {
      const event = this.event();
      events.push(event);
      lines?.push(this.#decoder.line ?? tapeLine(event));
    }
    return { events, lines };
  }
}
