// Live capital on the sandbox's exchange: an agent and a person buy and sell through the signed endpoints; books, vault and account agree.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createOutsideHandler } from '../../actors/agent/outside-proposals.ts';
import { createVaultHandler } from '../../actors/agent/vault-handler.ts';
import { createMarketOrderHandler, type MarketOrderRequest } from '../../actors/market-order/commands.ts';
import { marketOrderWorkers } from '../../actors/market-order/execution.ts';
import { createRestingWatch } from '../../actors/market-order/resting-watch.ts';
import type { VenueFlows } from '../../actors/proposal/execution.ts';
import type { OrderStream } from '../../actors/proposal/execution-client.ts';
import { createKillSwitch } from '../../actors/proposal/kill-switch.ts';
import { createOutsideStore } from '../../src/adapters/store/agents/outside-store.ts';
import { BookMoved } from '../../src/adapters/store/books/book-store.ts';
import { isRetryable } from '../../src/adapters/store/database.ts';
import { createKillSwitchStore } from '../../src/adapters/store/orders/kill-switch-store.ts';
import { createMarketOrderStore, openMarketOrders, restingOrders } from '../../src/adapters/store/orders/market-order-store.ts';
import { runQuery } from '../../src/adapters/store/queries.ts';
import { createSignedRows } from '../../src/adapters/store/trail/signed-rows.ts';
import { createSimulatedReserves } from '../../src/adapters/store/vaults/reserve-store.ts';
import { createVaultStore } from '../../src/adapters/store/vaults/vault-store.ts';
import { WeightBudget } from '../../src/adapters/venues/request-budget.ts';
import { openSpotReports } from '../../src/adapters/venues/spotexchange/access.ts';
import { createSpotOrders, type SpotOrders } from '../../src/adapters/venues/spotexchange/orders.ts';
import { createSpotRest } from '../../src/adapters/venues/spotexchange/rest.ts';
import { signWithKey } from '../../src/adapters/venues/spotexchange/spot-signer.ts';
import type { VenueHttp } from '../../src/adapters/venues/venue-http.ts';
import { bookIds } from '../../src/domain/books/book.ts';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import { SLICES } from '../../src/domain/orders/execution-plan.ts';
import { uuidV7 } from '../../src/domain/values/ids.ts';
import { refuse } from '../../src/domain/values/refusal.ts';
import type { FlowTrade } from '../../src/domain/orders/resting-fill.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { seededRandom } from '../../src/sandbox/faults.ts';
import { createSpotExchangeSimulator, type SpotExchangeSimulator } from '../../src/sandbox/spotexchange/simulator.ts';
import { SANDBOX_EXCHANGE_KEY } from '../../src/sandbox/spotexchange/sandbox-accounts.ts';
import { createPreTrade } from '../../src/trading/pre-trade.ts';
import { BTC, eagerManifest, ORG, type TradingFixture, tradingFixture } from '../actors/proposal/trading-fixture.ts';
import { tinyMarket } from '../adapters/venues/spotexchange/tiny-world.ts';
import { placeAtStage } from '../harness/fixture.ts';
import { percentile } from '../harness/measured.ts';
import { rounds } from '../harness/rounds.ts';
import { riskOn } from '../harness/trading.ts';
import { waitFor } from '../harness/wait-for.ts';
import { eachRow } from '../../actors/runtime/containment.ts';

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

/** Receives the exchange's top of book. */
async function receive(): Promise<void> {
  const { bids, asks } = (await rest.get('/api/v3/depth', { symbol: 'BTCUSDT', limit: 5 }, 5)) as {
    bids: [string, string][];
    asks: [string, string][];
  };
  fixture.price(plainDecimal(bids[0]?.[0] as string), plainDecimal(asks[0]?.[0] as string));
}
const free = (asset: string): Decimal => new Decimal(simulator.account.balances().find((each) => each.asset === asset)?.free ?? '0');
const book = async (agentId: string | null) => {
  const [row] = await fixture.sql<{ cash_usd: string; capital_usd: string; holdings: { quantity: string }[] }[]>`
    select cash_usd, capital_usd, holdings from books where mode = 'live' and agent_id is not distinct from ${agentId}`;
  return {
    cash: new Decimal(row?.cash_usd ?? 0),
    capital: new Decimal(row?.capital_usd ?? 0),
    held: new Decimal(row?.holdings[0]?.quantity ?? 0),
  };
};

