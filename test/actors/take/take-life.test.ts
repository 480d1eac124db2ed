// Life of a Take on a real PostgreSQL: armed, triggered, proposed, filled on paper, sold, disarmed, expired, halted; one decision per slot.
import { beforeEach, expect, test } from 'vitest';
import { createVaultHandler, type VaultReserves } from '../../../actors/agent/vault-handler.ts';
import { writeRecords } from '../../../src/adapters/store/actors/actor-records.ts';
import { createAgentReads } from '../../../src/adapters/store/agents/agent-reads.ts';
import { createDecisionReads } from '../../../src/adapters/store/agents/decision-reads.ts';
import { createRiskReads } from '../../../src/adapters/store/risk/risk-reads.ts';
import { verifyTrail } from '../../../src/adapters/store/trail-verifier.ts';
import { createSignedRows } from '../../../src/adapters/store/trail/signed-rows.ts';
import { createReserveStore } from '../../../src/adapters/store/vaults/reserve-store.ts';
import { createVaultStore } from '../../../src/adapters/store/vaults/vault-store.ts';
import { bookIds, type Fill } from '../../../src/domain/books/book.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import type { ManifestCondition } from '../../../src/domain/manifest/manifest.ts';
import { compareReserves, exchangePlace } from '../../../src/domain/books/reserves.ts';
import { DEFAULT_PREFERENCES } from '../../../src/domain/risk/preferences.ts';
import { readTakeFields } from '../../../src/domain/take/read-take.ts';
import type { Take } from '../../../src/domain/take/take.ts';
import { TAKE_TICK_MS } from '../../../src/domain/values/time.ts';
import { placeAtStage } from '../../harness/fixture.ts';
import type { ImpactPreTrade } from '../../../src/trading/pre-trade.ts';
import { BTC, eagerManifest, ORG, type TradingFixture, tradingFixture } from '../proposal/trading-fixture.ts';

let fixture: TradingFixture;
beforeEach(async () => {
  fixture = await tradingFixture();
  return () => fixture.close();
});

const READING = { thesis: null, understood: [], assumed: [], notUnderstood: [], open: [] };

function take(exit: readonly ManifestCondition[] = [], over: object = {}): Take {
  const read = readTakeFields(
    {
      symbol: 'BTCUSDT',
      target: { kind: 'price', direction: 'below', value: '60000' },
      conditions: { exit },
      allocationUsd: '1000',
      ...over,
    },
    { catalog: CATALOG, now: fixture.clock.now() },
  );
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.take;
}

async function armed(made: Take = take()): Promise<string> {
  const created = await fixture.takes.create(fixture.context(), made, READING);
  if (!created.ok) throw new Error(created.refusal.detail);
  const outcome = await fixture.takes.arm(fixture.context(), created.value.id, 'paper', []);
  expect(outcome).toMatchObject({ ok: true, value: { state: 'armed', onDuty: true, mode: 'paper' } });
  return created.value.id;
}

const tick = (quality: 'live' | 'stale' = 'live') => fixture.tick(quality, TAKE_TICK_MS);
const stateOf = async (id: string) => (await fixture.takeReads.find(ORG, id))?.state;
const announced = async (id: string) =>
  (
    await fixture.sql<
      { body: { state: string } }[]
    >`select body from announcements where channel = 'takes' and actor_id = ${id} order by xid, seq`
  ).map(({ body }) => body.state);

/** Runs due work and timers until nothing is due. */
async function settle(): Promise<void> {
  for (let round = 0; round < 6; round++) {
    await fixture.timers.fireDue();
    fixture.clock.advanceTo(fixture.clock.now() + 2);
  }
}

test('waits while its conditions fail, triggers on a cut, proposes, is filled on paper and ends', async () => {
  const id = await armed();
  fixture.price('61000', '61010');
  await tick();
  await settle();
  expect(await stateOf(id)).toBe('armed');
  fixture.price('59000', '59010');
  await tick();
  // The decision and its proposal exist; a timer of the same transaction tells the Take.
  expect((await fixture.list()).map(({ agentId, state, side }) => [agentId, state, side])).toEqual([[id, 'approved', 'entry']]);
  await settle();
  expect(await stateOf(id)).toBe('proposed');
  await fixture.carry();
  await settle();
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'filled', onDuty: false, reason: null });
  expect(await announced(id)).toEqual(['draft', 'armed', 'triggered', 'proposed', 'filled']);
  expect((await fixture.decisions(id)).map(({ disposition }) => disposition)).toEqual(['hold', 'propose_entry']);
  const [book] = await fixture.sql`select fills, capital_usd::text as capital from books where agent_id = ${id}`;
  expect(book).toEqual({ fills: 1, capital: '1000' });
  // It is not ticked any more, and never buys twice.
  await tick();
  await settle();
  expect(await fixture.decisions(id)).toHaveLength(2);
  expect(fixture.errors).toEqual([]);
});

