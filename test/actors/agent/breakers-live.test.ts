// Breakers on a real database: live fills and books trip them, timers fire on time, and only evidence after a demotion counts.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FILL_LOOK_MS } from '../../../actors/agent/book-breakers.ts';
import { createBreakerWatch } from '../../../actors/agent/breaker-watch.ts';
import { runEvery } from '../../../actors/runtime/run-every.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import { writeRecords } from '../../../src/adapters/store/actors/actor-records.ts';
import { createBreakerFacts } from '../../../src/adapters/store/agents/breaker-facts.ts';
import { writeCut } from '../../../src/adapters/store/agents/cut-store.ts';
import { expectedSlippage } from '../../../src/adapters/store/gates/evidence-store.ts';
import { createBreakers } from '../../../src/boot/wiring/breakers.ts';
import { bookIds, emptyBook, type Fill, markBook, startOfUtcDay } from '../../../src/domain/books/book.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { createGateFixture, type GateFixture, ORG } from '../../adapters/store/gates/gate-fixture.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { payIntoVault } from '../../harness/vault.ts';
import { PATIENCE, waitFor } from '../../harness/wait-for.ts';
import { actorsOn } from '../../world/actor-world.ts';
import { sampleObservation } from './sample.ts';
import { eachRow } from '../../../actors/runtime/containment.ts';
import { containment } from '../../harness/contained.ts';

let fixture: GateFixture;
let runtime: Runtime;
let timers: ReturnType<typeof actorsOn>['timers'];
const clock = createVirtualClock(Date.UTC(2027, 0, 1));
beforeAll(async () => {
  fixture = await createGateFixture(await testDatabase());
  ({ runtime, timers } = actorsOn(fixture.app, clock));
});
afterAll(() => fixture.close());

const rowOf = async (id: string) => (await fixture.app`select stage, pause_cause, stage_evidence from agents where id = ${id}`)[0];

/** Fills the live book with purchases, each with this slippage from its decision price. */
async function liveFills(id: string, count: number, slippageBps: number, at: number): Promise<void> {
  const bookId = bookIds.live(id);
  await payIntoVault(fixture.app, ORG, id, '300', at);
  await fixture.app.begin(async (sql) => {
    for (let n = 0; n < count; n++) {
      const fill: Fill = {
        id: fixture.newId(),
        orderId: fixture.newId(),
        bookId,
        instrument: 'spotchain:AAPLx',
        side: 'buy',
        quantity: '0.1',
        fillPrice: '100',
        feeUsd: '0',
        notionalUsd: '10',
        decisionPrice: '99.9',
        slippageBps,
        at,
        quotes: [],
      };
      await writeRecords(sql, [{ type: 'fill', orgId: ORG, fill }]);
    }
  });
}

test('expected slippage is that of the newest shadow evidence, otherwise of the backtest, never of an older manifest', async () => {
  const before = await fixture.agentAt('shadow', { evidence: 'absent' });
  const after = await fixture.agentAt('limited_live', { evidence: 'absent' });
  const draft = await fixture.agentAt('draft', { evidence: 'absent' });
  const expected = await expectedSlippage(fixture.app, [before, after, draft]);
  expect([expected.get(before), expected.get(after), expected.get(draft)]).toEqual([6, 0, undefined]);
  const changed = await fixture.addVersion(after, { stopLossPct: 9 });
  await fixture.app`update agents set stage = 'draft', manifest_version = ${changed.version}, manifest_hash = ${changed.hash} where id = ${after}`;
  expect((await expectedSlippage(fixture.app, [after])).size).toBe(0);
});

test('live fills that cost more than three times the expectation demote to paper; neither earlier evidence nor these fills count afterwards', async () => {
  const id = await fixture.agentAt('limited_live', { evidence: 'passing' });
  const facts = createBreakerFacts(fixture.app);
  const watch = createBreakerWatch({
    contained: eachRow((error) => {
      throw error;
    }),
    runtime,
    slippage: facts.slippage,
    clock,
  });
  const book = { agentId: id, stage: 'limited_live' as const, manifest: fixture.manifest, marked: { dailyDrawdownPct: 0 } };
  const at = clock.now();
  // The fixture's shadow fills at its decision prices: it expects no slippage.
  await liveFills(id, 4, 0, at);
  expect(await watch.look([book])).toEqual([]);
  await liveFills(id, 4, 180, at);
  expect((await facts.slippage([id])).get(id)).toEqual({ fills: 8, slippageBps: 90, expectedSlippageBps: 0 });
  expect(await watch.look([book])).toEqual([id]);
  expect(await rowOf(id)).toEqual({ stage: 'paper', pause_cause: null, stage_evidence: null });
  expect(await watch.look([book])).toEqual([]);
  const [alert] = await fixture.app`select body from announcements where actor_id = ${id} and channel = 'alerts'`;
  expect(alert?.['body']).toMatchObject({ what: 'slippage', stage: 'paper', breaker: 'slippage', observed: '90', limit: '0' });
  expect(
    await fixture.app`select from_stage, asked_by from stage_changes where agent_id = ${id} and to_stage = 'paper' order by seq desc limit 1`,
  ).toEqual([{ from_stage: 'limited_live', asked_by: 'breaker slippage' }]);
  for (const kind of ['paper', 'shadow', 'risk_signoff']) {
    const { manifestVersion, manifestHash } = fixture.manifestOf(id);
    expect(await fixture.app`select 1 from gate_evidence(${id}, ${kind}, ${manifestVersion}, ${manifestHash})`).toEqual([]);
  }
});

