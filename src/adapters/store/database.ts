/** The connection to PostgreSQL: the application's role, no Nagle delay, numbers that fit a double as numbers. */
import net from 'node:net';
import postgres from 'postgres';

type Bigints = { bigint: number };
export type Sql = postgres.Sql<Bigints>;
export type Transaction = postgres.TransactionSql<Bigints>;

export interface DatabaseOptions {
  readonly url: string;
  /** At most so many connections from this pool. */
  readonly connections?: number;
  /** The role to work as; migrations pass null and stay the login role. */
  readonly role?: string | null;
  /** Shown in pg_stat_activity. */
  readonly name: string;
}

/** How long a statement may run before the server ends it, in milliseconds. */
const STATEMENT_TIMEOUT_MS = 15_000;

/**
 * Opens a pool. COPY over plain TCP stalls about 90 ms per statement unless Nagle's algorithm is off, and postgres.js
 * leaves it on; hence the socket of our own.
 */
export function openDatabase(options: DatabaseOptions): Sql {
  const target = new URL(options.url);
  const role = options.role === undefined ? 'sevengate_app' : options.role;
  const plainTcp = target.hostname !== '' && target.searchParams.get('sslmode') === null;
  return postgres(options.url, {
    max: options.connections ?? 10,
    idle_timeout: 0,
    connect_timeout: 5,
    max_lifetime: null,
    onnotice: () => {},
    connection: {
      application_name: options.name,
      statement_timeout: role === null ? 0 : STATEMENT_TIMEOUT_MS,
      ...(role === null ? {} : { role }),
    },
    types: { bigint: { to: 20, from: [20], serialize: (value: number) => String(value), parse: (text: string) => Number(text) } },
    ...(plainTcp ? { socket: () => connectWithoutDelay(target.hostname, Number(target.port || 5432)) } : {}),
  } as postgres.Options<{ bigint: postgres.PostgresType<number> }>) as unknown as Sql;
}

function connectWithoutDelay(host: string, port: number): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect({ host, port });
    socket.setNoDelay(true);
    const giveUp = setTimeout(() => socket.destroy(new Error(`no answer from PostgreSQL at ${host}:${port} within 5 s`)), 5_000);
    const failed = (error: Error): void => {
      clearTimeout(giveUp);
      reject(error);
    };
    socket.once('error', failed);
    socket.once('connect', () => {
      clearTimeout(giveUp);
      socket.removeListener('error', failed);
      resolve(socket);
    });
  });
}

/** Errors after which the same transaction may succeed: serialization failure, deadlock, lost connection, restart. */
export function isRetryable(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40001' || code === '40P01' || isConnectionLoss(error);
}

/** True where the server went away or was not there; what was under way may or may not have been committed. */
export function isConnectionLoss(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('CONNECTION_') || code.startsWith('08') || LOSSES.has(code);
}

const LOSSES = new Set(['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'CONNECT_TIMEOUT']);

function codeOf(error: unknown): string {
  return String((error as { code?: unknown } | null)?.code ?? '');
}
