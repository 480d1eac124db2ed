/** API role: REST and feeds over the store and the quote bus. Any number of processes may run it. */
import type { FastifyInstance } from 'fastify';
import type { LauncherClient } from '../../../actors/launcher-launch/commands.ts';
import { createActorLives } from '../../../actors/runtime/actor-life.ts';
import { describeMachine } from '../../../actors/runtime/chart.ts';
import type { ClockState } from '../../../actors/runtime/clock-watch.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import type { FeedPorts } from '../../../api/feeds/feed-ports.ts';
import { registerFeeds } from '../../../api/feeds/index.ts';
import { createInspection } from '../../../api/feeds/inspected-actors.ts';
import { createRateLimits, DEFAULT_POLICIES, type SharedStore } from '../../../api/http/rate-limits.ts';
import { keepDescriptors } from '../../../api/http/spare-descriptors.ts';
import type { Readiness } from '../../../api/operation/operation-ports.ts';
import { createReadiness } from '../../../api/operation/readiness-parts.ts';
import type { ApiPorts } from '../../../api/route.ts';
import { buildApi } from '../../../api/document/documented-api.ts';
import { registerTerminal } from '../../../api/terminal.ts';
import { createBasisReads } from '../../../api/v1/rankings/basis.ts';
import type { BookWants } from '../../../streams/book-wants.ts';
import type { Clock } from '../../../streams/clock/clock.ts';
import { createChartLayouts } from '../../adapters/chart/chart-layouts.ts';
import { createChainWalletReads } from '../../adapters/evmchain/wallet-reader.ts';
import type { SignInLinks } from '../../adapters/identity/sign-in-links.ts';
import { accessBy, createTokenVerifier } from '../../adapters/identity/token-verifier.ts';
import { openModelPorts } from '../../adapters/language-model/model-ports.ts';
import type { Logger } from '../../adapters/log/log.ts';
import type { ServiceMetrics } from '../../adapters/log/metrics.ts';
import type { EmergencyListener } from '../../adapters/process/emergency-listener.ts';
import { isLoopback, listeningUrl, listenRefusal } from '../../adapters/process/listen-refusal.ts';
import type { MarketStateBus } from '../../adapters/queue/market-state-bus.ts';
import { createQuoteReads, type QuoteBus } from '../../adapters/queue/quote-bus.ts';
import { budgetsFor } from '../../adapters/queue/request-budgets.ts';
import { createAgentMarket } from '../../adapters/solana/agent-market.ts';
import { createPrimaryWallets } from '../../adapters/solana/primary-wallets.ts';
import { createSolanaRpc } from '../../adapters/solana/rpc.ts';
import { createAnnouncementTail } from '../../adapters/store/actors/announcement-tail.ts';
import { createHistoryStore } from '../../adapters/store/actors/history-store.ts';
import { countQuarantined } from '../../adapters/store/actors/quarantine-store.ts';
import { readWorkQueues } from '../../adapters/store/actors/runtime-reads.ts';
import { createAgentTokenReads } from '../../adapters/store/agents/agent-token-store.ts';
import { createCutReads } from '../../adapters/store/agents/cut-store.ts';
import { stalledShards } from '../../adapters/store/agents/shard-health.ts';
import { createSignalReads } from '../../adapters/store/agents/signal-hook-store.ts';
import { createMemberStore } from '../../adapters/store/callers/member-store.ts';
import { createBarReads } from '../../adapters/store/candles/bar-reads.ts';
import { createCandleStore } from '../../adapters/store/candles/candle-store.ts';
import { createIssuerMarkStore } from '../../adapters/store/catalog/issuer-mark-store.ts';
import { createListedTokenStore } from '../../adapters/store/catalog/listed-token-store.ts';
import { poolLiquidity } from '../../adapters/store/catalog/pool-liquidity-store.ts';
import { isConnectionLoss, type Sql } from '../../adapters/store/database.ts';
import { createIntelligenceReads } from '../../adapters/store/intelligence/intelligence-reads.ts';
import { createLeaderboardReads } from '../../adapters/store/leaderboard/leaderboard-store.ts';
import { createWorkReads } from '../../adapters/store/long-work-store.ts';
import { createPredictionStore } from '../../adapters/store/predictions/prediction-store.ts';
import type { SpaceWatch } from '../../adapters/store/space-watch.ts';
import { UnsignedRow } from '../../adapters/store/trail/signed-rows.ts';
import { TERMINAL } from '../../adapters/terminal-files.ts';
import { createCandleReads } from '../../adapters/venues/candle-reads.ts';
import { createPerpReads } from '../../adapters/venues/evmvenue/perp-reads.ts';
import { createPredictionAsking } from '../../adapters/venues/prediction/access.ts';
import { createPredictionReads } from '../../adapters/venues/prediction/prediction-reads.ts';
import { CATALOG } from '../../domain/catalog/catalog.ts';
import { POOL_LIQUIDITY_MAX_AGE_MS } from '../../domain/risk/index.ts';
import { createLaunchQuotes } from '../../trading/launch-quotes.ts';
import { createLiveQuotes } from '../../trading/live-marks.ts';
import type { CallerPorts } from '../caller-ports.ts';
import { ACTOR_KINDS } from '../capabilities/index.ts';
import { launcherPairs } from '../capabilities/launcher-launch.ts';
import { budgetStates, createVenues, type OutsideReach } from '../outside/index.ts';
import { createJoining } from '../wiring/members.ts';

