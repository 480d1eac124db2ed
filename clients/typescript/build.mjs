#!/usr/bin/env node
/** Builds `dist`, or the named folder: one dependency-free module per entry, with its types. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const dist = resolve(process.argv[2] ?? join(here, 'dist'));

rmSync(dist, { recursive: true, force: true });
const entry = (name, platform) =>
  build({
    entryPoints: [join(here, 'src', `${name}.ts`)],
    outfile: join(dist, `${name}.js`),
    bundle: true,
    format: 'esm',
    platform,
    target: 'es2022',
    logLevel: 'warning',
  });
await Promise.all([entry('index', 'browser'), entry('local', 'node')]);

const tsc = join(here, '..', '..', 'node_modules', '.bin', 'tsc');
execFileSync(tsc, ['-p', join(here, 'tsconfig.json'), '--outDir', dist], { stdio: 'inherit' });
// Declarations must import the built `.js` files, not the `.ts` sources.
for (const name of readdirSync(dist).filter((file) => file.endsWith('.d.ts'))) {
  const path = join(dist, name);
  writeFileSync(path, readFileSync(path, 'utf8').replaceAll(/(from '\.\/[\w-]+)\.ts'/g, "$1.js'"));
}
