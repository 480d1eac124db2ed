// A fresh folder installs its packages once, whoever starts and however often, and the commands pass everything through.
import { execFile } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

interface Packages {
  readonly refusalOfNode: (version: string) => string | null;
  readonly whyPackagesDiffer: (root: string, options?: { withTools?: boolean }) => string | null;
}

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PACKAGES = pathToFileURL(join(ROOT, 'src/packages.mjs')).href;
const { ENTRIES } = (await import(pathToFileURL(join(ROOT, 'src/load-sources.mjs')).href)) as { readonly ENTRIES: readonly string[] };
const { refusalOfNode, whyPackagesDiffer } = (await import(PACKAGES)) as Packages;
let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'packages-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, content: unknown): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content));
}
function writeLock(packages: Record<string, object>): void {
  write('package-lock.json', { packages: { '': {}, ...packages } });
}
const LOCK = {
  'node_modules/one': { version: '1.0.0' },
  'node_modules/tool': { version: '2.0.0', dev: true },
  'node_modules/for-another-machine': { version: '3.0.0', optional: true, os: ['plan9'] },
};
/** Replacement of npm that counts its calls and leaves what npm leaves. */
const FAKE_NPM = `
  import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
  const tools = !process.argv.includes('--omit=dev');
  appendFileSync('calls', process.argv.slice(2, 4).join(' ') + ';');
  await new Promise((done) => setTimeout(done, 300));
  const packages = { 'node_modules/one': { version: '1.0.0' }, ...(tools ? { 'node_modules/tool': { version: '2.0.0' } } : {}) };
  for (const path of Object.keys(packages)) mkdirSync(path, { recursive: true });
  console.log('added 2 packages');
  writeFileSync('node_modules/.package-lock.json', JSON.stringify({ packages }));
`;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}
function run(args: string[], env: NodeJS.ProcessEnv = process.env): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env, encoding: 'utf8' }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
    });
  });
}
function ensure(npm: string, withTools = true): Promise<Ended> {
  write('npm.mjs', npm);
  const call = `ensurePackages(process.cwd(), { withTools: ${withTools}, npm: [process.execPath, 'npm.mjs'] })`;
  const script = `import { ensurePackages } from ${JSON.stringify(PACKAGES)}; await ${call}.catch((error) => { console.error(error.message); process.exit(1); });`;
  return run(['--input-type=module', '-e', script]);
}

/** Returns the arguments of each call of npm so far. */
const calls = (): string => readFileSync(join(folder, 'calls'), 'utf8');

test('Node.js before 20.19 is refused in one sentence', () => {
  for (const version of ['20.19.0', '22.0.0', '24.21.0']) expect(refusalOfNode(version)).toBeNull();
  expect(refusalOfNode('20.18.3')).toBe(
    'Sevengate needs Node.js 20.19 or later (24 recommended), and this is 20.18.3: see https://nodejs.org',
  );
  expect(refusalOfNode('18.20.4')).toContain('and this is 18.20.4');
});

test('two commands at once install once, with the progress on standard error, and the next one needs nothing', async () => {
  writeLock(LOCK);
  const both = await Promise.all([ensure(FAKE_NPM), ensure(FAKE_NPM)]);
  expect(both.map(({ code, stdout }) => ({ code, stdout }))).toEqual([
    { code: 0, stdout: '' },
    { code: 0, stdout: '' },
  ]);
  expect(calls()).toBe('ci --ignore-scripts;');
  expect(both.map(({ stderr }) => stderr).join()).toContain('added 2 packages');
  expect(await ensure(FAKE_NPM)).toEqual({ code: 0, stdout: '', stderr: '' });
});

