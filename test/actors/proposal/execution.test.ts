// Live execution through a venue client, with a crash between any two steps: at most one fill, and only reconciling leaves `unknown`.
import { beforeEach, expect, test } from 'vitest';
import { EXECUTE_ORDER } from '../../../actors/proposal/effects.ts';
import type { ExecutionClient } from '../../../actors/proposal/execution-client.ts';
import { LEASE_MS } from '../../../actors/proposal/lease.ts';
import { TOLD } from '../../../actors/runtime/activities.ts';
import type { Fill } from '../../../src/domain/books/book.ts';
import type { VenueAnswer } from '../../../src/domain/orders/execution.ts';
import type { Order } from '../../../src/domain/orders/order.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { eagerManifest, fillOf, ORG, type TradingFixture, tradingFixture } from './trading-fixture.ts';

let fixture: TradingFixture;
beforeEach(async () => {
  fixture = await tradingFixture();
  return () => fixture.close();
});

/** Creates a venue that remembers orders by their keys and may lose its answer. */
function venue(behaviour: { loses?: 'order' | 'answer' | null; silent?: boolean } = {}) {
  const orders = new Map<string, Fill>();
  const submits: string[] = [];
  const filled = (fill: Fill): VenueAnswer => ({ outcome: 'filled', fills: [fill] });
  const client: ExecutionClient<'spotexchange'> = {
    async submit(order: Order, { key, decisionPrice }) {
      submits.push(key);
      if (behaviour.loses === 'order') throw new Error('the connection was refused');
      const fill = orders.get(key) ?? fillOf(order, decisionPrice, fixture.clock.now());
      orders.set(key, fill);
      if (behaviour.loses === 'answer') return { outcome: 'unknown', detail: 'the answer was lost' };
      return filled(fill);
    },
    async lookUp(_, key) {
      if (behaviour.silent === true) return { outcome: 'unknown', detail: 'the venue does not answer' };
      const fill = orders.get(key);
      return fill === undefined ? { outcome: 'rejected', reason: 'not_found', detail: 'no such order' } : filled(fill);
    },
  };
  return { client, orders, submits, behaviour };
}

async function liveProposal(): Promise<{ agentId: string; id: string }> {
  const agentId = await fixture.agent('confirm', eagerManifest({ maxCapitalUsd: '50000' }));
  await fixture.atStage(agentId, 'limited_live');
  await fixture.fund(agentId, '5000');
  fixture.price('60000', '60010');
  await fixture.tick();
  const [proposal] = await fixture.list({ agentId });
  const approved = await fixture.orders.approve(fixture.context(), proposal?.id as string);
  if (!approved.ok) throw new Error(approved.refusal.detail);
  return { agentId, id: proposal?.id as string };
}
const state = async (id: string) => {
  const found = await fixture.proposals.find(ORG, id);
  return [found?.state, found?.reason];
};
const fills = async () => (await fixture.sql<{ n: number }[]>`select count(*)::int as n from fills`)[0]?.n;
/** Makes activities of a dead worker due again. */
const due = () => fixture.sql`update activities set due_at = 0 where state = 'pending'`;
/** Ends all leases, which run by the database's clock, so that the next worker may follow. */
const leaseOver = () => fixture.sql`update execution_leases set held_until = clock_timestamp() - interval '1 millisecond'`;

test('a live order goes through its client once, and the venue’s fill is booked', async () => {
  const { id, agentId } = await liveProposal();
  const { client, submits } = venue();
  await fixture.carry({ clients: { spotexchange: client } });
  expect(await state(id)).toEqual(['filled', null]);
  expect(submits).toEqual([id]);
  expect(await fills()).toBe(1);
  expect(await fixture.sql`select 1 from execution_leases`).toEqual([]);
  expect((await fixture.sql`select cash_usd < 5000 as spent from books where agent_id = ${agentId}`)[0]).toEqual({ spent: true });
});

