#!/usr/bin/env node
/** Developer commands: check, test, proof, bench, mutants, pictures, examples, openapi and house. Each installs what is missing first. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { constants, setPriority, tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ensurePackages } from '../src/packages.mjs';
import { testsOfChanges } from './changed.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tool = (name) => join(root, 'node_modules', '.bin', name);
const tsx = pathToFileURL(join(root, 'node_modules', 'tsx', 'dist', 'loader.mjs')).href;
const typescript = (file) => [process.execPath, '--import', tsx, join(root, file)];

/**
 * Checks besides the tests. Unchanged types are cached between runs. By default four checkers each compute the same types: with
 * one, a cold check takes three fifths of the processor time and hardly longer on two cores.
 */
const CHECKS = [
  { name: 'types', command: [tool('tsc'), '-p', '.', '--checkers', '1'] },
  { name: 'types of web', command: [tool('tsc'), '-p', 'web', '--checkers', '1'] },
  { name: 'lint', command: [tool('oxlint'), '--type-aware', '--deny-warnings', '--format=unix'] },
  { name: 'format', command: [tool('biome'), 'format', '--max-diagnostics=20'] },
];
/** Both type checkers are Go programs that free little before their end: with rarer collections they take a third less processor time. */
const CHECKS_ENV = { GOGC: '400' };
/** Environment beside the tests, which need the other core more. */
const BESIDE_TESTS = { priority: constants.priority.PRIORITY_BELOW_NORMAL, env: { GOMAXPROCS: '1' } };

const VITEST = join(root, 'node_modules', 'vitest', 'vitest.mjs');
/**
 * V8 flags for many short tests. Rarer garbage collection saves a twentieth of the run's processor time; optimizing ten times later
 * saves a twelfth, since six threads compile separately and most code runs rarely.
 */
const V8_FLAGS = ['--max-semi-space-size=64', '--interrupt-budget=1320000'];

const COMMANDS = { check, test, proof, bench, mutants, pictures, examples, openapi, house };
const [name = '', ...given] = process.argv.slice(2);
const { seed, args } = readSeed(given);

