// A changed file is checked within seconds by the tests that import it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const { testsOfChanges } = (await import(new URL('../changed.mjs', import.meta.url).href)) as {
  testsOfChanges(root: string, since?: string): { readonly changed: readonly string[]; readonly tests: readonly string[] };
};

test('a changed file runs the tests that import it, a new test runs itself, and tests with a running service are left out', () => {
  const root = mkdtempSync(join(tmpdir(), 'changed-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const git = (...args: string[]) => execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: root });
  write('src/fee.ts', '');
  write('src/lot.ts', '');
  write('test/deep/fee.test.ts', `import { fee } from '../../src/fee.ts';`);
  write('test/later.test.ts', `const { fee } = await import('../src/fee.ts');`);
  write('test/lot.test.ts', `import { lot } from '../src/lot.ts';`);
  write('test/journeys/fee.test.ts', `import { fee } from '../../src/fee.ts';`);
  write('test/fee.proof.test.ts', `import { fee } from '../src/fee.ts';`);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'first');
  expect(testsOfChanges(root)).toEqual({ changed: [], tests: [] });
  write('src/fee.ts', '// other');
  write('test/new.test.ts', '');
  expect(testsOfChanges(root)).toEqual({
    changed: ['src/fee.ts', 'test/new.test.ts'],
    tests: ['test/deep/fee.test.ts', 'test/later.test.ts', 'test/new.test.ts'],
  });
  git('add', '.');
  git('commit', '-qm', 'second');
  expect(testsOfChanges(root).tests).toEqual([]);
  expect(testsOfChanges(root, 'HEAD~1').tests).toHaveLength(3);
  expect(() => testsOfChanges(root, 'nowhere')).toThrow(/nowhere/);
});
