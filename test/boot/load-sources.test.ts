// Compiled sources: built once per state of the files, complete, and with errors at the source's lines.
import { execFile, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Creates a tiny project with the real loader and links to the real packages. */
function project(): { readonly root: string; begin(): Promise<string>; kept(): string[] } {
  const root = mkdtempSync(join(tmpdir(), 'sevengate-load-'));
  folders.push(root);
  for (const room of ['src', 'streams', 'actors', 'api', 'clients/typescript', 'node_modules'])
    mkdirSync(join(root, room), { recursive: true });
  for (const name of ['esbuild', '@esbuild', 'rxjs', 'tslib'])
    symlinkSync(join(ROOT, 'node_modules', name), join(root, 'node_modules', name));
  cpSync(join(ROOT, 'src/load-sources.mjs'), join(root, 'src/load-sources.mjs'));
  writeFileSync(join(root, 'package.json'), '{"type":"module"}');
  writeFileSync(join(root, 'package-lock.json'), '{}');
  writeFileSync(join(root, 'src/part.ts'), "export const part: string = 'late';\n");
  writeFileSync(
    join(root, 'src/begin.ts'),
    `import { readFileSync } from 'node:fs';
import { map, of } from 'rxjs';
interface Nothing { readonly of: 'that runs' }
const { part } = await import('./part.ts');
of('first').pipe(map((text) => console.log(text, part, readFileSync(new URL('./beside.txt', import.meta.url), 'utf8')))).subscribe();
export const nothing: Nothing | null = null;
export function fail(): never {
  throw new Error('here');
}
try { fail(); } catch (error) { console.log((error as Error).stack); }
`,
  );
  writeFileSync(join(root, 'src/beside.txt'), 'beside');
  writeFileSync(
    join(root, 'src/begin.mjs'),
    "import { loadSource } from './load-sources.mjs';\nawait loadSource(new URL('./begin.ts', import.meta.url), { entries: ['src/begin.ts'] });\n",
  );
  return {
    root,
    begin: async () => (await run(process.execPath, [join(root, 'src/begin.mjs')])).stdout,
    kept: () => readdirSync(join(root, 'node_modules/.cache/sevengate')),
  };
}

/** Makes a project's compiler write a line for each compilation, and returns their count. */
function countCompilations(root: string): () => number {
  const compiler = join(root, 'node_modules/esbuild');
  const log = join(root, 'compilations');
  rmSync(compiler);
  mkdirSync(compiler);
  writeFileSync(join(compiler, 'package.json'), '{"type":"module","exports":"./index.js"}');
  writeFileSync(
    join(compiler, 'index.js'),
    `import { appendFileSync } from 'node:fs';
import * as esbuild from ${JSON.stringify(join(ROOT, 'node_modules/esbuild/lib/main.js'))};
export const { stop } = esbuild;
export function build(options) {
  appendFileSync(${JSON.stringify(log)}, '.');
  return esbuild.build(options);
}
`,
  );
  return () => readFileSync(log, 'utf8').length;
}

test('a source finds neighbouring files and loads parts late, and errors name its own lines', async () => {
  const { begin } = project();
  const said = await begin();
  expect(said).toContain('first late beside');
  expect(said).toMatch(/Error: here\n +at fail \(.*\/src\/begin\.ts:8:9\)/);
});

test('the same state is compiled once, also by processes and threads that begin at once, and another state anew', async () => {
  const { root, begin, kept } = project();
  const compilations = countCompilations(root);
  writeFileSync(
    join(root, 'src/threads.mjs'),
    `import { Worker } from 'node:worker_threads';
for (let n = 0; n < 3; n++) new Worker(new URL('./begin.mjs', import.meta.url));
`,
  );
  const { stdout } = (await Promise.all([run(process.execPath, [join(root, 'src/threads.mjs')]), begin(), begin(), begin()]))[0];
  expect(stdout.match(/first late beside/g)).toHaveLength(3);
  expect(compilations()).toBe(1);
  expect(kept()).toHaveLength(1);
  const [first] = kept();
  writeFileSync(join(root, 'src/part.ts'), "export const part: string = 'changed';\n");
  expect(await begin()).toContain('first changed beside');
  expect(kept()).toHaveLength(2);
  // The first build has not been used for hours: the next state replaces it.
  const folder = join(root, 'node_modules/.cache/sevengate', first as string);
  const longAgo = new Date(Date.now() - 10 * 3_600_000);
  for (const user of readdirSync(join(folder, 'users'))) utimesSync(join(folder, 'users', user), longAgo, longAgo);
  utimesSync(folder, longAgo, longAgo);
  writeFileSync(join(root, 'src/part.ts'), "export const part: string = 'changed again';\n");
  expect(await begin()).toContain('first changed again beside');
  expect(existsSync(folder)).toBe(false);
});

test('a compilation whose process has died is begun anew, one that fails is told to everybody', async () => {
  const { root, begin, kept } = project();
  writeFileSync(join(root, 'src/part.ts'), 'export const part: string = ;\n');
  const outcomes = await Promise.allSettled([begin(), begin()]);
  for (const outcome of outcomes) expect(String((outcome as PromiseRejectedResult).reason)).toContain('Unexpected ";"');
  expect(kept()).toEqual([]);
  writeFileSync(join(root, 'src/part.ts'), "export const part: string = 'mended';\n");
  await begin();
  const [folder] = kept();
  // What a process that no longer exists began.
  const cache = join(root, 'node_modules/.cache/sevengate');
  rmSync(join(cache, folder as string), { recursive: true });
  writeFileSync(join(cache, `${folder}.lock`), String(spawnSync(process.execPath, ['-e', '']).pid));
  expect(await begin()).toContain('first mended beside');
  expect(kept()).toEqual([folder]);
});

test('a build used by a living process stays, however old', async () => {
  const { root, begin, kept } = project();
  await begin();
  const folder = join(root, 'node_modules/.cache/sevengate', kept()[0] as string);
  const user = join(folder, 'users', String(process.pid));
  writeFileSync(user, '');
  const longAgo = new Date(Date.now() - 10 * 3_600_000);
  for (const one of readdirSync(join(folder, 'users'))) utimesSync(join(folder, 'users', one), longAgo, longAgo);
  utimesSync(folder, longAgo, longAgo);
  writeFileSync(join(root, 'src/part.ts'), "export const part: string = 'changed';\n");
  await begin();
  expect(existsSync(folder)).toBe(true);
});

test('a thread runs the same build as its process, whatever happened to the files since', async () => {
  const { root, kept } = project();
  writeFileSync(
    join(root, 'src/with-thread.mjs'),
    `import { writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
await import('./begin.mjs');
writeFileSync(new URL('./part.ts', import.meta.url), "export const part: string = 'changed';\\n");
new Worker(new URL('./begin.mjs', import.meta.url));
`,
  );
  const { stdout } = await run(process.execPath, [join(root, 'src/with-thread.mjs')]);
  expect(stdout.match(/first \w+ beside/g)).toEqual(['first late beside', 'first late beside']);
  expect(kept()).toHaveLength(1);
});

test('no compiled package of the service looks for a file next to its own', async () => {
  const { stdout } = await run(process.execPath, [
    '--input-type=module',
    '-e',
    `import { compiledSources } from ${JSON.stringify(join(ROOT, 'src/load-sources.mjs'))}; console.log(await compiledSources());`,
  ]);
  const folder = stdout.trim();
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.js'));
  expect(files).toContain('src/boot/cli.js');
  const looking = files.filter((name) =>
    /\b__dirname\b|\b__filename\b|import\.meta\.(?!url\);)/.test(readFileSync(join(folder, name), 'utf8').replace(/^import .*\n/, '')),
  );
  expect(looking).toEqual([]);
});
