// Modules that a command loads before its work, and those of a backtest of stored bars in all. Help and refusals must be fast, so nothing
// that only the work needs may be loaded for them. Counts modules, not milliseconds.
import { expect, test } from 'vitest';
import { files } from '../rooms/source.ts';

const BY_PATH = new Map(files.map((file) => [file.path, file]));
/** Packages that a help may load besides Commander and Node.js: small ones for text and numbers. */
const LIGHT: ReadonlySet<string> = new Set(['commander', 'decimal.js', '@scure/base', 'cli-progress']);
/** Additional packages of a help: that of `tape` lists the recording formats, which their readers declare. */
const NEEDED: Readonly<Record<string, { readonly packages: readonly string[]; readonly files: number }>> = {
  'src/cli/tape/tape.ts': { packages: ['csv-parse'], files: 48 },
};
/** Maximum number of our files that a command may load to describe itself, besides those that every command loads. */
const MOST_FILES = 25;

/** Collects everything loaded with a file. `import()` within a function is loaded later. */
function loadedWith(path: string, into = { own: new Set<string>(), packages: new Set<string>() }): typeof into {
  if (into.own.has(path)) return into;
  into.own.add(path);
  const file = BY_PATH.get(path);
  if (file === undefined) throw new Error(`${path} is no file of the project`);
  for (const { from, own, typeOnly, later } of file.imports) {
    if (typeOnly || later) continue;
    if (own) loadedWith(from, into);
    else if (!from.startsWith('node:')) into.packages.add(from);
  }
  return into;
}

const COMMANDS = files
  .filter(({ path, text }) => /^src\/cli\/[\w/-]+\.ts$/.test(path) && /export function \w+Commands?\(/.test(text))
  .map(({ path }) => path);
const EVERY = loadedWith('src/boot/cli.ts');

test('every command of the list is checked', () => {
  expect(COMMANDS.length).toBeGreaterThan(15);
});

test('the list of commands loads no library of the service', () => {
  expect([...EVERY.packages].filter((name) => !LIGHT.has(name))).toEqual([]);
});

test.each(COMMANDS)('%s describes itself without the dependencies of its work', (path) => {
  const { own, packages } = loadedWith(path);
  expect([...packages].filter((name) => !LIGHT.has(name))).toEqual(NEEDED[path]?.packages ?? []);
  expect([...own].filter((file) => !EVERY.own.has(file)).length).toBeLessThanOrEqual(NEEDED[path]?.files ?? MOST_FILES);
});

/** Modules of a backtest over stored bars, on the database of a running service. */
const STORED_BACKTEST = [
  'src/cli/backtest/backtest-run.ts',
  'src/adapters/log/log.ts',
  'src/adapters/process/servers.ts',
  'src/adapters/store/ready-database.ts',
  'src/adapters/store/database.ts',
  'src/boot/threads/backtest-worker.ts',
];

test('a backtest of stored bars loads no client of the queue, no venue and no web server', () => {
  const into = { own: new Set<string>(), packages: new Set<string>() };
  for (const path of STORED_BACKTEST) loadedWith(path, into);
  expect([...into.packages].filter((name) => !LIGHT.has(name)).sort()).toEqual(['js-yaml', 'pino', 'postgres', 'typebox']);
  expect([...into.own].filter((path) => /^(api\/v1|actors|src\/adapters\/venues)\//.test(path))).toEqual([]);
});
