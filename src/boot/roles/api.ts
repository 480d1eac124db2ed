/** The API: REST and feeds over what the store and the quote bus hold. As many processes of it as there are. */
import type { FastifyInstance } from 'fastify';
import { describeMachine } from '../../../actors/runtime/chart.ts';
import { registerConsole } from '../../../api/console.ts';
import { registerFeeds } from '../../../api/feeds/index.ts';
import { createRateLimits, DEFAULT_POLICIES, type SharedStore } from '../../../api/rate-limits.ts';
import { buildApi } from '../../../api/server.ts';
import { createBasisReads } from '../../../api/v1/arbitrage/basis-reads.ts';
import type { QuoteReads } from '../../../api/v1/quotes/ports.ts';
import type { Clock } from '../../../streams/clock.ts';
import { createChartLayouts } from '../../adapters/chart/layout.ts';
import { createChainWalletReads } from '../../adapters/evmchain/wallet-reads.ts';
import { createTokenVerifier } from '../../adapters/identity/token-verifier.ts';
import { createChatCompletions } from '../../adapters/language-model/chat-completions.ts';
import { createModelPorts } from '../../adapters/language-model/model-ports.ts';
import type { ServiceMetrics } from '../../adapters/metrics.ts';
import type { MarketStateBus } from '../../adapters/queue/market-state-bus.ts';
import type { QuoteBus } from '../../adapters/queue/quote-bus.ts';
import { createPrimaryWallets } from '../../adapters/solana/primary-wallets.ts';
import { createSolanaRpc } from '../../adapters/solana/rpc.ts';
import { createAnnouncementTail } from '../../adapters/store/actors/announcement-tail.ts';
import { createCutReads } from '../../adapters/store/agents/cut-reads.ts';
import { stalledShards } from '../../adapters/store/agents/shard-health.ts';
import { createMemberStore } from '../../adapters/store/callers/member-store.ts';
import { createBarReads } from '../../adapters/store/candles/bar-reads.ts';
import { createCandleStore } from '../../adapters/store/candles/candle-store.ts';
import { createIssuerMarkStore } from '../../adapters/store/catalog/issuer-mark-store.ts';
import { createListedTokenStore } from '../../adapters/store/catalog/listed-token-store.ts';
import { poolLiquidity } from '../../adapters/store/catalog/pool-liquidity-store.ts';
import { isConnectionLoss, type Sql } from '../../adapters/store/database.ts';
import { createIntelligenceReads } from '../../adapters/store/intelligence/intelligence-reads.ts';
import { createLeaderboardReads } from '../../adapters/store/leaderboard/leaderboard-store.ts';
import { createPredictionStore } from '../../adapters/store/predictions/prediction-store.ts';
import { UnsignedRow } from '../../adapters/store/trail/signed-rows.ts';
import { createCandleReads } from '../../adapters/venues/candle-reads.ts';
import { createPerpReads } from '../../adapters/venues/evmvenue/wallet-reads.ts';
import { createPredictionReads } from '../../adapters/venues/prediction/prediction-reads.ts';
import { CATALOG } from '../../domain/catalog.ts';
import { POOL_LIQUIDITY_MAX_AGE_MS } from '../../domain/risk/index.ts';
import { instrumentKey } from '../../domain/venue.ts';
import { createAgentMarket } from '../agent-market.ts';
import type { CallerPorts } from '../caller-ports.ts';
import { ACTOR_KINDS } from '../capabilities/index.ts';
import type { ClockState } from '../clock-watch.ts';
import { readConsoleFiles } from '../console-files.ts';
import type { EmergencyListener } from '../emergency-listener.ts';
import { createLaunchQuotes } from '../launches.ts';
import { isLoopback, listenRefusal } from '../listening.ts';
import type { Logger } from '../log.ts';
import { budgetStates, createOrderBooks, createVenues, type OutsideReach, optionalBudgets } from '../outside/index.ts';
import { createPredictionAsking } from '../outside/prediction.ts';
import { accessBy } from '../token-access.ts';

/** Quotes are heard while the newest is no older than this. */
const QUOTES_FRESH_MS = 30_000;
const AGENTS_SHOWN = 200;

export interface ApiRole {
  readonly app: FastifyInstance;
  /** The address that it listens on: `http://127.0.0.1:<port>`. */
  readonly url: string;
  readiness(): Promise<{
    readonly ready: boolean;
    readonly parts: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[];
  }>;
  stop(): Promise<void>;
}

