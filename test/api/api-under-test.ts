/** The whole API on a real database with the real commands; every answer is checked against the OpenAPI document. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { FastifyInstance, InjectOptions } from 'fastify';
import { expect } from 'vitest';
import { agentKind } from '../../actors/agent/effects.ts';
import type { Bridge } from '../../actors/bridge-transfer/ports.ts';
import type { OnchainPredictions } from '../../actors/prediction-order/onchain-venue.ts';
import { documentedRoutes, openApiDocument } from '../../api/document/openapi.ts';
import { createRateLimits } from '../../api/http/rate-limits.ts';
import type { ApiPorts } from '../../api/route.ts';
import { buildApi, type DocumentedOptions } from '../../api/document/documented-api.ts';
import { createBasisReads } from '../../api/v1/rankings/basis.ts';
import { createChartLayouts } from '../../src/adapters/chart/chart-layouts.ts';
import { createLog } from '../../src/adapters/log/log.ts';
import { createAgentMarket } from '../../src/adapters/solana/agent-market.ts';
import { readWorkQueues } from '../../src/adapters/store/actors/runtime-reads.ts';
import { createAgentTokenReads } from '../../src/adapters/store/agents/agent-token-store.ts';
import { createCutReads } from '../../src/adapters/store/agents/cut-store.ts';
import { createSignalReads } from '../../src/adapters/store/agents/signal-hook-store.ts';
import { API_ROLE } from '../../src/adapters/store/callers/as-organization.ts';
import { createMemberStore } from '../../src/adapters/store/callers/member-store.ts';
import { createBarReads } from '../../src/adapters/store/candles/bar-reads.ts';
import { createCandleStore } from '../../src/adapters/store/candles/candle-store.ts';
import { createIssuerMarkStore } from '../../src/adapters/store/catalog/issuer-mark-store.ts';
import { createListedTokenStore } from '../../src/adapters/store/catalog/listed-token-store.ts';
import { isConnectionLoss, isOutOfResources, openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { EVALUATOR_ROLE } from '../../src/adapters/store/gates/evidence-store.ts';
import { createIntelligenceReads } from '../../src/adapters/store/intelligence/intelligence-reads.ts';
import { createLeaderboardReads } from '../../src/adapters/store/leaderboard/leaderboard-store.ts';
import { createWorkReads } from '../../src/adapters/store/long-work-store.ts';
import { createPredictionStore } from '../../src/adapters/store/predictions/prediction-store.ts';
import { createReserveStore, createSimulatedReserves } from '../../src/adapters/store/vaults/reserve-store.ts';
import { createPredictionReads, type PredictionAsking } from '../../src/adapters/venues/prediction/prediction-reads.ts';
import { SPOTCHAIN_PER_MINUTE } from '../../src/adapters/venues/spotchain/access.ts';
import { VenueError } from '../../src/adapters/venues/venue-feed.ts';
import { openCallerPorts } from '../../src/boot/caller-ports.ts';
import { launcherPairs } from '../../src/boot/capabilities/launcher-launch.ts';
import { openActors } from '../../src/boot/roles/worker.ts';
import { openPreviews } from '../../src/boot/wiring/evaluation-runners.ts';
import { createJoining } from '../../src/boot/wiring/members.ts';
import type { Permission } from '../../src/domain/agents/agent.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import type { VerifiedToken } from '../../src/domain/identity/member.ts';
import type { MarketState } from '../../src/domain/market/market-state.ts';
import type { OrderBook } from '../../src/domain/market/order-book.ts';
import type { Quote, ReferencePrice } from '../../src/domain/market/quote.ts';
import type { PredictionProvider } from '../../src/domain/prediction/market.ts';
import { uuidV7 } from '../../src/domain/values/ids.ts';
import { refuse } from '../../src/domain/values/refusal.ts';
import { createLaunchQuotes } from '../../src/trading/launch-quotes.ts';
import { createLiveQuotes } from '../../src/trading/live-marks.ts';
import { createVirtualClock, type VirtualClock } from '../../streams/clock/virtual-clock.ts';
import { recordExample } from '../harness/recorded-examples.ts';
import { borrowDatabase } from '../harness/reused-database.ts';
import { LONGEST_MS } from '../harness/wait-for.ts';

export const NOW = Date.UTC(2026, 2, 2, 14, 31);
export const OURS = '00000000-0000-7000-8000-00000000000a';
export const THEIRS = '00000000-0000-7000-8000-00000000000b';
export const ORIGIN = 'https://console.example';

type Market = Map<string, Quote | ReferencePrice>;

/** Unreachable venue of prediction markets. */
const SILENT: PredictionAsking = {
  book: async () => Promise.reject(new VenueError('prediction', 0, 'unreachable', 'nobody answers')),
  trades: async () => Promise.reject(new VenueError('prediction', 0, 'unreachable', 'nobody answers')),
};

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
  /** Parsed body, or null if it is not JSON. */
  // Untyped: the check against the document verifies its form.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any;
}

