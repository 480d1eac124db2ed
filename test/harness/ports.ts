/** Ports for tests that cannot use port 0. They stay claimed, so that nobody else can take them in between. */
import { mkdirSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { claim, release } from '../../src/adapters/process/server-process.ts';

/** Loopback port that refuses connections: privileged, without a registered service, and not blocked by `fetch`. */
export const REFUSING_PORT = 2;

/**
 * Range below the ephemeral ports of kernels (from 32768 on Linux and 49152 elsewhere): no connection and no
 * server on port 0 uses it.
 */
const [FIRST, END, SPAN] = [20_000, 32_000, 64];

export interface PortRange {
  readonly first: number;
  /** Releases the range for other tests of this machine. */
  release(): void;
}

/** Ranges per process, one for each thread: threads share the claims of their process. */
const STRIPES = 16;
const stripe = Number(process.env['VITEST_POOL_ID'] ?? 0) % STRIPES;
const held = new Set<number>();

/** Claims up to 64 consecutive free ports that no other test of this machine gets until they are released. */
export async function holdPorts(count: number): Promise<PortRange> {
  if (count > SPAN) throw new RangeError(`${count} ports in a row; there are ${SPAN}`);
  const folder = join(tmpdir(), 'sevengate-ports');
  mkdirSync(folder, { recursive: true });
  for (let first = FIRST + stripe * SPAN; first + SPAN <= END; first += STRIPES * SPAN) {
    // A second claim by the same process would succeed too.
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
