/** Start of the roles feed, worker and API from shared parts. */

import { resolve } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { ExecutionClients } from '../../actors/proposal/execution-client.ts';
import type { PreTrade } from '../../actors/proposal/present-verdict.ts';
import type { Containment } from '../../actors/runtime/containment.ts';
import type { ClockWatch } from '../../actors/runtime/clock-watch.ts';
import { runEvery } from '../../actors/runtime/run-every.ts';
import { type EmergencyListener, startEmergencyListener } from '../adapters/process/emergency-listener.ts';
import type { SignInLinks } from '../adapters/identity/sign-in-links.ts';
import type { Signer } from '../adapters/identity/signer/open-signer.ts';
import { toldOfSilence } from '../adapters/identity/signer/supervisor.ts';
import { openWalletHistories } from '../adapters/indexer/access.ts';
import { isLoopback } from '../adapters/process/listen-refusal.ts';
import { budgetsFor } from '../adapters/queue/request-budgets.ts';
import { openWriterKeys, type WriterKey } from '../adapters/signing-keys/writer-keys.ts';
import { createIssuerMarkStore } from '../adapters/store/catalog/issuer-mark-store.ts';
import { createSharedRiskReads } from '../adapters/store/risk/risk-reads.ts';
import { aheadOfMachine } from '../adapters/store/simulated-time.ts';
import { createSpaceWatch } from '../adapters/store/space-watch.ts';
import { archiveFolder } from '../adapters/store/trail/history-archive.ts';
import { createTrailLog } from '../adapters/store/trail/trail-log.ts';
import { createTapeRecorder } from '../adapters/tape/recorder.ts';
import { createPredictionAsking } from '../adapters/venues/prediction/access.ts';
import { openSpotOrders } from '../adapters/venues/spotexchange/access.ts';
import { sha256Hex } from '../domain/values/canonical-json.ts';
import type { InstrumentKey } from '../domain/market/venue.ts';
import type { ReplayHost } from '../simulation/blind/replay-host.ts';
import { createDisabledVenues } from '../trading/disabled-venues.ts';
import { signedByWorker } from '../trading/exchange-signing.ts';
import { createLiveQuotes } from '../trading/live-marks.ts';
import { createManualMarks } from '../trading/manual-risk.ts';
import { createPreTrade } from '../trading/pre-trade.ts';
import { sandboxWallets } from '../sandbox/wallet-client.ts';
import type { WorkerTrading } from './capabilities/capability.ts';
import { openCallerPorts } from './caller-ports.ts';
import type { Evaluations } from './capabilities/evaluation.ts';
import { createChainOrders } from './wiring/chain-orders.ts';
import {
  type EvaluationRunnerDeps,
  openHistoryRunners,
  openPreviews,
  openSessionRunners,
  openStressRunner,
} from './wiring/evaluation-runners.ts';
import type { Gates } from './wiring/gates.ts';
import { evmWalletsAt } from './wiring/linked-wallets.ts';
import type { MarketAccess } from './market-access.ts';
import type { ExchangeAccounts } from './wiring/exchange-accounts.ts';
import { budgetStates, createVenues, openVenueFlows } from './outside/index.ts';
import { type ApiRole, startApi } from './roles/api.ts';
import { startFeed } from './roles/feed.ts';
import { type Actors, openActors, startWorker } from './roles/worker.ts';
import { isSimulatedMoney, openReservePlaces, openVaultReserves } from './wiring/reserves.ts';
import { obtainableHistory, sandboxPast } from './sandbox/sandbox-past.ts';
import type { ServiceProcess } from './service-process.ts';
import type { StoreConnections } from './store-connections.ts';
import { packageVersion } from './version.ts';
import { MINUTE_MS } from '../domain/values/time.ts';
import type { RiskDeps } from '../trading/present-market.ts';

/** Name of the log of signed batches in its checkpoints. */
const TRAIL_ORIGIN = 'sevengate/trail';
const CHECKPOINT_MS = MINUTE_MS;
/** It serves few requests: V8 would keep 32 MB for the young objects of its start. */
const EMERGENCY_LIMITS = { maxYoungGenerationSizeMb: 4 };

