// Every route with sets of permissions, and every route with another organization's ids, both from the route table.
// The suite uses the sets that decide a route's rule, `npm run proof` every set.
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { servedRoutes } from '../../api/document/openapi.ts';
import { createRateLimits, DEFAULT_POLICIES } from '../../api/http/rate-limits.ts';
import { missingPermission } from '../../api/permission.ts';
import type { Route } from '../../api/route.ts';
import { buildApi } from '../../api/document/documented-api.ts';
import { PERMISSIONS, type Permission } from '../../src/domain/agents/agent.ts';
import { decisionId } from '../../src/domain/agents/decision.ts';
import { rounds } from '../harness/rounds.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, newId, OURS, payload, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
let foreign: string;
beforeAll(async () => {
  // One address calls every route anonymously, more often than the limit of failed identities allows.
  const failed = { limit: 10_000, windowSeconds: 60 };
  api = await apiUnderTest(() => ({ access: { limits: createRateLimits({ ...DEFAULT_POLICIES, failed_identity: failed }) } }));
  const theirTrader = await api.token(['trade:execute'], THEIRS);
  foreign = await createdAgent(api, theirTrader);
});
afterAll(() => api.close());

const ROUTES = servedRoutes();
const EVERY_SET: readonly (readonly Permission[])[] = [
  // Every set of the first four; two further sets test the management of members.
  ...Array.from({ length: 16 }, (_, bits) => PERMISSIONS.slice(0, 4).filter((_, i) => bits & (1 << i))),
  ['members:manage'],
  PERMISSIONS,
];

const isProof = rounds({ suite: 0, proof: 1 }) === 1;
/**
 * Returns the sets that decide a rule satisfied by any of some permissions: none, each alone, all, and all others together. In the proof
 * every set.
 */
function setsFor(needs: readonly Permission[]): readonly (readonly Permission[])[] {
  if (isProof) return EVERY_SET;
  const others = PERMISSIONS.filter((one) => !needs.includes(one));
  return [[], ...PERMISSIONS.map((one) => [one]), others, PERMISSIONS];
}

const OUTSIDE_PROPOSAL = {
  side: 'buy',
  instrument: 'spotchain:AAPLx',
  notionalUsd: '1',
  reason: 'because',
  clientId: 'one',
  manifestHash: 'a'.repeat(64),
};

/** Returns a valid body if a route takes one. */
function bodyOf(route: Route): unknown {
  if (route.method === 'GET') return undefined;
  if (route.url.endsWith('/autonomy')) return { autonomy: 'suggest' };
  if (route.url.endsWith('/what-if')) return { version: 1, events: [{ type: 'submit' }] };
  if (route.url.endsWith('/rename')) return { label: 'another' };
  if (route.url.endsWith('/retry')) return { activity: `${newId()}:1:0`, reason: 'because' };
  if (route.url.endsWith('/reset') || route.name === 'releaseActor') return { reason: 'because' };
  if (route.url.endsWith('/sign-off')) return { approved: true };
  if (route.url.endsWith('/deposit')) return { amountUsd: '1' };
  if (route.url.endsWith('/withdraw')) return { all: true };
  if (route.url.endsWith('/checkout')) return {};
  if (route.url.endsWith('/settle')) return { signedTransaction: 'AAAA' };
  if (route.url.endsWith('/price')) return { priceUsd: '1' };
  if (route.url.endsWith('/:claimId/submit')) return { signedTransaction: 'AAAA' };
  if (route.url.endsWith('/submit')) return { transactions: ['AAAA'] };
  if (route.name === 'createAgentToken') return { name: 'bot' };
  if (route.name === 'openReplaySession') return { kind: 'backtest' };
  if (route.name === 'answerReplayStep') return {};
  if (route.name === 'createSignalHook') return { name: 'chart', template: { side: 'buy', instrument: 'x', quantity: '1' } };
  if (route.name === 'proposeTrade') return OUTSIDE_PROPOSAL;
  if (route.name === 'useSandboxWallet') return { act: 'open' };
  if (route.name === 'sweepAgent') return { parameters: [{ path: 'stopLossPct', values: [2, 3] }] };
  if (route.url.endsWith('/execute')) return { signedTransaction: 'AAAA' };
  return route.schema.body === undefined || route.bodyRule === 'optional' ? undefined : payload();
}

