// Listings over HTTP: published from the record, pinned, with rules visible only to the creator.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { API_ROLE, asOrganization } from '../../src/adapters/store/callers/as-organization.ts';
import { openDatabase, type Sql } from '../../src/adapters/store/database.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import type { BacktestSeries, EquityDay } from '../../src/domain/agents/evidence.ts';
import type { Manifest } from '../../src/domain/manifest/manifest.ts';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { createGateFixture, type GateFixture } from '../adapters/store/gates/gate-fixture.ts';
import { testDatabase } from '../harness/postgres.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, newId, OURS, payload, THEIRS } from './api-under-test.ts';

let api: ApiUnderTest;
let gates: GateFixture;
let callers: Sql;
let creator: string;
let buyer: string;
const payout = sandboxKey('payout');

beforeAll(async () => {
  const url = await testDatabase();
  gates = await createGateFixture(url);
  api = await apiUnderTest(undefined, {}, url);
  callers = openDatabase({ url, role: API_ROLE, name: 'marketplace callers', connections: 2 });
  for (const [id, name] of [
    [OURS, 'us'],
    [THEIRS, 'them'],
  ] as const)
    await gates.app`insert into organizations (id, name) values (${id}, ${name}) on conflict do nothing`;
  creator = await api.token(['market:read', 'agent:read', 'trade:execute']);
  buyer = await api.token(['market:read', 'agent:read', 'trade:execute'], THEIRS);
  await link(payout, creator);
});
afterAll(async () => {
  await api.close();
  await gates.close();
  await callers.end();
});

async function link(key: typeof payout, token: string): Promise<void> {
  const { body } = await api.call('POST', '/v1/wallets/challenge', { token, body: { address: key.address } });
  const signature = Buffer.from(key.sign(Buffer.from(body.text))).toString('base64');
  expect((await api.call('POST', '/v1/wallets', { token, body: { address: key.address, signature } })).status).toBe(201);
}

const publish = (over: object, token = creator) =>
  api.call('POST', '/v1/marketplace', {
    token,
    body: { manifestVersion: 1, priceUsd: 49.5, payoutWallet: payout.address, categories: ['Mean reversion', 'equities'], ...over },
  });
const read = (path: string, token = creator) => api.call('GET', path, { token });
let named = 0;
const agent = (over: Record<string, unknown> = {}, token = creator) => createdAgent(api, token, { name: `Agent ${++named}`, ...over });

