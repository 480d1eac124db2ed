/**
 * A million random fills and transfers on a real PostgreSQL: afterwards every sum of the ledger is exactly zero, and every
 * book is the fold of its operations. Not how fast, but whether ever different; the rate is told besides.
 * `--operations <n>` and `--seed <n>` choose others.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { writeRecords } from '../src/adapters/store/actor-records.ts';
import { booksOfOrganizations } from '../src/adapters/store/book-store.ts';
import { openDatabase, type Sql } from '../src/adapters/store/database.ts';
import { startEmbeddedPostgres } from '../src/adapters/store/embedded-postgres.ts';
import { migrate } from '../src/adapters/store/migrate.ts';
import type { ActorRecord } from '../src/domain/actor-step.ts';
import { applyFill, applyTransfer, type BookState, bookIds, emptyBook } from '../src/domain/book.ts';
import { Decimal } from '../src/domain/decimal.ts';
import { randomOperations } from '../test/domain/random-fills.ts';

const { values } = parseArgs({ options: { operations: { type: 'string', default: '1000000' }, seed: { type: 'string', default: '1' } } });
const OPERATIONS = Number(values.operations);
/** Books that are written side by side, and operations of one transaction. */
const BOOKS = 4;
const STEP = 500;

interface Written {
  readonly bookId: string;
  state: BookState;
  readonly quantities: Map<string, Decimal>;
}

/** One book's share of the operations: each step is one transaction, and is folded in memory as well. */
async function write(sql: Sql, orgId: string, seed: number, operations: number): Promise<Written> {
  const bookId = bookIds.manual(orgId);
  const next = randomOperations(seed, [bookId]);
  const written: Written = { bookId, state: emptyBook(bookId, 'paper', '0'), quantities: new Map() };
  for (let done = 0; done < operations; done += STEP) {
    const records: ActorRecord[] = [];
    for (let i = 0; i < Math.min(STEP, operations - done); i++) {
      const operation = next();
      if (operation.kind === 'transfer') {
        records.push({ ...operation, type: 'ledger', orgId });
        written.state = applyTransfer(written.state, operation.amountUsd);
      } else {
        const { fill } = operation;
        records.push({ type: 'fill', orgId, fill });
        written.state = applyFill(written.state, fill);
        const sum = written.quantities.get(fill.instrument) ?? new Decimal(0);
        written.quantities.set(fill.instrument, fill.side === 'buy' ? sum.plus(fill.quantity) : sum.minus(fill.quantity));
      }
    }
    await sql.begin((transaction) => writeRecords(transaction, records));
  }
  return written;
}

async function verify(sql: Sql, orgIds: readonly string[], written: readonly Written[]): Promise<void> {
  const off = await sql`
    select a.book_id from ledger_legs l join ledger_accounts a on a.id = l.account_id group by a.book_id, a.asset having sum(l.amount) <> 0
    union all
    select l.transaction_id from ledger_legs l join ledger_accounts a on a.id = l.account_id group by l.transaction_id, a.asset having sum(l.amount) <> 0`;
  assert.deepEqual([...off], []);
  const stored = new Map((await booksOfOrganizations(sql, orgIds, 'paper')).map((book) => [book.id, book]));
  const positions = await sql<{ book_id: string; asset: string; held: string }[]>`
    select a.book_id, a.asset, sum(l.amount) as held from ledger_legs l join ledger_accounts a on a.id = l.account_id where a.kind = 'position' group by 1, 2`;
  let booked = 0;
  for (const { bookId, state, quantities } of written) {
    assert.deepEqual(stored.get(bookId)?.state, state);
    booked += stored.get(bookId)?.version ?? 0;
    for (const { asset, held } of positions.filter((row) => row.book_id === bookId))
      assert.ok(quantities.get(asset)?.eq(held), `${bookId} ${asset}`);
  }
  assert.equal(booked, OPERATIONS);
}

const home = mkdtempSync(join(tmpdir(), 'sevengate-bench-'));
// Let through, so that a server that root starts as another user lies in here as well and goes with it.
chmodSync(home, 0o711);
const ends: (() => unknown)[] = [() => rmSync(home, { recursive: true, force: true })];
try {
  const server = await startEmbeddedPostgres({ home, log: () => {} });
  ends.push(() => server.stop());
  await migrate(server.url);
  const sql = openDatabase({ url: server.url, name: 'bench', connections: BOOKS });
  ends.push(() => sql.end());
  const orgIds = Array.from({ length: BOOKS }, (_, index) => `00000000-0000-7000-8000-00000000000${index + 1}`);
  for (const id of orgIds) await sql`insert into organizations (id, name) values (${id}, 'bench')`;
  const began = performance.now();
  const share = Math.floor(OPERATIONS / BOOKS);
  const written = await Promise.all(
    orgIds.map((id, index) => write(sql, id, Number(values.seed) + index, index === 0 ? OPERATIONS - share * (BOOKS - 1) : share)),
  );
  const seconds = (performance.now() - began) / 1_000;
  await verify(sql, orgIds, written);
  process.stdout.write(
    `${OPERATIONS} operations of seed ${values.seed}: every sum is zero and every book is its fold; ${(OPERATIONS / seconds).toFixed(0)} operations a second\n`,
  );
} finally {
  for (const end of ends.reverse()) await end();
}