test('one fill that costs far more than expected demotes without waiting for four more', async () => {
  const id = await fixture.agentAt('limited_live', { evidence: 'passing' });
  const watch = createBreakerWatch({
    contained: eachRow((error) => {
      throw error;
    }),
    runtime,
    slippage: createBreakerFacts(fixture.app).slippage,
    clock,
  });
  await liveFills(id, 1, 90, clock.now());
  const book = { agentId: id, stage: 'limited_live' as const, manifest: fixture.manifest, marked: { dailyDrawdownPct: 0 } };
  expect(await watch.look([book])).toEqual([id]);
  expect(await rowOf(id)).toMatchObject({ stage: 'paper' });
});

test('a position without a price trips at the lowest bid of its day', async () => {
  const key: InstrumentKey = 'spotchain:AAPLx';
  const id = await fixture.agentAt('limited_live', { evidence: 'absent' });
  const at = clock.now();
  const day = startOfUtcDay(at);
  const bids = [
    [day - 600_000, '50', 'live'],
    [day + 600_000, '99', 'live'],
    [day + 1_200_000, '80', 'live'],
    [day + 1_800_000, '98', 'live'],
    [day + 2_400_000, '10', 'stale'],
  ] as const;
  for (const [slot, bid, quality] of bids) {
    const base = sampleObservation(key, slot, { mid: bid, premiumPct: null, rsi: null, quality });
    const observation = { ...base, quote: base.quote && { ...base.quote, bid } };
    await writeCut(fixture.app, { slot, observations: new Map([[key, observation]]) } as never, 'streams');
  }
  const facts = createBreakerFacts(fixture.app);
  const later = day + 3_000_000;
  expect([...(await facts.worstKnown([key, 'spotchain:SPYx'], later))]).toEqual([[key, '80']]);
  // A day without a live bid uses the last bid of the day before.
  expect([...(await facts.worstKnown([key], day + 86_400_000 + 1))]).toEqual([[key, '98']]);
  const virtual = createVirtualClock(later);
  const { runtime: runtimeThen, errors, onError } = actorsOn(fixture.app, virtual);
  const breakers = createBreakers({ containment, sql: fixture.app, runtime: runtimeThen, clock: virtual, onError });
  const holdings = [{ instrument: key, quantity: '1', costUsd: '100', openedAt: day }];
  const state = { ...emptyBook(bookIds.live(id), 'live', '100'), holdings, day, dayStartEquityUsd: '200' };
  const book = (limit: number) => ({
    agentId: id,
    stage: 'limited_live' as const,
    manifest: { ...fixture.manifest, maxDailyDrawdownPct: limit },
    marked: markBook(state, new Map(), later),
  });
  // 100 in cash and a position of 80, of 200: a drawdown of ten percent.
  await breakers.onMarked([book(10)]);
  expect(await rowOf(id)).toMatchObject({ pause_cause: null });
  await breakers.onMarked([book(9.9)]);
  expect([errors, await rowOf(id)]).toEqual([[], expect.objectContaining({ pause_cause: 'daily_drawdown' })]);
});

