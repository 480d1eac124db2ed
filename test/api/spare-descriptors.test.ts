// A process without free file descriptors still answers health checks and halts.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';
import net from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';

const LIMIT = 160;
const SERVER = fileURLToPath(new URL('./descriptor-server.mjs', import.meta.url));
let child: ChildProcess | null = null;
const sockets: net.Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
  child?.kill('SIGKILL');
});

async function serverWith(limit: number): Promise<number> {
  child = spawn('sh', ['-c', `ulimit -n ${limit}; exec "$0" "$1"`, process.execPath, SERVER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [line] = (await once(createInterface({ input: child.stdout as never }), 'line')) as [string];
  return Number(line);
}

/** Opens more connections than the server has descriptors, without sending requests. */
async function flood(port: number): Promise<void> {
  for (let index = 0; index < LIMIT * 2; index++) {
    const socket = net.connect({ port, host: '127.0.0.1' });
    socket.on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
  }
}

/** Returns the status of an answer, or null if the connection was closed without one. */
function ask(port: number, method: string, path: string): Promise<number | null> {
  return new Promise((answered) => {
    const asked = request({ port, host: '127.0.0.1', method, path, agent: false }, (answer) => {
      answer.resume();
      answered(answer.statusCode ?? null);
    });
    asked.on('error', () => answered(null));
    asked.end();
  });
}

/** Retries until there is an answer: others may take a spare connection, and it is free again after seconds. */
async function answered(port: number, method: string, path: string): Promise<number> {
  for (;;) {
    const status = await ask(port, method, path);
    if (status !== null) return status;
  }
}

test.skipIf(process.platform !== 'linux')(
  'with all descriptors taken by idle connections, health and halt are answered and everything else is refused in words',
  async () => {
    const port = await serverWith(LIMIT);
    expect(await ask(port, 'GET', '/v1/agents')).toBe(200);
    await flood(port);
    expect(await answered(port, 'GET', '/healthz')).toBe(200);
    expect(await answered(port, 'POST', '/v1/agents/emergency-halt')).toBe(200);
    expect(await answered(port, 'GET', '/v1/agents')).toBe(503);
    // Callers' connections are theirs; once they close, everything is served again.
    for (const socket of sockets.splice(0)) socket.destroy();
    let status: number | null = null;
    while (status !== 200) status = await ask(port, 'GET', '/v1/agents');
  },
);
