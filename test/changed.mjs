/** Finds the tests that answer for a change within seconds: those that import a changed file themselves. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** They start a service or a browser, in minutes: `npm test` runs them. */
const WHOLE_SERVICE = /^test\/(journeys|web|boot|cli)\//;
const IMPORTS = /(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/**
 * The test files of what differs from a commit, or is not known to git: changed tests, and tests that import a changed file.
 * @param {string} root The repository.
 * @param {string} [since] A commit or branch; what was committed last unless told.
 * @returns {{ readonly changed: readonly string[], readonly tests: readonly string[] }} Paths from the root.
 * @throws Error where git cannot tell, for example because there is no such commit.
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