test('an unknown outcome is reconciled until the venue answers; nothing else resolves it', async () => {
  const { id, agentId } = await liveProposal();
  const world = venue({ loses: 'answer', silent: true });
  const clients = { spotexchange: world.client };
  await fixture.carry({ clients });
  expect(await state(id)).toEqual(['unknown', null]);
  for (const event of [
    { type: 'cancel', reason: 'x' },
    { type: 'approve', subject: 'a', risk: {} },
    { type: 'decline', subject: 'a', reason: null },
  ])
    expect(await fixture.runtime.deliver(id, event, { cause: 'test' })).toMatchObject({ ok: false });
  await fixture.tick();
  expect((await fixture.decisions(agentId)).at(-1)).toMatchObject({ reason: 'proposal_pending' });
  for (let round = 0; round < 3; round++) {
    await fixture.carry({ clients });
    expect(await state(id)).toEqual(['unknown', null]);
    fixture.clock.advanceTo(fixture.clock.now() + 15_001);
    await fixture.timers.fireDue();
  }
  world.behaviour.silent = false;
  await fixture.carry({ clients });
  expect(await state(id)).toEqual(['filled', null]);
  expect(world.submits).toEqual([id]);
  expect(await fills()).toBe(1);
  const alerts = await fixture.sql`select 1 from announcements where channel = 'alerts' and body->>'what' = 'order_outcome_unknown'`;
  expect(alerts).toHaveLength(1);
});

test('a halt leaves unknown outcomes alone, and the venue still resolves them', async () => {
  const { id } = await liveProposal();
  const world = venue({ loses: 'answer', silent: true });
  await fixture.carry({ clients: { spotexchange: world.client } });
  expect(await fixture.commands.emergencyHalt(fixture.context())).toMatchObject({ ok: true, value: { cancelledProposals: 0 } });
  expect(await state(id)).toEqual(['unknown', null]);
  world.behaviour.silent = false;
  await fixture.carry({ clients: { spotexchange: world.client } });
  expect(await state(id)).toEqual(['filled', null]);
});

test('a worker without the venue does not end an order that a dead worker may have sent: the venue decides once it is enabled again', async () => {
  const { id } = await liveProposal();
  const world = venue();
  const dying = {
    ...world.client,
    submit: async (...sent: Parameters<typeof world.client.submit>) => {
      await world.client.submit(...sent);
      throw new Error('the worker died');
    },
  };
  await fixture.carry({ clients: { spotexchange: dying } });
  expect((await state(id))[0]).toBe('executing');
  await leaseOver();
  await due();
  await fixture.carry({ clients: {} });
  expect(await state(id)).toEqual(['unknown', null]);
  fixture.clock.advanceTo(fixture.clock.now() + 15_001);
  await fixture.timers.fireDue();
  await fixture.carry({ clients: { spotexchange: world.client } });
  expect(await state(id)).toEqual(['filled', null]);
  expect(world.submits).toEqual([id]);
  expect(await fills()).toBe(1);
});