test('its decisions have the form of agents’ decisions, are chained, and pass verify-trail; an altered one does not', async () => {
  const id = await armed();
  fixture.price('61000', '61010');
  for (let i = 0; i < 4; i++) await tick();
  const list = await createDecisionReads(fixture.sql, 'take').list(ORG, id, { limit: 10, after: null });
  expect(list?.items.map(({ slot }) => Date.parse(slot) % TAKE_TICK_MS)).toEqual([0, 0, 0, 0]);
  expect(list?.items[0]).toMatchObject({
    agentId: id,
    disposition: 'hold',
    rules: [{ type: 'price_below', passed: false, observed: '61005', threshold: '60000' }],
  });
  expect(list?.items[0]?.previousHash).toBe(list?.items[1]?.hash);
  // An agent's reads do not include it.
  expect(await createDecisionReads(fixture.sql).list(ORG, id, { limit: 10, after: null })).toBeNull();
  expect(await createAgentReads(fixture.sql).get(ORG, id)).toBeNull();
  expect(await verifyTrail(fixture.sql)).toMatchObject({ whole: true, breaks: [], agents: 1, decisions: 4 });
});

test('with exit conditions it holds its position, exits, and is closed', async () => {
  const id = await armed(take([{ type: 'price_above', price: '65000' }]));
  fixture.price('59000', '59010');
  await tick();
  await settle();
  await fixture.carry();
  await settle();
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'filled', onDuty: true });
  await tick();
  expect((await fixture.decisions(id)).at(-1)).toMatchObject({ disposition: 'hold' });
  fixture.price('66000', '66010');
  await tick();
  await settle();
  await fixture.carry();
  await settle();
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'closed', onDuty: false });
  expect(await announced(id)).toEqual(['draft', 'armed', 'triggered', 'proposed', 'filled', 'triggered', 'proposed', 'closed']);
  const [book] = await fixture.sql`select fills, holdings from books where agent_id = ${id}`;
  expect(book).toEqual({ fills: 2, holdings: [] });
});

test('learns of a fill before the proposal, and ends all the same', async () => {
  const id = await armed();
  fixture.price('59000', '59010');
  await tick();
  await fixture.carry();
  // The timers fire in the wrong order: the end first.
  await fixture.sql`update timers set due_at = 99 where actor_id = ${id} and event->>'type' = 'triggered'`;
  await settle();
  expect(await stateOf(id)).toBe('filled');
  await fixture.carry();
  expect(await fixture.list()).toHaveLength(1);
});

test('a silent or stale feed never triggers', async () => {
  const id = await armed();
  fixture.price('59000', '59010');
  await tick('stale');
  fixture.quotes.clear();
  await tick();
  await settle();
  expect(await stateOf(id)).toBe('armed');
  expect(await fixture.list()).toEqual([]);
  expect((await fixture.decisions(id)).map(({ disposition, reason }) => [disposition, reason])).toEqual([
    ['blocked_by_risk', 'quote_not_live'],
    ['hold', 'no_observation'],
  ]);
});

test('a missed slot is written late and proposes nothing', async () => {
  const id = await armed();
  fixture.price('59000', '59010');
  fixture.clock.advanceTo(fixture.clock.now() + 5 * TAKE_TICK_MS);
  await tick();
  const rows = await fixture.decisions(id);
  expect(rows.slice(0, -1).every(({ reason }) => reason === 'late_tick')).toBe(true);
  expect(rows.at(-1)).toMatchObject({ disposition: 'propose_entry' });
  expect(rows.length).toBeGreaterThan(3);
});

test('two workers, or the same one again, decide a slot once', async () => {
  const id = await armed();
  fixture.price('59000', '59010');
  await tick();
  fixture.freshWorker();
  await fixture.sql`select 1`;
  const { slot } = fixture;
  const again = await fixture.sql`select count(*)::int as n from decisions where agent_id = ${id} and slot = ${slot}`;
  expect(again).toEqual([{ n: 1 }]);
  await settle();
  await Promise.all([fixture.carry(), fixture.carry()]);
  await settle();
  expect(await fixture.sql`select count(*)::int as n from fills`).toEqual([{ n: 1 }]);
});

