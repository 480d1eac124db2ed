// Two organizations on one exchange trade on their own accounts, with keys that only the signer reads. The signer signs only what it
// verified.
import { generateKeyPairSync } from 'node:crypto';
import { chmodSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createVaultHandler } from '../../actors/agent/vault-handler.ts';
import { exchangeKeysIn, removeExchangeKey, writeExchangeKey } from '../../src/adapters/signing-keys/exchange-keys.ts';
import { openSigningLedger } from '../../src/adapters/signing-keys/signing-ledger.ts';
import { createExchangeSigningReads } from '../../src/adapters/store/delegations/signing-reads.ts';
import { keysOfWriter, workerVerifier } from '../../src/adapters/signing-keys/writer-keys.ts';
import { createExchangeAccountStore } from '../../src/adapters/store/callers/exchange-account-store.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { createRiskReads } from '../../src/adapters/store/risk/risk-reads.ts';
import { createSignedRows } from '../../src/adapters/store/trail/signed-rows.ts';
import { createReserveStore, createSimulatedReserves } from '../../src/adapters/store/vaults/reserve-store.ts';
import { createVaultStore } from '../../src/adapters/store/vaults/vault-store.ts';
import { WeightBudget } from '../../src/adapters/venues/request-budget.ts';
import { openSpotAccounts, openSpotReports } from '../../src/adapters/venues/spotexchange/access.ts';
import { createSpotOrders, type SpotOrders } from '../../src/adapters/venues/spotexchange/orders.ts';
import { createSpotRest } from '../../src/adapters/venues/spotexchange/rest.ts';
import type { VenueHttp } from '../../src/adapters/venues/venue-http.ts';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import { deriveClientOrderId, type ExchangeRequest, exchangeRequestText, keyChange } from '../../src/domain/orders/exchange-request.ts';
import { compareReserves, exchangePlace, RESERVE_AGE_MS } from '../../src/domain/books/reserves.ts';
import { EXCHANGE_KEY } from '../../src/domain/risk/index.ts';
import { seededRandom } from '../../src/sandbox/faults.ts';
import { createSpotExchangeSimulator, type SpotExchangeSimulator } from '../../src/sandbox/spotexchange/simulator.ts';
import { findFurtherAccount, type SandboxAccount, sandboxExchangeAccount } from '../../src/sandbox/spotexchange/sandbox-accounts.ts';
import { createDisabledVenues } from '../../src/trading/disabled-venues.ts';
import { createExchangeSigning, signedByWorker } from '../../src/trading/exchange-signing.ts';
import { createPreTrade } from '../../src/trading/pre-trade.ts';
import { createReserveCheck } from '../../src/trading/reserve-check.ts';
import { BTC, eagerManifest, ORG, type TradingFixture, tradingFixture } from '../actors/proposal/trading-fixture.ts';
import { tinyMarket } from '../adapters/venues/spotexchange/tiny-world.ts';
import { placeAtStage } from '../harness/fixture.ts';
import { riskOn, signsAsWorker } from '../harness/trading.ts';
import { waitFor } from '../harness/wait-for.ts';
import { eachRow } from '../../actors/runtime/containment.ts';
import { latch } from '../harness/latch.ts';
import type { ExchangeSignature } from '../../src/adapters/identity/signer/protocol.ts';
import { newRunFolder } from '../harness/temporary-files.ts';

const OTHER = '00000000-0000-7000-8000-000000000002';
const FIRST = sandboxExchangeAccount('first desk');
const SECOND = sandboxExchangeAccount('second desk');

let home: string;
let fixture: TradingFixture;
let simulator: SpotExchangeSimulator;
let rest: VenueHttp;
let client: SpotOrders;
let limit: string;
/** Requests to the signer, with its answers. */
let asked: { readonly request: ExchangeRequest; readonly answer: ExchangeSignature }[];
let signer: ReturnType<typeof createExchangeSigning>;

