// Books on a real PostgreSQL: double entry, all or nothing, and equal to the fold of the bookings.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { writeRecords } from '../../../../src/adapters/store/actors/actor-records.ts';
import { createBookReads } from '../../../../src/adapters/store/books/book-reads.ts';
import { BookMoved, readTradedBooks, booksOfOrganizations, correctManualBooks } from '../../../../src/adapters/store/books/book-store.ts';
import { isConnectionLoss, openDatabase, type Sql, type Transaction } from '../../../../src/adapters/store/database.ts';
import { createFundingStore } from '../../../../src/adapters/store/books/funding-store.ts';
import { createRiskReads } from '../../../../src/adapters/store/risk/risk-reads.ts';
import type { ContainedLoop } from '../../../../actors/runtime/containment.ts';
import type { ActorRecord } from '../../../../src/domain/agents/actor-step.ts';
import { applyFill, applyTransfer, bookIds, emptyBook, type Fill, type TradingBook } from '../../../../src/domain/books/book.ts';
import { Decimal } from '../../../../src/domain/values/decimal.ts';
import { OPEN_PROPOSAL_STATES } from '../../../../src/domain/orders/execution.ts';
import { createMarginStore, type MarginStore } from '../../../../src/adapters/store/books/margin-store.ts';
import { liquidateBooks } from '../../../../src/trading/liquidations.ts';
import { keepMultiplier, lastMultipliers, loadMultipliers } from '../../../../src/adapters/store/catalog/token-multipliers.ts';
import { createRescalingStore } from '../../../../src/adapters/store/books/rescaling-store.ts';
import { createRescalings } from '../../../../src/trading/rescalings.ts';
import { CATALOG } from '../../../../src/domain/catalog/catalog.ts';
import { bookFunding } from '../../../../src/trading/book-funding.ts';
import { sampleManifest } from '../../../actors/agent/sample.ts';
import { type Operation, randomOperations } from '../../../domain/random-fills.ts';
import { beforeEachStatement } from '../crashing-writers.ts';
import { agentRow, freshId, ORG, OTHER, storeUnderTest } from '../reads.ts';
import { rounds } from '../../../harness/rounds.ts';

let sql: Sql;
beforeAll(async () => {
  sql = await storeUnderTest();
});
afterAll(() => sql.end());

const T0 = Date.UTC(2026, 2, 2);
let made = 0;

function aFill(bookId: string, over: Partial<Fill> = {}): Fill {
  return {
    id: `fill-${++made}`,
    orderId: 'order',
    bookId,
    instrument: 'spotchain:AAPLx',
    side: 'buy',
    quantity: '2',
    fillPrice: '200.25',
    feeUsd: '0.4',
    notionalUsd: '400.5',
    decisionPrice: '200',
    slippageBps: 12.5,
    at: T0 + made,
    quotes: [{ source: 'test', observedAt: T0, bid: '200', ask: '200.25' }],
    ...over,
  };
}

const recordOf = (operation: Operation, orgId = ORG): ActorRecord =>
  operation.kind === 'fill' ? { type: 'fill', orgId, fill: operation.fill } : { ...operation, type: 'ledger', orgId };
const book = (...records: ActorRecord[]): Promise<void> => sql.begin((transaction) => writeRecords(transaction, records)) as Promise<void>;
const fillRecord = (fill: Fill, over: object = {}): ActorRecord => ({ type: 'fill', orgId: ORG, fill, ...over });

/** Returns imbalances in any transaction, book or asset. */
const imbalances = () => sql`
  select 'transaction' as what from ledger_legs l join ledger_accounts a on a.id = l.account_id group by l.transaction_id, a.asset having sum(l.amount) <> 0
  union all
  select 'book' from ledger_legs l join ledger_accounts a on a.id = l.account_id group by a.book_id, a.asset having sum(l.amount) <> 0`;

/** Folds a book from its operations in booking order, using only the tables beneath the projection. */
async function folded(bookId: string): Promise<TradingBook> {
  const rows = await sql<{ kind: string; amount: string | null; fill: string | null }[]>`
    select t.kind, (select l.amount from ledger_legs l join ledger_accounts a on a.id = l.account_id where l.transaction_id = t.id and a.kind = 'cash') as amount,
      f.id as fill from ledger_transactions t left join fills f on 'fill:' || f.id = t.id where t.book_id = ${bookId} order by t.number`;
  const reads = createBookReads(sql);
  const fills = new Map<string, Fill>();
  for (let after: string | null = null; ; ) {
    const page = await reads.fills(ORG, bookId, { limit: 200, after });
    for (const fill of page?.items ?? []) fills.set(fill.id, fill);
    after = page?.next ?? null;
    if (after === null) break;
  }
  let state = emptyBook(bookId, bookId.endsWith('live') ? 'live' : 'paper', '0');
  for (const { kind, amount, fill } of rows) {
    if (fill !== null) state = applyFill(state, fills.get(fill) as Fill);
    else if (kind === 'opening') state = emptyBook(bookId, state.mode, amount as string);
    else state = applyTransfer(state, amount as string);
  }
  return state;
}

