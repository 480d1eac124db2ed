// Vaults over HTTP with the real commands, books and ledger: shares, limits, withdrawals and the ranking.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeRecords } from '../../src/adapters/store/actors/actor-records.ts';
import { writeCut } from '../../src/adapters/store/agents/cut-store.ts';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { createSignedRows } from '../../src/adapters/store/trail/signed-rows.ts';
import { createReserveStore, createSimulatedReserves } from '../../src/adapters/store/vaults/reserve-store.ts';
import { createVaultStore } from '../../src/adapters/store/vaults/vault-store.ts';
import { isConfig, readConfig } from '../../src/boot/config.ts';
import { openVaultReserves } from '../../src/boot/wiring/reserves.ts';
import type { Stage } from '../../src/domain/agents/agent.ts';
import { bookIds } from '../../src/domain/books/book.ts';
import { depositObjection } from '../../src/domain/books/reserves.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { sampleObservation } from '../actors/agent/sample.ts';
import { placeAtStage } from '../harness/fixture.ts';
import { payIntoVault } from '../harness/vault.ts';
import { quote } from '../streams/events.ts';
import { type ApiUnderTest, apiUnderTest, createdAgent, NOW, OURS, payload, THEIRS } from './api-under-test.ts';
import { contained } from '../harness/contained.ts';

let api: ApiUnderTest;
let url: string;
let alice: string;
let bob: string;
beforeAll(async () => {
  api = await apiUnderTest();
  url = api.databaseUrl;
  alice = await api.token(['market:read', 'agent:read', 'trade:execute']);
  bob = await api.token(['market:read', 'agent:read', 'trade:execute']);
});
afterAll(() => api.close());

const BTC: InstrumentKey = 'spotexchange:BTCUSDT';

/** Creates an agent on BTCUSDT with a mandate of 10,000 dollars, at a stage. */
async function agentAt(stage: Stage, token = alice): Promise<string> {
  const id = await createdAgent(api, token, payload({ universe: ['BTCUSDT'], maxCapitalUsd: 10_000 }));
  if (stage !== 'draft') await placeAtStage(url, id, stage);
  return id;
}

const deposit = (id: string, token: string, amountUsd: string, key?: string) =>
  api.call('POST', `/v1/agents/${id}/vault/deposit`, {
    token,
    body: { amountUsd },
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  });
const withdraw = (id: string, token: string, body: object) => api.call('POST', `/v1/agents/${id}/vault/withdraw`, { token, body });
const vaultOf = async (id: string) => (await api.call('GET', `/v1/agents/${id}/vault`, { token: alice })).body;

/** Buys one coin at 1,000 dollars on the vault's live book. */
async function buy(id: string, at: number, name = 'f', over = {}): Promise<void> {
  const fill = {
    id: `${name}-${id}`,
    orderId: 'o',
    bookId: bookIds.live(id),
    instrument: BTC,
    side: 'buy',
    quantity: '1',
    fillPrice: '1000',
    feeUsd: '0',
    notionalUsd: '1000',
    decisionPrice: '1000',
    slippageBps: 0,
    at,
    quotes: [],
    ...over,
  } as const;
  await api.sql.begin((transaction) => writeRecords(transaction, [{ type: 'fill', orgId: OURS, fill }]));
}

const btc = (mid: number, over = {}) =>
  quote(NOW, { venue: 'spotexchange', instrument: 'BTCUSDT', bid: String(mid - 1), ask: String(mid + 1), ...over });
const price = (mid: number) => api.market.set(BTC, btc(mid));

