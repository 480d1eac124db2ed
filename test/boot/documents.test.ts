// Promises of the documents hold: settings, metrics, commands, links and named files exist.

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { loadTape, replayMoves, replayReads } from '../../api/v1/replay/replay-routes.ts';
import { readMeasured, withFigures } from '../../bench/measured.ts';
import { createMetrics } from '../../src/adapters/log/metrics.ts';
import { commandService } from '../../src/boot/command-service.ts';
import { describeSettings } from '../../src/boot/config.ts';
import { createProgram } from '../../src/cli/program.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { nameProblem } from '../../src/domain/take/thesis-assets.ts';
import { commandsOf as commandsOfPage, commandsUnder } from '../journeys/typed-commands.ts';
import { PICTURED_PAGES, pictureFile, SCHEMES } from '../web/pictured-pages.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = [...readdirSync(root), ...['docs', 'src', 'streams', 'actors', 'api', 'web', 'clients', 'test', 'bench'].flatMap(under)]
  .filter((path) => path.endsWith('.md') && !/node_modules|fixtures/.test(path))
  .sort();

function under(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((path) => join(folder, path));
}

test('the README shows the pictures that `npm run pictures` takes, and each exists', () => {
  const taken = PICTURED_PAGES.flatMap(({ name }) => SCHEMES.map((scheme) => `docs/pictures/${pictureFile(name, scheme)}`)).sort();
  expect([...read('README.md').matchAll(/docs\/pictures\/[\w-]+\.png/g)].map(([path]) => path).sort()).toEqual(taken);
  expect(under('docs/pictures').sort()).toEqual(taken);
  // Each has the size of the window in which it was taken.
  for (const path of taken) {
    const header = readFileSync(join(root, path)).subarray(0, 24);
    expect([header.readUInt32BE(16), header.readUInt32BE(20)], path).toEqual([1440, 900]);
  }
});

test('the README wraps its lines, and says what it is and how to start on two screens', () => {
  const text = read('README.md');
  expect(text.slice(0, text.indexOf('## How it works')).split('\n').length).toBeLessThanOrEqual(85);
  const prose = text.replace(/```mermaid[\s\S]*?```/g, '').split('\n');
  expect(prose.filter((line) => line.length > 120 && !line.startsWith('|'))).toEqual([]);
});

/** Code that people copy, by page and heading. */
const PAGES = [
  ['docs/guides/first-launch.md', 'Your first launch'],
  ['docs/guides/gates.md', 'From a draft towards capital'],
] as const;
const journeys = PAGES.map(([page, title]) => [page, title, commandsUnder(page, title)] as const);