test("an agent's first fill opens its paper book with the manifest's capital; untouched books are not read", async () => {
  const agent = await agentRow(sql, ORG, '2026-03-02T00:00:00Z');
  const idle = await agentRow(sql, ORG, '2026-03-02T00:00:01Z');
  const id = bookIds.paper(agent, 1);
  expect(await readTradedBooks(sql, [agent, idle])).toEqual(new Map());
  const fill = aFill(id);
  await book(fillRecord(fill));
  const capital = sampleManifest().maxCapitalUsd;
  const expected = applyFill(emptyBook(id, 'paper', capital), fill);
  expect([...(await readTradedBooks(sql, [agent, idle])).values()]).toEqual([
    { id, orgId: ORG, agentId: agent, mode: 'paper', manifestVersion: 1, version: 1, state: expected },
  ]);
  expect(await folded(id)).toEqual(expected);
  expect(await imbalances()).toHaveLength(0);
});

test('a paper book of an earlier manifest version is no longer used; the live book stays', async () => {
  const agent = await agentRow(sql, ORG, '2026-03-02T00:00:02Z', [sampleManifest(), sampleManifest({ name: 'second' })]);
  const live = bookIds.live(agent);
  await book(fillRecord(aFill(bookIds.paper(agent, 1))), fillRecord(aFill(bookIds.paper(agent, 2))), fillRecord(aFill(live)));
  expect([...(await readTradedBooks(sql, [agent])).keys()].sort()).toEqual([live, bookIds.paper(agent, 2)].sort());
  const papers = (await booksOfOrganizations(sql, [ORG], 'paper')).map(({ id }) => id);
  expect(papers).toContain(bookIds.paper(agent, 2));
  expect(papers).not.toContain(bookIds.paper(agent, 1));
  expect((await booksOfOrganizations(sql, [ORG], 'live')).map(({ id }) => id)).toEqual([live]);
  expect(await booksOfOrganizations(sql, [OTHER], 'live')).toEqual([]);
});

test('an open proposal reserves in its book, also in one without bookings', async () => {
  const agent = await agentRow(sql, ORG, '2026-03-02T00:00:03Z');
  const id = bookIds.paper(agent, 1);
  const proposal = await openProposal(agent, id, 'pending_approval');
  const open = [{ id: proposal, instrument: 'spotchain:AAPLx', side: 'buy', quantity: '1.5', notionalUsd: '300' }];
  const untouched = { ...emptyBook(id, 'paper', sampleManifest().maxCapitalUsd), openProposals: open };
  expect((await readTradedBooks(sql, [agent])).get(id)).toEqual({
    id,
    orgId: ORG,
    agentId: agent,
    mode: 'paper',
    manifestVersion: 1,
    version: 0,
    state: untouched,
  });
  await book(fillRecord(aFill(id, { instrument: 'spotchain:TSLAx' })));
  expect((await readTradedBooks(sql, [agent])).get(id)?.state.openProposals).toEqual(open);
  expect((await booksOfOrganizations(sql, [ORG], 'paper')).find((each) => each.id === id)?.state.openProposals).toEqual(open);
  await sql`update proposals set state = 'declined' where id = ${proposal}`;
  expect((await readTradedBooks(sql, [agent])).get(id)?.state.openProposals).toEqual([]);
});

test('every open state of a proposal reserves, and no other', async () => {
  const states = [
    'pending_approval',
    'approved',
    'executing',
    'filled',
    'partially_filled',
    'failed',
    'unknown',
    'expired',
    'cancelled',
    'declined',
    'blocked_by_risk',
  ];
  const reserving: string[] = [];
  for (const state of states) {
    const agent = await agentRow(sql, OTHER, '2026-03-02T00:00:04Z');
    await openProposal(agent, bookIds.paper(agent, 1), state, OTHER);
    if ((await readTradedBooks(sql, [agent])).size > 0) reserving.push(state);
  }
  expect(reserving).toEqual([...OPEN_PROPOSAL_STATES]);
});

