/** A PostgreSQL of a benchmark's own, in a state folder that goes with it. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../src/adapters/store/embedded-postgres.ts';

/** Resources of work with a database of its own. */
export interface OwnDatabase {
  /** The state folder. */
  readonly home: string;
  /** Without migrations. */
  readonly server: Awaited<ReturnType<typeof startEmbeddedPostgres>>;
  /** Cleanups of what the work began. They run before the server is stopped, last first. */
  readonly ends: (() => unknown)[];
}

/** Starts a server, with settings of its own where there are any, works, and ends all that was begun, the last first, also where the work fails. */
export async function withDatabase(
  work: (own: OwnDatabase) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'sevengate-bench-'));
  // Let through, so that a server that root starts as another user lies in here as well and goes with it.
  chmodSync(home, 0o711);
  const ends: (() => unknown)[] = [() => rmSync(home, { recursive: true, force: true })];
  try {
    const server = await startEmbeddedPostgres({ home, log: () => {}, settings });
    ends.push(() => server.stop());
    await work({ home, server, ends });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