async function liveAgent(words: Parameters<typeof eagerManifest>[0] = {}) {
  const agentId = await fixture.agent(
    'policy_auto',
    eagerManifest({ maxCapitalUsd: '50000', maxTradeNotionalUsd: '3000', maxSlippageBps: 50, ...words }),
  );
  await placeAtStage(fixture.url, agentId, 'limited_live');
  const vaults = createVaultHandler({
    vaults: createVaultStore(fixture.sql, createSignedRows(fixture.sql)),
    marks: () => new Map(),
    reserves: createSimulatedReserves(fixture.sql, fixture.clock),
    clock: fixture.clock,
  });
  const deposited = await vaults.deposit(fixture.context(), agentId, '4000');
  if (!deposited.ok) throw new Error(deposited.refusal.detail);
  return { agentId, vaults };
}

test('an agent at limited_live buys and sells on the exchange, and every balance agrees', async () => {
  const { agentId, vaults } = await liveAgent();
  const before = free('USDT');
  await receive();
  await fixture.tick();
  await fixture.carry({ clients: { spotexchange: client } });
  const [entry] = await fixture.list({ agentId });
  expect([entry?.state, entry?.side, entry?.order.mode]).toEqual(['filled', 'entry', 'live']);
  const bought = await book(agentId);
  expect(bought.held.gt(0)).toBe(true);
  expect(bought.cash.minus(bought.capital).eq(free('USDT').minus(before))).toBe(true);
  expect(plainDecimal(bought.held)).toBe(plainDecimal(free('BTC')));

  await receive();
  await fixture.tick();
  await fixture.carry({ clients: { spotexchange: client } });
  const [exit] = await fixture.list({ agentId });
  expect([exit?.state, exit?.side]).toEqual(['filled', 'exit']);
  const sold = await book(agentId);
  // Less than a lot stays in the book, as in the account.
  expect(sold.held.gt(0) && sold.held.lt('0.00001')).toBe(true);
  expect(plainDecimal(sold.held)).toBe(plainDecimal(free('BTC')));
  expect(sold.cash.minus(sold.capital).eq(free('USDT').minus(before))).toBe(true);
  const vault = await vaults.read(ORG, agentId);
  expect(JSON.stringify(vault)).toContain(plainDecimal(sold.cash));
  expect(fixture.errors).toEqual([]);
});

test('a lost answer leaves the proposal unknown, and the look-up books exactly one fill', async () => {
  const { agentId } = await liveAgent();
  await receive();
  await fixture.tick();
  // From here on the data needed before an order is known.
  await client.lookUp({ instrument: BTC } as never, 'nothing', { orgId: ORG, decisionPrice: '1', leaseUntil: null });
  simulator.faults.set({ lostAnswer: 1 });
  await fixture.carry({ clients: { spotexchange: client } });
  expect((await fixture.list({ agentId }))[0]?.state).toBe('unknown');
  expect(simulator.account.orders.length).toBe(1);
  simulator.faults.reset();
  // While the outcome is unknown, the agent makes no further proposal for the instrument.
  await receive();
  await fixture.tick();
  expect((await fixture.list({ agentId })).length).toBe(1);
  await fixture.carry({ clients: { spotexchange: client } });
  const [proposal] = await fixture.list({ agentId });
  expect(proposal?.state).toBe('filled');
  expect(simulator.account.orders.length).toBe(1);
  const trades = simulator.account.orders[0]?.trades.length;
  expect(proposal?.fills.length).toBe(trades);
  expect((await book(agentId)).held.lte(free('BTC'))).toBe(true);
});

