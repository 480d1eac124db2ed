// Agents that trade on a real PostgreSQL and a virtual clock: ticks, proposals, risk on live quotes, executions.
import type { CommandContext } from '../../../src/core/command-context.ts';
import { createProposalHandler } from '../../../actors/proposal/commands.ts';
import { type ExecutionDeps, executionWorkers } from '../../../actors/proposal/execution.ts';
import type { PreTrade } from '../../../actors/proposal/present-verdict.ts';
import { createTakeHandler } from '../../../actors/take/commands.ts';
import { createActorStore } from '../../../src/adapters/store/actors/actor-store.ts';
import { createAgentDirectory } from '../../../src/adapters/store/agents/agent-directory.ts';
import { writeCut } from '../../../src/adapters/store/agents/cut-store.ts';
import { createDispatchStore } from '../../../src/adapters/store/agents/dispatch-store.ts';
import { createProposalStore } from '../../../src/adapters/store/orders/proposal-store.ts';
import { createTakeReads } from '../../../src/adapters/store/takes/take-reads.ts';
import type { Autonomy } from '../../../src/domain/agents/agent.ts';
import type { Fill } from '../../../src/domain/books/book.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import type { Cut } from '../../../src/domain/market/cut.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import type { Order } from '../../../src/domain/orders/order.ts';
import type { OrderBook } from '../../../src/domain/market/order-book.ts';
import type { Quality, Quote, ReferencePrice } from '../../../src/domain/market/quote.ts';
import { refuse } from '../../../src/domain/values/refusal.ts';
import type { FlowTrade } from '../../../src/domain/orders/resting-fill.ts';
import type { DisabledVenues } from '../../../src/domain/risk/index.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { createPreTrade } from '../../../src/trading/pre-trade.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { borrowDatabase } from '../../harness/reused-database.ts';
import { riskOn } from '../../harness/trading.ts';
import { payIntoVault } from '../../harness/vault.ts';
import { actorsOn, countedIds } from '../../world/actor-world.ts';
import { condition, SLOT, sampleManifest, sampleObservation } from '../agent/sample.ts';

export const ORG = '00000000-0000-7000-8000-000000000001';
export const PERIOD = 60_000;
export const BTC: InstrumentKey = 'spotexchange:BTCUSDT';

/** Returns a manifest that buys above a dollar and sells above a price. */
export function eagerManifest(changes: Partial<Manifest> = {}): Manifest {
  return sampleManifest({
    name: 'eager',
    universe: [{ key: BTC, kind: 'spot' }],
    entry: [condition('price_above', { price: '1' })],
    exit: [condition('price_above', { price: '70000' })],
    stopLossPct: 50,
    takeProfitPct: 0,
    ...changes,
  });
}

export function quoteOf(key: InstrumentKey, at: number, bid: string, ask: string, quality: Quality = 'live', size = '1'): Quote {
  const [venue, instrument] = key.split(':') as ['spotexchange', string];
  return {
    kind: 'quote',
    venue,
    instrument,
    source: 'test:top',
    observedAt: at,
    receivedAt: at,
    sourceTime: true,
    bid,
    ask,
    bidSize: size,
    askSize: size,
    sequence: null,
    quality,
    flags: [],
  };
}

/** Returns a fill of the whole order at a price, as a venue reports it. */
export function fillOf(order: Order, price: string, at: number): Fill {
  return {
    id: `venue-${order.id}`,
    orderId: order.id,
    bookId: order.bookId,
    instrument: order.instrument,
    side: order.side,
    quantity: order.quantity,
    fillPrice: price,
    feeUsd: '0.5',
    notionalUsd: plainDecimal(new Decimal(order.quantity).times(price)),
    decisionPrice: price,
    slippageBps: 0,
    at,
    quotes: [],
  };
}

