// A trade proposal from the decision to the book, on real PostgreSQL: approved, declined, expired, cancelled, blocked, filled.
import { beforeEach, expect, test } from 'vitest';
import { createEmergencyHalt } from '../../../actors/agent/emergency-halt.ts';
import type { MarketOrderInput } from '../../../actors/market-order/machine.ts';
import { createKillSwitch } from '../../../actors/proposal/kill-switch.ts';
import { eachRow } from '../../../actors/runtime/containment.ts';
import { createDecisionReads, createRecommendations } from '../../../src/adapters/store/agents/decision-reads.ts';
import { openDatabase } from '../../../src/adapters/store/database.ts';
import { createKillSwitchStore } from '../../../src/adapters/store/orders/kill-switch-store.ts';
import { bookIds } from '../../../src/domain/books/book.ts';
import type { Order } from '../../../src/domain/orders/order.ts';
import { DEFAULT_PREFERENCES } from '../../../src/domain/risk/preferences.ts';
import { BTC, eagerManifest, fillOf, ORG, type TradingFixture, tradingFixture } from './trading-fixture.ts';

let fixture: TradingFixture;
beforeEach(async () => {
  fixture = await tradingFixture();
  return () => fixture.close();
});

async function pendingProposal(): Promise<{ agentId: string; id: string }> {
  const agentId = await fixture.agent('confirm');
  fixture.price('60000', '60010');
  await fixture.tick();
  const [proposal] = await fixture.list();
  if (proposal === undefined) throw new Error(JSON.stringify(await fixture.decisions(agentId)));
  return { agentId, id: proposal.id };
}
const state = async (id: string) => {
  const found = await fixture.proposals.find(ORG, id);
  return [found?.state, found?.reason];
};

test('an agent at confirm proposes once, waits, and its approved order is filled on paper and booked', async () => {
  const { agentId, id } = await pendingProposal();
  const [proposal] = await fixture.list();
  expect(proposal).toMatchObject({
    agentId,
    state: 'pending_approval',
    side: 'entry',
    order: { id, mode: 'paper', instrument: BTC, side: 'buy', limitPrice: '60310.05', bookId: `agent:${agentId}:paper:1` },
    decisionPrice: '60010',
  });
  // 1,000 USD at the limit price, in whole lots of 0.00001.
  expect(proposal?.order.quantity).toBe('0.01658');
  await fixture.tick();
  expect((await fixture.decisions(agentId)).map(({ disposition, reason }) => [disposition, reason])).toEqual([
    ['propose_entry', null],
    ['hold', 'proposal_pending'],
  ]);
  expect(await fixture.list()).toHaveLength(1);

  const approved = await fixture.orders.approve(fixture.context(), id);
  expect(approved).toMatchObject({ ok: true, value: { state: 'approved', decidedBy: 'ann' } });
  await fixture.carry();
  const filled = await fixture.proposals.find(ORG, id);
  expect(filled).toMatchObject({ state: 'filled', filledQuantity: '0.01658' });
  expect(filled?.fills).toHaveLength(1);
  expect(filled?.fills[0]).toMatchObject({
    orderId: id,
    side: 'buy',
    fillPrice: '60010',
    quotes: [{ source: 'test:top', bid: '60000', ask: '60010' }],
  });
  // 0.01658 x 60,010 = 994.9658; 10 bps fee, rounded up to a millionth.
  const [book] = await fixture.sql`select cash_usd::text as cash, fills from books where id = ${`agent:${agentId}:paper:1`}`;
  expect(book).toEqual({ cash: '9004.039234', fills: 1 });
  await fixture.tick();
  const last = (await fixture.decisions(agentId)).at(-1);
  expect(JSON.parse(last?.book ?? 'null')).toMatchObject({
    fills: 1,
    openProposals: 0,
    positions: [{ instrument: BTC, quantity: '0.01658' }],
  });
  expect(last).toMatchObject({ disposition: 'hold', reason: null });
  expect(fixture.errors).toEqual([]);
});

