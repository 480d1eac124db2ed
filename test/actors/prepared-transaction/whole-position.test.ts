// A position of swaps is no whole number of lots: the whole of it can be sold, and not one unit of the chain more.
import { beforeEach, expect, test } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.ts';
import { must, ORG, preparedSwap, type SwapFixture, signedBy, swapFixture } from './swap-fixture.ts';

let stage: SwapFixture;
beforeEach(async () => {
  stage = await swapFixture();
  return () => stage.close();
});

async function carriedOut(over: Parameters<SwapFixture['wish']>[0]) {
  const order = await preparedSwap(stage, over);
  must(await stage.swaps.execute(stage.context(), order.id, signedBy(stage.wallet, order.unsigned)));
  await stage.work();
  for (let round = 0; round < 40 && (await stage.find(order.id)).state !== 'finalized'; round++) {
    stage.chain.advance(8);
    await stage.pass(3_000);
  }
  await stage.cut();
  await stage.receive();
  return stage.find(order.id);
}

async function holdings(): Promise<{ quantity: string }[]> {
  const [book] = await stage.sql<{ holdings: { quantity: string }[] }[]>`select holdings from books where id = ${`manual:${ORG}:live`}`;
  return book?.holdings ?? [];
}

test('the whole of a position is sold, which leaves nothing in the book; a unit more, or anything beside it, is refused', async () => {
  await carriedOut({ amount: '123.456789' });
  const quantity = (await holdings())[0]?.quantity as string;
  // Otherwise it would prove nothing.
  expect(new Decimal(quantity).decimalPlaces()).toBeGreaterThan(6);
  const more = new Decimal(quantity).plus('0.00000001').toFixed();
  const reduceOnly = { ok: false, refusal: { code: 'blocked_by_risk', rejections: [{ code: 'reduce_only' }] } };
  expect(await stage.swaps.prepare(stage.context(), stage.wish({ side: 'sell', amount: more }))).toMatchObject(reduceOnly);

  const open = await preparedSwap(stage, { side: 'sell', amount: quantity });
  stage.chain.advance(1);
  for (const amount of ['0.000001', '0.00000001', quantity])
    expect(await stage.swaps.prepare(stage.context(), stage.wish({ side: 'sell', amount })), amount).toMatchObject(reduceOnly);

  must(await stage.swaps.execute(stage.context(), open.id, signedBy(stage.wallet, open.unsigned)));
  await stage.work();
  for (let round = 0; round < 40 && (await stage.find(open.id)).state !== 'finalized'; round++) {
    stage.chain.advance(8);
    await stage.pass(3_000);
  }
  expect((await stage.find(open.id)).fills).toMatchObject([{ side: 'sell', quantity }]);
  // Money is what the stablecoin counts, to its last unit, and no fee makes a price come out.
  const fills = await stage.sql<{ fee: string; money: string; isExact: boolean }[]>`
    select fee_usd::text as fee, trim_scale(notional_usd)::text as money, notional_usd = round(notional_usd, 6) as "isExact" from fills order by number`;
  expect(fills).toMatchObject([
    { fee: '0', money: '123.456789', isExact: true },
    { fee: '0', isExact: true },
  ]);
  expect(await holdings()).toEqual([]);
  expect(await stage.booked()).toEqual({ fills: 2, sums: 0 });
  expect(stage.errors).toEqual([]);
});
