/** Pure tests that must detect a mutant: no server is started, and random tests draw fewer cases than in the suite. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/domain/risk/*.test.ts', 'test/domain/book.test.ts', 'test/domain/ledger.test.ts', 'test/domain/transaction/*.test.ts'],
    env: { RANDOM_CASES: '400' },
    pool: 'threads',
    testTimeout: 120_000,
  },
});
