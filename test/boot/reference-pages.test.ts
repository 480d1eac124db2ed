// Pages on outside systems compared with the code: every system has a page, and everything named on it exists.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { WeightBudget } from '../../src/adapters/venues/request-budget.ts';
import { describeSettings } from '../../src/boot/config.ts';
import type { OutsideEntry } from '../../src/boot/outside/entry.ts';
import { SIMULATORS } from '../../src/boot/outside/index.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const tsFilesIn = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => join(folder, name));

/** Generated list, and the rules for all systems. */
const NO_PAGE = new Set(['README.md', 'rules.md']);
/** Files beside the systems that describe none. */
const NO_SYSTEM = new Set(['index.ts', 'entry.ts', 'listed.ts', 'bridge-provider.ts', 'venue-facts.ts', 'origins.ts']);

const pages = readdirSync(join(root, 'docs/reference/outside'))
  .filter((name) => name.endsWith('.md') && !NO_PAGE.has(name))
  .map((name) => ({ name, text: read(`docs/reference/outside/${name}`) }));
const settings = new Set(
  describeSettings()
    .split('\n')
    .flatMap((line) => /^\s+([A-Z][A-Z0-9_]+)\s/.exec(line)?.[1] ?? []),
);
const ownRoutes = read('api/surface.txt');

/** Returns everything between backticks. */
const quotedIn = (text: string): string[] => [...text.matchAll(/`([^`\n]+)`/g)].map(([, quoted = '']) => quoted);

/** Returns the sources that a page names; a folder stands for its files. */
function sourcesOf(text: string): { readonly path: string; readonly code: string }[] {
  const named = quotedIn(text).filter((quoted) => /^(src|streams|actors)\//.test(quoted) && existsSync(join(root, quoted)));
  const paths = named.flatMap((path) => (statSync(join(root, path)).isDirectory() ? tsFilesIn(path) : [path]));
  return [...new Set(paths)].map((path) => ({ path, code: read(path) }));
}

/** Returns the text below a heading. */
function sectionOf(text: string, heading: string): string {
  return text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? '';
}

/** Returns the rows of the tables below a heading, as cells. */
function rowsUnder(text: string, heading: string): string[][] {
  return [...sectionOf(text, heading).matchAll(/^\|(.+)\|$/gm)].map(([, row = '']) => row.split('|').map((cell) => cell.trim()));
}

describe('every system has its page', () => {
  const all = pages.map(({ text }) => text).join('\n');

  test.each(
    [...tsFilesIn('src/boot/outside'), ...tsFilesIn('src/domain/venues')].filter((path) => !NO_SYSTEM.has(path.split('/').at(-1) ?? '')),
  )('%s', (path) => expect(quotedIn(all)).toContain(path));

  test.each(SIMULATORS)('the simulator %s', (name) => {
    const says = pages.filter(({ text }) => new RegExp(`simulators? \`${name}\``).test(text.split('\n## ')[0] as string));
    expect(says.length).toBeGreaterThan(0);
  });

  test('every setting that points at a system stands on a page', () => {
    const pointing = tsFilesIn('src/boot/outside')
      .flatMap((path) => read(path).match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [])
      .filter((name) => settings.has(name) && name !== 'SANDBOX_PORT' && name !== 'SEVENGATE_HOME');
    expect(new Set(pointing).size).toBeGreaterThan(40);
    expect([...new Set(pointing)].filter((name) => !quotedIn(all).includes(name))).toEqual([]);
  });

  test('the list of pages, with budgets and simulators, matches the entries', async () => {
    const files = tsFilesIn('src/boot/outside').filter((path) => !NO_SYSTEM.has(path.split('/').at(-1) ?? ''));
    const rows = (await Promise.all(files.sort().map(rowOf))).join('\n');
    const page = [
      '# Outside systems',
      '',
      'The systems that the service talks to. Each page lists settings, endpoints, units, limits, failures and their handling, the',
      'simulator and the tests. [Rules for all outside systems](rules.md) has what they share. A budget is the maximum request',
      'weight in any window of that length. This list is generated from `src/boot/outside` by `test/boot/reference-pages.test.ts`.',
      '',
      '| Entry | Pages | Budgets | Simulators |',
      '|---|---|---|---|',
      rows,
      '',
    ];
    await expect(page.join('\n')).toMatchFileSnapshot('../../docs/reference/outside/README.md');
    expect(pages.filter(({ name }) => !rows.includes(`(${name})`)).map(({ name }) => name)).toEqual([]);
  });
});