test('an order in slices goes to the exchange slice by slice, each under its own name, and every balance agrees', async () => {
  const { agentId } = await liveAgent({ algorithm: 'twap', urgency: 'high' });
  const before = free('USDT');
  await receive();
  await fixture.tick();
  const carried = () => fixture.carry({ clients: { spotexchange: client } });
  await carried();
  const proposal = async () => (await fixture.list({ agentId }))[0];
  const states: unknown[] = [(await proposal())?.execution?.phase];
  for (let slice = 2; slice <= SLICES.high.count; slice++) {
    fixture.clock.advanceTo(fixture.clock.now() + SLICES.high.everyMs);
    await receive();
    await fixture.timers.fireDue();
    await carried();
    states.push((await proposal())?.execution?.phase);
  }
  expect(states).toEqual(['working', 'working', 'ended']);
  const done = await proposal();
  expect([done?.state, done?.execution?.parts.map(({ reason }) => reason)]).toEqual(['filled', [null, null, null]]);
  const sent = simulator.account.orders.map(({ request }) => [request.type, request.clientOrderId]);
  expect([sent.map(([type]) => type), new Set(sent.map(([, name]) => name)).size]).toEqual([['LIMIT', 'LIMIT', 'LIMIT'], 3]);
  const bought = await book(agentId);
  expect(bought.cash.minus(bought.capital).eq(free('USDT').minus(before))).toBe(true);
  // Commission is deducted from each slice.
  expect(plainDecimal(bought.held)).toBe(plainDecimal(free('BTC')));
  expect(fixture.errors).toEqual([]);
});

/** Creates manual orders with their workers and the watch of resting orders, as a process has them. */
function peoplesOrders(
  flows: VenueFlows = { between: () => Promise.reject(new Error('nothing rests on paper here')) },
  stream?: OrderStream,
) {
  const { clock, sql, runtime, timers, actorStore } = fixture;
  const newId = () => uuidV7(clock.now(), Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 9, ++made));
  const preTrade = createPreTrade({
    ...riskOn(sql, { clock, bus: { latest: (key) => fixture.quotes.get(key) ?? null } }),
    orderBooks: { read: async () => refuse('unavailable', 'the venue does not answer') },
  });
  const orders = createMarketOrderStore(sql);
  const isOverrun = (error: unknown) => error instanceof BookMoved;
  const handler = createMarketOrderHandler({
    runtime,
    preTrade,
    orders,
    lacks: () => null,
    isOverrun,
    isOutage: isRetryable,
    clock,
    newId,
  });
  const means = { runtime, load: actorStore.load, clients: { spotexchange: client }, flows, clock };
  const onError = (error: unknown) => fixture.errors.push(error);
  const activities = fixture.carrying(marketOrderWorkers({ ...means, preTrade, leaseIsHeld: fixture.proposals.leaseIsHeld }));
  const watch = createRestingWatch({ ...means, ...restingOrders(sql), stream, contained: eachRow(onError), onError });
  const bookId = bookIds.manual(ORG, 'live');
  return {
    handler,
    orders,
    activities,
    timers,
    watch,
    bound: () => runQuery(openMarketOrders(sql, ORG, bookId)),
    /** Places an order and runs the following work. Returns its id. */
    async placed(mode: 'live' | 'paper', request: Partial<MarketOrderRequest>): Promise<string> {
      const wish = { instrument: BTC, side: 'buy', quantity: '0.02', notionalUsd: null, limitPrice: null, maxSlippageBps: null } as const;
      const answer = await handler.place(fixture.context(), mode, { ...wish, ...request });
      if (!answer.ok) throw new Error(answer.refusal.detail);
      await activities.carryDue();
      return answer.value.id;
    },
    async stop() {
      await activities.stop();
    },
  };
}
let made = 0;

