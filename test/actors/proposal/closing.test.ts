// Positions of agents are closed by hand on real PostgreSQL: at every stage and autonomy, after a halt, a demotion or a new version.
import { beforeEach, expect, test } from 'vitest';
import { createKillSwitch } from '../../../actors/proposal/kill-switch.ts';
import { createKillSwitchStore } from '../../../src/adapters/store/orders/kill-switch-store.ts';
import { createRiskReads } from '../../../src/adapters/store/risk/risk-reads.ts';
import { AUTONOMY_LEVELS } from '../../../src/domain/agents/agent.ts';
import { bookIds } from '../../../src/domain/books/book.ts';
import { findClosing, supersededBy, withClosing } from '../../../src/domain/orders/execution.ts';
import type { Order } from '../../../src/domain/orders/order.ts';
import { DEFAULT_PREFERENCES } from '../../../src/domain/risk/preferences.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { BTC, eagerManifest, fillOf, ORG, type TradingFixture, tradingFixture } from './trading-fixture.ts';
import { eachRow } from '../../../actors/runtime/containment.ts';

const ETH: InstrumentKey = 'spotexchange:ETHUSDT';

let fixture: TradingFixture;
beforeEach(async () => {
  fixture = await tradingFixture();
  return () => fixture.close();
});

/** The exchange fills every order completely at its decision price. */
const clients = {
  spotexchange: {
    submit: async (order: Order, { decisionPrice }: { decisionPrice: string }) => ({
      outcome: 'filled' as const,
      fills: [fillOf(order, decisionPrice, fixture.clock.now())],
    }),
    lookUp: async () => ({ outcome: 'unknown' as const, detail: '' }),
  },
};

const look = () =>
  createKillSwitch({
    contained: eachRow((error) => {
      throw error;
    }),
    store: createKillSwitchStore(fixture.sql),
    runtime: fixture.runtime,
    preTrade: fixture.preTrade,
    bid: (key) => fixture.quotes.get(key)?.bid ?? null,
    clock: fixture.clock,
  }).look();

const held = async (id: string) =>
  (
    await fixture.sql<{ book: string; instrument: string }[]>`
      select b.mode as book, h->>'instrument' as instrument from books b, jsonb_array_elements(b.holdings) h where b.agent_id = ${id} order by 1, 2`
  ).map(({ book, instrument }) => `${book} ${instrument}`);

function priced(bid = '60000'): void {
  fixture.price(bid, String(Number(bid) + 10));
  fixture.price('3000', '3001', 'live', ETH);
}

/** Creates a live agent with the position that its manifest buys. */
async function holding(universe: readonly InstrumentKey[] = [BTC]): Promise<string> {
  const id = await fixture.agent(
    'policy_auto',
    eagerManifest({ universe: universe.map((key) => ({ key, kind: 'spot' as const })), maxTradeNotionalUsd: '400', maxOpenPositions: 5 }),
  );
  await fixture.atStage(id, 'live');
  await fixture.fund(id, '5000');
  for (const _ of universe) {
    priced();
    await fixture.tick();
    await fixture.carry({ clients });
  }
  expect(await held(id)).toEqual(universe.map((key) => `live ${key}`));
  return id;
}

async function soldOut(id: string): Promise<void> {
  priced();
  expect(await look()).toBe(1);
  expect(await look()).toBe(0);
  await fixture.carry({ clients });
  expect(await held(id)).toEqual([]);
  await look();
  expect(await fixture.agents.find(ORG, id)).toMatchObject({ closing: [], paused: true });
  expect(fixture.errors).toEqual([]);
}

