// Books under crashes: connections of writers are killed during their work, on a real PostgreSQL.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { bookIds } from '../../../../src/domain/books/book.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { rounds } from '../../../harness/rounds.ts';
import { assertBooked, writeUnderCrashes } from '../crashing-writers.ts';
import { agentRow, ORG } from '../reads.ts';

const OPERATIONS = rounds({ suite: 300, proof: 3_000 });
let url: string;
let sql: Sql;
let killer: Sql;
beforeAll(async () => {
  url = await testDatabase();
  sql = openDatabase({ url, name: 'book crashes', connections: 4 });
  killer = openDatabase({ url, role: null, name: 'killer', connections: 2 });
  await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
});
afterAll(() => Promise.all([sql.end(), killer.end()]));

test(`${OPERATIONS} operations of four writers on four books (seed 5), every fourth attempt killed: all booked once, every sum zero, every book its fold`, async () => {
  const agents = await Promise.all(Array.from({ length: 3 }, () => agentRow(sql, ORG, '2026-03-02T00:00:00Z')));
  const ids = [bookIds.manual(ORG), ...agents.map((agent) => bookIds.paper(agent, 1))];
  const crashed = await writeUnderCrashes({
    url,
    killer,
    orgId: ORG,
    bookIds: ids,
    seed: 5,
    writers: 4,
    operations: OPERATIONS,
    step: 8,
    killOneIn: 4,
  });
  await assertBooked(sql, ORG, ids, crashed);
  expect(crashed.killed).toBeGreaterThan(10);
});
