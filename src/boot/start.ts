/** Starts the service: servers, migrations, sandbox, seed and the roles, in this order, and stops them in the opposite one. */
import { randomBytes, randomUUID } from 'node:crypto';
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { Clock } from '../../streams/clock.ts';
import { createLiveClock } from '../../streams/live-clock.ts';
import { createInProcessQuoteBus, createRedisQuoteBus } from '../adapters/queue/quote-bus.ts';
import { openDatabase } from '../adapters/store/database.ts';
import { migrate } from '../adapters/store/migrate.ts';
import { createTapeRecorder } from '../adapters/tape/recorder.ts';
import { SANDBOX_AUDIENCE } from '../sandbox/identity/provider.ts';
import { type Addresses, addressesOf, localSigningKeys, needsSandbox, startSandbox } from './addresses.ts';
import { type Config, ROLES, type Role } from './config.ts';
import { listenRefusal } from './listening.ts';
import type { Logger } from './log.ts';
import { createMetrics } from './metrics.ts';
import { createNewIds } from './new-ids.ts';
import { type ApiRole, startApi } from './roles/api.ts';
import { startFeed } from './roles/feed.ts';
import { openActors, startWorker } from './roles/worker.ts';
import { EXAMPLE_MEMBERS, seedExamples } from './seed.ts';
import { startServers } from './servers.ts';
import { createRequestBudgets, createVenues } from './venues.ts';
import { packageVersion } from './version.ts';

/** The operator's token is renewed this often; it lives an hour. */
const TOKEN_RENEW_MS = 20 * 60_000;
const TOKEN_LIFETIME_S = 3_600;
/** How long the start waits for the first quotes before it says what is missing. */
const READY_MS = 45_000;
const DATABASE_CONNECTIONS = 20;

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
    const servers = await startServers(config, path, log, { purpose: 'service', signal });
    stops.push({ what: 'the servers', stop: servers.stop });
    if (servers.redisUrl === null && roles.length < ROLES.length && runs('api') !== runs('feed')) {
      throw new Error('api and feed in separate processes pass quotes through Redis: set REDIS_URL, or start every role in one process');
    }
    const { applied } = await migrate(servers.databaseUrl);
    if (applied.length > 0) log.info({ applied }, 'migrated');
    signal.throwIfAborted();
    const sql = openDatabase({ url: servers.databaseUrl, connections: DATABASE_CONNECTIONS, name: `sevengate ${roles.join(' ')}` });
    stops.push({ what: 'the database connections', stop: () => sql.end({ timeout: 3 }) });

    const sandbox = runs('sandbox') && needsSandbox(config) ? await startSandbox(config, clock) : null;
    if (sandbox) {
      stops.push({ what: 'the sandbox', stop: sandbox.stop });
      log.info(
        { seed: config.SANDBOX_SEED, doubles: sandbox.urls, control: sandbox.controlUrl },
        'the sandbox stands in for the outside systems that no URL is set for',
      );
    }
    const metrics = createMetrics();
    const actors = openActors(sql, clock, newId);
    const tokenFolder = config.IDP_ISSUER === null ? writeTokens(config, clock, stops) : null;
    if (await seedExamples(sql, actors.commands, newId))
      log.info('seeded one organization, its operator, viewer and risk manager, and three example agents');
    signal.throwIfAborted();

    let api: ApiRole | null = null;
    let ping = async (): Promise<void> => {};
    if (roles.some((role) => role !== 'sandbox')) {
      const addresses: Addresses = addressesOf(config, sandbox);
      const budgets = createRequestBudgets();
      const bus =
        servers.redisUrl === null
          ? createInProcessQuoteBus({ clock })
          : createRedisQuoteBus({ clock, random, url: servers.redisUrl, onError: (error) => log.warn({ err: error }, 'the quote bus') });
      stops.push({ what: 'the quote bus', stop: () => bus.close() });
      if (runs('feed')) {
        const feed = startFeed({
          sql,
          venues: () => createVenues(addresses, clock, random, budgets),
          bus,
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
        const worker = startWorker({ sql, queue: servers.queue, actors, clock, holder, log, metrics });
        ping = worker.ping;
        stops.push({ what: 'the worker', stop: worker.stop });
      }
      if (runs('api')) {
        api = await startApi({
          sql,
          commands: actors.commands,
          bus,
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
