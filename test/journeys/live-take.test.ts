// A Take on real capital on the sandbox's exchange: armed, filled, closed by hand, stopped by its mandate; books and account agree.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFeedNotices } from '../../actors/agent/feed-notices.ts';
import { createKillSwitch } from '../../actors/proposal/kill-switch.ts';
import { writeRecords } from '../../src/adapters/store/actors/actor-records.ts';
import { createBreakerFacts } from '../../src/adapters/store/agents/breaker-facts.ts';
import { tradersSubscribedTo } from '../../src/adapters/store/agents/manifest-reads.ts';
import { createKillSwitchStore } from '../../src/adapters/store/orders/kill-switch-store.ts';
import { verifyTrail } from '../../src/adapters/store/trail-verifier.ts';
import { WeightBudget } from '../../src/adapters/venues/request-budget.ts';
import { createSpotOrders, type SpotOrders } from '../../src/adapters/venues/spotexchange/orders.ts';
import { createSpotRest } from '../../src/adapters/venues/spotexchange/rest.ts';
import { signWithKey } from '../../src/adapters/venues/spotexchange/spot-signer.ts';
import type { VenueHttp } from '../../src/adapters/venues/venue-http.ts';
import { createBreakersOfTakes } from '../../src/boot/wiring/breakers.ts';
import { emptyBook, markBook } from '../../src/domain/books/book.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { COST_MODELS } from '../../src/domain/orders/costs.ts';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import { contentId } from '../../src/domain/values/ids.ts';
import type { ManifestCondition } from '../../src/domain/manifest/manifest.ts';
import { DEFAULT_PREFERENCES } from '../../src/domain/risk/preferences.ts';
import { readTakeFields } from '../../src/domain/take/read-take.ts';
import { expectedSlippageOfTake, type Take } from '../../src/domain/take/take.ts';
import { TAKE_TICK_MS } from '../../src/domain/values/time.ts';
import { seededRandom } from '../../src/sandbox/faults.ts';
import { createSpotExchangeSimulator, type SpotExchangeSimulator } from '../../src/sandbox/spotexchange/simulator.ts';
import { SANDBOX_EXCHANGE_KEY } from '../../src/sandbox/spotexchange/sandbox-accounts.ts';
import { BTC, ORG, type TradingFixture, tradingFixture } from '../actors/proposal/trading-fixture.ts';
import { tinyMarket } from '../adapters/venues/spotexchange/tiny-world.ts';
import { eachRow } from '../../actors/runtime/containment.ts';
import { containment } from '../harness/contained.ts';

let fixture: TradingFixture;
let simulator: SpotExchangeSimulator;
let rest: VenueHttp;
let client: SpotOrders;

beforeEach(async () => {
  fixture = await tradingFixture();
  simulator = await createSpotExchangeSimulator({
    market: tinyMarket(),
    clock: fixture.clock,
    port: 0,
    seed: 5,
    keys: [SANDBOX_EXCHANGE_KEY],
    // Coins that the organization already held: no book bought them.
    balances: { USDT: 1_000_000, BTC: 3 },
  });
  const weight = new WeightBudget(6_000);
  rest = createSpotRest({ baseUrl: simulator.url, clock: fixture.clock, random: seededRandom(1), budget: weight });
  const budgets = { weight, orders: new WeightBudget(100, 10_000), dayOrders: new WeightBudget(200_000, 86_400_000) };
  const sign = signWithKey(SANDBOX_EXCHANGE_KEY);
  client = createSpotOrders({ baseUrl: simulator.url, rest, sign, clock: fixture.clock, budgetsOf: () => budgets });
});
afterEach(async () => {
  client.close();
  rest.close();
  await simulator.close();
  await fixture.close();
});

/** The exchange's lot of bitcoin. */
const LOT = '0.00001';
const READING = { thesis: null, understood: [], assumed: [], notUnderstood: [], open: [] };