const AGENTS_SHOWN = 200;
/** Maximum connections that wait to be accepted. A refused one tries again after a second: too late if thousands come back at once. */
const BACKLOG = 4_096;

export interface ApiRole {
  readonly app: FastifyInstance;
  /** URL that it listens on: `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly readiness: () => Promise<Readiness>;
  stop(): Promise<void>;
}

interface ApiDeps {
  /** Engine connections for identity, the market and announcements. */
  readonly sql: Sql;
  /** Caller ports by organization, on connections that see no other. */
  readonly callers: CallerPorts;
  readonly bus: QuoteBus;
  readonly states: MarketStateBus;
  readonly orderBook: ApiPorts['orderBook'];
  readonly bookWants: BookWants;
  /** Addresses and request budgets of all outside systems. */
  readonly reach: OutsideReach;
  /** Rate limit counters shared by the service's processes, or null if there is only this one. */
  readonly sharedLimits: SharedStore | null;
  /** External launcher, or null if none is configured. */
  readonly launcher: LauncherClient | null;
  /** Resolves if the queue works, or at once in a process without a worker. */
  readonly pingQueue: () => Promise<void>;
  /** Replay sessions of this process and of those that it reaches, or null if there can be none. */
  readonly replays: ApiPorts['replays'];
  /** Backtests of drafts. */
  readonly previews: ApiPorts['previews'];
  /** Free bytes of the state folder, and whether the database refused a write for lack of space. */
  readonly space: SpaceWatch;
  /** Returns the deviation of this machine's clock from PostgreSQL's. */
  readonly clockState: () => ClockState;
  readonly clock: Clock;
  readonly random: () => number;
  readonly newId: () => string;
  readonly host: string;
  readonly port: number;
  /** Emergency thread for halts and pauses once it listens: its URL and whether it is up. */
  readonly emergency: Promise<Pick<EmergencyListener, 'url' | 'isUp'>>;
  readonly allowedOrigins: readonly string[];
  /** Sign-in links, or null if the identity provider is not the sandbox's. */
  readonly signInLinks: SignInLinks | null;
  readonly sandboxWallets: ApiPorts['sandboxWallets'];
  readonly version: string;
  readonly log: Logger;
  readonly metrics: ServiceMetrics;
}

/** Creates the database reads of the readiness check. */
const readinessReads = (sql: Sql) => ({
  pingDatabase: () => sql`select 1`,
  stalledShards: () => stalledShards(sql),
  quarantined: () => countQuarantined(sql),
});