test('a disarmed Take is not evaluated, its open proposal is cancelled, and it can be armed again', async () => {
  const id = await armed();
  fixture.price('59000', '59010');
  await tick();
  expect(await fixture.takes.disarm(fixture.context(), id)).toMatchObject({
    ok: true,
    value: { state: 'disarmed', onDuty: false, reason: 'operator' },
  });
  await settle();
  await fixture.carry();
  expect((await fixture.list()).map(({ state }) => state)).toEqual(['cancelled']);
  await tick();
  expect(await fixture.decisions(id)).toHaveLength(1);
  expect(await fixture.takes.disarm(fixture.context(), id)).toMatchObject({ ok: false, refusal: { code: 'state_conflict' } });
  expect(await fixture.takes.arm(fixture.context(), id, 'paper', [])).toMatchObject({ ok: true, value: { state: 'armed' } });
});

test('an emergency halt disarms every Take at once, and executes none of their proposals', async () => {
  const id = await armed();
  const waiting = await armed(take([], { target: { kind: 'price', direction: 'below', value: '1' } }));
  fixture.price('59000', '59010');
  await tick();
  const halt = await fixture.commands.emergencyHalt(fixture.context());
  expect(halt.ok && [...halt.value.paused].sort()).toEqual([id, waiting].sort());
  await settle();
  await fixture.carry();
  await settle();
  expect([await stateOf(id), await stateOf(waiting)]).toEqual(['disarmed', 'disarmed']);
  expect(await fixture.sql`select count(*)::int as n from fills`).toEqual([{ n: 0 }]);
  await tick();
  expect(await fixture.decisions(id)).toHaveLength(1);
});

test('expires at its time, not before, by a timer that survives the process', async () => {
  const id = await armed(take([], { expiresAt: new Date(fixture.clock.now() + 3_600_000).toISOString() }));
  fixture.clock.advanceTo(fixture.clock.now() + 3_599_000);
  await settle();
  expect(await stateOf(id)).toBe('armed');
  fixture.clock.advanceTo(fixture.clock.now() + 2_000);
  await settle();
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'expired', onDuty: false, reason: 'life_over' });
  expect(await fixture.takes.arm(fixture.context(), id, 'paper', [])).toMatchObject({ ok: false, refusal: { code: 'state_conflict' } });
});

test.each([
  ['with exit conditions it watches its position', [{ type: 'price_above', price: '65000' }], true],
  ['without exit conditions it ends with its position', [], false],
])('filled in the moment of its expiry: %s, and a person can close it', async (_, exit, onDuty) => {
  const id = await armed(take(exit, { expiresAt: new Date(fixture.clock.now() + 3_600_000).toISOString() }));
  fixture.price('59000', '59010');
  await tick();
  await fixture.carry();
  // The timers of the expiry had been read before the proposal existed.
  const [life] = await fixture.sql<{ timer_id: string; due_at: number; event: { type: string } }[]>`
    select timer_id, due_at, event from timers where actor_id = ${id} and timer_id like '%lifeLeft%'`;
  if (life === undefined) throw new Error('no timer ends its life');
  await fixture.runtime.deliver(id, life.event, { cause: 'timer', firedTimer: { timerId: life.timer_id, dueBy: life.due_at } });
  expect(await stateOf(id)).toBe('expired');
  await settle();
  expect(await fixture.takeReads.find(ORG, id)).toMatchObject({ state: 'filled', onDuty, reason: null });
  expect(await fixture.takes.close(fixture.context(), id)).toMatchObject({ ok: true, value: { state: 'disarmed', reason: 'closing' } });
});