test('a person’s live order works the same way, and a halt before it is sent stops it', async () => {
  const { handler, orders, activities, placed, stop } = peoplesOrders();
  const before = free('USDT');
  await receive();
  const done = await orders.find(ORG, await placed('live', {}));
  expect([done?.state, done?.fills.length !== 0]).toEqual(['filled', true]);
  const after = await book(null);
  expect(after.cash.minus(after.capital).eq(free('USDT').minus(before))).toBe(true);

  const buy = { instrument: BTC, side: 'buy', quantity: '0.02', notionalUsd: null, limitPrice: null, maxSlippageBps: null } as const;
  const second = await handler.place(fixture.context(), 'live', buy);
  if (!second.ok) throw new Error(second.refusal.detail);
  const halted = await fixture.commands.emergencyHalt(fixture.context());
  expect(halted.ok).toBe(true);
  await activities.carryDue();
  expect(await orders.find(ORG, second.value.id)).toMatchObject({ state: 'cancelled', reason: 'halted' });
  expect(simulator.account.orders.length).toBe(1);
  await stop();
});

test('a person’s order rests with its capital reserved, survives a lost answer, and is filled when the market reaches it', async () => {
  const { orders, timers, activities, watch, bound, placed, stop } = peoplesOrders();
  await receive();
  const [top] = [fixture.quotes.get(BTC)];
  const limitPrice = new Decimal(top?.bid as string).times('0.995').toDecimalPlaces(2).toFixed();
  const rests = { limitPrice, timeInForce: 'gtc', postOnly: true } as const;
  // From here on the data needed before an order is known.
  await client.lookUp({ instrument: BTC } as never, 'nothing', { orgId: ORG, decisionPrice: '1', leaseUntil: null });
  simulator.faults.set({ lostAnswer: 1 });
  const id = await placed('live', rests);
  expect((await orders.find(ORG, id))?.state).toBe('unknown');
  simulator.faults.reset();
  fixture.clock.advanceTo(fixture.clock.now() + 15_000);
  await timers.fireDue();
  await activities.carryDue();
  const resting = await orders.find(ORG, id);
  expect(resting).toMatchObject({ state: 'resting', timeInForce: 'gtc', postOnly: true, filledQuantity: '0' });
  expect(new Decimal(resting?.restingAt ?? 0).eq(limitPrice)).toBe(true);
  expect(await bound()).toMatchObject([{ id, quantity: '0.02', notionalUsd: resting?.order.notionalUsd }]);
  expect(simulator.account.open(null).map(({ request }) => request.type)).toEqual(['LIMIT_MAKER']);
  expect(await watch.look()).toBe(0);

  const before = free('USDT');
  for (let minutes = 0; simulator.account.open(null).length > 0 && minutes < 240; minutes++) {
    fixture.clock.advanceTo(fixture.clock.now() + 60_000);
    await receive();
  }
  // Another process that has never seen the order takes over.
  const restarted = peoplesOrders();
  expect(await restarted.watch.look()).toBe(1);
  expect(await orders.find(ORG, id)).toMatchObject({ state: 'filled', restingAt: null });
  expect([await bound(), await watch.look(), (await book(null)).held.gt(0)]).toEqual([[], 0, true]);
  expect(free('USDT').eq(before)).toBe(true);
  const told = await fixture.sql<{ what: string }[]>`
    select body->>'what' as what from announcements where channel = 'alerts' and body->>'marketOrderId' = ${id} order by seq`;
  expect(told.map(({ what }) => what)).toEqual(['order_outcome_unknown', 'order_resting', 'order_filled']);
  expect(fixture.errors).toEqual([]);
  await stop();
  await restarted.stop();
});

test('a resting order is cancelled by its owner and by a halt, and nothing of it stays at the exchange', async () => {
  const { handler, orders, activities, bound, placed, stop } = peoplesOrders();
  await receive();
  const limitPrice = new Decimal(fixture.quotes.get(BTC)?.bid as string).times('0.95').toDecimalPlaces(2).toFixed();
  const cancelled = await placed('live', { limitPrice, timeInForce: 'gtc' });
  const halted = await placed('live', { limitPrice, timeInForce: 'gtc', postOnly: true });
  expect(simulator.account.open(null).map(({ request }) => request.type)).toEqual(['LIMIT', 'LIMIT_MAKER']);
  expect(await handler.cancel(fixture.context(), cancelled)).toMatchObject({ ok: true, value: { state: 'withdrawing' } });
  await activities.carryDue();
  expect(await orders.find(ORG, cancelled)).toMatchObject({ state: 'cancelled', reason: 'cancel_requested', fills: [] });
  expect(await handler.cancel(fixture.context(), cancelled)).toMatchObject({ ok: false, refusal: { code: 'state_conflict' } });
  expect(await handler.cancel({ ...fixture.context(), orgId: '00000000-0000-7000-8000-00000000dead' }, halted)).toMatchObject({
    ok: false,
    refusal: { code: 'not_found' },
  });

  expect((await fixture.commands.emergencyHalt(fixture.context())).ok).toBe(true);
  await activities.carryDue();
  expect(await orders.find(ORG, halted)).toMatchObject({ state: 'cancelled', reason: 'halted' });
  expect([simulator.account.open(null), await bound()]).toEqual([[], []]);
  expect(fixture.errors).toEqual([]);
  await stop();
});