async function openProposal(agent: string, bookId: string, state: string, orgId = ORG): Promise<string> {
  const id = freshId();
  const body = { side: 'buy', quantity: '1.5' };
  await sql`insert into actors (id, org_id, kind, machine, version, snapshot, status) values (${id}, ${orgId}, 'proposal', 'proposal@1', 1, '{}', 'running')`;
  await sql`
    insert into proposals (id, org_id, agent_id, decision_id, slot, side, manifest_version, manifest_hash, autonomy, epoch, mode, book_id, instrument,
      order_body, notional_usd, decision_price, reads_reference, risk, state, created_at, expires_at, changed_at)
    values (${id}, ${orgId}, ${agent}, ${freshId()}, 0, 'entry', 1, 'hash', 'confirm', 0, 'paper', ${bookId}, 'spotchain:AAPLx',
      ${sql.json(body)}, 300, 200, false, '{}', ${state}, 0, 0, 0)`;
  return id;
}

test('twenty writers at once lose no fill', async () => {
  const agent = await agentRow(sql, ORG, '2026-03-02T00:00:05Z');
  const id = bookIds.paper(agent, 1);
  const fills = Array.from({ length: 20 }, () => aFill(id, { quantity: '0.1', notionalUsd: '20.025' }));
  await Promise.all(fills.map((fill) => book(fillRecord(fill))));
  const stored = (await readTradedBooks(sql, [agent])).get(id);
  expect(stored).toMatchObject({ version: 20, state: { fills: 20, holdings: [{ quantity: '2' }], feesUsd: '8' } });
  expect(stored?.state).toEqual(await folded(id));
});

test('a step decided on an older version of the book writes nothing', async () => {
  const agent = await agentRow(sql, ORG, '2026-03-02T00:00:06Z');
  const id = bookIds.paper(agent, 1);
  await book(fillRecord(aFill(id), { expectedVersion: 0 }));
  await expect(book(fillRecord(aFill(id), { expectedVersion: 0 }))).rejects.toThrow(BookMoved);
  await book(fillRecord(aFill(id), { expectedVersion: 1 }));
  expect((await readTradedBooks(sql, [agent])).get(id)?.version).toBe(2);
});

test('decisions in one transaction each expect the version of the previous one, and both fills of one expect the same', async () => {
  const id = bookIds.paper(await agentRow(sql, ORG, '2026-03-02T00:00:06.500Z'), 1);
  const decided = (orderId: string, expectedVersion: number) => fillRecord({ ...aFill(id), orderId }, { expectedVersion });
  await book(decided('a', 0), decided('a', 0), decided('b', 2));
  await expect(book(decided('c', 3), decided('d', 3))).rejects.toThrow(BookMoved);
  await expect(book(decided('c', 4), decided('d', 4))).rejects.toThrow('at version 3, not 4');
  await book(decided('c', 3), decided('d', 4));
  expect(await sql`select version::int from books where id = ${id}`).toEqual([{ version: 5 }]);
});

test('the same fill and the same transfer are booked once', async () => {
  const agent = await agentRow(sql, ORG, '2026-03-02T00:00:07Z');
  const fill = aFill(bookIds.paper(agent, 1));
  await book(fillRecord(fill));
  await expect(book(fillRecord(fill))).rejects.toMatchObject({ code: '23505' });
  const cash = async (): Promise<string> => (await readTradedBooks(sql, [agent])).get(fill.bookId)?.state.cashUsd as string;
  const before = await cash();
  const transfer = { type: 'ledger', orgId: ORG, bookId: fill.bookId, amountUsd: '10', reference: `once-${agent}`, at: T0 };
  await book(transfer);
  await expect(book(transfer)).rejects.toMatchObject({ code: '23505' });
  expect(await cash()).toBe(new Decimal(before).plus(10).toFixed());
});

test("an organization cannot book into another's book", async () => {
  const agent = await agentRow(sql, ORG, '2026-03-02T00:00:08Z');
  const id = bookIds.paper(agent, 1);
  await book(fillRecord(aFill(id)));
  await expect(book({ ...fillRecord(aFill(id)), orgId: OTHER })).rejects.toThrow(/another organization/);
  await expect(book({ type: 'ledger', orgId: OTHER, bookId: bookIds.manual(ORG), amountUsd: '1', reference: 'x', at: T0 })).rejects.toThrow(
    /names no book of organization/,
  );
});

test('a day of a book begins once', async () => {
  const agent = await agentRow(sql, ORG, '2026-03-02T00:00:09Z');
  const id = bookIds.paper(agent, 1);
  await book(fillRecord(aFill(id)));
  const begins = (day: number, dayStartEquityUsd: string) => book({ type: 'book_day', bookId: id, day, dayStartEquityUsd });
  await begins(T0, '1000.5');
  await begins(T0, '900');
  expect((await readTradedBooks(sql, [agent])).get(id)?.state).toMatchObject({ day: T0, dayStartEquityUsd: '1000.5' });
  await begins(T0 + 86_400_000, '950');
  expect((await readTradedBooks(sql, [agent])).get(id)?.state).toMatchObject({ day: T0 + 86_400_000, dayStartEquityUsd: '950' });
});