function take(
  over: { symbol?: string; allocationUsd?: string; exit?: readonly ManifestCondition[]; entry?: readonly ManifestCondition[] } = {},
): Take {
  const { symbol = 'BTCUSDT', allocationUsd = '2000', entry = [{ type: 'price_above', price: '1' }], exit = [] } = over;
  const read = readTakeFields({ symbol, conditions: { entry, exit }, allocationUsd }, { catalog: CATALOG, now: fixture.clock.now() });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.take;
}

async function draft(made = take()): Promise<string> {
  const created = await fixture.takes.create(fixture.context(), made, READING);
  if (!created.ok) throw new Error(created.refusal.detail);
  return created.value.id;
}

async function armedLive(made = take()): Promise<string> {
  const id = await draft(made);
  const armed = await fixture.takes.arm(fixture.context(), id, 'live', []);
  expect(armed).toMatchObject({ ok: true, value: { state: 'armed', mode: 'live', onDuty: true } });
  return id;
}

/** Receives the exchange's top of book. */
async function receive(): Promise<void> {
  const { bids, asks } = (await rest.get('/api/v3/depth', { symbol: 'BTCUSDT', limit: 5 }, 5)) as {
    bids: [string, string][];
    asks: [string, string][];
  };
  fixture.price(plainDecimal(bids[0]?.[0] as string), plainDecimal(asks[0]?.[0] as string));
}

async function settle(): Promise<void> {
  for (let round = 0; round < 6; round++) {
    await fixture.timers.fireDue();
    fixture.clock.advanceTo(fixture.clock.now() + 2);
  }
}

const carry = () => fixture.carry({ clients: { spotexchange: client } });

async function tickAndTrade(): Promise<void> {
  await receive();
  await fixture.tick('live', TAKE_TICK_MS);
  await settle();
  await carry();
  await settle();
}

const free = (asset: string): Decimal => new Decimal(simulator.account.balances().find((each) => each.asset === asset)?.free ?? '0');
async function book(id: string) {
  const [row] = await fixture.sql<{ cash_usd: string; capital_usd: string; holdings: { quantity: string }[] }[]>`
    select cash_usd, capital_usd, holdings from books where agent_id = ${id} and mode = 'live'`;
  return {
    cash: new Decimal(row?.cash_usd ?? 0),
    capital: new Decimal(row?.capital_usd ?? 0),
    held: new Decimal(row?.holdings[0]?.quantity ?? 0),
  };
}

const killSwitch = () =>
  createKillSwitch({
    contained: eachRow((error) => {
      throw error;
    }),
    runtime: fixture.runtime,
    store: createKillSwitchStore(fixture.sql),
    preTrade: fixture.preTrade,
    bid: (key) => fixture.quotes.get(key)?.bid ?? null,
    clock: fixture.clock,
  });

async function closed(id: string): Promise<void> {
  await receive();
  expect(await killSwitch().look()).toBe(1);
  expect(await killSwitch().look()).toBe(0);
  await carry();
  await settle();
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'closed', onDuty: false });
}

test('armed live it buys with its allocation only, and is closed by hand after its end without touching the account’s other coins; every balance agrees', async () => {
  const [before, coins] = [free('USDT'), free('BTC')];
  expect(coins.toFixed()).toBe('3');
  const id = await armedLive();
  expect(await book(id)).toMatchObject({ cash: new Decimal(2000), capital: new Decimal(2000) });
  await tickAndTrade();
  const [entry] = await fixture.list();
  expect([entry?.state, entry?.side, entry?.order.mode, entry?.order.bookId]).toEqual(['filled', 'entry', 'live', `agent:${id}:live`]);
  // It has no exit conditions: `filled` is final, and only an operator can close the position.
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'filled', onDuty: false, mode: 'live' });
  const bought = await book(id);
  expect(bought.held.gt(0)).toBe(true);
  expect(plainDecimal(bought.held)).toBe(plainDecimal(free('BTC').minus(coins)));
  expect(bought.cash.minus(bought.capital).eq(free('USDT').minus(before))).toBe(true);
  expect(bought.cash.gte(0)).toBe(true);

  expect(await killSwitch().look()).toBe(0);
  expect(await fixture.takes.close(fixture.context(), id)).toMatchObject({ ok: true, value: { state: 'disarmed', reason: 'closing' } });
  expect(await fixture.takes.close(fixture.context(), id)).toMatchObject({ ok: false, refusal: { code: 'state_conflict' } });
  await closed(id);
  const sold = await book(id);
  // Less than a lot stays in the book, as in the account.
  expect(sold.held.lt(LOT)).toBe(true);
  expect(plainDecimal(sold.held)).toBe(plainDecimal(free('BTC').minus(coins)));
  expect(sold.cash.minus(sold.capital).eq(free('USDT').minus(before))).toBe(true);
  expect(await verifyTrail(fixture.sql)).toMatchObject({ whole: true, breaks: [] });
  expect(fixture.errors).toEqual([]);
});

