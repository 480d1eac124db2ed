/** Start of the service: servers, migrations, sandbox, seed and the roles, in this order. They stop in reverse order. */
import { resolve } from 'node:path';
import { createLeaderboardWalletHandler } from '../../actors/leaderboard-wallet/commands.ts';
import { type ClockWatch, createClockWatch } from '../../actors/runtime/clock-watch.ts';
import { untilReady } from '../../api/operation/readiness-parts.ts';
import { checkedAddress } from '../adapters/evmchain/checked-address.ts';
import { serveHealthPage } from '../adapters/health-page.ts';
import { createSignInLinks } from '../adapters/identity/sign-in-links.ts';
import { isLoopback } from '../adapters/process/listen-refusal.ts';
import { serviceClock } from '../adapters/store/agents/dispatch-store.ts';
import { seedOrganization } from '../adapters/store/callers/seed-organization.ts';
import { stateOrigins } from '../adapters/store/catalog/source-origins.ts';
import type { Sql } from '../adapters/store/database.ts';
import { createRegistrationStore } from '../adapters/store/leaderboard/leaderboard-store.ts';
import type { RunningService } from '../cli/ports.ts';
import { fillExampleMarket, SELLERS } from '../sandbox/example-market.ts';
import { EXAMPLE, EXAMPLE_TRADERS } from '../sandbox/example-organization.ts';
import { keepMemberTokens, memberToken } from '../sandbox/identity/member-tokens.ts';
import { openEvaluations } from './capabilities/evaluation.ts';
import { useCatalog } from './used-catalog.ts';
import { noteService } from '../adapters/process/noted-service.ts';
import { openContainment } from './containment.ts';
import { followExchangeAccounts, seedExchangeKey } from './wiring/exchange-accounts.ts';
import { openGates } from './wiring/gates.ts';
import { followListedTokens } from './wiring/listed-tokens.ts';
import { openMarketAccess } from './market-access.ts';
import { needsSandbox, statedBudgets } from './outside/index.ts';
import { readOrigins } from './outside/origins.ts';
import type { Config } from './config.ts';
import type { ApiRole } from './roles/api.ts';
import { openActors } from './roles/worker.ts';
import { type Sandbox, startSandbox } from './sandbox/sandbox.ts';
import { obtainableHistory } from './sandbox/sandbox-past.ts';
import { createServiceProcess, type ServiceProcess, type StartOptions } from './service-process.ts';
import { forgetKey, startSigner } from './signer/signer.ts';
import { checkedSources } from '../adapters/venues/source-checks.ts';
import { takeDatabaseTime } from './sandbox/simulated-clock.ts';
import { beginEmergency, type RoleParts, startApiRole, startFeedRole, startWorkerRole } from './start-roles.ts';
import { ReplayChannel } from '../adapters/queue/replay-channel.ts';
import { createReplayHost, type ReplayHost } from '../simulation/blind/replay-host.ts';
import { openStoreConnections, type StoreConnections } from './store-connections.ts';

/** Maximum wait for the first quotes at start, in milliseconds. Missing ones are then reported. */
const READY_MS = 45_000;

/**
 * Starts the service.
 * @throws Error if a requirement is missing, or the signal's reason if it was aborted; everything started before is stopped
 */