export async function tradingFixture(
  options: {
    readonly connections?: number;
    readonly approvalMs?: number;
    /** State folder with the writers' keys: if set, worker and feed sign like the service's. */
    readonly home?: string;
    /** Wraps the store that the runtime uses, to inject faults. */
    readonly actorStore?: (store: ReturnType<typeof createActorStore>) => ReturnType<typeof createActorStore>;
  } = {},
) {
  const { url, sql, feedSql, owner, writer, giveBack } = await borrowDatabase({
    connections: options.connections ?? 2,
    home: options.home,
  });
  await sql`insert into organizations (id, name) values (${ORG}, 'ours')`;
  const clock = createVirtualClock(SLOT + 1_000);
  const { newId, count } = countedIds(SLOT);
  const actors = actorsOn(sql, clock, newId, options.actorStore);
  const { store: actorStore, tickStore, runtime, commands, errors, timers } = actors;
  const quotes = new Map<InstrumentKey, Quote>();
  const books = new Map<string, OrderBook>();
  const premiums = new Map<InstrumentKey, number>();
  const references = new Map<InstrumentKey, ReferencePrice>();
  const latest = (key: InstrumentKey) => quotes.get(key) ?? references.get(key) ?? null;
  const preTrade = createPreTrade({
    ...riskOn(sql, { clock, bus: { latest } }),
    orderBooks: {
      read: async (venue, instrument) => {
        const book = books.get(`${venue}:${instrument}`);
        return book === undefined ? refuse('unavailable', 'the venue does not answer') : { ok: true, value: book };
      },
    },
  });
  const proposals = createProposalStore(sql);
  const orders = createProposalHandler({ runtime, proposals, preTrade, clock });
  const ticker = (store: Partial<typeof tickStore> = {}) =>
    actors.ticker({ store, trading: { approvalMs: options.approvalMs ?? 600_000 } });
  const context = (permissions: CommandContext['permissions'] = ['trade:execute', 'risk:manage']): CommandContext => ({
    orgId: ORG,
    subject: 'ann',
    permissions,
    requestId: `r${count()}`,
  });
  /** Trades on the venue, added by tests. */
  const trades: FlowTrade[] = [];
  const flows: ExecutionDeps['flows'] = {
    between: async (_, from, to) => ({
      venue: 'spotexchange',
      source: 'test:trades',
      trades: trades.filter(({ at }) => at >= from && at <= to),
      tops: [],
    }),
  };
  const workersOf = (over: Partial<ExecutionDeps> = {}) =>
    executionWorkers({ runtime, load: actorStore.load, preTrade, clients: {}, flows, leaseIsHeld: proposals.leaseIsHeld, clock, ...over });
  let slot = SLOT;
  let ticking = ticker();

  /** Settings that disable live orders, as Takes see them. */
  const disabled: { venues: DisabledVenues; late: string | null } = { venues: {}, late: null };
  /** Balances that fund live Takes. Tests may require real comparisons. */
  const funding = { isSimulated: true };
  const takes = createTakeHandler({
    runtime,
    takes: createTakeReads(sql),
    catalog: CATALOG,
    clock,
    newId,
    disabledVenues: () => disabled.venues,
    funding,
    lateRound: async () => disabled.late,
  });

  const fixture = {
    sql,
    feedSql,
    owner,
    /** Worker's key; undefined without signing. */
    writer,
    takes,
    disabled,
    funding,
    takeReads: createTakeReads(sql),
    url,
    clock,
    runtime,
    actorStore,
    agents: createAgentDirectory(sql),
    commands,
    orders,
    proposals,
    preTrade: preTrade as PreTrade,
    quotes,
    books,
    /** Gap to the reference price in percent, as in cuts. Empty by default. */
    premiums,
    /** Trades on the venue. */
    trades,
    /** Last received reference prices. */
    references,
    /** Newest data of an instrument. */
    latest,
    errors,
    timers,
    newId,
    context,
    workersOf,
    carrying: actors.carrying,
    tickStore,
    /** Creates a worker without any memory. */
    freshWorker() {
      ticking = ticker();
    },
    useTicker(changes: Partial<typeof tickStore>) {
      ticking = ticker(changes);
    },
    get slot() {
      return slot;
    },
    async agent(autonomy: Autonomy, manifest: Manifest = eagerManifest()): Promise<string> {
      const outcome = await commands.create(context(), manifest);
      if (!outcome.ok) throw new Error(outcome.refusal.detail);
      if (autonomy !== 'research') await commands.setAutonomy(context(), outcome.value.id, autonomy);
      return outcome.value.id;
    },
    /** Places an agent at a stage with the database's gate disabled for that row. */
    async atStage(id: string, stageName: string): Promise<void> {
      await owner.begin(async (transaction) => {
        await transaction`set local session_replication_role = replica`;
        await transaction`update agents set stage = ${stageName} where id = ${id}`;
        await transaction`update actors set snapshot = jsonb_set(snapshot, '{value,stage}', to_jsonb(${stageName}::text)), version = version + 1 where id = ${id}`;
      });
    },
    /** Deposits into the agent's vault, at most up to its stage's limit. */
    fund: (agentId: string, amountUsd: string): Promise<void> => payIntoVault(sql, ORG, agentId, amountUsd, clock.now()),
    /** Sets an instrument's live price, at the venue and on the bus. */
    price(bid: string, ask: string, quality: Quality = 'live', key: InstrumentKey = BTC, size = '1'): void {
      quotes.set(key, quoteOf(key, clock.now(), bid, ask, quality, size));
    },
    /** Advances to the next slot of a period: writes its cut from the quotes and ticks every shard of the period. */
    async tick(quality: Quality = 'live', periodMs: number = PERIOD) {
      slot = Math.max((Math.floor(slot / periodMs) + 1) * periodMs, Math.ceil((clock.now() - 500) / periodMs) * periodMs);
      clock.advanceTo(slot + 500);
      const observations: Cut['observations'] = new Map(
        [...quotes].map(([key, quote]) => {
          const base = sampleObservation(key, slot, { mid: quote.bid as string, premiumPct: premiums.get(key) ?? null, rsi: 30, quality });
          const middle = String((Number(quote.bid) + Number(quote.ask)) / 2);
          return [key, { ...base, quote: base.quote && { ...base.quote, bid: quote.bid, ask: quote.ask, mid: middle } }];
        }),
      );
      for (const [key, quote] of quotes) quotes.set(key, { ...quote, observedAt: clock.now(), receivedAt: clock.now(), quality });
      await writeCut(feedSql, { slot, observations }, 'streams');
      const due = await createDispatchStore(sql).dueShards(periodMs, slot);
      const results = [];
      for (const { shard } of due) results.push(await ticking.tick(periodMs, shard, slot));
      return results;
    },
    /** Ticks what is left of the present slot, as a worker that takes over does. */
    async tickAgain(periodMs: number = PERIOD) {
      for (const { shard } of await createDispatchStore(sql).dueShards(periodMs, slot)) await ticking.tick(periodMs, shard, slot);
    },
    /** Runs every due activity. */
    async carry(over: Partial<ExecutionDeps> = {}): Promise<number> {
      const started = actors.carrying(workersOf(over));
      try {
        return await started.carryDue();
      } finally {
        await started.stop();
      }
    },
    list: async (filter = {}) => (await proposals.list(ORG, filter, { limit: 200, after: null })).items,
    decisions: (id: string) =>
      sql<{ slot: number; disposition: string; reason: string | null; risk: string | null; book: string | null }[]>`
        select slot, disposition, reason, risk, book from decisions where agent_id = ${id} order by slot`,
    async close() {
      await timers.stop();
      await giveBack();
    },
  };
  return fixture;
}
export type TradingFixture = Awaited<ReturnType<typeof tradingFixture>>;
