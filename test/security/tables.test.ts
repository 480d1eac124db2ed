// Each table accepts only rows of its own writers, by session and by signature. The tables are those of the catalog.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eachRow } from '../../actors/runtime/containment.ts';
import { openWriterKeys } from '../../src/adapters/signing-keys/writer-keys.ts';
import { writeRecords } from '../../src/adapters/store/actors/actor-records.ts';
import { openDatabase, type Sql, type Transaction } from '../../src/adapters/store/database.ts';
import { separateLogins } from '../../src/adapters/store/logins.ts';
import { settleResolved } from '../../src/adapters/store/orders/prediction-order-store.ts';
import { createPredictionStore } from '../../src/adapters/store/predictions/prediction-store.ts';
import { findProtection, WRITERS_OF_TABLE } from '../../src/adapters/store/trail/table-writers.ts';
import { bookIds } from '../../src/domain/books/book.ts';
import type { PredictionMarket } from '../../src/domain/prediction/market.ts';
import { WRITERS, type Writer } from '../../src/domain/trail/batch.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { sampleMarket } from '../domain/prediction/samples.ts';
import { actorsOn } from '../world/actor-world.ts';
import { MINUTE, OURS, type SignedFixture, signedFixture } from './signed-fixture.ts';

let world: SignedFixture;
const sessions = {} as Record<Writer, Sql>;
beforeAll(async () => {
  world = await signedFixture();
  const { appUrl } = await separateLogins(world.url);
  const keys = openWriterKeys(world.home, WRITERS);
  for (const writer of WRITERS)
    sessions[writer] = openDatabase({ url: appUrl, name: `as ${writer}`, connections: 1, writer: keys[writer] });
});
afterAll(async () => {
  for (const sql of Object.values(sessions)) await sql.end();
  await world.close();
});

const REGISTERED: readonly Writer[] = ['feed', 'worker', 'evaluator', 'api', 'log'];
const refusalOf = (change: Promise<unknown>): Promise<{ readonly code?: string; readonly message: string } | null> =>
  change.then(
    () => null,
    (error: { readonly code?: string; readonly message: string }) => error,
  );
/** Returns the first agent, with its own rows present: every possible gain is with it. */
const agent = (): string => world.agents[0];

test.each(REGISTERED)('with the key of the %s no table of another writer accepts a statement', async (writer) => {
  for (const [table, writers] of Object.entries(WRITERS_OF_TABLE)) {
    const refusal = await refusalOf(sessions[writer].unsafe(`insert into ${table} default values`) as Promise<unknown>);
    const isForeign = refusal?.message === `the ${writer} does not write ${table}`;
    // Privileges come first: an insert without them is refused there.
    const isRefused = isForeign || refusal?.message.startsWith('permission denied') === true;
    expect([table, writers.includes(writer) ? !isForeign : isRefused], refusal?.message).toEqual([table, true]);
  }
});

test("a session of one process signs nothing with another's key", async () => {
  const feed = openWriterKeys(world.home, ['feed']).feed;
  const mixed = sessions.worker.begin(async (transaction) => {
    await transaction`update agents set autonomy = 'autonomous' where id = ${agent()}`;
    await transaction`insert into risk_preferences (org_id, version, body, set_by) values (${OURS}, 1, '{}', 'risk-manager')`;
    await transaction`select set_config('sevengate.proof', ${feed.sessionProof}, true)`;
    const [open] = await transaction<
      { at: number; changes: number }[]
    >`select max(at) as at, count(*)::int as changes from trail_open_changes()`;
    await transaction`select trail_seal(${feed.id}, ${open?.at ?? 0}, ${open?.changes ?? 0}, 'root', 'signature')`;
  });
  expect((await refusalOf(mixed))?.message).toBe('the feed does not write risk_preferences');
});

