/** Tapes of a folder, which a deck can load only by name. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { TapeError } from './tape-error.ts';
import { type TapeInfo, tapeInfo } from './tape-info.ts';
import { openTape, type TapeReader } from './tape-reader.ts';

const TAPE_NAME = /\.tape(\.ndjson(\.gz)?)?$/;

/** Returns a tape's folder, and its name in it. */
export function tapeFolder(file: string) {
  const folder = dirname(file);
  const shelf = {
    async list(): Promise<readonly { readonly name: string; readonly bytes: number }[]> {
      const names = (await readdir(folder)).filter((name) => TAPE_NAME.test(name)).sort();
      return Promise.all(names.map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })));
    },
    /** Reads the whole tape once, so that its faults are known before it is played. */
    info: (name: string, progress: (done: number, total: number) => void): Promise<TapeInfo> => tapeInfo(join(folder, name), progress),
    open: (name: string): Promise<TapeReader> => openTape(join(folder, name)),
    /** Creates the error that a tape cannot be played. */
    unreadable: (name: string, reason: string): Error => new TapeError(join(folder, name), '', reason),
    /** Returns the message of an error caused by a tape, or null for any other error. */
    reasonOf: (error: unknown): string | null => (error instanceof TapeError ? error.message : null),
  };
  return { shelf, name: basename(file) };
}

/** Folder of tapes, by name. */
export type TapeShelf = ReturnType<typeof tapeFolder>['shelf'];
