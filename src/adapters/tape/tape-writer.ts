/** Writes whole tapes: next to their final name first, so that a half-written one never looks like a tape. */
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { type TapeEvent, type TapeHeader, tapeHeaderLine } from '../../domain/tape.ts';
import { createTapeEncoder, formOfName } from './tape-encoder.ts';
import { TapeError } from './tape-error.ts';
import type { TapeForm } from './tape-reader.ts';

export interface TapeWriter {
  /** Events ascending by receivedAt; `lines` where their spelling is to be kept. */
  write(events: readonly TapeEvent[], lines?: readonly string[] | null): Promise<void>;
  /** Ends the tape and puts it in its place. */
  close(): Promise<{ readonly events: number; readonly bytes: number }>;
  /** Gives up and leaves nothing behind. */
  discard(): Promise<void>;
}

export interface TapeWriteOptions {
  /** Default: what the name says. */
  readonly form?: TapeForm;
  /** Replaces a file that exists. Default false. */
  readonly overwrite?: boolean;
}

/**
 * Begins a tape. `header` may be the header's own line, which is then kept as it is spelled.
 * @throws TapeError where the name says no form, or the file exists.
 */
export async function createTape(file: string, header: TapeHeader | string, options: TapeWriteOptions = {}): Promise<TapeWriter> {
  const form = options.form ?? formOfName(file);
  if (form === null) throw new TapeError(file, '', 'names no form of a tape; it should end in .tape.ndjson, .tape.ndjson.gz or .tape');
  if (options.overwrite !== true && existsSync(file)) throw new TapeError(file, '', 'exists already; choose another name or overwrite it');
  const partial = `${file}.partial`;
  const encoder = createTapeEncoder(form);
  let handle: Awaited<ReturnType<typeof open>>;
  try {
    handle = await open(partial, 'w');
  } catch (error) {
    throw new TapeError(file, '', `cannot be written: ${(error as Error).message}`);
  }
  let count = 0;
  let bytes = 0;
  let lastAt = 0;

  async function put(part: Buffer): Promise<void> {
    bytes += part.length;
    if (part.length > 0) await handle.writeFile(part);
  }

  await put(await encoder.begin(typeof header === 'string' ? header : tapeHeaderLine(header)));
  return {
    async write(events, lines = null) {
      for (const event of events) {
        if (event.receivedAt < lastAt) {
          throw new TapeError(file, `event ${count + 1}`, `comes at ${event.receivedAt}, before the ${lastAt} of the event above; a tape ascends`);
        }
        lastAt = event.receivedAt;
        count++;
      }
      await put(await encoder.add(events, lines));
    },
    async close() {
      await put(await encoder.end());
      await handle.sync();
      await handle.close();
      await rename(partial, file);
      return { events: count, bytes };
    },
    async discard() {
      await handle.close();
      await rm(partial, { force: true });
    },
  };
}

/** Every event of one tape into another form. What the tape says stays byte for byte, whatever way it goes. */
export async function convertTape(
  reader: {
    readonly headerLine: string;
    batches(): AsyncGenerator<{ readonly events: readonly TapeEvent[]; readonly lines: readonly string[] | null }, void, undefined>;
  },
  file: string,
  options: TapeWriteOptions & { readonly progress?: (events: number) => void } = {},
): Promise<{ readonly events: number; readonly bytes: number }> {
  const writer = await createTape(file, reader.headerLine, options);
  let events = 0;
  try {
    for await (const batch of reader.batches()) {
      await writer.write(batch.events, batch.lines);
      events += batch.events.length;
      options.progress?.(events);
    }
    return await writer.close();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}