test('the database refuses bookings that are unbalanced, incomplete, late, changed or differ from their fill', async () => {
  const agent = await agentRow(sql, ORG, '2026-03-02T00:00:10Z');
  const id = bookIds.paper(agent, 1);
  const fill = aFill(id);
  await book(fillRecord(fill));
  const cash = sql`(select id from ledger_accounts where book_id = ${id} and kind = 'cash')`;
  const entry = (work: (transaction: Transaction) => Promise<unknown>): Promise<unknown> => sql.begin(work) as Promise<unknown>;
  const refused = (constraint: string) => expect.objectContaining({ code: '23514', constraint_name: constraint });

  await expect(
    sql`insert into ledger_transactions (id, book_id, kind, at, legs) values ('transfer:empty', ${id}, 'transfer', 0, 2)`,
  ).rejects.toMatchObject(refused('ledger_complete'));
  await expect(
    entry(async (transaction) => {
      await transaction`insert into ledger_transactions (id, book_id, kind, at, legs) values ('transfer:odd', ${id}, 'transfer', 0, 2)`;
      await transaction`insert into ledger_legs (transaction_id, leg, account_id, amount) select 'transfer:odd', 1, id, 5 from ledger_accounts where book_id = ${id} and kind = 'cash'`;
      await transaction`insert into ledger_legs (transaction_id, leg, account_id, amount) select 'transfer:odd', 2, id, -4.99 from ledger_accounts where book_id = ${id} and kind = 'capital'`;
    }),
  ).rejects.toMatchObject(refused('ledger_balanced'));
  await expect(
    sql`insert into ledger_legs (transaction_id, leg, account_id, amount) values (${`fill:${fill.id}`}, 9, ${cash}, 1)`,
  ).rejects.toMatchObject(refused('ledger_complete'));
  await expect(sql`
    insert into fills (id, order_id, book_id, instrument, side, quantity, fill_price, fee_usd, notional_usd, decision_price, slippage_bps, at, quotes)
    values ('loose', 'o', ${id}, 'spotchain:AAPLx', 'buy', 1, 2, 0, 2, 2, 0, 0, '[]')`).rejects.toMatchObject(refused('fill_in_ledger'));
  for (const change of [
    sql`update fills set quantity = 1 where id = ${fill.id}`,
    sql`delete from ledger_legs where transaction_id = ${`fill:${fill.id}`}`,
    sql`update ledger_transactions set at = 1 where book_id = ${id}`,
    sql`delete from ledger_accounts where book_id = ${id}`,
    sql`delete from books where id = ${id}`,
    sql`truncate fills`,
  ]) {
    await expect(change).rejects.toMatchObject({ code: expect.stringMatching(/^(23001|42501)$/) });
  }
  await expect(sql`update books set agent_id = null where id = ${id}`).rejects.toMatchObject({ code: '23514' });
});

test('random operations over five books (seed 11) leave exact sums, and every book is the fold of what was booked', async () => {
  const agents = await Promise.all(Array.from({ length: 5 }, () => agentRow(sql, ORG, '2026-03-02T00:00:11Z')));
  const ids = agents.map((agent, index) => (index === 4 ? bookIds.manual(ORG) : bookIds.paper(agent, 1)));
  const next = randomOperations(11, ids);
  const steps = rounds({ suite: 12, proof: 40 });
  for (let step = 0; step < steps; step++) await book(...orderedByBook(Array.from({ length: 50 }, () => recordOf(next()))));
  expect(await imbalances()).toHaveLength(0);
  const stored = new Map((await booksOfOrganizations(sql, [ORG], 'paper')).map((each) => [each.id, each]));
  let booked = 0;
  for (const id of ids) {
    booked += stored.get(id)?.version ?? 0;
    expect(stored.get(id)?.state).toEqual(await folded(id));
  }
  expect(booked).toBe(steps * 50);
});

/** Orders the records of one step as they are written: transfers first. */
function orderedByBook(records: readonly ActorRecord[]): ActorRecord[] {
  return [...records.filter(({ type }) => type === 'ledger'), ...records.filter(({ type }) => type === 'fill')];
}