test('a position can be closed after an emergency halt, and nothing more is bought', async () => {
  const id = await armedLive(take({ exit: [{ type: 'price_above', price: '900000' }] }));
  const waiting = await armedLive(take({ allocationUsd: '500', entry: [{ type: 'price_above', price: '900000' }] }));
  await tickAndTrade();
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'filled', onDuty: true });
  expect((await fixture.commands.emergencyHalt(fixture.context())).ok).toBe(true);
  expect(await fixture.takeReads.find(ORG, waiting)).toMatchObject({ state: 'disarmed', reason: 'emergency_halt' });
  await tickAndTrade();
  expect(await fixture.list()).toHaveLength(1);
  // A Take without a position cannot be closed.
  expect(await fixture.takes.close(fixture.context(), waiting)).toMatchObject({ ok: false, refusal: { code: 'state_conflict' } });
  expect(await fixture.takes.close(fixture.context(), id)).toMatchObject({ ok: true });
  await closed(id);
  expect((await book(id)).held.lt(LOT)).toBe(true);
});

test('a lost answer of the exchange leaves one order and one fill', async () => {
  const id = await armedLive();
  await receive();
  await fixture.tick('live', TAKE_TICK_MS);
  await client.lookUp({ instrument: 'spotexchange:BTCUSDT' } as never, 'nothing', { orgId: ORG, decisionPrice: '1', leaseUntil: null });
  simulator.faults.set({ lostAnswer: 1 });
  await carry();
  expect((await fixture.list())[0]?.state).toBe('unknown');
  await settle();
  expect((await fixture.takeReads.find(ORG, id))?.state).toBe('proposed');
  simulator.faults.reset();
  await fixture.tick('live', TAKE_TICK_MS);
  expect(await fixture.list()).toHaveLength(1);
  for (let round = 0; round < 4 && (await fixture.list())[0]?.state === 'unknown'; round++) {
    fixture.clock.advanceTo(fixture.clock.now() + 16_000);
    await fixture.timers.fireDue();
    await carry();
  }
  await settle();
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'filled' });
  expect(simulator.account.orders.length).toBe(1);
  expect(await fixture.sql`select count(*)::int as n from fills`).toEqual([{ n: 1 }]);
});

test('if its venue takes no live orders, or the switch is off, arming is refused and nothing is armed or deposited', async () => {
  const perp = await draft(take({ symbol: 'BTC' }));
  expect(await fixture.takes.arm(fixture.context(), perp, 'live', [])).toMatchObject({ ok: false, refusal: { code: 'feature_disabled' } });
  const id = await draft();
  fixture.disabled.venues = { spotexchange: 'SVC_LIVE_SPOTEXCHANGE_ENABLED' };
  const off = await fixture.takes.arm(fixture.context(), id, 'live', []);
  expect(off).toMatchObject({ ok: false, refusal: { code: 'feature_disabled' } });
  expect(JSON.stringify(off)).toContain('SVC_LIVE_SPOTEXCHANGE_ENABLED');
  Object.assign(fixture.disabled, { venues: {}, late: 'quotes take 7.5 s a round' });
  const slow = await fixture.takes.arm(fixture.context(), id, 'live');
  expect(slow).toMatchObject({ ok: false, refusal: { code: 'feature_disabled', detail: 'no live capital: quotes take 7.5 s a round' } });
  fixture.disabled.late = null;
  expect(await fixture.sql`select 1 from books`).toEqual([]);
  expect((await fixture.takeReads.find(ORG, id))?.state).toBe('draft');
  // Disabled after arming: the order fails at its execution, before anything is sent.
  fixture.disabled.venues = {};
  const late = await armedLive();
  await receive();
  await fixture.tick('live', TAKE_TICK_MS);
  await settle();
  await fixture.carry();
  await settle();
  expect((await fixture.list())[0]).toMatchObject({ state: 'failed', reason: 'feature_disabled' });
  expect((await fixture.takeReads.find(ORG, late))?.state).toBe('armed');
  expect(simulator.account.orders.length).toBe(0);
});

