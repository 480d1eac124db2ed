// Several writers book to the same books over connections that the server kills as they write. Each retries until its
// operations are booked. Afterwards everything must be booked exactly once, and every sum must be zero.
import assert from 'node:assert/strict';
import { writeRecords } from '../../../src/adapters/store/actors/actor-records.ts';
import { toFill } from '../../../src/adapters/store/books/book-reads.ts';
import { booksOfOrganizations } from '../../../src/adapters/store/books/book-store.ts';
import { isConnectionLoss, openDatabase, type Sql, type Transaction } from '../../../src/adapters/store/database.ts';
import type { ActorRecord } from '../../../src/domain/agents/actor-step.ts';
import { applyFill, applyTransfer, emptyBook, type Fill, type TradingBook } from '../../../src/domain/books/book.ts';
import { type Operation, randomOperations, seededRandom } from '../../domain/random-fills.ts';

export interface CrashingWriters {
  readonly url: string;
  /** Connection of the login role, which is not killed. It kills the others; the application's role may not. */
  readonly killer: Sql;
  readonly orgId: string;
  readonly bookIds: readonly string[];
  readonly seed: number;
  /** At most five; all of them write to all books. */
  readonly writers: number;
  readonly operations: number;
  /** Operations per transaction. */
  readonly step: number;
  /** One attempt in this many is killed. */
  readonly killOneIn: number;
}

/** Expected bookings of one book, added up without the product's code, in units of 10^-18. */
interface Sums {
  cash: bigint;
  fees: bigint;
  operations: number;
  readonly quantities: Map<string, bigint>;
}

export interface Crashed {
  /** Attempts whose connection the server ended. */
  readonly killed: number;
  /** Killed attempts that had committed: the next attempt found everything booked. */
  readonly committedAllTheSame: number;
  readonly sums: ReadonlyMap<string, Sums>;
}

const SCALE = 18;
function units(text: string): bigint {
  const negative = text.startsWith('-');
  const [whole = '0', fraction = ''] = text.replace('-', '').split('.');
  const value = BigInt(whole + fraction.padEnd(SCALE, '0'));
  return negative ? -value : value;
}

function add(sums: Map<string, Sums>, operation: Operation): void {
  const bookId = operation.kind === 'fill' ? operation.fill.bookId : operation.bookId;
  const own = sums.get(bookId) ?? { cash: 0n, fees: 0n, operations: 0, quantities: new Map() };
  sums.set(bookId, own);
  own.operations++;
  if (operation.kind === 'transfer') {
    own.cash += units(operation.amountUsd);
    return;
  }
  const { side, quantity, notionalUsd, feeUsd, instrument } = operation.fill;
  const sign = side === 'buy' ? 1n : -1n;
  own.cash -= sign * units(notionalUsd) + units(feeUsd);
  own.fees += units(feeUsd);
  own.quantities.set(instrument, (own.quantities.get(instrument) ?? 0n) + sign * units(quantity));
}

/**
 * Returns a transaction that runs something before each statement. Statements stay in order, also those not awaited:
 * a statement out of order would fail for a reason unrelated to a crash.
 */
export function beforeEachStatement(transaction: Transaction, before: () => Promise<void>): Transaction {
  let turn = Promise.resolve();
  return new Proxy(transaction, {
    apply(target, _, parameters: unknown[]) {
      const isStatement = Array.isArray(parameters[0]) && 'raw' in (parameters[0] as object);
      if (!isStatement) return Reflect.apply(target as never, undefined, parameters);
      turn = turn.then(before);
      return turn.then(() => Reflect.apply(target as never, undefined, parameters));
    },
  });
}

/** Point of death of an attempt: before one of its statements, or during the commit. */
type Death = { readonly before: number } | 'commit' | null;

