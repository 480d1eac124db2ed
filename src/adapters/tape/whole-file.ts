/** A file that is there whole or not at all: it has its name only once everything is written. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';

export interface WholeFile {
  /** Resolves when more may be written. @throws what the file system throws */
  write(text: string): Promise<void>;
  /** Ends the writing: the file gets its name. */
  finish(): Promise<void>;
  /** Discards all of it. */
  abandon(): Promise<void>;
}

export function openWholeFile(file: string): WholeFile {
  const partial = `${file}.partial`;
  const out = createWriteStream(partial);
  const ended = finished(out);
  ended.catch(() => {});
  return {
    async write(text) {
      if (!out.write(text)) await Promise.race([once(out, 'drain'), ended]);
    },
    async finish() {
      out.end();
      await ended;
      await rename(partial, file);
    },
    async abandon() {
      out.destroy();
      await rm(partial, { force: true });
    },
  };
}