test('on paper an order rests until the market trades through it, and is filled once by no more than that', async () => {
  const trades: FlowTrade[] = [];
  const { handler, orders, activities, watch, placed, stop } = peoplesOrders({
    between: async (_, from, to) => ({
      venue: 'spotexchange',
      source: 'test:trades',
      trades: trades.filter(({ at }) => at >= from && at <= to),
      tops: [],
    }),
  });
  const { clock } = fixture;
  await receive();
  const bid = new Decimal(fixture.quotes.get(BTC)?.bid as string);
  const limitPrice = bid.minus(10).toFixed();
  const id = await placed('paper', { limitPrice, timeInForce: 'gtc', postOnly: true });
  expect(await orders.find(ORG, id)).toMatchObject({ state: 'resting', restingAt: limitPrice });
  const traded = async (price: Decimal, quantity: string): Promise<number> => {
    trades.push({ price: price.toFixed(), quantity, at: clock.now() + 500 });
    clock.advanceTo(clock.now() + 1_000);
    return watch.look();
  };
  // The queue position is unknown: a trade at its price fills nothing.
  expect(await traded(bid.minus(10), '5')).toBe(0);
  expect(await traded(bid.minus(11), '0.005')).toBe(1);
  expect(await orders.find(ORG, id)).toMatchObject({ state: 'resting', filledQuantity: '0.005' });
  const other = peoplesOrders({
    between: async (_, from, to) => ({
      venue: 'spotexchange',
      source: 'test:trades',
      trades: trades.filter(({ at }) => at >= from && at <= to),
      tops: [],
    }),
  });
  // A new process counts no trade twice.
  expect(await other.watch.look()).toBe(0);
  await other.stop();
  expect(await traded(bid.minus(11), '0.004')).toBe(1);
  expect(await handler.cancel(fixture.context(), id)).toMatchObject({ ok: true });
  await activities.carryDue();
  const ended = await orders.find(ORG, id);
  expect(ended).toMatchObject({ state: 'partially_filled', reason: 'cancel_requested', filledQuantity: '0.009' });
  expect(ended?.fills.map(({ quantity, fillPrice }) => [quantity, fillPrice])).toEqual([
    ['0.005', limitPrice],
    ['0.004', limitPrice],
  ]);
  expect(
    await orders.find(ORG, await placed('paper', { limitPrice: bid.times(2).toFixed(), timeInForce: 'gtc', postOnly: true })),
  ).toMatchObject({
    state: 'failed',
    reason: 'would_take',
  });
  expect(fixture.errors).toEqual([]);
  await stop();
});

