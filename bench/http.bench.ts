/**
 * Processor time of our API per request, in the server's own process, compared with a bare Fastify and with one that only checks the
 * token's signature. 64 kept connections, one request on each at a time.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMemberStore } from '../src/adapters/store/callers/member-store.ts';
import { openDatabase } from '../src/adapters/store/database.ts';
import { migrate } from '../src/adapters/store/migrate.ts';
import { createIdentityProvider, SANDBOX_AUDIENCE } from '../src/sandbox/identity/provider.ts';
import { createLiveClock } from '../streams/clock/live-clock.ts';
import { type OwnDatabase, withDatabase } from './database.ts';
import { bench, type Contender } from './harness.ts';
import type { ServerOrder } from './http-server.ts';

const CONNECTIONS = 64;
const ORG = '00000000-0000-7000-8000-000000000001';
const SUBJECTS = 16;

interface Measured {
  readonly port: number;
  readonly child: ChildProcess;
  cpuMicroseconds(): Promise<number>;
}

async function startServer(order: ServerOrder): Promise<Measured> {
  const program = fileURLToPath(new URL('./http-server.ts', import.meta.url));
  const child = fork(program, [JSON.stringify(order)], { execArgv: ['--import', 'tsx'], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const answer = <Message>(): Promise<Message> =>
    new Promise((resolve, reject) => {
      const ended = (code: number | null): void => reject(new Error(`the server "${order.kind}" ended with code ${code}`));
      child.once('exit', ended);
      child.once('message', (message) => {
        child.off('exit', ended);
        resolve(message as Message);
      });
    });
  const { url } = await answer<{ url: string }>();
  return {
    port: Number(new URL(url).port),
    child,
    async cpuMicroseconds() {
      child.send('how much');
      return (await answer<{ microseconds: number }>()).microseconds;
    },
  };
}

/** Connection that sends one request after another. Parses no more of HTTP than it needs. */
class Connection {
  readonly #socket: Socket;
  #answered: ((bytes: string) => void) | null = null;
  #failed: ((error: Error) => void) | null = null;
  #held = '';

  constructor(port: number) {
    this.#socket = connect({ host: '127.0.0.1', port, noDelay: true });
    this.#socket.setEncoding('latin1');
    this.#socket.on('data', (part: string) => this.#take(part));
    this.#socket.on('error', (error) => this.#failed?.(error));
    this.#socket.on('close', () => this.#failed?.(new Error('the server closed a connection')));
  }

  ask(request: string): Promise<string> {
    return new Promise((resolve, reject) => {
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.write(request);
    });
  }

  end(): void {
    this.#failed = null;
    this.#socket.destroy();
  }

  #take(part: string): void {
    const held = this.#held === '' ? part : this.#held + part;
    const head = held.indexOf('\r\n\r\n');
    const length = head < 0 ? null : /\r\ncontent-length: (\d+)/i.exec(held);
    if (length === null || held.length < head + 4 + Number(length[1])) {
      this.#held = held;
      return;
    }
    this.#held = '';
    this.#answered?.(held);
  }
}

interface Load {
  readonly server: Measured;
  readonly path: string;
  readonly tokens: readonly string[];
  readonly count: number;
  readonly ends: OwnDatabase['ends'];
}

/** Contender that sends `count` requests over its own connections and asks the server for their cost. */
function load(name: string, { server, path, tokens, count, ends }: Load): Contender {
  // Opened in the first round: a server closes connections that are idle for seconds.
  let connections: readonly Connection[] | null = null;
  const requests = Array.from({ length: CONNECTIONS }, (_, index) => {
    const token = tokens[index % tokens.length];
    const authorization = token === undefined ? '' : `authorization: Bearer ${token}\r\n`;
    return `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${authorization}\r\n`;
  });
  ends.push(() => {
    for (const connection of connections ?? []) connection.end();
  });
  return {
    name,
    async round() {
      connections ??= requests.map(() => new Connection(server.port));
      const before = await server.cpuMicroseconds();
      let sent = 0;
      await Promise.all(
        connections.map(async (connection, index) => {
          while (sent < count) {
            sent++;
            const answer = await connection.ask(requests[index] as string);
            if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`${name} answered ${answer.slice(0, 400)}`);
          }
        }),
      );
      return { operations: count, microseconds: (await server.cpuMicroseconds()) - before };
    },
  };
}

