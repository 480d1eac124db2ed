/** Recorder of received messages. It never blocks or ends the stream, and a crash loses at most the last second. */
import { existsSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { Observable } from 'rxjs';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import { TAPE_BATCH, type TapeEvent, type TapeHeader, tapeHeaderLine } from '../../domain/tape/tape.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { errorText } from '../../domain/values/value-text.ts';
import { createTapeEncoder, formOfName, type TapeEncoder } from './tape-encoder.ts';
import { TapeError } from './tape-error.ts';
import type { TapeForm } from './tape-reader.ts';

interface StreamRecorderOptions {
  /** First file. If it exists, and for every further file, a number precedes the extension: `day.2.tape.ndjson`. */
  readonly file: string;
  readonly header: TapeHeader;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  /** Interval of writing, in milliseconds. Default 1,000. */
  readonly flushMs?: number;
  /** Size or age after which a new file begins, in bytes or milliseconds. Default: never. */
  readonly rotateBytes?: number;
  readonly rotateMs?: number;
  /** Maximum number of events that wait for a slow disk. Further ones are lost and counted. Default 1,000,000. */
  readonly maxWaiting?: number;
  /** Receives a sentence about lost events. */
  readonly onProblem: (sentence: string) => void;
}

interface TapeRecording {
  readonly files: readonly string[];
  readonly events: number;
  readonly bytes: number;
  /** Number of events that could not be written. */
  readonly lost: number;
  /** Number of events with a time before the previous event's, which were moved up to it. */
  readonly movedUp: number;
}

interface StreamRecorder {
  /** Adds an event in order with the stream's. */
  add(event: TapeEvent): void;
  readonly recording: TapeRecording;
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

/** Starts recording a stream. @throws TapeError if the file name has no tape's extension */
export function recordStream(stream: Observable<FeedMessage>, options: StreamRecorderOptions): StreamRecorder {
  return new StreamRecording(stream, options);
}

class StreamRecording implements StreamRecorder {
  readonly #options: StreamRecorderOptions;
  readonly #clock;
  readonly #onProblem;
  readonly #form: TapeForm;
  readonly #flushMs;
  readonly #maxWaiting;
  readonly #files: string[] = [];
  readonly #totals = { events: 0, bytes: 0, lost: 0, movedUp: 0 };
  #waiting: TapeEvent[] = [];
  #lastAt: EpochMs = 0;
  #lostUnsaid = 0;
  #segment: Segment | null = null;
  #closed = false;
  #work: Promise<void> = Promise.resolve();
  #busy = false;
  #cancelFlush: () => void = () => {};

  readonly #subscription;

  constructor(stream: Observable<FeedMessage>, options: StreamRecorderOptions) {
    this.#options = options;
    const { clock, onProblem } = options;
    this.#clock = clock;
    this.#onProblem = onProblem;
    const form = formOfName(options.file);
    if (form === null)
      throw new TapeError(options.file, '', 'names no form of a tape; it should end in .tape.ndjson, .tape.ndjson.gz or .tape');
    this.#form = form;
    this.#flushMs = options.flushMs ?? 1_000;
    this.#maxWaiting = options.maxWaiting ?? 1_000_000;
    this.#subscription = stream.subscribe({
      next: (message) => {
        if (message.kind !== 'rejection') this.#take(message);
      },
      error: (error: unknown) => onProblem(`the recording ended with its stream: ${errorText(error)}`),
    });
    this.#schedule();
  }

  /** Adds an event of the caller. */
  add(event: TapeEvent): void {
    this.#take(event);
  }

  get recording() {
    return this.#recording();
  }

  flush(): Promise<void> {
    return this.#enqueue(true);
  }

  async close(): Promise<TapeRecording> {
    if (this.#closed) return this.#recording();
    this.#subscription.unsubscribe();
    this.#cancelFlush();
    this.#closed = true;
    await this.#enqueue(true);
    try {
      // A recording without events is a valid tape too.
      if (this.#files.length === 0) this.#segment = await this.#openSegment();
      await this.#endSegment();
    } catch (error) {
      this.#onProblem(`the recording ${this.#files.at(-1) ?? this.#options.file} could not be ended: ${(error as Error).message}`);
    }
    return this.#recording();
  }

  #enqueue(flush: boolean): Promise<void> {
    this.#busy = true;
    this.#work = this.#work
      .then(() => this.#write(flush))
      .finally(() => {
        this.#busy = false;
      });
    return this.#work;
  }

  async #openSegment(): Promise<Segment> {
    const file = freeName(this.#options.file, this.#form, this.#files.length);
    const header: TapeHeader =
      this.#files.length === 0 ? this.#options.header : { ...this.#options.header, continues: basename(this.#files.at(-1) as string) };
    const encoder = createTapeEncoder(this.#form);
    const handle = await open(file, 'wx');
    this.#files.push(file);
    const opened: Segment = { file, handle, encoder, openedAt: this.#clock.now(), bytes: 0 };
    await this.#put(opened, await encoder.begin(tapeHeaderLine(header)));
    return opened;
  }

  async #put(to: Segment, bytes: Buffer): Promise<void> {
    if (bytes.length === 0) return;
    await to.handle.writeFile(bytes);
    to.bytes += bytes.length;
    this.#totals.bytes += bytes.length;
  }

  async #write(flush: boolean): Promise<void> {
    if (this.#lostUnsaid > 0) {
      this.#onProblem(`the recording lost ${this.#lostUnsaid} events: the disk did not keep up and ${this.#maxWaiting} were waiting`);
      this.#lostUnsaid = 0;
    }
    const events = this.#waiting;
    this.#waiting = [];
    if (events.length === 0 && (this.#segment === null || !flush)) return;
    try {
      this.#segment ??= await this.#openSegment();
      await this.#put(this.#segment, await this.#segment.encoder.add(events, null));
      if (flush) await this.#put(this.#segment, await this.#segment.encoder.flush());
      this.#totals.events += events.length;
      const tooLarge = this.#options.rotateBytes !== undefined && this.#segment.bytes >= this.#options.rotateBytes;
      const tooOld = this.#options.rotateMs !== undefined && this.#clock.now() - this.#segment.openedAt >= this.#options.rotateMs;
      if (tooLarge || tooOld) await this.#endSegment();
    } catch (error) {
      this.#totals.lost += events.length;
      const file = this.#segment?.file ?? this.#options.file;
      this.#onProblem(`the recording ${file} lost ${events.length} events: ${(error as Error).message}; it goes on in a new file`);
      await this.#segment?.handle.close().catch(() => {});
      this.#segment = null;
    }
  }

  async #endSegment(): Promise<void> {
    const ending = this.#segment;
    if (ending === null) return;
    this.#segment = null;
    await this.#put(ending, await ending.encoder.end());
    await ending.handle.sync();
    await ending.handle.close();
  }

  #take(event: TapeEvent): void {
    if (this.#closed) return;
    if (this.#waiting.length >= this.#maxWaiting) {
      this.#totals.lost++;
      this.#lostUnsaid++;
      return;
    }
    let ascending = event;
    if (event.receivedAt < this.#lastAt) {
      this.#totals.movedUp++;
      ascending = { ...event, receivedAt: this.#lastAt };
    } else this.#lastAt = event.receivedAt;
    this.#waiting.push(ascending);
    if (this.#waiting.length >= TAPE_BATCH && !this.#busy) void this.#enqueue(false);
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#cancelFlush = this.#clock.deadline(this.#clock.now() + this.#flushMs, () => {
      this.#enqueue(true).then(
        () => this.#schedule(),
        () => this.#schedule(),
      );
    });
  }

  #recording(): TapeRecording {
    return { files: [...this.#files], ...this.#totals };
  }
}

const ENDINGS: Readonly<Record<TapeForm, readonly string[]>> = {
  ndjson: ['.tape.ndjson', '.ndjson'],
  'ndjson.gz': ['.tape.ndjson.gz', '.ndjson.gz'],
  binary: ['.tape'],
};

/** Returns the first free file name of the series. */
function freeName(file: string, form: TapeForm, used: number): string {
  const ending = ENDINGS[form].find((one) => file.endsWith(one)) as string;
  const stem = file.slice(0, -ending.length);
  for (let number = used + 1; ; number++) {
    const name = number === 1 ? file : `${stem}.${number}${ending}`;
    if (!existsSync(name)) return name;
  }
}