describe('ceilings', () => {
  test.each(['draft', 'backtest', 'stress_test', 'paper', 'shadow'] as const)('at %s the vault accepts no capital', async (fixture) => {
    const reply = await deposit(await agentAt(fixture), alice, '1');
    expect(reply.status).toBe(422);
    expect(reply.body).toMatchObject({
      code: 'blocked_by_risk',
      rejections: [{ code: 'capital_limit_breach', limit: '0', before: '0', after: '1' }],
    });
  });

  test('at limited_live a tenth of the mandate is accepted, and not a millionth of a dollar more', async () => {
    const id = await agentAt('limited_live');
    expect((await deposit(id, alice, '600')).status).toBe(201);
    const over = await deposit(id, bob, '400.000001');
    expect(over.body).toMatchObject({
      code: 'blocked_by_risk',
      rejections: [{ limit: '1000', before: '600', after: '1000.000001', suggestion: 'deposit at most 400' }],
    });
    expect((await deposit(id, bob, '400')).status).toBe(201);
    expect(await vaultOf(id)).toMatchObject({ ceilingUsd: '1000', allocatedUsd: '1000', equityUsd: '1000', totalShares: '1000' });
  });

  test('the database enforces the same on any writer', async () => {
    const id = await agentAt('limited_live');
    await expect(
      api.sql`insert into vault_changes (agent_id, change, kind, depositor, amount_usd, shares, share_price_usd, rounding_usd, stage, at, request_id)
        values (${id}, 1, 'deposit', 'mallory', 1001, 1001, 1, 0, 'limited_live', ${NOW}, 'r')`,
    ).rejects.toMatchObject({ code: '23514', constraint_name: 'vault_ceiling' });
    await expect(api.sql`update vaults set total_shares = 5`).rejects.toThrow(/permission denied/);
    const [row] = await api.sql`select count(*)::int as n from vault_changes where agent_id = ${id}`;
    expect(row).toEqual({ n: 0 });
  });

  test('an agent with more than a tenth in its vault cannot return to limited_live before paying back', async () => {
    const id = await agentAt('live');
    expect((await deposit(id, alice, '5000')).status).toBe(201);
    const owner = openDatabase({ url, connections: 1, role: null, name: 'owner' });
    try {
      await owner`alter table agents disable trigger agent_stage_gate`;
      await expect(owner`update agents set stage = 'limited_live' where id = ${id}`).rejects.toThrow(/may hold 1000/);
    } finally {
      await owner`alter table agents enable always trigger agent_stage_gate`;
      await owner.end({ timeout: 3 });
    }
  });
});

