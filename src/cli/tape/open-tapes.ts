/** Tapes named on the command line: opened together, with a progress bar, and always closed. */
import { openTape, type TapeReader } from '../../adapters/tape/tape-reader.ts';
import { progressBar } from '../../adapters/terminal-progress.ts';

/** Opens tapes and runs work, which calls `progress` after every read. */
export async function withTapes<Result>(
  files: readonly string[],
  what: string,
  work: (tapes: readonly TapeReader[], progress: () => void) => Promise<Result>,
): Promise<Result> {
  const bar = progressBar(what, 'bytes');
  const readers: TapeReader[] = [];
  const sumBytes = (which: 'bytesRead' | 'bytesTotal'): number => readers.reduce((sum, reader) => sum + reader[which], 0);
  try {
    for (const file of files) readers.push(await openTape(file));
    return await work(readers, () => bar.update(sumBytes('bytesRead'), sumBytes('bytesTotal')));
  } finally {
    bar.stop();
    for (const reader of readers) await reader.close();
  }
}
