/** Streaming encoder of tapes in every form. */
import { once } from 'node:events';
import { constants, createGzip, type Gzip } from 'node:zlib';
import { type TapeEvent, tapeLine } from '../../domain/tape/tape.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { BLOCK_EVENTS, BlockEncoder, encodeEnd, encodePreamble } from './binary-codec.ts';
import type { TapeForm } from './tape-reader.ts';

export interface TapeEncoder {
  /** Returns the bytes that begin the tape. */
  begin(headerLine: string): Promise<Buffer>;
  /** Adds events, ascending. `lines` preserves their original spelling. */
  add(events: readonly TapeEvent[], lines: readonly string[] | null): Promise<Buffer>;
  /** Returns the bytes of everything added, so that a crash afterwards loses none of it. */
  flush(): Promise<Buffer>;
  /** Returns the bytes that end the tape. */
  end(): Promise<Buffer>;
}

const NOTHING = Buffer.alloc(0);

/** Returns the form of a file name, or null if it has no tape's extension. */
export function formOfName(file: string): TapeForm | null {
  if (file.endsWith('.ndjson')) return 'ndjson';
  if (file.endsWith('.ndjson.gz')) return 'ndjson.gz';
  return file.endsWith('.tape') ? 'binary' : null;
}

export function createTapeEncoder(form: TapeForm): TapeEncoder {
  if (form === 'binary') return binaryEncoder();
  const plain = lineEncoder();
  return form === 'ndjson' ? plain : gzipped(plain);
}

function lineEncoder(): TapeEncoder {
  return {
    begin: async (headerLine) => Buffer.from(`${headerLine}\n`, 'utf8'),
    async add(events, lines) {
      let text = '';
      for (let index = 0; index < events.length; index++)
        text += `${lines === null ? tapeLine(events[index] as TapeEvent) : lines[index]}\n`;
      return Buffer.from(text, 'utf8');
    },
    flush: async () => NOTHING,
    end: async () => NOTHING,
  };
}

function binaryEncoder(): TapeEncoder {
  const block = new BlockEncoder({ deflate: true });
  let events = 0;
  let lastAt: EpochMs = 0;
  const take = (): Buffer => block.take() ?? NOTHING;
  return {
    begin: async (headerLine) => encodePreamble(headerLine),
    async add(added, lines) {
      const parts: Buffer[] = [];
      for (let index = 0; index < added.length; index++) {
        const event = added[index] as TapeEvent;
        const line = lines?.[index];
        block.add(event, line === undefined || line === tapeLine(event) ? null : line);
        if (block.events === BLOCK_EVENTS) parts.push(take());
      }
      events += added.length;
      lastAt = added.at(-1)?.receivedAt ?? lastAt;
      return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
    },
    flush: async () => take(),
    end: async () => Buffer.concat([take(), encodeEnd(events, lastAt)]),
  };
}

function gzipped(inner: TapeEncoder): TapeEncoder {
  const gzip: Gzip = createGzip({ level: 6 });
  let out: Buffer[] = [];
  let failure: Error | null = null;
  gzip.on('data', (chunk: Buffer) => out.push(chunk));
  gzip.on('error', (error) => {
    failure = error;
  });
  const taken = (): Buffer => {
    if (failure !== null) throw failure;
    const bytes = Buffer.concat(out);
    out = [];
    return bytes;
  };
  const put = async (bytes: Buffer): Promise<Buffer> => {
    if (bytes.length > 0 && !gzip.write(bytes)) await once(gzip, 'drain');
    return taken();
  };
  return {
    begin: async (headerLine) => put(await inner.begin(headerLine)),
    add: async (events, lines) => put(await inner.add(events, lines)),
    async flush() {
      await put(await inner.flush());
      await new Promise<void>((resolve) => {
        gzip.flush(constants.Z_SYNC_FLUSH, resolve);
      });
      return taken();
    },
    async end() {
      const ended = once(gzip, 'end');
      gzip.end(await inner.end());
      await ended;
      return taken();
    },
  };
}