const QUERIES: Readonly<Record<string, string>> = {
  '/v1/actors/:id/test': '?from=0&to=1',
  '/v1/actors/:id/steps': '?from=0&to=1',
  '/v1/bridge/status': `?id=${newId()}`,
  '/v1/candles': '?venue=spotexchange&instrument=BTCUSDT&timeframe=1h',
  '/v1/order-book': '?venue=spotexchange&instrument=BTCUSDT',
};
const pathOf = (route: Route, id: string): string =>
  `${route.url.replace(':id', id).replace(':machine', 'agent@1').replace(':decisionId', decisionId(id, 60_000)).replace(':runId', id).replace(':claimId', id).replace(':proposalId', id).replace(':tokenId', id).replace(':hookId', id).replace(':key', id).replace(':version', '1')}${QUERIES[route.url] ?? ''}`;

// Rules of the matrix, written a second time and independently of the gate.
const NEEDS: Readonly<Record<string, readonly Permission[] | 'public' | 'identity'>> = {
  'GET /healthz': 'public',
  'GET /readyz': 'public',
  'GET /metrics': 'public',
  'GET /v1/openapi.json': 'public',
  'GET /v1/asyncapi.json': 'public',
  'GET /v1/me': 'identity',
  'GET /v1/me/settings': 'identity',
  'PUT /v1/me/settings/:name': 'identity',
  'POST /mcp': 'identity',
  'POST /v1/session': 'public',
  'DELETE /v1/session': 'public',
  'POST /v1/session/link': 'public',
  'POST /v1/session/revoke': 'identity',
  'GET /v1/members': ['members:manage'],
  'POST /v1/members/grant': ['members:manage'],
  'POST /v1/members/remove': ['members:manage'],
  'POST /v1/members/revoke-tokens': ['members:manage'],
  'GET /v1/roles': ['members:manage'],
  'PUT /v1/roles/:name': ['members:manage'],
  'GET /v1/invitations': ['members:manage'],
  'POST /v1/invitations': ['members:manage'],
  'POST /v1/invitations/accept': 'identity',
  'POST /v1/invitations/:id/revoke': ['members:manage'],
  'GET /v1/intelligence/macro': ['market:read'],
  'GET /v1/intelligence/events': ['market:read'],
  'GET /v1/chains': ['market:read'],
  'GET /v1/macro-regime': ['market:read'],
  'GET /v1/social-feed': ['market:read'],
  'GET /v1/rankings/fair-value': ['market:read'],
  'POST /v1/arbitrage/arm': ['trade:execute'],
  'POST /v1/arbitrage/policies/:id/disarm': ['trade:execute', 'risk:manage'],
  'GET /v1/arbitrage/policies': ['agent:read'],
  'GET /v1/arbitrage/policies/:id': ['agent:read'],
  'POST /v1/copilot/chat': ['market:read'],
  'POST /v1/takes/compile': ['trade:execute'],
  'POST /v1/takes/fork': ['trade:execute'],
  'POST /v1/takes/arm': ['trade:execute'],
  'POST /v1/takes/tokenize': ['trade:execute'],
  'POST /v1/takes/:id/publish': ['trade:execute'],
  'POST /v1/takes/:id/close': ['trade:execute', 'risk:manage'],
  'POST /v1/takes/:id/disarm': ['trade:execute', 'risk:manage'],
  'GET /v1/takes': ['agent:read'],
  'GET /v1/takes/published': ['agent:read'],
  'GET /v1/takes/:id': ['agent:read'],
  'GET /v1/takes/:id/decisions': ['agent:read'],
  'GET /v1/takes/:id/decisions/:decisionId/explain': ['agent:read'],
  'GET /v1/takes/:id/history': ['agent:read'],
  'GET /v1/takes/:id/chart': ['agent:read'],
  'GET /v1/rankings/private': ['market:read'],
  'GET /v1/private-markets': ['market:read'],
  'GET /v1/arbitrage/basis': ['market:read'],
  'POST /v1/stocks/:symbol/assessment': ['market:read'],
  'GET /v1/quotes': ['market:read'],
  'GET /v1/candles': ['market:read'],
  'GET /v1/candles/day': ['market:read'],
  'GET /v1/candles/work': ['market:read'],
  'GET /v1/order-book': ['market:read'],
  'GET /v1/catalog': ['market:read'],
  'POST /v1/agents': ['trade:execute'],
  'POST /v1/agents/:id/versions': ['trade:execute'],
  'POST /v1/agents/:id/autonomy': ['trade:execute'],
  'POST /v1/agents/:id/promote': ['trade:execute'],
  'POST /v1/agents/:id/sign-off': ['risk:manage'],
  'POST /v1/agents/:id/pause': ['trade:execute', 'risk:manage'],
  'POST /v1/agents/:id/close': ['trade:execute', 'risk:manage'],
  'POST /v1/agents/:id/resume': ['risk:manage'],
  'POST /v1/agents/:id/release': ['risk:manage'],
  'POST /v1/agents/emergency-halt': ['trade:execute', 'risk:manage'],
  'GET /v1/agents/emergency-halt': ['agent:read'],
  'POST /v1/agents/:id/tokens': ['trade:execute'],
  'GET /v1/agents/:id/tokens': ['agent:read'],
  'POST /v1/agents/:id/tokens/:tokenId/revoke': ['trade:execute', 'risk:manage'],
  'POST /v1/agents/:id/signals': ['trade:execute'],
  'GET /v1/agents/:id/signals': ['agent:read'],
  'POST /v1/agents/:id/signals/:hookId/rotate': ['trade:execute'],
  'POST /v1/agents/:id/signals/:hookId/revoke': ['trade:execute', 'risk:manage'],
  'POST /v1/signals/:key': 'public',
  'POST /v1/agents/:id/replay-sessions': ['trade:execute'],
  'GET /v1/agents/:id/replay-sessions/:sessionId': ['agent:read'],
  'POST /v1/agents/:id/replay-sessions/:sessionId/steps': ['trade:execute'],
  'POST /v1/agents/:id/replay-sessions/:sessionId/abandon': ['trade:execute'],
  'POST /v1/agents/:id/proposals': ['trade:execute'],
  'GET /v1/agents/:id/proposals': ['agent:read'],
  'GET /v1/agents/:id/proposals/:proposalId': ['agent:read'],
  'GET /v1/agents/:id/context': ['agent:read'],
  'GET /v1/agents/:id/context/brief': ['agent:read'],
  'GET /v1/agents/:id/calibration': ['agent:read'],
  'GET /v1/agents': ['agent:read'],
  'GET /v1/agents/:id': ['agent:read'],
  'GET /v1/agents/:id/decisions': ['agent:read'],
  'GET /v1/agents/:id/decisions/:decisionId': ['agent:read'],
  'GET /v1/agents/:id/evidence': ['agent:read'],
  'GET /v1/agents/:id/gates': ['agent:read'],
  'GET /v1/agents/:id/versions': ['agent:read'],
  'GET /v1/agents/:id/history': ['agent:read'],
  'GET /v1/agents/:id/chart': ['agent:read'],
  'GET /v1/risk/preferences': ['agent:read'],
  'PUT /v1/risk/preferences': ['risk:manage'],
  'GET /v1/risk/preferences/history': ['agent:read'],
  'GET /v1/books': ['agent:read'],
  'GET /v1/books/:id/fills': ['agent:read'],
  'GET /v1/books/:id/equity': ['agent:read'],
  'GET /v1/tickers': ['market:read'],
  'GET /v1/perps': ['market:read'],
  'GET /v1/perps/:instrument': ['market:read'],
  'GET /v1/venues': ['market:read'],
  'GET /v1/public-wallet/:address': ['market:read'],
  'GET /v1/wallets/evmvenue/:address': ['market:read'],
  'POST /v1/bridge/quote': ['market:read'],
  'POST /v1/bridge/submission': ['trade:execute'],
  'GET /v1/bridge/status': ['agent:read'],
  'GET /v1/bridge/transfers': ['agent:read'],
  'GET /v1/bridge/transfers/:id/timeline': ['agent:read'],
  'GET /v1/bridge/transfers/:id/course': ['agent:read'],
  'POST /v1/wallets/challenge': ['agent:read'],
  'POST /v1/wallets/:id/rename': ['agent:read'],
  'POST /v1/wallets/:id/unlink': ['agent:read'],
  'POST /v1/sandbox/wallet': ['trade:execute'],
  'POST /v1/wallets': ['agent:read'],
  'GET /v1/wallets': ['agent:read'],
  'GET /v1/catalog/marks': ['market:read'],
  'GET /v1/catalog/sessions': ['market:read'],
  'GET /v1/prediction-markets': ['market:read'],
  'GET /v1/prediction-markets/:id': ['market:read'],
  'GET /v1/prediction-markets/:id/research': ['market:read'],
  'POST /v1/agents/:id/backtest': ['trade:execute'],
  'POST /v1/agents/:id/sweep': ['trade:execute'],
  'POST /v1/backtests/preview': ['trade:execute'],
  'POST /v1/agents/:id/stress_test': ['trade:execute'],
  'POST /v1/agents/:id/evaluations/:runId/cancel': ['trade:execute'],
  'GET /v1/agents/:id/evaluations': ['agent:read'],
  'GET /v1/agents/:id/evaluations/:runId': ['agent:read'],
  'GET /v1/agents/:id/evaluations/:runId/report': ['agent:read'],
  'GET /v1/agent-orders': ['agent:read'],
  'GET /v1/agent-orders/:id': ['agent:read'],
  'POST /v1/agent-orders/:id/approve': ['trade:execute'],
  'POST /v1/agent-orders/:id/decline': ['trade:execute'],
  'GET /v1/agents/:id/decisions/:decisionId/explain': ['agent:read'],
  'GET /v1/agents/:id/vault': ['agent:read'],
  'POST /v1/agents/:id/vault/deposit': ['trade:execute'],
  'POST /v1/agents/:id/vault/withdraw': ['trade:execute'],
  'GET /v1/agent-vaults/leaderboard': ['agent:read'],
  'GET /v1/reserves': ['agent:read'],
  'POST /v1/market-orders/paper': ['trade:execute'],
  'POST /v1/market-orders/spotexchange/live': ['trade:execute'],
  'POST /v1/market-orders/:id/cancel': ['trade:execute', 'risk:manage'],
  'GET /v1/market-orders': ['agent:read'],
  'GET /v1/market-orders/:id': ['agent:read'],
  'GET /v1/spotchain/quote': ['market:read'],
  'POST /v1/spotchain/orders/prepare': ['trade:execute'],
  'POST /v1/spotchain/orders/:id/execute': ['trade:execute'],
  'GET /v1/spotchain/orders': ['agent:read'],
  'GET /v1/spotchain/orders/:id': ['agent:read'],
  'GET /v1/portfolio': ['agent:read'],
  'POST /v1/actors/:id/what-if': ['agent:read'],
  'GET /v1/actors/:id/test': ['agent:read'],
  'GET /v1/actors': ['agent:read'],
  'GET /v1/agents/:id/vault/price-history': ['agent:read'],
  'GET /v1/agents/:id/vault/course': ['agent:read'],
  'GET /v1/recommendations': ['agent:read'],
  'GET /v1/runtime': ['agent:read'],
  'GET /v1/runtime/activities': ['agent:read'],
  'GET /v1/runtime/timers': ['agent:read'],
  'GET /v1/runtime/incidents': ['agent:read'],
  'GET /v1/runtime/interventions': ['agent:read'],
  'GET /v1/alerts': ['agent:read'],
  'GET /v1/runtime/work': ['agent:read'],
  'GET /v1/runtime/work/:id': ['agent:read'],
  'POST /v1/actors/:id/retry': ['risk:manage'],
  'POST /v1/actors/:id/reset': ['risk:manage'],
  'POST /v1/actors/:id/release': ['risk:manage'],
  'GET /v1/actors/:id': ['agent:read'],
  'GET /v1/actors/:id/steps': ['agent:read'],
  'GET /v1/actors/:id/steps/:version': ['agent:read'],
  'GET /v1/portfolio/performance': ['agent:read'],
  'GET /v1/portfolio/equity': ['agent:read'],
  'POST /v1/portfolio/impact': ['agent:read'],
  'POST /v1/prediction-orders/paper': ['trade:execute'],
  'POST /v1/prediction-orders/prepare': ['trade:execute'],
  'POST /v1/prediction-orders/:id/execute': ['trade:execute'],
  'GET /v1/prediction-orders': ['agent:read'],
  'GET /v1/prediction-orders/:id': ['agent:read'],
  'POST /v1/delegations/challenge': ['trade:execute'],
  'POST /v1/delegations': ['trade:execute'],
  'GET /v1/delegations': ['agent:read'],
  'POST /v1/delegations/:id/revoke': ['trade:execute', 'risk:manage'],
  'GET /v1/launches/dbc/presets': ['market:read'],
  'POST /v1/launches/dbc/preview': ['market:read'],
  'POST /v1/launches/dbc/prepare': ['trade:execute'],
  'POST /v1/launches/:id/submit': ['trade:execute'],
  'GET /v1/agentlaunch/pairs': ['market:read'],
  'POST /v1/launches/agentlaunch/quote': ['trade:execute'],
  'GET /v1/launches': ['agent:read'],
  'GET /v1/launches/:id': ['agent:read'],
  'GET /v1/launches/:id/monitor': ['agent:read'],
  'GET /v1/launches/:id/price-history': ['agent:read'],
  'GET /v1/launches/:id/course': ['agent:read'],
  'GET /v1/launches/:id/transactions': ['agent:read'],
  'POST /v1/launches/:id/claims': ['trade:execute'],
  'POST /v1/launches/:id/claims/:claimId/submit': ['trade:execute'],
  'GET /v1/launches/:id/claims/:claimId': ['agent:read'],
  'POST /v1/marketplace': ['trade:execute'],
  'POST /v1/marketplace/:id/price': ['trade:execute'],
  'POST /v1/marketplace/:id/unlist': ['trade:execute'],
  'GET /v1/marketplace': ['agent:read'],
  'GET /v1/marketplace/:id': ['agent:read'],
  'GET /v1/marketplace/:id/prices': ['agent:read'],
  'GET /v1/agent-market/tokens/:mint': ['market:read'],
  'GET /v1/agent-market/rank': ['market:read'],
  'GET /v1/agent-market/stock-paired': ['market:read'],
  'GET /v1/leaderboard': ['market:read'],
  'GET /v1/leaderboard/csv': ['market:read'],
  'GET /v1/leaderboard/wallets/:address': ['market:read'],
  'GET /v1/leaderboard/wallets/:address/csv': ['market:read'],
  'POST /v1/leaderboard/wallets': ['agent:read'],
  'POST /v1/marketplace/:id/checkout': ['trade:execute'],
  'POST /v1/marketplace/checkouts/:id/settle': ['trade:execute'],
  'POST /v1/marketplace/:id/import': ['trade:execute'],
  'GET /v1/marketplace/checkouts': ['agent:read'],
  'GET /v1/marketplace/checkouts/:id': ['agent:read'],
  'GET /v1/marketplace/licences': ['agent:read'],
  'GET /v1/machines/:machine/layout': ['agent:read'],
};