test('a connection ended before any statement leaves all or nothing', async () => {
  const agent = await agentRow(sql, ORG, '2026-03-02T00:00:12Z');
  const id = bookIds.paper(agent, 1);
  const url = await testDatabaseOf(sql);
  const counts = async (): Promise<string> => {
    const [row] = await sql`
      select (select count(*) from fills where book_id = ${id})::int as fills, (select count(*) from ledger_transactions where book_id = ${id})::int as entries,
        (select count(*) from ledger_legs l join ledger_accounts a on a.id = l.account_id where a.book_id = ${id})::int as legs,
        (select coalesce(max(version), 0) from books where id = ${id})::int as version`;
    return JSON.stringify(row);
  };
  const nothing = await counts();
  // The application's role may not end connections.
  const killer = openDatabase({ url, role: null, name: 'killer', connections: 1 });
  const records = [fillRecord(aFill(id)), fillRecord(aFill(id, { feeUsd: '-0.1' }))];
  let statements = 0;
  for (let crashAt = 1; ; crashAt++) {
    const victim = openDatabase({ url, name: 'crash', connections: 1 });
    const outcome = await crashingAt(victim, killer, crashAt, records);
    statements = outcome.statements;
    await victim.end({ timeout: 1 });
    if (outcome.committed) break;
    expect(await counts()).toBe(nothing);
  }
  await killer.end();
  expect(statements).toBeGreaterThanOrEqual(8);
  expect(JSON.parse(await counts())).toEqual({ fills: 2, entries: 3, legs: 12, version: 2 });
  expect(await imbalances()).toHaveLength(0);
});

/** Writes records on its own connection, which the server ends before statement number `crashAt` and before the commit. */
async function crashingAt(
  victim: Sql,
  killer: Sql,
  crashAt: number,
  records: readonly ActorRecord[],
): Promise<{ committed: boolean; statements: number }> {
  let statements = 0;
  const dies = async (pid: number): Promise<void> => {
    if (++statements === crashAt) await killer`select pg_terminate_backend(${pid})`;
  };
  try {
    await victim.begin(async (transaction) => {
      const [backend] = await transaction<{ pid: number }[]>`select pg_backend_pid() as pid`;
      const pid = backend?.pid as number;
      await writeRecords(
        beforeEachStatement(transaction, () => dies(pid)),
        records,
      );
      await dies(pid);
    });
    return { committed: true, statements };
  } catch (error) {
    // Another error would also roll back, but prove nothing about crashes.
    if (!isConnectionLoss(error)) throw error;
    return { committed: false, statements };
  }
}

async function testDatabaseOf(connection: Sql): Promise<string> {
  const options = (
    connection as unknown as { options: { host: string[]; port: number[]; database: string; user: string; pass: string | null } }
  ).options;
  const password = options.pass === null ? '' : `:${options.pass}`;
  return `postgres://${options.user}${password}@${options.host[0]}:${options.port[0]}/${options.database}`;
}

test('a swap is booked with the dollars moved: its price is their quotient, rounded by at most half a trillionth', async () => {
  const bookId = bookIds.manual(ORG, 'live');
  // 100.123457 / 3 has no finite decimal expansion.
  const swapped = { quantity: '3', notionalUsd: '100.123457', fillPrice: '33.374485666667', feeUsd: '0' };
  const fill = aFill(bookId, swapped);
  await book(fillRecord(fill, { orgId: ORG }));
  const [row] =
    await sql`select trim_scale(cash_usd)::text as cash, trim_scale(capital_usd)::text as capital, trim_scale(fees_usd)::text as fees from books where id = ${bookId}`;
  expect(row).toEqual({ cash: '0', capital: '100.123457', fees: '0' });
  expect(await imbalances()).toEqual([]);

  const refusedBy = (over: Partial<Fill>) =>
    sql`insert into fills (id, order_id, book_id, instrument, side, quantity, fill_price, fee_usd, notional_usd, decision_price, slippage_bps, at, quotes)
      select ${`fill-${++made}`}, 'order', ${bookId}, f.instrument, 'buy', f.quantity, f."fillPrice", 0, f."notionalUsd", 1, 0, 0, '[]'
        from jsonb_to_record(${JSON.stringify({ ...fill, ...over })}::text::jsonb) as f(instrument text, quantity numeric, "fillPrice" numeric, "notionalUsd" numeric)`.then(
      () => 'taken',
      (error: { constraint_name?: string }) => error.constraint_name,
    );
  // Without a ledger entry; that is checked after its own fields.
  expect(await refusedBy({})).toBe('fill_in_ledger');
  expect(await refusedBy({ fillPrice: '33.374485666668' })).toBe('fill_priced');
  expect(await refusedBy({ notionalUsd: '100.123458' })).toBe('fill_priced');
  // If the venue quotes prices, the money is exactly price times quantity.
  expect(await refusedBy({ instrument: 'spotexchange:BTCUSDT' })).toBe('fill_priced');
});