test('live Takes together get no more than the mandate’s capital, even if armed concurrently', async () => {
  await fixture.sql`insert into risk_preferences (org_id, version, body, set_by) values (${ORG}, 1, ${fixture.sql.json({ ...DEFAULT_PREFERENCES, maxCapitalUsd: '3000' } as never)}, 'ann')`;
  const ids = [await draft(), await draft(), await draft(take({ allocationUsd: '1000' }))];
  const outcomes = await Promise.all(ids.slice(0, 2).map((id) => fixture.takes.arm(fixture.context(), id, 'live', [])));
  expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
  expect(outcomes.find(({ ok }) => !ok)).toMatchObject({
    refusal: { code: 'blocked_by_risk', rejections: [{ code: 'capital_limit_breach', before: '2000', after: '4000' }] },
  });
  expect(await fixture.takes.arm(fixture.context(), ids[2] as string, 'live')).toMatchObject({ ok: true });
  const [paid] = await fixture.sql`select count(*)::int as books, sum(capital_usd)::text as usd from books where mode = 'live'`;
  expect(paid).toEqual({ books: 2, usd: '3000' });
  // Paper needs no capital, and disarming frees a live Take's share.
  const refused = ids[outcomes.findIndex(({ ok }) => !ok)] as string;
  const accepted = ids[outcomes.findIndex(({ ok }) => ok)] as string;
  expect(await fixture.takes.disarm(fixture.context(), accepted)).toMatchObject({ ok: true });
  expect(await fixture.takes.arm(fixture.context(), refused, 'live', [])).toMatchObject({ ok: true });
});

test('armed again it is funded once; a position keeps its mode', async () => {
  const id = await armedLive();
  await fixture.takes.disarm(fixture.context(), id);
  expect(await fixture.takes.arm(fixture.context(), id, 'paper', [])).toMatchObject({ ok: true, value: { mode: 'paper' } });
  await fixture.takes.disarm(fixture.context(), id);
  expect(await fixture.takes.arm(fixture.context(), id, 'live', [])).toMatchObject({ ok: true, value: { mode: 'live' } });
  expect((await book(id)).capital.eq(2000)).toBe(true);
  await fixture.takes.disarm(fixture.context(), id);
  const holds = await armedLive(take({ exit: [{ type: 'price_above', price: '900000' }] }));
  await tickAndTrade();
  await fixture.takes.disarm(fixture.context(), holds);
  expect(await fixture.takes.arm(fixture.context(), holds, 'paper', [])).toMatchObject({ ok: false, refusal: { code: 'state_conflict' } });
  expect(await fixture.takes.arm(fixture.context(), holds, 'live', [])).toMatchObject({
    ok: true,
    value: { state: 'filled', onDuty: true },
  });
});

test('the database refuses any other money in the live book of a Take', async () => {
  const id = await armedLive();
  for (const [reference, amount] of [
    ['a gift', 5],
    [`take:${id}:again`, 2000],
  ] as const) {
    const name = `transfer:${reference}`;
    await expect(
      fixture.sql.begin(async (sql) => {
        await sql`insert into ledger_transactions (id, book_id, kind, at, legs) values (${name}, ${`agent:${id}:live`}, 'transfer', 1, 2)`;
        await sql`
          insert into ledger_legs (transaction_id, leg, account_id, amount)
          select ${name}, row_number() over (), id, case kind when 'cash' then ${amount}::numeric else -${amount}::numeric end
          from ledger_accounts where book_id = ${`agent:${id}:live`} and kind in ('cash', 'capital')`;
      }),
    ).rejects.toMatchObject({ constraint_name: 'live_money_by_vault' });
  }
});