test('the mandate sets the limits, not the Take', async () => {
  const big = await fixture.takes.create(fixture.context(), take([], { allocationUsd: '2000000', maxSlippageBps: 900 }), READING);
  if (!big.ok) throw new Error(big.refusal.detail);
  const refused = await fixture.takes.arm(fixture.context(), big.value.id, 'paper', []);
  expect(refused).toMatchObject({
    ok: false,
    refusal: { code: 'blocked_by_risk', rejections: [{ code: 'notional_limit_breach' }, { code: 'slippage_budget_breach' }] },
  });
  expect(await stateOf(big.value.id)).toBe('draft');
  expect(await fixture.takes.arm(fixture.context(), big.value.id, 'live', [])).toMatchObject({
    ok: false,
    refusal: { code: 'blocked_by_risk' },
  });
  // The mandate is tightened after the arming: the tick checks it again.
  const id = await armed();
  await fixture.sql`insert into risk_preferences (org_id, version, body, set_by) values (${ORG}, 1, ${fixture.sql.json({ ...DEFAULT_PREFERENCES, reduceOnly: true } as never)}, 'ann')`;
  fixture.price('59000', '59010');
  await tick();
  expect((await fixture.decisions(id)).at(-1)).toMatchObject({ disposition: 'blocked_by_risk', reason: 'reduce_only' });
  expect(await fixture.list()).toEqual([]);
});

async function draftOf(allocationUsd: string): Promise<string> {
  const created = await fixture.takes.create(fixture.context(), take([], { allocationUsd }), READING);
  if (!created.ok) throw new Error(created.refusal.detail);
  return created.value.id;
}
const armLive = (id: string) => fixture.takes.arm(fixture.context(), id, 'live', []);
const lacking = (limit: string, before: string, after: string) => ({
  ok: false,
  refusal: { code: 'blocked_by_risk', rejections: [{ code: 'insufficient_balance', limit, before, after }] },
});

test('a live Take is armed only with unreserved dollars, and of two at the same moment only one', async () => {
  fixture.funding.isSimulated = false;
  const { sql, clock } = fixture;
  const reserves = createReserveStore(sql);
  const ids = [await draftOf('2000'), await draftOf('2000')] as const;
  // The account was never compared.
  expect(await armLive(ids[0])).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
  const books = { cashUsd: '0', capitalUsd: '0' };
  const claims = { cashUsd: '0', cashAt: { spotexchange: '0', spotchain: '0' }, holdings: [], depositedUsd: '0', books };
  const account = exchangePlace('7', [{ asset: 'USDT', free: '3000', locked: '0' }]);
  const wallet = { place: 'wallet w', venue: 'spotchain', known: true, dollars: '9000', assets: new Map() } as const;
  await reserves.keep(ORG, compareReserves(claims, [account, wallet], clock.now()), null);
  const outcomes = await Promise.all(ids.map(armLive));
  expect(outcomes.map(({ ok }) => ok).sort()).toEqual([false, true]);
  expect(outcomes.find(({ ok }) => !ok)).toMatchObject(lacking('3000', '1000', '-1000'));
  expect(await armLive(await draftOf('1000'))).toMatchObject({ ok: true });
  // A vault on the same account cannot take the dollars of armed Takes either, not even by a direct write.
  const agentId = await fixture.agent('policy_auto', eagerManifest({ maxCapitalUsd: '50000' }));
  await placeAtStage(fixture.url, agentId, 'limited_live');
  const vaults = createVaultStore(sql, createSignedRows(sql));
  const deposit = (backing: VaultReserves) =>
    createVaultHandler({ vaults, marks: () => new Map(), reserves: backing, clock }).deposit(fixture.context(), agentId, '1');
  expect(await deposit(reserves)).toMatchObject(lacking('3000', '0', '-1'));
  const present: VaultReserves['present'] = async (...of) => ({ ...(await reserves.present(...of)), armedUsd: '0', armedAtVenueUsd: '0' });
  expect(await deposit({ newest: reserves.newest, present })).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
  // A disarmed Take reserves nothing, and can be armed again.
  const [accepted, refused] = outcomes[0]?.ok === true ? ids : [ids[1], ids[0]];
  await fixture.takes.disarm(fixture.context(), accepted);
  expect(await armLive(refused)).toMatchObject({ ok: true });
  expect(await armLive(accepted)).toMatchObject(lacking('3000', '0', '-2000'));
  await fixture.takes.disarm(fixture.context(), refused);
  expect(await armLive(accepted)).toMatchObject({ ok: true });
  // The comparison still included what is now spent: a deposit does not count it, not even by a direct write.
  await sql.begin((transaction) => writeRecords(transaction, [{ type: 'fill', orgId: ORG, fill: liveFill(accepted, clock.now() + 1) }]));
  expect(await deposit(reserves)).toMatchObject(lacking('3000', '0', '-1'));
  expect(await deposit({ newest: reserves.newest, present })).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
  // Another Take cannot be armed with it either.
  expect(await armLive(await draftOf('1'))).toMatchObject(lacking('3000', '0', '-1'));
  // A person's own purchase cannot use it either.
  const market = fixture.preTrade as unknown as ImpactPreTrade;
  fixture.price('60000', '60010');
  const order = { instrument: BTC, side: 'buy', notionalUsd: '10', quantity: null, limitPrice: null, maxSlippageBps: null } as const;
  const assessed = await market.preview(ORG, 'live', order, []);
  expect(assessed.ok && assessed.value.verdict.risk.rejections).toContainEqual(
    expect.objectContaining({
      code: 'insufficient_balance',
      limit: '0',
      suggestion: expect.stringContaining('0 of 3000 US dollars are free at this venue'),
    }),
  );
  const { bound } = await createRiskReads(sql).manualAccount(ORG, 'live');
  expect(bound.bound.map(({ venue, cashUsd, spentUsd }) => [venue, cashUsd, spentUsd]).sort()).toEqual([
    ['spotexchange', '1000', '0'],
    ['spotexchange', '499', '1501'],
  ]);
});

