/** Connections to PostgreSQL with the application's role, without Nagle's delay; numbers that fit a double are returned as numbers. */
import net from 'node:net';
import postgres from 'postgres';
import { valueText } from '../../domain/values/value-text.ts';
import { createGathering, isStatement } from './gathered-statements.ts';
import { type BatchSigner, beginSeal, mayNeedSigning } from './trail/batch-seal.ts';

type Bigints = { bigint: number };
/** Any JSON: types of interfaces have no index signature. */
interface AnyJson {
  json(value: unknown): postgres.Parameter;
}
export type Sql = postgres.Sql<Bigints> & AnyJson;
export type Transaction = postgres.TransactionSql<Bigints> & AnyJson;
/** Part of a statement, or a statement that is not sent yet. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

export interface DatabaseOptions {
  readonly url: string;
  /** Maximum connections of the pool. */
  readonly connections?: number;
  /** Role of the connections; null keeps the login role, as migrations need. */
  readonly role?: string | null;
  /** Name shown in pg_stat_activity. */
  readonly name: string;
  /** True to make the server refuse every write. */
  readonly readOnly?: boolean;
  /** False to acknowledge commits before they are on disk: a crash of the server may lose the last ones, in order. */
  readonly waitsForDisk?: boolean;
  /** Writer of these connections. They present its secret, and it signs every transaction that changes logged tables. */
  readonly writer?: BatchSigner;
}

/** Timeout of a statement in milliseconds, enforced by the server. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** Maximum seconds before reconnecting. */
const RECONNECT_CAP_S = 1;
/** Seconds for which queries of a replaced pool may continue; longer than any statement with a timeout. */
const OLD_POOL_S = 20;

/**
 * Opens a pool that survives lost connections. postgres.js can lose a connection during a write in such a way that its slot in the pool
 * never works again. The first loss therefore replaces the pool; the old one is closed after its transactions and queries have ended,
 * because those on other connections are unaffected.
 */
export function openDatabase(options: DatabaseOptions): Sql {
  let ended = false;
  const listeners = createListeners(() => current);
  const transactions = createTransactions();
  // The policies do not restrict the application's own role.
  const begin = () => beginOn(current, options.writer ?? null, transactions, options.role !== undefined);
  let current = openPool();
  function openPool(): Sql {
    const pool = createPool(options, () => {
      if (ended || pool !== current) return;
      current = openPool();
      listeners.moveTo(current);
      transactions
        .endedOn(pool)
        .then(() => pool.end(options.role === null ? {} : { timeout: OLD_POOL_S }))
        .catch(() => {});
    });
    return pool;
  }
  const end: Sql['end'] = (how) => {
    ended = true;
    return current.end(how);
  };
  const database = new Proxy(Object.assign(() => {}, {}) as unknown as Sql, {
    apply(_, __, parameters) {
      const [strings] = parameters as [TemplateStringsArray];
      // A change outside a transaction gets its own, so that it is signed.
      if (options.writer !== undefined && isText(strings) && mayNeedSigning(strings))
        return signedAlone((work) => begin()(work), parameters);
      return Reflect.apply(current, undefined, parameters) as unknown;
    },
    get(_, key) {
      if (key === 'end') return end;
      if (key === 'listen') return listeners.listen;
      return key === 'begin' ? begin() : (Reflect.get(current, key) as unknown);
    },
  });
  if (options.writer !== undefined) writers.set(database, options.writer);
  return database;
}

const writers = new WeakMap<Sql, BatchSigner>();
/** Key of the function that takes a transaction's statements that are not awaited. */
const SENDING = Symbol('sending');
type Sending = { [SENDING]?: (statement: Fragment, wanted: number | undefined) => void };

/**
 * Sends a statement whose result is not needed, without waiting. It is combined with others, and sent before any statement that might read
 * its effect. The transaction commits only if all of them succeed, and fails with the first error. @throws Error outside a transaction of
 * this store @param wanted required number of written rows; any if absent
 */
export function send(transaction: Transaction, statement: Fragment, wanted?: number): void {
  const { [SENDING]: take } = transaction as Sending;
  if (take === undefined) throw new Error('only a transaction that was begun here waits for what is sent in it');
  take(statement, wanted);
}

/** Returns the proof that a pool's transactions present with an organization; empty if the pool has no writer's key. */
export function organizationProof(pool: Sql, orgId: string): string {
  return writers.get(pool)?.organizationProof(orgId) ?? '';
}

