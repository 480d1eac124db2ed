// Halts and breakers reach Takes and basis policies as they reach agents: same transition, same halt, same seconds by the wall clock.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { AgentCommands } from '../../../actors/agent/commands.ts';
import { createFeedNotices } from '../../../actors/agent/feed-notices.ts';
import { createDirectory } from '../../../actors/runtime/directory.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { startTimers } from '../../../actors/runtime/timers.ts';
import { takeKind, takeState } from '../../../actors/take/effects.ts';
import { tradersSubscribedTo } from '../../../src/adapters/store/agents/manifest-reads.ts';
import { policyTake } from '../../../src/domain/basis/policy.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { readTakeFields } from '../../../src/domain/take/read-take.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { undocumentedAnnouncement } from '../../harness/documented-frames.ts';
import { placeAtStage } from '../../harness/fixture.ts';
import { waitFor } from '../../harness/wait-for.ts';
import { actorsOn } from '../../world/actor-world.ts';
import { eagerManifest, type TradingFixture, tradingFixture } from '../proposal/trading-fixture.ts';
import { eachRow } from '../../../actors/runtime/containment.ts';

const READING = { thesis: null, understood: [], assumed: [], notUnderstood: [], open: [] };
const AGENTS = 8;
const TAKES = 60;
const live = createLiveClock();

let fixture: TradingFixture;
let runtime: Runtime;
let commands: AgentCommands;

beforeEach(async () => {
  fixture = await tradingFixture();
  ({ runtime, commands } = actorsOn(fixture.sql, live));
});
afterEach(() => fixture.close());

/** Creates agents, Takes and basis policies on one token, all active. */
async function traders() {
  const world = { catalog: CATALOG, now: fixture.clock.now() };
  // The wall clock is months ahead of the fixture's: they get the longest lifetime of a Take.
  const expiresAt = world.now + 365 * 86_400_000;
  const thesis = readTakeFields(
    {
      symbol: 'AAPLx',
      target: { kind: 'price', direction: 'below', value: '1' },
      allocationUsd: '10',
      expiresAt: new Date(expiresAt).toISOString(),
    },
    world,
  );
  const terms = { symbol: 'AAPLx', enterDiscountPct: 2, exitDiscountPct: 0, notionalUsd: '10', maxSlippageBps: 50, maxHoldHours: 1 };
  const basis = policyTake({ ...terms, expiresAt }, world);
  if (!thesis.ok || !basis.ok) throw new Error('the Takes of the test are none');
  const manifest = eagerManifest({ universe: [{ key: 'spotchain:AAPLx', kind: 'tokenized_equity' }] as never });
  const agents: string[] = [];
  const takes: string[] = [];
  for (let n = 0; n < AGENTS; n++) agents.push(await fixture.agent('research', manifest));
  for (let n = 0; n < TAKES; n++) {
    const armed = await fixture.takes.createArmed(fixture.context(), n % 2 === 0 ? thesis.take : basis.take, READING, 'paper');
    if (!armed.ok) throw new Error(armed.refusal.detail);
    takes.push(armed.value.id);
  }
  return { agents, takes };
}

/** Returns the time and the cause of the first step by which each was paused. */
const ended = (ids: readonly string[]) => fixture.sql<{ at: number }[]>`
  select distinct on (actor_id) actor_id, at from steps where actor_id = any(${ids as string[]}::uuid[])
    and (to_value ->> 'duty' = 'paused' or to_value ->> 'life' = 'disarmed') order by actor_id, version`;

function endedAll(ids: readonly string[], what: string) {
  return waitFor(
    async () => {
      const steps = await ended(ids);
      return steps.length === ids.length ? steps.map(({ at }) => at) : null;
    },
    { what, deadlineMs: 20_000 },
  );
}

test('lost data pauses agents, Takes and basis policies with capital at work after the same five seconds', async () => {
  const { agents, takes } = await traders();
  for (const id of agents) await placeAtStage(fixture.url, id, 'limited_live');
  // Marks them as armed with capital; their own table is irrelevant here.
  await fixture.sql`update actors set version = version + 1, snapshot = jsonb_set(snapshot, '{context,mode}', '"live"') where id = any(${takes}::uuid[])`;
  const subscribers = await tradersSubscribedTo(fixture.sql)('spotchain');
  expect(new Set(subscribers)).toEqual(new Set([...agents, ...takes]));
  const timers = startTimers({
    contained: eachRow((error) => fixture.errors.push(error)),
    store: fixture.actorStore,
    runtime,
    clock: live,
    onError: (error) => fixture.errors.push(error),
  });
  try {
    const began = live.now();
    const notify = createFeedNotices({ subscribers: tradersSubscribedTo(fixture.sql), runtime, clock: live });
    await notify({ type: 'feed.degraded', subject: 'spotchain', at: began, goodAt: began });
    const toldAt = live.now();
    const [ofAgents, ofTakes] = await Promise.all([endedAll(agents, 'breakers of agents'), endedAll(takes, 'breakers of Takes')]);
    for (const at of [...ofAgents, ...ofTakes]) expect(at - began).toBeGreaterThanOrEqual(5_000);
    // The same mechanism for both, within one timer interval of each other. A second by design; the test machine may be busy.
    const last = Math.max(...ofAgents, ...ofTakes);
    expect(last - Math.max(toldAt, began + 5_000)).toBeLessThan(4_000);
    expect(Math.abs(Math.max(...ofTakes) - Math.max(...ofAgents))).toBeLessThan(4_000);
    expect(fixture.errors).toEqual([]);
    // Alerts name the trader and the venue, in the documented forms of the feed.
    const alerts = await fixture.sql<{ body: { agentId: string; venues?: string[] } }[]>`
      select body from announcements where channel = 'alerts' and body ->> 'what' = 'data_degraded'`;
    expect(alerts.map(({ body }) => body.agentId).sort()).toEqual([...agents, ...takes].sort());
    for (const { body } of alerts) expect([body.venues, undocumentedAnnouncement('alerts', body)]).toEqual([['spotchain'], []]);
  } finally {
    await timers.stop();
  }
});

test('an emergency halt pauses agents, Takes and basis policies together, and none has a permit after its answer', async () => {
  const { agents, takes } = await traders();
  const began = live.now();
  const halted = await commands.emergencyHalt(fixture.context());
  expect(halted.ok).toBe(true);
  const [ofAgents, ofTakes] = await Promise.all([endedAll(agents, 'the halt of agents'), endedAll(takes, 'the halt of Takes')]);
  expect(Math.max(...ofAgents, ...ofTakes) - began).toBeLessThan(10_000);
  expect(await fixture.sql`select 1 from takes where on_duty`).toEqual([]);
  fixture.price('200', '201', 'live', 'spotchain:AAPLx');
  await fixture.tick('live', 30_000);
  expect(await fixture.list()).toEqual([]);
});

test('a Take from before feed notices is continued with its state and its timers', async () => {
  const { takes } = await traders();
  const id = takes[0] as string;
  const now = (await fixture.actorStore.load([id])).get(id);
  if (now === undefined) throw new Error('there is no such Take');
  const { degradedVenues: _, breaker: __, ...context } = now.state.context;
  const before = { ...now.state, value: (now.state.value as { life: never }).life, context };
  const fit = createDirectory([takeKind]).fit({ kind: 'take', machine: 'take@1', state: before as never });
  expect(fit?.state).toEqual(now.state);
  expect(fit === null ? null : takeState(fit.state)).toEqual({ state: 'armed', onDuty: true });
});
