// Exposure of an organization from the sums beside its books: equal to the sum over the books themselves after any
// changes by concurrent writers, and as cheap with a thousand books as with one.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeRecords } from '../../../../src/adapters/store/actors/actor-records.ts';
import { inTransaction } from '../../../../src/adapters/store/actors/actor-store.ts';
import { booksOfOrganizations } from '../../../../src/adapters/store/books/book-store.ts';
import { verifyBooks } from '../../../../src/adapters/store/books/book-verifier.ts';
import { otherBookSums } from '../../../../src/adapters/store/books/exposure-reads.ts';
import { openDatabase, type Sql, type Transaction } from '../../../../src/adapters/store/database.ts';
import type { ActorRecord } from '../../../../src/domain/agents/actor-step.ts';
import { bookIds, markBook } from '../../../../src/domain/books/book.ts';
import { exposureOfSums, exposureTotals } from '../../../../src/domain/risk/index.ts';
import type { InstrumentKey } from '../../../../src/domain/market/venue.ts';
import { sampleManifest } from '../../../actors/agent/sample.ts';
import { randomOperations, seededRandom } from '../../../domain/random-fills.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { agentRow, freshId, ORG, OTHER } from '../reads.ts';
import { runQuery } from '../../../../src/adapters/store/queries.ts';
import { rounds } from '../../../harness/rounds.ts';

let sql: Sql;
let superuser: Sql;
beforeAll(async () => {
  const url = await testDatabase();
  sql = openDatabase({ url, name: 'exposures', connections: 5 });
  superuser = openDatabase({ url, role: null, name: 'exposures owner', connections: 1 });
  await sql`insert into organizations (id, name) values (${ORG}, 'ours'), (${OTHER}, 'theirs')`;
});
afterAll(() => Promise.all([sql.end(), superuser.end()]));

/** One instrument has no mark: its positions count at cost. */
const MARKS: ReadonlyMap<InstrumentKey, string> = new Map([
  ['spotexchange:BTCUSDT', '61000.07'],
  ['spotexchange:SOLUSDT', '141.3'],
  ['spotchain:AAPLx', '233.1234567'],
  ['evmvenue:ETH', '3100.11'],
]);

/** Computes the exposure outside a book from the books and proposals themselves. */
async function fromBooks(orgId: string, exceptBookId: string) {
  const books = await booksOfOrganizations(sql, [orgId], 'paper');
  return exposureTotals(
    books.map(({ state }) => markBook(state, MARKS, 0)),
    'paper',
  ).without(exceptBookId);
}

const fromSums = async (orgId: string, exceptBookId: string) =>
  exposureOfSums(await runQuery(otherBookSums(sql, { orgId, mode: 'paper', exceptBookId })), MARKS);

async function expectEqual(orgId: string, exceptBookIds: readonly string[]): Promise<void> {
  for (const id of exceptBookIds) expect(await fromSums(orgId, id)).toEqual(await fromBooks(orgId, id));
}

const complaints = async (): Promise<string[]> => {
  const found: string[] = [];
  await sql.begin((transaction) => verifyBooks(transaction, (_, __, part, detail) => part === 'exposure' && found.push(detail)));
  return found;
};

const activate = (agent: string, version: number) =>
  sql`update agents set manifest_version = m.version, manifest_hash = m.hash from manifests m where m.agent_id = agents.id and m.version = ${version} and agents.id = ${agent}`;

async function propose(orgId: string, agent: string, bookId: string, instrument: string, version = 1): Promise<string> {
  const id = freshId();
  await sql.begin(async (transaction) => {
    await transaction`insert into actors (id, org_id, kind, machine, version, snapshot, status) values (${id}, ${orgId}, 'proposal', 'proposal@1', 1, '{}', 'running')`;
    await transaction`
      insert into proposals (id, org_id, agent_id, decision_id, slot, side, manifest_version, manifest_hash, autonomy, epoch, mode, book_id, instrument,
        order_body, notional_usd, decision_price, reads_reference, risk, state, created_at, expires_at, changed_at)
      values (${id}, ${orgId}, ${agent}, ${freshId()}, 0, 'entry', ${version}, 'hash', 'confirm', 0, 'paper', ${bookId}, ${instrument},
        ${transaction.json({ side: 'buy', quantity: '1.5' })}, 300.125, 200, false, '{}', 'pending_approval', 0, 0, 0)`;
  });
  return id;
}