if (!Object.hasOwn(COMMANDS, name)) {
  process.stderr.write(`usage: test/run.mjs ${Object.keys(COMMANDS).join('|')} [arguments]\n`);
  process.exit(2);
}
try {
  await ensurePackages(root);
  process.exitCode = await COMMANDS[name](args);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** Reads `--seed N` from the arguments, and gives every process of the run that seed, TEST_SEED, or a new one. */
function readSeed(given) {
  const at = given.findIndex((one) => one === '--seed' || one.startsWith('--seed='));
  const [own] = at < 0 ? [] : given[at] === '--seed' ? [given[at + 1] ?? ''] : [given[at].slice('--seed='.length)];
  const seed = own ?? process.env['TEST_SEED'] ?? String(Math.floor(Math.random() * 2 ** 31));
  if (!/^\d+$/.test(seed) || Number(seed) >= 2 ** 31) {
    process.stderr.write(`--seed must be a whole number from 0 to ${2 ** 31 - 1}, not "${seed}"\n`);
    process.exit(2);
  }
  process.env['TEST_SEED'] = seed;
  return { seed, args: at < 0 ? given : given.toSpliced(at, given[at] === '--seed' ? 2 : 1) };
}

/** Runs the checks and the tests of the rooms: imports, names, determinism, dead code. */
async function check() {
  const { failed, said } = await runChecks();
  process.stdout.write(said);
  const rooms = await vitest(['test/rooms']);
  closingLine(rooms, failed.length);
  return failed.length > 0 ? 1 : rooms.code;
}

/**
 * Runs the checks and every test, or only the tests of the given files or of changes. The checks use the processor time that the tests
 * leave: at first those mostly wait, for a minute to begin or a chain to finalize.
 */
async function test(files) {
  if (files[0]?.split('=')[0] === '--changed') return testChanges(files[0].split('=')[1] ?? files[1]);
  const checks = files.length > 0 ? { failed: [], said: '' } : runChecks(BESIDE_TESTS);
  const tests = await vitest(files);
  const { failed, said } = await checks;
  process.stdout.write(`\n${said}`);
  closingLine(tests, failed.length);
  return failed.length > 0 ? 1 : tests.code;
}

/**
 * Runs the tests that import what differs from a commit, and the rules of the rooms. Tests with a running service are left to the suite.
 */
async function testChanges(since) {
  const { changed, tests } = testsOfChanges(root, since);
  process.stdout.write(`${changed.length} changed files; the tests that import them: ${tests.join(' ') || 'none'}\n`);
  const { code } = await vitest([...tests, 'test/rooms']);
  return code;
}

/** Runs the long tests: every `*.proof.test.ts`, or the named ones; without names the mutants follow. */
async function proof(files) {
  const proofs = await vitest(['--config', 'vitest.proof.config.ts', ...files]);
  closingLine(proofs, 0);
  if (files.length > 0 || proofs.code !== 0) return proofs.code;
  return mutants([]);
}

/**
 * Runs every bench/<name>.bench.ts, or the named ones, in sequence, after installing the packages they compare with.
 * `--record` writes the figures to docs/reference/performance.md.
 */
async function bench(given) {
  const names = given.filter((one) => one !== '--record');
  if (names.length < given.length) process.env['BENCH_RECORD'] = '1';
  const found = readdirSync(join(root, 'bench'))
    .filter((file) => file.endsWith('.bench.ts'))
    .map((file) => basename(file, '.bench.ts'))
    .sort();
  const unknown = names.filter((wanted) => !found.includes(wanted));
  if (unknown.length > 0 || found.length === 0) {
    throw new Error(
      `no benchmark ${unknown.join(', ') || 'in bench/'}; there ${found.length === 1 ? 'is' : 'are'} ${found.join(', ') || 'none'}`,
    );
  }
  await ensurePackages(join(root, 'bench', 'peers'));
  for (const wanted of names.length > 0 ? names : found) {
    const code = await run(typescript(join('bench', `${wanted}.bench.ts`)));
    if (code !== 0) return code;
  }
  return 0;
}

/** Runs mutation testing and counts undetected mutants; `-- --mutate <files>` limits it. Fails below 85 %. */
async function mutants(options) {
  return run([tool('stryker'), 'run', 'test/mutation/mutants.mjs', ...options]);
}

/** Retakes the README's pictures of a seeded sandbox in a real browser. With `all` and a folder: every page, sizes and themes, into it. */
async function pictures([what, folder]) {
  if (what !== undefined && (what !== 'all' || folder === undefined)) throw new Error('usage: npm run pictures [-- all <folder>]');
  if (what === 'all') process.env['PICTURES_OF_ALL'] = resolve(folder);
  const taken = await vitest(['--config', 'vitest.pictures.config.ts']);
  closingLine(taken, 0);
  return taken.code;
}

/** Records requests and answers of the API's tests, or of the named ones, as examples of its documents. */
async function examples(files) {
  return run([process.execPath, join(root, 'test', 'examples.mjs'), ...files]);
}

/** Prints the API's document. */
async function openapi() {
  return run(typescript('test/openapi.ts'));
}

/** Prints how much of the code base a reader must know; with `texts` and a seed, twenty texts of each kind to read. */
async function house([what, ...given]) {
  return run([process.execPath, join(root, 'test', what === 'texts' ? 'texts.mjs' : 'house.mjs'), ...given]);
}

/** Runs the checks in sequence. Returns the names of those that failed, and their output. */
async function runChecks({ priority, env } = {}) {
  const failed = [];
  let said = '';
  for (const { name, command } of CHECKS) {
    const began = performance.now();
    const code = await run(command, { listen: (part) => (said += part), env: { ...CHECKS_ENV, ...env }, priority });
    said += `check ${name}: ${code === 0 ? 'passed' : 'FAILED'} (${((performance.now() - began) / 1000).toFixed(1)} s)\n`;
    if (code !== 0) failed.push(name);
  }
  return { failed, said };
}

async function vitest(files) {
  const folder = mkdtempSync(join(tmpdir(), 'sevengate-report-'));
  const report = join(folder, 'report.json');
  try {
    const code = await run([
      process.execPath,
      ...V8_FLAGS,
      VITEST,
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...files,
    ]);
    return { code, ...readReport(report, code) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Counts tests. A file that failed to load and an error outside tests count as one failure each. */
function readReport(path, code) {
  let report;
  try {
    report = JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((one) => one.status === 'failed'),
  );
  const failed = report.numFailedTests + unloaded.length;
  return { passed: report.numPassedTests, failed: failed || (code === 0 ? 0 : 1), skipped: report.numPendingTests + report.numTodoTests };
}

function closingLine({ passed, failed, skipped }, failedChecks) {
  process.stdout.write(
    `\nseed ${seed}: \`npm ${name === 'test' ? 'test' : `run ${name}`} -- --seed ${seed}\` runs the same files in the same order with the same random numbers\n`,
  );
  process.stdout.write(`\n${passed} passed, ${failed + failedChecks} failed${skipped > 0 ? `, ${skipped} skipped` : ''}\n`);
}

/**
 * Runs a program in the project's folder, on our own streams or with `listen` for its output. Ctrl-C reaches it through the
 * terminal, other signals through us. `env`: variables, unless ours set them.
 */
function run([command, ...args], { listen, env, priority } = {}) {
  return new Promise((resolve, reject) => {
    const stdio = listen ? ['ignore', 'pipe', 'pipe'] : 'inherit';
    const child = spawn(command, args, { cwd: root, env: { ...env, ...process.env }, stdio });
    if (priority !== undefined && child.pid !== undefined) setPriority(child.pid, priority);
    for (const stream of listen ? [child.stdout, child.stderr] : []) stream.setEncoding('utf8').on('data', listen);
    const relay = (signal) => child.kill(signal);
    const wait = () => {};
    process.on('SIGTERM', relay);
    process.on('SIGINT', wait);
    child.on('error', (error) => reject(new Error(`${basename(command)} could not be started: ${error.message}`)));
    // `close` comes after the last output.
    child.on('close', (code, signal) => {
      process.off('SIGTERM', relay);
      process.off('SIGINT', wait);
      const exit = code ?? 128 + constants.signals[signal];
      if (signal === 'SIGINT' || exit === 130) process.exit(130);
      resolve(exit);
    });
  });
}