/** Attempts of a thief with the feed's key and the application's login. */
const OF_THE_FEED: readonly (readonly [string, (sql: Transaction) => Promise<unknown>])[] = [
  ['raise the autonomy of an agent', (sql) => sql`update agents set autonomy = 'autonomous' where id = ${agent()}`],
  [
    'set preferences in the name of the risk manager',
    (sql) =>
      sql`insert into risk_preferences (org_id, version, body, set_by) values (${OURS}, 1, '{"maxOrderUsd":"1000000000"}', 'risk-manager')`,
  ],
  [
    'make up a step',
    (sql) => sql`
      insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
      select actor_id, max(version) + 1, ${world.slot}, 'agent@1', '{"type":"resume"}', '{"duty":"paused"}', '{"duty":"active"}', 'risk manager'
      from steps where actor_id = ${agent()} group by 1`,
  ],
  [
    "link a wallet with the signature 'x'",
    (sql) => sql`
      insert into linked_wallets (id, org_id, chain, address, challenge, signature, proved_by, proved_at)
      values (gen_random_uuid(), ${OURS}, 'spotchain', '11111111111111111111111111111111', 'x', 'x', 'ann', ${world.slot})`,
  ],
  ['list a token', (sql) => sql`insert into listed_tokens default values`],
  ['say that deposits are backed', (sql) => sql`insert into reserve_checks default values`],
  [
    'fill 1 BTC for $1',
    (sql) => sql`
      insert into fills (id, order_id, book_id, instrument, side, quantity, fill_price, fee_usd, notional_usd, decision_price, slippage_bps, at, quotes)
      values ('forged', 'o', 'manual', 'spotexchange:BTCUSDT', 'buy', 1, 1, 0, 1, 1, 0, ${world.slot}, '[]')`,
  ],
  [
    'have an actor resume by a delay',
    (sql) => sql`insert into timers (actor_id, timer_id, due_at, event) values (${world.agents[1]}, 'forged', 0, '{"type":"resume"}')`,
  ],
  [
    'move an actor to live without a step',
    (sql) => sql`update actors set snapshot = jsonb_set(snapshot, '{value,stage}', '"live"') where id = ${agent()}`,
  ],
  [
    'move an actor beside an event of its own',
    async (sql) => {
      await sql`
        insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
        select id, version + 1, ${world.slot}, machine, '{"type":"feed.restored"}', snapshot -> 'value', snapshot -> 'value', 'feed' from actors where id = ${agent()}`;
      await sql`update actors set version = version + 1, snapshot = jsonb_set(snapshot, '{context,autonomy}', '"autonomous"') where id = ${agent()}`;
    },
  ],
  ['set an actor back to an earlier version', (sql) => sql`update actors set version = version - 1 where id = ${agent()}`],
  ['rename an agent', (sql) => sql`update agents set name = 'mine' where id = ${agent()}`],
  ['pause an agent that is on duty', (sql) => sql`update agents set pause_cause = 'quarantine' where id = ${agent()}`],
];

describe("with the feed's key it is impossible to", () => {
  test.each(OF_THE_FEED)('%s', async (_, forge) => {
    const refusal = await refusalOf(sessions.feed.begin((transaction) => forge(transaction)));
    expect(refusal?.code).toBe('42501');
    expect(refusal?.message).toMatch(/^the feed /);
  });
});

test('the feed tells actors that a feed is degraded and restored, and pauses an agent that cannot be told', async () => {
  const { runtime } = actorsOn(sessions.feed, { now: () => world.slot + MINUTE } as never);
  for (const type of ['feed.degraded', 'feed.restored'])
    expect((await runtime.deliver(agent(), { type, venue: 'spotchain' } as never, { cause: 'feed' })).ok, type).toBe(true);
});

/** Rows of each table that a worker acts on or that ranks somebody, without a signature. */
const ACTED_ON: Readonly<Record<string, string>> = {
  actor_checkpoints: 'insert into actor_checkpoints select id, version, 0, machine, snapshot from actors limit 1',
  candle_windows: "insert into candle_windows values ('spotchain', 'AAPLx', '1m', 'asked', '', '{}', 0)",
  leaderboard_wallets: "insert into leaderboard_wallets (chain, address, registered_at) values ('spotchain', 'w', 0)",
  leaderboard_progress: 'update leaderboard_progress set swept_at = 1',
  leaderboard_sales: `with w as (insert into leaderboard_wallets (chain, address, registered_at) values ('spotchain', 'w', 0) returning id)
    insert into leaderboard_sales (wallet_id, key, at, asset, direction, reference) select id, 'k', 0, 'a', 'sell', 'r' from w`,
  leaderboard_standings: `with w as (insert into leaderboard_wallets (chain, address, registered_at) values ('spotchain', 'w', 0) returning id)
    insert into leaderboard_standings ("window", wallet_id, place) select '24h', id, 1 from w`,
  tick_crashes: 'insert into tick_crashes (actor_id, crashes, slot) select id, 9, 0 from actors limit 1',
  pool_liquidity: "insert into pool_liquidity (instrument, liquidity_usd, observed_at) values ('spotchain:AAPLx', 1, 0)",
  prediction_events: "insert into prediction_events values ('pe-000000000000000000000001', 'p', 'e', 't', true, 0)",
  prediction_markets: `insert into prediction_markets (id, provider, provider_id, question, status, provider_status, closes_at, source, observed_at, received_at, body)
    values ('pm-000000000000000000000001', 'p', 'm', 'q', 'resolved', 'r', 0, 's', 0, 0, '{"outcomes":[{"side":"yes","payout":"1"}]}')`,
  recurring_work: "insert into recurring_work (name, done_slot) values ('the breakers', 0)",
  leases: "update leases set held_until = held_until + interval '1 second'",
  activities: 'update activities set due_at = due_at - 1',
};

