/**
 * Combines waiting statements of a transaction into one with a `with` clause each, if they change different tables and do not read each
 * other's changes. Sending a statement costs more than most of them do.
 */
import type { Fragment, Transaction } from './database.ts';

/** Maximum statements combined into one. */
const MOST = 16;

/** Waiting statement and the receiver of its row count. */
interface Waiting {
  readonly statement: Fragment;
  readonly counted: (rows: number) => void;
  readonly failed: (error: unknown) => void;
}

/** Statement in postgres.js before `handle` sends it. It may contain other statements. */
type Statement = Fragment & {
  readonly strings: readonly string[];
  readonly args: readonly unknown[];
  readonly executed: boolean;
  handle(): Promise<unknown>;
};

/** Tables in a statement and its effect. */
interface Reading {
  readonly words: ReadonlySet<string>;
  readonly targets: readonly string[];
  /** Table to which it adds rows, or null. */
  readonly adds: string | null;
  /** True if it can be combined: it changes rows without returning any, or notifies. */
  readonly joins: boolean;
  /** Suffix that makes it return one row per changed row. */
  readonly shows: string;
  /** True if it only locks rows; waiting statements need not be sent before it. */
  readonly locks: boolean;
  /** True if its locks must precede those of later statements. */
  readonly locksFirst: boolean;
}

/** Tables that foreign keys refer to. */
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
  'members',
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
/** Pattern of a function call that must run even if its result is not read. */
const CALLS = /^\s*select\s+pg_notify\s*\(/i;
const ADDS = /^\s*insert\s+into\s+(\w+)/i;
const LOCKS = /^\s*select\b[\s\S]*\bfor\s+(?:share|update|no key update|key share)\b/i;

const readings = new WeakMap<readonly string[], Reading>();

function renderText({ strings, args }: Statement): string {
  return strings
    .map((part, index) => {
      const before = args[index - 1];
      return `${isStatement(before) ? renderText(before) : ''}${part}`;
    })
    .join(' ');
}

/** Returns true if the work is one statement, which can be sent without waiting or be combined. */
export function isStatement(work: unknown): work is Statement {
  return work instanceof Promise && 'handle' in work;
}

/** Analyses a statement, cached by its text; embedded statements are analysed separately. */
function read(statement: Statement): Reading {
  const isPlain = !statement.args.some(isStatement);
  const known = isPlain ? readings.get(statement.strings) : undefined;
  if (known !== undefined) return known;
  const text = renderText(statement);
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

/** Returns the template around statements, each of which returns its changed rows. */
function frame(shown: readonly string[]): TemplateStringsArray {
  const key = shown.map((suffix) => (suffix === '' ? 'c' : 's')).join('');
  let text = texts.get(key);
  if (text === undefined) {
    // Counts are evaluated from left to right, each after its statement, which fixes the order of statements.
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
 * Creates the gathering of one transaction. With `policies`, rows may only refer to visible rows, and combined statements do not see each
 * other's additions, so adding rows to a referenced table ends the group.
 */
export function createGathering(transaction: Transaction, policies: boolean) {
  let waiting: (Waiting & { readonly statement: Statement })[] = [];
  let written = new Set<string>();
  let isOrdered = false;

  function sendAlone({ statement, counted, failed }: Waiting): void {
    statement.then(({ count }) => counted(count), failed);
  }

  /** Sends the waiting statements. */
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

    /** Adds a statement. It is sent with the next ones, or by itself if it cannot be combined. */
    add(one: Waiting): void {
      const { statement } = one;
      // Nothing is sent on a lost connection.
      if (!isStatement(statement)) return sendAlone(one);
      const { words, targets, joins, locksFirst, adds } = read(statement);
      if (!joins || waiting.length >= MOST || [...written].some((table) => words.has(table))) flush();
      if (!joins) return sendAlone(one);
      waiting.push({ ...one, statement });
      isOrdered ||= locksFirst;
      if (policies && adds !== null && REFERRED_TABLES.has(adds)) flush();
      for (const table of targets) written.add(table);
    },

    /** Sends waiting statements before one that might read them. A lock on rows of other tables is taken first. */
    before(statement: Statement): void {
      if (waiting.length === 0) return;
      const { words, locks } = read(statement);
      if (!locks || isOrdered || [...written].some((table) => words.has(table))) flush();
    },
  };
}
