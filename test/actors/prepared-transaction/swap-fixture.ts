// Swaps on a real PostgreSQL, with the sandbox's chain (a real virtual machine) and aggregator over sockets, on a clock that the test
// moves.

import { type Keypair, VersionedTransaction } from '@solana/web3.js';
import type { ChainClient } from '../../../actors/prepared-transaction/chain-client.ts';
import type { PreparedTransactionView } from '../../../actors/prepared-transaction/resource.ts';
import type { SwapWish } from '../../../actors/prepared-transaction/swap-commands.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { createSolanaRpc } from '../../../src/adapters/solana/rpc.ts';
import { writeCut } from '../../../src/adapters/store/agents/cut-store.ts';
import type { Sql } from '../../../src/adapters/store/database.ts';
import { createPreparedTransactionStore } from '../../../src/adapters/store/orders/prepared-transaction-store.ts';
import { createKeyedClient } from '../../../src/adapters/venues/reference/keyed-client.ts';
import { createSpotchainRoutes } from '../../../src/adapters/venues/spotchain/orders.ts';
import { createSwaps } from '../../../src/boot/capabilities/prepared-transaction.ts';
import type { CommandContext } from '../../../src/core/command-context.ts';
import { CATALOG, type TokenFacts, USDC_DECIMALS, USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import type { Quality, Quote } from '../../../src/domain/market/quote.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { computePrice, type SwapLeg } from '../../../src/domain/solana/swap.ts';
import type { Outcome } from '../../../src/domain/values/refusal.ts';
import { createSeededMarket } from '../../../src/sandbox/market/seeded-market.ts';
import { createSolanaSimulator } from '../../../src/sandbox/solana/simulator.ts';
import { SANDBOX_MAKER } from '../../../src/sandbox/spotchain/pool.ts';
import { createSpotchainSimulator } from '../../../src/sandbox/spotchain/simulator.ts';
import { createSwapBuilder } from '../../../src/sandbox/spotchain/swap-builder.ts';
import { createPreTrade } from '../../../src/trading/pre-trade.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { keyOf } from '../../domain/solana/honest-transactions.ts';
import { NO_ORDER_BOOKS, riskOn } from '../../harness/trading.ts';
import { actorWorld } from '../../world/actor-world.ts';
import { SLOT, sampleObservation } from '../agent/sample.ts';
import { quoteOf } from '../proposal/trading-fixture.ts';

export const ORG = '00000000-0000-7000-8000-000000000001';
export const AAPLX: InstrumentKey = 'spotchain:AAPLx';
const STABLE = { mint: USDC_MINT, decimals: USDC_DECIMALS };
const NAMES = ['AAPLx', 'SPYx'];
const ENTRIES = NAMES.map((name) => CATALOG.bySymbol(name) as { instrument: string; underlying: string; token: TokenFacts });
/** Starts at a full second, the resolution of the chain. */
const AT = SLOT;
const DOLLAR = 1_000_000n;

export async function swapFixture(options: { readonly databaseUrl?: string } = {}) {
  const clock = createVirtualClock(AT);
  const { databaseUrl } = options;
  const world = await actorWorld({ clock, at: AT, organizations: { [ORG]: 'ours' }, databaseUrl, connections: 4 });
  const { sql, url, store, runtime, newId, errors, timers, commands } = world;
  const mints = ENTRIES.map(({ instrument, underlying, token }) => ({ ...token, symbol: instrument, underlying }));
  const solana = await createSolanaSimulator({ clock, seed: 3, port: 0, slots: 'manual', mints, stable: STABLE });
  const aggregator = await createSpotchainSimulator({
    market: createSeededMarket({ seed: 3 }),
    clock,
    tokens: mints,
    stable: STABLE,
    port: 0,
    handler: createSwapBuilder({ chain: solana.chain, clock, mints, stable: STABLE }),
    keyedPerMinute: 100_000,
  });
  const node = createSolanaRpc({ url: solana.url, clock });
  const client = createKeyedClient({
    venue: 'spotchain',
    baseUrl: aggregator.url,
    headers: { 'x-api-key': 'sandbox' },
    clock,
    random: () => 0.5,
    perMinute: 100_000,
  });
  const routes = createSpotchainRoutes(client);
  const rules = { programs: new Set<string>(), makers: new Set([SANDBOX_MAKER]) };
  const quotes = new Map<InstrumentKey, Quote>();
  const bus = { latest: (key: InstrumentKey) => quotes.get(key) ?? null };
  const tradingOn = (own: Sql) => {
    const risk = riskOn(own, { bus, clock });
    return { risk, preTrade: createPreTrade({ ...risk, orderBooks: NO_ORDER_BOOKS }) };
  };
  const swapsOn = (over: { sql?: Sql; runtime?: Pick<Runtime, 'start' | 'deliver'>; chain?: typeof node } = {}) =>
    createSwaps({ ...tradingOn(over.sql ?? sql), sql, runtime, chain: node, routes, rules, clock, newId, ...over });
  const swaps = swapsOn();
  const reads = createPreparedTransactionStore(sql).ofPurpose('swap');
  const workersOn = (over: { runtime?: Runtime; chain?: ChainClient } = {}) =>
    world.workersOf({ primaryChain: { chain: over.chain ?? node, routes, rules } as never }, over.runtime);
  const activitiesOn = (over: { runtime?: Runtime; chain?: ChainClient } = {}) => world.carrying(workersOn(over), over.runtime);
  const activities = activitiesOn();
  const wallet = keyOf(7);
  const fund = (mint: string, amount: bigint): void => void solana.fund(wallet.publicKey.toBase58(), mint, amount);
  fund('SOL', 1_000_000_000n);
  fund(USDC_MINT, 10_000n * DOLLAR);
  solana.chain.finalize();

  /** Receives the aggregator's price for a hundred dollars, as the feed does. */
  async function receive(quality: Quality = 'live'): Promise<Quote> {
    const token = CATALOG.byKey(AAPLX)?.token as TokenFacts;
    const stable: SwapLeg = { ...STABLE, multiplier: '1' };
    const leg: SwapLeg = { mint: token.mint, decimals: token.decimals, multiplier: String(token.newMultiplier) };
    const ask = { slippageBps: 50, taker: null };
    const bought = must(await routes.route({ inputMint: stable.mint, outputMint: leg.mint, amount: String(100n * DOLLAR), ...ask }));
    const sold = must(await routes.route({ inputMint: leg.mint, outputMint: stable.mint, amount: bought.outAmount, ...ask }));
    const buy = computePrice({ side: 'buy', input: stable, output: leg }, bought.inAmount, bought.outAmount).toFixed(6);
    const sell = computePrice({ side: 'sell', input: leg, output: stable }, sold.inAmount, sold.outAmount).toFixed(6);
    const quote = quoteOf(AAPLX, clock.now(), sell, buy, quality);
    quotes.set(AAPLX, quote);
    return quote;
  }

  /** Writes a cut with the depth of pools, which is measured once a minute. */
  async function cut(liquidityUsd = '50000000'): Promise<void> {
    const slot = Math.floor(clock.now() / 60_000) * 60_000;
    const observation = { ...sampleObservation(AAPLX, slot, { mid: '268.5', premiumPct: null, rsi: null }), liquidityUsd };
    await writeCut(sql, { slot, observations: new Map([[AAPLX, observation]]) } as never, 'streams');
  }

  /** Runs due work and timers until nothing is due. */
  async function work(over: { runtime?: Runtime; chain?: ChainClient } = {}): Promise<void> {
    const carrying = over.runtime === undefined && over.chain === undefined ? activities : activitiesOn(over);
    await world.settle(carrying);
    if (carrying !== activities) await carrying.stop();
  }

  await cut();
  await receive();

  return {
    sql,
    url,
    clock,
    chain: solana.chain,
    solana,
    aggregator,
    node,
    routes,
    runtime,
    store,
    swaps,
    swapsOn,
    reads,
    commands,
    quotes,
    errors,
    wallet,
    fund,
    receive,
    cut,
    workersOn,
    activities,
    timers,
    work,
    context: (subject = 'ann', orgId = ORG): CommandContext => ({
      orgId,
      subject,
      permissions: ['trade:execute', 'risk:manage'],
      requestId: `r${world.count()}`,
    }),
    wish: (over: Partial<SwapWish & { wallet: string }> = {}) => ({
      instrument: AAPLX,
      side: 'buy' as const,
      amount: '250',
      slippageBps: 50,
      wallet: wallet.publicKey.toBase58(),
      ...over,
    }),
    /** Advances time and slots of the chain. */
    async pass(ms: number, over: Parameters<typeof work>[0] = {}): Promise<void> {
      clock.advanceTo(clock.now() + ms);
      await work(over);
    },
    async find(id: string) {
      const found = await reads.find(ORG, id);
      if (found === null) throw new Error(`there is no swap ${id}`);
      return found;
    },
    /** Returns the booked rows. */
    async booked() {
      const [row] = await sql<{ fills: number; sums: number }[]>`
        select (select count(*)::int from fills) as fills,
          (select count(*)::int from (select a.book_id, a.asset from ledger_legs l join ledger_accounts a on a.id = l.account_id
            group by a.book_id, a.asset having sum(l.amount) <> 0) off) as sums`;
      return row as { fills: number; sums: number };
    },
    async close() {
      await activities.stop();
      node.close();
      await aggregator.close();
      await solana.close();
      await world.close();
    },
  };
}
export type SwapFixture = Awaited<ReturnType<typeof swapFixture>>;

/** Signs like an honest wallet: the library parses the transaction, signs it and serializes it again. */
export function signedBy(key: Keypair, unsigned: string): string {
  const transaction = VersionedTransaction.deserialize(Buffer.from(unsigned, 'base64'));
  transaction.sign([key]);
  return Buffer.from(transaction.serialize()).toString('base64');
}

export function must<Value>(outcome: Outcome<Value>): Value {
  if (!outcome.ok) throw new Error(`${outcome.refusal.code}: ${outcome.refusal.detail}`);
  return outcome.value;
}

export async function preparedSwap(fixture: SwapFixture, over: Parameters<SwapFixture['wish']>[0] = {}): Promise<PreparedTransactionView> {
  return must(await fixture.swaps.prepare(fixture.context(), fixture.wish(over)));
}