test.each(ROUTES.map((found) => [`${found.method} ${found.url}`, found] as const))(
  '%s allows exactly the permitted callers',
  async (name, found) => {
    const needs = NEEDS[name];
    if (needs === undefined) throw new Error(`say here who may call ${name}`);
    const { method } = found;
    const call = (token?: string) =>
      api.call(method, pathOf(found, newId()), { ...(token === undefined ? {} : { token }), body: bodyOf(found) });
    expect((await call()).status === 401, 'nobody').toBe(needs !== 'public');
    for (const subset of setsFor(typeof needs === 'string' ? [] : needs)) {
      // An identity without grants is a viewer.
      const held = subset.length === 0 ? ['market:read'] : subset;
      const may = typeof needs === 'string' || needs.some((permission) => held.includes(permission));
      const reply = await call(await api.token(subset));
      expect(reply.status === 403, `${subset.join(',') || 'no grant'}: ${reply.text}`).toBe(!may);
      expect(reply.status).not.toBe(401);
      if (!may) expect(reply.body.code).toBe('permission_missing');
    }
  },
);

test("another organization's id answers byte for byte like a missing one, and changes nothing", async () => {
  const before = await state();
  const withId = ROUTES.filter(({ url }) => url.includes(':id'));
  expect(withId.length).toBeGreaterThanOrEqual(10);
  for (const found of withId) {
    const { method } = found;
    // Earlier requests must not cause a refusal: after a minute the limits are full again.
    api.clock.advanceTo(api.clock.now() + 60_000);
    const token = await api.token(PERMISSIONS, OURS);
    const [theirs, missing] = [
      await api.call(method, pathOf(found, foreign), { token, body: bodyOf(found) }),
      await api.call(method, pathOf(found, newId()), { token, body: bodyOf(found) }),
    ];
    expect(theirs.status, found.url).toBe(404);
    expect(theirs.text.replace(theirs.body.requestId, 'ID'), found.url).toBe(missing.text.replace(missing.body.requestId, 'ID'));
    const headers = (reply: typeof theirs) => ({ ...reply.headers, 'x-request-id': '', date: '', ratelimit: '' });
    expect(headers(theirs)).toEqual(headers(missing));
    const shouting = await api.call(method, pathOf(found, foreign.toUpperCase()), { token, body: bodyOf(found) });
    expect(shouting.status).toBe(404);
    for (const odd of ['0', '-1', 'null', '%00', "'%20or%201=1", '..%2f..%2f', 'x'.repeat(150)]) {
      const reply = await api.call(method, pathOf(found, odd), { token, body: bodyOf(found) });
      expect([400, 404], `${found.url} ${odd} ${reply.text}`).toContain(reply.status);
    }
  }
  expect(await state()).toBe(before);
  expect(api.defects).toEqual([]);
});