/** Creates the breakers as the service wires them. */
const breakers = () => {
  const { sql, runtime, clock } = fixture;
  return createBreakersOfTakes({ containment, sql, runtime, clock, onError: (error) => fixture.errors.push(error) });
};

/** Creates a live Take with a position whose exit condition never holds. */
async function holding(): Promise<string> {
  const id = await armedLive(take({ exit: [{ type: 'price_above', price: '900000' }] }));
  await tickAndTrade();
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'filled', onDuty: true });
  return id;
}

const alertsOf = async (id: string) =>
  (await fixture.sql<{ body: object }[]>`select body from announcements where actor_id = ${id} and channel = 'alerts' order by 1`).map(
    ({ body }) => body,
  );

test('a daily loss beyond the mandate disarms a live Take, and no other, until the day is over', async () => {
  const id = await holding();
  const limit = DEFAULT_PREFERENCES.maxDailyDrawdownPct;
  const told = (dailyDrawdownPct: number | null, stageName: 'live' | 'paper' = 'live') =>
    breakers().onMarked([
      {
        agentId: id,
        stage: stageName,
        manifest: { maxDailyDrawdownPct: 100 },
        marked: { ...markBook(emptyBook('book', 'live', '1'), new Map(), fixture.clock.now()), dailyDrawdownPct },
      },
    ]);
  for (const quiet of [told(limit), told(null), told(limit + 50, 'paper')]) await quiet;
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'filled', onDuty: true });
  await told(limit + 0.1);
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'disarmed', onDuty: false, reason: 'daily_drawdown' });
  expect(await alertsOf(id)).toMatchObject([{ what: 'daily_drawdown', takeId: id, observed: String(limit + 0.1), limit: String(limit) }]);
  await told(limit + 0.1);
  expect(await alertsOf(id)).toHaveLength(1);
  expect(await fixture.takes.arm(fixture.context(), id, 'live', [])).toMatchObject({ ok: false, refusal: { code: 'cause_persists' } });
  // A later reason for being disarmed does not end the day.
  expect(await fixture.takes.close(fixture.context(), id)).toMatchObject({ ok: true, value: { state: 'disarmed' } });
  expect(await fixture.takes.arm(fixture.context(), id, 'live', [])).toMatchObject({ ok: false, refusal: { code: 'cause_persists' } });
  const day = 86_400_000;
  fixture.clock.advanceTo((Math.floor(fixture.clock.now() / day) + 1) * day);
  expect(await fixture.takes.arm(fixture.context(), id, 'live', [])).toMatchObject({ ok: true, value: { state: 'filled', onDuty: true } });
  expect(fixture.errors).toEqual([]);
});

