/** Ports for tests that cannot take port 0: nothing here is found free and let go for whoever comes first. */
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claim, release } from '../../src/adapters/process/server-process.ts';

/** A port of loopback that refuses connections: a privileged one that no service is registered for, and that `fetch` does not block. */
export const REFUSING_PORT = 2;

/**
 * Below the ports that kernels hand out by themselves (from 32768 on Linux and 49152 elsewhere): no connection and no
 * server on port 0 comes to lie here.
 */
const [FIRST, END, SPAN] = [20_000, 32_000, 64];

export interface PortRange {
  readonly first: number;
  /** Lets other tests of this machine have the range. */
  release(): void;
}

/** Threads of one process share its claims: each has ranges of its own, told apart by the number of the worker. */
const STRIPES = 16;
const stripe = Number(process.env['VITEST_POOL_ID'] ?? 0) % STRIPES;
const held = new Set<number>();

/** At most 64 ports in a row that are free and that no other test of this machine gets until they are released. */
export async function holdPorts(count: number): Promise<PortRange> {
  if (count > SPAN) throw new RangeError(`${count} ports in a row; there are ${SPAN}`);
  const folder = join(tmpdir(), 'sevengate-ports');
  mkdirSync(folder, { recursive: true });
  for (let first = FIRST + stripe * SPAN; first + SPAN <= END; first += STRIPES * SPAN) {
    // A claim of what this process holds already would be granted again.
    if (held.has(first) || claim(join(folder, String(first))) !== null) continue;
    held.add(first);
    const range: PortRange = {
      first,
      release: () => {
        held.delete(first);
        release(join(folder, String(first)));
      },
    };
    if (await allFree(first, count)) return range;
    range.release();
  }
  throw new Error(`no ${count} free ports in a row from ${FIRST} to ${END}`);
}

async function allFree(first: number, count: number): Promise<boolean> {
  const servers: Server[] = [];
  try {
    for (let port = first; port < first + count; port++) servers.push(await listen(port));
    return true;
  } catch {
    return false;
  } finally {
    await Promise.all(servers.map((server) => new Promise((closed) => server.close(closed))));
  }
}

function listen(port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server));
  });
}