/** Makes one attempt at one step. @throws on a lost connection, or a unique violation if already booked. */
async function attempt(victim: Sql, killer: Sql, records: readonly ActorRecord[], death: Death): Promise<void> {
  let killing: Promise<unknown> = Promise.resolve();
  try {
    await victim.begin(async (transaction) => {
      if (death === null) return writeRecords(transaction, records);
      const [backend] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`;
      const kill = async (): Promise<void> => void (await killer`select pg_terminate_backend(${backend?.pid as number})`);
      let statements = 0;
      const dying = beforeEachStatement(transaction, async () => {
        if (death !== 'commit' && ++statements === death.before) await kill();
      });
      await writeRecords(dying, records);
      // Not awaited: the commit and the kill race each other.
      if (death === 'commit') killing = kill();
    });
  } finally {
    await killing;
  }
}

/** True if a step is in the ledger. With its first record are all of them, which the sums at the end prove. */
async function isBooked(sql: Sql, [first]: readonly ActorRecord[]): Promise<boolean> {
  const entry = first?.type === 'fill' ? `fill:${(first['fill'] as Fill).id}` : `transfer:${first?.['reference'] as string}`;
  return (await sql`select 1 from ledger_transactions where id = ${entry}`).length > 0;
}

/** Books a writer's share of the operations, retrying each step until it is booked. */
async function write(
  options: CrashingWriters,
  place: number,
  tally: { killed: number; committedAllTheSame: number },
  sums: Map<string, Sums>,
) {
  const { url, killer, orgId, bookIds, seed, writers, step, killOneIn } = options;
  const next = randomOperations(seed + place, bookIds, { place, of: writers });
  const random = seededRandom(seed * 31 + place);
  const victim = openDatabase({ url, name: `writer ${place}`, connections: 1 });
  const share = Math.floor(options.operations / writers) + (place < options.operations % writers ? 1 : 0);
  async function untilBooked(records: readonly ActorRecord[]): Promise<void> {
    for (let lost = false; ; ) {
      const dies = random() * killOneIn < 1;
      const death: Death = !dies ? null : random() < 0.4 ? 'commit' : { before: 1 + Math.floor(random() * 10) };
      try {
        return await attempt(victim, killer, records, death);
      } catch (error) {
        if (isConnectionLoss(error)) {
          tally.killed++;
          lost = true;
          continue;
        }
        // Refused as a duplicate (a repeated sale is refused for its position before its id is checked).
        if (!lost || !(await isBooked(killer, records))) throw error;
        tally.committedAllTheSame++;
        return;
      }
    }
  }
  try {
    for (let done = 0; done < share; done += step) {
      const operations = Array.from({ length: Math.min(step, share - done) }, next);
      for (const operation of operations) add(sums, operation);
      const records = operations.map(
        (operation): ActorRecord =>
          operation.kind === 'fill' ? { type: 'fill', orgId, fill: operation.fill } : { ...operation, type: 'ledger', orgId },
      );
      // The books of one kind of record are locked at once. With both kinds in one transaction they would be locked one kind
      // after the other, and writers could deadlock: PostgreSQL would end one, which retries after a second.
      for (const type of ['ledger', 'fill']) {
        const alike = records.filter((record) => record.type === type);
        if (alike.length > 0) await untilBooked(alike);
      }
    }
  } finally {
    await victim.end({ timeout: 5 });
  }
}

/** Lets all writers write concurrently until everything is booked. */
export async function writeUnderCrashes(options: CrashingWriters): Promise<Crashed> {
  const tally = { killed: 0, committedAllTheSame: 0 };
  const sums = new Map<string, Sums>();
  // The others finish before a failure is reported, so that none writes to a database being closed.
  const ends = await Promise.allSettled(Array.from({ length: options.writers }, (_, place) => write(options, place, tally, sums)));
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return { ...tally, sums };
}

type FillRow = Parameters<typeof toFill>[0];

interface BookedRow extends FillRow {
  entry: string;
  entry_book: string;
  entry_kind: 'opening' | 'transfer' | 'fill';
  cash: string;
}

/** Folds every book from the tables beneath its projection, in booking order. */
async function folded(sql: Sql, bookIds: readonly string[]): Promise<Map<string, TradingBook>> {
  const books = new Map<string, TradingBook>(bookIds.map((id) => [id, emptyBook(id, 'paper', '0')]));
  const rows = sql<BookedRow[]>`
    select t.id as entry, t.book_id as entry_book, t.kind as entry_kind, f.*,
      (select l.amount from ledger_legs l join ledger_accounts a on a.id = l.account_id where l.transaction_id = t.id and a.kind = 'cash') as cash
    from ledger_transactions t left join fills f on 'fill:' || f.id = t.id where t.book_id = any(${[...bookIds]}::text[]) order by t.number`;
  for await (const page of rows.cursor(2_000)) {
    for (const row of page) {
      const book = books.get(row.entry_book) as TradingBook;
      const state =
        row.entry_kind === 'fill'
          ? applyFill(book, toFill(row))
          : row.entry_kind === 'opening'
            ? emptyBook(book.id, 'paper', row.cash)
            : applyTransfer(book, row.cash);
      books.set(book.id, state);
    }
  }
  return books;
}

/**
 * Compares the database with the expected bookings.
 * @throws AssertionError if a sum of any transaction, book or asset is not exactly zero, if something was booked twice
 * or not at all, or if a book is not the fold of its entries.
 */
export async function assertBooked(sql: Sql, orgId: string, bookIds: readonly string[], { sums }: Crashed): Promise<void> {
  const off = await sql`
    select a.book_id, a.asset, sum(l.amount) from ledger_legs l join ledger_accounts a on a.id = l.account_id group by a.book_id, a.asset having sum(l.amount) <> 0
    union all
    select l.transaction_id, a.asset, sum(l.amount) from ledger_legs l join ledger_accounts a on a.id = l.account_id group by l.transaction_id, a.asset having sum(l.amount) <> 0`;
  assert.deepEqual([...off], []);
  const folds = await folded(sql, bookIds);
  const stored = new Map((await booksOfOrganizations(sql, [orgId], 'paper')).map((book) => [book.id, book]));
  const positions = await sql<{ book_id: string; asset: string; held: string }[]>`
    select a.book_id, a.asset, sum(l.amount) as held from ledger_legs l join ledger_accounts a on a.id = l.account_id
    where a.kind = 'position' and a.book_id = any(${[...bookIds]}::text[]) group by 1, 2`;
  for (const id of bookIds) {
    const book = stored.get(id);
    const own = sums.get(id);
    assert.ok(book !== undefined && own !== undefined, `nothing was booked to ${id}`);
    assert.deepEqual(book.state, {
      ...(folds.get(id) as TradingBook),
      day: book.state.day,
      dayStartEquityUsd: book.state.dayStartEquityUsd,
    });
    assert.equal(book.version, own.operations, `${id} counts what was booked`);
    // The counter account of a manual book supplies its cash.
    const cash = id.startsWith('manual:') ? 0n : units(await openingOf(sql, id)) + own.cash;
    assert.equal(units(book.state.cashUsd), cash, `cash of ${id}`);
    assert.equal(units(book.state.feesUsd), own.fees, `fees of ${id}`);
    const held = new Map(positions.filter((row) => row.book_id === id).map(({ asset, held: sum }) => [asset, units(sum)]));
    assert.deepEqual(held, new Map([...own.quantities].sort(([a], [b]) => (a < b ? -1 : 1)).filter(([asset]) => held.has(asset))));
    assert.equal(held.size, own.quantities.size, `instruments of ${id}`);
    const holdings = new Map(book.state.holdings.map(({ instrument, quantity }) => [instrument as string, units(quantity)]));
    for (const [instrument, quantity] of own.quantities) assert.equal(holdings.get(instrument) ?? 0n, quantity, `${instrument} in ${id}`);
  }
}

async function openingOf(sql: Sql, bookId: string): Promise<string> {
  const [row] = await sql<{ amount: string }[]>`
    select l.amount from ledger_transactions t join ledger_legs l on l.transaction_id = t.id join ledger_accounts a on a.id = l.account_id
    where t.book_id = ${bookId} and t.kind = 'opening' and a.kind = 'cash'`;
  return row?.amount ?? '0';
}