test('live fills that cost more than three times a backtest’s expectation disarm it; after arming again the count restarts', async () => {
  const id = await holding();
  const compiled = take({ exit: [{ type: 'price_above', price: '900000' }] });
  const expected = expectedSlippageOfTake(compiled);
  // Half the spread of the venue's cost model, and half a percent of price per depth that the notional consumes.
  const { halfSpreadBps, depthUsd, takerFeeBps } = COST_MODELS.spotexchange;
  const notional = Math.floor((2000 / (1 + takerFeeBps / 10_000)) * 100) / 100;
  expect(expected).toBeCloseTo(halfSpreadBps + (notional / Number(depthUsd)) * 50, 4);
  const fills = async (count: number, slippageBps: number) => {
    fixture.clock.advanceTo(fixture.clock.now() + 5);
    const at = fixture.clock.now();
    await fixture.sql.begin((sql) =>
      writeRecords(
        sql,
        Array.from({ length: count }, (_, n) => ({
          type: 'fill' as const,
          orgId: ORG,
          fill: {
            id: contentId(`slip ${at} ${n}`),
            orderId: contentId(`order ${at} ${n}`),
            bookId: `agent:${id}:live`,
            instrument: BTC,
            side: 'buy' as const,
            quantity: '0.00001',
            fillPrice: '100',
            feeUsd: '0',
            notionalUsd: '0.001',
            decisionPrice: '99',
            slippageBps,
            at,
            quotes: [],
          },
        })),
      ),
    );
  };
  // The purchase itself counts until it is armed again.
  const facts = createBreakerFacts(fixture.sql);
  const before = (await facts.slippage([id])).get(id);
  expect(before).toMatchObject({ expectedSlippageBps: expected });
  await fixture.takes.disarm(fixture.context(), id);
  expect(await fixture.takes.arm(fixture.context(), id, 'live', [])).toMatchObject({ ok: true });
  expect((await facts.slippage([id])).get(id)).toMatchObject({ fills: 0, slippageBps: null });
  await fills(1, 3 * expected - 0.01);
  await breakers().look();
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ onDuty: true });
  await fills(1, 3 * expected + 0.1);
  await breakers().look();
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'disarmed', reason: 'slippage' });
  expect(await alertsOf(id)).toMatchObject([{ what: 'slippage', takeId: id }]);
  fixture.clock.advanceTo(fixture.clock.now() + 5);
  expect(await fixture.takes.arm(fixture.context(), id, 'live', [])).toMatchObject({ ok: true });
  await breakers().look();
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'filled', onDuty: true });
  expect(fixture.errors).toEqual([]);
});

test('data lost for five seconds cancels a Take’s proposals and disarms a live one, never earlier and not for another instrument', async () => {
  const live = await holding();
  const paper = await draft();
  expect(await fixture.takes.arm(fixture.context(), paper, 'paper', [])).toMatchObject({ ok: true });
  const other = await draft(take({ symbol: 'AAPLx' }));
  expect(await fixture.takes.arm(fixture.context(), other, 'paper', [])).toMatchObject({ ok: true });
  const waiting = await draft();
  const subscribers = await tradersSubscribedTo(fixture.sql)('spotexchange');
  expect([live, paper, other, waiting].map((id) => subscribers.includes(id))).toEqual([true, true, false, false]);
  expect(await tradersSubscribedTo(fixture.sql)('reference')).toContain(other);
  const notify = createFeedNotices({ subscribers: tradersSubscribedTo(fixture.sql), ...fixture });
  const edge = async (type: 'feed.degraded' | 'feed.restored') => {
    const at = fixture.clock.now();
    await notify({ type, subject: 'spotexchange', at, goodAt: at });
  };
  const after = async (ms: number) => {
    fixture.clock.advanceTo(fixture.clock.now() + ms);
    await fixture.timers.fireDue();
  };
  for (const ms of [4_900, 4_999]) {
    await edge('feed.degraded');
    await after(ms);
    await edge('feed.restored');
    await after(10);
  }
  expect(await fixture.takeReads.find(ORG, live)).toMatchObject({ state: 'filled', onDuty: true });
  await edge('feed.degraded');
  await after(5_000);
  expect(await fixture.takeReads.find(ORG, live)).toMatchObject({ state: 'disarmed', reason: 'data_degraded' });
  // On paper nothing is at stake: it stays armed, and a stale quote triggers nothing.
  expect(await fixture.takeReads.find(ORG, paper)).toMatchObject({ state: 'armed', onDuty: true });
  expect(await alertsOf(live)).toMatchObject([{ what: 'data_degraded', takeId: live, venues: ['spotexchange'] }]);
  expect(await alertsOf(paper)).toMatchObject([{ what: 'data_degraded', takeId: paper, venues: ['spotexchange'] }]);
  expect(await fixture.takes.arm(fixture.context(), live, 'live', [])).toMatchObject({ ok: false, refusal: { code: 'cause_persists' } });
  await edge('feed.restored');
  expect(await fixture.takes.arm(fixture.context(), live, 'live', [])).toMatchObject({
    ok: true,
    value: { state: 'filled', onDuty: true },
  });
});
