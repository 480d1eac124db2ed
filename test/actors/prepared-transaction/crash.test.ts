// A process dies between any two steps of a swap: the next one reaches at most one fill. Also a halt that races the swap.
import { beforeEach, expect, test } from 'vitest';
import { BROADCAST_TRANSACTION, CHECK_TRANSACTION, FOLLOW_TRANSACTION } from '../../../actors/prepared-transaction/effects.ts';
import { LEASE_MS } from '../../../actors/proposal/lease.ts';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { actorsOn } from '../../world/actor-world.ts';
import { must, preparedSwap, type SwapFixture, signedBy, swapFixture } from './swap-fixture.ts';
import { rounds } from '../../harness/rounds.ts';

let fixture: SwapFixture;
beforeEach(async () => {
  fixture = await swapFixture();
  return () => fixture.close();
});

const died = new Error('the process died');
const due = () => fixture.sql`update activities set due_at = 0 where state = 'pending'`;
const leaseOver = () => fixture.sql`update execution_leases set held_until = clock_timestamp() - interval '1 millisecond'`;

/** Continues from the stored state until the swap has ended. */
async function followed(id: string): Promise<string> {
  for (let round = 0; round < 40; round++) {
    fixture.chain.advance(8);
    await due();
    await leaseOver();
    await fixture.pass(LEASE_MS + 1_000);
    const { state } = await fixture.find(id);
    if (['finalized', 'failed', 'expired'].includes(state)) return state;
  }
  throw new Error(`it is still ${JSON.stringify(await fixture.find(id))}: ${fixture.errors.join('; ')}`);
}

/** Creates a runtime whose process dies at the delivery of an event, before or right after its commit. */
function dyingAt(matches: (event: { type: string; kind?: unknown; answer?: unknown }) => boolean, when: 'before' | 'after'): Runtime {
  let dead = false;
  return {
    ...fixture.runtime,
    deliver: async (id, event, options) => {
      if (dead) throw died;
      const is = matches(event as never);
      if (is && when === 'before') dead = true;
      if (dead) throw died;
      const outcome = await fixture.runtime.deliver(id, event, options);
      if (is) dead = true;
      if (dead) throw died;
      return outcome;
    },
  };
}
const answers = (kind: string) => (event: { type: string; kind?: unknown }) => event.type === 'activity.done' && event.kind === kind;

const POINTS = {
  'before the check is kept': { dies: answers(CHECK_TRANSACTION), when: 'before' },
  'after the check is kept': { dies: answers(CHECK_TRANSACTION), when: 'after' },
  'before the lease': { dies: (event) => event.type === 'execution.begun', when: 'before' },
  'after the lease, before sending': { dies: (event) => event.type === 'execution.begun', when: 'after' },
  'after sending, before it is recorded': { dies: answers(BROADCAST_TRANSACTION), when: 'before' },
  'after it is recorded': { dies: answers(BROADCAST_TRANSACTION), when: 'after' },
  'while it is followed': { dies: answers(FOLLOW_TRANSACTION), when: 'before' },
  'after what the chain said is kept': { dies: answers(FOLLOW_TRANSACTION), when: 'after' },
} as const satisfies Record<string, { dies: Parameters<typeof dyingAt>[0]; when: 'before' | 'after' }>;

test.each(Object.keys(POINTS) as (keyof typeof POINTS)[])(
  'a process that dies %s is followed by one that ends with exactly one fill',
  async (point) => {
    const order = await preparedSwap(fixture);
    must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
    const { dies, when } = POINTS[point];
    const runtime = dyingAt(dies, when);
    for (let round = 0; round < 4; round++) {
      await fixture.work({ runtime });
      fixture.clock.advanceTo(fixture.clock.now() + 2_500);
    }
    expect(fixture.errors).toContain(died);
    expect(await followed(order.id)).toBe('finalized');
    expect(await fixture.booked()).toEqual({ fills: 1, sums: 0 });
    // Only the same bytes were ever sent.
    const [row] = await fixture.sql<
      { n: number }[]
    >`select count(distinct event->>'signedBase64')::int as n from steps where actor_id = ${order.id} and event->>'type' = 'submit'`;
    expect(row?.n).toBe(1);
  },
);

test.each(['before', 'after'] as const)('a request that dies %s its submission is committed is repeated, and is one fill', async (when) => {
  const order = await preparedSwap(fixture);
  const signed = signedBy(fixture.wallet, order.unsigned);
  const dying = fixture.swapsOn({ runtime: dyingAt(({ type }) => type === 'submit', when) });
  await expect(dying.execute(fixture.context(), order.id, signed)).rejects.toThrow('the process died');
  expect((await fixture.find(order.id)).state).toBe(when === 'before' ? 'prepared' : 'submitted');
  must(await fixture.swaps.execute(fixture.context(), order.id, signed));
  expect(await followed(order.id)).toBe('finalized');
  expect(await fixture.booked()).toEqual({ fills: 1, sums: 0 });
});

test('a request that dies during preparation leaves nothing that could be signed or filled', async () => {
  const runtime: Runtime = { ...fixture.runtime, start: async () => Promise.reject(died) };
  await expect(fixture.swapsOn({ runtime }).prepare(fixture.context(), fixture.wish())).rejects.toThrow('the process died');
  expect(await fixture.sql`select 1 from prepared_transactions`).toEqual([]);
});

test('two workers of the same activities at once produce one transaction and one fill', async () => {
  const order = await preparedSwap(fixture);
  must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  const { runtime: other } = actorsOn(fixture.sql, fixture.clock);
  for (let round = 0; round < 6; round++) {
    await due();
    await Promise.all([fixture.work(), fixture.work({ runtime: other })]);
    fixture.chain.advance(10);
    fixture.clock.advanceTo(fixture.clock.now() + 2_500);
  }
  expect(await followed(order.id).catch(() => fixture.find(order.id).then(({ state }) => state))).toBe('finalized');
  expect(await fixture.booked()).toEqual({ fills: 1, sums: 0 });
});

test('no broadcast starts after a halt has answered, however they race', async () => {
  const ROUNDS = rounds({ suite: 5, proof: 12 });
  let halted = false;
  let late = 0;
  let sent = 0;
  const watched = {
    ...fixture.node,
    broadcast: async (bytes: Uint8Array) => {
      sent++;
      if (halted) late++;
      return fixture.node.broadcast(bytes);
    },
  };
  for (let round = 0; round < ROUNDS; round++) {
    halted = false;
    await fixture.receive();
    const orders = [await preparedSwap(fixture, { amount: '20' }), await preparedSwap(fixture, { amount: '21' })];
    for (const order of orders) must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
    const halting = async () => {
      // From before the first of them until after the last.
      for (let turn = 0; turn < round * 3; turn++) await fixture.sql`select 1`;
      must(await fixture.commands.emergencyHalt(fixture.context()));
      halted = true;
    };
    const working = () => fixture.work({ chain: watched });
    // The halt certainly wins the first round, the broadcasts the last one.
    if (round === 0) await halting();
    if (round === ROUNDS - 1) await working();
    await Promise.all([round === 0 ? null : halting(), working()]);
    await due();
    await fixture.work({ chain: watched });
    expect([round, late]).toEqual([round, 0]);
    fixture.chain.advance(40);
    await fixture.pass(11_000);
    fixture.chain.expireBlockhashes();
    fixture.chain.finalize();
    await fixture.pass(11_000);
    await fixture.cut();
  }
  expect(sent).toBeGreaterThan(0);
  expect(sent).toBeLessThan(ROUNDS * 2);
  expect((await fixture.booked()).sums).toBe(0);
});
