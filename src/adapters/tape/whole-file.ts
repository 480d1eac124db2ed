/** File that exists completely or not at all: it gets its name only after everything is written. */
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
    /** Writes text. Resolves when more may be written. @throws the file system's error */
    async write(text: string): Promise<void> {
      if (!out.write(text)) await Promise.race([once(out, 'drain'), ended]);
    },
    /** Ends writing and gives the file its name. */
    async finish(): Promise<void> {
      out.end();
      await ended;
      await rename(partial, file);
    },
    async abandon(): Promise<void> {
      out.destroy();
      await rm(partial, { force: true });
    },
  };
}
