/** Server under measurement, in a process of its own: our API role with its real routes, or a Fastify to compare with. */
import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto';
import { tmpdir } from 'node:os';
import fastify from 'fastify';
import { createLog } from '../src/adapters/log/log.ts';
import { createMetrics } from '../src/adapters/log/metrics.ts';
import { createNewIds } from '../src/adapters/new-ids.ts';
import { createBookWants } from '../src/adapters/queue/book-wants.ts';
import { createInProcessMarketStateBus } from '../src/adapters/queue/market-state-bus.ts';
import { createInProcessQuoteBus } from '../src/adapters/queue/quote-bus.ts';
import { API_ROLE } from '../src/adapters/store/callers/as-organization.ts';
import { openDatabase } from '../src/adapters/store/database.ts';
import { createSimulatedReserves } from '../src/adapters/store/vaults/reserve-store.ts';
import { createSpaceWatch } from '../src/adapters/store/space-watch.ts';
import { SPOTCHAIN_PER_MINUTE } from '../src/adapters/venues/spotchain/access.ts';
import { VenueError } from '../src/adapters/venues/venue-feed.ts';
import { openCallerPorts } from '../src/boot/caller-ports.ts';
import { openPreviews } from '../src/boot/wiring/evaluation-runners.ts';
import { createRequestBudgets } from '../src/boot/outside/index.ts';
import { startApi } from '../src/boot/roles/api.ts';
import { openActors } from '../src/boot/roles/worker.ts';
import { NO_FLAGS } from '../src/domain/market/quote.ts';
import { refuse } from '../src/domain/values/refusal.ts';
import { createLiveClock } from '../streams/clock/live-clock.ts';
import { outsideAddresses } from '../test/world/outside-addresses.ts';

