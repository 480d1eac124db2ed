/** Starts the service: servers, migrations, sandbox, seed and the roles, in this order, and stops them in the opposite one. */
import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { ExecutionDeps } from '../../actors/proposal/execution.ts';
import type { Clock } from '../../streams/clock.ts';
import { createLiveClock } from '../../streams/live-clock.ts';
import { createInProcessMarketStateBus, createRedisMarketStateBus } from '../adapters/queue/market-state-bus.ts';
import { createInProcessQuoteBus, createRedisQuoteBus } from '../adapters/queue/quote-bus.ts';
import { API_ROLE } from '../adapters/store/callers/as-organization.ts';
import { createIssuerMarkStore } from '../adapters/store/catalog/issuer-mark-store.ts';
import { openDatabase } from '../adapters/store/database.ts';
import { EVALUATOR_ROLE } from '../adapters/store/gates/evidence-store.ts';
import { separateLogins } from '../adapters/store/logins.ts';
import { migrate } from '../adapters/store/migrate.ts';
import { createTapeRecorder } from '../adapters/tape/recorder.ts';
import type { InstrumentKey } from '../domain/venue.ts';
import { SANDBOX_AUDIENCE } from '../sandbox/identity/provider.ts';
import { createBacktestRunner } from '../simulation/backtest/backtest-runner.ts';
import { createStressRunner } from '../simulation/stress/stress-runner.ts';
import { createDelegatedOrders } from '../trading/delegated-orders.ts';
import { createLiveQuotes } from '../trading/live-marks.ts';
import { createPreTrade } from '../trading/pre-trade.ts';
import { type Addresses, addressesOf, localSigningKeys, needsSandbox, startSandbox } from './addresses.ts';
import { budgetsOn } from './budgets.ts';
import { openCallerPorts } from './caller-ports.ts';
import { type Config, ROLES, type Role } from './config.ts';
import { openEvaluations } from './evaluations.ts';
import { openGates } from './gates.ts';
import { followListedTokens } from './listed-tokens.ts';
import { listenRefusal } from './listening.ts';
import { openLiveOrders } from './live-orders.ts';
import type { Logger } from './log.ts';
import { createMetrics } from './metrics.ts';
import { createNewIds } from './new-ids.ts';
import { createPredictionAsking, openOnchainPredictions } from './prediction.ts';
import { openPrimaryChain } from './primary-chain.ts';
import { type ApiRole, startApi } from './roles/api.ts';
import { startFeed } from './roles/feed.ts';
import { openActors, startWorker } from './roles/worker.ts';
import { EXAMPLE_MEMBERS, seedExamples } from './seed.ts';
import { startServers } from './servers.ts';
import { forgetKey, startSigner, toldOfSilence } from './signer.ts';
import { budgetStates, createOrderBooks, createRequestBudgets, createVenues, optionalBudgets } from './venues.ts';
import { packageVersion } from './version.ts';

/** The operator's token is renewed this often; it lives an hour. */
const TOKEN_RENEW_MS = 20 * 60_000;
const TOKEN_LIFETIME_S = 3_600;
/** How long the start waits for the first quotes before it says what is missing. */
const READY_MS = 45_000;
const DATABASE_CONNECTIONS = 20;
const EVALUATOR_CONNECTIONS = 2;
/** A statement for a caller is a short transaction that has its connection to itself. */
const CALLER_CONNECTIONS = 10;

export interface Started {
  /** Null where no API runs in this process. */
  readonly url: string | null;
  /** Where the tokens of the example members lie; null where the identity provider is not ours. */
  readonly tokenFolder: string | null;
  stop(): Promise<void>;
}

export interface StartOptions {
  readonly config: Config;
  readonly roles: readonly Role[];
  /** A tape that everything heard is recorded to. */
  readonly record: string | null;
  readonly path: string;
  readonly log: Logger;
  /** Aborted where the process is told to stop before it has started. */
  readonly signal: AbortSignal;
}

/**
 * @throws Error in one sentence where something needed is missing, or the signal's reason where it was aborted; in both
 * cases what was started before is stopped.
 */