beforeEach(async () => {
  home = newRunFolder();
  fixture = await tradingFixture({ home });
  await fixture.sql`insert into organizations (id, name) values (${OTHER}, 'theirs')`;
  const { clock, sql } = fixture;
  limit = '1000000';
  asked = [];
  simulator = await createSpotExchangeSimulator({ market: tinyMarket(), clock, port: 0, seed: 5, accountOfKey: findFurtherAccount });
  const weight = new WeightBudget(6_000);
  rest = createSpotRest({ baseUrl: simulator.url, clock, random: seededRandom(1), budget: weight });
  signer = createExchangeSigning({
    reads: createExchangeSigningReads(sql, keysOfWriter(home, 'feed')),
    risk: createRiskReads(sql),
    keys: exchangeKeysIn(home),
    isSignedByWorker: workerVerifier(home),
    ledgerOf: (orgId) => openSigningLedger(join(home, 'signer', `exchange-${orgId}.ndjson`), limit),
    clock,
  });
  const signRequest = async (request: ExchangeRequest, signature: string) => {
    const answer = await signer(request, signature);
    asked.push({ request, answer });
    return answer;
  };
  const sign = signedByWorker({ signer: { signRequest }, signAsWorker: signsAsWorker(home) });
  const budgetsOf = () => ({ weight, orders: new WeightBudget(100, 10_000), dayOrders: new WeightBudget(200_000, 86_400_000) });
  client = createSpotOrders({ baseUrl: simulator.url, rest, sign, clock, budgetsOf });
});
afterEach(async () => {
  client.close();
  rest.close();
  await simulator.close();
  await fixture.close();
  rmSync(home, { recursive: true, force: true });
});

const give = (orgId: string, { key, secret, account }: SandboxAccount): void =>
  writeExchangeKey(home, orgId, { key, secret, account, addedAt: fixture.clock.now() });

async function takePrice(): Promise<void> {
  const { bids, asks } = (await rest.get('/api/v3/depth', { symbol: 'BTCUSDT', limit: 5 }, 5)) as {
    bids: [string, string][];
    asks: [string, string][];
  };
  fixture.price(plainDecimal(bids[0]?.[0] as string), plainDecimal(asks[0]?.[0] as string));
}

/** Creates an agent of an organization at limited_live with money in its vault. */
async function liveAgent(orgId: string): Promise<string> {
  const { sql, clock, commands } = fixture;
  const context = () => ({ ...fixture.context(), orgId });
  const manifest = eagerManifest({ maxCapitalUsd: '50000', maxTradeNotionalUsd: '3000', maxSlippageBps: 50 });
  const created = await commands.create(context(), manifest);
  if (!created.ok) throw new Error(created.refusal.detail);
  await commands.setAutonomy(context(), created.value.id, 'policy_auto');
  await placeAtStage(fixture.url, created.value.id, 'limited_live');
  const vaults = createVaultHandler({
    vaults: createVaultStore(sql, createSignedRows(sql)),
    marks: () => new Map(),
    reserves: createSimulatedReserves(sql, clock),
    clock,
  });
  const deposited = await vaults.deposit(context(), created.value.id, '4000');
  if (!deposited.ok) throw new Error(deposited.refusal.detail);
  return created.value.id;
}

const proposalOf = async (orgId: string, agentId: string) =>
  (await fixture.proposals.list(orgId, { agentId }, { limit: 1, after: null })).items[0];
const carry = () => fixture.carry({ clients: { spotexchange: client } });
const held = ({ key }: SandboxAccount, asset: string): Decimal =>
  new Decimal(
    simulator
      .accountWith(key)
      ?.balances()
      .find((each) => each.asset === asset)?.free ?? '0',
  );

