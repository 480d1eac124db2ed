// Today's profit names what it leaves out.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { leftOut } from '../../web/terminal/kit/number-texts.ts';

test.each([
  [undefined, ''],
  [[], ''],
  [['spotchain:TSLAx'], 'without TSLAx'],
  [['spotchain:TSLAx', 'spotchain:AAPLx', 'evmvenue:BTC', 'evmvenue:ETH'], 'without TSLAx, AAPLx and 2 more'],
] as const)('%j is shown as "%s"', (keys, text) => {
  expect(leftOut(keys)).toBe(text);
});

test("every page shows with today's profit what it leaves out", () => {
  const root = new URL('../../web/terminal/', import.meta.url);
  const pages = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'));
  const having = (pattern: RegExp) => pages.filter((name) => pattern.test(readFileSync(new URL(name, root), 'utf8')));
  expect(having(/<(?!Today\b)\w+ [^>]*todayUsd/)).toEqual([]);
  expect(having(/<Today\b[^>]*todayUsd[^>]*without=\{[^>]*todayWithout\}/).sort()).toEqual([
    'agents/agent.tsx',
    'agents/list.tsx',
    'frame.tsx',
    'portfolio/overview.tsx',
    'portfolio/portfolio.tsx',
  ]);
});
