// The walks through the code name files and exports that are there, each file once, each in a room of the product.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { product } from './source.ts';

const PAGE = 'docs/reference/walks.md';
const page = readFileSync(join(fileURLToPath(new URL('../../', import.meta.url)), PAGE), 'utf8');
const STEP = /^(\d+)\. \[`([^`]+)`\]\(([^)]+)\) `([^`]+)` .+\.$/;

interface Step {
  readonly number: number;
  readonly shown: string;
  readonly path: string;
  readonly symbol: string;
}

/** The steps of each walk. A numbered line that has another form is an empty path. */
function walksIn(text: string): readonly { readonly title: string; readonly steps: readonly Step[] }[] {
  return text
    .split('\n## ')
    .slice(1)
    .map((section) => {
      const [title = '', ...lines] = section.split('\n');
      const steps = lines
        .filter((line) => /^\d+\./.test(line))
        .map((line): Step => {
          const [, number, shown = '', link = '', symbol = ''] = STEP.exec(line) ?? [];
          return { number: Number(number), shown, path: posix.join('docs/reference', link), symbol };
        });
      return { title, steps };
    });
}

const exportsOf = (path: string): readonly string[] => {
  const code = product.find((one) => one.path === path)?.code ?? '';
  return [...code.matchAll(/^export (?:async )?(?:function|const|class) (\w+)/gm)].map(([, name = '']) => name);
};
const walks = walksIn(page);

test('there is a walk of a quote, of a pause and of a swap', () => {
  expect(walks.map(({ title }) => title.split(':')[0])).toEqual(['A quote', 'A pause', 'A swap']);
});

describe.each(walks)('$title', ({ steps }) => {
  test('its steps are numbered, and no file is opened twice', () => {
    expect(steps.length).toBeGreaterThan(5);
    expect(steps.map(({ number }) => number)).toEqual(steps.map((_, at) => at + 1));
    expect(new Set(steps.map(({ path }) => path)).size).toBe(steps.length);
  });

  test.each(steps)('$number. $shown exports $symbol', ({ shown, path, symbol }) => {
    expect(path.endsWith(shown)).toBe(true);
    expect(exportsOf(path)).toContain(symbol);
  });
});

test('a step whose file or export is gone is found', () => {
  const [{ steps } = { steps: [] }] = walksIn(
    '# Walks\n\n## A quote\n\n1. [`gone.ts`](../../streams/gone.ts) `gone` was here.\n2. Without a link.\n',
  );
  expect(steps.map(({ path, symbol }) => exportsOf(path).includes(symbol))).toEqual([false, false]);
  expect(steps.map(({ number }) => number)).toEqual([1, Number.NaN]);
});