test('a live fill between two ticks is checked at once: a day beyond the drawdown limit pauses the agent', async () => {
  const live = createLiveClock();
  const id = await fixture.agentAt('limited_live', { evidence: 'absent' });
  const now = live.now();
  const breakers = createBreakers({
    containment,
    sql: fixture.app,
    runtime: actorsOn(fixture.app, live).runtime,
    clock: live,
    onError: (error) => expect(error).toBe(null),
  });
  const slot = Math.floor(now / 60_000) * 60_000;
  await fixture.app`insert into cuts (slot, source, instruments) values (${slot}, 'streams', 1) on conflict do nothing`;
  await fixture.app`insert into observations (slot, instrument, hash, body) values (${slot}, 'spotchain:AAPLx', 'h', '{"quote":{"bid":"10","ask":"11","quality":"live"}}')`;
  await liveFills(id, 4, 0, now - 1_000);
  const day = Math.floor(now / 86_400_000) * 86_400_000;
  await fixture.app`update books set day = ${day}, day_start_equity_usd = 500 where id = ${bookIds.live(id)}`;
  // Started only now: a check between the fills and their day would trip at once.
  const looking = runEvery(live, 'breakers', FILL_LOOK_MS, breakers.look, (error) => expect(error).toBe(null));
  try {
    await liveFills(id, 1, 0, live.now());
    expect(await rowOf(id)).toMatchObject({ pause_cause: null });
    // 900 were deposited; a first mark of 1300 makes it a bad day once a fill is checked.
    await fixture.app`update books set day_start_equity_usd = 1300 where id = ${bookIds.live(id)}`;
    await liveFills(id, 1, 0, live.now());
    await waitFor(async () => (await rowOf(id))?.['pause_cause'] === 'daily_drawdown', { what: 'the drawdown breaker between ticks' });
    expect(await rowOf(id)).toMatchObject({ stage: 'limited_live' });
  } finally {
    await looking.stop();
  }
});

test.each([
  ['final a minute after its block', 60_000, 0],
  ['booked while nothing was checked for an hour', 3_600_000, 3_600_000],
])('a live fill that was %s is checked between ticks', async (_, ageMs, pauseMs) => {
  const own = createVirtualClock(clock.now());
  const id = await fixture.agentAt('limited_live', { evidence: 'passing' });
  const breakers = createBreakers({
    containment,
    sql: fixture.app,
    runtime,
    clock: own,
    onError: (error) => expect(error).toBe(null),
  });
  expect(await breakers.look()).not.toContain(id);
  own.advanceTo(own.now() + pauseMs);
  await liveFills(id, 1, 90, own.now() - ageMs);
  expect(await breakers.look()).toContain(id);
  expect(await rowOf(id)).toMatchObject({ stage: 'paper' });
});

describe('data that is degraded for five seconds', () => {
  const ids: string[] = [];
  beforeAll(async () => {
    // One after the other: each climbs through all gates.
    // oxlint-disable-next-line no-await-in-loop
    while (ids.length < 12) ids.push(await fixture.agentAt('limited_live', { evidence: 'absent' }));
  });

  test('pauses after five whole seconds, however the feed flaps, and at the next check at the latest', async () => {
    const id = await fixture.agentAt('limited_live', { evidence: 'absent' });
    const feed = (type: 'feed.degraded' | 'feed.restored') => runtime.deliverMany([id], { type, venue: 'spotchain' }, { cause: 'feed' });
    for (const badMs of [4_900, 4_999, 1, 4_999]) {
      await feed('feed.degraded');
      clock.advanceTo(clock.now() + badMs);
      await timers.fireDue();
      await feed('feed.restored');
      clock.advanceTo(clock.now() + 10);
      await timers.fireDue();
      expect(await rowOf(id)).toMatchObject({ pause_cause: null });
    }
    await feed('feed.degraded');
    clock.advanceTo(clock.now() + 5_000);
    await timers.fireDue();
    expect(await rowOf(id)).toMatchObject({ pause_cause: 'data_degraded' });
  });

  test('a dozen agents of one venue pause by the wall clock: none before 4.9 s, all within a second after five', async () => {
    const live = createLiveClock();
    const { store, runtime: real } = actorsOn(fixture.app, live);
    const timers = startTimers({
      contained: eachRow((error) => expect(error).toBe(null)),
      store,
      runtime: real,
      clock: live,
      onError: (error) => expect(error).toBe(null),
    });
    try {
      const began = live.now();
      const told = await real.deliverMany(ids, { type: 'feed.degraded', venue: 'spotchain' }, { cause: 'feed' });
      expect([...told.values()].every(({ ok }) => ok)).toBe(true);
      const paused = () => fixture.app<{ at: number }[]>`
        select at from steps where actor_id = any(${ids}::uuid[]) and to_value ->> 'duty' = 'paused' order by at`;
      const steps = await waitFor(
        async () => {
          const found = await paused();
          return found.length >= ids.length ? found : null;
        },
        { what: 'a dozen breakers', deadlineMs: 20_000 },
      );
      expect(steps).toHaveLength(ids.length);
      expect((steps[0]?.at as number) - began).toBeGreaterThanOrEqual(5_000);
      // A second by design (a check each quarter of one); the test machine may be busy.
      const [last] = await fixture.app<{ at: number }[]>`
        select max(at) as at from steps where actor_id = any(${ids}::uuid[]) and event ->> 'type' = 'feed.degraded'`;
      const slowestMs = live.now() - (last?.at as number) - 5_000;
      expect(slowestMs, 'from five seconds after the last was told until all were seen paused').toBeLessThan(1_000 * PATIENCE);
    } finally {
      await timers.stop();
    }
  });
});
