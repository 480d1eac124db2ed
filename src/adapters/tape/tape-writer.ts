/** Writer of whole tapes. It writes to a temporary name first, so that an incomplete file never looks like a tape. */
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { TAPE_BATCH, type TapeEvent, type TapeHeader, tapeHeaderLine } from '../../domain/tape/tape.ts';
import { createTapeEncoder, formOfName } from './tape-encoder.ts';
import { TapeError } from './tape-error.ts';
import type { TapeForm, TapeReader } from './tape-reader.ts';

interface TapeWriteOptions {
  /** Form of the tape. Default: that of the file name. */
  readonly form?: TapeForm;
  /** True if an existing file is replaced. Default false. */
  readonly overwrite?: boolean;
}

/**
 * Begins a tape. `header` may be a header line, which is then kept unchanged.
 * @throws TapeError if the name has no tape's extension, or the file exists
 */
export async function createTape(file: string, header: TapeHeader | string, options: TapeWriteOptions = {}) {
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
    /** Writes events, ascending by receivedAt. `lines` preserves their original text. */
    async write(events: readonly TapeEvent[], lines: readonly string[] | null = null) {
      for (const event of events) {
        if (event.receivedAt < lastAt) {
          throw new TapeError(
            file,
            `event ${count + 1}`,
            `comes at ${event.receivedAt}, before the ${lastAt} of the event above; a tape ascends`,
          );
        }
        lastAt = event.receivedAt;
        count++;
      }
      await put(await encoder.add(events, lines));
    },
    /** Ends the tape and moves it to its final name. */
    async close(): Promise<{ readonly events: number; readonly bytes: number }> {
      await put(await encoder.end());
      await handle.sync();
      await handle.close();
      await rename(partial, file);
      return { events: count, bytes };
    },
    /** Aborts and removes the temporary file. */
    async discard() {
      await handle.close();
      await rm(partial, { force: true });
    },
  };
}

/** Converts a tape to another form. Its content stays the same byte for byte in every form. */
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

/** Merges tapes in order of receipt. Events with equal times are in the order of the tapes. Holds one batch of each in memory. */
export async function mergeTapes(
  readers: readonly (Pick<TapeReader, 'header' | 'file'> & {
    batches(): AsyncGenerator<{ readonly events: readonly TapeEvent[] }, void, undefined>;
  })[],
  file: string,
  options: TapeWriteOptions & { readonly progress?: () => void } = {},
): Promise<{ readonly events: number; readonly bytes: number }> {
  const of = <Item>(items: (header: TapeHeader) => readonly Item[] | undefined): Item[] => [
    ...new Set(readers.flatMap(({ header }) => items(header) ?? [])),
  ];
  const recordedAt = of(({ recordedAt: at }) => (at === undefined ? [] : [at])).sort()[0];
  const agents = of(({ agents: own }) => own);
  const header: TapeHeader = {
    tape: 1,
    ...(recordedAt === undefined ? {} : { recordedAt }),
    source: `merged from ${readers.map((reader) => basename(reader.file)).join(', ')}`,
    venues: of(({ venues }) => venues),
    instruments: of(({ instruments }) => instruments),
    ...(agents.length === 0 ? {} : { agents }),
  };
  const writer = await createTape(file, header, options);
  try {
    const heads: {
      readonly source: AsyncGenerator<{ readonly events: readonly TapeEvent[] }, void, undefined>;
      events: readonly TapeEvent[];
      at: number;
    }[] = [];
    for (const reader of readers) {
      const source = reader.batches();
      const next = await source.next();
      if (!next.done) heads.push({ source, events: next.value.events, at: 0 });
    }
    let batch: TapeEvent[] = [];
    while (heads.length > 0) {
      let first = heads[0] as (typeof heads)[number];
      for (const head of heads)
        if ((head.events[head.at] as TapeEvent).receivedAt < (first.events[first.at] as TapeEvent).receivedAt) first = head;
      batch.push(first.events[first.at++] as TapeEvent);
      if (batch.length === TAPE_BATCH) {
        await writer.write(batch);
        batch = [];
        options.progress?.();
      }
      if (first.at < first.events.length) continue;
      const next = await first.source.next();
      if (next.done) heads.splice(heads.indexOf(first), 1);
      else Object.assign(first, { events: next.value.events, at: 0 });
    }
    await writer.write(batch);
    return await writer.close();
  } catch (error) {
    await writer.discard();
    throw error;
  }
}