test('the orders of two organizations go to two accounts, and each account equals its own books', async () => {
  give(ORG, FIRST);
  give(OTHER, SECOND);
  const agents = [
    [ORG, await liveAgent(ORG), FIRST],
    [OTHER, await liveAgent(OTHER), SECOND],
  ] as const;
  await takePrice();
  await fixture.tick();
  await carry();
  expect(fixture.errors).toEqual([]);
  for (const [orgId, agentId, account] of agents) {
    const proposal = await proposalOf(orgId, agentId);
    expect([proposal?.state, proposal?.order.mode]).toEqual(['filled', 'live']);
    const orders = simulator.accountWith(account.key)?.orders ?? [];
    expect(orders.map(({ request }) => request.clientOrderId)).toEqual([deriveClientOrderId(proposal?.id ?? '')]);
    const [book] = await fixture.sql<{ cash_usd: string; capital_usd: string; holdings: { quantity: string }[] }[]>`
      select cash_usd, capital_usd, holdings from books where mode = 'live' and agent_id = ${agentId}`;
    const spent = new Decimal(book?.capital_usd ?? 0).minus(book?.cash_usd ?? 0);
    expect(spent.gt(0) && held(account, 'USDT').plus(spent).eq(1_000_000)).toBe(true);
    expect(
      held(account, 'BTC')
        .minus(book?.holdings[0]?.quantity ?? 0)
        .abs()
        .lt('0.00001'),
    ).toBe(true);
  }
  expect(simulator.account.orders).toEqual([]);
  // Neither key works for the other account, and neither is in the database.
  const names = new Set(asked.map(({ request, answer }) => `${request.orgId} ${answer.outcome === 'signed' ? answer.apiKey : ''}`));
  expect([...names].sort()).toEqual([`${ORG} ${FIRST.key}`, `${OTHER} ${SECOND.key}`]);
  const [row] = await fixture.sql<{ found: number }[]>`
    select count(*)::int as found from actors where snapshot::text like ${`%${FIRST.secret}%`} or snapshot::text like ${`%${FIRST.key}%`}`;
  expect([row?.found, fixture.errors]).toEqual([0, []]);
});

test('an organization without a key sends nothing, is rejected by risk, and an order that gets further fails by name', async () => {
  give(OTHER, SECOND);
  const agentId = await liveAgent(ORG);
  await takePrice();
  await fixture.tick();
  await carry();
  expect(await proposalOf(ORG, agentId)).toMatchObject({ state: 'failed', reason: 'exchange_key_missing' });
  const disabledVenues = createDisabledVenues({
    spotexchange: { enabled: true, hasKey: (orgId) => orgId === OTHER },
    primaryChain: true,
    signer: true,
    onchainPredictions: true,
  });
  const { sql, clock } = fixture;
  const bus = { latest: (key: Parameters<typeof fixture.latest>[0]) => fixture.latest(key) };
  const preTrade = createPreTrade({
    ...riskOn(sql, { clock, bus, disabledVenues }),
    orderBooks: { read: async () => ({ ok: false, refusal: { code: 'unavailable', detail: 'nobody answers' } }) },
  });
  const proposal = await proposalOf(ORG, agentId);
  if (proposal === undefined) throw new Error('nothing was proposed');
  const verdict = await preTrade.assess(ORG, { agentId, order: proposal.order, readsReference: false, flattens: false });
  const rejection = verdict.ok ? null : verdict.risk.rejections.find(({ code }) => code === 'feature_disabled');
  expect(rejection).toMatchObject({ limit: EXCHANGE_KEY, before: 'none', suggestion: 'sevengate exchange-keys add' });
});