test('random fills, transfers, proposals and new versions (seed 23): the sums are those of the books for whoever asks', async () => {
  const agents = await Promise.all(
    Array.from({ length: 4 }, () => agentRow(sql, ORG, '2026-03-02T00:00:00Z', [sampleManifest(), sampleManifest({ name: 'second' })])),
  );
  for (const agent of agents) await activate(agent, 1);
  const ids = [...agents.map((agent) => bookIds.paper(agent, 1)), bookIds.manual(ORG)];
  const next = randomOperations(23, ids);
  const random = seededRandom(23);
  const open: string[] = [];
  const steps = rounds({ suite: 60, proof: 120 });
  for (let step = 0; step < steps; step++) {
    const operation = next();
    const record: ActorRecord =
      operation.kind === 'fill' ? { type: 'fill', orgId: ORG, fill: operation.fill } : { ...operation, type: 'ledger', orgId: ORG };
    await sql.begin((transaction) => writeRecords(transaction, [record]));
    const agent = agents[step % agents.length] as string;
    if (random() < 0.3) {
      const instrument = random() < 0.5 ? 'spotchain:AAPLx' : 'spotchain:SPACEX';
      await propose(ORG, agent, bookIds.paper(agent, 1), instrument).then(
        (id) => open.push(id),
        (error: unknown) => expect(error).toMatchObject({ constraint_name: 'proposals_one_open' }),
      );
    } else if (random() < 0.4) {
      const ended = open.shift();
      if (ended !== undefined) await sql`update proposals set state = 'expired' where id = ${ended}`;
    }
    if (step === steps / 2) await activate(agents[0] as string, 2);
    if (step === (steps / 4) * 3) await activate(agents[0] as string, 1);
    if (step % 10 === 9) await expectEqual(ORG, [...ids, 'none']);
  }
  expect((await fromBooks(ORG, 'none')).exposures.length).toBeGreaterThan(3);
  expect(await complaints()).toEqual([]);
});

test('a book without bookings counts its capital while proposals wait on it, however many', async () => {
  const agent = await agentRow(sql, OTHER, '2026-03-02T00:00:00Z');
  const id = bookIds.paper(agent, 1);
  expect(await fromSums(OTHER, 'none')).toEqual({ equityUsd: '0', exposures: [] });
  const [first, second] = [await propose(OTHER, agent, id, 'spotchain:AAPLx'), await propose(OTHER, agent, id, 'spotchain:TSLAx')];
  await expectEqual(OTHER, ['none', id]);
  expect((await fromSums(OTHER, 'none')).equityUsd).toBe(sampleManifest().maxCapitalUsd);
  await sql`update proposals set state = 'expired' where id = ${first}`;
  expect((await fromSums(OTHER, 'none')).equityUsd).toBe(sampleManifest().maxCapitalUsd);
  await sql`update proposals set state = 'expired' where id = ${second}`;
  expect(await fromSums(OTHER, 'none')).toEqual({ equityUsd: '0', exposures: [] });
});

test('writers at once over the same books: nothing is lost, counted twice or refused', async () => {
  const agents = await Promise.all(Array.from({ length: 3 }, () => agentRow(sql, ORG, '2026-03-02T00:01:00Z')));
  const ids = agents.map((agent) => bookIds.paper(agent, 1));
  const books = async (place: number): Promise<void> => {
    const next = randomOperations(40 + place, ids, { place, of: 3 });
    for (let step = 0; step < 40; step++) {
      const operation = next();
      const record: ActorRecord =
        operation.kind === 'fill' ? { type: 'fill', orgId: ORG, fill: operation.fill } : { ...operation, type: 'ledger', orgId: ORG };
      await inTransaction(sql, (transaction) => writeRecords(transaction, [record]));
    }
  };
  const proposes = async (): Promise<void> => {
    for (let step = 0; step < 40; step++) {
      const agent = agents[step % 3] as string;
      const id = await propose(ORG, agent, bookIds.paper(agent, 1), 'spotchain:AAPLx');
      await sql`update proposals set state = 'cancelled' where id = ${id}`;
    }
  };
  await Promise.all([books(0), books(1), books(2), proposes()]);
  await expectEqual(ORG, [...ids, 'none']);
  expect(await complaints()).toEqual([]);
});

test('changes of many books in a transaction are summed together; an unreadable book adds nothing and affects no other', async () => {
  const agents = await Promise.all(Array.from({ length: 12 }, () => agentRow(sql, ORG, '2026-03-02T00:03:00Z')));
  const ids = agents.map((agent) => bookIds.paper(agent, 1));
  const bought = (bookId: string): ActorRecord => ({
    type: 'fill',
    orgId: ORG,
    fill: {
      id: `together-${bookId}`,
      orderId: 'order',
      bookId,
      instrument: 'spotexchange:BTCUSDT',
      side: 'buy',
      quantity: '0.25',
      fillPrice: '60000',
      feeUsd: '15',
      notionalUsd: '15000',
      decisionPrice: '60000',
      slippageBps: 0,
      at: 1,
      quotes: [],
    },
  });
  const sumOf = async (asking: Sql | Transaction): Promise<number> => {
    const [row] = await asking<
      { quantity: number }[]
    >`select sum(quantity)::float8 as quantity from exposures where org_id = ${ORG} and mode = 'paper' and asset = 'spotexchange:BTCUSDT'`;
    return row?.quantity ?? 0;
  };
  const changes = await sql.begin(async (transaction) => {
    // Counts of earlier transactions may still be in the connection.
    const counted = async (): Promise<number> => {
      const [row] = await transaction<
        { changes: number }[]
      >`select (n_tup_ins + n_tup_upd)::int as changes from pg_stat_xact_user_tables where relname = 'exposures'`;
      return row?.changes ?? 0;
    };
    const counts = await counted();
    await writeRecords(transaction, ids.map(bought));
    return (await counted()) - counts;
  });
  expect(changes).toBeLessThan(ids.length);
  await expectEqual(ORG, [...ids, 'none']);
  const before = await sumOf(sql);
  const undone = new Error('undone');
  await superuser
    .begin(async (transaction) => {
      await transaction`
        update books set version = version + 1, holdings = case when id = ${ids[0] as string} then '{"no": "list"}'::jsonb else holdings end
        where id = any(${ids}::text[])`;
      const added = await transaction<
        { book_id: string; adds: object }[]
      >`select book_id, adds from book_exposures where book_id = any(${ids}::text[])`;
      for (const { book_id, adds } of added) expect(Object.keys(adds)).toEqual(book_id === ids[0] ? [] : ['USD', 'spotexchange:BTCUSDT']);
      expect(await sumOf(transaction)).toBeCloseTo(before - 0.25, 9);
      throw undone;
    })
    .catch((error: unknown) => expect(error).toBe(undone));
});