describe('a listing', () => {
  test('shows the record of its version: gates, metrics, versions tried and days at paper', async () => {
    const id = await agent();
    const { body: made } = await read(`/v1/agents/${id}`);
    gates.adopt(id, made.manifest as Manifest, 1, OURS);
    for (const kind of ['backtest', 'stress_test'] as const) {
      await api.call('POST', `/v1/agents/${id}/promote`, { token: creator });
      await gates.pass(id, kind);
    }
    await api.call('POST', `/v1/agents/${id}/promote`, { token: creator });
    await gates.advance(3 * 86_400_000);
    const reply = await publish({ agentId: id });
    expect(reply.status, reply.text).toBe(201);
    const { evidence, metrics, ...listing } = reply.body;
    expect(listing).toMatchObject({
      state: 'listed',
      priceUsd: '49.5',
      manifestVersion: 1,
      manifestHash: made.manifestHash,
      payoutWallet: payout.address,
      categories: ['mean reversion', 'equities'],
      own: true,
      shape: {
        entry: ['premium_below', 'rsi_below'],
        exit: ['premium_above'],
        timeframe: '1h',
        instruments: 2,
        kinds: ['tokenized_equity'],
      },
    });
    const recorded = (await read(`/v1/agents/${id}/evidence`)).body.items as { kind: string; metrics: object; simulated: boolean }[];
    expect(evidence.gates.map(({ kind, passed }: { kind: string; passed: boolean }) => [kind, passed])).toEqual([
      ['manifest', true],
      ['backtest', true],
      ['stress_test', true],
    ]);
    // Buyers see what stands on simulated sources, as its owner does.
    const simulated = evidence.gates.map(({ kind, simulated: told }: { kind: string; simulated: boolean }) => [kind, told]);
    expect(simulated).toEqual([
      ['manifest', false],
      ['backtest', true],
      ['stress_test', true],
    ]);
    expect(Object.fromEntries(simulated)).toEqual(Object.fromEntries(recorded.map((one) => [one.kind, one.simulated])));
    expect(evidence).toMatchObject({ gatesPassed: 3, versions: 1, versionsTried: 1, stage: 'paper', paperDays: 3 });
    expect(metrics).toEqual(recorded.find(({ kind }) => kind === 'backtest')?.metrics);
    const [{ series }] = (await gates.app`
      select series::jsonb from evidence where agent_id = ${id} and kind = 'backtest'`) as unknown as [{ series: BacktestSeries }];
    // Every 48th part of the days, and the last one: five years are not sent day by day.
    const told = Array.from({ length: 48 }, (_, n) => series.days[Math.ceil(((n + 1) * series.days.length) / 48) - 1] as EquityDay);
    expect(series.days.length).toBeGreaterThan(1_000);
    expect(evidence.curve).toEqual(
      told.map(([at, close]) => ({
        at: new Date(at).toISOString(),
        returnPct: Number(new Decimal(close).div(series.startEquityUsd).minus(1).times(100).toFixed(2)),
      })),
    );
  });

  test('shows the share of luck in its backtest, from the recorded report', async () => {
    const id = await agent();
    const { body: made } = await read(`/v1/agents/${id}`);
    gates.adopt(id, made.manifest as Manifest, 1, OURS);
    await api.call('POST', `/v1/agents/${id}/promote`, { token: creator });
    const { runId } = await gates.pass(id, 'backtest');
    const luck = { versionsTried: 1, expectedBestSharpe: 0, probabilisticSharpe: 0.99, deflatedSharpe: expect.closeTo(1, 3) };
    // This test needs no five-year run: the report is inserted for the evidence that names it.
    await api.owner.begin(async (transaction) => {
      await transaction`set local session_replication_role = replica`;
      const result = JSON.stringify({ luck, trades: [] });
      await transaction`
        insert into evaluation_reports (run_id, result_hash, result, report)
        values (${runId}, encode(sha256(convert_to(${result}, 'UTF8')), 'hex'), ${result}, '')`;
    });
    expect((await publish({ agentId: id })).body.evidence.luck).toEqual(luck);
  });

  test('without evidence says so, and is not changed by later versions of its agent', async () => {
    const id = await agent();
    const { body: listing } = await publish({ agentId: id, priceUsd: '0' });
    expect(listing).toMatchObject({
      metrics: null,
      priceUsd: '0',
      evidence: { gates: [], gatesPassed: 0, curve: [], luck: null, paperDays: 0 },
    });
    const changed = await api.call('POST', `/v1/agents/${id}/versions`, {
      token: creator,
      body: payload({ name: 'Changed', stopLossPct: 7 }),
    });
    expect(changed.status, changed.text).toBeLessThan(300);
    const { body: after } = await read(`/v1/marketplace/${listing.id}`);
    const { rules, ...still } = after;
    expect(still).toEqual(listing);
    expect(rules).toMatchObject({ stopLossPct: 4 });
    expect((await publish({ agentId: id, manifestVersion: 2 })).body).toMatchObject({ name: 'Changed', manifestVersion: 2 });
  });

  test('is public; its rules are visible only to its creator, even by direct database queries', async () => {
    const { body: listing } = await publish({ agentId: await agent() });
    const own = await api.call('POST', `/v1/marketplace/${listing.id}/checkout`, { token: creator, body: {} });
    expect([own.status, own.body.code]).toEqual([409, 'state_conflict']);
    const { body: seen } = await read(`/v1/marketplace/${listing.id}`, buyer);
    expect(seen).toEqual({ ...listing, own: false, rules: null });
    expect((await read(`/v1/marketplace/${listing.id}`)).body.rules).toMatchObject({ timeframe: '1h' });
    const theirs = asOrganization(callers, THEIRS);
    expect(await theirs`select 1 from listing_rules`).toEqual([]);
    expect(await theirs`select 1 from manifests where agent_id = ${listing.agentId ?? newId()}`).toEqual([]);
    expect(JSON.stringify(seen)).not.toContain('rsi_below","period');
  });

  test('is found by category, text and price, newest first, until it is unlisted', async () => {
    const cheap = await publish({ agentId: await agent({ name: 'Tide 100% reader' }), priceUsd: '3', categories: ['tides'] });
    const dear = await publish({ agentId: await agent({ name: 'Tide table' }), priceUsd: 10_000, categories: ['tides', 'deep'] });
    const found = async (query: string, token = buyer): Promise<string[]> =>
      (await read(`/v1/marketplace?${query}`, token)).body.items.map(({ id }: { id: string }) => id);
    expect(await found('category=TIDES')).toEqual([dear.body.id, cheap.body.id]);
    expect(await found('category=tides&maxPriceUsd=3')).toEqual([cheap.body.id]);
    expect(await found('search=tide&category=deep')).toEqual([dear.body.id]);
    expect(await found('search=100%25')).toEqual([cheap.body.id]);
    expect(await found('search=_ide%20t')).toEqual([]);
    const first = (await read('/v1/marketplace?category=tides&limit=1', buyer)).body;
    expect(await found(`category=tides&limit=1&cursor=${first.nextCursor}`)).toEqual([cheap.body.id]);
    const ended = await api.call('POST', `/v1/marketplace/${cheap.body.id}/unlist`, { token: creator });
    expect(ended.body).toMatchObject({ state: 'unlisted' });
    expect(await found('category=tides')).toEqual([dear.body.id]);
    expect(await found('category=tides&mine=true', creator)).toEqual([dear.body.id, cheap.body.id]);
    expect(await found('mine=true')).toEqual([]);
    for (const path of ['unlist', 'price']) {
      const again = await api.call('POST', `/v1/marketplace/${cheap.body.id}/${path}`, {
        token: creator,
        body: path === 'price' ? { priceUsd: 1 } : {},
      });
      expect([again.status, again.body.code]).toEqual([409, 'state_conflict']);
    }
  });

  test('keeps every price, which only its organization can set', async () => {
    const { body: listing } = await publish({ agentId: await agent(), priceUsd: '5' });
    const price = (priceUsd: unknown, token = creator) =>
      api.call('POST', `/v1/marketplace/${listing.id}/price`, { token, body: { priceUsd } });
    expect((await price('7.000001')).body.priceUsd).toBe('7.000001');
    expect((await price(7.000001)).status).toBe(200);
    expect((await price('0')).body.priceUsd).toBe('0');
    expect((await price('1', buyer)).body.code).toBe('not_found');
    const { body } = await read(`/v1/marketplace/${listing.id}/prices`, buyer);
    expect(body.items.map(({ priceUsd }: { priceUsd: string }) => priceUsd)).toEqual(['0', '7.000001', '5']);
    const first = (await read(`/v1/marketplace/${listing.id}/prices?limit=2`, buyer)).body;
    const rest = (await read(`/v1/marketplace/${listing.id}/prices?limit=2&cursor=${first.nextCursor}`, buyer)).body;
    expect([...first.items, ...rest.items]).toEqual(body.items);
    expect((await api.call('POST', `/v1/marketplace/${listing.id}/unlist`, { token: buyer })).status).toBe(404);
  });

  test('of the same version exists once at a time, also with concurrent requests', async () => {
    const agentId = await agent();
    const replies = await Promise.all(Array.from({ length: 6 }, () => publish({ agentId })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409, 409, 409]);
    const id: string = replies.find(({ status }) => status === 201)?.body.id;
    await api.call('POST', `/v1/marketplace/${id}/unlist`, { token: creator });
    expect((await publish({ agentId })).status).toBe(201);
  });
});

