/**
 * Mutation testing of the code that guards money: risk, books, ledger and the verification of transactions. Each mutant is a small
 * bug in the source for which a test must fail. Run by `npm run mutants`; the report goes to `coverage/mutants/`.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export default {
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'test/mutation/guard-tests.ts', related: false },
  mutate: ['src/domain/risk/**/*.ts', 'src/domain/books/book.ts', 'src/domain/books/ledger.ts', 'src/domain/solana/**/*.ts'],
  // Copies only what the pure tests load. No tsconfig.json, which Stryker would read with the API of an older TypeScript.
  ignorePatterns: ['**', '!src/**', '!streams/**', '!actors/**', '!api/**', '!test/**', '!package.json'],
  tempDirName: join(tmpdir(), 'sevengate-mutants'),
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // A mutant that is only slower on a busy machine is not detected.
  timeoutMS: 15_000,
  reporters: ['clear-text', 'json', 'progress-append-only'],
  clearTextReporter: { allowColor: false, logTests: false, reportTests: false },
  jsonReporter: { fileName: 'coverage/mutants/report.json' },
  thresholds: { high: 95, low: 90, break: 85 },
};