/** Creates manual orders with the exchange's own execution reports. */
function reportedOrders() {
  const { clock } = fixture;
  const url = `${simulator.wsUrl}/ws-api/v3`;
  const reports = openSpotReports({ url, orders: client, clock, random: seededRandom(3), note: () => {} });
  const people = peoplesOrders(undefined, reports.stream);
  const followed = () =>
    waitFor(
      () => {
        // The pause before the next connection passes.
        clock.advanceTo(clock.now() + 50);
        return simulator.reportsFollowed() === 1;
      },
      { what: 'the stream of the account is subscribed' },
    );
  /** Returns the order at the exchange. */
  const atExchange = () => simulator.account.orders.at(-1) as (typeof simulator.account.orders)[number];
  return {
    ...people,
    followed,
    atExchange,
    /** Places a resting order with its stream subscribed. Returns its id. */
    async rests(): Promise<string> {
      await receive();
      const limitPrice = new Decimal(fixture.quotes.get(BTC)?.bid as string).times('0.9').toDecimalPlaces(2).toFixed();
      const id = await people.placed('live', { limitPrice, timeInForce: 'gtc', postOnly: true });
      expect((await people.orders.find(ORG, id))?.state).toBe('resting');
      await people.watch.look();
      await followed();
      return id;
    },
    /** Fills part of the resting order, in millionths of a coin. */
    taken(millionths: number): void {
      simulator.account.fill(atExchange(), BigInt(millionths) * 100n, clock.now());
    },
    booked: async (id: string) => (await people.orders.find(ORG, id))?.fills.map((fill) => fill.id).sort() ?? [],
    /** Expected fills: one for each trade at the exchange. */
    traded: (id: string) =>
      atExchange()
        .trades.map((trade) => `binance:BTCUSDT:${trade.id}:${id}`)
        .sort(),
    async stop() {
      reports.close();
      await people.stop();
    },
  };
}

test('executions reported by the exchange are booked at once, while requests fail', async () => {
  const { orders, rests, taken, booked, traded, stop } = reportedOrders();
  const id = await rests();
  const before = free('BTC');
  // From here on requests fail: what is booked came from the stream.
  simulator.faults.set({ status5xx: 1 });
  for (const [millionths, filled] of [
    [5_000, 'resting'],
    [2_500, 'resting'],
    [12_500, 'filled'],
  ] as const) {
    taken(millionths);
    await waitFor(async () => (await booked(id)).length === traded(id).length, { what: 'the reported trade is booked' });
    expect((await orders.find(ORG, id))?.state).toBe(filled);
  }
  expect(await booked(id)).toEqual(traded(id));
  const dust = free('BTC')
    .minus(before)
    .minus((await book(null)).held);
  expect(dust.gte(0) && dust.lt('0.00003')).toBe(true);
  await stop();
});

test('each small part of a traded order is booked as reported, and its delay is printed', async () => {
  const { rests, taken, booked, traded, stop } = reportedOrders();
  const id = await rests();
  const parts = rounds({ suite: 4, proof: 200 });
  const lateMs: number[] = [];
  for (let part = 1; part <= parts; part++) {
    const tradedAt = performance.now();
    taken(20_000 / parts);
    await waitFor(async () => (await booked(id)).length === part, { what: 'the reported trade is booked' });
    lateMs.push(performance.now() - tradedAt);
  }
  expect(await booked(id)).toEqual(traded(id));
  const [median, most] = [0.5, 0.99].map((share) => percentile(lateMs, share).toFixed(1));
  console.log(`${parts} reported trades were booked after ${median} ms, 99 of 100 within ${most} ms, as a reader of the order sees it`);
  await stop();
});

test('whatever the stream does, each trade is booked once: by the stream or the look-up, whichever comes first', async () => {
  const { orders, watch, rests, taken, booked, traded, stop } = reportedOrders();
  for (const faults of [{ duplicate: 1 }, { reorder: 1 }, { gap: 1 }, { duplicate: 0.5, reorder: 0.5, gap: 0.3 }, { garbage: 1 }]) {
    const id = await rests();
    simulator.faults.set(faults);
    for (let part = 0; part < 5; part++) {
      taken(4_000);
      if (part % 2 === 1) await watch.look();
    }
    await watch.look();
    await waitFor(async () => (await orders.find(ORG, id))?.state === 'filled', { what: `filled in spite of ${JSON.stringify(faults)}` });
    expect(await booked(id), JSON.stringify(faults)).toEqual(traded(id));
    simulator.faults.reset();
  }
  expect(
    free('BTC')
      .minus((await book(null)).held)
      .gte(0),
  ).toBe(true);
  await stop();
});

