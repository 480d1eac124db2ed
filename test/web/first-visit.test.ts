// What the console's first visit weighs.
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readConsoleFiles } from '../../src/adapters/console-files.ts';

test('what a first visit loads stays within its budget, and the chart library comes only with a chart', () => {
  const files = new Map(readConsoleFiles().map(({ name, content }) => [name, content]));
  const index = String(files.get('index.html'));
  const announced = [...index.matchAll(/href="\/console\/([^"]+)"/g)].map(([, name]) => name as string);
  const weight = [...announced, 'main.js'].reduce(
    (sum, name) => sum + gzipSync(files.get(name) ?? Buffer.alloc(0), { level: 9 }).length,
    0,
  );
  expect(weight).toBeLessThan(160_000);
  expect(announced).not.toContain('lightweight-charts.js');
  // The file as the package ships it, with its licence at the top.
  const shipped = readFileSync(
    new URL('../../node_modules/lightweight-charts/dist/lightweight-charts.standalone.production.mjs', import.meta.url),
  );
  expect(files.get('lightweight-charts.js')?.equals(shipped)).toBe(true);
  expect(String(shipped).slice(0, 400)).toContain('Apache License 2.0');
});