/** Open transactions by pool. */
interface Transactions {
  began(pool: Sql, outcome: Promise<unknown>): void;
  /** Resolves when the transactions that are open now have ended. A lost connection ends its transaction. */
  endedOn(pool: Sql): Promise<unknown>;
}

function createTransactions(): Transactions {
  const underWay = new Map<Sql, Set<Promise<unknown>>>();
  return {
    began(pool, outcome) {
      const own = underWay.get(pool) ?? new Set();
      underWay.set(pool, own.add(outcome));
      const ended = (): void => {
        own.delete(outcome);
        if (own.size === 0) underWay.delete(pool);
      };
      outcome.then(ended, ended);
    },
    endedOn: (pool) => Promise.allSettled(underWay.get(pool) ?? new Set<Promise<unknown>>()),
  };
}

/** Creates a `listen` that survives the replacement of a pool, by which listeners would be lost. */
function createListeners(pool: () => Sql) {
  type Listen = Sql['listen'];
  const listeners = new Set<{ readonly parameters: Parameters<Listen>; unlisten: () => Promise<void> }>();
  const listen = async (...parameters: Parameters<Listen>): Promise<Awaited<ReturnType<Listen>>> => {
    const listener = { parameters, unlisten: () => Promise.resolve() };
    listeners.add(listener);
    const listening = await pool().listen(...parameters);
    listener.unlisten = listening.unlisten;
    return {
      ...listening,
      unlisten: () => {
        listeners.delete(listener);
        return listener.unlisten();
      },
    };
  };
  return {
    listen: listen as Listen,
    moveTo(next: Sql): void {
      for (const listener of listeners) {
        next.listen(...listener.parameters).then(
          async ({ unlisten }) => {
            listener.unlisten = unlisten;
            if (!listeners.has(listener)) await unlisten();
          },
          // The listener's connection reconnects by itself.
          () => {},
        );
      }
    },
  };
}

/** Returns a rejected statement for a lost connection. As a part of another statement it is not awaited. */
function lostStatement(): Promise<never> {
  const lost = Promise.reject<never>(Object.assign(new Error('the connection to PostgreSQL was lost'), { code: 'CONNECTION_CLOSED' }));
  lost.catch(() => {});
  return lost;
}

/** Returns true if a call's first argument is a statement's text and not a list of names or values. */
function isText(strings: unknown): strings is TemplateStringsArray {
  return Array.isArray(strings) && Object.hasOwn(strings, 'raw');
}

/** Returns a statement that is sent when awaited, in its own signed transaction. */
function signedAlone(begin: (work: (transaction: Transaction) => Promise<unknown>) => Promise<unknown>, parameters: unknown[]) {
  let sent: Promise<unknown> | null = null;
  const send = (): Promise<unknown> => {
    sent ??= begin((transaction) => Reflect.apply(transaction, undefined, parameters) as Promise<unknown>);
    return sent;
  };
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- a statement of postgres.js is one too.
    then: (found?: (rows: unknown) => unknown, lost?: (error: unknown) => unknown) => send().then(found, lost),
    catch: (lost: (error: unknown) => unknown) => send().catch(lost),
    finally: (done: () => void) => send().finally(done),
  };
}

/**
 * Runs `begin` for work that may outlive its connection. postgres.js then rejects the transaction but would write later statements, and the
 * final ROLLBACK, to a forgotten socket, which throws an uncatchable error. So nothing is sent after a loss.
 */