test('the position is closed again: an exit proposal sells it, and the book is flat', async () => {
  const { agentId, id } = await pendingProposal();
  await fixture.orders.approve(fixture.context(), id);
  await fixture.carry();
  fixture.price('71000', '71010');
  await fixture.tick();
  const [exit] = await fixture.list();
  expect(exit).toMatchObject({ state: 'pending_approval', side: 'exit', order: { side: 'sell', reduceOnly: true, quantity: '0.01658' } });
  expect(await fixture.orders.approve(fixture.context(), exit?.id as string)).toMatchObject({ ok: true });
  await fixture.carry();
  expect(await state(exit?.id as string)).toEqual(['filled', null]);
  const [book] = await fixture.sql`select holdings, fills, realized_pnl_usd::text as pnl from books where agent_id = ${agentId}`;
  // (71,000 - 60,010) x 0.01658
  expect(book).toEqual({ holdings: [], fills: 2, pnl: '182.2142' });
  const sums = await fixture.sql`
    select a.asset, sum(l.amount)::text as sum from ledger_legs l join ledger_accounts a on a.id = l.account_id group by a.asset`;
  for (const { sum } of sums) expect(Number(sum)).toBe(0);
});

test('fifty approvals at once are one execution and one fill', async () => {
  const { id } = await pendingProposal();
  const outcomes = await Promise.all(Array.from({ length: 50 }, () => fixture.orders.approve(fixture.context(), id)));
  expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
  for (const outcome of outcomes) if (!outcome.ok) expect(outcome.refusal).toMatchObject({ code: 'state_conflict' });
  await Promise.all([fixture.carry(), fixture.carry(), fixture.carry()]);
  await fixture.carry();
  expect(await fixture.sql`select count(*)::int as n from fills`).toEqual([{ n: 1 }]);
  expect(await state(id)).toEqual(['filled', null]);
});

test('a declined proposal records by whom and why, frees its capacity, and the agent proposes again', async () => {
  const { id } = await pendingProposal();
  expect(await fixture.orders.decline(fixture.context(), id, 'not today')).toMatchObject({
    ok: true,
    value: { state: 'declined', reason: 'not today', decidedBy: 'ann' },
  });
  expect(await fixture.orders.approve(fixture.context(), id)).toMatchObject({
    ok: false,
    refusal: { code: 'state_conflict', detail: 'the proposal is declined (not today); only a pending one can be decided' },
  });
  await fixture.tick();
  expect((await fixture.list()).map((one) => one.state)).toEqual(['pending_approval', 'declined']);
});

test('a proposal without approval expires by a timer that survives the process', async () => {
  const { id } = await pendingProposal();
  fixture.clock.advanceTo(fixture.clock.now() + 599_000);
  await fixture.timers.fireDue();
  expect(await state(id)).toEqual(['pending_approval', null]);
  fixture.clock.advanceTo(fixture.clock.now() + 1_001);
  await fixture.timers.fireDue();
  expect(await state(id)).toEqual(['expired', 'approval_window_over']);
  expect(await fixture.sql`select 1 from timers where actor_id = ${id}`).toEqual([]);
});

test('a proposal past its time is not approved, though no worker has ended it yet', async () => {
  const { id } = await pendingProposal();
  fixture.clock.advanceTo(fixture.clock.now() + 600_000);
  fixture.price('60000', '60010');
  expect(await fixture.orders.approve(fixture.context(), id)).toMatchObject({
    ok: false,
    refusal: { code: 'state_conflict', detail: 'the proposal has expired (approval_window_over); only a pending one can be decided' },
  });
  await fixture.timers.fireDue();
  expect(await state(id)).toEqual(['expired', 'approval_window_over']);
});

test('stale data at the approval leaves the proposal pending; a breached limit ends it', async () => {
  const { id } = await pendingProposal();
  fixture.price('60000', '60010', 'stale');
  const stale = await fixture.orders.approve(fixture.context(), id);
  expect(stale).toMatchObject({ ok: false, refusal: { code: 'blocked_by_risk', rejections: [{ code: 'quote_not_live' }] } });
  expect(await state(id)).toEqual(['pending_approval', null]);
  fixture.price('60000', '60010');
  await fixture.sql`
    insert into risk_preferences (org_id, version, body, set_by) values (${ORG}, 1, ${fixture.sql.json({ maxTradeNotionalUsd: '10' })}, 'rita')`;
  const breached = await fixture.orders.approve(fixture.context(), id);
  expect(breached).toMatchObject({ ok: false, refusal: { code: 'blocked_by_risk', rejections: [{ code: 'notional_limit_breach' }] } });
  expect(await state(id)).toEqual(['blocked_by_risk', 'notional_limit_breach']);
});