const set = (id: string, autonomy: (typeof AUTONOMY_LEVELS)[number]) => fixture.commands.setAutonomy(fixture.context(), id, autonomy);
const BEFORE: { readonly [what: string]: (id: string) => Promise<unknown> } = {
  nothing: async () => {},
  'a pause': (id) => fixture.commands.pause(fixture.context(), id),
  'an emergency halt': () => fixture.commands.emergencyHalt(fixture.context()),
  'a breaker': (id) =>
    fixture.runtime.deliver(
      id,
      { type: 'breaker.tripped', breaker: 'daily_drawdown', at: fixture.clock.now(), observed: 4, limit: 3 },
      { cause: 'test' },
    ),
  'a demotion to paper': (id) =>
    fixture.runtime.deliver(
      id,
      { type: 'breaker.tripped', breaker: 'slippage', at: fixture.clock.now(), observed: 4, limit: 3 },
      { cause: 'test' },
    ),
  'a demotion to backtest': (id) =>
    fixture.runtime.deliver(
      id,
      { type: 'breaker.tripped', breaker: 'disagreement', at: fixture.clock.now(), observed: 90, limit: 99 },
      { cause: 'test' },
    ),
  'a new version': (id) => fixture.commands.addVersion(fixture.context(), id, eagerManifest({ maxTradeNotionalUsd: '300' })),
  'a stricter mandate': (id) =>
    fixture.sql`insert into risk_preferences (org_id, version, body, set_by)
      values (${ORG}, 1, ${fixture.sql.json({ ...DEFAULT_PREFERENCES, maxSlippageBps: 5, reduceOnly: true, maxTradeNotionalUsd: '1' } as never)}, ${id})`,
  ...Object.fromEntries(AUTONOMY_LEVELS.map((level) => [`autonomy ${level}`, (id: string) => set(id, level)])),
};

test.each(Object.keys(BEFORE))('after %s a person can close a live position, and the agent buys nothing more', async (what) => {
  const id = await holding();
  await BEFORE[what]?.(id);
  const closed = await fixture.commands.close(fixture.context(), id, { instrument: null, limitPrice: null });
  expect(closed).toMatchObject({ ok: true, value: { paused: true, closing: [{ instrument: null, limitPrice: null, subject: 'ann' }] } });
  await soldOut(id);
  const [exit] = await fixture.list({ agentId: id });
  expect(exit).toMatchObject({
    state: 'filled',
    side: 'exit',
    decisionId: null,
    order: { side: 'sell', mode: 'live', reduceOnly: true },
  });
  await fixture.tick();
  expect(await look()).toBe(0);
  expect(await held(id)).toEqual([]);
  expect((await fixture.sql`select subject, action from audit where target = ${id} and action = 'agent.close'`)[0]).toEqual({
    subject: 'ann',
    action: 'agent.close',
  });
  expect(await fixture.commands.close(fixture.context(), id, { instrument: null, limitPrice: null })).toMatchObject({
    ok: false,
    refusal: { code: 'state_conflict', detail: 'the agent holds nothing to close' },
  });
});

test('a halt after the close request cancels its order, and the next check sells all the same', async () => {
  const id = await holding();
  await fixture.commands.close(fixture.context(), id, { instrument: null, limitPrice: null });
  priced();
  expect(await look()).toBe(1);
  await fixture.commands.emergencyHalt(fixture.context());
  await fixture.timers.fireDue();
  await fixture.carry({ clients });
  expect(await held(id)).toEqual([`live ${BTC}`]);
  fixture.clock.advanceTo(fixture.clock.now() + 60_000);
  await soldOut(id);
});

test('one position is closed at its limit once the market pays it, and the others stay', async () => {
  const id = await holding([BTC, ETH]);
  const wish = { instrument: BTC, limitPrice: '61000' };
  expect(await fixture.commands.close(fixture.context(), id, { ...wish, instrument: 'spotexchange:SOLUSDT' })).toMatchObject({
    ok: false,
    refusal: { code: 'state_conflict' },
  });
  expect(await fixture.commands.close(fixture.context(), id, wish)).toMatchObject({ ok: true, value: { closing: [wish] } });
  priced('60999.99');
  expect(await look()).toBe(0);
  priced('61010');
  expect(await look()).toBe(1);
  const [exit] = await fixture.list({ agentId: id });
  expect(exit).toMatchObject({ order: { instrument: BTC, limitPrice: '61000' } });
  await fixture.carry({ clients });
  expect(await look()).toBe(0);
  expect(await held(id)).toEqual([`live ${ETH}`]);
  expect(await fixture.agents.find(ORG, id)).toMatchObject({ closing: [], paused: true, pauseCause: 'operator' });
});

