/**
 * Statements of a transaction that wait to be sent as one: what changes different tables, and reads nothing of what another of them
 * writes, is carried out by a single statement with one `with` for each. A statement costs its messages, its wake of the server and
 * its answer, which is more than most of them have to do.
 */
import type { Fragment, Transaction } from './database.ts';

/** At most so many statements are one. */
const MOST = 16;

/** A statement that waits, and where its number of rows goes. */
export interface Waiting {
  readonly statement: Fragment;
  readonly counted: (rows: number) => void;
  readonly failed: (error: unknown) => void;
}

/** Statement as postgres.js keeps it until `handle` sends it. Other statements may be parts of it. */
type Statement = Fragment & {
  readonly strings: readonly string[];
  readonly args: readonly unknown[];
  readonly executed: boolean;
  handle(): Promise<unknown>;
};

/** Names in a statement, and what it changes. */
interface Reading {
  readonly words: ReadonlySet<string>;
  readonly targets: readonly string[];
  /** Table that it adds rows to; null if it adds none. */
  readonly adds: string | null;
  /** One that can be a part of another: it changes rows and shows none, or notifies. */
  readonly joins: boolean;
  /** Suffix with which it shows a row for each that it changes. */
  readonly shows: string;
  /** Takes locks and nothing else: what waits is not put before it. */
  readonly locks: boolean;
  /** Locks of its own come before those of whatever follows. */
  readonly locksFirst: boolean;
}

/** Tables that rows of others refer to by a foreign key. */
export const REFERRED_TABLES: ReadonlySet<string> = new Set([
  'actors',
  'agent_tokens',
  'agents',
  'books',
  'bridge_transfers',
  'cuts',
  'delegations',
  'event_archives',
  'evaluation_runs',
  'evidence',
  'fills',
  'intelligence_events',
  'leaderboard_wallets',
  'ledger_accounts',
  'ledger_transactions',
  'licences',
  'manifests',
  'marketplace_checkouts',
  'marketplace_listings',
  'moved_history',
  'organizations',
  'outside_proposals',
  'prediction_events',
  'prediction_markets',
  'prepared_transactions',
  'proposals',
  'reserve_checks',
  'shadow_orders',
  'signal_hooks',
  'vaults',
]);

const TARGET = /\b(?:insert\s+into|(?<!for\s)(?<!do\s)(?<!no\s+key\s)update|delete\s+from|merge\s+into|copy)\s+(\w+)/gi;
const CHANGES = /^\s*(?:insert|update|delete)\b(?![\s\S]*\breturning\b)/i;
/** A function that has to be called, whatever is read of its answer. */
const CALLS = /^\s*select\s+pg_notify\s*\(/i;
const ADDS = /^\s*insert\s+into\s+(\w+)/i;
const LOCKS = /^\s*select\b[\s\S]*\bfor\s+(?:share|update|no key update|key share)\b/i;

const readings = new WeakMap<readonly string[], Reading>();

function textOf({ strings, args }: Statement): string {
  return strings
    .map((part, index) => {
      const before = args[index - 1];
      return `${isStatement(before) ? textOf(before) : ''}${part}`;
    })
    .join(' ');
}

/** True if started work is one statement, which can be sent without waiting for it, or be a part of another one. */
export function isStatement(work: unknown): work is Statement {
  return work instanceof Promise && 'handle' in work;
}

/** Reads a statement once: its text is the same each time, but for parts that are statements. */
function read(statement: Statement): Reading {
  const isPlain = !statement.args.some(isStatement);
  const known = isPlain ? readings.get(statement.strings) : undefined;
  if (known !== undefined) return known;
  const text = textOf(statement);
  const changes = CHANGES.test(text);
  const reading: Reading = {
    words: new Set(text.toLowerCase().match(/\w+/g)),
    targets: [...text.matchAll(TARGET)].map(([, table = '']) => table.toLowerCase()),
    adds: ADDS.exec(text)?.[1]?.toLowerCase() ?? null,
    joins: changes || CALLS.test(text),
    shows: changes ? ' returning 1' : '',
    locks: LOCKS.test(text),
    locksFirst: changes && / for update\b/i.test(text),
  };
  if (isPlain) readings.set(statement.strings, reading);
  return reading;
}

const texts = new Map<string, TemplateStringsArray>();

/** The text around statements, each of which shows a row for each that it changes. */
function frame(shown: readonly string[]): TemplateStringsArray {
  const key = shown.map((suffix) => (suffix === '' ? 'c' : 's')).join('');
  let text = texts.get(key);
  if (text === undefined) {
    // The counts are read from left to right, and each is counted once its statement is through: that is their order.
    const counts = shown.map((_, index) => `(select count(*) from s${index}) as s${index}`).join(', ');
    const parts = [
      'with s0 as (',
      ...shown.map((suffix, index) => `${suffix})${index + 1 < shown.length ? `, s${index + 1} as (` : ` select ${counts}`}`),
    ];
    text = Object.assign(parts, { raw: parts }) as unknown as TemplateStringsArray;
    texts.set(key, text);
  }
  return text;
}

/**
 * Creates what gathers the statements of one transaction. With `policies` its role writes only rows that refer to what it may see, and
 * a statement sees nothing of what another part of it adds: what adds rows that others refer to ends its group.
 */
export function createGathering(transaction: Transaction, policies: boolean) {
  let waiting: (Waiting & { readonly statement: Statement })[] = [];
  let written = new Set<string>();
  let isOrdered = false;

  function sendAlone({ statement, counted, failed }: Waiting): void {
    statement.then(({ count }) => counted(count), failed);
  }

  /** Sends what waits. */
  function flush(): void {
    const group = waiting;
    if (group.length === 0) return;
    waiting = [];
    written = new Set();
    isOrdered = false;
    if (group.length === 1) return sendAlone(group[0] as Waiting);
    const together = transaction<Record<string, number>[]>(
      frame(group.map(({ statement }) => read(statement).shows)),
      ...(group.map(({ statement }) => statement) as never[]),
    );
    together.then(
      ([counts]) => group.forEach(({ counted }, index) => counted(Number(counts?.[`s${index}`]))),
      (error: unknown) => {
        for (const { failed } of group) failed(error);
      },
    );
  }

  return {
    flush,

    /** Takes a statement that changes rows: it is sent with the next ones, or by itself where it cannot be a part. */
    add(one: Waiting): void {
      const { statement } = one;
      // Nothing is sent on a lost connection: it is an error already.
      if (!isStatement(statement)) return sendAlone(one);
      const { words, targets, joins, locksFirst, adds } = read(statement);
      if (!joins || waiting.length >= MOST || [...written].some((table) => words.has(table))) flush();
      if (!joins) return sendAlone(one);
      waiting.push({ ...one, statement });
      isOrdered ||= locksFirst;
      if (policies && adds !== null && REFERRED_TABLES.has(adds)) flush();
      for (const table of targets) written.add(table);
    },

    /** Sends what waits before a statement that might read it. A lock on rows of other tables is taken first. */
    before(statement: Statement): void {
      if (waiting.length === 0) return;
      const { words, locks } = read(statement);
      if (!locks || isOrdered || [...written].some((table) => words.has(table))) flush();
    },
  };
}