export interface ApiUnderTest {
  readonly app: FastifyInstance;
  readonly sql: Sql;
  /** Connects as the owner of the tables, who adds members. */
  readonly owner: Sql;
  readonly databaseUrl: string;
  readonly ports: ApiPorts;
  readonly clock: VirtualClock;
  readonly market: Market;
  readonly books: Map<string, OrderBook>;
  /** Market states other than quotes, by `marketStateKey`. */
  readonly states: Map<string, MarketState>;
  /** Providers whose order books are read for orders. Unreachable until a test sets them. */
  readonly predictionVenues: Record<PredictionProvider, PredictionAsking>;
  readonly defects: unknown[];
  /** Disabled venues of live orders, by the setting that would enable each. */
  readonly disabledVenues: { spotexchange?: string };
  /** Issues a token of a new subject with these grants. Without an organization the subject is no member. */
  token(permissions: readonly Permission[], orgId?: string | null): Promise<string>;
  /** Issues a token that expires (or has expired) so many milliseconds from now. */
  issue(subject: string, livesMs?: number, sessionId?: string | null): string;
  call(method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'OPTIONS' | 'PATCH', url: string, more?: Call): Promise<Reply>;
  close(): Promise<void>;
}

export interface Call {
  readonly token?: string;
  /** Sent as JSON; `raw` is sent unchanged. */
  readonly body?: unknown;
  readonly raw?: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

let made = 0;
export const newId = (): string => uuidV7(NOW, Uint8Array.of(0, 0, 0, 0, 0, 0, ++made >> 24, made >> 16, made >> 8, made));

/** Members of ports that replace those of the API under test. */
export type Parts = { readonly [Part in keyof ApiPorts]?: Partial<ApiPorts[Part]> };

function withParts(plain: ApiPorts, over: Parts): ApiPorts {
  const replaced = Object.entries(over).map(([part, members]) => [part, { ...(plain[part as keyof ApiPorts] as object), ...members }]);
  return { ...plain, ...(Object.fromEntries(replaced) as Partial<ApiPorts>) };
}

/** Starts the API on its own database. `over` replaces members of ports. */
export async function apiUnderTest(
  over: (ports: ApiPorts) => Parts = () => ({}),
  options: Partial<DocumentedOptions> = {},
  databaseUrl?: string,
  onchain: OnchainPredictions | null = null,
  bridge: Bridge | null = null,
): Promise<ApiUnderTest> {
  const { url, sql, callers, evaluator, owner, giveBack } =
    databaseUrl === undefined ? await borrowDatabase({ connections: 6, callers: 6 }) : openedAt(databaseUrl);
  const clock = createVirtualClock(NOW);
  // Only the owner can add members.
  const members = createMemberStore(owner);
  if (databaseUrl === undefined) {
    await members.ensureOrganization(OURS, 'ours');
    await members.ensureOrganization(THEIRS, 'theirs');
  }
  const tokens = new Map<string, VerifiedToken>();
  const market: Market = new Map();
  const books = new Map<string, OrderBook>();
  const states = new Map<string, MarketState>();
  const predictionVenues: Record<PredictionProvider, PredictionAsking> = { polymarket: SILENT, kalshi: SILENT };
  const defects: unknown[] = [];
  const layouts = createChartLayouts(new Map([[agentKind.machine.id, JSON.parse(JSON.stringify(agentKind.machine.definition))]]));
  const quotes: ApiPorts['quotes'] = {
    latest: ({ venue, instrument }) =>
      [...market.values()].filter(
        (event) => (venue === undefined || event.venue === venue) && (instrument === undefined || event.instrument === instrument),
      ),
  };
  const orderBook: ApiPorts['orderBook'] = {
    async read(venue, instrument) {
      const book = books.get(`${venue}:${instrument}`);
      return book === undefined ? refuse('not_found', 'no book of this instrument was received yet') : { ok: true, value: book };
    },
  };
  const disabledVenues: ApiUnderTest['disabledVenues'] = { spotexchange: 'SVC_LIVE_SPOTEXCHANGE_ENABLED' };
  const {
    connection: _connection,
    shardDecisions: _shardDecisions,
    ...callerPorts
  } = openCallerPorts({
    callers,
    evaluator,
    runtimeOn: (own) => openActors(own, clock, newId).runtime,
    bus: { latest: (key) => market.get(key) ?? null },
    orderBooks: orderBook,
    predictionBooks: predictionVenues,
    obtainable: new Set(),
    isSimulatedMoney: true,
    reservesOn: (own) => ({ ...createSimulatedReserves(own, clock), list: createReserveStore(own).list }),
    onchainPredictions: onchain,
    primaryChain: null,
    launcher: null,
    disabledVenues: () => disabledVenues,
    quotesPerMinute: SPOTCHAIN_PER_MINUTE,
    evmWallets: { chainId: 42_161, takesSignature: async () => ({ ok: true, value: false }) },
    bridge,
    clock,
    newId,
  });
  const plain: ApiPorts = {
    clock,
    operation: {
      newRequestId: newId,
      readiness: async () => ({ ready: true, parts: [{ name: 'database', ok: true, detail: '' }] }),
      metrics: { contentType: 'text/plain; version=0.0.4; charset=utf-8', render: async () => 'up 1\n', observe: () => {} },
      isUnavailable: (error) => isConnectionLoss(error) || isOutOfResources(error),
      reportDefect: (error) => {
        defects.push(error);
      },
    },
    access: {
      agentTokens: createAgentTokenReads(sql),
      signals: createSignalReads(sql),
      signInLinks: { redeem: () => null },
      async verifyToken(token) {
        const found = tokens.get(token);
        if (found === undefined) return refuse('unauthenticated', 'the token is not one of this issuer');
        return found.expiresAt <= clock.now() ? refuse('token_expired', 'the token has expired') : { ok: true, value: found };
      },
      members,
      limits: createRateLimits(),
    },
    ...callerPorts,
    replays: null,
    sandboxWallets: { of: () => null },
    previews: openPreviews({
      sql,
      databaseUrl: url,
      histories: {},
      archives: null,
      clock,
      log: createLog('silent'),
      obtainable: new Set(),
    }),
    joining: createJoining(sql, clock),
    runtime: { ...callerPorts.runtime, queues: () => readWorkQueues(sql) },
    machines: {
      describe: (machine) =>
        machine === agentKind.machine.id
          ? { definition: JSON.parse(JSON.stringify(agentKind.machine.definition)), mermaid: 'stateDiagram-v2' }
          : null,
      layout: (machine) => layouts.of(machine),
    },
    quotes,
    candles: createCandleStore(sql),
    longWork: createWorkReads(sql),
    predictionMarkets: createPredictionReads({ store: createPredictionStore(sql), venues: predictionVenues, clock }),
    orderBook,
    intelligence: createIntelligenceReads(sql),
    rankings: {
      cuts: createCutReads(sql),
      bars: createBarReads(sql),
      basis: createBasisReads({ bars: createBarReads(sql), catalog: CATALOG, clock }),
    },
    leaderboard: createLeaderboardReads(sql),
    launcher: launcherPairs(null),
    launchQuotes: createLaunchQuotes({ latest: (key) => market.get(key) ?? null }, clock),
    agentMarket: createAgentMarket({
      chain: null,
      originOf: createListedTokenStore(sql).originOf,
      liquidity: async () => null,
      liveQuote: createLiveQuotes({ latest: (key) => market.get(key) ?? null }, clock),
      quotes: createLaunchQuotes({ latest: (key) => market.get(key) ?? null }, clock),
      makers: [],
      clock,
    }),
    venues: {
      states: { snapshot: () => [...states.values()], latest: (key) => states.get(key) ?? null },
      budgets: () => [],
    },
    funding: { recent: async () => refuse('unavailable', 'no venue is asked in this test') },
    wallets: {
      venue: { read: async () => refuse('unavailable', 'no venue is asked in this test') },
      evm: { read: async () => refuse('unavailable', 'no node is asked in this test') },
    },
    catalog: { entries: CATALOG, marks: createIssuerMarkStore(sql) },
  };
  const ports = withParts(plain, over(plain));
  const app = await buildApi(ports, {
    allowedOrigins: [ORIGIN],
    loopback: true,
    version: '0.0.0',
    // A busy machine answers late; only tests of the time limit want 503 for it.
    timeoutMs: LONGEST_MS,
    ...options,
  });
  await app.ready();
  let subjects = 0;

  const under: ApiUnderTest = {
    app,
    sql,
    owner,
    disabledVenues,
    databaseUrl: url,
    ports,
    clock,
    market,
    books,
    states,
    predictionVenues,
    defects,
    issue(subject, livesMs = 3_600_000, sessionId = null) {
      const issuedAt = clock.now();
      const token = `token-of-${subject}-${livesMs}-${sessionId ?? ''}-${issuedAt}`;
      tokens.set(token, { subject, expiresAt: issuedAt + livesMs, issuedAt, sessionId, tokenId: null });
      return token;
    },
    async token(permissions, orgId = OURS) {
      const subject = `subject-${++subjects}`;
      if (orgId !== null) await members.grant(subject, { orgId, name: subject, permissions });
      return under.issue(subject);
    },
    async call(method, url, { token, body, raw, headers } = {}) {
      const payload = raw ?? (body === undefined ? undefined : JSON.stringify(body));
      const request: InjectOptions = {
        method,
        url,
        headers: {
          ...(payload === undefined ? {} : { 'content-type': 'application/json' }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...headers,
        },
        ...(payload === undefined ? {} : { payload }),
      };
      const answer = await app.inject(request);
      const type = String(answer.headers['content-type'] ?? '');
      const reply: Reply = {
        status: answer.statusCode,
        headers: answer.headers as Record<string, string>,
        text: answer.body,
        body: type.includes('json') && answer.body !== '' ? JSON.parse(answer.body) : null,
      };
      checkAgainstDocument(method, url, type, reply);
      await recordExample({ method, url, body: body ?? readable(raw), status: reply.status, answer: reply.body });
      return reply;
    },
    async close() {
      await app.close();
      await giveBack();
    },
  };
  return under;
}

function openedAt(url: string) {
  const pools = {
    sql: openDatabase({ url, name: 'api test', connections: 6 }),
    callers: openDatabase({ url, role: API_ROLE, name: 'api test callers', connections: 6 }),
    evaluator: openDatabase({ url, role: EVALUATOR_ROLE, name: 'api test evaluator', connections: 1 }),
    owner: openDatabase({ url, role: null, name: 'api test owner', connections: 1 }),
  };
  return { url, ...pools, giveBack: async () => void (await Promise.all(Object.values(pools).map((pool) => pool.end({ timeout: 1 })))) };
}

const document = openApiDocument(documentedRoutes(), '0.0.0') as {
  paths: Record<
    string,
    Record<string, { operationId?: string; responses: Record<string, { $ref?: string; content?: Record<string, unknown> }> }>
  >;
  components: { responses: Record<string, { content: Record<string, unknown> }> };
};
const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(document as never, 'document');
const templates = Object.keys(document.paths).map((path) => ({
  path,
  pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  literal: !path.includes('{'),
}));
const escapePointer = (text: string): string => encodeURIComponent(text.replaceAll('~', '~0').replaceAll('/', '~1'));

/** Returns the documented path that matches an address. */
function templateOf(url: string) {
  const plainPath = url.split('?')[0] as string;
  return templates.filter(({ pattern }) => pattern.test(plainPath)).sort((a, b) => Number(b.literal) - Number(a.literal))[0];
}

/** Checks that an answer of a documented operation is documented and matches its schema. */
function checkAgainstDocument(method: string, url: string, type: string, reply: Reply): void {
  const template = templateOf(url);
  const operation = template && document.paths[template.path]?.[method.toLowerCase()];
  if (template === undefined || operation === undefined) {
    if (reply.status >= 400) expect(ajv.validate('document#/components/schemas/Problem', reply.body), ajv.errorsText()).toBe(true);
    return;
  }
  const response = operation.responses[String(reply.status)];
  expect(response, `${method} ${template.path} answered ${reply.status}, which is not documented: ${reply.text}`).toBeDefined();
  if (reply.status === 204) return expect(reply.text).toBe('');
  const mediaType = type.split(';')[0] as string;
  const base = response?.$ref ?? `#/paths/${escapePointer(template.path)}/${method.toLowerCase()}/responses/${reply.status}`;
  const content = (response?.$ref === undefined ? response : document.components.responses[response.$ref.split('/').at(-1) as string])
    ?.content;
  expect(Object.keys(content ?? {}), `${method} ${template.path} ${reply.status}`).toContain(mediaType);
  if (!mediaType.includes('json')) return;
  const valid = ajv.validate(`document${base}/content/${escapePointer(mediaType)}/schema`, reply.body);
  expect(valid, `${method} ${template.path} ${reply.status}: ${ajv.errorsText()} in ${reply.text.slice(0, 400)}`).toBe(true);
}

/** Parses a raw body if it is JSON. */
function readable(raw: string | Buffer | undefined): unknown {
  try {
    return raw === undefined ? undefined : JSON.parse(raw.toString());
  } catch {
    return undefined;
  }
}

/** Returns an accepted manifest in payload form. */
export function payload(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'Discount hunter',
    universe: ['AAPLx', 'TSLAx'],
    timeframe: '1h',
    entryConditions: [
      { type: 'premium_below', pct: -1.5 },
      { type: 'rsi_below', period: 14, value: 35 },
    ],
    exitConditions: [{ type: 'premium_above', pct: 0.5 }],
    maxCapitalUsd: 50000,
    maxTradeNotionalUsd: 2500,
    stopLossPct: 4,
    takeProfitPct: 9,
    maxDailyDrawdownPct: 3,
    maxOpenPositions: 3,
    maxSlippageBps: 40,
    ...over,
  };
}

/** Creates an agent and returns its id. */
export async function createdAgent(api: ApiUnderTest, token: string, over: Record<string, unknown> = {}): Promise<string> {
  const reply = await api.call('POST', '/v1/agents', { token, body: payload(over) });
  expect(reply.status, reply.text).toBe(201);
  return reply.body.id as string;
}