test('a key replaced while an order’s answer is lost loses nothing: the order is found with the new one', async () => {
  give(ORG, FIRST);
  const agentId = await liveAgent(ORG);
  await takePrice();
  await fixture.tick();
  await client.lookUp({ instrument: BTC } as never, '00000000-0000-7000-8000-0000000000aa', {
    orgId: ORG,
    decisionPrice: '1',
    leaseUntil: null,
  });
  simulator.faults.set({ lostAnswer: 1 });
  await carry();
  expect((await proposalOf(ORG, agentId))?.state).toBe('unknown');
  simulator.faults.reset();
  // Without a key the outcome stays unknown, and the order is not considered lost.
  removeExchangeKey(home, ORG);
  await takePrice();
  await fixture.tick();
  await carry();
  expect((await proposalOf(ORG, agentId))?.state).toBe('unknown');
  expect(asked.at(-1)?.answer).toMatchObject({ outcome: 'refused', code: 'exchange_key_missing' });
  // The same account under another key.
  const again = { ...FIRST };
  give(ORG, again);
  fixture.clock.advanceTo(fixture.clock.now() + 16_000);
  await fixture.timers.fireDue();
  await takePrice();
  await carry();
  const proposal = await proposalOf(ORG, agentId);
  expect([proposal?.state, simulator.accountWith(FIRST.key)?.orders.length]).toEqual(['filled', 1]);
});

test('the signer signs only the order being executed, and nothing that the worker’s key or the database alone could request', async () => {
  give(ORG, FIRST);
  give(OTHER, SECOND);
  const agentId = await liveAgent(ORG);
  await takePrice();
  await fixture.tick();
  const signs = signsAsWorker(home);
  const ask = (request: ExchangeRequest) => signer(request, signs(exchangeRequestText(request)));
  const tried: Record<string, unknown> = {};
  let honest: ExchangeRequest | null = null;
  // Forged requests that a compromised worker tries at the moment of an honest order.
  const sign = async (request: ExchangeRequest): Promise<ExchangeSignature> => {
    if (request.ask.kind !== 'order') return ask(request);
    honest = request;
    const { ask: placed } = request;
    const changed = (order: Partial<typeof placed.order>) => ask({ ...request, ask: { ...placed, order: { ...placed.order, ...order } } });
    tried['another organization'] = await ask({ ...request, orgId: OTHER });
    tried['larger'] = await changed({ quantity: plainDecimal(new Decimal(placed.order.quantity).times(2)) });
    tried['worse'] = await changed({ limitPrice: plainDecimal(new Decimal(placed.order.limitPrice).times('1.01')) });
    tried['another instrument'] = await changed({ instrument: 'spotexchange:ETHUSDT' });
    tried['the other side'] = await changed({ side: 'sell' });
    tried['another part'] = await ask({ ...request, ask: { ...placed, key: `${placed.key}:1` } });
    tried['an invented order'] = await ask({ ...request, ask: { ...placed, key: '00000000-0000-7000-8000-0000000000bb' } });
    tried['by nobody'] = await signer(request, Buffer.alloc(64, 7).toString('base64'));
    limit = '1';
    tried['above the limit'] = await ask(request);
    limit = '1000000';
    return ask(request);
  };
  const weight = new WeightBudget(6_000);
  const hostile = createSpotOrders({
    baseUrl: simulator.url,
    rest,
    sign,
    clock: fixture.clock,
    budgetsOf: () => ({ weight, orders: weight, dayOrders: weight }),
  });
  await fixture.carry({ clients: { spotexchange: hostile } });
  hostile.close();
  expect((await proposalOf(ORG, agentId))?.state).toBe('filled');
  const code = (name: string) => (tried[name] as { readonly code?: string }).code;
  expect(Object.fromEntries(Object.keys(tried).map((name) => [name, code(name)]))).toEqual({
    'another organization': 'not_found',
    larger: 'state_conflict',
    worse: 'state_conflict',
    'another instrument': 'state_conflict',
    'the other side': 'state_conflict',
    'another part': 'state_conflict',
    'an invented order': 'not_found',
    'by nobody': 'signature_invalid',
    'above the limit': 'signing_limit_breach',
  });
  // The order has ended: the same request is not signed again.
  expect(await ask(honest as unknown as ExchangeRequest)).toMatchObject({ outcome: 'refused', code: 'state_conflict' });
  expect(await ask({ orgId: ORG, ask: { kind: 'account' }, timestamp: fixture.clock.now(), recvWindow: 1_000 })).toMatchObject({
    outcome: 'signed',
    apiKey: FIRST.key,
  });
});

