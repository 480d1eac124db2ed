/** Reads the console's files, once, from the folder web/, from the packages that its pages load, and from the domain where a page decides as the service does. */
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import type { ConsoleFile } from '../../api/console.ts';

const FOLDER = new URL('../../web/', import.meta.url);
/** The rest of the folder is for the type checker. */
const SERVED = /\.(html|js|css|svg)$/;
/** Modules of packages, by the name under which the pages import them: the files as the package ships them. */
const PACKAGED = [
  { name: 'lightweight-charts.js', package: 'lightweight-charts', file: 'dist/lightweight-charts.standalone.production.mjs' },
] as const;

/** Modules of the domain, by the name under which the pages import them: read here as the service's own sources are, so that both validate alike. */
const SHARED = [{ name: 'signed-elsewhere.js', source: new URL('../domain/solana/signed-elsewhere.ts', import.meta.url) }] as const;

/** @throws Error if a package is not installed. */
export function readConsoleFiles(): readonly ConsoleFile[] {
  const own = readdirSync(FOLDER)
    .filter((name) => SERVED.test(name))
    .map((name) => ({ name, content: readFileSync(new URL(name, FOLDER)) }));
  const { resolve } = createRequire(import.meta.url);
  const packaged = PACKAGED.map(({ name, package: from, file }) => ({
    name,
    content: readFileSync(join(dirname(resolve(`${from}/package.json`)), file)),
  }));
  return [...own, ...packaged, ...SHARED.map(shared)].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function shared({ name, source }: (typeof SHARED)[number]): ConsoleFile {
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(source)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    minify: true,
    legalComments: 'inline',
    logLevel: 'silent',
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error(`nothing was made of ${source.href}`);
  return { name, content: Buffer.from(file.contents) };
}
