// A process that dies between any two steps of a checkout: another one goes on, the creator is paid once, and there is one licence.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Runtime } from '../../../actors/runtime/runtime.ts';
import { must, signedBy } from '../launch/launch-fixture.ts';
import { type CheckoutFixture, checkoutFixture } from './checkout-fixture.ts';

let stage: CheckoutFixture;
beforeAll(async () => {
  stage = await checkoutFixture();
});
afterAll(() => stage.close());

class Killed extends Error {}

/** A process that dies at its `at`th step: before what it does is committed, or after that and before it hears of it. */
function dying(at: number, when: 'before' | 'after') {
  let steps = 0;
  let isDead = false;
  async function step<Value>(work: () => Promise<Value>): Promise<Value> {
    if (isDead) throw new Killed('the process is dead');
    const isLast = steps++ === at;
    if (isLast && when === 'before') {
      isDead = true;
      throw new Killed('killed before the commit');
    }
    const value = await work();
    if (isLast) {
      isDead = true;
      throw new Killed('killed after the commit');
    }
    return value;
  }
  const runtime: Runtime = {
    ...stage.runtime,
    start: (...given) => step(() => stage.runtime.start(...given)),
    deliver: (...given) => step(() => stage.runtime.deliver(...given)),
  };
  const node: typeof stage.node = { ...stage.node, broadcast: (bytes) => step(() => stage.node.broadcast(bytes)) };
  return { runtime, node, isDead: () => isDead, steps: () => steps };
}

const unlessKilled = async <Value>(work: Promise<Value>): Promise<Value | null> => {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Killed) return null;
    throw error;
  }
};

const POINTS = Array.from({ length: 12 }, (_, point) => [point, point % 2 === 0 ? ('before' as const) : ('after' as const)] as const);

test.each(POINTS)(
  'killed at step %i, %s its commit',
  async (point, when) => {
    const listing = await stage.listed('7');
    const buyer = stage.wallet(`buyer of crash ${point}`, 100n);
    const paidBefore = stage.holds(stage.payout.address) ?? 0n;
    const victim = dying(point, when);
    const mortal = stage.portsOn(victim.runtime).checkouts.commands;
    let prepared = await unlessKilled(mortal.begin(stage.context(), listing.id, buyer.address));
    if (prepared === null) {
      // Its member asks again; where the checkout has begun, its id is in the answer and in the list.
      const [known] = (await stage.checkouts.reads.list(stage.context().orgId, { limit: 1, after: null })).items;
      prepared =
        known?.listingId === listing.id
          ? { ok: true, value: known }
          : await stage.checkouts.commands.begin(stage.context(), listing.id, buyer.address);
    }
    const checkout = must(prepared);
    const signed = signedBy(buyer, checkout.transaction as string);
    const submitted = await unlessKilled(mortal.settle(stage.context(), checkout.id, signed));
    if (submitted === null) must(await stage.checkouts.commands.settle(stage.context(), checkout.id, signed));
    for (let round = 0; round < 12 && !victim.isDead(); round++) {
      stage.clock.advanceTo(stage.clock.now() + 2_100);
      stage.chain.advance(round < 6 ? 6 : 40);
      await stage.work(victim.runtime, victim.node);
    }
    expect(victim.isDead(), `only ${victim.steps()} steps were taken`).toBe(true);
    const found = await stage.finished(checkout.id);
    expect(found, JSON.stringify(stage.errors.slice(-3).map(String))).toMatchObject({ state: 'licensed', licenceId: expect.any(String) });
    expect((stage.holds(stage.payout.address) as bigint) - paidBefore).toBe(7_000_000n);
    expect(stage.holds(buyer.address)).toBe(93_000_000n);
    const [licences] = await stage.sql<{ n: number }[]>`select count(*)::int as n from licences where listing_id = ${listing.id}`;
    expect(licences?.n).toBe(1);
  },
  60_000,
);