describe('shares', () => {
  test('are issued and redeemed at the present price, which does not move', async () => {
    const id = await agentAt('live');
    await deposit(id, alice, '2000');
    await buy(id, NOW);
    price(1_600);
    const before = await vaultOf(id);
    expect(before).toMatchObject({ equityUsd: '2600', sharePriceUsd: '1.3', unrealizedPnlUsd: '600', cashUsd: '1000' });
    const entered = await deposit(id, bob, '650');
    expect(entered.body).toMatchObject({ kind: 'deposit', amountUsd: '650', shares: '500', sharePriceUsd: '1.3', change: 2 });
    expect(await vaultOf(id)).toMatchObject({ sharePriceUsd: '1.3', totalShares: '2500', equityUsd: '3250' });
    const left = await withdraw(id, alice, { shares: '1000' });
    expect(left.body).toMatchObject({ kind: 'withdrawal', amountUsd: '1300', sharePriceUsd: '1.3' });
    const after = await vaultOf(id);
    expect(after).toMatchObject({ sharePriceUsd: '1.3', totalShares: '1500', equityUsd: '1950', cashUsd: '350' });
    expect(after.depositors.map(({ shares, valueUsd }: { shares: string; valueUsd: string }) => [shares, valueUsd])).toEqual(
      expect.arrayContaining([
        ['1000', '1300'],
        ['500', '650'],
      ]),
    );
  });

  test('only cash is paid out, and the invested amount is stated', async () => {
    const id = await agentAt('live');
    await deposit(id, alice, '1500');
    await buy(id, NOW);
    price(1_000);
    const reply = await withdraw(id, alice, { all: true });
    expect(reply.body).toMatchObject({
      code: 'blocked_by_risk',
      rejections: [{ code: 'insufficient_balance', limit: '500', suggestion: 'withdraw at most 500 now' }],
    });
    expect((await withdraw(id, alice, { amountUsd: '500' })).body).toMatchObject({ amountUsd: '500', shares: '500' });
  });

  test('the maximum cost of an open purchase is not paid out before its end', async () => {
    const id = await agentAt('live');
    await deposit(id, alice, '1500');
    const proposal = '019a5b1e-7c00-7000-8000-0000000000aa';
    await api.sql`insert into actors (id, org_id, kind, machine, version, snapshot, status) values (${proposal}, ${OURS}, 'proposal', 'proposal@1', 1, '{}', 'running')`;
    await api.sql`
      insert into proposals (id, org_id, agent_id, slot, side, manifest_version, manifest_hash, autonomy, epoch, mode, book_id, instrument,
        order_body, notional_usd, decision_price, reads_reference, risk, state, created_at, expires_at, changed_at)
      values (${proposal}, ${OURS}, ${id}, 0, 'entry', 1, 'hash', 'confirm', 0, 'live', ${bookIds.live(id)}, ${BTC},
        '{"side":"buy","quantity":"1"}', 1000, 1000, false, '{}', 'unknown', 0, 0, 0)`;
    const reply = await withdraw(id, alice, { all: true });
    expect(reply.body).toMatchObject({
      code: 'blocked_by_risk',
      detail: expect.stringContaining('reserved for orders that may still be filled (1000 US dollars)'),
      rejections: [{ code: 'insufficient_balance', limit: '500', suggestion: 'withdraw at most 500 now' }],
    });
    // Bypasses the API, for an order that began between reading and writing.
    await expect(
      api.sql`insert into vault_changes (agent_id, change, kind, depositor, amount_usd, shares, share_price_usd, rounding_usd, stage, at, request_id)
        select ${id}, 2, 'withdrawal', depositor, 501, 501, 1, 0, 'live', ${NOW}, 'r' from vault_changes where agent_id = ${id}`,
    ).rejects.toMatchObject({ constraint_name: 'vault_reserved' });
    await api.sql`update proposals set state = 'failed' where id = ${proposal}`;
    expect((await withdraw(id, alice, { all: true })).body).toMatchObject({ amountUsd: '1500' });
  });

  test('nobody withdraws another depositor’s shares, by the API or around it', async () => {
    const id = await agentAt('live');
    await deposit(id, alice, '100');
    const reply = await withdraw(id, bob, { amountUsd: '1' });
    expect(reply.status).toBe(422);
    expect(reply.body.detail).toBe('you own 0 shares of this vault');
    await expect(
      api.sql`insert into vault_changes (agent_id, change, kind, depositor, amount_usd, shares, share_price_usd, rounding_usd, stage, at, request_id)
        values (${id}, 2, 'withdrawal', 'mallory', 1, 1, 1, 0, 'live', ${NOW}, 'r')`,
    ).rejects.toMatchObject({ constraint_name: 'vault_shares' });
  });

  test('a vault with a position without a live quote has no price, so deposits and withdrawals wait', async () => {
    const id = await agentAt('live');
    await deposit(id, alice, '2000');
    await buy(id, NOW);
    api.market.set(BTC, btc(1_000, { quality: 'stale', flags: ['over_age'] }));
    expect(await vaultOf(id)).toMatchObject({ equityUsd: null, sharePriceUsd: null, drawdownPct: null, unpriced: [BTC] });
    for (const reply of [await deposit(id, bob, '10'), await withdraw(id, alice, { all: true })]) {
      expect(reply.status).toBe(422);
      expect(reply.body.rejections[0].code).toBe('quote_not_live');
    }
    price(1_000);
  });

  test('thirty concurrent deposits are thirty deposits, and the ledger has every cent of them', async () => {
    const id = await agentAt('live');
    const isChanging = { now: true };
    /** Asks again with the same key while an answer leaves open what happened, as the answer says. */
    const paid = async (n: number): Promise<number> => {
      for (;;) {
        const { status, body } = await deposit(id, n % 2 === 0 ? alice : bob, '10', `thirty-${n}`);
        if (status !== 503 && body.code !== 'idempotency_in_flight') return status;
      }
    };
    const deposits = Array.from({ length: 30 }, (_, n) => paid(n));
    const looks = async (): Promise<void> => {
      // Shares and book are always consistent: a dollar buys a share.
      while (isChanging.now) expect(await vaultOf(id)).toMatchObject({ sharePriceUsd: '1' });
    };
    const [replies] = await Promise.all([
      Promise.all(deposits).finally(() => {
        isChanging.now = false;
      }),
      looks(),
    ]);
    expect(replies).toEqual(replies.map(() => 201));
    expect(await vaultOf(id)).toMatchObject({ allocatedUsd: '300', cashUsd: '300', sharePriceUsd: '1' });
    const [sum] = await api.sql<{ total: string }[]>`
      select sum(l.amount) as total from ledger_legs l join ledger_accounts a on a.id = l.account_id where a.book_id = ${bookIds.live(id)}`;
    expect(Number(sum?.total)).toBe(0);
  });

  test('the same key deposits once, and another amount under it is refused', async () => {
    const id = await agentAt('live');
    const first = await deposit(id, alice, '10', 'pay-1');
    const again = await deposit(id, alice, '10', 'pay-1');
    expect(again.text).toBe(first.text);
    expect((await deposit(id, alice, '11', 'pay-1')).body.code).toBe('idempotency_mismatch');
    expect((await vaultOf(id)).allocatedUsd).toBe('10');
  });
});

