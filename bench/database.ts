/** PostgreSQL of a single benchmark, in a state folder that is removed with it. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../src/adapters/store/embedded-postgres.ts';

/** Resources of work with a database of its own. */
export interface OwnDatabase {
  /** State folder. */
  readonly home: string;
  /** Without migrations. */
  readonly server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
  /** Cleanups, run before the server stops, last first. */
  readonly ends: (() => unknown)[];
}

/** Rejects when somebody stops the benchmark, so that its server does not outlive it. */
function interruption(): Promise<never> {
  return new Promise((_, reject) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.once(signal, () => reject(new Error(`the benchmark was stopped by ${signal}`)));
  });
}

/** Starts a server with optional settings, runs the work, and cleans up in reverse order, also after a failure. */
export async function withDatabase(
  work: (own: OwnDatabase) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'sevengate-bench-'));
  // If root runs this, PostgreSQL starts as another user, who must be able to enter the folder.
  chmodSync(home, 0o711);
  const ends: (() => unknown)[] = [() => rmSync(home, { recursive: true, force: true })];
  try {
    const server = await startEmbeddedPostgres({ home, log: () => {}, settings });
    ends.push(() => server.stop());
    await Promise.race([work({ home, server, ends }), interruption()]);
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
