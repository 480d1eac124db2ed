/** Finds the tests to run within seconds for a change: those that import a changed file directly. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** Tests that start a service or a browser and take minutes: `npm test` runs them. */
const WHOLE_SERVICE = /^test\/(journeys|web|boot|cli)\//;
const IMPORTS = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/**
 * Returns the test files for uncommitted and untracked changes, or changes since a commit: changed tests, and tests that import a changed
 * file.
 * @param {string} root The repository.
 * @param {string} [since] A commit or branch; default: the last commit.
 * @returns {{ readonly changed: readonly string[], readonly tests: readonly string[] }} Paths from the root.
 * @throws Error if git fails, for example because the commit does not exist.
 */
export function testsOfChanges(root, since = 'HEAD') {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  const changed = [...new Set([...git('diff', '--name-only', since), ...git('ls-files', '--others', '--exclude-standard')])].filter(
    (path) => existsSync(join(root, path)),
  );
  const tests = git('ls-files', '--cached', '--others', '--exclude-standard', 'test/*.test.ts').filter(
    (path) => existsSync(join(root, path)) && !path.endsWith('.proof.test.ts') && !WHOLE_SERVICE.test(path),
  );
  const isOfChange = (test) => {
    if (changed.includes(test)) return true;
    const text = readFileSync(join(root, test), 'utf8');
    return [...text.matchAll(IMPORTS)].some(([, path]) => changed.includes(relative(root, join(root, dirname(test), path))));
  };
  return { changed, tests: tests.filter(isOfChange).sort() };
}