export async function startApi(deps: ApiDeps): Promise<ApiRole> {
  const { sql, clock, log } = deps;
  const members = createMemberStore(sql);
  const onError = (error: unknown): void => log.warn({ err: error }, 'reading the announcements failed');
  const tail = createAnnouncementTail({ sql, ownConnection: deps.callers.connection.of, clock, random: deps.random, onError });
  const readiness = async (): Promise<Readiness> => createReadiness({ ...deps, ...readinessReads(sql), emergency: await deps.emergency })();
  const onDemand = onDemandPorts(deps);
  const model = openModelPorts(deps.reach.addresses.model, clock);
  const market = marketPorts(deps, model.ports);
  await tail.start();
  const app = await buildApi(
    {
      clock,
      operation: {
        newRequestId: deps.newId,
        readiness,
        metrics: deps.metrics,
        isUnavailable: (error) => deps.space.noted(error) || isConnectionLoss(error) || error instanceof UnsignedRow,
        reportDefect: (error, where) => log.error({ err: error, ...where }, 'a request failed'),
      },
      access: { ...accessPorts(deps, members), agentTokens: createAgentTokenReads(sql), signals: createSignalReads(sql) },
      ...callerPorts(deps, model.ports),
      ...evaluationPorts(deps),
      machines: machinePorts(),
      sandboxWallets: deps.sandboxWallets,
      joining: createJoining(sql, clock),
      ...market,
      ...onDemand.ports,
    },
    {
      version: deps.version,
      allowedOrigins: deps.allowedOrigins,
      loopback: isLoopback(deps.host),
      extend: [
        keepDescriptors,
        (server) => registerTerminal(server, TERMINAL),
        (server) =>
          registerFeeds(server, { ...feedPorts(deps), members, announcements: tail, candles: market.candles, rankings: market.rankings }),
      ],
    },
  );
  try {
    await deps.emergency;
    await app.listen({ host: deps.host, port: deps.port, backlog: BACKLOG });
  } catch (error) {
    await app.close();
    await tail.stop();
    throw listenRefusal(error, deps.host, deps.port, 'PORT');
  }
  return {
    app,
    url: listeningUrl(app.server, deps.host, deps.port),
    readiness,
    async stop() {
      await app.close();
      await tail.stop();
      onDemand.close();
      model.close();
    },
  };
}

/** Creates the ports of authentication, grants and rate limits. */
function accessPorts({ reach, clock, metrics, sharedLimits, signInLinks }: ApiDeps, members: ReturnType<typeof createMemberStore>) {
  const onFailure = (reason: string): void => metrics.unanswered('identity', reason);
  return {
    verifyToken: accessBy(createTokenVerifier({ ...reach.addresses.identity, clock, onFailure })),
    limits: createRateLimits(DEFAULT_POLICIES, sharedLimits),
    members,
    // Other identity providers have no sign-in links.
    signInLinks: signInLinks ?? { redeem: () => null },
  };
}

/** Creates the ports of evaluations that this process runs itself. */
function evaluationPorts({ previews, replays }: ApiDeps) {
  return { previews, replays };
}

/** Creates the ports of the caller's organization. */
function callerPorts({ callers, sql }: ApiDeps, model: ModelPorts) {
  const { connection: _, shardDecisions: __, ...ports } = callers;
  const runtime = { ...ports.runtime, queues: () => readWorkQueues(sql) };
  return { ...ports, runtime, copilot: { ...ports.copilot, ...(model === null ? {} : { rewording: model.rewording }) } };
}

/** Ports of the language model, or null if none is configured. */
type ModelPorts = ReturnType<typeof openModelPorts>['ports'];

function machinePorts() {
  const charts = new Map(ACTOR_KINDS.map(({ machine }) => [machine.id, describeMachine(machine)]));
  const layouts = createChartLayouts(new Map([...charts].map(([machine, { definition }]) => [machine, definition])));
  return { describe: (machine: string) => charts.get(machine) ?? null, layout: (machine: string) => layouts.of(machine) };
}

/** Returns outside access with low priority, which leaves budget for decisions. */
const patient = ({ reach }: ApiDeps): OutsideReach => ({ ...reach, budgets: budgetsFor(reach.budgets, 'optional') });