/** Returns one entry of `src/boot/outside` with the pages that name it. */
async function rowOf(path: string): Promise<string> {
  const name = path.split('/').at(-1)?.replace(/\.ts$/, '') as string;
  const exported = Object.values((await import(`../../src/boot/outside/${name}.ts`)) as Record<string, unknown>);
  const entry = exported.find((one) => typeof one === 'object' && one !== null && 'simulators' in one) as OutsideEntry;
  const budgets: string[] = [];
  entry.budgets((budget, limit, windowMs = 60_000) => {
    budgets.push(`\`${budget}\`: ${limit} in ${windowMs / 1_000} s`);
    return new WeightBudget(limit, windowMs);
  });
  const links = pages
    .filter(({ text }) => text.includes(`\`${path}\``))
    .map((page) => `[${/^# (.+)$/m.exec(page.text)?.[1]}](${page.name})`);
  expect(links).not.toEqual([]);
  return `| \`${name}\` | ${links.join(', ')} | ${budgets.join('<br>') || '-'} | ${Object.keys(entry.simulators).join(', ')} |`;
}

describe.each(pages)('$name', ({ text }) => {
  const sources = sourcesOf(text);

  test('is short and has what every page has', () => {
    const headings = [...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
    const wanted = [
      'Used for',
      'Settings',
      'Endpoints',
      'Units',
      'Limits',
      'Freshness and storage',
      'Failures and pitfalls',
      'Simulator',
      'Tests',
    ];
    expect(headings).toEqual(expect.arrayContaining(wanted));
    expect(text.split('\n').length).toBeLessThanOrEqual(150);
  });

  test('its settings exist', () => {
    const named = sectionOf(text, 'Settings').match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g) ?? [];
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !settings.has(name))).toEqual([]);
  });

  test('each constant it names has that value in a file that it names', () => {
    const constants = [...text.matchAll(/`([A-Z][A-Z0-9_]+) = ([^`]+)`(?: in `([^`]+)`)?/g)];
    const wrong = constants.filter(([, name, value, path]) => {
      const declared = new RegExp(`const ${name}(?:: [^=]+)? = ${value?.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?: as const)?[;,]`);
      return !sources.some((source) => (path === undefined || source.path.startsWith(path)) && declared.test(source.code));
    });
    expect(wrong.map(([whole]) => whole)).toEqual([]);
  });

  test('each endpoint is in a file that the page names', () => {
    const endpoints = rowsUnder(text, 'Endpoints').flatMap(([first = '']) => quotedIn(first));
    expect(endpoints.length).toBeGreaterThan(0);
    const unknown = endpoints.filter((call) => {
      if (call.startsWith('GET {')) return false;
      const literals = call
        .replace(/^(GET|POST|PUT|DELETE) /, '')
        .split(/\{\w+\}/)
        .filter((part) => part.length > 1);
      return !sources.some(({ code }) => literals.every((part) => code.includes(part)));
    });
    expect(unknown).toEqual([]);
  });

  test('every route of ours that it names is served', () => {
    const elsewhere = new Set(rowsUnder(text, 'Endpoints').flatMap(([first = '']) => quotedIn(first)));
    const routes = quotedIn(text).filter((quoted) => /^(GET|POST|DELETE|PUT) \/v1\//.test(quoted) && !elsewhere.has(quoted));
    const paths = routes.map((route) => (route.split(/[ ?]/)[1] as string).replace(/:(\w+)/g, '{$1}'));
    expect(paths.filter((path) => !ownRoutes.includes(` ${path} `))).toEqual([]);
  });
});

test('pages cited by adapters exist, and each page is cited', () => {
  const adapters = ['src/adapters', 'src/domain/launch', 'src/boot/outside'].flatMap(tsFilesIn).map((path) => read(path));
  const cited = new Set(adapters.flatMap((code) => code.match(/docs\/reference\/outside\/[\w-]+\.md/g) ?? []));
  expect([...cited].filter((path) => !existsSync(join(root, path)))).toEqual([]);
  expect(pages.map(({ name }) => `docs/reference/outside/${name}`).filter((path) => !cited.has(path))).toEqual([]);
});
