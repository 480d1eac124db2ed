// A process that dies between any two steps of a checkout: another one goes on, the creator is paid once, and there is one licence.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crashPoints, dyingProcess, unlessKilled } from '../../harness/dying-process.ts';
import { must, signedBy } from '../launch/launch-fixture.ts';
import { type CheckoutFixture, checkoutFixture } from './checkout-fixture.ts';

let stage: CheckoutFixture;
beforeAll(async () => {
  stage = await checkoutFixture();
});
afterAll(() => stage.close());

test.each(crashPoints(12))('killed at step %i, %s its commit', async (point, when) => {
  const listing = await stage.listed('7');
  const buyer = stage.wallet(`buyer of crash ${point} ${when}`, 100n);
  const paidBefore = stage.holds(stage.payout.address) ?? 0n;
  const victim = dyingProcess(stage.runtime, point, when);
  const node: typeof stage.node = { ...stage.node, broadcast: (bytes) => victim.step(() => stage.node.broadcast(bytes)) };
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
    await stage.work(victim.runtime, node);
  }
  expect(victim.isDead(), `only ${victim.steps()} steps were taken`).toBe(true);
  const found = await stage.finished(checkout.id);
  expect(found, JSON.stringify(stage.errors.slice(-3).map(String))).toMatchObject({ state: 'licensed', licenceId: expect.any(String) });
  expect((stage.holds(stage.payout.address) as bigint) - paidBefore).toBe(7_000_000n);
  expect(stage.holds(buyer.address)).toBe(93_000_000n);
  const [licences] = await stage.sql<{ n: number }[]>`select count(*)::int as n from licences where listing_id = ${listing.id}`;
  expect(licences?.n).toBe(1);
});
