/** Reads the console's files, once, from the folder web/. */
import { readdirSync, readFileSync } from 'node:fs';
import type { ConsoleFile } from '../../api/console.ts';

const FOLDER = new URL('../../web/', import.meta.url);
/** The rest of the folder is for the type checker. */
const SERVED = /\.(html|js|css|svg)$/;

export function readConsoleFiles(): readonly ConsoleFile[] {
  return readdirSync(FOLDER)
    .filter((name) => SERVED.test(name))
    .sort()
    .map((name) => ({ name, content: readFileSync(new URL(name, FOLDER)) }));
}
