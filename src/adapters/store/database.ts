/** The connection to PostgreSQL: the application's role, no Nagle delay, numbers that fit a double as numbers. */
import net from 'node:net';
import postgres from 'postgres';
import { valueText } from '../../domain/values/value-text.ts';
import { createGathering, isStatement } from './gathered-statements.ts';
import { type BatchSigner, beginSeal, mayNeedSigning } from './trail/batch-seal.ts';

type Bigints = { bigint: number };
/** Takes any plain JSON: what an interface describes has no index signature. */
interface AnyJson {
  json(value: unknown): postgres.Parameter;
}
export type Sql = postgres.Sql<Bigints> & AnyJson;
export type Transaction = postgres.TransactionSql<Bigints> & AnyJson;
/** A part of a statement, or one that was not sent yet. */
export type Fragment = postgres.PendingQuery<postgres.Row[]>;

export interface DatabaseOptions {
  readonly url: string;
  /** Maximum connections of this pool. */
  readonly connections?: number;
  /** The role to work as; migrations pass null and stay the login role. */
  readonly role?: string | null;
  /** Name shown in pg_stat_activity. */
  readonly name: string;
  /** The server refuses every write of these connections. */
  readonly readOnly?: boolean;
  /** False: a commit is answered before it is on disk, so that a crash of the server loses the last of them, and never one before a kept one. */
  readonly waitsForDisk?: boolean;
  /** Writer of these connections. They show its secret, and its signature is on every transaction that changes logged tables. */
  readonly writer?: BatchSigner;
}

/** Timeout of a statement at the server, in milliseconds. */
const STATEMENT_TIMEOUT_MS = 15_000;
/** The longest wait before a lost connection is opened again, in seconds. */
const RECONNECT_CAP_S = 1;
/** Time for which the queries of a replaced pool may go on, in seconds, if statements have a limit: longer than any of them. */
const OLD_POOL_S = 20;

/**
 * Opens a pool that outlives its connections.
 * postgres.js can lose a connection in the middle of a write in such a way that the place of that connection in its pool
 * never works again: what was to be written stays behind, and nothing after it is sent. So the first loss of a connection
 * puts a new pool in the place of the old one, which is closed once its transactions and queries have ended: those on its
 * other connections have lost nothing, and an import takes longer than any statement.
 */
export function openDatabase(options: DatabaseOptions): Sql {
  let ended = false;
  const listeners = createListeners(() => current);
  const transactions = createTransactions();
  // Of the application's own role the policies ask nothing.
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
      // A change beside a transaction gets one of its own, so that it is signed.
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
/** Takes statements of a transaction that are not awaited. */
const SENDING = Symbol('sending');
type Sending = { [SENDING]?: (statement: Fragment, wanted: number | undefined) => void };

/**
 * Sends a statement whose answer the work of a transaction does not read, without waiting for it: together with others of its kind, and
 * before anything that might read what it writes. The transaction is committed only where all of them succeeded, and fails with the
 * error of the first that did not. @throws Error outside of a transaction of this store
 * @param wanted how many rows it has to write; any number if nothing is given
 */
export function send(transaction: Transaction, statement: Fragment, wanted?: number): void {
  const { [SENDING]: take } = transaction as Sending;
  if (take === undefined) throw new Error('only a transaction that was begun here waits for what is sent in it');
  take(statement, wanted);
}

/** Returns the proof that a pool's transactions show when they name an organization; empty if the pool has no writer's key. */
export function organizationProof(pool: Sql, orgId: string): string {
  return writers.get(pool)?.organizationProof(orgId) ?? '';
}

/** The transactions that have a connection, by their pool. */
interface Transactions {
  began(pool: Sql, outcome: Promise<unknown>): void;
  /** Resolves when those that are under way now have ended. A lost connection ends its transaction. */
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

/** Creates a `listen` that survives a replaced pool, whose listeners would receive nothing any more. */
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
          // The listener's connection goes on trying by itself.
          () => {},
        );
      }
    },
  };
}

/** A statement on a connection that is gone. It may be a part of another one, which nobody awaits. */
function lostStatement(): Promise<never> {
  const lost = Promise.reject<never>(Object.assign(new Error('the connection to PostgreSQL was lost'), { code: 'CONNECTION_CLOSED' }));
  lost.catch(() => {});
  return lost;
}

/** True if the first argument of a call is a statement's text, not names or values for one. */
function isText(strings: unknown): strings is TemplateStringsArray {
  return Array.isArray(strings) && Object.hasOwn(strings, 'raw');
}

/** Returns a statement that is sent, as in postgres.js, when it is awaited: in a transaction of its own, which ends signed. */
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
 * `begin` of a pool, for work that may outlive its connection: postgres.js rejects the transaction then, but would write
 * later statements of the work, and the ROLLBACK at its end, to a socket that it has forgotten, which throws if nobody
 * can catch it. So nothing of a lost transaction is sent any more.
 */