export async function start(options: StartOptions): Promise<RunningService> {
  const service = createServiceProcess(options);
  try {
    return { ...(await startParts(service)), stop: service.stop };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

async function startParts(service: ServiceProcess): Promise<Omit<RunningService, 'stop'>> {
  const { config, clock, log, newId, roles, signal } = service;
  const home = resolve(config.SEVENGATE_HOME);
  useCatalog(config);
  for (const warning of checkedSources(config, statedBudgets(config))) log.warn(warning);
  // The signer starts first. From here on this process holds no key.
  const signer = service.runs('worker') ? await startSigner(config, clock, log) : forgetKey(config);
  if (signer !== null) service.onStop('the signer', signer.stop);
  const store = await openStoreConnections(service);
  const { sql, evaluator } = store;
  await takeDatabaseTime(service, sql);
  await stateSources(service, store);
  const mayList = service.runs('worker') || service.runs('api');
  const listed = await followListedTokens({ sql, isSandboxed: config.SPOTCHAIN_URL === null, mayList, clock, log });
  service.onStop('the listed tokens', () => listed.stop());
  const sandbox = await openSandbox(service);

  const actors = openActors(sql, clock, newId);
  const gates = openGates({ sql, evaluator, runtime: actors.runtime, clock, newId, obtainable: obtainableHistory(service) });
  const evaluations = openEvaluations({ sql, runtime: actors.runtime, evidence: gates.evidence, clock, newId });
  const tokens =
    config.IDP_ISSUER === null ? keepMemberTokens(home, clock, service.warn('renewing the tokens of the example members')) : null;
  service.onStop('the tokens', async () => tokens?.stop());
  const tokenFiles = { tokenFolder: tokens?.folder ?? null, tokenSubjects: tokens?.subjects ?? [] };
  const signInLinks =
    config.IDP_ISSUER === null && isLoopback(config.HOST)
      ? createSignInLinks({ clock, mint: () => memberToken(home, 'operator', clock) })
      : null;
  // A feed-only process signs nothing for an organization.
  const seeds = service.runs('worker') || service.runs('api') || service.runs('sandbox');
  if (seeds && (await store.asOwner((owner) => seedOrganization(EXAMPLE, { sql, owner, commands: actors.commands, newId })))) {
    log.info('seeded one organization, its operator, viewer, risk manager and administrator, and three example agents');
    if (readOrigins(config).evmvenue === 'sandbox') await registerTraders(service, sql);
  }
  const hasExampleMarket = sandbox !== null && tokens !== null && service.runs('worker') && simulatesMarket(config);
  if (hasExampleMarket) await store.asOwner((owner) => seedOrganization(SELLERS, { sql, owner, commands: actors.commands, newId }));
  if (service.runs('worker')) await store.asOwner((owner) => seedExchangeKey(service, owner));
  signal.throwIfAborted();

  const onlySandbox = roles.every((role) => role === 'sandbox');
  const api = onlySandbox
    ? null
    : await startRoles({
        service,
        store,
        market: openMarketAccess(service, store.servers.redisUrl, sandbox),
        actors,
        containment: openContainment(service, sql),
        gates,
        evaluations,
        signer,
        exchangeAccounts: await followExchangeAccounts(service, sql),
        replays: openReplays(service, store.servers.redisUrl),
        clockWatch: await watchClock(service, store.sql),
        signInLinks,
      });
  if (api === null) {
    const page = await serveHealthPage(service.metrics, { host: config.HOST, port: config.PORT });
    service.onStop('the health page', () => page.stop());
    return { url: null, ...tokenFiles, signInUrl: null };
  }
  if (hasExampleMarket) fillInBackground(service, api.url);
  const forget = noteService(home, api.url);
  service.onStop('the note of where the service listens', async () => forget());
  return { url: api.url, ...tokenFiles, signInUrl: signInLinks === null ? null : `${api.url}/#/sign-in/${signInLinks.issue()}` };
}

/** Registers the simulated venue's traders, so that the leaderboard is not empty at first. */
async function registerTraders({ clock, newId }: ServiceProcess, sql: Sql): Promise<void> {
  const commands = createLeaderboardWalletHandler({ store: createRegistrationStore(sql), clock, evmAddress: checkedAddress });
  const [{ subject, permissions } = { subject: '', permissions: [] }] = EXAMPLE.members;
  for (const trader of EXAMPLE_TRADERS) {
    // Sequential, because the board shows this order until they are ranked.
    // oxlint-disable-next-line no-await-in-loop
    const registered = await commands.register({ orgId: EXAMPLE.id, subject, permissions, requestId: newId() }, trader);
    if (!registered.ok) throw new Error(registered.refusal.detail);
  }
}

/** Returns true if examples are wanted, and everything that they use is simulated. */
function simulatesMarket(config: Config): boolean {
  const { spotchain, spotexchange, reference } = readOrigins(config);
  return config.SANDBOX_EXAMPLES && config.SANDBOX_TAPE === null && [spotchain, spotexchange, reference].every((one) => one === 'sandbox');
}

/** Fills the example market after the start, which does not wait for it. */
function fillInBackground({ config, clock, log, onStop, warn }: ServiceProcess, url: string): void {
  const stopping = new AbortController();
  const home = resolve(config.SEVENGATE_HOME);
  const mintToken = (subject: string): string => memberToken(home, subject, clock);
  const filled = fillExampleMarket({ url, home, clock, signal: stopping.signal, mintToken }).then(
    () => log.info('the example market has its listings and launches'),
    (error: unknown) => {
      if (!stopping.signal.aborted) warn('filling the example market: the next start continues')(error);
    },
  );
  onStop('the example market', async () => {
    stopping.abort();
    await filled;
  });
}

/** Records which sources of market data are real from now on, before any of their data arrives. */
async function stateSources({ config, log, runs }: ServiceProcess, store: StoreConnections): Promise<void> {
  // A process with only the sandbox role stores nothing and has no key.
  if (!runs('feed') && !runs('worker') && !runs('api')) return;
  const origins = readOrigins(config);
  const changed = await store.asOwner((owner) => stateOrigins(owner, origins));
  if (changed.length > 0)
    log.info(
      { sources: Object.fromEntries(changed.map((source) => [source, origins[source as keyof typeof origins]])) },
      'these sources of market data are new: what was received of them as something else is set aside',
    );
}

async function openSandbox(service: ServiceProcess): Promise<Sandbox | null> {
  const { config, clock, log } = service;
  if (!service.runs('sandbox') || !needsSandbox(config)) return null;
  const sandbox = await startSandbox(config, clock);
  service.onStop('the sandbox', sandbox.stop);
  log.info(
    { seed: config.SANDBOX_SEED, simulators: sandbox.urls, control: sandbox.controlUrl },
    'the sandbox simulates the outside systems without a URL',
  );
  return sandbox;
}

/** Opens replay sessions, or returns null if this process neither runs nor reaches a worker. Steps pass between processes through Redis. */
function openReplays({ clock, newId, warn, onStop, runs }: ServiceProcess, redisUrl: string | null): ReplayHost | null {
  const onError = warn('replay sessions');
  const channel = redisUrl === null ? null : new ReplayChannel({ url: redisUrl, clock, newId, onError });
  if (channel !== null) onStop('the steps of replay sessions', async () => channel.close());
  if (!runs('worker') && channel === null) return null;
  const host = createReplayHost(clock, onError, channel);
  onStop('the host of replay sessions', () => host.stop());
  return host;
}

async function watchClock({ clock, log, metrics, onStop }: ServiceProcess, sql: Sql): Promise<ClockWatch> {
  const watch = createClockWatch({
    databaseNow: () => serviceClock(sql),
    clock,
    log,
    told: ({ offsetMs }) => metrics.clockOffset(offsetMs ?? 0),
  });
  onStop('the comparison of clocks', watch.stop);
  await watch.check();
  return watch;
}

/** Starts the roles. Returns null if this process runs no API. */
async function startRoles(parts: RoleParts): Promise<ApiRole | null> {
  const { service } = parts;
  const emergency = service.runs('api') ? beginEmergency(parts) : null;
  const pingQueue = service.runs('worker') ? await startWorkerRole(parts) : async (): Promise<void> => {};
  const api = emergency === null ? null : await startApiRole(parts, emergency, pingQueue);
  // Last, because it begins with the history of every instrument, which nothing else waits for.
  if (service.runs('feed')) startFeedRole(parts);
  if (api === null) return null;
  const { ready, parts: states } = await untilReady(api.readiness, { ...service, patienceMs: READY_MS });
  if (!ready) service.log.warn({ parts: states.filter(({ ok }) => !ok) }, 'started, but not ready yet: see /readyz');
  return api;
}
