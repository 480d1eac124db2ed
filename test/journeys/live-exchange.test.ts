// Live capital on the sandbox's exchange: an agent, and a person, buy and sell through the signed endpoints; books, vault and account agree.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createVaultHandler } from '../../actors/agent/vault-handler.ts';
import { createMarketOrderHandler } from '../../actors/market-order/command-handler.ts';
import { marketOrderKind } from '../../actors/market-order/effects.ts';
import { marketOrderWorkers } from '../../actors/market-order/execution.ts';
import { startActivities } from '../../actors/runtime/activities.ts';
import { createDirectory } from '../../actors/runtime/directory.ts';
import { createRuntime } from '../../actors/runtime/runtime.ts';
import { BookMoved } from '../../src/adapters/store/books/book-store.ts';
import { createMarketOrderStore } from '../../src/adapters/store/orders/market-order-store.ts';
import { createSignedRows } from '../../src/adapters/store/trail/signed-rows.ts';
import { createVaultStore } from '../../src/adapters/store/vaults/vault-store.ts';
import { WeightBudget } from '../../src/adapters/venues/request-budget.ts';
import { createSpotOrders, type SpotOrders } from '../../src/adapters/venues/spotexchange/orders.ts';
import { createSpotRest } from '../../src/adapters/venues/spotexchange/rest.ts';
import { signWithKey } from '../../src/adapters/venues/spotexchange/signature.ts';
import type { VenueHttp } from '../../src/adapters/venues/venue-http.ts';
import { Decimal, plainDecimal } from '../../src/domain/decimal.ts';
import { uuidV7 } from '../../src/domain/ids.ts';
import { refuse } from '../../src/domain/refusal.ts';
import { seededRandom } from '../../src/sandbox/faults.ts';
import { createSpotExchangeSimulator, type SpotExchangeSimulator } from '../../src/sandbox/spotexchange/simulator.ts';
import { SANDBOX_EXCHANGE_KEY } from '../../src/sandbox/spotexchange/simulators.ts';
import { createPreTrade } from '../../src/trading/pre-trade.ts';
import { BTC, eagerManifest, ORG, type TradingFixture, tradingFixture } from '../actors/proposal/trading-fixture.ts';
import { tinyMarket } from '../adapters/venues/spotexchange/tiny-world.ts';
import { placeAtStage } from '../harness/fixture.ts';
import { riskOn } from '../harness/trading.ts';

let stage: TradingFixture;
let simulator: SpotExchangeSimulator;
let rest: VenueHttp;
let client: SpotOrders;

beforeEach(async () => {
  stage = await tradingFixture();
  simulator = await createSpotExchangeSimulator({
    market: tinyMarket(),
    clock: stage.clock,
    port: 0,
    seed: 5,
    keys: [SANDBOX_EXCHANGE_KEY],
  });
  const weight = new WeightBudget(6_000);
  rest = createSpotRest({ baseUrl: simulator.url, clock: stage.clock, random: seededRandom(1), budget: weight });
  const budgets = { weight, orders: new WeightBudget(100, 10_000), dayOrders: new WeightBudget(200_000, 86_400_000) };
  const sign = signWithKey(SANDBOX_EXCHANGE_KEY);
  client = createSpotOrders({ baseUrl: simulator.url, rest, sign, clock: stage.clock, budgetsOf: () => budgets });
});
afterEach(async () => {
  client.close();
  rest.close();
  await simulator.close();
  await stage.close();
});

/** The exchange's top is what the agent sees. */
async function receive(): Promise<void> {
  const { bids, asks } = (await rest.get('/api/v3/depth', { symbol: 'BTCUSDT', limit: 5 }, 5)) as {
    bids: [string, string][];
    asks: [string, string][];
  };
  stage.price(plainDecimal(bids[0]?.[0] as string), plainDecimal(asks[0]?.[0] as string));
}
const free = (asset: string): Decimal => new Decimal(simulator.account.balances().find((each) => each.asset === asset)?.free ?? '0');
const book = async (agentId: string | null) => {
  const [row] = await stage.sql<{ cash_usd: string; capital_usd: string; holdings: { quantity: string }[] }[]>`
    select cash_usd, capital_usd, holdings from books where mode = 'live' and agent_id is not distinct from ${agentId}`;
  return {
    cash: new Decimal(row?.cash_usd ?? 0),
    capital: new Decimal(row?.capital_usd ?? 0),
    held: new Decimal(row?.holdings[0]?.quantity ?? 0),
  };
};

async function liveAgent() {
  const agentId = await stage.agent(
    'policy_auto',
    eagerManifest({ maxCapitalUsd: '50000', maxTradeNotionalUsd: '3000', maxSlippageBps: 50 }),
  );
  await placeAtStage(stage.url, agentId, 'limited_live');
  const vaults = createVaultHandler({
    vaults: createVaultStore(stage.sql, createSignedRows(stage.sql)),
    marks: () => new Map(),
    clock: stage.clock,
  });
  const deposited = await vaults.deposit(stage.context(), agentId, '4000');
  if (!deposited.ok) throw new Error(deposited.refusal.detail);
  return { agentId, vaults };
}