export interface RoleParts {
  readonly service: ServiceProcess;
  readonly store: StoreConnections;
  readonly market: MarketAccess;
  readonly actors: Actors;
  readonly containment: Containment;
  readonly gates: Gates;
  readonly evaluations: Evaluations;
  /** Signer, or null if this process runs no worker or nothing is signed. */
  readonly signer: Signer | null;
  readonly exchangeAccounts: ExchangeAccounts;
  /** Replay sessions, or null if this process neither runs nor reaches a worker. */
  readonly replays: ReplayHost | null;
  readonly clockWatch: ClockWatch;
  /** Sign-in links, or null if the identity provider is not the sandbox's. */
  readonly signInLinks: SignInLinks | null;
}

/** Starts the feed: receives the venues, cuts every slot, publishes quotes, and records a tape if one is configured. */
export function startFeedRole({ service, store, market, actors, containment, clockWatch }: RoleParts): void {
  const { clock, random, holder, log, metrics, record } = service;
  const sql = store.feed;
  const { reach, bus, states } = market;
  const feed = startFeed({
    sql,
    venues: () => createVenues(reach, createIssuerMarkStore(sql)),
    pastOf: () => createVenues({ ...reach, budgets: budgetsFor(reach.budgets, 'optional') }).histories,
    bus,
    states,
    budgets: () => budgetStates(reach.budgets, clock.now()),
    runtime: actors.runtime,
    clock,
    random,
    holder,
    log,
    metrics,
    clockWatch,
    containment,
    ...(record === null
      ? {}
      : { onPipeline: (pipeline) => createTapeRecorder({ sql, pipeline, file: record, clock, log: service.warn('the tape') }) }),
  });
  service.onStop('the feed', feed.stop);
}

/** Starts the worker: ticks, timers, activities and evaluation runs. Returns a function that rejects if the queue does not work. */
export async function startWorkerRole(parts: RoleParts): Promise<() => Promise<void>> {
  const { service, store, market, actors, gates, evaluations } = parts;
  const { config, clock, holder, log, metrics } = service;
  const { sql, servers } = store;
  const { bus, orderBooks, outside } = market;
  const risk = riskDeps(parts);
  const preTrade = createPreTrade({ ...risk, orderBooks });
  const liveQuote = createLiveQuotes(bus, clock);
  // Callers take precedence: a refresh leaves the last part of each budget unused.
  const signing = await openSigning(parts);
  const reserves = openReservePlaces(
    service,
    market.reach,
    parts.exchangeAccounts,
    signing?.signRequest ?? null,
    outside.onchainPredictions,
  );
  const histories = openWalletHistories({ ...market.reach, budgets: budgetsFor(market.reach.budgets, 'background') });
  service.onStop('the histories of wallets', async () => histories.close());
  const worker = startWorker({
    sql,
    queue: servers.queue,
    actors,
    containment: parts.containment,
    clock,
    holder,
    log,
    metrics,
    kept: {
      feedHistoryDays: config.FEED_HISTORY_DAYS,
      activityHistoryDays: config.ACTIVITY_HISTORY_DAYS,
      trailHistory: { days: config.TRAIL_HISTORY_DAYS, folder: archiveFolder(config.SEVENGATE_HOME) },
    },
    trading: {
      preTrade,
      manual: preTrade,
      manualMarks: createManualMarks(risk),
      ...outside,
      histories,
      ...createPerpHistory(parts),
      ...openExecutionClients(parts, risk, preTrade, signing),
      ...(reserves === null ? {} : { reserves }),
      flows: openVenueFlows({ ...market.reach, budgets: budgetsFor(market.reach.budgets, 'pricing') }),
      disabledVenues: risk.disabledVenues,
      bid: (instrument: InstrumentKey): string | null => liveQuote(instrument)?.bid ?? null,
      approvalMs: config.PROPOSAL_APPROVAL_MINUTES * MINUTE_MS,
    },
  });
  service.onStop('the worker', worker.stop);
  if (store.logKey !== null) keepTrailLog(parts, store.logKey);
  const runWorker = evaluations.carry(evaluationRunners(parts), holder, service.warn('carrying evaluation runs'));
  service.onStop('the evaluation runs', () => runWorker.stop());
  const assessing = 'assessing paper and shadow stages';
  if (parts.replays !== null) {
    const sessions = evaluations.carrySessions(sessionRunners(parts, parts.replays), holder, service.warn('carrying replay sessions'));
    service.onStop('the replay sessions', () => sessions.stop());
  }
  const daily = gates.watch(clock, parts.containment(assessing), service.warn(assessing));
  service.onStop('the daily look at the gates', () => daily.stop());
  return worker.ping;
}

