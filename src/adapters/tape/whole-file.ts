/** A file that is there whole or not at all: it has its name only once everything is written. */
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { finished } from 'node:stream/promises';

export function openWholeFile(file: string) {
  const partial = `${file}.partial`;
  const out = createWriteStream(partial);
  const ended = finished(out);
  ended.catch(() => {});
  return {
    /** Resolves when more may be written. @throws what the file system throws */
    async write(text: string): Promise<void> {
      if (!out.write(text)) await Promise.race([once(out, 'drain'), ended]);
    },
    /** Ends the writing: the file gets its name. */
    async finish(): Promise<void> {
      out.end();
      await ended;
      await rename(partial, file);
    },
    /** Discards all of it. */
    async abandon(): Promise<void> {
      out.destroy();
      await rm(partial, { force: true });
    },
  };
}