test('a change of the sums without triggers is found by the verifier, and no login of the service may make one', async () => {
  const change = (transaction: Sql) => transaction`
    update exposures set reserved_usd = reserved_usd - 5 where (org_id, mode, asset, lane) = (select org_id, mode, asset, lane from exposures where org_id = ${ORG} limit 1)`;
  const undone = new Error('undone');
  await superuser
    .begin(async (transaction) => {
      await change(transaction as unknown as Sql);
      const found: string[] = [];
      await verifyBooks(transaction, (_, __, part, detail) => part === 'exposure' && found.push(detail));
      expect(found).toEqual([expect.stringContaining(`organization ${ORG} has`)]);
      throw undone;
    })
    .catch((error: unknown) => expect(error).toBe(undone));
  await expect(change(sql)).rejects.toMatchObject({ code: '42501' });
});

test('the rows read for an order do not grow with the number of books', async () => {
  const asked = async (): Promise<number> => {
    const [row] = await sql<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }[]>`
      explain (analyze, format json) select asset, quantity from exposures where org_id = ${OTHER} and mode = 'paper'`;
    const plan = row?.['QUERY PLAN'][0]?.Plan;
    if (plan === undefined) throw new Error('there is no plan');
    return plan['Actual Rows'];
  };
  const buy = (agent: string, index: number): ActorRecord => ({
    type: 'fill',
    orgId: OTHER,
    fill: {
      id: `many-${index}`,
      orderId: 'order',
      bookId: bookIds.paper(agent, 1),
      instrument: index % 2 === 0 ? 'spotchain:AAPLx' : 'spotexchange:BTCUSDT',
      side: 'buy',
      quantity: '2',
      fillPrice: '200.25',
      feeUsd: '0.4',
      notionalUsd: '400.5',
      decisionPrice: '200',
      slippageBps: 12.5,
      at: 1,
      quotes: [],
    },
  });
  let made = 0;
  const grow = async (to: number): Promise<void> => {
    for (; made < to; made++) {
      const agent = await agentRow(sql, OTHER, '2026-03-02T00:02:00Z');
      await sql.begin((transaction) => writeRecords(transaction, [buy(agent, made)]));
    }
  };
  await grow(10);
  const few = await asked();
  await grow(200);
  expect(await asked()).toBe(few);
  await expectEqual(OTHER, ['none']);
});

interface PlanNode {
  readonly 'Actual Rows': number;
}

test('pending proposals are found by book or agent, never by scanning all', async () => {
  const planWithout = async (index: string, whose: string): Promise<string> => {
    const rolledBack = new Error('rolled back');
    let plan = '';
    await superuser
      .begin(async (transaction) => {
        await transaction.unsafe(`drop index ${index}; set local enable_seqscan = off; set local enable_bitmapscan = off`);
        const rows = await transaction.unsafe<{ 'QUERY PLAN': string }[]>(
          `explain select notional_usd from proposals where ${whose} and state in ('pending_approval', 'approved', 'executing', 'unknown')`,
        );
        plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        throw rolledBack;
      })
      .catch((error: unknown) => expect(error).toBe(rolledBack));
    return plan;
  };
  // The statistics say that nothing waits, and then either index of open rows seems free. Removing the right one shows that the
  // other is not a substitute.
  expect(await planWithout('proposals_by_org', "book_id = 'paper:one'")).toContain("Index Cond: (book_id = 'paper:one'::text)");
  expect(await planWithout('proposals_by_org', `agent_id = '${ORG}'`)).toContain(`Index Cond: (agent_id = '${ORG}'::uuid)`);
  expect(await planWithout('proposals_one_open', "book_id = 'paper:one'")).not.toContain('proposals_open');
  expect(await planWithout('proposals_open', `agent_id = '${ORG}'`)).not.toContain('proposals_one_open');
});