/** Command-line arguments of the measuring process, as JSON. */
export interface ServerOrder {
  readonly kind: 'ours' | 'bare' | 'raw verify';
  readonly databaseUrl: string;
  readonly identity: { readonly issuer: string; readonly audience: string; readonly jwksUrl: string };
  /** Additional headers of a bare Fastify. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Schema of the caller, for the answers of both routes. */
const ME_SCHEMA = {
  type: 'object',
  required: ['subject', 'name', 'orgId', 'permissions', 'viewerOnly', 'expiresAt'],
  properties: {
    subject: { type: 'string' },
    name: { type: ['string', 'null'] },
    orgId: { type: ['string', 'null'] },
    permissions: { type: 'array', items: { type: 'string' } },
    viewerOnly: { type: 'boolean' },
    expiresAt: { type: 'string' },
  },
} as const;

async function ours(order: ServerOrder): Promise<string> {
  const clock = createLiveClock();
  const newId = createNewIds(clock);
  const log = createLog('warn');
  const sql = openDatabase({ url: order.databaseUrl, name: 'bench api', connections: 10 });
  const bus = createInProcessQuoteBus({ clock });
  const at = clock.now();
  bus.publish({
    kind: 'quote',
    venue: 'spotexchange',
    instrument: 'BTCUSDT',
    source: 'binance:bookTicker',
    observedAt: at,
    receivedAt: at,
    sourceTime: false,
    bid: '63000.10',
    ask: '63000.20',
    bidSize: '1.5',
    askSize: '0.8',
    sequence: 400900217,
    quality: 'live',
    flags: NO_FLAGS,
  });
  const unasked = {
    book: async () => Promise.reject(new VenueError('prediction', 0, 'unreachable', 'the bench asks no venue')),
  };
  const states = createInProcessMarketStateBus({ clock });
  const api = await startApi({
    signInLinks: null,
    sandboxWallets: { of: () => null },
    replays: null,
    previews: openPreviews({
      sql,
      databaseUrl: order.databaseUrl,
      histories: {},
      archives: null,
      clock,
      log: createLog('silent'),
      obtainable: new Set(),
    }),
    sql,
    callers: openCallerPorts({
      callers: openDatabase({ url: order.databaseUrl, role: API_ROLE, name: 'bench callers', connections: 10 }),
      evaluator: sql,
      runtimeOn: (own) => openActors(own, clock, newId).runtime,
      bus,
      orderBooks: { read: async () => refuse('unavailable', 'the bench asks no venue') },
      predictionBooks: { polymarket: unasked, kalshi: unasked },
      isSimulatedMoney: true,
      reservesOn: (own) => createSimulatedReserves(own, clock),
      obtainable: new Set(),
      onchainPredictions: null,
      primaryChain: null,
      launcher: null,
      disabledVenues: () => ({ spotexchange: 'SVC_LIVE_SPOTEXCHANGE_ENABLED' }),
      quotesPerMinute: SPOTCHAIN_PER_MINUTE,
      evmWallets: { chainId: 42_161, takesSignature: async () => refuse('unavailable', 'no node is asked here') },
      bridge: null,
      clock,
      newId,
    }),
    bus,
    states,
    orderBook: { read: async () => refuse('unavailable', 'the bench asks no venue') },
    bookWants: createBookWants(states, clock),
    sharedLimits: null,
    launcher: null,
    reach: {
      clock,
      random: Math.random,
      note: () => {},
      budgets: createRequestBudgets(),
      addresses: { ...outsideAddresses(() => 'http://127.0.0.1:1'), model: null, identity: order.identity },
    },
    pingQueue: async () => {},
    space: createSpaceWatch(tmpdir(), clock),
    clockState: () => ({ offsetMs: 0, ok: true, detail: '' }),
    clock,
    random: Math.random,
    newId,
    host: '127.0.0.1',
    port: 0,
    emergency: Promise.resolve({ url: '', isUp: true }),
    allowedOrigins: [],
    version: '0.0.0',
    log,
    metrics: createMetrics(),
  });
  return api.url;
}

/** Fastify with the same answers and schemas, and nothing else but the given headers. */
async function bare({ headers }: ServerOrder): Promise<string> {
  const app = fastify({ logger: false });
  const schema = { type: 'object', required: ['status'], properties: { status: { const: 'ok', type: 'string' } } } as const;
  app.get('/healthz', { schema: { response: { 200: schema } } }, (_request, reply) => {
    if (headers !== undefined) reply.headers(headers);
    return { status: 'ok' };
  });
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** Fastify that verifies the signature of every request's token with node:crypto, and trusts its claims. */
async function rawVerify(order: ServerOrder): Promise<string> {
  const { keys } = (await (await fetch(order.identity.jwksUrl)).json()) as { keys: (JsonWebKey & { kid: string })[] };
  const byId = new Map<string, KeyObject>(keys.map((key) => [key.kid, createPublicKey({ key, format: 'jwk' })]));
  const app = fastify({ logger: false });
  app.get('/v1/me', { schema: { response: { 200: ME_SCHEMA } } }, (request) => {
    const token = (request.headers.authorization as string).slice('Bearer '.length);
    const [head, body, signature] = token.split('.') as [string, string, string];
    const { kid } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { kid: string };
    const key = byId.get(kid) as KeyObject;
    const holds = verify('sha256', Buffer.from(`${head}.${body}`), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url'));
    if (!holds) throw new Error('the signature does not hold');
    const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as { sub: string; exp: number };
    return {
      subject: claims.sub,
      name: claims.sub,
      orgId: null,
      permissions: ['market:read'],
      viewerOnly: true,
      expiresAt: new Date(claims.exp * 1_000).toISOString(),
    };
  });
  return app.listen({ host: '127.0.0.1', port: 0 });
}

const order = JSON.parse(process.argv[2] as string) as ServerOrder;
const url = await (order.kind === 'ours' ? ours(order) : order.kind === 'bare' ? bare(order) : rawVerify(order));
// The measuring process asks for the usage before and after each round.
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ microseconds: user + system });
});
process.on('disconnect', () => process.exit(0));
process.send?.({ url });
