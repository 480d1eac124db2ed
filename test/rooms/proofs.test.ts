// Long tests leave the suite only if `npm run proof` runs them.
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import suite from '../../vitest.config.ts';
import proof from '../../vitest.proof.config.ts';

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const files = readdirSync(new URL('test/', ROOT), { recursive: true, encoding: 'utf8' }).map((path) => `test/${path}`);
const isProof = (path: string): boolean => path.endsWith('.proof.test.ts');
/** Pattern of a test that checks whether the proof runs it. */
const ASKS = /\b(rounds|isMet|crashPoints|findingsEverywhere|troublesOf)\(|TEST_PROOF/;
const WHO_MAY_ASK_FOR_OTHERS = ['test/harness/rounds.ts', 'test/harness/dying-process.ts', 'test/web/terminal-fixture.ts'];

/** True if a path matches a pattern of the two configurations: `**` for folders and `*` for a part of a name. */
function matches(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const parts = pattern.split(/(\*\*\/|\*)/).map((part) => (part === '**/' ? '(?:.*/)?' : part === '*' ? '[^/]*' : escaped(part)));
    return new RegExp(`^${parts.join('')}$`).test(path);
  });
}
const escaped = (text: string): string => text.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
type Settings = { readonly test?: { readonly include?: string[]; readonly exclude?: string[] } };
const isRunBy = ({ test: { include = [], exclude = [] } = {} }: Settings, path: string): boolean =>
  matches(path, include) && !matches(path, exclude);

test('every proof is run by `npm run proof`, and every other test by `npm test`', () => {
  const proofs = files.filter(isProof);
  expect(proofs.length).toBeGreaterThan(5);
  expect(proofs.filter((path) => !isRunBy(proof as Settings, path))).toEqual([]);
  expect(files.filter((path) => path.endsWith('.test.ts') && isRunBy(suite as Settings, path) === isProof(path))).toEqual([]);
  expect(JSON.parse(read('package.json')).scripts.proof).toBe('node test/run.mjs proof');
  expect(read('test/run.mjs')).toContain("vitest(['--config', 'vitest.proof.config.ts', ...files])");
});

test('a test with more rounds in the proof is run there too', () => {
  const asking = files.filter((path) => path.endsWith('.ts') && path !== 'test/rooms/proofs.test.ts' && ASKS.test(read(path)));
  expect(asking.filter((path) => !path.endsWith('.test.ts'))).toEqual(WHO_MAY_ASK_FOR_OTHERS.toSorted());
  const tests = asking.filter((path) => path.endsWith('.test.ts'));
  expect(tests.length).toBeGreaterThan(20);
  expect(tests.filter((path) => !isRunBy(proof as Settings, path))).toEqual([]);
});

test('every proof is run', () => {
  expect(files.filter((path) => /\bproof\b.*\.ts$/.test(path.split('/').at(-1) as string) && !isProof(path))).toEqual([]);
});