/** Returns a purchase of 1,500 dollars with a fee of one. */
const liveFill = (takeId: string, at: number): Fill => ({
  id: 'bought since',
  orderId: 'an order',
  bookId: bookIds.live(takeId),
  instrument: BTC,
  side: 'buy',
  quantity: '0.025',
  fillPrice: '60000',
  feeUsd: '1',
  notionalUsd: '1500',
  decisionPrice: '60000',
  slippageBps: 0,
  at,
  quotes: [],
});

test('live Takes of a sandbox and deposits into its vaults share the simulated dollars', async () => {
  expect(await armLive(await draftOf('60000'))).toMatchObject({ ok: true });
  expect(await armLive(await draftOf('60000'))).toMatchObject(lacking('100000', '40000', '-20000'));
  const agentId = await fixture.agent('policy_auto', eagerManifest({ maxCapitalUsd: '900000' }));
  await placeAtStage(fixture.url, agentId, 'live');
  await expect(fixture.fund(agentId, '40001')).rejects.toMatchObject({ constraint_name: 'vault_backing' });
  await fixture.fund(agentId, '40000');
  expect(await armLive(await draftOf('1'))).toMatchObject(lacking('100000', '0', '-1'));
});

test('a published Take is forked by another organization with its lineage; an unpublished one is not found there', async () => {
  const theirs = '00000000-0000-7000-8000-000000000002';
  await fixture.sql`insert into organizations (id, name) values (${theirs}, 'theirs')`;
  const original = await fixture.takes.create(fixture.context(), take(), READING);
  if (!original.ok) throw new Error(original.refusal.detail);
  const stranger = { ...fixture.context(), orgId: theirs, subject: 'bob' };
  expect(await fixture.takes.fork(stranger, original.value.id, {})).toMatchObject({ ok: false, refusal: { code: 'not_found' } });
  expect(await fixture.takes.publish(fixture.context(), original.value.id)).toMatchObject({ ok: true });
  const fork = await fixture.takes.fork(stranger, original.value.id, { allocationUsd: '250', thresholds: { 'entry[0].price': '55000' } });
  expect(fork).toMatchObject({
    ok: true,
    value: {
      state: 'draft',
      lineage: [original.value.id],
      take: { allocationUsd: '250', entry: [{ type: 'price_below', price: '55000' }] },
    },
  });
  const second = await fixture.takes.fork(stranger, (fork as { value: { id: string } }).value.id, {});
  expect(second).toMatchObject({ ok: true, value: { lineage: [original.value.id, (fork as { value: { id: string } }).value.id] } });
  // The original still belongs to the other organization.
  expect(await fixture.takes.disarm(stranger, original.value.id)).toMatchObject({ ok: false, refusal: { code: 'not_found' } });
});

test('a failed order leaves it armed for the next cut', async () => {
  const id = await armed();
  fixture.price('59000', '59010');
  await tick();
  await settle();
  // The quote is stale at execution: risk rejects it.
  fixture.price('59000', '59010', 'stale');
  for (let round = 0; round < 4; round++) {
    await fixture.carry();
    fixture.clock.advanceTo(fixture.clock.now() + 200_000);
  }
  await settle();
  const [proposal] = await fixture.list();
  if (proposal !== undefined && ['failed', 'blocked_by_risk', 'expired'].includes(proposal.state)) expect(await stateOf(id)).toBe('armed');
  else expect(proposal?.state).toBe('approved');
});