test('a quote older than its limit fills nothing, however live it was at receipt', async () => {
  const { id } = await pendingProposal();
  expect(await fixture.orders.approve(fixture.context(), id)).toMatchObject({ ok: true });
  fixture.clock.advanceTo(fixture.clock.now() + 6_000);
  await fixture.carry();
  expect(await state(id)).toEqual(['blocked_by_risk', 'quote_not_live']);
  expect(await fixture.sql`select 1 from fills`).toEqual([]);
});

test('the book of the venue fills level by level within the limit, and the rest lapses', async () => {
  const { id } = await pendingProposal();
  await fixture.orders.approve(fixture.context(), id);
  const now = fixture.clock.now();
  fixture.books.set(BTC, {
    source: 'test:depth',
    observedAt: now,
    receivedAt: now,
    quality: 'live',
    flags: [],
    bids: [{ price: '60000', size: '1' }],
    asks: [
      { price: '60010', size: '0.004' },
      { price: '60100', size: '0.006' },
      { price: '60400', size: '5' },
    ],
  });
  await fixture.carry();
  const filled = await fixture.proposals.find(ORG, id);
  expect(filled).toMatchObject({
    state: 'partially_filled',
    filledQuantity: '0.01',
    fills: [{ fillPrice: '60064', quotes: [{ source: 'test:depth' }] }],
  });
});

test('policy_auto executes at once, suggest creates nothing but announces it, research does neither', async () => {
  const auto = await fixture.agent('policy_auto');
  const suggests = await fixture.agent('suggest');
  await fixture.agent('research');
  fixture.price('60000', '60010');
  await fixture.tick();
  const [proposal, ...others] = await fixture.list();
  expect(others).toEqual([]);
  expect(proposal).toMatchObject({ agentId: auto, state: 'approved', decidedBy: null });
  await fixture.carry();
  expect(await state(proposal?.id as string)).toEqual(['filled', null]);
  expect((await fixture.decisions(suggests)).map(({ disposition }) => disposition)).toEqual(['propose_entry']);
  const said = await fixture.sql<{ actor_id: string; body: { what: string; instrument: string } }[]>`
    select actor_id, body from announcements where channel = 'proposals' and body->>'what' = 'recommended'`;
  expect(said).toMatchObject([{ actor_id: suggests, body: { instrument: BTC, side: 'entry' } }]);
  const recommended = createRecommendations(fixture.sql, createDecisionReads(fixture.sql));
  const listed = await recommended(ORG, { limit: 10, after: null });
  expect(listed).toMatchObject({ items: [{ decision: { agentId: suggests, instrument: BTC, disposition: 'propose_entry' } }], next: null });
  expect((await recommended('00000000-0000-7000-8000-0000000000ff', { limit: 10, after: null })).items).toEqual([]);
  const [slot] = listed.items.map(({ decision }) => Date.parse(decision.slot));
  expect((await recommended(ORG, { limit: 10, after: `${slot}|${suggests}` })).items).toEqual([]);
});

test('policy_auto trades the full size or not at all; autonomous reduces it to the available room', async () => {
  const manifest = eagerManifest({ maxCapitalUsd: '700', maxTradeNotionalUsd: '1000' });
  const auto = await fixture.agent('policy_auto', manifest);
  const free = await fixture.agent('autonomous', manifest);
  fixture.price('60000', '60010');
  await fixture.tick();
  expect((await fixture.decisions(auto))[0]).toMatchObject({ disposition: 'blocked_by_risk', reason: 'position_weight_breach' });
  const [proposal] = await fixture.list({ agentId: free });
  expect(Number(proposal?.order.notionalUsd)).toBeGreaterThan(690);
  expect(Number(proposal?.order.notionalUsd)).toBeLessThanOrEqual(700);
  await fixture.carry();
  expect(await state(proposal?.id as string)).toEqual(['filled', null]);
});

