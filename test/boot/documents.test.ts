// What the documents promise exists: settings, metrics, commands, links and the files that they name.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeSettings } from '../../src/boot/config.ts';
import { createMetrics } from '../../src/boot/metrics.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const documents = ['README.md', ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' }).map((path) => join('docs', path))]
  .filter((path) => path.endsWith('.md'))
  .sort();

/** The rows of the first table after a heading, without its head. */
function tableAfter(text: string, heading: string): string[] {
  const lines = text.split(`\n${heading}\n`)[1]?.split('\n') ?? [];
  const first = lines.findIndex((line) => line.startsWith('|'));
  const rows = lines.slice(first);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(2, end === -1 ? undefined : end);
}

test("the README's table of settings is what the configuration says", () => {
  const rows = describeSettings()
    .split('\n')
    .map((line) => {
      const [, name, help, shown] = /^\s+(\S+)\s+(.*) \(default: (.*)\)$/.exec(line) ?? [];
      return `| \`${name}\` | ${help} | ${shown} |`;
    });
  expect(rows.length).toBeGreaterThan(20);
  expect(tableAfter(read('README.md'), '## Settings')).toEqual(rows);
});

test("the operator's table of metrics is what a process offers", async () => {
  const text = await createMetrics().render();
  const kinds = new Map([...text.matchAll(/^# TYPE (sevengate_\S+) (\w+)$/gm)].map(([, name, kind]) => [name, kind]));
  const rows = [...text.matchAll(/^# HELP (sevengate_\S+) (.*)$/gm)].map(
    ([, name, help]) => `| \`${name}\` | ${kinds.get(name)} | ${help} |`,
  );
  expect(rows.length).toBeGreaterThan(5);
  expect(tableAfter(read('docs/operations.md'), '## Metrics')).toEqual(rows);
});

test("every command of the README's table is one that the command line has", () => {
  const help = execFileSync(process.execPath, [join(root, 'src/boot/sevengate.mjs'), '--help'], { encoding: 'utf8' });
  const known = [...(help.split('Commands:')[1] ?? '').matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name]) => name);
  const promised = tableAfter(read('README.md'), '## Command line').map((row) => /^\| `([a-z-]+)/.exec(row)?.[1]);
  expect(promised).toEqual(expect.arrayContaining(['start', 'migrate', 'token', 'doctor']));
  expect(promised.filter((name) => !known.includes(name))).toEqual([]);
});

test.each(documents)('every link of %s leads to a file', (path) => {
  const text = read(path).replace(/```[\s\S]*?```/g, '');
  const links = [...text.matchAll(/\]\(([^)#]+)(#[^)]*)?\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^https?:/.test(target));
  expect(links.filter((target) => !existsSync(join(root, dirname(path), target)))).toEqual([]);
});

test.each(documents)('every file that %s names exists', (path) => {
  const text = read(path).replace(/```[\s\S]*?```/g, '');
  const names = [...text.matchAll(/`((?:src|streams|actors|api|migrations|test|bench|docs)\/[\w./-]+)`/g)].map(([, name = '']) => name);
  expect(names.filter((name) => !existsSync(join(root, name)))).toEqual([]);
});

test('the list of decisions is complete and in order', () => {
  const notes = readdirSync(join(root, 'docs/decisions'))
    .filter((name) => /^\d{4}-/.test(name))
    .sort();
  const listed = [...read('docs/decisions/README.md').matchAll(/^- \[(.+)\]\((.+)\)$/gm)].map(([, title, name]) => ({ title, name }));
  expect(listed).toEqual(notes.map((name) => ({ title: read(`docs/decisions/${name}`).split('\n')[0]?.replace(/^# /, ''), name })));
});