/** Creates the ports of the public market data. */
function marketPorts(deps: ApiDeps, model: ModelPorts) {
  const { sql, bus, clock, log, states, launcher } = deps;
  const reach = patient(deps);
  const bars = createBarReads(sql);
  return {
    quotes: createQuoteReads(bus),
    candles: createCandleReads({ store: createCandleStore(sql), histories: createVenues(reach).histories, clock, log }),
    longWork: createWorkReads(sql),
    orderBook: deps.orderBook,
    predictionMarkets: createPredictionReads({ store: createPredictionStore(sql), venues: createPredictionAsking(reach), clock }),
    venues: { states, budgets: () => budgetStates(deps.reach.budgets, clock.now()) },
    intelligence: createIntelligenceReads(sql),
    rankings: {
      cuts: createCutReads(sql),
      bars,
      basis: createBasisReads({ bars, catalog: CATALOG, clock }),
      ...(model === null ? {} : { phrasing: model.phrasing }),
    },
    leaderboard: createLeaderboardReads(sql),
    launchQuotes: createLaunchQuotes(bus, clock),
    launcher: launcherPairs(launcher),
    catalog: { entries: CATALOG, marks: createIssuerMarkStore(sql) },
  };
}

/** Creates the ports that query venues and chains on demand. */
function onDemandPorts(deps: ApiDeps) {
  const { sql, bus, clock, metrics } = deps;
  const reach = patient(deps);
  const { evmvenue, evmchain, spotchain } = reach.addresses;
  const perps = createPerpReads({ ...reach, baseUrl: evmvenue.url, budget: reach.budgets.evmvenue });
  const silent = (code: string): void => metrics.unanswered('primarychain', code);
  const { rpcUrl, makers } = spotchain;
  const primary = rpcUrl === null ? null : createPrimaryWallets(rpcUrl, clock, silent);
  const holders = rpcUrl === null ? null : createSolanaRpc({ url: rpcUrl, clock, onFailure: silent });
  return {
    ports: {
      funding: perps.funding,
      wallets: {
        venue: perps.publicWallets,
        evm: createChainWalletReads({ ...evmchain, clock, onFailure: (reason) => metrics.unanswered('evmchain', reason) }),
        ...(primary === null ? {} : { primary }),
      },
      agentMarket: createAgentMarket({
        chain: holders,
        originOf: createListedTokenStore(sql).originOf,
        liquidity: async (instrument) =>
          (await poolLiquidity(sql, [instrument], clock.now() - POOL_LIQUIDITY_MAX_AGE_MS - 1)).get(instrument) ?? null,
        liveQuote: createLiveQuotes(bus, clock),
        quotes: createLaunchQuotes(bus, clock),
        makers,
        clock,
      }),
    },
    close() {
      primary?.close();
      holders?.close();
    },
  };
}

/** Creates the ports of the feeds other than the market. */
function feedPorts({
  callers,
  bus,
  states,
  bookWants,
  clock,
  log,
}: ApiDeps): Pick<
  FeedPorts,
  'clock' | 'quotes' | 'states' | 'bookWants' | 'expandDecisions' | 'agentsNow' | 'inspection' | 'reportDefect'
> {
  const directory = createDirectory(ACTOR_KINDS);
  return {
    clock,
    quotes: bus,
    states,
    bookWants,
    expandDecisions: (batch, orgId) => callers.shardDecisions.of(orgId, batch),
    agentsNow: async (orgId, agentId) => {
      if (agentId !== null) {
        const one = await callers.agents.reads.get(orgId, agentId);
        return one === null ? [] : [one];
      }
      return (await callers.agents.reads.list(orgId, { limit: AGENTS_SHOWN, after: null })).items;
    },
    inspection: createInspection({
      reads: callers.actors.reads,
      lives: (orgId) => createActorLives({ store: createHistoryStore(callers.connection.of(orgId)), directory }),
      directory,
    }),
    reportDefect: (error, where) => log.error({ err: error, where }, 'the feeds'),
  };
}