test('a start installs no tools; tests add them later, under a service that may be running', async () => {
  writeLock(LOCK);
  expect((await ensure(FAKE_NPM, false)).code).toBe(0);
  expect([whyPackagesDiffer(folder, { withTools: false }), whyPackagesDiffer(folder)]).toEqual([null, 'tool is missing']);
  expect((await ensure(FAKE_NPM)).code).toBe(0);
  expect(whyPackagesDiffer(folder)).toBeNull();
  expect((await ensure(FAKE_NPM, false)).stderr).toBe('');
  expect(calls()).toBe('ci --omit=dev;install --no-save;');
});

test('npm prints no warning that nobody can act on', async () => {
  const one = { name: 'one', version: '1.0.0', engines: { node: '>=99' } };
  write('one/package.json', one);
  write('package.json', { name: 'p', version: '1.0.0', dependencies: { one: 'file:./one' } });
  write('package-lock.json', {
    name: 'p',
    version: '1.0.0',
    lockfileVersion: 3,
    packages: { '': { dependencies: { one: 'file:./one' } }, 'node_modules/one': { resolved: 'one', link: true }, one },
  });
  const script = `import { ensurePackages } from ${JSON.stringify(PACKAGES)}; await ensurePackages(process.cwd());`;
  const { code, stderr } = await run(['--input-type=module', '-e', script]);
  expect([
    code,
    stderr
      .replaceAll(/ in \d+m?s/g, '')
      .trim()
      .split(/\n+/),
  ]).toEqual([0, ['installing packages (not installed yet); this takes a minute ...', 'added 1 package', 'packages installed']]);
});

test('only two packages name a newer Node.js than ours, and what we use of them runs on ours', () => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { engines?: { node?: string } }>;
  };
  const later = Object.entries(packages).filter(([, { engines }]) => Number(/^>=\s*(\d+)[\d.]*$/.exec(engines?.node ?? '')?.[1]) > 20);
  expect(later.map(([path]) => path).sort()).toEqual(['node_modules/@solana/errors/node_modules/commander', 'node_modules/cookie']);
});

test('differences from the lock file are named, and packages for another machine are not missed', async () => {
  writeLock(LOCK);
  expect(whyPackagesDiffer(folder)).toBe('not installed yet');
  await ensure(FAKE_NPM);
  expect(whyPackagesDiffer(folder)).toBeNull();
  writeLock({ ...LOCK, 'node_modules/one': { version: '1.0.1' } });
  expect(whyPackagesDiffer(folder)).toBe('one is 1.0.0 instead of 1.0.1');
  writeLock({ ...LOCK, 'node_modules/one/node_modules/@a/b': { version: '1.0.0' } });
  expect(whyPackagesDiffer(folder)).toBe('@a/b is missing');
  writeLock(LOCK);
  rmSync(join(folder, 'node_modules/tool'), { recursive: true });
  expect(whyPackagesDiffer(folder)).toBe('tool is missing');
  expect(whyPackagesDiffer(folder, { withTools: false })).toBeNull();
});

test('a failed or killed installation is reported and retried', async () => {
  writeLock(LOCK);
  const failed = await ensure('console.error("npm error network"); process.exit(3);');
  expect(failed.code).toBe(1);
  expect(failed.stderr).toContain('npm error network');
  expect(failed.stderr).toContain('the packages could not be installed (npm ended with code 3)');
  const killed = await ensure('process.kill(process.ppid, "SIGKILL");');
  expect(killed.code).not.toBe(0);
  expect((await ensure(FAKE_NPM)).code).toBe(0);
  expect(whyPackagesDiffer(folder)).toBeNull();
});

/** Creates a project that shares only the installed packages. */
function newProject(): void {
  cpSync(join(ROOT, 'package-lock.json'), join(folder, 'package-lock.json'));
  write('package.json', { type: 'module' });
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  for (const path of [
    'src/boot/early-secrets.mjs',
    'src/boot/sevengate.mjs',
    'src/load-sources.mjs',
    'src/packages.mjs',
    'test/run.mjs',
    'test/changed.mjs',
  ])
    cpSync(join(ROOT, path), join(folder, path));
  for (const room of ['streams', 'actors', 'api', 'clients/typescript']) mkdirSync(join(folder, room), { recursive: true });
  for (const entry of ENTRIES) write(entry, '');
}

