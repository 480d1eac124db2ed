/** Tapes of a folder, which a deck can load only by name. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { TapeShelf } from '../../simulation/tape-deck.ts';
import { TapeError } from './tape-error.ts';
import { tapeInfo } from './tape-info.ts';
import { openTape } from './tape-reader.ts';

const TAPE_NAME = /\.tape(\.ndjson(\.gz)?)?$/;

/** Returns a tape's folder, and its name in it. */
export function tapeFolder(file: string): { readonly shelf: TapeShelf; readonly name: string } {
  const folder = dirname(file);
  const shelf: TapeShelf = {
    async list() {
      const names = (await readdir(folder)).filter((name) => TAPE_NAME.test(name)).sort();
      return Promise.all(names.map(async (name) => ({ name, bytes: (await stat(join(folder, name))).size })));
    },
    info: (name, progress) => tapeInfo(join(folder, name), progress),
    open: (name) => openTape(join(folder, name)),
    unreadable: (name, reason) => new TapeError(join(folder, name), '', reason),
    reasonOf: (error) => (error instanceof TapeError ? error.message : null),
  };
  return { shelf, name: basename(file) };
}