test('a mandate with less slippage than the manifest stops purchases, and no sale of what is held', async () => {
  const agentId = await fixture.agent('policy_auto');
  fixture.price('60000', '60010');
  await fixture.tick();
  await fixture.carry();
  await fixture.sql`
    insert into risk_preferences (org_id, version, body, set_by) values (${ORG}, 1, ${fixture.sql.json({ ...DEFAULT_PREFERENCES, maxSlippageBps: 5 } as never)}, 'ann')`;
  const other = await fixture.agent('policy_auto');
  fixture.price('71000', '71010');
  await fixture.tick();
  expect((await fixture.decisions(other)).at(-1)).toMatchObject({ disposition: 'blocked_by_risk', reason: 'slippage_budget_breach' });
  expect((await fixture.decisions(agentId)).at(-1)).toMatchObject({ disposition: 'propose_exit' });
  const [exit] = await fixture.list({ agentId });
  expect(exit?.order).toMatchObject({ side: 'sell', maxSlippageBps: 5, limitPrice: '70964.5' });
  // The market rises before the execution.
  fixture.price('71500', '71510');
  await fixture.carry();
  expect(await state(exit?.id as string)).toEqual(['filled', null]);
});

test('changes of the agent cancel pending proposals: pause, another manifest, a lower level', async () => {
  for (const [change, reason] of [
    [(id: string) => fixture.commands.pause(fixture.context(), id), 'paused'],
    [(id: string) => fixture.commands.addVersion(fixture.context(), id, eagerManifest({ maxSlippageBps: 40 })), 'manifest_changed'],
    [(id: string) => fixture.commands.setAutonomy(fixture.context(), id, 'suggest'), 'autonomy_lowered'],
    [(id: string) => fixture.commands.setAutonomy(fixture.context(), id, 'risk_only'), 'autonomy_lowered'],
  ] as const) {
    const { agentId, id } = await pendingProposal();
    expect(await change(agentId)).toMatchObject({ ok: true });
    expect(await state(id)).toEqual(['cancelled', reason]);
    await fixture.commands.pause(fixture.context(), agentId);
  }
});

test('if the process dies between pause and cancellation, timers of the same commit cancel', async () => {
  const { agentId, id } = await pendingProposal();
  // As another process would: only the agent's step.
  await fixture.runtime.deliver(agentId, { type: 'pause', cause: 'operator' }, { cause: 'test' });
  expect(await state(id)).toEqual(['pending_approval', null]);
  expect(await fixture.orders.approve(fixture.context(), id)).toMatchObject({
    ok: false,
    refusal: { code: 'state_conflict', detail: 'the agent is paused; it will not be executed' },
  });
  await fixture.timers.fireDue();
  expect(await state(id)).toEqual(['cancelled', 'paused']);
});

test('a live order without a client of its venue fails with feature_disabled and reserves nothing', async () => {
  const agentId = await fixture.agent('confirm', eagerManifest({ maxCapitalUsd: '50000' }));
  await fixture.atStage(agentId, 'limited_live');
  fixture.price('60000', '60010');
  await fixture.tick();
  // A live book without capital: risk rejects at the decision.
  expect((await fixture.decisions(agentId)).at(-1)).toMatchObject({ disposition: 'blocked_by_risk' });
  await fixture.fund(agentId, '5000');
  await fixture.tick();
  const [proposal] = await fixture.list();
  expect(proposal?.order).toMatchObject({ mode: 'live', bookId: `agent:${agentId}:live` });
  expect(await fixture.orders.approve(fixture.context(), proposal?.id as string)).toMatchObject({ ok: true });
  await fixture.carry();
  expect(await state(proposal?.id as string)).toEqual(['failed', 'feature_disabled']);
  await fixture.tick();
  expect((await fixture.decisions(agentId)).at(-1)).toMatchObject({ disposition: 'propose_entry' });
});

