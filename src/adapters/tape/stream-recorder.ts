/** Records what is received while it is received: it never blocks the stream, never ends it, and a crash costs at most the last second. */
import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Observable } from 'rxjs';
import type { Clock } from '../../../streams/clock.ts';
import type { FeedMessage } from '../../domain/market-event.ts';
import { TAPE_BATCH, type TapeEvent, type TapeHeader, tapeHeaderLine } from '../../domain/tape.ts';
import type { EpochMs } from '../../domain/time.ts';
import { createTapeEncoder, formOfName, type TapeEncoder } from './tape-encoder.ts';
import { TapeError } from './tape-error.ts';
import type { TapeForm } from './tape-reader.ts';

export interface StreamRecorderOptions {
  /** The first file. Where it exists, and for every further one, a number is put before the ending: `day.2.tape.ndjson`. */
  readonly file: string;
  readonly header: TapeHeader;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  /** How often what was received is written. Milliseconds, default 1,000. */
  readonly flushMs?: number;
  /** A new file is begun after so many bytes or milliseconds. Default: never. */
  readonly rotateBytes?: number;
  readonly rotateMs?: number;
  /** Events that may wait for a slow disk; beyond, they are lost and counted. Default 1,000,000. */
  readonly maxWaiting?: number;
  /** Told in one sentence of everything that was lost. */
  readonly onProblem: (sentence: string) => void;
}

export interface TapeRecording {
  readonly files: readonly string[];
  readonly events: number;
  readonly bytes: number;
  /** Events that could not be written. */
  readonly lost: number;
  /** Events that came with an earlier time than the one before and were moved up to it. */
  readonly movedUp: number;
}

export interface StreamRecorder {
  /** Puts an event in line with the stream's. */
  add(event: TapeEvent): void;
  readonly recording: TapeRecording;
  /** Writes everything received so far. */
  flush(): Promise<void>;
  /** Stops listening, writes the rest and ends the tape. */
  close(): Promise<TapeRecording>;
}

interface Segment {
  readonly file: string;
  readonly handle: FileHandle;
  readonly encoder: TapeEncoder;
  readonly openedAt: EpochMs;
  bytes: number;
}

/** Begins to record a stream. @throws TapeError where the file name says no form of a tape. */
export function recordStream(stream: Observable<FeedMessage>, options: StreamRecorderOptions): StreamRecorder {
  const { clock, onProblem } = options;
  const form = formOfName(options.file);
  if (form === null)
    throw new TapeError(options.file, '', 'names no form of a tape; it should end in .tape.ndjson, .tape.ndjson.gz or .tape');
  const flushMs = options.flushMs ?? 1_000;
  const maxWaiting = options.maxWaiting ?? 1_000_000;
  const files: string[] = [];
  const totals = { events: 0, bytes: 0, lost: 0, movedUp: 0 };
  let waiting: TapeEvent[] = [];
  let lastAt: EpochMs = 0;
  let lostUnsaid = 0;
  let segment: Segment | null = null;
  let closed = false;
  let work: Promise<void> = Promise.resolve();
  let busy = false;
  let cancelFlush = (): void => {};

  function take(event: TapeEvent): void {
    if (closed) return;
    if (waiting.length >= maxWaiting) {
      totals.lost++;
      lostUnsaid++;
      return;
    }
    let ascending = event;
    if (event.receivedAt < lastAt) {
      totals.movedUp++;
      ascending = { ...event, receivedAt: lastAt };
    } else lastAt = event.receivedAt;
    waiting.push(ascending);
    if (waiting.length >= TAPE_BATCH && !busy) void enqueue(false);
  }

  function enqueue(flush: boolean): Promise<void> {
    busy = true;
    work = work
      .then(() => write(flush))
      .finally(() => {
        busy = false;
      });
    return work;
  }

  async function openSegment(): Promise<Segment> {
    const file = freeName(options.file, form as TapeForm, files.length);
    const header: TapeHeader = files.length === 0 ? options.header : { ...options.header, continues: basename(files.at(-1) as string) };
    const encoder = createTapeEncoder(form as TapeForm);
    const handle = await open(file, 'wx');
    files.push(file);
    const opened: Segment = { file, handle, encoder, openedAt: clock.now(), bytes: 0 };
    await put(opened, await encoder.begin(tapeHeaderLine(header)));
    return opened;
  }

  async function put(to: Segment, bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    await to.handle.writeFile(bytes);
    to.bytes += bytes.length;
    totals.bytes += bytes.length;
  }

  async function write(flush: boolean): Promise<void> {
    if (lostUnsaid > 0) {
      onProblem(`the recording lost ${lostUnsaid} events: the disk did not keep up and ${maxWaiting} were waiting`);
      lostUnsaid = 0;
    }
    const events = waiting;
    waiting = [];
    if (events.length === 0 && (segment === null || !flush)) return;
    try {
      segment ??= await openSegment();
      await put(segment, await segment.encoder.add(events, null));
      if (flush) await put(segment, await segment.encoder.flush());
      totals.events += events.length;
      const tooLarge = options.rotateBytes !== undefined && segment.bytes >= options.rotateBytes;
      const tooOld = options.rotateMs !== undefined && clock.now() - segment.openedAt >= options.rotateMs;
      if (tooLarge || tooOld) await endSegment();
    } catch (error) {
      totals.lost += events.length;
      const file = segment?.file ?? options.file;
      onProblem(`the recording ${file} lost ${events.length} events: ${(error as Error).message}; it goes on in a new file`);
      await segment?.handle.close().catch(() => {});
      segment = null;
    }
  }

  async function endSegment(): Promise<void> {
    const ending = segment;
    if (ending === null) return;
    segment = null;
    await put(ending, await ending.encoder.end());
    await ending.handle.sync();
    await ending.handle.close();
  }

  function schedule(): void {
    if (closed) return;
    cancelFlush = clock.deadline(clock.now() + flushMs, () => {
      enqueue(true).then(schedule, schedule);
    });
  }

  const subscription = stream.subscribe({
    next: (message) => {
      if (message.kind !== 'rejection') take(message);
    },
    error: (error: unknown) => onProblem(`the recording ended with its stream: ${error instanceof Error ? error.message : String(error)}`),
  });
  schedule();

  const recording = (): TapeRecording => ({ files: [...files], ...totals });
  return {
    add: take,
    get recording() {
      return recording();
    },
    flush: () => enqueue(true),
    async close() {
      if (closed) return recording();
      subscription.unsubscribe();
      cancelFlush();
      closed = true;
      await enqueue(true);
      try {
        // A recording without a single event is a tape all the same.
        if (files.length === 0) segment = await openSegment();
        await endSegment();
      } catch (error) {
        onProblem(`the recording ${files.at(-1) ?? options.file} could not be ended: ${(error as Error).message}`);
      }
      return recording();
    },
  };
}

const ENDINGS: Readonly<Record<TapeForm, readonly string[]>> = {
  ndjson: ['.tape.ndjson', '.ndjson'],
  'ndjson.gz': ['.tape.ndjson.gz', '.ndjson.gz'],
  binary: ['.tape'],
};

/** The first name of the series that no file has. */
function freeName(file: string, form: TapeForm, used: number): string {
  const ending = ENDINGS[form].find((one) => file.endsWith(one)) as string;
  const stem = file.slice(0, -ending.length);
  for (let number = used + 1; ; number++) {
    const name = number === 1 ? file : `${stem}.${number}${ending}`;
    if (!existsSync(name)) return name;
  }
}