// A worker dies at a point, and the next one finds the activity. At any point: one order at the venue, one fill here.
const CRASHES = [
  'before risk',
  'before the lease',
  'after the lease',
  'before sending',
  'after sending',
  'before the answer is kept',
] as const;
for (const mode of ['live', 'paper'] as const) {
  for (const point of CRASHES) {
    test(`${mode}: a worker that dies ${point} is followed by one that ends with one fill`, async () => {
      let id: string;
      if (mode === 'live') id = (await liveProposal()).id;
      else {
        await fixture.agent('policy_auto');
        fixture.price('60000', '60010');
        await fixture.tick();
        id = (await fixture.list())[0]?.id as string;
      }
      const world = venue();
      const died = new Error('the process died');
      const [activity] = await fixture.actorStore.takeActivities(fixture.clock.now(), 5_000, 10, ['execute_order']);
      const runtime: typeof fixture.runtime = {
        ...fixture.runtime,
        deliver: async (actorId, event, options) => {
          if (event.type === 'execution.begun' && point === 'before the lease') throw died;
          const outcome = await fixture.runtime.deliver(actorId, event, options);
          if (event.type === 'execution.begun' && point === 'after the lease') throw died;
          return outcome;
        },
        // On paper the lease and the fill are in one transaction.
        deliverInTurn: async (...turn) => {
          if (point === 'before the lease') throw died;
          const outcome = await fixture.runtime.deliverInTurn(...turn);
          if (point === 'after the lease') throw died;
          return outcome;
        },
      };
      const client: ExecutionClient<'spotexchange'> = {
        ...world.client,
        submit: async (order, info) => {
          if (point === 'before sending') throw died;
          const answer = await world.client.submit(order, info);
          if (point === 'after sending') throw died;
          return answer;
        },
      };
      const workers = fixture.workersOf({
        runtime,
        clients: { spotexchange: client },
        preTrade: {
          assess: async (...parameters) => {
            if (point === 'before risk') throw died;
            return fixture.preTrade.assess(...parameters);
          },
        },
      });
      const carrying = workers[EXECUTE_ORDER]?.(activity?.payload ?? {}, activity?.key ?? '');
      // On paper nothing is sent, and the stored answer has already reached the actor.
      const silentPoint =
        point === 'before the answer is kept' || (mode === 'paper' && (point === 'before sending' || point === 'after sending'));
      if (silentPoint) expect((await carrying) === TOLD).toBe(mode === 'paper');
      else await expect(carrying).rejects.toThrow('the process died');

      fixture.clock.advanceTo(fixture.clock.now() + LEASE_MS);
      fixture.price('60000', '60010');
      await due();
      if (mode === 'live' && point === 'after the lease') {
        // The holder of a live lease may be sending: nobody follows.
        await fixture.carry({ clients: { spotexchange: world.client } });
        expect([await state(id), world.submits]).toEqual([['executing', null], []]);
        await due();
      }
      await leaseOver();
      await fixture.carry({ clients: { spotexchange: world.client } });
      expect(await state(id)).toEqual(['filled', null]);
      expect(await fills()).toBe(1);
      expect(world.orders.size).toBe(mode === 'live' ? 1 : 0);
      await due();
      await fixture.carry({ clients: { spotexchange: world.client } });
      expect(await fills()).toBe(1);
    });
  }
}

test('a worker that died under its lease before a halt sends nothing afterwards: cancelled', async () => {
  const { id } = await liveProposal();
  const world = venue();
  const [activity] = await fixture.actorStore.takeActivities(fixture.clock.now(), 5_000, 10, ['execute_order']);
  const workers = fixture.workersOf({
    clients: { spotexchange: { ...world.client, submit: async () => Promise.reject(new Error('the process died')) } },
  });
  await expect(workers[EXECUTE_ORDER]?.(activity?.payload ?? {}, activity?.key ?? '')).rejects.toThrow('the process died');
  expect(await state(id)).toEqual(['executing', null]);
  // The lease runs by the database's clock: the halt waits for its end.
  const began = performance.now();
  expect(await fixture.commands.emergencyHalt(fixture.context())).toMatchObject({ ok: true });
  expect(performance.now() - began).toBeGreaterThan(1_000);
  await due();
  await fixture.carry({ clients: { spotexchange: world.client } });
  expect(await state(id)).toEqual(['cancelled', 'halted']);
  expect(world.submits).toEqual([]);
});