test("reduce_to_flat closes a breaker-held agent's positions through risk, once; an operator's pause closes nothing", async () => {
  const held = async (action: 'reduce_to_flat' | 'cancel_all_and_halt') => {
    const agentId = await fixture.agent('policy_auto', eagerManifest({ killSwitchAction: action }));
    await fixture.atStage(agentId, 'live');
    await fixture.fund(agentId, '5000');
    return agentId;
  };
  const flat = await held('reduce_to_flat');
  const halts = await held('cancel_all_and_halt');
  const client = {
    submit: async (order: Order, { decisionPrice }: { decisionPrice: string }) => ({
      outcome: 'filled' as const,
      fills: [fillOf(order, decisionPrice, fixture.clock.now())],
    }),
    lookUp: async () => ({ outcome: 'unknown' as const, detail: '' }),
  };
  const clients = { spotexchange: client };
  fixture.price('60000', '60010');
  await fixture.tick();
  await fixture.carry({ clients });
  const killSwitch = createKillSwitch({
    contained: eachRow((error) => {
      throw error;
    }),
    store: createKillSwitchStore(fixture.sql),
    runtime: fixture.runtime,
    preTrade: fixture.preTrade,
    bid: (key) => fixture.quotes.get(key)?.bid ?? null,
    clock: fixture.clock,
  });
  for (const id of [flat, halts]) await fixture.commands.pause(fixture.context(), id);
  expect(await killSwitch.look()).toBe(0);
  for (const id of [flat, halts]) {
    await fixture.runtime.deliver(id, { type: 'resume', subject: 'b', createdBy: 'a', at: fixture.clock.now() }, { cause: 'test' });
    const trip = { type: 'breaker.tripped', breaker: 'daily_drawdown', at: fixture.clock.now(), observed: 4, limit: 3 };
    expect(await fixture.runtime.deliver(id, trip, { cause: 'test' })).toMatchObject({ ok: true });
  }
  fixture.price('59000', '59010');
  expect(await killSwitch.look()).toBe(1);
  expect(await killSwitch.look()).toBe(0);
  const [exit] = await fixture.list({ agentId: flat });
  expect(exit).toMatchObject({ state: 'approved', side: 'exit', decisionId: null, order: { side: 'sell', reduceOnly: true } });
  await fixture.carry({ clients });
  expect(await state(exit?.id as string)).toEqual(['filled', null]);
  expect(await fixture.sql`select agent_id from books where holdings <> '[]' and mode = 'live'`).toEqual([{ agent_id: halts }]);
  // An emergency halt overrides a running kill switch.
  expect(fixture.errors).toEqual([]);
});

test('halt_only keeps pending proposals: they cannot be approved while the breaker holds, but afterwards', async () => {
  const agentId = await fixture.agent('confirm', eagerManifest({ killSwitchAction: 'halt_only' }));
  await fixture.atStage(agentId, 'live');
  await fixture.fund(agentId, '5000');
  fixture.price('60000', '60010');
  await fixture.tick();
  const [proposal] = await fixture.list();
  await fixture.runtime.deliver(
    agentId,
    { type: 'breaker.tripped', breaker: 'daily_drawdown', at: fixture.clock.now(), observed: 4, limit: 3 },
    { cause: 'test' },
  );
  await fixture.timers.fireDue();
  expect(await state(proposal?.id as string)).toEqual(['pending_approval', null]);
  expect(await fixture.orders.approve(fixture.context(), proposal?.id as string)).toMatchObject({
    ok: false,
    refusal: { code: 'state_conflict' },
  });
});

test('a stop-loss ends the slices of its own entry and sells their fills, while both are recorded as open', async () => {
  const agentId = await fixture.agent('policy_auto', eagerManifest({ algorithm: 'twap', urgency: 'low', stopLossPct: 2 }));
  fixture.price('60000', '60010');
  await fixture.tick();
  await fixture.carry();
  const [entry] = await fixture.list();
  expect(entry).toMatchObject({ side: 'entry', state: 'executing' });
  expect(Number(entry?.filledQuantity)).toBeGreaterThan(0);

  fixture.price('58000', '58010');
  await fixture.tick();
  const [exit] = await fixture.list();
  expect(exit).toMatchObject({ side: 'exit', state: 'approved', order: { quantity: entry?.filledQuantity } });
  await fixture.timers.fireDue();
  expect(await state(entry?.id as string)).toEqual(['partially_filled', 'stop_loss']);
  await fixture.carry();
  expect((await fixture.proposals.find(ORG, exit?.id as string))?.state).toBe('filled');
  const [held] = await fixture.sql<{ held: string }[]>`
    select coalesce(sum(case side when 'buy' then quantity else -quantity end), 0)::text as held from fills where book_id = ${`agent:${agentId}:paper:1`}`;
  expect(Number(held?.held)).toBe(0);
});