describe('bad input', () => {
  test.each([
    [{ amountUsd: 5 }, /amountUsd/],
    [{ amountUsd: '1e3' }, /amountUsd/],
    [{ amountUsd: '-5' }, /above zero/],
    [{ amountUsd: '0' }, /above zero/],
    [{ amountUsd: '1.0000001' }, /at most 6 decimals/],
    [{ amountUsd: '1', to: 'me' }, /to/],
    [{}, /amountUsd/],
  ])('%j is no deposit', async (body, detail) => {
    const reply = await api.call('POST', `/v1/agents/${await agentAt('draft')}/vault/deposit`, { token: alice, body });
    expect(reply.status).toBe(400);
    expect(reply.body.detail).toMatch(detail);
  });

  test('a withdrawal states its amount in exactly one way', async () => {
    const id = await agentAt('live');
    expect((await withdraw(id, alice, { all: false })).body.detail).toBe('$.all: got the boolean false; allowed: true');
    for (const body of [{}, { all: true, shares: '1' }]) {
      const reply = await withdraw(id, alice, body);
      expect([reply.status, reply.body.detail]).toEqual([400, 'body: give exactly one of amountUsd, shares and all']);
    }
  });

  test.each(['1.0000000001', '0', '-1', '0.0000000001'])('%s is not a number of shares', async (shares) => {
    const id = await agentAt('live');
    await deposit(id, alice, '10');
    const reply = await withdraw(id, alice, { shares });
    expect([reply.status, reply.body.detail]).toEqual([
      400,
      `body.shares: ${shares} is not a number of shares above zero with at most 9 decimals`,
    ]);
    expect((await withdraw(id, alice, { shares: '0001.500' })).body).toMatchObject({ shares: '1.5', amountUsd: '1.5' });
  });

  test('a foreign agent answers like a missing one', async () => {
    const id = await agentAt('live');
    const stranger = await api.token(['agent:read', 'trade:execute'], THEIRS);
    const missing = '019a5b1e-7c00-7000-8000-00000000ffff';
    for (const [method, path, body] of [
      ['GET', 'vault', undefined],
      ['POST', 'vault/deposit', { amountUsd: '1' }],
      ['POST', 'vault/withdraw', { all: true }],
    ] as const) {
      const [foreign, absent] = await Promise.all(
        [id, missing].map((agent) =>
          api.call(method, `/v1/agents/${agent}/${path}`, { token: stranger, ...(body === undefined ? {} : { body }) }),
        ),
      );
      const plain = (text: string | undefined) => text?.replace(/"requestId":"[^"]+"/, '');
      expect(foreign?.status).toBe(404);
      expect(plain(foreign?.text)).toBe(plain(absent?.text));
    }
  });
});