test.each(Object.entries(ACTED_ON))('a session of %s without its key changes no row of it', async (table, change) => {
  const [writer] = WRITERS_OF_TABLE[table] as readonly [Writer];
  const { appUrl } = await separateLogins(world.url);
  const key = openWriterKeys(world.home, [writer])[writer];
  // Session proven without signing: the pool of a thief who has taken it over.
  const thief = openDatabase({ url: appUrl, name: 'thief of a session', connections: 1, writer: { ...key, sign: () => Buffer.alloc(64) } });
  const unsigned = refusalOf(thief.unsafe(`begin; ${change}; commit`) as Promise<unknown>);
  expect((await unsigned)?.message).toBe('this transaction changed rows of the trail, and no writer has signed it');
  await thief.unsafe('rollback');
  await thief.end();
  expect(findProtection(table)).not.toBe('guarded');
});

/** Signs rows that the database would refuse, as if its guards had not existed. */
async function slippedIn(copy: SignedFixture, writer: Writer, table: string, forge: (sql: Sql) => Promise<unknown>) {
  await copy.owner`update trail_tables set writers = writers || ${writer}::text where name = ${table}`;
  const { appUrl } = await separateLogins(copy.url);
  const sql = openDatabase({ url: appUrl, name: 'slipped in', connections: 1, writer: openWriterKeys(copy.home, [writer])[writer] });
  await forge(sql).finally(() => sql.end());
}

/** Returns a market with these payouts for yes and no. */
function paying(market: PredictionMarket, yes: string, no: string): PredictionMarket {
  const [first, second] = market.outcomes;
  return {
    ...market,
    status: 'resolved',
    receivedAt: market.receivedAt + 1,
    outcomes: [
      { ...first, payout: yes },
      { ...second, payout: no },
    ],
  };
}

/** Writes an outcome as the owner of the tables, without triggers. */
async function outcomeOfNobody({ id, outcomes, receivedAt }: PredictionMarket, withChange: boolean): Promise<void> {
  const owner = openDatabase({ url: world.url, role: null, name: 'forger of outcomes', connections: 1 });
  await owner.begin(async (transaction) => {
    for (const table of ['prediction_markets', 'prediction_status_changes'])
      await transaction`alter table ${transaction(table)} disable trigger all`;
    await transaction`
      update prediction_markets set status = 'resolved', body = body || ${transaction.json({ status: 'resolved', outcomes } as never)} where id = ${id}`;
    if (withChange)
      await transaction`
        insert into prediction_status_changes (market_id, status, provider_status, source, observed_at, received_at, payouts)
        select id, status, provider_status, source, observed_at, ${receivedAt}, prediction_payouts(body) from prediction_markets where id = ${id}`;
    for (const table of ['prediction_markets', 'prediction_status_changes'])
      await transaction`alter table ${transaction(table)} enable trigger all`;
  });
  await owner.end();
}