test('the initial cash of a manual book is paid out by one correcting entry, and its profit stays', async () => {
  const org = freshId();
  await sql`insert into organizations (id, name) values (${org}, 'desk')`;
  const id = bookIds.manual(org, 'live');
  await book(fillRecord(aFill(id, { quantity: '1', fillPrice: '100', notionalUsd: '100', feeUsd: '1' }), { orgId: org }));
  // As books used to be opened: ten million dollars of the mandate, booked as cash.
  await sql.begin(async (transaction) => {
    await transaction`insert into ledger_transactions (id, book_id, kind, at, legs) values (${`opening:${id}`}, ${id}, 'opening', 0, 2)`;
    await transaction`
      insert into ledger_legs (transaction_id, leg, account_id, amount)
      select ${`opening:${id}`}, case kind when 'cash' then 1 else 2 end, a.id, case kind when 'cash' then 10000000 else -10000000 end
      from ledger_accounts a where book_id = ${id} and kind in ('cash', 'capital')`;
    await transaction`update books set cash_usd = cash_usd + 10000000, capital_usd = capital_usd + 10000000 where id = ${id}`;
  });
  const corrected = await sql.begin((transaction) => correctManualBooks(transaction, T0));
  expect(corrected).toEqual([{ bookId: id, orgId: org, mode: 'live', cashUsd: '10000000' }]);
  expect(await sql.begin((transaction) => correctManualBooks(transaction, T0))).toEqual([]);
  const [row] = await sql`select trim_scale(cash_usd)::text as cash, trim_scale(capital_usd)::text as capital from books where id = ${id}`;
  expect(row).toEqual({ cash: '0', capital: '101' });
  expect(await imbalances()).toEqual([]);
});

test("inputs of a person's order come in one statement, with the book's amounts to the last digit", async () => {
  const bookId = bookIds.manual(OTHER, 'paper');
  // No float can represent these.
  const fill = aFill(bookId, {
    quantity: '3',
    notionalUsd: '90071992547409930.123457',
    fillPrice: '30023997515803310.041152333333',
    feeUsd: '0.000001',
  });
  await book(fillRecord(fill, { orgId: OTHER }));
  const reads = createRiskReads(sql);
  const account = await reads.manualAccount(OTHER, 'paper');
  const stored = (await reads.books(OTHER, 'paper')).find(({ id }) => id === bookId);
  expect(account.book).toEqual(stored);
  expect(account.book?.state.capitalUsd).toBe('90071992547409930.123458');
  const { preferences } = await reads.preferences(OTHER);
  expect(account).toMatchObject({
    epoch: await reads.epoch(OTHER),
    preferences,
    others: await reads.otherBooks(OTHER, 'paper', bookId),
    waiting: await reads.waitingOn(OTHER, bookId),
  });
  expect(await reads.manualAccount(freshId(), 'live')).toEqual({
    epoch: 0,
    preferences,
    book: null,
    others: { cashUsd: '0', assets: [] },
    accounts: { check: null, booksCapitalUsd: '0', takesCash: {} },
    bound: { vaultsPaidInUsd: '0', bound: [], allocatedUsd: '0' },
    waiting: [],
  });
});

const H = 3_600_000;
/** Creates the venue of a perpetual with a rate and a bar for every hour except the given ones. */
const perpVenue = (untold: ReadonlySet<number> = new Set()) => {
  const hours = (from: number, to: number) => {
    const found: number[] = [];
    for (let hour = Math.ceil(from / H) * H; hour <= to; hour += H) if (!untold.has(hour)) found.push(hour);
    return found;
  };
  return {
    fetchFunding: async (_: string, from: number, to: number) =>
      hours(from + 1, to).map((hour) => ({ at: hour + 37, hourlyFunding: hour % (2 * H) === 0 ? '0.0001' : '-0.00004' })),
    fetchCandles: async (_: string, __: string, from: number, to: number) =>
      hours(from + H, to).map((hour) => ({ openTime: hour - H, open: '1', high: '1', low: '1', close: '50000', volume: '1' })),
  };
};
const onceEach = {
  waiting: 0,
  each: async (rows: Iterable<unknown>, _: unknown, work: (row: never) => unknown) => {
    let done = 0;
    for (const row of rows) {
      await work(row as never);
      done++;
    }
    return done;
  },
} as unknown as ContainedLoop;
const perpFill = (bookId: string, at: number, side: 'buy' | 'sell', quantity: string): ActorRecord =>
  fillRecord(
    aFill(bookId, {
      instrument: 'evmvenue:BTC',
      side,
      quantity,
      fillPrice: '50000',
      notionalUsd: String(Number(quantity) * 50_000),
      feeUsd: '0',
      at,
    }),
  );