test.each(journeys)('%s: "%s" works in its own shell', (page, _, code) => {
  const sourced = code.startsWith('. docs/guides/sandbox.sh') ? read('docs/guides/sandbox.sh') : '';
  const functionsOf = (text: string) => [...text.matchAll(/^(\w+)\(\) \{/gm)].map(([, name = '']) => name);
  const all = new Set([read('docs/guides/sandbox.sh'), read(page)].flatMap(functionsOf));
  const own = functionsOf(sourced + code);
  // Words in command position, and variables, in line order.
  const called = [...code.matchAll(/(?:^|[;|(]|\bdo|=\w+ )\s*(\w+)(?= |;|$)/gm)].map(([, name = '']) => name);
  expect(called.filter((name) => all.has(name) && !own.includes(name))).toEqual([]);
  expect(called).toContain('sg');
  const known = new Set([...sourced.matchAll(/(?:^|[ ;])([A-Z]+)=/gm)].map(([, name]) => name));
  for (const line of code.split('\n')) {
    for (const [, set, each] of line.matchAll(/(?:^|[ ;])([A-Z]+)=|\bfor (\w+) in/g)) known.add(set ?? each);
    const used = [...line.replace(/#.*$/, '').matchAll(/\$\{?([A-Za-z]\w*)/g)].map(([, name]) => name);
    expect(
      used.filter((name) => !known.has(name)),
      line,
    ).toEqual([]);
  }
});

test('a release has the notes of its version, and a tag of another version has none', () => {
  const { version } = JSON.parse(read('package.json')) as { version: string };
  const notes = (tag: string) =>
    execFileSync(process.execPath, [join(root, 'test/release-notes.mjs'), tag], { encoding: 'utf8', stdio: 'pipe' });
  expect(notes(`v${version}`)).toMatch(/^[A-Z][\s\S]*\n- /);
  expect(notes(`v${version}`)).not.toContain('\n## ');
  expect(() => notes('v99.0.0')).toThrow('needs the tag');
});

test('the token of the guide has an allowed name', () => {
  const [, name = '', symbol = ''] = /\\"name\\":\\"([^"\\]+)\\",\\"symbol\\":\\"(\w+)\\"/.exec(read('docs/guides/first-launch.md')) ?? [];
  expect(name).not.toBe('');
  expect(nameProblem(symbol, name, CATALOG)).toBeNull();
  expect(nameProblem('FIRST', name, CATALOG)).toContain('word of the thesis language');
});

test('every room of the architecture has a page of its own', () => {
  const rooms = [...read('ARCHITECTURE.md').matchAll(/^\| \[[^\]]+\]\(([\w/]+\/README\.md)\)/gm)].map(([, page]) => page);
  expect(rooms).toEqual(expect.arrayContaining(['src/domain/README.md', 'src/boot/README.md', 'web/README.md']));
  expect(rooms.filter((page) => !existsSync(join(root, page as string)))).toEqual([]);
});

test('the page of settings matches the configuration', async () => {
  const rows = describeSettings()
    .split('\n')
    .map((line) => {
      const [, name, help, shown] = /^\s+(\S+)\s+(.*) \(default: (.*)\)$/.exec(line) ?? [];
      return `| \`${name}\` | ${help} | ${shown} |`;
    });
  expect(rows.length).toBeGreaterThan(20);
  const page = [
    '# Settings',
    '',
    'From the environment; all optional. An unknown or malformed one stops the start with a sentence that says which and why.',
    'Setting the URL of an outside system replaces its simulator. The spot exchange, the perpetuals venue and the identity provider',
    'need all of their addresses or none. This page is generated from `src/boot/config.ts` by `test/boot/documents.test.ts`.',
    '',
    '| Setting | Meaning | Default |',
    '|---|---|---|',
    ...rows,
    '',
  ];
  await expect(page.join('\n')).toMatchFileSnapshot('../../docs/reference/settings.md');
});

test('the page of the command line matches the commands', async () => {
  const page = [
    '# Command line',
    '',
    '`npx sevengate <command>`, or `node src/boot/sevengate.mjs <command>`. Results go to standard output, everything else to',
    'standard error. This page is generated from the commands by `test/boot/documents.test.ts`.',
    '',
    ...commandsOf(await createProgram('all', commandService)).flatMap(({ name, help }) => [
      `## ${name}`,
      '',
      '```',
      help.trim(),
      '```',
      '',
    ]),
  ];
  await expect(page.join('\n')).toMatchFileSnapshot('../../docs/reference/command-line.md');
});

/** Returns every command with an action, and its `--help` at a width of 120 columns. */
function commandsOf(command: Command, path: readonly string[] = []): { readonly name: string; readonly help: string }[] {
  if (command.commands.length > 0) return command.commands.flatMap((one) => commandsOf(one, [...path, one.name()]));
  command.configureHelp({ helpWidth: 120 });
  return [{ name: path.join(' '), help: command.helpInformation() }];
}

test('the page of metrics matches what a process exports', async () => {
  const text = await createMetrics().render();
  const kinds = new Map([...text.matchAll(/^# TYPE (sevengate_\S+) (\w+)$/gm)].map(([, name, kind]) => [name, kind]));
  const rows = [...text.matchAll(/^# HELP (sevengate_\S+) (.*)$/gm)].map(
    ([, name, help]) => `| \`${name}\` | ${kinds.get(name)} | ${help} |`,
  );
  expect(rows.length).toBeGreaterThan(5);
  const page = [
    '# Metrics',
    '',
    '`GET /metrics` in the Prometheus text format, besides the default metrics of Node.js. This page is generated from',
    '`src/adapters/log/metrics.ts` by `test/boot/documents.test.ts`.',
    '',
    '| Metric | Kind | Meaning |',
    '|---|---|---|',
    ...rows,
    '',
  ];
  await expect(page.join('\n')).toMatchFileSnapshot('../../docs/reference/metrics.md');
});

test('the figures of the page of performance match the record', () => {
  const page = read('docs/reference/performance.md');
  expect(withFigures(page, readMeasured())).toBe(page);
  expect(readMeasured().length).toBeGreaterThan(1);
});

test.each(documents)('every link of %s leads to a file', (path) => {
  const text = read(path).replace(/```[\s\S]*?```/g, '');
  const links = [...text.matchAll(/\]\(([^)#]+)(#[^)]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));
  expect(links.filter((target) => !existsSync(join(root, dirname(path), target)))).toEqual([]);
});

const control = null as never;
const served = [
  ...[...read('api/surface.txt').matchAll(/^[A-Z]+ (\/\S*) /gm)].map(([, path = '']) => path),
  // Routes of a served tape are in their own document.
  ...[...Object.values(replayReads(control)), ...replayMoves(control), loadTape(control)].map(({ url }) => url),
];
const guides = documents.filter((path) => /^([A-Z]+\.md|docs\/(guides|how-to|operations|reference\/README))/.test(path));

test.each(guides)('every route that %s names is served', (path) => {
  // Files of routes stand in `api/v1`.
  const named = [...read(path).matchAll(/(?<!\bapi)\/v1(?:\/(?:[\w:$.-]+|<[\w-]+>|…))+/g)]
    .map(([route]) => route.replace(/[.:]+$/, ''))
    .filter((route) => !route.includes('…'));
  const known = served.map((route) => new RegExp(`^${route.replace(/\{\w+\}/g, '[^/]+')}(/|$)`));
  expect(
    named.filter((route) => !known.some((one) => one.test(`${route}/`)) && !served.some((one) => one.startsWith(`${route}/`))),
  ).toEqual([]);
});

/** Commands of documents, by page and heading, that no test types, each with the test that covers them. */
const NOT_TYPED = new Map([
  ['README.md: Start', '.ci/run'],
  ['README.md: Work on the code', 'test/run.mjs'],
  ['CONTRIBUTING.md: Set up', '.ci/run'],
  ['CONTRIBUTING.md: Test one thing', 'test/run.mjs'],
  ['bench/README.md: bench', 'test/run.mjs'],
  // Single steps of what the proof types.
  ['docs/guides/gates.md', 'test/journeys/readme-gates.proof.test.ts'],
  ['clients/python/README.md: sevengate', 'test/clients/run-python.ts'],
]);
const typing = under('test').filter((path) => /^test\/journeys\/.*\.test\.ts$/.test(path));
const typingTests = typing.map(read).filter((text) => /commands(Of|Under)\b/.test(text));

test.each(documents)('a test types every command of %s', (path) => {
  for (const { heading } of commandsOfPage(path)) {
    const shown = NOT_TYPED.get(`${path}: ${heading}`) ?? NOT_TYPED.get(path);
    // A proof types a page from the first command to the last, other tests only those under one heading.
    const isTyped = typingTests.some((text) => text.includes(path) && (text.includes('commandsOf(page)') || text.includes(`'${heading}'`)));
    expect(isTyped || (shown !== undefined && existsSync(join(root, shown))), `${path}: ${heading}`).toBe(true);
  }
});

test.each(documents)('every option and every operation that commands of %s use exists', async (path) => {
  const program = await createProgram('all', commandService);
  const operations = [...read('api/surface.txt').matchAll(/^[A-Z]+ \/\S* (\w+) /gm)].map(([, name]) => name);
  for (const { commands } of commandsOfPage(path))
    for (const [, line = ''] of commands.matchAll(/npx sevengate ([^|#;&)\n]*)/g)) {
      const words = line.split(' ').filter(Boolean);
      let command: Command = program;
      for (const word of words) command = command.commands.find((one) => one.name() === word) ?? command;
      const known = command.options.flatMap(({ long, short }) => [long, short]);
      const used = line.replace(/'[^']*'|"(?:[^"\\]|\\.)*"?/g, '').match(/(?<= )--[a-z-]+/g) ?? [];
      expect(
        used.filter((option) => !known.includes(option)),
        line,
      ).toEqual([]);
      if (words[0] === 'call') expect(operations).toContain(words[1]);
    }
});

test.each(guides)('every command that %s names exists', (path) => {
  const listed = [...read('docs/reference/command-line.md').matchAll(/^## (.+)$/gm)].map(([, name = '']) => name);
  const named = [...read(path).matchAll(/(?:npx sevengate|`sevengate) ([a-z][a-z-]*(?: [a-z][a-z-]*)?)/g)].map(([, name = '']) => name);
  const isListed = (name: string): boolean => listed.includes(name) || listed.includes(name.split(' ')[0] as string);
  expect(named.filter((name) => !isListed(name))).toEqual([]);
});

test.each(documents)('every file that %s names exists', (path) => {
  const text = read(path).replace(/```[\s\S]*?```/g, '');
  const names = [...text.matchAll(/`((?:src|streams|actors|api|migrations|test|bench|docs)\/[\w./-]+)`/g)].map(([, name = '']) => name);
  expect(names.filter((name) => !existsSync(join(root, name)))).toEqual([]);
});