export async function start({ config, roles, record, path, log, signal }: StartOptions): Promise<Started> {
  const clock = createLiveClock();
  const newId = createNewIds(clock);
  const random = (): number => randomBytes(4).readUInt32LE() / 2 ** 32;
  const holder = `${hostname()}:${process.pid}:${randomUUID().slice(0, 8)}`;
  const runs = (role: Role): boolean => roles.includes(role);
  const stops: { readonly what: string; readonly stop: () => Promise<unknown> }[] = [];
  const stop = async (): Promise<void> => {
    for (const { what, stop: end } of stops.splice(0).reverse()) {
      await end().catch((error: unknown) => log.warn({ err: error }, `stopping ${what}`));
    }
  };

  try {
    // Before anything else is started: from here on this process holds no key.
    const signer = runs('worker') ? await startSigner(config, clock, log) : forgetKey(config);
    if (signer !== null) stops.push({ what: 'the signer', stop: signer.stop });
    const servers = await startServers(config, path, log, { purpose: 'service', signal });
    stops.push({ what: 'the servers', stop: servers.stop });
    if (servers.redisUrl === null && roles.length < ROLES.length && runs('api') !== runs('feed')) {
      throw new Error('api and feed in separate processes pass quotes through Redis: set REDIS_URL, or start every role in one process');
    }
    const { applied } = await migrate(servers.databaseUrl);
    if (applied.length > 0) log.info({ applied }, 'migrated');
    signal.throwIfAborted();
    const logins = await separateLogins(servers.databaseUrl);
    if (logins.shared !== null)
      log.warn(
        { why: logins.shared },
        'the service works with the login that owns the tables: grant it CREATEROLE and the admin option on sevengate_app, sevengate_api and sevengate_evaluator to have logins apart',
      );
    const sql = openDatabase({ url: logins.appUrl, connections: DATABASE_CONNECTIONS, name: `sevengate ${roles.join(' ')}` });
    stops.push({ what: 'the database connections', stop: () => sql.end({ timeout: 3 }) });
    const evaluator = openDatabase({
      url: logins.evaluatorUrl,
      role: EVALUATOR_ROLE,
      connections: EVALUATOR_CONNECTIONS,
      name: `sevengate evaluator ${roles.join(' ')}`,
    });
    stops.push({ what: 'the connections of the evaluator', stop: () => evaluator.end({ timeout: 3 }) });

    const listed = await followListedTokens({ sql, isSandboxed: config.SPOTCHAIN_URL === null, clock, log });
    stops.push({ what: 'the listed tokens', stop: () => listed.stop() });

    const sandbox = runs('sandbox') && needsSandbox(config) ? await startSandbox(config, clock) : null;
    if (sandbox) {
      stops.push({ what: 'the sandbox', stop: sandbox.stop });
      log.info(
        { seed: config.SANDBOX_SEED, simulators: sandbox.urls, control: sandbox.controlUrl },
        'the sandbox stands in for the outside systems that no URL is set for',
      );
    }
    const metrics = createMetrics();
    const actors = openActors(sql, clock, newId);
    const gates = openGates({ sql, evaluator, runtime: actors.runtime, newId });
    const evaluations = openEvaluations({ sql, runtime: actors.runtime, evidence: gates.evidence, clock, newId });
    const tokenFolder = config.IDP_ISSUER === null ? writeTokens(config, clock, stops) : null;
    if (await seedExamples(sql, actors.commands, newId))
      log.info('seeded one organization, its operator, viewer and risk manager, and three example agents');
    signal.throwIfAborted();

    let api: ApiRole | null = null;
    let ping = async (): Promise<void> => {};
    if (roles.some((role) => role !== 'sandbox')) {
      const addresses: Addresses = addressesOf(config, sandbox);
      const counting = budgetsOn(servers.redisUrl, clock, (error) => log.warn({ err: error }, 'the request budgets'));
      stops.push({ what: 'the request budgets', stop: async () => counting.close() });
      const budgets = createRequestBudgets(counting.make);
      const bus =
        servers.redisUrl === null
          ? createInProcessQuoteBus({ clock })
          : createRedisQuoteBus({ clock, random, url: servers.redisUrl, onError: (error) => log.warn({ err: error }, 'the quote bus') });
      stops.push({ what: 'the quote bus', stop: () => bus.close() });
      const onError = (error: unknown) => log.warn({ err: error }, 'the bus of market states');
      const states =
        servers.redisUrl === null
          ? createInProcessMarketStateBus({ clock, onError })
          : createRedisMarketStateBus({ clock, random, url: servers.redisUrl, onError });
      stops.push({ what: 'the bus of market states', stop: () => states.close() });
      const orderBooks = createOrderBooks(addresses, clock, random, budgets, metrics.unknownField);
      const preTrade = createPreTrade({ sql, bus, orderBooks, clock });
      const primaryChain = openPrimaryChain(
        addresses.spotchain,
        clock,
        random,
        budgets,
        (code) => metrics.unanswered('primarychain', code),
        metrics.unknownField,
      );
      if (primaryChain !== null) stops.push({ what: 'the primary chain', stop: async () => primaryChain.close() });
      const onchainPredictions = openOnchainPredictions(
        { addresses: addresses.prediction, clock, random, budgets },
        primaryChain?.chain ?? null,
        metrics.unknownField,
      );
      if (onchainPredictions !== null) stops.push({ what: 'the on-chain prediction venue', stop: async () => onchainPredictions.close() });
      if (runs('feed')) {
        const feed = startFeed({
          sql,
          venues: () => createVenues(addresses, clock, random, budgets, createIssuerMarkStore(sql), metrics.unknownField),
          bus,
          states,
          budgets: () => budgetStates(budgets, clock.now()),
          runtime: actors.runtime,
          clock,
          random,
          holder,
          log,
          metrics,
          ...(record === null
            ? {}
            : {
                onPipeline: (pipeline) =>
                  createTapeRecorder({ sql, pipeline, file: record, clock, log: (error) => log.warn({ err: error }, 'the tape') }),
              }),
        });
        stops.push({ what: 'the feed', stop: feed.stop });
      }
      if (runs('worker')) {
        const liveQuote = createLiveQuotes(bus, clock);
        const bid = (instrument: InstrumentKey): string | null => liveQuote(instrument)?.bid ?? null;
        if (signer !== null && addresses.signerUrl !== null) await signer.open({ databaseUrl: logins.appUrl, url: addresses.signerUrl });
        const liveOrders = openLiveOrders(config, addresses, clock, random, budgets, metrics.unknownField);
        stops.push({ what: 'the live orders', stop: async () => liveOrders.close() });
        const clients: ExecutionDeps['clients'] =
          signer === null || primaryChain === null
            ? liveOrders.clients
            : {
                ...liveOrders.clients,
                spotchain: createDelegatedOrders({
                  sql,
                  runtime: actors.runtime,
                  preTrade,
                  ...primaryChain,
                  signer: toldOfSilence(signer.client, (reason) => metrics.unanswered('signer', reason)),
                  bus,
                  clock,
                }),
              };
        const trading = {
          preTrade,
          manual: preTrade,
          primaryChain,
          onchainPredictions,
          clients,
          bid,
          approvalMs: config.PROPOSAL_APPROVAL_MINUTES * 60_000,
        };
        const worker = startWorker({ sql, queue: servers.queue, actors, clock, holder, log, metrics, trading });
        ping = worker.ping;
        stops.push({ what: 'the worker', stop: worker.stop });
        const runners = {
          backtest: createBacktestRunner({
            sql,
            databaseUrl: logins.appUrl,
            histories: createVenues(addresses, clock, random, optionalBudgets(budgets), undefined, metrics.unknownField).histories,
            clock,
            log,
          }),
          stress_test: createStressRunner({ sql }),
        };
        const runWorker = evaluations.carry(runners, holder, (error) => log.warn({ err: error }, 'carrying evaluation runs'));
        stops.push({ what: 'the evaluation runs', stop: () => runWorker.stop() });
        const daily = gates.watch(clock, (error) => log.warn({ err: error }, 'judging paper and shadow stages'));
        stops.push({ what: 'the daily look at the gates', stop: () => daily.stop() });
      }
      if (runs('api')) {
        const callers = openDatabase({
          url: logins.apiUrl,
          role: API_ROLE,
          connections: CALLER_CONNECTIONS,
          name: `sevengate callers ${roles.join(' ')}`,
        });
        stops.push({ what: 'the connections for callers', stop: () => callers.end({ timeout: 3 }) });
        api = await startApi({
          sql,
          callers: openCallerPorts({
            callers,
            evaluator,
            runtimeOn: (own) => openActors(own, clock, newId).runtime,
            bus,
            orderBooks,
            primaryChain,
            onchainPredictions,
            predictionBooks: createPredictionAsking({ addresses: addresses.prediction, clock, random, budgets }, metrics.unknownField),
            live: config.SVC_LIVE_SPOTEXCHANGE_ENABLED,
            clock,
            newId,
          }),
          bus,
          states,
          addresses,
          budgets,
          pingQueue: ping,
          clock,
          random,
          newId,
          host: config.HOST,
          port: config.PORT,
          allowedOrigins: config.ALLOWED_ORIGINS,
          version: packageVersion(),
          log,
          metrics,
        });
        const serving = api;
        stops.push({ what: 'the API', stop: () => serving.stop() });
        await untilReady(serving, clock, log, signal);
      }
    }
    if (!api) stops.push({ what: 'the health page', stop: await servePulse(config, metrics) });
    return { url: api?.url ?? null, tokenFolder, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Keeps a fresh token per example member beside the state, readable by its owner only. */
function writeTokens(config: Config, clock: Clock, stops: { what: string; stop: () => Promise<unknown> }[]): string {
  const folder = join(resolve(config.SEVENGATE_HOME), 'tokens');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chmodSync(folder, 0o700);
  let cancel = (): void => {};
  const renew = (): void => {
    const keys = localSigningKeys(config, clock);
    for (const { subject } of EXAMPLE_MEMBERS) {
      const file = join(folder, `${subject}.token`);
      // Other processes of the service keep the same files fresh.
      const draft = `${file}.${process.pid}.new`;
      writeFileSync(draft, `${keys.mintToken({ subject, audience: SANDBOX_AUDIENCE, lifetimeS: TOKEN_LIFETIME_S })}\n`, {
        mode: 0o600,
      });
      renameSync(draft, file);
    }
    cancel = clock.deadline(clock.now() + TOKEN_RENEW_MS, renew);
  };
  renew();
  stops.push({ what: 'the tokens', stop: async () => cancel() });
  return folder;
}

async function untilReady(api: ApiRole, clock: Clock, log: Logger, signal: AbortSignal): Promise<void> {
  const giveUpAt = clock.now() + READY_MS;
  for (;;) {
    signal.throwIfAborted();
    const { ready, parts } = await api.readiness();
    if (ready) return;
    if (clock.now() > giveUpAt) {
      log.warn({ parts: parts.filter(({ ok }) => !ok) }, 'started, but not everything works yet: see /readyz');
      return;
    }
    await new Promise<void>((resolve) => void clock.deadline(clock.now() + 100, resolve));
  }
}

/** `/healthz` and `/metrics` of a process without an API. */
async function servePulse(
  config: Config,
  metrics: { readonly contentType: string; render(): Promise<string> },
): Promise<() => Promise<void>> {
  const server = createServer((request, response) => {
    if (request.url === '/healthz') response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"ok"}');
    else if (request.url === '/metrics')
      void metrics.render().then(
        (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    else response.writeHead(404).end();
  });
  await new Promise<void>((listening, failed) => {
    server.once('error', (error) => failed(listenRefusal(error, config.HOST, config.PORT, 'PORT')));
    server.listen(config.PORT, config.HOST, listening);
  });
  return () =>
    new Promise<void>((closed) => {
      server.close(() => closed());
      server.closeAllConnections();
    });
}