test('funding is booked once for each held hour, after an outage and by two workers at once, and an unknown hour waits', async () => {
  const bookId = bookIds.paper(await agentRow(sql, ORG, '2026-03-02T00:09:00Z'), 1);
  const start = Math.ceil(T0 / H) * H + 100 * H;
  await book(perpFill(bookId, start + 60_000, 'buy', '2'));
  const all = createFundingStore(sql);
  const store = { ...all, owing: async (hour: number) => (await all.owing(hour)).filter(({ id }) => id === bookId) };
  const run = (now: number, venue = perpVenue()) => bookFunding({ store, history: venue, clock: { now: () => now }, contained: onceEach });
  const paid = async () => new Decimal(await fundingOf(bookId)).toFixed();
  // Within the first hour no funding is due.
  await run(start + H - 1);
  expect(await paid()).toBe('0');
  // Sold in the fourth hour before any booking: three hours were held, and two workers catch up.
  await book(perpFill(bookId, start + 3.5 * H, 'sell', '2'));
  const counts = await Promise.all([run(start + 9 * H), run(start + 9 * H)]);
  const rates = [1, 2, 3].map((n) => ((start + n * H) % (2 * H) === 0 ? '0.0001' : '-0.00004'));
  const owed = rates.reduce((sum, rate) => sum.plus(new Decimal(2).times(50_000).times(rate)), new Decimal(0));
  expect(await paid()).toBe(owed.toFixed());
  expect(counts[0] + counts[1]).toBe(3);
  await run(start + 10 * H);
  expect(await paid()).toBe(owed.toFixed());
  // The venue lacks one hour: it is not zero, the hours around it are booked, and it is booked once known.
  await book(perpFill(bookId, start + 20.5 * H, 'buy', '1'));
  await expect(run(start + 24 * H, perpVenue(new Set([start + 22 * H])))).rejects.toThrow(/1 hours is unknown.*evmvenue:BTC/);
  const partly = await paid();
  await run(start + 24 * H);
  expect(new Decimal(await paid()).minus(partly).toFixed()).toBe(
    new Decimal(50_000).times((start + 22 * H) % (2 * H) === 0 ? '0.0001' : '-0.00004').toFixed(),
  );
  expect(await imbalances()).toEqual([]);
  const kinds = await sql`select count(*)::int as entries from ledger_transactions where book_id = ${bookId} and kind = 'funding'`;
  expect(kinds).toEqual([{ entries: 6 }]);
});

test('a new multiplier is booked once per book that held the token, by what it held then', async () => {
  const [held, sold, later] = await Promise.all(
    ['2026-03-02T00:12:00Z', '2026-03-02T00:13:00Z', '2026-03-02T00:14:00Z'].map(async (at) =>
      bookIds.paper(await agentRow(sql, ORG, at), 1),
    ),
  );
  const instrument = 'spotchain:SPLITx' as const;
  const of = (bookId: string, at: number, side: 'buy' | 'sell', quantity: string, fillPrice: string) =>
    book(
      fillRecord(
        aFill(bookId, { instrument, side, quantity, fillPrice, notionalUsd: new Decimal(quantity).times(fillPrice).toFixed(), at }),
      ),
    );
  const message = (at: number, multiplier: string) =>
    ({
      kind: 'token_multiplier',
      venue: 'spotchain',
      instrument: 'SPLITx',
      source: 'test',
      observedAt: at,
      receivedAt: at,
      multiplier,
      previous: null,
    }) as const;
  const splitAt = T0 + 10 * H;
  await keepMultiplier(sql, message(T0, '1.0039092'));
  for (const bookId of [held, sold] as string[]) await of(bookId, T0 + H, 'buy', '2', '1000');
  await keepMultiplier(sql, message(splitAt, '5.019546'));
  // Again, as after a restart of the feed.
  await keepMultiplier(sql, message(splitAt + H, '5.019546'));
  expect((await lastMultipliers(sql)).get('SPLITx')).toBe('5.019546');
  // The catalog of every process knows it too, and so do bars and launches.
  await keepMultiplier(sql, { ...message(T0, '3'), instrument: 'TSLAx' });
  await loadMultipliers(sql);
  expect(CATALOG.bySymbol('TSLAx')?.token).toMatchObject({ newMultiplier: 3, newMultiplierEffectiveAt: T0 });
  CATALOG.learn(new Map());
  // Sold within the minute before books follow, and bought after the split.
  await of(sold as string, splitAt + 1, 'sell', '2', '200');
  await of(later as string, splitAt + 1, 'buy', '3', '200');
  const store = createRescalingStore(sql);
  const run = (now: number) => createRescalings({ store, clock: { now: () => now }, contained: onceEach })();
  expect(await run(splitAt + 59_000)).toBe(0);
  const counts = await Promise.all([run(splitAt + 70_000), run(splitAt + 70_000)]);
  expect(counts[0] + counts[1]).toBe(2);
  expect(await run(splitAt + 80_000)).toBe(0);
  const holdings = await sql<
    { id: string; holdings: object[] }[]
  >`select id, holdings from books where id = any(${[held, sold, later] as string[]})`;
  const found = new Map(holdings.map((row) => [row.id, row.holdings]));
  expect(found.get(held as string)).toMatchObject([{ instrument, quantity: '10', costUsd: '2000', openedAt: T0 + H }]);
  expect(found.get(sold as string)).toMatchObject([{ instrument, quantity: '8', costUsd: '0' }]);
  expect(found.get(later as string)).toMatchObject([{ instrument, quantity: '3', costUsd: '600' }]);
  // Each unit is worth a fifth: the position is worth what it was, and all of it can be sold.
  await of(held as string, splitAt + 2 * H, 'sell', '10', '200');
  const [state] = await sql<{ pnl: string; held: object[] }[]>`
    select trim_scale(realized_pnl_usd)::text as pnl, holdings as held from books where id = ${held as string}`;
  expect(state).toEqual({ pnl: '0', held: [] });
  expect(await imbalances()).toEqual([]);
});

