// A swap position that is no multiple of a lot can be sold whole, and not one unit of the chain more.
import { beforeEach, expect, test } from 'vitest';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { must, ORG, preparedSwap, type SwapFixture, signedBy, swapFixture } from './swap-fixture.ts';

let fixture: SwapFixture;
beforeEach(async () => {
  fixture = await swapFixture();
  return () => fixture.close();
});

async function carriedOut(over: Parameters<SwapFixture['wish']>[0]) {
  const order = await preparedSwap(fixture, over);
  must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  await fixture.work();
  for (let round = 0; round < 40 && (await fixture.find(order.id)).state !== 'finalized'; round++) {
    fixture.chain.advance(8);
    await fixture.pass(3_000);
  }
  await fixture.cut();
  await fixture.receive();
  return fixture.find(order.id);
}

async function holdings(): Promise<{ quantity: string }[]> {
  const [book] = await fixture.sql<{ holdings: { quantity: string }[] }[]>`select holdings from books where id = ${`manual:${ORG}:live`}`;
  return book?.holdings ?? [];
}

test('a whole position can be sold, leaving nothing in the book; one unit more, or anything else, is refused', async () => {
  await carriedOut({ amount: '123.456789' });
  const quantity = (await holdings())[0]?.quantity as string;
  // With whole lots the test would prove nothing.
  expect(new Decimal(quantity).decimalPlaces()).toBeGreaterThan(6);
  const more = new Decimal(quantity).plus('0.00000001').toFixed();
  const reduceOnly = { ok: false, refusal: { code: 'blocked_by_risk', rejections: [{ code: 'reduce_only' }] } };
  expect(await fixture.swaps.prepare(fixture.context(), fixture.wish({ side: 'sell', amount: more }))).toMatchObject(reduceOnly);

  const open = await preparedSwap(fixture, { side: 'sell', amount: quantity });
  fixture.chain.advance(1);
  for (const amount of ['0.000001', '0.00000001', quantity])
    expect(await fixture.swaps.prepare(fixture.context(), fixture.wish({ side: 'sell', amount })), amount).toMatchObject(reduceOnly);

  must(await fixture.swaps.execute(fixture.context(), open.id, signedBy(fixture.wallet, open.unsigned)));
  await fixture.work();
  for (let round = 0; round < 40 && (await fixture.find(open.id)).state !== 'finalized'; round++) {
    fixture.chain.advance(8);
    await fixture.pass(3_000);
  }
  expect((await fixture.find(open.id)).fills).toMatchObject([{ side: 'sell', quantity }]);
  // Money has the stablecoin's last unit, and no fee is adjusted to fit a price.
  const fills = await fixture.sql<{ fee: string; money: string; isExact: boolean }[]>`
    select fee_usd::text as fee, trim_scale(notional_usd)::text as money, notional_usd = round(notional_usd, 6) as "isExact" from fills order by number`;
  expect(fills).toMatchObject([
    { fee: '0', money: '123.456789', isExact: true },
    { fee: '0', isExact: true },
  ]);
  expect(await holdings()).toEqual([]);
  expect(await fixture.booked()).toEqual({ fills: 2, sums: 0 });
  expect(fixture.errors).toEqual([]);
});