/** Reads the headers of an answer, except those that Node.js and Fastify always send. */
async function headersOf(url: string): Promise<Record<string, string>> {
  const { headers } = await fetch(url);
  const own = ['date', 'connection', 'keep-alive', 'content-length', 'content-type'];
  return Object.fromEntries([...headers].filter(([name]) => !own.includes(name)));
}

await withDatabase(async ({ home, server: database, ends }) => {
  await migrate(database.url);
  const sql = openDatabase({ url: database.url, role: null, name: 'bench', connections: 1 });
  ends.push(() => sql.end());
  const members = createMemberStore(sql);
  await members.ensureOrganization(ORG, 'bench');
  const provider = await createIdentityProvider({ folder: join(home, 'identity'), clock: createLiveClock(), port: 0 });
  ends.push(() => provider.close());
  const subjects = Array.from({ length: SUBJECTS }, (_, index) => `subject-${index}`);
  for (const subject of subjects) {
    await members.grant(subject, { orgId: ORG, name: subject, permissions: ['market:read', 'agent:read'] });
  }
  const tokens = subjects.map((subject) => provider.keys.mintToken({ subject, audience: SANDBOX_AUDIENCE, lifetimeS: 3_600 }));
  const identity = { issuer: provider.issuer, audience: SANDBOX_AUDIENCE, jwksUrl: provider.jwksUrl };
  const start = async (order: Pick<ServerOrder, 'kind' | 'headers'>): Promise<Measured> => {
    const server = await startServer({ ...order, databaseUrl: database.url, identity });
    ends.push(async () => {
      if (server.child.connected) server.child.disconnect();
      if (server.child.exitCode === null) await once(server.child, 'exit');
    });
    return server;
  };
  const ours = await start({ kind: 'ours' });
  const [bare, raw] = [await start({ kind: 'bare' }), await start({ kind: 'raw verify' })];
  const sameBytes = await start({ kind: 'bare', headers: await headersOf(`http://127.0.0.1:${ours.port}/healthz`) });
  await bench({
    title: `requests per second of the server's processor time, ${CONNECTIONS} connections`,
    contenders: [
      load('GET /healthz', { server: ours, path: '/healthz', tokens: [], count: 6_000, ends }),
      load('bare Fastify', { server: bare, path: '/healthz', tokens: [], count: 6_000, ends }),
      load('bare Fastify, same headers', { server: sameBytes, path: '/healthz', tokens: [], count: 6_000, ends }),
      load('GET /v1/me', { server: ours, path: '/v1/me', tokens, count: 2_000, ends }),
      load('GET /v1/quotes', { server: ours, path: '/v1/quotes?venue=spotexchange&instrument=BTCUSDT', tokens, count: 2_000, ends }),
      load('Fastify + crypto.verify', { server: raw, path: '/v1/me', tokens, count: 2_000, ends }),
    ],
    comparisons: [
      { what: 'unauthenticated route', ours: 'GET /healthz', reference: 'bare Fastify', goal: null },
      { what: 'the same bytes', ours: 'GET /healthz', reference: 'bare Fastify, same headers', goal: null },
      { what: 'authenticated', ours: 'GET /v1/me', reference: 'Fastify + crypto.verify', goal: 0.65 },
      { what: 'authenticated, with a query', ours: 'GET /v1/quotes', reference: 'Fastify + crypto.verify', goal: 0.65 },
    ],
    notes: [
      'ours verifies the signature of a token every five seconds and its times on every request, reads the grants from PostgreSQL on every request, limits, measures and sets security headers',
      'the processor time of PostgreSQL and of the load is not in it',
    ],
  });
});