test('a liquidation is booked and announced in one transaction, once, and not if the book has changed meanwhile', async () => {
  const leveraged = { ...sampleManifest(), maxLeverage: '5', maxCapitalUsd: '100000' } as ReturnType<typeof sampleManifest>;
  const agentId = await agentRow(sql, ORG, '2026-03-02T00:10:00Z', [leveraged]);
  const bookId = bookIds.paper(agentId, 1);
  await book(perpFill(bookId, T0, 'buy', '1'));
  const all = createMarginStore(sql);
  const own = async () => (await all.margined()).filter(({ id }) => id === bookId);
  const at = T0 + 60_000;
  const look = (bid: string, store: MarginStore = { ...all, margined: own }) =>
    liquidateBooks({ store, bid: () => bid, clock: { now: () => at }, contained: onceEach });
  const alerts = () => sql<{ org_id: string; body: object }[]>`
    select org_id, body from announcements where channel = 'alerts' and actor_id = ${agentId}`;
  // The margin is a fifth of 50,000: at 45,000 half of it is left.
  expect(await look('45000')).toBe(0);
  const before = await own();
  await book(perpFill(bookId, T0 + 1, 'sell', '0.1'));
  expect(await look('40100', { ...all, margined: async () => before })).toBe(0);
  expect(await alerts()).toEqual([]);
  expect(await look('40100')).toBe(1);
  expect(await look('40100')).toBe(0);
  const [fill, ...more] = await sql<{ quantity: string; price: string }[]>`
    select trim_scale(quantity)::text as quantity, trim_scale(fill_price)::text as price from fills where book_id = ${bookId} and id like 'liquidation:%'`;
  expect(more).toEqual([]);
  expect(await alerts()).toEqual([
    {
      org_id: ORG,
      body: {
        what: 'liquidated',
        agentId,
        bookId,
        instrument: 'evmvenue:BTC',
        quantity: '0.9',
        fillPrice: fill?.price,
        detail: `The evmvenue:BTC position of 0.9 was liquidated at ${fill?.price}: its equity was at the maintenance margin`,
      },
    },
  ]);
  expect(fill?.quantity).toBe('0.9');
});

test('a sale takes its part of the paid funding along, and what is left is not liquidated for it', async () => {
  const leveraged = { ...sampleManifest(), maxLeverage: '5', maxCapitalUsd: '100000' } as ReturnType<typeof sampleManifest>;
  const bookId = bookIds.paper(await agentRow(sql, ORG, '2026-03-02T00:11:00Z', [leveraged]), 1);
  const hour = Math.ceil(T0 / H) * H + H;
  await book(perpFill(bookId, T0, 'buy', '1'));
  await createFundingStore(sql).book({ id: bookId, orgId: ORG }, [{ instrument: 'evmvenue:BTC', hour, paidUsd: '4000' }], hour, hour);
  await book(perpFill(bookId, hour + 1, 'sell', '0.9'));
  const all = createMarginStore(sql);
  const store = { ...all, margined: async () => (await all.margined()).filter(({ id }) => id === bookId) };
  const look = (bid: string) => liquidateBooks({ store, bid: () => bid, clock: { now: () => hour + 2 }, contained: onceEach });
  // A tenth is left of the margin of 10,000 and of the funding: the equity is 600 at the price of the purchase, and 50 at 44,500.
  expect(await look('50000')).toBe(0);
  expect(await look('45000')).toBe(0);
  expect(await look('44500')).toBe(1);
});

async function fundingOf(bookId: string): Promise<string> {
  const [found] = await sql<{ funding: string }[]>`select funding_usd::text as funding from books where id = ${bookId}`;
  return found?.funding ?? '0';
}
