/** How the long proofs run: the suite's settings, only `*.proof.test.ts`, one file at a time and without a bound on time. */
import { defineConfig, mergeConfig } from 'vitest/config';
import suite from './vitest.config.ts';

const { include: _include, exclude: _exclude, ...settings } = suite.test ?? {};

export default mergeConfig(
  { ...suite, test: settings },
  defineConfig({
    test: { include: ['test/**/*.proof.test.ts'], passWithNoTests: true, maxWorkers: 1, testTimeout: 7_200_000, hookTimeout: 600_000 },
  }),
);
