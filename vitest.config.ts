/** How the suite runs: threads that share loaded modules, one lazily started database for all. */
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './test/harness/longest-first.ts';
import { settleSeed } from './test/harness/seed.ts';
import { keepTemporaryFilesInMemory } from './test/harness/temporary-files.ts';

// Before any thread begins, which has the environment of this moment.
keepTemporaryFilesInMemory();
settleSeed();

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // What takes long is proven by `npm run proof`; each has a short form here.
    exclude: ['**/*.proof.test.ts'],
    globalSetup: ['test/harness/servers.ts'],
    setupFiles: ['test/harness/seeded-file.ts', 'test/harness/ended-file.ts'],
    pool: 'threads',
    // Tests mock no modules and share no state through them, and loading every module again per file is most of a run's time.
    isolate: false,
    // More than the default on two cores: two thirds of the workers' time is waiting, for a minute to begin, for a server to
    // come back, for a chain to finalize.
    maxWorkers: 6,
    sequence: { sequencer: LongestFirst },
    // A test that takes so long hangs. Nothing is proved by a tighter bound: see PATIENCE in test/harness/wait-for.ts.
    testTimeout: 240_000,
    hookTimeout: 240_000,
    teardownTimeout: 60_000,
  },
});