function beginOn(pool: Sql, writer: BatchSigner | null, transactions: Transactions, policies: boolean) {
  type Work<Value> = (transaction: Transaction) => Promise<Value>;
  return <Value>(...given: [Work<Value>] | [options: string, Work<Value>]): Promise<Value> => {
    const [options, work] = given.length === 2 ? given : ['', given[0]];
    let lost = false;
    let wrote = false;
    let sealed: Promise<unknown> = Promise.resolve();
    const received = (error: unknown): void => {
      // Only a loss ends the transaction; after other errors the server continues.
      if (isConnectionLoss(error) && (error as { severity?: unknown }).severity !== 'ERROR') lost = true;
    };
    const outcome: Promise<Value> = pool
      .begin(options, async (transaction) => {
        transactions.began(pool, outcome);
        const guarded = new Proxy(transaction, {
          apply(target, self, parameters) {
            if (lost) return lostStatement();
            const query: unknown = Reflect.apply(target, self, parameters);
            const [strings] = parameters as [TemplateStringsArray];
            if (isText(strings) && mayNeedSigning(strings)) wrote = true;
            // The statement's own `then` would send it, though it may be a part of another one.
            if (query instanceof Promise) void Promise.prototype.then.call(query, undefined, received);
            if (isStatement(query)) {
              const handle = query.handle.bind(query);
              query.handle = () => {
                if (!query.executed) gathering.before(query);
                return handle();
              };
            }
            return query;
          },
        });
        const gathering = createGathering(guarded, policies);
        const sent: Promise<void>[] = [];
        (guarded as Sending)[SENDING] = (statement, wanted) => {
          const answer = new Promise<void>((done, failed) => {
            const counted = (rows: number): void => {
              if (wanted === undefined || rows === wanted) done();
              else failed(new Error(`${rows} of ${wanted} rows were written: the others are missing, or of another organization`));
            };
            gathering.add({ statement, counted, failed });
          });
          // The transaction reports the error; it may have ended by then.
          answer.catch(() => {});
          sent.push(answer);
        };
        try {
          const done: unknown = work(guarded);
          // Work may return a list of statements, as in postgres.js.
          const value = (await (Array.isArray(done) ? Promise.all(done) : done)) as Value;
          gathering.flush();
          if (wrote && writer !== null && !lost) ({ sealed } = await beginSeal(guarded, writer));
          // PostgreSQL answers the COMMIT of a failed transaction without an error.
          await Promise.all(sent);
          return value;
        } finally {
          // The loss itself rejects the transaction.
          if (lost) await new Promise<never>(() => {});
        }
      })
      // COMMIT is sent after the signature and becomes a rollback if that is refused.
      .then((value) => sealed.then(() => value)) as Promise<Value>;
    outcome.catch(() => {
      lost = true;
    });
    return outcome;
  };
}

function createPool(options: DatabaseOptions, onclose: () => void): Sql {
  const target = new URL(options.url);
  const role = options.role === undefined ? 'sevengate_app' : options.role;
  const plainTcp = target.hostname !== '' && target.searchParams.get('sslmode') === null;
  return postgres(options.url, {
    max: options.connections ?? 10,
    idle_timeout: 0,
    connect_timeout: 5,
    // postgres.js would wait up to 20 s, too long after a restart of the server.
    backoff: (failures: number) => Math.min(0.05 * 2 ** failures, RECONNECT_CAP_S) * (0.5 + Math.random() / 2),
    max_lifetime: null,
    onnotice: () => {},
    onclose,
    connection: {
      application_name: options.name,
      ...(options.readOnly === true ? { default_transaction_read_only: 'on' } : {}),
      ...(options.waitsForDisk === false ? { synchronous_commit: 'off' } : {}),
      statement_timeout: role === null ? 0 : STATEMENT_TIMEOUT_MS,
      ...(role === null ? {} : { role }),
      ...(options.writer === undefined ? {} : { 'sevengate.proof': options.writer.sessionProof }),
    },
    // Array types are listed below. Fetching them needs a query per connection, and a loss during it is an unhandled rejection that ends
    // the process.
    fetch_types: false,
    types: {
      bigint: { to: 20, from: [20], serialize: (value: number) => String(value), parse: (text: string) => Number(text) },
      textArray: { to: 1009, from: [1009], serialize: arrayLiteral, parse: arrayElements },
      uuidArray: { to: 2951, from: [2951], serialize: arrayLiteral, parse: arrayElements },
      intArray: { to: 1007, from: [1007], serialize: numberArrayLiteral, parse: arrayNumbers },
      bigintArray: { to: 1016, from: [1016], serialize: numberArrayLiteral, parse: arrayNumbers },
    },
    // With Nagle's algorithm COPY over plain TCP stalls about 90 ms per statement; postgres.js does not disable it.
    ...(plainTcp ? { socket: () => connectWithoutDelay(target.hostname, Number(target.port || 5432)) } : {}),
  } as never) as unknown as Sql;
}

/** Formats a one-dimensional array of texts for PostgreSQL. */
function arrayLiteral(elements: readonly string[]): string {
  return `{${elements.map((element) => `"${element.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
}

function numberArrayLiteral(elements: readonly number[]): string {
  return `{${elements.join(',')}}`;
}

function arrayNumbers(text: string): number[] {
  return arrayElements(text).map(Number);
}