test('a lease is as short for its holder as for a halt, though the holder’s system time was set back', async () => {
  await liveProposal();
  let setBackMs = 0;
  const clock = createLiveClock({
    wall: () => Date.now() - setBackMs,
    monotonic: () => performance.now(),
    timer: () => () => {},
  });
  clock.now();
  // The clock now runs at half speed: by it the lease would last twice as long as the halt waits.
  setBackMs = 9_000;
  const afterTheHalt: { leftMs: number; byTimeOfDayMs: number }[] = [];
  const { client } = venue();
  const submit: typeof client.submit = async (_, { leaseUntil, leaseLeftMs }) => {
    expect(leaseLeftMs()).toBeGreaterThan(0);
    expect(await fixture.commands.emergencyHalt(fixture.context())).toMatchObject({ ok: true });
    afterTheHalt.push({ leftMs: leaseLeftMs(), byTimeOfDayMs: leaseUntil - clock.now() });
    return { outcome: 'rejected', reason: 'not_sent', detail: 'the lease was over' };
  };
  await fixture.carry({ clients: { spotexchange: { ...client, submit } }, clock });
  expect(afterTheHalt).toHaveLength(1);
  expect(afterTheHalt[0]?.leftMs).toBeLessThanOrEqual(0);
  expect(afterTheHalt[0]?.byTimeOfDayMs).toBeGreaterThan(0);
});

test('a lease that expires before its use sends nothing; the next attempt takes a new one', async () => {
  const { id } = await liveProposal();
  const world = venue();
  const runtime: typeof fixture.runtime = {
    ...fixture.runtime,
    deliver: async (...parameters) => {
      const outcome = await fixture.runtime.deliver(...parameters);
      // The process was suspended for longer than the lease.
      if (parameters[1].type === 'execution.begun') fixture.clock.advanceTo(fixture.clock.now() + LEASE_MS);
      return outcome;
    },
  };
  await fixture.carry({ clients: { spotexchange: world.client }, runtime });
  expect(world.submits).toEqual([]);
  expect(await state(id)).toEqual(['executing', null]);
  fixture.price('60000', '60010');
  await due();
  await leaseOver();
  await fixture.carry({ clients: { spotexchange: world.client } });
  expect(await state(id)).toEqual(['filled', null]);
});

test('a paper execution is one transaction: permit, lease and fill, with all its steps in the history', async () => {
  await fixture.agent('policy_auto');
  fixture.price('60000', '60010');
  await fixture.tick();
  const id = (await fixture.list())[0]?.id as string;
  await fixture.carry();
  const steps = await fixture.sql<{ event: string; to: string }[]>`
    select event->>'type' as event, to_value #>> '{}' as to from steps where actor_id = ${id} order by version`;
  expect(steps.map(({ event, to }) => [event, to])).toEqual([
    ['started', 'approved'],
    ['execution.begun', 'executing'],
    ['activity.done', 'filled'],
  ]);
  const [, begun, done] = await fixture.sql<{ xmin: string }[]>`select xmin::text from steps where actor_id = ${id} order by version`;
  expect(begun?.xmin).toBe(done?.xmin);
  expect(await fixture.sql`select 1 from execution_leases`).toEqual([]);
  expect(await fixture.sql`select state from activities where actor_id = ${id}`).toEqual([{ state: 'done' }]);
});

test.for(['paper', 'live'] as const)('%s: a mandate that changes while an order is assessed: it is assessed again', async (mode) => {
  let id: string;
  if (mode === 'live') id = (await liveProposal()).id;
  else {
    await fixture.agent('policy_auto');
    fixture.price('60000', '60010');
    await fixture.tick();
    id = (await fixture.list())[0]?.id as string;
  }
  const world = venue();
  let assessed = 0;
  await fixture.carry({
    clients: { spotexchange: world.client },
    preTrade: {
      assess: async (...parameters) => {
        const verdict = await fixture.preTrade.assess(...parameters);
        if (++assessed === 1)
          await fixture.sql`
            insert into risk_preferences (org_id, version, body, set_by) values (${ORG}, 1, ${fixture.sql.json({ reduceOnly: true })}, 'ann')`;
        return verdict;
      },
    },
  });
  expect(assessed).toBe(2);
  expect((await state(id))[0]).toBe('blocked_by_risk');
  expect([await fills(), world.submits]).toEqual([0, []]);
});