test('the command passes on its arguments, its streams and its exit code, in one process', async () => {
  newProject();
  write(
    'src/boot/cli.ts',
    `const seen: string[] = process.argv.slice(2);\nconsole.log(JSON.stringify([seen, process.pid]));\nprocess.exitCode = 7;\n`,
  );
  const { code, stdout, stderr } = await run([
    '-e',
    `process.argv.splice(1, 0, 'src/boot/sevengate.mjs'); console.log(process.pid); import('./src/boot/sevengate.mjs')`,
    'start',
    '--help',
  ]);
  const [pid, seen] = stdout.trim().split('\n');
  expect({ code, stderr }).toEqual({ code: 7, stderr: '' });
  expect(JSON.parse(seen as string)).toEqual([['start', '--help'], Number(pid)]);
});

test('a test run ends with one plain line, and a file that cannot be loaded counts as a failure', async () => {
  newProject();
  write('vitest.config.ts', `export default { test: { include: ['test/**/*.test.ts'] } };`);
  write(
    'test/a.test.ts',
    `import { expect, test } from 'vitest';\ntest('yes', () => {}); test('no', () => expect(1).toBe(2)); test.skip('later', () => {});`,
  );
  write('test/b.test.ts', `import './nowhere.ts';`);
  const env = { PATH: process.env['PATH'], HOME: process.env['HOME'] };
  const failed = await run(['test/run.mjs', 'test', 'test/'], env);
  expect(failed.stdout.trim().split('\n').at(-1)).toBe('1 passed, 2 failed, 1 skipped');
  expect(failed.code).toBe(1);
  rmSync(join(folder, 'test/b.test.ts'));
  write('test/a.test.ts', `import { test } from 'vitest';\ntest('yes', () => {});`);
  const passed = await run(['test/run.mjs', 'test', 'test/'], env);
  expect(passed.stdout.trim().split('\n').at(-1)).toBe('1 passed, 0 failed');
  expect(passed.code).toBe(0);
});

test('an unknown command of the tools, and a benchmark that is not there, are refused in one sentence', async () => {
  newProject();
  mkdirSync(join(folder, 'bench'));
  write('bench/ticks.bench.ts', `console.log('ticked');`);
  expect(await run(['test/run.mjs', 'tset'])).toMatchObject({
    code: 2,
    stderr: 'usage: test/run.mjs check|test|proof|bench|mutants|pictures|examples|openapi|house [arguments]\n',
  });
  expect(await run(['test/run.mjs', 'bench', 'tocks'])).toMatchObject({
    code: 1,
    stderr: 'no benchmark tocks; there is ticks\n',
  });
});

test('the benchmarks install the packages they compare with first, by their own lock file, once', async () => {
  newProject();
  write('bench/ticks.bench.ts', `console.log('ticked');`);
  write('bench/peers/package-lock.json', { packages: { '': {}, 'node_modules/peer': { version: '1.0.0' } } });
  write(
    'bin/npm',
    `#!/bin/sh
mkdir -p node_modules/peer
echo '{"packages":{"node_modules/peer":{"version":"1.0.0"}}}' > node_modules/.package-lock.json
echo "npm $* in $(basename "$PWD")"
`,
  );
  chmodSync(join(folder, 'bin/npm'), 0o755);
  const env = { HOME: process.env['HOME'], PATH: `${join(folder, 'bin')}${delimiter}${process.env['PATH']}` };
  const first = await run(['test/run.mjs', 'bench'], env);
  expect(first).toMatchObject({ code: 0, stdout: 'ticked\n' });
  expect(first.stderr).toContain('npm ci --ignore-scripts --no-audit --no-fund --loglevel=error in peers\n');
  expect(await run(['test/run.mjs', 'bench'], env)).toEqual({ code: 0, stdout: 'ticked\n', stderr: '' });
});