/** Parses a one-dimensional array of texts, also with unquoted elements. */
function arrayElements(text: string): string[] {
  const elements: string[] = [];
  for (const [, quoted, bare] of text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)) {
    elements.push(quoted === undefined ? (bare as string) : quoted.replace(/\\(.)/g, '$1'));
  }
  return elements;
}

/** Milliseconds after a reported loss within which transactions have written their ROLLBACK. */
const CLOSE_DELAY_MS = 10;

/**
 * Socket that reports a loss as an error at once, and closes only when nothing is written any more. On close postgres.js 3.4.9 forgets the
 * socket; a later write (a ROLLBACK, or a queued write) throws an uncatchable error or leaves a dead connection in the pool
 * (porsager/postgres #1154 and #1208).
 */
class LateClosingSocket extends net.Socket {
  #written = false;
  #gathers = false;

  /** Batches the writes of one turn of the event loop, because each write is a system call. */
  override write(...parameters: unknown[]): boolean {
    this.#written = true;
    if (!this.#gathers) {
      this.#gathers = true;
      this.cork();
      process.nextTick(() => {
        this.#gathers = false;
        this.uncork();
      });
    }
    return super.write(...(parameters as [string]));
  }

  override emit(event: string | symbol, ...details: unknown[]): boolean {
    if (event !== 'close') return super.emit(event, ...details);
    this.#tellOfLoss();
    return true;
  }

  #tellOfLoss(): void {
    this.#written = false;
    if (this.listenerCount('error') > 0)
      super.emit('error', Object.assign(new Error('the connection to PostgreSQL was closed'), { code: 'CONNECTION_CLOSED' }));
    setTimeout(() => {
      // A statement that began after the reported loss waits for an answer: report again, so that it can roll back.
      if (this.#written) this.#tellOfLoss();
      else super.emit('close', false);
    }, CLOSE_DELAY_MS);
  }
}

/**
 * Creates a connecting socket, whose errors postgres.js handles. A rejected promise of a connected one would leave a connection of the pool
 * unusable.
 */
function connectWithoutDelay(host: string, port: number): net.Socket {
  return new LateClosingSocket().setNoDelay(true).connect({ host, port });
}

/** Returns true for errors after which the same transaction may succeed: serialization failure, deadlock, lost connection, restart. */
export function isRetryable(error: unknown): boolean {
  const code = readErrorCode(error);
  return code === '40001' || code === '40P01' || isConnectionLoss(error);
}

/** Returns true if the server is not reachable; the outcome of running statements is unknown. */
export function isConnectionLoss(error: unknown): boolean {
  const code = readErrorCode(error);
  return code.startsWith('CONNECTION_') || code.startsWith('08') || LOSSES.has(code);
}

/** Returns true if PostgreSQL refused a statement's data: a value, a constraint, or a trigger. */
export function isDataRefusal(error: unknown): boolean {
  return /^(22|23|P0)/.test(readErrorCode(error));
}

/**
 * Returns true if PostgreSQL or this machine ran out of disk, memory, connections or file descriptors. Nothing was committed, and a retry
 * may succeed later.
 */
export function isOutOfResources(error: unknown): boolean {
  const code = readErrorCode(error);
  return code.startsWith('53') || EXHAUSTED.has(code);
}

/** Returns true if PostgreSQL is unreachable or out of resources: any write fails now and may succeed later. */
export function isAway(error: unknown): boolean {
  return isConnectionLoss(error) || isOutOfResources(error);
}

/** Error codes of PostgreSQL's input/output error, a full disk, a full quota and missing file descriptors. */
const EXHAUSTED = new Set(['58030', 'ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

/** Returns true if PostgreSQL is unreachable, busy or out of resources: no row is at fault. */
export function isOutage(error: unknown): boolean {
  return isRetryable(error) || isOutOfResources(error) || BUSY.has(readErrorCode(error));
}

/** Error codes of a lock timeout and a cancelled statement. */
const BUSY = new Set(['55P03', '57014']);

const LOSSES = new Set(['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'CONNECT_TIMEOUT']);

function readErrorCode(error: unknown): string {
  return valueText((error as { code?: unknown } | null)?.code ?? '');
}

/** Escapes a text as a field of COPY. */
export function copyText(text: string): string {
  return /[\\\t\n\r]/.test(text) ? text.replace(/\\/g, '\\\\').replace(/\t/g, '\\t').replace(/\n/g, '\\n').replace(/\r/g, '\\r') : text;
}