test('an outcome pays what the feed has signed, and nothing if it is unsigned, by another writer, or for another payout', async () => {
  const at = { observedAt: world.slot, receivedAt: world.slot };
  const [signed, unsigned, changed, foreign] = ['SIGNED', 'UNSIGNED', 'CHANGED', 'FOREIGN'].map((name) =>
    sampleMarket('kalshi', name, at),
  ) as [PredictionMarket, PredictionMarket, PredictionMarket, PredictionMarket];
  const all = [signed, unsigned, changed, foreign];
  const feed = createPredictionStore(sessions.feed);
  await feed.saveMarkets(all);
  const bookId = bookIds.paper(agent(), 1);
  const keyOf = ([yes]: PredictionMarket['outcomes']): InstrumentKey => `prediction:${yes.instrument}`;
  const fillOf = ({ id, outcomes }: PredictionMarket) => ({
    id: `of ${id}`,
    orderId: id,
    bookId,
    instrument: keyOf(outcomes),
    side: 'buy' as const,
    quantity: '40',
    fillPrice: '0.25',
    feeUsd: '0',
    notionalUsd: '10',
    decisionPrice: '0.25',
    slippageBps: 0,
    at: world.slot,
    quotes: [],
  });
  await sessions.worker.begin((transaction) =>
    writeRecords(
      transaction,
      all.map((market) => ({ type: 'fill', orgId: OURS, fill: fillOf(market) })),
    ),
  );
  await feed.saveMarkets([paying(signed, '1', '0'), paying(changed, '0', '1')]);
  await outcomeOfNobody(paying(unsigned, '1', '0'), true);
  await outcomeOfNobody(paying(changed, '1', '0'), false);
  await world.owner`update trail_tables set writers = writers || 'worker'::text where name in ('prediction_markets', 'prediction_events')`;
  await slippedIn(world, 'worker', 'prediction_status_changes', (sql) =>
    createPredictionStore(sql).saveMarkets([paying(foreign, '1', '0')]),
  );
  const refused: string[] = [];
  const settled = await settleResolved(
    sessions.worker,
    world.slot + MINUTE,
    eachRow((error) => void refused.push((error as Error).message)),
  );
  expect(refused.sort()).toEqual([unsigned, changed, foreign].map(({ id }) => `no writer signed the resolution of market ${id}`).sort());
  expect(settled).toBe(1);
  expect(await sessions.worker`select market_id, payout::text as payout from prediction_settlements`).toEqual([
    { market_id: signed.id, payout: '1' },
  ]);
  const [book] = await sessions.worker<
    { holdings: { instrument: string; quantity: string }[] }[]
  >`select holdings from books where id = ${bookId}`;
  const left = book?.holdings.flatMap(({ instrument, quantity }) => (instrument.startsWith('prediction:') ? [[instrument, quantity]] : []));
  expect(left?.sort()).toEqual([unsigned, changed, foreign].map(({ outcomes }) => [keyOf(outcomes), '40']).sort());
});

test('the verifier finds rows of a wrong writer, proofs that were never given and steps without a cause', async () => {
  const copy = world;
  const before = new Set((await copy.verify()).breaks.map(({ part, detail }) => `${part} ${detail}`));
  await copy.owner`create or replace function check_feed_steps() returns void language sql as 'select'`;
  await slippedIn(
    copy,
    'feed',
    'risk_preferences',
    (sql) => sql`insert into risk_preferences (org_id, version, body, set_by) values (${OURS}, 1, '{}', 'risk-manager')`,
  );
  await slippedIn(
    copy,
    'feed',
    'steps',
    (sql) =>
      sql`
      insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
      select id, version + 1, ${copy.slot}, machine, '{"type":"resume"}', '{"duty":"elsewhere"}', '{"duty":"active"}', 'risk manager' from actors where id = ${agent()}`,
  );
  await slippedIn(
    copy,
    'worker',
    'linked_wallets',
    (sql) =>
      sql`
      insert into linked_wallets (id, org_id, chain, address, challenge, signature, proved_by, proved_at)
      values (gen_random_uuid(), ${OURS}, 'spotchain', '11111111111111111111111111111111', 'x', 'x', 'ann', ${copy.slot})`,
  );
  await copy.logged();
  const found = (await copy.verify()).breaks.filter(({ part, detail }) => !before.has(`${part} ${detail}`)).map(({ detail }) => detail);
  for (const expected of [
    /^key [0-9a-f]{8} of the feed signed risk_preferences .* the feed does not write that table$/,
    /^key [0-9a-f]{8} of the feed signed step \d+ of actor .* tells actors of feeds alone$/,
    /^step \d+ of actor .* does not begin where the step before it has ended$/,
    /^actor .* stands elsewhere than its last step \d+ has led to$/,
    /^the wallet 1{32} .* its owner has not signed that$/,
  ])
    expect(found).toContainEqual(expect.stringMatching(expected));
});