/** Returns the risk inputs of every order assessment in this process. */
function riskDeps({ service, store, market, signer, exchangeAccounts }: RoleParts): RiskDeps {
  const { bus, outside } = market;
  return {
    reads: createSharedRiskReads(store.sql),
    bus,
    clock: service.clock,
    disabledVenues: createDisabledVenues({
      spotexchange: { enabled: service.config.SVC_LIVE_SPOTEXCHANGE_ENABLED, hasKey: exchangeAccounts.has },
      primaryChain: outside.primaryChain !== null,
      // A process without a worker has no signer and does not know whether another one has.
      signer: signer === null ? !service.runs('worker') : signer.publicKey !== null,
      onchainPredictions: outside.onchainPredictions !== null,
    }),
  };
}

/** Appends signed batches to the log, and every minute a checkpoint for third parties. */
function keepTrailLog({ service, store }: RoleParts, key: WriterKey): void {
  const trailLog = createTrailLog(store.sql, key, TRAIL_ORIGIN);
  const keeping = runEvery(
    service.clock,
    'keeping the log of signed batches',
    CHECKPOINT_MS,
    () => trailLog.advance(),
    service.warn('keeping the log of signed batches'),
  );
  service.onStop('the log of signed batches', () => keeping.stop());
}

/** Opens the signer if there is one, and counts its inconclusive answers. */
async function openSigning({ service, store, market, signer }: RoleParts) {
  // The worker's key must exist before the signer reads which keys to trust.
  const { worker } = openWriterKeys(resolve(service.config.SEVENGATE_HOME), ['worker']);
  if (signer === null) return null;
  const { signerUrl, spotchain } = market.reach.addresses;
  await signer.open({ databaseUrl: store.logins.appUrl, url: signerUrl, rpcUrl: spotchain.rpcUrl, makers: spotchain.makers });
  const asking = {
    signAsWorker: (text: string) => worker.sign(Buffer.from(text)).toString('base64'),
    signer: toldOfSilence(signer.client, (reason) => service.metrics.unanswered('signer', reason)),
  };
  return { ...asking, signRequest: signedByWorker(asking) };
}

/** Opens the venues for live orders: the enabled ones, and the primary chain if its node is configured. */
function openExecutionClients(
  { service, store, market, actors, signer }: RoleParts,
  { reads }: RiskDeps,
  preTrade: PreTrade,
  signing: Awaited<ReturnType<typeof openSigning>>,
): Pick<WorkerTrading, 'clients' | 'stream'> {
  const { config, clock } = service;
  const { reach, bus, outside, makeBudget } = market;
  const { primaryChain } = outside;
  const orders = config.SVC_LIVE_SPOTEXCHANGE_ENABLED && signing !== null ? openSpotOrders(reach, signing.signRequest, makeBudget) : null;
  if (orders !== null) service.onStop('the live orders', async () => orders.close());
  const clients: ExecutionClients = orders === null ? {} : { spotexchange: orders.client };
  const stream = orders?.stream;
  if (primaryChain === null) return { clients, stream };
  const { runtime } = actors;
  const chainSigning = signer?.publicKey === null ? null : signing;
  const chain = createChainOrders({ ...primaryChain, sql: store.sql, reads, runtime, preTrade, bus, clock, signing: chainSigning });
  return { clients: { ...clients, spotchain: chain }, stream };
}

function evaluationRunners(parts: RoleParts) {
  return { ...openHistoryRunners(runnerDeps(parts)), stress_test: openStressRunner(parts.store.sql) };
}

/**
 * Creates the runners of sessions. A session's seed is the worker's signature of its id: unpredictable, and verifiable with the public
 * key.
 */
function sessionRunners(parts: RoleParts, host: ReplayHost) {
  const { worker } = openWriterKeys(resolve(parts.service.config.SEVENGATE_HOME), ['worker']);
  const deriveSeed = (runId: string): string => sha256Hex(worker.sign(Buffer.from(`sevengate-replay-seed-1\n${runId}`)).toString('base64'));
  return openSessionRunners(runnerDeps(parts), { host, seedOf: deriveSeed });
}