test('an account is followed with a signature for that purpose only, and an Ed25519 key signs none', async () => {
  const signs = signsAsWorker(home);
  const { clock } = fixture;
  const follow = (orgId: string) => {
    const request: ExchangeRequest = { orgId, ask: { kind: 'user_stream' }, timestamp: clock.now(), recvWindow: 5_000 };
    return signer(request, signs(exchangeRequestText(request)));
  };
  give(ORG, FIRST);
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  expect(publicKey.asymmetricKeyType).toBe('ed25519');
  give(OTHER, { ...SECOND, secret: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string });
  const signed = await follow(ORG);
  if (signed.outcome !== 'signed') throw new Error(signed.outcome);
  expect([...new URLSearchParams(signed.query).keys()]).toEqual(['apiKey', 'recvWindow', 'timestamp', 'signature']);
  expect(signed.query).not.toContain(FIRST.secret);
  // It is no order: it lacks what the exchange requires of one.
  const tried = await fetch(`${simulator.url}/api/v3/order?${signed.query}`, { method: 'POST', headers: { 'x-mbx-apikey': FIRST.key } });
  expect([tried.status, ((await tried.json()) as { code: number }).code]).toEqual([400, -1102]);
  expect(await follow(OTHER)).toMatchObject({ outcome: 'refused', code: 'stream_refused' });

  // Both accounts are followed; the one without a key is reported and disturbs no other.
  const silent: string[] = [];
  const sign = signedByWorker({ signer: { signRequest: signer }, signAsWorker: signs });
  const budgetsOf = () => ({ weight: new WeightBudget(6_000), orders: new WeightBudget(100), dayOrders: new WeightBudget(100) });
  const orders = createSpotOrders({ baseUrl: simulator.url, rest, sign, clock, budgetsOf });
  const reports = openSpotReports({ url: `${simulator.wsUrl}/ws-api/v3`, orders, clock, random: seededRandom(4), note: () => {} });
  reports.stream.listen({ reported: () => {}, missed: () => {}, silent: (orgId, why) => silent.push(`${orgId} ${why}`) });
  reports.stream.follow(new Set([ORG, OTHER]));
  await waitFor(() => simulator.reportsFollowed() === 1 && silent.length === 1, { what: 'one account is followed, one refused' });
  expect(silent[0]).toMatch(new RegExp(`^${OTHER} .*session that orders without signatures`));
  reports.close();
  orders.close();
});