export async function startApi(deps: {
  /** The engine's connections: who is who, the market, and what is announced. */
  readonly sql: Sql;
  /** What belongs to an organization, on connections that see no other. */
  readonly callers: CallerPorts;
  readonly bus: QuoteBus;
  readonly states: MarketStateBus;
  /** Addresses and request budgets of all outside systems. */
  readonly reach: OutsideReach;
  /** Where processes of the service count requests together; null where there is only this one. */
  readonly sharedLimits: SharedStore | null;
  /** Answers where the queue works; a process without a worker asks nothing. */
  readonly pingQueue: () => Promise<void>;
  /** Whether this machine's clock agrees with PostgreSQL's. */
  readonly clockState: () => ClockState;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  readonly host: string;
  readonly port: number;
  /** Whether the thread that halts and pauses is there, and where. */
  readonly emergency: Pick<EmergencyListener, 'url' | 'isUp'>;
  readonly allowedOrigins: readonly string[];
  readonly version: string;
  readonly log: Logger;
  readonly metrics: ServiceMetrics;
}): Promise<ApiRole> {
  const { sql, clock, bus, log } = deps;
  const { connection, shardDecisions, ...callers } = deps.callers;
  // Readers wait behind decisions.
  const reach = { ...deps.reach, budgets: optionalBudgets(deps.reach.budgets) };
  const { addresses } = reach;
  const verifier = createTokenVerifier({
    ...addresses.identity,
    clock,
    onFailure: (reason) => deps.metrics.unanswered('identity', reason),
  });
  const members = createMemberStore(sql);
  const tail = createAnnouncementTail({
    sql,
    ownConnection: connection.of,
    clock,
    random: deps.random,
    onError: (error) => log.warn({ err: error }, 'following the announcements'),
  });
  const charts = new Map(ACTOR_KINDS.map(({ machine }) => [machine.id, describeMachine(machine)]));
  const layouts = createChartLayouts(new Map([...charts].map(([machine, { definition }]) => [machine, definition])));
  const loopback = isLoopback(deps.host);

  async function part(name: string, ask: () => Promise<string>): Promise<{ name: string; ok: boolean; detail: string }> {
    try {
      return { name, ok: true, detail: await ask() };
    } catch (error) {
      return { name, ok: false, detail: error instanceof Error ? error.message : String(error) };
    }
  }

  async function readiness(): ReturnType<ApiRole['readiness']> {
    const parts = await Promise.all([
      part('database', async () => {
        await sql`select 1`;
        return 'answers';
      }),
      part('clock', async () => {
        const { ok, detail } = deps.clockState();
        if (!ok) throw new Error(detail);
        return detail;
      }),
      part('shards', async () => {
        const [worst, ...others] = await stalledShards(sql);
        if (worst !== undefined)
          throw new Error(`${others.length + 1} shards do not advance; the worst lies ${Math.round(worst.behindMs / 1_000)} s behind`);
        return 'advance';
      }),
      part('queue', async () => {
        await deps.pingQueue();
        return 'answers';
      }),
      part('emergency', async () => {
        if (!deps.emergency.isUp) throw new Error('the thread that halts and pauses is being started again');
        return `halts and pauses at ${deps.emergency.url}`;
      }),
      part('feeds', async () => {
        const quotes = bus.snapshot();
        const newest = quotes.reduce((last, { receivedAt }) => Math.max(last, receivedAt), 0);
        if (newest < clock.now() - QUOTES_FRESH_MS)
          throw new Error(
            newest === 0 ? 'no quote was heard yet' : `the newest quote is ${Math.round((clock.now() - newest) / 1_000)} s old`,
          );
        return `${quotes.length} instruments heard`;
      }),
    ]);
    return { ready: parts.every(({ ok }) => ok), parts };
  }

  const quotes: QuoteReads = {
    latest: ({ venue, instrument }) => {
      if (venue !== undefined && instrument !== undefined) {
        const quote = bus.latest(instrumentKey(venue, instrument));
        return quote === null ? [] : [quote];
      }
      return bus
        .snapshot()
        .filter((quote) => (venue === undefined || quote.venue === venue) && (instrument === undefined || quote.instrument === instrument));
    },
  };

  const candles = createCandleReads({
    store: createCandleStore(sql),
    histories: createVenues(reach).histories,
    clock,
    log,
  });
  const bars = createBarReads(sql);
  const { model } = addresses;
  const completions = model === null ? null : createChatCompletions({ baseUrl: model.url, model: model.name, key: model.key, clock });
  const asked = completions === null ? null : createModelPorts(completions);
  const rankings = {
    cuts: createCutReads(sql),
    bars,
    basis: createBasisReads({ bars, catalog: CATALOG }),
    ...(asked === null ? {} : { phrasing: asked.phrasing }),
  };
  const { rpcUrl } = addresses.spotchain;
  const primaryWallets =
    rpcUrl === null ? null : createPrimaryWallets(rpcUrl, clock, (code) => deps.metrics.unanswered('primarychain', code));
  const perps = createPerpReads({ ...reach, baseUrl: addresses.evmvenue.url, budget: reach.budgets.evmvenue });
  const evmWallets = createChainWalletReads({
    ...addresses.evmchain,
    clock,
    onFailure: (reason) => deps.metrics.unanswered('evmchain', reason),
  });
  const holdersNode =
    rpcUrl === null ? null : createSolanaRpc({ url: rpcUrl, clock, onFailure: (code) => deps.metrics.unanswered('primarychain', code) });
  await tail.start();
  const app = await buildApi(
    {
      clock,
      operation: {
        newRequestId: deps.newId,
        readiness,
        metrics: deps.metrics,
        isUnavailable: (error) => isConnectionLoss(error) || error instanceof UnsignedRow,
        reportDefect: (error, where) => log.error({ err: error, ...where }, 'a request failed'),
      },
      access: {
        verifyToken: accessBy(verifier),
        members,
        limits: createRateLimits(DEFAULT_POLICIES, deps.sharedLimits),
      },
      ...callers,
      copilot: { ...callers.copilot, ...(asked === null ? {} : { rewording: asked.rewording }) },
      machines: { describe: (machine) => charts.get(machine) ?? null, layout: (machine) => layouts.of(machine) },
      quotes,
      candles,
      orderBook: createOrderBooks(reach),
      predictionMarkets: createPredictionReads({
        store: createPredictionStore(sql),
        venues: createPredictionAsking(deps.reach),
        clock,
      }),
      venues: { states: deps.states, budgets: () => budgetStates(deps.reach.budgets, clock.now()) },
      funding: perps.funding,
      wallets: {
        venue: perps.publicWallets,
        evm: evmWallets,
        ...(primaryWallets === null ? {} : { primary: primaryWallets }),
      },
      intelligence: createIntelligenceReads(sql),
      rankings,
      leaderboard: createLeaderboardReads(sql),
      launchQuotes: createLaunchQuotes(bus, clock),
      agentMarket: createAgentMarket({
        chain: holdersNode,
        originOf: createListedTokenStore(sql).originOf,
        liquidity: async (instrument) =>
          (await poolLiquidity(sql, [instrument], clock.now() - POOL_LIQUIDITY_MAX_AGE_MS - 1)).get(instrument) ?? null,
        bus,
        makers: addresses.spotchain.makers,
        clock,
      }),
      catalog: { entries: CATALOG, marks: createIssuerMarkStore(sql) },
    },
    {
      version: deps.version,
      allowedOrigins: deps.allowedOrigins,
      loopback,
      extend: [
        (server) => registerConsole(server, readConsoleFiles()),
        async (server) => {
          await registerFeeds(server, {
            clock,
            members,
            announcements: tail,
            quotes: bus,
            states: deps.states,
            candles,
            rankings,
            expandDecisions: (batch, orgId) => shardDecisions.of(orgId, batch),
            agentsNow: async (orgId, agentId) => {
              if (agentId !== null) {
                const one = await callers.agents.reads.get(orgId, agentId);
                return one === null ? [] : [one as never];
              }
              return (await callers.agents.reads.list(orgId, { limit: AGENTS_SHOWN, after: null })).items as never;
            },
            reportDefect: (error, where) => log.error({ err: error, where }, 'the feeds'),
          });
        },
      ],
    },
  );
  try {
    await app.listen({ host: deps.host, port: deps.port });
  } catch (error) {
    await app.close();
    await tail.stop();
    throw listenRefusal(error, deps.host, deps.port, 'PORT');
  }
  const address = app.server.address();
  const port = typeof address === 'object' && address !== null ? address.port : deps.port;
  return {
    app,
    url: `http://${deps.host.includes(':') ? `[${deps.host}]` : deps.host === '0.0.0.0' ? '127.0.0.1' : deps.host}:${port}`,
    readiness,
    async stop() {
      await app.close();
      await tail.stop();
      primaryWallets?.close();
      holdersNode?.close();
      completions?.close();
    },
  };
}