test('a report before the answer to the order, or while the stream is down, is not lost', async () => {
  const { orders, timers, activities, watch, followed, atExchange, rests, placed, taken, booked, traded, stop } = reportedOrders();
  await rests();
  simulator.faults.set({ lostAnswer: 1 });
  const limitPrice = new Decimal(fixture.quotes.get(BTC)?.bid as string).times('0.9').toDecimalPlaces(2).toFixed();
  const id = await placed('live', { limitPrice, timeInForce: 'gtc' });
  taken(5_000);
  expect([(await orders.find(ORG, id))?.state, atExchange().trades.length]).toEqual(['unknown', 1]);
  simulator.faults.reset();
  fixture.clock.advanceTo(fixture.clock.now() + 15_000);
  await timers.fireDue();
  await activities.carryDue();
  expect(await orders.find(ORG, id)).toMatchObject({ state: 'resting' });
  await watch.look();
  expect(await booked(id)).toEqual(traded(id));

  // The subscription ends. What happens before the next one is read as soon as it exists.
  simulator.endReports();
  taken(15_000);
  await followed();
  await waitFor(async () => (await orders.find(ORG, id))?.state === 'filled', { what: 'what was missed is booked' });
  expect(await booked(id)).toEqual(traded(id));
  await stop();
});

test('reports also fill a resting part of an agent’s order: each trade is booked at once and once, and completion ends the part', async () => {
  const { watch, followed, atExchange, taken, traded, stop } = reportedOrders();
  const { agentId } = await liveAgent({ algorithm: 'smart_order_routing_maker_first', urgency: 'low' });
  await receive();
  await fixture.tick();
  await fixture.carry({ clients: { spotexchange: client } });
  const proposal = async () => (await fixture.list({ agentId }))[0] as Awaited<ReturnType<typeof fixture.list>>[number];
  const id = (await proposal()).id;
  const booked = async () => (await proposal()).fills.map((fill) => fill.id).sort();
  expect((await proposal()).execution).toMatchObject({ phase: 'resting' });
  await watch.look();
  await followed();

  // From here on requests fail: what is booked came from the stream.
  simulator.faults.set({ status5xx: 1, duplicate: 1 });
  const { notionalUsd: whole, quantity } = (await proposal()).order;
  taken(5_000);
  await waitFor(async () => (await booked()).length === 1, { what: 'the reported trade of the part is booked' });
  const partly = await proposal();
  expect(await booked()).toEqual(traded(id));
  expect([partly.state, partly.execution?.phase, partly.execution?.left]).toEqual([
    'executing',
    'resting',
    plainDecimal(new Decimal(quantity).minus('0.005')),
  ]);
  const [row] = await fixture.sql<{ notional_usd: string }[]>`select notional_usd from proposals where id = ${id}`;
  expect(new Decimal(row?.notional_usd ?? 0).lt(whole)).toBe(true);
  expect((await book(agentId)).held.gt(0)).toBe(true);

  // Less than half of the time in force has passed.
  taken(new Decimal(quantity).minus('0.005').times(1e6).toNumber());
  await waitFor(async () => (await proposal()).state === 'filled', { what: 'the order has ended by the report of its last trade' });
  expect([await booked(), (await proposal()).reason]).toEqual([traded(id), null]);
  expect((await proposal()).execution?.parts).toMatchObject([{ kind: 'rest', executedQuantity: quantity, reason: null }]);
  expect(atExchange().trades.length).toBe(2);
  await stop();
});

test('a part partially filled by reports is cancelled by a halt, and no trade is booked twice', async () => {
  const { watch, followed, taken, traded, stop } = reportedOrders();
  const { agentId } = await liveAgent({ algorithm: 'smart_order_routing_maker_first', urgency: 'low' });
  await receive();
  await fixture.tick();
  await fixture.carry({ clients: { spotexchange: client } });
  const proposal = async () => (await fixture.list({ agentId }))[0] as Awaited<ReturnType<typeof fixture.list>>[number];
  await watch.look();
  await followed();
  taken(5_000);
  await waitFor(async () => (await proposal()).fills.length === 1, { what: 'the reported trade of the part is booked' });
  expect((await fixture.commands.emergencyHalt(fixture.context())).ok).toBe(true);
  await fixture.carry({ clients: { spotexchange: client } });
  const ended = await proposal();
  expect([ended.state, ended.reason]).toEqual(['partially_filled', 'halted']);
  expect(ended.fills.map((fill) => fill.id)).toEqual(traded(ended.id));
  expect(ended.execution?.parts).toMatchObject([{ kind: 'rest', executedQuantity: '0.005', reason: 'rest_lapsed' }]);
  expect(simulator.account.open(null)).toEqual([]);
  expect(fixture.errors).toEqual([]);
  await stop();
});