test('deposits are backed by the account’s real balance: compared, stored, alerted if short, refused if unknown', async () => {
  give(ORG, FIRST);
  const { sql, clock } = fixture;
  // Only the owner of the tables can set the account's organization.
  const owner = openDatabase({ url: fixture.url, role: null, connections: 1, name: 'test owner' });
  await createExchangeAccountStore(owner).note(ORG, FIRST.account, clock.now());
  await owner.end({ timeout: 1 });
  const small = await createSpotExchangeSimulator({
    market: tinyMarket(),
    clock,
    port: 0,
    accountOfKey: findFurtherAccount,
    balances: { USDT: 3_000 },
  });
  const addresses = { spotexchange: { url: small.url, streamUrl: small.wsUrl } };
  const reach = { addresses, budgets: { spotexchange: new WeightBudget(6_000) }, clock, random: seededRandom(2), note: () => {} };
  const sign = signedByWorker({ signer: { signRequest: signer }, signAsWorker: signsAsWorker(home) });
  const accounts = openSpotAccounts(reach, sign);
  const reserves = createReserveStore(sql);
  const places = { exchange: { hasAccount: (orgId: string) => orgId === ORG, read: accounts.read }, balancesOf: null, positionsOf: null };
  const { run } = createReserveCheck({
    contained: eachRow((error) => {
      throw error;
    }),
    store: reserves,
    places,
    clock,
  });
  const agentId = await fixture.agent('policy_auto', eagerManifest({ maxCapitalUsd: '50000' }));
  await placeAtStage(fixture.url, agentId, 'limited_live');
  const vaults = createVaultHandler({ vaults: createVaultStore(sql, createSignedRows(sql)), marks: () => new Map(), reserves, clock });
  const deposit = (amountUsd: string) => vaults.deposit(fixture.context(), agentId, amountUsd);
  const alerts = async () =>
    (await sql<{ body: { what: string } }[]>`select body from announcements where channel = 'alerts' order by seq`).map(
      ({ body }) => body.what,
    );

  expect(await deposit('2500')).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
  expect(await run()).toEqual({ backed: 1, short: 0, unknown: 0 });
  expect((await deposit('2500')).ok).toBe(true);
  // What was compared before the deposit counts toward today's claims.
  expect(await deposit('600')).toMatchObject({
    ok: false,
    refusal: {
      code: 'blocked_by_risk',
      rejections: [{ code: 'insufficient_balance', limit: '3000', before: '500', suggestion: 'deposit at most 500' }],
    },
  });
  expect((await deposit('500')).ok).toBe(true);
  expect(await run()).toEqual({ backed: 1, short: 0, unknown: 0 });
  expect((await reserves.newest(ORG))?.lines).toEqual([
    { asset: 'USD', claimed: '3000', held: '3000' },
    { asset: 'USD:spotexchange', claimed: '3000', held: '3000' },
  ]);

  // A write that bypasses the service names no comparison, or a spent one.
  await expect(fixture.fund(agentId, '10')).rejects.toMatchObject({ constraint_name: 'vault_backing' });
  // More is claimed than is held: a row from before any comparison.
  clock.advanceTo(clock.now() + RESERVE_AGE_MS + 1);
  await fixture.fund(agentId, '10');
  expect(await run()).toEqual({ backed: 0, short: 1, unknown: 0 });
  expect(await run()).toEqual({ backed: 0, short: 1, unknown: 0 });
  expect(await deposit('1')).toMatchObject({ ok: false, refusal: { code: 'blocked_by_risk' } });
  await small.close();
  let done = false;
  const silent = run().finally(() => {
    done = true;
  });
  // The client retries after pauses.
  while (!done) {
    clock.advanceTo(clock.now() + 100);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await silent).toEqual({ backed: 0, short: 0, unknown: 1 });
  expect(await deposit('1')).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
  // A lasting shortfall is alerted once, and so is an unknown state.
  expect(await alerts()).toEqual(['reserves_short', 'reserves_unknown']);
  const kept = await reserves.list(ORG, { limit: 10, after: null });
  expect(kept.items.map(({ verdict }) => verdict)).toEqual(['unknown', 'short', 'short', 'backed', 'backed']);
  accounts.close();
});

test('of two concurrent deposits into two vaults backed by one account, one is accepted', async () => {
  const { sql, clock } = fixture;
  const reserves = createReserveStore(sql);
  const agents = [];
  for (let n = 0; n < 2; n++) {
    const agentId = await fixture.agent('policy_auto', eagerManifest({ maxCapitalUsd: '50000' }));
    await placeAtStage(fixture.url, agentId, 'limited_live');
    agents.push(agentId);
  }
  const account = exchangePlace('7', [{ asset: 'USDT', free: '3000', locked: '0' }]);
  const claims = {
    cashUsd: '0',
    cashAt: { spotexchange: '0', spotchain: '0' },
    holdings: [],
    depositedUsd: '0',
    books: { cashUsd: '0', capitalUsd: '0' },
  };
  await reserves.keep(ORG, compareReserves(claims, [account], clock.now()), null);
  // Both check the free balance before either writes.
  let looks = 0;
  const bothLooked = latch();
  const newest = async (orgId: string) => {
    const check = await reserves.newest(orgId);
    if (++looks === agents.length) bothLooked.release();
    await bothLooked.released;
    return check;
  };
  const deposits = await Promise.all(
    agents.map((agentId) => {
      const vaults = createVaultStore(sql, createSignedRows(sql));
      return createVaultHandler({ vaults, marks: () => new Map(), reserves: { ...reserves, newest }, clock }).deposit(
        fixture.context(),
        agentId,
        '2000',
      );
    }),
  );
  expect(deposits.filter(({ ok }) => ok)).toHaveLength(1);
  expect(deposits.find(({ ok }) => !ok)).toMatchObject({
    refusal: { code: 'blocked_by_risk', rejections: [{ code: 'insufficient_balance', suggestion: 'deposit at most 1000' }] },
  });
  expect(await reserves.present(ORG, agents[0] as string)).toMatchObject({
    claimedUsd: '2000',
    depositedUsd: '2000',
    armedUsd: '0',
    venue: 'spotexchange',
  });
});

