/** How the long proofs run: the suite's settings, `*.proof.test.ts` and what has more rounds here, one file at a time and without a bound on time. */
import { readdirSync, readFileSync } from 'node:fs';
import { defineConfig, mergeConfig } from 'vitest/config';
import suite from './vitest.config.ts';

const { include: _include, exclude: _exclude, ...settings } = suite.test ?? {};
const TESTS = new URL('./test/', import.meta.url);

/** See test/harness/rounds.ts, test/harness/dying-process.ts and test/web/terminal-fixture.ts. */
const withMoreRounds = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
  .filter(
    (path) =>
      path.endsWith('.test.ts') &&
      /\b(rounds|isMet|inProof|testInProof|crashPoints|findingsEverywhere|troublesOf)\(/.test(readFileSync(new URL(path, TESTS), 'utf8')),
  )
  .map((path) => `test/${path}`);

export default mergeConfig(
  { ...suite, test: settings },
  defineConfig({
    test: {
      include: ['test/**/*.proof.test.ts', ...withMoreRounds],
      env: { TEST_PROOF: '1' },
      passWithNoTests: true,
      maxWorkers: 1,
      testTimeout: 7_200_000,
      hookTimeout: 600_000,
    },
  }),
);