test('a paper position is closed too, and resuming the agent withdraws the request', async () => {
  const id = await fixture.agent('policy_auto');
  priced();
  await fixture.tick();
  await fixture.carry();
  expect(await held(id)).toEqual([`paper ${BTC}`]);
  await fixture.commands.close(fixture.context(), id, { instrument: null, limitPrice: null });
  priced();
  expect(await look()).toBe(1);
  expect(await fixture.commands.resume(fixture.context(), id)).toMatchObject({ ok: true, value: { paused: false, closing: [] } });
  await fixture.timers.fireDue();
  await fixture.carry();
  expect(await look()).toBe(0);
  expect(await held(id)).toEqual([`paper ${BTC}`]);
  await fixture.commands.close(fixture.context(), id, { instrument: BTC, limitPrice: null });
  fixture.clock.advanceTo(fixture.clock.now() + 60_000);
  priced();
  expect(await look()).toBe(1);
  await fixture.carry();
  expect(await held(id)).toEqual([]);
});

test('a paper position of an earlier manifest version stays in the portfolio, and is closed on paper at any stage', async () => {
  const id = await fixture.agent('policy_auto');
  priced();
  await fixture.tick();
  await fixture.carry();
  await fixture.commands.addVersion(fixture.context(), id, eagerManifest({ maxTradeNotionalUsd: '300' }));
  const reads = createRiskReads(fixture.sql);
  const places = async () => (await reads.books(ORG, 'paper')).filter(({ state }) => state.holdings.length > 0).map((book) => book.id);
  expect(await places()).toEqual([bookIds.paper(id, 1)]);
  await fixture.atStage(id, 'live');
  expect(await fixture.commands.close(fixture.context(), id, { instrument: BTC, limitPrice: null })).toMatchObject({ ok: true });
  await soldOut(id);
  expect(await places()).toEqual([]);
  const [exit] = await fixture.list({ agentId: id });
  expect(exit).toMatchObject({
    state: 'filled',
    manifestVersion: 1,
    order: { mode: 'paper', bookId: bookIds.paper(id, 1), reduceOnly: true },
  });
});

test('a position on a venue without live orders is closed on paper, at its limit too', async () => {
  const perp: InstrumentKey = 'evmvenue:BTC';
  const id = await fixture.agent('policy_auto', eagerManifest({ universe: [{ key: perp, kind: 'perp' }] }));
  fixture.price('60000', '60010', 'live', perp);
  await fixture.tick();
  await fixture.carry();
  expect(await held(id)).toEqual([`paper ${perp}`]);
  await fixture.commands.close(fixture.context(), id, { instrument: perp, limitPrice: '61000' });
  fixture.price('60990', '61000', 'live', perp);
  expect(await look()).toBe(0);
  fixture.price('61001', '61010', 'live', perp);
  expect(await look()).toBe(1);
  await fixture.carry();
  expect(await held(id)).toEqual([]);
});

test('prices that are not live sell nothing, and the request stays', async () => {
  const id = await holding();
  await fixture.commands.close(fixture.context(), id, { instrument: null, limitPrice: null });
  fixture.price('60000', '60010', 'stale');
  expect(await look()).toBe(0);
  expect(await fixture.agents.find(ORG, id)).toMatchObject({ closing: [{ instrument: null }] });
  await soldOut(id);
});

test('a request for one instrument overrides the one for all, and neither lets an order from before a halt be sent', () => {
  const all = { instrument: null, limitPrice: null, subject: 'a', at: 1 };
  const one = { instrument: BTC, limitPrice: '5', subject: 'a', at: 2 };
  expect(findClosing(withClosing([all], one), BTC)).toBe(one);
  expect(findClosing(withClosing([all], one), ETH)).toBe(all);
  expect(withClosing([all, one], { ...all, at: 3 })).toEqual([{ ...all, at: 3 }]);
  expect(withClosing([one], { ...one, at: 4 })).toEqual([{ ...one, at: 4 }]);
  const permit = { epoch: 1, manifestHash: 'a', mode: 'live', reduceOnly: true, byItself: true, flattens: true } as const;
  const facts = { epoch: 1, manifestHash: 'b', paused: true, closedByHand: true, stage: 'draft', autonomy: 'research' } as const;
  expect(supersededBy(permit, facts)).toBe(null);
  expect(supersededBy(permit, { ...facts, epoch: 2 })).toBe('halted');
  expect(supersededBy({ ...permit, flattens: false }, facts)).toBe('paused');
  expect(supersededBy(permit, { ...facts, closedByHand: false })).toBe('paused');
});