async function state(): Promise<string> {
  const [row] = await api.sql<
    { all: string }[]
  >`select string_agg(concat_ws(',', id, stage, autonomy, pause_cause, manifest_hash), ';' order by id) as all from agents where org_id = ${THEIRS}`;
  return row?.all ?? '';
}

test('lists show no data of another organization, and its cursors are useless', async () => {
  api.clock.advanceTo(api.clock.now() + 120_000);
  const token = await api.token(['agent:read'], OURS);
  const list = await api.call('GET', '/v1/agents?limit=200', { token });
  expect(list.text).not.toContain(foreign);
  const cursor = Buffer.from(`agents ${foreign}`).toString('base64url');
  expect((await api.call('GET', `/v1/agents?cursor=${cursor}`, { token })).body).toEqual({ items: [], nextCursor: null });
});

test('reading changes nothing: every GET twice leaves the database unchanged', async () => {
  const token = await api.token(PERMISSIONS, THEIRS);
  const rows = () =>
    api.sql`select (select count(*) from audit) as a, (select count(*) from steps) as s, (select count(*) from announcements) as n, (select count(*) from idempotency_keys) as k`;
  const before = await rows();
  for (const found of ROUTES.filter(({ method }) => method === 'GET')) {
    await api.call('GET', pathOf(found, foreign), { token });
    expect((await api.call('GET', pathOf(found, foreign), { token })).status).toBeLessThan(500);
  }
  expect(await rows()).toEqual(before);
});

test('a route without a declared permission stops the boot', async () => {
  const silent = (app: FastifyInstance) => {
    app.get('/v1/secret', () => 'x');
  };
  await expect(buildApi(api.ports, { allowedOrigins: [], loopback: true, version: '0', extend: [silent] })).rejects.toThrow(
    /GET \/v1\/secret says nothing about its permission/,
  );
});

test('a rule of all permissions needs all of them', () => {
  const rule = { allOf: ['market:read', 'agent:read'] } as const;
  expect(missingPermission(rule, ['market:read'])).toBe('agent:read');
  expect(missingPermission(rule, [])).toBe('market:read and agent:read');
  expect(missingPermission(rule, ['agent:read', 'market:read'])).toBeNull();
});