describe('is refused with one clear problem', () => {
  test.each([
    ['a price below zero', { priceUsd: -0.000001 }, 400, 'malformed', 'below 0'],
    ['the same as a text', { priceUsd: '-0.000001' }, 400, 'malformed', 'below 0'],
    ['a price above the highest', { priceUsd: 10_000.01 }, 400, 'malformed', 'above 10000'],
    ['a price finer than the stablecoin', { priceUsd: '1.0000001' }, 400, 'malformed', '6 decimals'],
    ['no number', { priceUsd: 'ten' }, 400, 'malformed', 'not a decimal number'],
    ['an exponent', { priceUsd: '1e3' }, 400, 'malformed', 'not a decimal number'],
    ['metrics in the body', { metrics: { sharpe: 9 } }, 400, 'malformed', 'metrics'],
    ['no category', { categories: [] }, 400, 'malformed', 'categories'],
    ['a version that there is not', { manifestVersion: 2 }, 404, 'not_found', 'version 2'],
    ['a wallet that nobody proved', { payoutWallet: sandboxKey('unproved').address }, 422, 'wallet_unproved', 'proved'],
    ['a wallet that is none', { payoutWallet: 'z'.repeat(44) }, 400, 'malformed', 'payoutWallet'],
    ['a wallet of the other chain', { payoutWallet: `0x${'ab'.repeat(20)}` }, 400, 'malformed', 'payoutWallet'],
    ['a missing agent', { agentId: '019a5b1e-7c00-7000-8000-00000000ffff' }, 404, 'not_found', 'no agent'],
  ])('%s', async (_, over, status, code, words) => {
    const reply = await publish({ agentId: await agent(), ...over });
    expect([reply.status, reply.body.code]).toEqual([status, code]);
    expect(reply.text).toContain(words);
  });

  test('a foreign agent answers like a missing one, and a foreign wallet like an unlinked one', async () => {
    const foreign = await agent({}, buyer);
    const missing = await publish({ agentId: newId() });
    const theirs = await publish({ agentId: foreign });
    expect(theirs.body.detail).toBe(missing.body.detail);
    expect((await publish({ agentId: foreign }, buyer)).body.code).toBe('wallet_unproved');
    const key = sandboxKey('their wallet');
    await link(key, buyer);
    expect((await publish({ agentId: await agent(), payoutWallet: key.address })).body.code).toBe('wallet_unproved');
  });

  test('strategy states written by a session are overwritten by the record', async () => {
    const agentId = await agent();
    const ours = asOrganization(callers, OURS);
    const columns = ours`id, org_id, agent_id, manifest_version, manifest_hash, name, description, categories, shape, evidence, price_usd, payout_wallet, state,
      published_by, published_at, changed_by, changed_at`;
    const insert = (wallet: string, version = 1) => ours<{ name: string; evidence: { gates: unknown[] } }[]>`
      insert into marketplace_listings (${columns}) values (${newId()}, ${OURS}, ${agentId}, ${version}, ${'0'.repeat(64)}, 'Best of all', '', '{a}', '{}',
        '{"gates": [{"kind": "backtest", "passed": true}]}', 1, ${wallet}, 'listed', 'me', 0, 'me', 0) returning name, evidence`;
    const [row] = await insert(payout.address);
    expect(row?.name).toMatch(/^Agent/);
    expect(row?.evidence.gates).toEqual([]);
    await expect(insert(sandboxKey('unproved').address)).rejects.toThrow('nobody of the organization has proved');
    await expect(insert(payout.address, 9)).rejects.toThrow('no version 9');
    await expect(ours`update marketplace_listings set evidence = '{}' where agent_id = ${agentId}`).rejects.toThrow('does not change');
    await expect(
      ours`insert into listing_rules (listing_id, org_id, hash, canonical) values (${newId()}, ${OURS}, 'a', 'b')`,
    ).rejects.toThrow();
  });
});