function beginOn(pool: Sql, writer: BatchSigner | null, transactions: Transactions, policies: boolean) {
  type Work<Value> = (transaction: Transaction) => Promise<Value>;
  return <Value>(...given: [Work<Value>] | [options: string, Work<Value>]): Promise<Value> => {
    const [options, work] = given.length === 2 ? given : ['', given[0]];
    let lost = false;
    let wrote = false;
    let sealed: Promise<unknown> = Promise.resolve();
    const received = (error: unknown): void => {
      // An error that the server goes on after is none: only a loss ends the transaction by itself.
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
            // Its own `then` would send what may be meant as a part of another statement.
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
          // Told by the transaction, which may have ended by then.
          answer.catch(() => {});
          sent.push(answer);
        };
        try {
          const done: unknown = work(guarded);
          // Statements may be given back as a list, as postgres.js allows.
          const value = (await (Array.isArray(done) ? Promise.all(done) : done)) as Value;
          gathering.flush();
          if (wrote && writer !== null && !lost) ({ sealed } = await beginSeal(guarded, writer));
          // PostgreSQL answers the COMMIT of a transaction that has failed without an error.
          await Promise.all(sent);
          return value;
        } finally {
          // The loss itself rejects the transaction.
          if (lost) await new Promise<never>(() => {});
        }
      })
      // The COMMIT was sent behind the signature: it rolls back where that was refused.
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
    // Its own would wait up to 20 s: too long after a restart of the server.
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
    // Array types are given below: fetching them is a query of its own at every new connection, and a connection that
    // is lost during it becomes an unhandled rejection that ends the process.
    fetch_types: false,
    types: {
      bigint: { to: 20, from: [20], serialize: (value: number) => String(value), parse: (text: string) => Number(text) },
      textArray: { to: 1009, from: [1009], serialize: arrayLiteral, parse: arrayElements },
      uuidArray: { to: 2951, from: [2951], serialize: arrayLiteral, parse: arrayElements },
      intArray: { to: 1007, from: [1007], serialize: numberArrayLiteral, parse: arrayNumbers },
      bigintArray: { to: 1016, from: [1016], serialize: numberArrayLiteral, parse: arrayNumbers },
    },
    // COPY over plain TCP stalls about 90 ms per statement unless Nagle's algorithm is off, and postgres.js leaves it on.
    ...(plainTcp ? { socket: () => connectWithoutDelay(target.hostname, Number(target.port || 5432)) } : {}),
  } as never) as unknown as Sql;
}

/** A one-dimensional array of texts as PostgreSQL spells it. */
function arrayLiteral(elements: readonly string[]): string {
  return `{${elements.map((element) => `"${element.replace(/[\\"]/g, '\\$&')}"`).join(',')}}`;
}

function numberArrayLiteral(elements: readonly number[]): string {
  return `{${elements.join(',')}}`;
}

function arrayNumbers(text: string): number[] {
  return arrayElements(text).map(Number);
}

/** Reads what `arrayLiteral` writes, and PostgreSQL's own spelling with bare elements. */
function arrayElements(text: string): string[] {
  const elements: string[] = [];
  for (const [, quoted, bare] of text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)) {
    elements.push(quoted === undefined ? (bare as string) : quoted.replace(/\\(.)/g, '$1'));
  }
  return elements;
}

/** Time after a reported loss in which its transactions have written their ROLLBACK. */
const CLOSE_DELAY_MS = 10;

/**
 * A socket whose loss is told as an error at once, and as its close only once nobody writes to it any more. On the close
 * postgres.js 3.4.9 forgets the socket, and what still writes then (the ROLLBACK of a transaction that has just learnt of
 * the loss, or a write that waits for its turn) throws if nobody can catch it and ends the process, or leaves a
 * connection that never writes again (porsager/postgres #1154 and #1208).
 */
class LateClosingSocket extends net.Socket {
  #written = false;
  #gathers = false;

  /** Batches what is written in one turn of the event loop, because each write would be a system call. */
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
      // A statement that began after the loss was told waits for an answer: it must be told as well, and may then roll back.
      if (this.#written) this.#tellOfLoss();
      else super.emit('close', false);
    }, CLOSE_DELAY_MS);
  }
}

/**
 * A socket that is still connecting: postgres.js receives its errors as those of any connection. A promise of a connected
 * one would leave a connection of the pool unusable for ever if it rejects.
 */
function connectWithoutDelay(host: string, port: number): net.Socket {
  return new LateClosingSocket().setNoDelay(true).connect({ host, port });
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

/** True for an error by which PostgreSQL refused what a statement would write: a value, a constraint, or the word of a trigger. */
export function isDataRefusal(error: unknown): boolean {
  return /^(22|23|P0)/.test(codeOf(error));
}

/**
 * True where PostgreSQL or this machine has run out of something: disk, memory, connections, file descriptors. What was under
 * way was not committed, and may be tried again once there is more of it.
 */
export function isOutOfResources(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('53') || EXHAUSTED.has(code);
}

/** PostgreSQL's input/output error, and what the system calls a full disk, a full quota and no more descriptors. */
const EXHAUSTED = new Set(['58030', 'ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

/** True for an error that says that PostgreSQL is away, busy or out of something: it blames no row. */
export function isOutage(error: unknown): boolean {
  return isRetryable(error) || isOutOfResources(error) || BUSY.has(codeOf(error));
}

/** A lock that was waited for too long, and a statement that was cancelled. */
const BUSY = new Set(['55P03', '57014']);

const LOSSES = new Set(['57P01', '57P02', '57P03', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'CONNECT_TIMEOUT']);

function codeOf(error: unknown): string {
  return valueText((error as { code?: unknown } | null)?.code ?? '');
}
