/** How the suite runs: threads that share loaded modules, one lazily started database for all. */
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/servers.ts'],
    pool: 'threads',
    // Tests mock no modules and share no state through them, and loading every module again per file is most of a run's time.
    isolate: false,
    // More than the default on two cores: the journeys mostly wait, for a minute to begin or for a server to come back.
    maxWorkers: 3,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    teardownTimeout: 60_000,
  },
});