describe('marks and the ranking', () => {
  test('a vault is marked on a cut with live prices for all holdings; the ranking is by the return of a share', async () => {
    const [winner, loser] = [await agentAt('live'), await agentAt('live')];
    for (const id of [winner, loser]) await deposit(id, alice, '2000');
    await buy(winner, NOW);
    const store = createVaultStore(api.sql, createSignedRows(api.sql));
    const cutAt = async (slot: number, mid: number, quality: 'live' | 'stale') => {
      const seen = sampleObservation(BTC, slot, { mid: String(mid), premiumPct: null, rsi: null, quality });
      await writeCut(api.sql, { slot, observations: new Map([[BTC, seen]]) }, 'streams');
      return store.mark(contained);
    };
    const slot = Math.floor(NOW / 60_000) * 60_000;
    await cutAt(slot, 1_000, 'live');
    await cutAt(slot + 60_000, 1_500, 'live');
    // A stale quote prices no vault that holds the instrument.
    await cutAt(slot + 120_000, 9_000, 'stale');
    api.clock.advanceTo(slot + 180_000);
    const { body } = await api.call('GET', '/v1/agent-vaults/leaderboard?window=24h&limit=200', { token: alice });
    const row = (id: string) => body.items.find(({ agentId }: { agentId: string }) => agentId === id);
    expect(row(winner)).toMatchObject({
      returnPct: 25,
      sharePriceUsd: '1.25',
      highWaterMarkUsd: '1.25',
      drawdownPct: 0,
      equityUsd: '2500',
    });
    expect(row(winner).rank).toBeLessThan(row(loser).rank);
    await cutAt(slot + 180_000, 1_250, 'live');
    const after = (await api.call('GET', '/v1/agent-vaults/leaderboard?window=24h&limit=200', { token: alice })).body;
    expect(after.items.find(({ agentId }: { agentId: string }) => agentId === winner)).toMatchObject({
      highWaterMarkUsd: '1.25',
      drawdownPct: 10,
    });
    const theirs = await api.token(['agent:read'], THEIRS);
    expect((await api.call('GET', '/v1/agent-vaults/leaderboard', { token: theirs })).body).toEqual({ items: [], nextCursor: null });
    expect((await api.call('GET', '/v1/agent-vaults/leaderboard?window=1y', { token: alice })).status).toBe(400);
  });

  test('a vault emptied and funded again keeps its return: it is chained over the empty time', async () => {
    const id = await agentAt('live');
    const store = createVaultStore(api.sql, createSignedRows(api.sql));
    const slot = Math.floor(api.clock.now() / 60_000) * 60_000 + 60_000;
    const markAt = async (at: number) => {
      const seen = sampleObservation(BTC, at, { mid: '1000', premiumPct: null, rsi: null });
      await writeCut(api.sql, { slot: at, observations: new Map([[BTC, seen]]) }, 'streams');
      await store.mark(contained);
    };
    const returned = async () => {
      const { body } = await api.call('GET', '/v1/agent-vaults/leaderboard?window=24h&limit=200', { token: alice });
      return body.items.find(({ agentId }: { agentId: string }) => agentId === id);
    };
    await deposit(id, alice, '2000');
    api.clock.advanceTo(slot);
    await markAt(slot);
    await buy(id, slot + 1);
    await buy(id, slot + 2, 'sold', { side: 'sell', fillPrice: '977.2', notionalUsd: '977.2' });
    api.clock.advanceTo(slot + 60_000);
    await markAt(slot + 60_000);
    const { sinceAt } = await returned();
    expect(await returned()).toMatchObject({ returnPct: -1.14, sharePriceUsd: '0.9886' });
    api.clock.advanceTo(slot + 61_000);
    expect((await withdraw(id, alice, { all: true })).body).toMatchObject({ sharePriceUsd: '0.9886' });
    api.clock.advanceTo(slot + 62_000);
    expect((await deposit(id, alice, '1000')).body).toMatchObject({ sharePriceUsd: '1' });
    api.clock.advanceTo(slot + 120_000);
    await markAt(slot + 120_000);
    expect(await returned()).toMatchObject({ returnPct: -1.14, sharePriceUsd: '1', sinceAt });
  });

  test('pages are contiguous', async () => {
    const all = (await api.call('GET', '/v1/agent-vaults/leaderboard?limit=200', { token: alice })).body.items;
    const paged: unknown[] = [];
    let cursor: string | null = null;
    do {
      const query: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { body } = await api.call('GET', `/v1/agent-vaults/leaderboard?limit=3${query}`, { token: alice });
      paged.push(...body.items);
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(paged).toEqual(all);
  });
});

test('deposits into all vaults of an organization use up the sandbox’s simulated dollars', async () => {
  const trader = await api.token(['market:read', 'agent:read', 'trade:execute'], THEIRS);
  const [one, other] = await Promise.all(
    ['one', 'other'].map(async () => {
      const id = await createdAgent(api, trader, payload({ universe: ['BTCUSDT'], maxCapitalUsd: 500_000 }));
      await placeAtStage(url, id, 'live');
      return id;
    }),
  );
  const pay = (id: string | undefined, amountUsd: string) => deposit(id as string, trader, amountUsd);
  expect((await pay(one, '80000')).status).toBe(201);
  expect((await pay(other, '20001')).body).toMatchObject({
    code: 'blocked_by_risk',
    rejections: [{ code: 'insufficient_balance', limit: '100000', before: '20000', after: '-1', suggestion: 'deposit at most 20000' }],
  });
  // Two concurrent deposits share the rest.
  const raced = await Promise.all([pay(one, '20000'), pay(other, '20000')]);
  expect(raced.map(({ status }) => status).sort()).toEqual([201, 422]);
  expect((await pay(other, '1')).body.rejections).toMatchObject([{ suggestion: expect.stringContaining('withdraw from another vault') }]);
  // The database enforces the same total on writes that bypass the handler.
  await expect(payIntoVault(api.sql, THEIRS, other as string, '1', NOW)).rejects.toMatchObject({ constraint_name: 'vault_backing' });
  const [shown] = (await createSimulatedReserves(api.sql, { now: () => NOW }).list(THEIRS, { limit: 1, after: null })).items;
  expect(shown?.lines).toEqual([{ asset: 'USD', claimed: '100000', held: '100000' }]);
  expect((await withdraw(one as string, trader, { amountUsd: '500' })).status).toBe(201);
  expect((await pay(other, '500')).status).toBe(201);
  // Another organization's limit is separate.
  expect((await deposit(await agentAt('limited_live'), alice, '10')).status).toBe(201);
});

test('deposits need a place that holds money if real systems are configured', async () => {
  const refused = async (env: Record<string, string>) => {
    const config = readConfig({ SEVENGATE_HOME: '.sevengate', ...env });
    if (!isConfig(config)) throw new Error(config.map(({ sentence }) => sentence).join('\n'));
    const check = await openVaultReserves(config, api.sql, { now: () => NOW }).newest(OURS);
    return depositObjection(check, {
      amountUsd: '1',
      present: { claimedUsd: '0', depositedUsd: '0', armedUsd: '0', armedAtVenueUsd: '0', venue: null },
      now: NOW,
    });
  };
  expect(await refused({ SPOTCHAIN_URL: 'https://aggregator.example' })).toMatchObject({
    kind: 'unknown',
    detail: expect.stringContaining('set SPOTCHAIN_RPC_URL or SVC_LIVE_SPOTEXCHANGE_ENABLED beside SPOTCHAIN_URL'),
  });
  expect(await refused({})).toBeNull();
});

test('reserve checks are listed newest first, to their own organization only', async () => {
  const store = createReserveStore(api.sql);
  const line = { asset: 'USD', claimed: '10', held: '12.5' };
  await store.keep(OURS, { at: NOW, verdict: 'backed', lines: [line], unknown: [], depositedUsd: '0', dollars: null }, null);
  const unknown = ['wallet w: no node'];
  await store.keep(
    OURS,
    { at: NOW + 1, verdict: 'unknown', lines: [{ ...line, held: null }], unknown, depositedUsd: '0', dollars: null },
    null,
  );
  const { body } = await api.call('GET', '/v1/reserves?limit=1', { token: alice });
  expect(body.items).toEqual([
    { at: new Date(NOW + 1).toISOString(), verdict: 'unknown', lines: [{ ...line, held: null }], unknown: ['wallet w: no node'] },
  ]);
  const next = await api.call('GET', `/v1/reserves?limit=1&cursor=${encodeURIComponent(body.nextCursor)}`, { token: alice });
  expect(next.body.items).toMatchObject([{ verdict: 'backed', lines: [line] }]);
  const theirs = await api.token(['agent:read'], THEIRS);
  expect((await api.call('GET', '/v1/reserves', { token: theirs })).body.items).toEqual([]);
});
