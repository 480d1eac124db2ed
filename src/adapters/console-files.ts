/** Reads the console's files, once, from the folder web/ and from the packages that its pages load. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { ConsoleFile } from '../../api/console.ts';

const FOLDER = new URL('../../web/', import.meta.url);
/** The rest of the folder is for the type checker. */
const SERVED = /\.(html|js|css|svg)$/;
/** Modules of packages, by the name under which the pages import them: the files as the package ships them. */
const PACKAGED = [
  { name: 'lightweight-charts.js', package: 'lightweight-charts', file: 'dist/lightweight-charts.standalone.production.mjs' },
] as const;

/** @throws Error where a package is not installed. */
export function readConsoleFiles(): readonly ConsoleFile[] {
  const own = readdirSync(FOLDER)
    .filter((name) => SERVED.test(name))
    .map((name) => ({ name, content: readFileSync(new URL(name, FOLDER)) }));
  const { resolve } = createRequire(import.meta.url);
  const packaged = PACKAGED.map(({ name, package: from, file }) => ({
    name,
    content: readFileSync(join(dirname(resolve(`${from}/package.json`)), file)),
  }));
  return [...own, ...packaged].sort((a, b) => (a.name < b.name ? -1 : 1));
}
