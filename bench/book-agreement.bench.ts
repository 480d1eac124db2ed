/**
 * Books a million random fills and transfers on a real PostgreSQL, with four writers to the same books whose connections the server
 * kills as they write. Afterwards every operation is booked exactly once, every sum of the ledger is exactly zero, and every book
 * equals the fold of its entries. Tests correctness, not speed; prints the rate as well.
 * `--operations <n>`, `--seed <n>` and `--kill-one-in <n>` (attempts) choose others.
 */
import { parseArgs } from 'node:util';
import { openDatabase } from '../src/adapters/store/database.ts';
import { migrate } from '../src/adapters/store/migrate.ts';
import { bookIds } from '../src/domain/books/book.ts';
import { assertBooked, writeUnderCrashes } from '../test/adapters/store/crashing-writers.ts';
import { agentRow, ORG } from '../test/adapters/store/reads.ts';
import { withDatabase } from './database.ts';

const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '1000000' },
    seed: { type: 'string', default: '1' },
    'kill-one-in': { type: 'string', default: '10' },
  },
});
const operations = Number(values.operations);
const WRITERS = 4;
/** Operations per transaction. */
const STEP = 500;

await withDatabase(async ({ server, ends }) => {
  await migrate(server.url);
  // The login role may end other connections, and its statements over all rows have no timeout.
  const sql = openDatabase({ url: server.url, role: null, name: 'bench', connections: WRITERS });
  ends.push(() => sql.end());
  await sql`insert into organizations (id, name) values (${ORG}, 'bench')`;
  const agents = await Promise.all(['a', 'b', 'c'].map(() => agentRow(sql, ORG, '2026-03-02T00:00:00Z')));
  const books = [bookIds.manual(ORG), ...agents.map((agent) => bookIds.paper(agent, 1))];
  const began = performance.now();
  const crashed = await writeUnderCrashes({
    url: server.url,
    killer: sql,
    orgId: ORG,
    bookIds: books,
    seed: Number(values.seed),
    writers: WRITERS,
    operations,
    step: STEP,
    killOneIn: Number(values['kill-one-in']),
  });
  const seconds = (performance.now() - began) / 1_000;
  await assertBooked(sql, ORG, books, crashed);
  process.stdout.write(
    `${operations} operations of seed ${values.seed} by ${WRITERS} writers on ${books.length} books, ${crashed.killed} connections killed (${crashed.committedAllTheSame} of them after their commit): ` +
      `all booked once, every sum is zero and every book is its fold; ${(operations / seconds).toFixed(0)} operations a second\n`,
  );
});