/** Returns the source of funding, with low priority. */
function createPerpHistory({ market }: RoleParts): Pick<WorkerTrading, 'perpHistory'> {
  const { evmvenue: perps } = createVenues({ ...market.reach, budgets: budgetsFor(market.reach.budgets, 'optional') }).histories;
  const fetchFunding = perps?.fetchFunding?.bind(perps);
  return perps === undefined || fetchFunding === undefined
    ? {}
    : { perpHistory: { fetchCandles: perps.fetchCandles.bind(perps), fetchFunding } };
}

/** Returns the reads of this process's backtests, and the sources of missing history. */
function runnerDeps({ service, store, market }: RoleParts): EvaluationRunnerDeps {
  const { clock, log } = service;
  const { histories } = createVenues({ ...market.reach, budgets: budgetsFor(market.reach.budgets, 'optional') });
  const past = sandboxPast(service);
  return {
    sql: store.sql,
    databaseUrl: store.logins.appUrl,
    histories: { ...histories, ...past?.histories(histories) },
    archives: past?.archives ?? null,
    clock,
    log,
  };
}

/** Starts the thread that halts and pauses even if this one is busy. It loads while this one goes on; `startApiRole` reports a failure. */
export function beginEmergency(parts: RoleParts): Promise<EmergencyListener> {
  const started = startEmergency(parts);
  const stopStarted = (): Promise<void> =>
    started.then(
      (emergency) => emergency.stop(),
      () => {},
    );
  parts.service.onStop('the emergency listener', stopStarted);
  started.catch(() => {});
  return started;
}

async function startEmergency({ service, store, market }: RoleParts) {
  const { config, clock, log, metrics } = service;
  const { reach } = market;
  return startEmergencyListener(
    {
      home: resolve(config.SEVENGATE_HOME),
      aheadMs: await aheadOfMachine(store.sql),
      appUrl: store.logins.appUrl,
      apiUrl: store.logins.apiUrl,
      identity: reach.addresses.identity,
      host: config.HOST,
      port: config.EMERGENCY_PORT,
      loopback: isLoopback(config.HOST),
      allowedOrigins: config.ALLOWED_ORIGINS,
      version: packageVersion(),
    },
    {
      clock,
      log,
      metrics,
      begin: (workerData) =>
        new Worker(new URL('./threads/emergency-thread.mjs', import.meta.url), { workerData, resourceLimits: EMERGENCY_LIMITS }),
    },
  );
}

/** Starts the API: serves REST and feeds. `pingQueue` checks this process's queue. */
export async function startApiRole(
  parts: RoleParts,
  emergency: Promise<EmergencyListener>,
  pingQueue: () => Promise<void>,
): Promise<ApiRole> {
  const { service, store, market, clockWatch } = parts;
  const { config, clock, random, newId, log, metrics } = service;
  const { reach, bus, states, orderBooks, outside } = market;
  const api = await startApi({
    clockState: clockWatch.state,
    space: createSpaceWatch(resolve(config.SEVENGATE_HOME), clock),
    sql: store.sql,
    callers: openCallerPorts({
      callers: store.openCallers(),
      evaluator: store.evaluator,
      runtimeOn: (own) => openActors(own, clock, newId).runtime,
      bus,
      orderBooks,
      ...outside,
      predictionBooks: createPredictionAsking(reach),
      isSimulatedMoney: isSimulatedMoney(config),
      reservesOn: (sql) => openVaultReserves(config, sql, clock),
      obtainable: obtainableHistory(service),
      disabledVenues: riskDeps(parts).disabledVenues,
      quotesPerMinute: reach.budgets.aggregator.state(clock.now()).limit,
      evmWallets: evmWalletsAt(reach.addresses.evmchain, clock, (reason) => metrics.unanswered('evmchain', reason)),
      clock,
      newId,
    }),
    bus,
    states,
    orderBook: market.shownBooks,
    bookWants: market.bookWants,
    reach,
    sharedLimits: market.sharedLimits,
    launcher: outside.launcher,
    pingQueue,
    replays: parts.replays,
    previews: openPreviews({ ...runnerDeps(parts), obtainable: obtainableHistory(service) }),
    clock,
    random,
    newId,
    host: config.HOST,
    port: config.PORT,
    emergency,
    signInLinks: parts.signInLinks,
    sandboxWallets: sandboxWallets(resolve(config.SEVENGATE_HOME)),
    allowedOrigins: config.ALLOWED_ORIGINS,
    version: packageVersion(),
    log,
    metrics,
  });
  service.onStop('the API', () => api.stop());
  return api;
}