test('dollars at the exchange do not back a vault that trades only on the primary chain, whoever writes the deposit', async () => {
  const { sql, clock } = fixture;
  const reserves = createReserveStore(sql);
  const token = { key: 'spotchain:AAPLx', kind: 'tokenized_equity' } as const;
  const agentId = await fixture.agent('policy_auto', eagerManifest({ maxCapitalUsd: '500000', universe: [token] }));
  await placeAtStage(fixture.url, agentId, 'limited_live');
  const both = await fixture.agent(
    'policy_auto',
    eagerManifest({ maxCapitalUsd: '500000', universe: [token, { key: BTC, kind: 'spot' }] }),
  );
  expect((await reserves.present(ORG, agentId)).venue).toBe('spotchain');
  expect((await reserves.present(ORG, both)).venue).toBeNull();
  const { depositedUsd } = await reserves.present(ORG, agentId);
  const account = exchangePlace('7', [{ asset: 'USDT', free: '900000', locked: '0' }]);
  const wallet = { place: 'wallet w', venue: 'spotchain', known: true, dollars: '100', assets: new Map() } as const;
  const books = { cashUsd: '0', capitalUsd: '0' };
  const claims = { cashUsd: '0', cashAt: { spotexchange: '0', spotchain: '0' }, holdings: [], depositedUsd, books };
  await reserves.keep(ORG, compareReserves(claims, [account, wallet], clock.now()), null);
  const vaults = createVaultHandler({ vaults: createVaultStore(sql, createSignedRows(sql)), marks: () => new Map(), reserves, clock });
  expect(await vaults.deposit(fixture.context(), agentId, '20000')).toMatchObject({
    ok: false,
    refusal: { code: 'blocked_by_risk', rejections: [{ code: 'insufficient_balance', limit: '100', suggestion: 'deposit at most 100' }] },
  });
  // The database enforces the same rule on writes that bypass the handler.
  const lenient = { newest: reserves.newest, present: async () => ({ ...(await reserves.present(ORG, agentId)), venue: null }) };
  const past = createVaultHandler({
    vaults: createVaultStore(sql, createSignedRows(sql)),
    marks: () => new Map(),
    reserves: lenient,
    clock,
  });
  expect(await past.deposit(fixture.context(), agentId, '20000')).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
  expect((await vaults.deposit(fixture.context(), agentId, '100')).ok).toBe(true);
});

