// A process dies between any two steps of a checkout: another continues, the creator is paid once, and there is one licence.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crashPoints, dyingProcess, unlessKilled } from '../../harness/dying-process.ts';
import { must, signedBy } from '../launch/launch-fixture.ts';
import { type CheckoutFixture, checkoutFixture } from './checkout-fixture.ts';

let fixture: CheckoutFixture;
beforeAll(async () => {
  fixture = await checkoutFixture();
});
afterAll(() => fixture.close());

test.each(crashPoints(12))('killed at step %i, %s its commit', async (point, when) => {
  const listing = await fixture.listed('7');
  const buyer = fixture.wallet(`buyer of crash ${point} ${when}`, 100n);
  const paidBefore = fixture.holds(fixture.payout.address) ?? 0n;
  const victim = dyingProcess(fixture.runtime, point, when);
  const node: typeof fixture.node = { ...fixture.node, broadcast: (bytes) => victim.step(() => fixture.node.broadcast(bytes)) };
  const mortal = fixture.portsOn(victim.runtime).checkouts.commands;
  let prepared = await unlessKilled(mortal.begin(fixture.context(), listing.id, buyer.address));
  if (prepared === null) {
    // Its member asks again. If the checkout has begun, its id is in the answer and in the list.
    const [known] = (await fixture.checkouts.reads.list(fixture.context().orgId, { limit: 1, after: null })).items;
    prepared =
      known?.listingId === listing.id
        ? { ok: true, value: known }
        : await fixture.checkouts.commands.begin(fixture.context(), listing.id, buyer.address);
  }
  const checkout = must(prepared);
  const signed = signedBy(buyer, checkout.transaction as string);
  const submitted = await unlessKilled(mortal.settle(fixture.context(), checkout.id, signed));
  if (submitted === null) must(await fixture.checkouts.commands.settle(fixture.context(), checkout.id, signed));
  for (let round = 0; round < 12 && !victim.isDead(); round++) {
    fixture.clock.advanceTo(fixture.clock.now() + 2_100);
    fixture.chain.advance(round < 6 ? 6 : 40);
    await fixture.work(victim.runtime, node);
  }
  expect(victim.isDead(), `only ${victim.steps()} steps were taken`).toBe(true);
  const found = await fixture.finished(checkout.id);
  expect(found, JSON.stringify(fixture.errors.slice(-3).map(String))).toMatchObject({ state: 'licensed', licenceId: expect.any(String) });
  expect((fixture.holds(fixture.payout.address) as bigint) - paidBefore).toBe(7_000_000n);
  expect(fixture.holds(buyer.address)).toBe(93_000_000n);
  const [licences] = await fixture.sql<{ n: number }[]>`select count(*)::int as n from licences where listing_id = ${listing.id}`;
  expect(licences?.n).toBe(1);
});