test('an agent at limited_live buys and sells on the exchange, and every balance agrees', async () => {
  const { agentId, vaults } = await liveAgent();
  const before = free('USDT');
  await receive();
  await stage.tick();
  await stage.carry({ clients: { spotexchange: client } });
  const [entry] = await stage.list({ agentId });
  expect([entry?.state, entry?.side, entry?.order.mode]).toEqual(['filled', 'entry', 'live']);
  const bought = await book(agentId);
  expect(bought.held.gt(0)).toBe(true);
  expect(bought.cash.minus(bought.capital).eq(free('USDT').minus(before))).toBe(true);
  const dust = free('BTC').minus(bought.held);
  expect(dust.gte(0) && dust.lt('0.00001')).toBe(true);

  await receive();
  await stage.tick();
  await stage.carry({ clients: { spotexchange: client } });
  const [exit] = await stage.list({ agentId });
  expect([exit?.state, exit?.side]).toEqual(['filled', 'exit']);
  const sold = await book(agentId);
  expect(sold.held.isZero()).toBe(true);
  expect(free('BTC').eq(dust)).toBe(true);
  expect(sold.cash.minus(sold.capital).eq(free('USDT').minus(before))).toBe(true);
  const vault = await vaults.read(ORG, agentId);
  expect(JSON.stringify(vault)).toContain(plainDecimal(sold.cash));
  expect(stage.errors).toEqual([]);
});

test('an answer that is lost leaves the proposal unknown, and the look-up books exactly one fill', async () => {
  const { agentId } = await liveAgent();
  await receive();
  await stage.tick();
  // What is asked before an order goes out is known from here on.
  await client.lookUp({ instrument: BTC } as never, 'nothing', { orgId: ORG, decisionPrice: '1', leaseUntil: null });
  simulator.faults.set({ lostAnswer: 1 });
  await stage.carry({ clients: { spotexchange: client } });
  expect((await stage.list({ agentId }))[0]?.state).toBe('unknown');
  expect(simulator.account.orders.length).toBe(1);
  simulator.faults.reset();
  // While it is unknown the agent proposes nothing more of it.
  await receive();
  await stage.tick();
  expect((await stage.list({ agentId })).length).toBe(1);
  await stage.carry({ clients: { spotexchange: client } });
  const [proposal] = await stage.list({ agentId });
  expect(proposal?.state).toBe('filled');
  expect(simulator.account.orders.length).toBe(1);
  const trades = simulator.account.orders[0]?.trades.length;
  expect(proposal?.fills.length).toBe(trades);
  expect((await book(agentId)).held.lte(free('BTC'))).toBe(true);
});

test('a person’s live order goes the same way, and a halt before it is sent stops it', async () => {
  const { clock, sql, actorStore } = stage;
  const runtime = createRuntime({ store: actorStore, directory: createDirectory([marketOrderKind]), clock });
  let made = 0;
  const newId = () => uuidV7(clock.now(), Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 9, ++made));
  const preTrade = createPreTrade({
    ...riskOn(sql, { clock, bus: { latest: (key) => stage.quotes.get(key) ?? null } }),
    orderBooks: { read: async () => refuse('unavailable', 'the venue does not answer') },
  });
  const handler = createMarketOrderHandler({
    runtime,
    preTrade,
    lacks: () => null,
    isOverrun: (error) => error instanceof BookMoved,
    clock,
    newId,
  });
  const orders = createMarketOrderStore(sql);
  const activities = startActivities({
    store: actorStore,
    runtime,
    workers: marketOrderWorkers({
      runtime,
      load: actorStore.load,
      preTrade,
      clients: { spotexchange: client },
      leaseIsHeld: stage.proposals.leaseIsHeld,
      clock,
    }),
    clock: { now: () => clock.now(), deadline: () => () => {} },
    onError: (error) => stage.errors.push(error),
  });
  const buy = { instrument: BTC, side: 'buy', quantity: '0.02', notionalUsd: null, limitPrice: null, maxSlippageBps: null } as const;
  const before = free('USDT');
  await receive();
  const placed = await handler.place(stage.context(), 'live', buy);
  if (!placed.ok) throw new Error(placed.refusal.detail);
  expect(placed.value.state).toBe('approved');
  await activities.carryDue();
  const done = await orders.find(ORG, placed.value.id);
  expect([done?.state, done?.fills.length !== 0]).toEqual(['filled', true]);
  const after = await book(null);
  expect(after.cash.minus(after.capital).eq(free('USDT').minus(before))).toBe(true);

  const second = await handler.place(stage.context(), 'live', buy);
  if (!second.ok) throw new Error(second.refusal.detail);
  const halted = await stage.commands.emergencyHalt(stage.context());
  expect(halted.ok).toBe(true);
  await activities.carryDue();
  expect(await orders.find(ORG, second.value.id)).toMatchObject({ state: 'cancelled', reason: 'halted' });
  expect(simulator.account.orders.length).toBe(1);
  await activities.stop();
});