test('a wallet of two organizations backs neither', async () => {
  const { sql, clock } = fixture;
  const reserves = createReserveStore(sql);
  const link = (orgId: string, address: string) => sql`
    insert into linked_wallets (id, org_id, chain, address, challenge, signature, proved_by, proved_at)
    values (gen_random_uuid(), ${orgId}, 'spotchain', ${address}, 'c', 's', 'somebody', ${clock.now()})`;
  const [own, shared] = ['4Nd1mYzgK2hDDxr3Vf6kVYhbTrfKxK8QUxP3GmvZ8LqM', '7Np41oeYqPefeNQEHSv1UDhYrehxin3NStELsSKCT4K2'] as const;
  await link(ORG, own);
  await link(ORG, shared);
  await link(OTHER, shared);
  const balancesOf = async (address: string) =>
    ({ ok: true, value: { address, slot: 1, fetchedAt: clock.now(), lamports: 0n, tokens: [] } }) as const;
  await createReserveCheck({
    contained: eachRow((error) => {
      throw error;
    }),
    store: reserves,
    places: { exchange: null, balancesOf, positionsOf: null },
    clock,
  }).run();
  for (const orgId of [ORG, OTHER])
    expect((await reserves.newest(orgId))?.unknown, orgId).toEqual([
      `wallet ${shared}: another organization has this wallet too, so it backs neither`,
    ]);
});

test('a key is in a file readable only by its owner, and an account named by two organizations is used for neither', async () => {
  give(ORG, FIRST);
  const folder = join(home, 'exchange-keys');
  expect([statSync(folder).mode & 0o777, readdirSync(folder)]).toEqual([0o700, [`${ORG}.json`]]);
  const file = join(folder, `${ORG}.json`);
  expect([statSync(file).mode & 0o777, JSON.parse(readFileSync(file, 'utf8')).key]).toEqual([0o600, FIRST.key]);
  chmodSync(file, 0o644);
  expect(() => exchangeKeysIn(home).of(ORG)).toThrow('can be read by others');
  chmodSync(file, 0o600);
  give(OTHER, FIRST);
  expect(() => exchangeKeysIn(home).of(ORG)).toThrow(`both have a key of account ${FIRST.account}`);
  removeExchangeKey(home, OTHER);

  // Another organization's key file causes no refusals here; that organization gets the reason.
  const keys = exchangeKeysIn(home);
  expect(keys.of(ORG)?.apiKey).toBe(FIRST.key);
  for (const broken of ['{"key":', JSON.stringify({ key: 'k' }), '']) {
    writeFileSync(join(folder, `${OTHER}.json`), broken, { mode: 0o600 });
    expect(keys.of(ORG)?.apiKey, broken).toBe(FIRST.key);
    expect(() => keys.of(OTHER), broken).toThrow('has no key of the spot exchange');
  }
  chmodSync(join(folder, `${OTHER}.json`), 0o644);
  expect(keys.of(ORG)?.apiKey).toBe(FIRST.key);
  expect(() => keys.of(OTHER)).toThrow('can be read by others');
  removeExchangeKey(home, OTHER);
  // A cached key is read again if its file was replaced, removed, or opened to others.
  give(OTHER, SECOND);
  expect(keys.of(OTHER)?.apiKey).toBe(SECOND.key);
  give(OTHER, FIRST);
  for (const orgId of [ORG, OTHER]) expect(() => keys.of(orgId), orgId).toThrow(`both have a key of account ${FIRST.account}`);
  removeExchangeKey(home, OTHER);
  expect([keys.of(OTHER), keys.of(ORG)?.apiKey]).toEqual([null, FIRST.key]);
  chmodSync(file, 0o644);
  expect(() => keys.of(ORG)).toThrow('can be read by others');
  chmodSync(file, 0o600);
  give(ORG, SECOND);
  expect(keys.of(ORG)?.apiKey).toBe(SECOND.key);
  const asking = { account: '7', before: null, others: [{ orgId: OTHER, account: '8' }], changes: false, openOrders: 1 };
  expect(keyChange(asking)).toBeNull();
  expect(keyChange({ ...asking, account: '8' })).toContain('never meet in one account');
  expect(keyChange({ ...asking, before: '7' })).toBeNull();
  expect(keyChange({ ...asking, before: '6' })).toContain('--other-account');
  expect(keyChange({ ...asking, before: '6', changes: true })).toContain('1 live orders are open');
  expect(keyChange({ ...asking, before: '6', changes: true, openOrders: 0 })).toBeNull();
});
