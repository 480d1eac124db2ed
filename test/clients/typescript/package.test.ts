// Package of the client: small, without dependencies, usable in a browser, and every sample of its README compiles and runs.
import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { build, transformSync } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readExamples } from '../../../api/document/examples.ts';
import { documentedRoutes, openApiDocument } from '../../../api/document/openapi.ts';
import { joinService, type SharedService } from '../../journeys/shared-service.ts';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../../../', import.meta.url));
const source = join(root, 'clients', 'typescript');
const readme = readFileSync(join(source, 'README.md'), 'utf8');

/** Folder of a user who installed the package. */
let folder: string;
let service: SharedService;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'sevengate-client-'));
  const installed = join(folder, 'node_modules', '@sevengate', 'client');
  mkdirSync(installed, { recursive: true });
  cpSync(join(source, 'package.json'), join(installed, 'package.json'));
  for (const name of ['rxjs', 'tslib', '@types']) symlinkSync(join(root, 'node_modules', name), join(folder, 'node_modules', name));
  [service] = await Promise.all([
    joinService('typescript client'),
    run(process.execPath, [join(source, 'build.mjs'), join(installed, 'dist')], { cwd: folder }),
  ]);
});
afterAll(async () => {
  await service?.leave();
  rmSync(folder, { recursive: true, force: true });
});

/** Returns every recorded sample of the API document as one module. */
function documentedSamples(): string {
  type Sampled = { readonly operationId: string; readonly 'x-codeSamples': readonly { readonly lang: string; readonly source: string }[] };
  const { paths } = openApiDocument(documentedRoutes(), '0.0.0') as { readonly paths: Record<string, Record<string, Sampled>> };
  const sources = Object.values(paths)
    .flatMap((methods) => Object.values(methods))
    .filter(({ operationId }) => readExamples().operations[operationId] !== undefined)
    .map(({ 'x-codeSamples': samples }) => samples.find(({ lang }) => lang === 'TypeScript')?.source ?? '');
  const blocks = sources.map((source) => `{\n${source}\nvoid answer;\n}`);
  return `import type { Client } from '@sevengate/client';\ndeclare const api: Client;\n${blocks.join('\n')}\n`;
}

test('a browser loads at most 25 kB of it, and no Node module', async () => {
  const { outputFiles } = await build({
    stdin: { contents: "export * from '@sevengate/client';", resolveDir: folder },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  const bytes = gzipSync(outputFiles[0]?.contents ?? '').length;
  console.log(`${bytes} bytes compressed`);
  expect(bytes).toBeLessThan(25_000);
  // Size as stated in the README.
  expect(`${Math.ceil(bytes / 1_000)} kB compressed`).toBe(/\d+ kB compressed/.exec(readme)?.[0]);
});

test('the package has no runtime dependencies', () => {
  const manifest = JSON.parse(readFileSync(join(source, 'package.json'), 'utf8')) as Record<string, unknown>;
  expect(manifest['dependencies']).toBe(undefined);
  for (const name of ['index', 'local']) {
    const built = readFileSync(join(folder, 'node_modules', '@sevengate', 'client', 'dist', `${name}.js`), 'utf8');
    const imported = [...built.matchAll(/^import .* from "([^"]+)"|\bimport\("([^"]+)"\)|\brequire\("([^"]+)"\)/gm)].map(
      ([, from]) => from,
    );
    expect(imported.filter((from) => !from?.startsWith('node:') || name === 'index')).toEqual([]);
  }
});

test('the README fits on a page', () => {
  const lines = readme.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(80);
  expect(lines.filter((line) => line.length > 120)).toEqual([]);
});

test('the samples of the README and of the API document compile against the package, and those of the README run against a service', async () => {
  const samples = [...readme.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = '']) => code);
  expect(samples.length).toBeGreaterThanOrEqual(6);
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'sample.ts'), samples.join('\n'));
  const options = { strict: true, noEmit: true, target: 'es2022', module: 'nodenext', types: ['node'], skipLibCheck: false };
  writeFileSync(join(folder, 'documented.ts'), documentedSamples());
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['sample.ts', 'documented.ts'] }));
  await run(join(root, 'node_modules', '.bin', 'tsc'), ['-p', folder]).catch(({ stdout }) => expect(stdout).toBe(''));

  // State folder of a service whose operator is ours.
  const home = join(folder, '.sevengate');
  mkdirSync(join(home, 'tokens'), { recursive: true });
  writeFileSync(join(home, 'service.json'), JSON.stringify({ url: service.url, pid: process.pid }));
  writeFileSync(join(home, 'tokens', 'operator.token'), `${service.token('operator')}\n`);
  writeFileSync(join(folder, 'sample.js'), transformSync(samples.join('\n'), { loader: 'ts', format: 'esm' }).code);
  const { PATH = '' } = process.env;
  const { stdout } = await run(process.execPath, ['sample.js'], { cwd: folder, env: { PATH } });

  expect(stdout).toContain('Olivia Operator');
  expect(stdout).toContain('First agent draft');
  expect(stdout).toMatch(/409 gate_failed|409 evidence_missing/);
  expect(stdout).toMatch(/^snapshot \[/m);
  expect(stdout.match(/venue: 'spotexchange'/g)).toHaveLength(3);
});