test('outside code that disagrees falls to backtest in one step: resting orders are cancelled, positions stay, and a person sells them', async () => {
  const { watch, followed, taken, stop } = reportedOrders();
  const manifest = {
    entry: [],
    exit: [],
    strategy: { kind: 'external', release: 'bot 1' },
    algorithm: 'smart_order_routing_maker_first',
  } as const;
  const { agentId } = await liveAgent({ ...manifest, urgency: 'low' });
  const outside = createOutsideHandler({ store: createOutsideStore(fixture.sql), clock: fixture.clock, newId: fixture.newId });
  const proposes = async (clientId: string) => {
    await receive();
    const manifestHash = (await fixture.agents.find(ORG, agentId))?.manifestHash ?? '';
    const wish = { side: 'buy', instrument: BTC, notionalUsd: '2000', quantity: null, limitPrice: null, reason: clientId } as const;
    const received = await outside.propose(fixture.context(), agentId, { ...wish, inputs: undefined, clientId, manifestHash });
    expect([clientId, received.ok ? 'received' : received.refusal]).toEqual([clientId, 'received']);
    await fixture.tick();
    await fixture.carry({ clients: { spotexchange: client } });
  };
  await proposes('live');
  await watch.look();
  await followed();
  taken(5_000);
  const newest = async () => (await fixture.list({ agentId }))[0] as Awaited<ReturnType<typeof fixture.list>>[number];
  const resting = await waitFor(async () => ((await newest()).fills.length === 1 ? newest() : null), { what: 'a part of it is booked' });
  expect([resting.state, resting.order.mode]).toEqual(['executing', 'live']);
  await stop();

  const trip = { type: 'breaker.tripped', breaker: 'disagreement', at: fixture.clock.now(), observed: 90, limit: 99 } as const;
  expect((await fixture.runtime.deliver(agentId, trip, { cause: 'test' })).ok).toBe(true);
  await fixture.timers.fireDue();
  await fixture.carry({ clients: { spotexchange: client } });
  expect(await fixture.agents.find(ORG, agentId)).toMatchObject({ stage: 'backtest', paused: false });
  expect(await newest()).toMatchObject({ id: resting.id, state: 'partially_filled', reason: 'demoted' });
  expect((await newest()).execution?.parts).toMatchObject([{ kind: 'rest', executedQuantity: '0.005' }]);
  expect(simulator.account.open(null)).toEqual([]);
  const kept = await book(agentId);
  expect(kept.held.gt(0)).toBe(true);

  // It may rehearse on paper, without capital.
  await proposes('after');
  expect((await newest()).order.mode).toBe('paper');
  expect([simulator.account.open(null), simulator.account.orders.length]).toEqual([[], 1]);
  expect(plainDecimal((await book(agentId)).held)).toBe(plainDecimal(kept.held));

  expect((await fixture.commands.close(fixture.context(), agentId, { instrument: null, limitPrice: null })).ok).toBe(true);
  await receive();
  const { sql, runtime, preTrade, quotes, clock } = fixture;
  const bid = (key: InstrumentKey) => quotes.get(key)?.bid ?? null;
  const contained = eachRow((error) => fixture.errors.push(error));
  await createKillSwitch({ store: createKillSwitchStore(sql), runtime, preTrade, bid, clock, contained }).look();
  await fixture.carry({ clients: { spotexchange: client } });
  expect((await book(agentId)).held.lt('0.00001')).toBe(true);
  expect(fixture.errors).toEqual([]);
});