/** Creates a person's live order that will rest at its venue and is not sent yet. */
async function restingOrder(): Promise<string> {
  const id = fixture.newId();
  const order: Order = {
    id,
    origin: 'manual',
    mode: 'live',
    bookId: bookIds.manual(ORG, 'live'),
    venue: 'spotexchange',
    instrument: BTC,
    side: 'buy',
    reduceOnly: false,
    quantity: '0.01',
    limitPrice: '59000',
    notionalUsd: '590',
    maxSlippageBps: 50,
  };
  const input: MarketOrderInput = {
    order,
    begins: 'approved',
    decisionPrice: '60010',
    risk: { verdict: 'passed', rejections: [] },
    placedBy: 'ann',
    epoch: 0,
    reason: null,
    detail: null,
    fills: [],
    bookVersion: 0,
    createdAt: fixture.clock.now(),
    resting: { postOnly: false },
  };
  await fixture.runtime.start('market_order', id, ORG, input as never, { cause: 'ann' });
  return id;
}

test('a forged step of a proposal and of an order that rests: the halt cancels all others, quarantines these two, and completes', async () => {
  for (let agents = 0; agents < 3; agents++) await fixture.agent('confirm');
  fixture.price('60000', '60010');
  await fixture.tick();
  const proposals = (await fixture.list()).map(({ id }) => id);
  const orders = [await restingOrder(), await restingOrder(), await restingOrder()];
  expect(proposals).toHaveLength(3);
  const forged = [proposals[1], orders[1]] as string[];
  const owner = openDatabase({ url: fixture.url, role: null, name: 'forger', connections: 1 });
  await owner.begin(async (transaction) => {
    await transaction`alter table steps disable trigger all`;
    await transaction`
      insert into steps (actor_id, version, at, machine, event, from_value, to_value, cause)
      select id, version + 1, ${fixture.slot}, machine, '{"type":"forged"}', '{}', '{}', 'x' from actors where id = any(${forged}::uuid[])`;
    await transaction`alter table steps enable trigger all`;
  });
  await owner.end();
  const clock = { now: () => fixture.clock.now(), deadline: () => () => {} };
  const halts = createEmergencyHalt({ runtime: fixture.runtime, store: fixture.agents, clock });
  const { pausing, cancelledProposals } = await halts.halt(ORG, { subject: 'ann', requestId: 'r1' }, [], 'done');
  expect([pausing, cancelledProposals]).toEqual([0, 2]);
  const ended = async (table: string, ids: readonly string[]) => {
    const rows = await fixture.sql<{ id: string; state: string; reason: string | null }[]>`
      select id, state, reason from ${fixture.sql(table)} where id = any(${ids as string[]}::uuid[])`;
    return ids.map((id) => rows.flatMap((row) => (row.id === id ? [row.state, row.reason] : [])));
  };
  const halted = ['cancelled', 'halted'];
  expect(await ended('proposals', proposals)).toEqual([halted, ['pending_approval', null], halted]);
  expect(await ended('market_orders', orders)).toEqual([halted, ['approved', null], halted]);
  // These two stay quarantined, and people can see which they are.
  expect(await fixture.sql`select id from actors where status = 'quarantined' order by id`).toEqual(
    [...forged].sort().map((id) => ({ id })),
  );
  const incidents = await fixture.sql<
    { id: string }[]
  >`select distinct actor_id as id from incidents where kind = 'quarantined' order by 1`;
  expect(incidents).toEqual([...forged].sort().map((id) => ({ id })));
  expect(await fixture.sql`select swept_epoch = epoch as swept from control where org_id = ${ORG}`).toEqual([{ swept: true }]);
});
