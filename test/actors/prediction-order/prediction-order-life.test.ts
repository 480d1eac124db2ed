// Live prediction orders on the sandbox's chain: prepared, signed, final, open, filled in parts, or closed with a refund; with crashes
// between the steps.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { settleResolved } from '../../../src/adapters/store/orders/prediction-order-store.ts';
import { createReserveStore } from '../../../src/adapters/store/vaults/reserve-store.ts';
import { bookIds } from '../../../src/domain/books/book.ts';
import { USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { createReserveCheck, type ReservePlaces } from '../../../src/trading/reserve-check.ts';
import { type OnchainFixture, ORG, onchainFixture } from './onchain-fixture.ts';
import { eachRow } from '../../../actors/runtime/containment.ts';

let fixture: OnchainFixture;
beforeAll(async () => {
  fixture = await onchainFixture();
});
afterAll(() => fixture.close());
beforeEach(async () => {
  fixture.onchain.faults.reset();
  // Transactions of earlier tests land before this one reads the wallet.
  await fixture.work();
  fixture.chain.finalize();
  await fixture.pass(3_000);
  await fixture.list();
});

async function prepared(over: Parameters<OnchainFixture['wish']>[0] = {}) {
  const outcome = await fixture.live.prepare(fixture.context, fixture.wish(over), fixture.wallet.address);
  if (!outcome.ok) throw new Error(outcome.refusal.detail);
  return outcome.value;
}
const execute = (id: string, signed: string) => fixture.live.execute(fixture.context, id, signed);

/** Brings a prepared order to the venue. */
async function opened(over: Parameters<OnchainFixture['wish']>[0] = {}) {
  const { order, transaction } = await prepared(over);
  const sent = await execute(order.id, fixture.signed(transaction.unsigned));
  if (!sent.ok) throw new Error(sent.refusal.detail);
  await fixture.work();
  fixture.chain.finalize();
  await fixture.pass(2_500);
  return order;
}
const bookNow = async () => {
  const [book] = await fixture.sql<
    { cash_usd: string; holdings: { instrument: string; quantity: string }[]; fills: number }[]
  >`select cash_usd, holdings, fills from books where id = ${bookIds.manual(ORG, 'live')}`;
  return book;
};
const micro = (decimal: string): bigint => BigInt(new Decimal(decimal).times(1_000_000).toFixed(0));
const half = (quantity: string): bigint => (micro(quantity) / 2n / 10_000n) * 10_000n;
const reserved = async () =>
  (
    await fixture.sql`select 1 from prepared_transactions where state not in ('finalized', 'expired', 'failed') and purpose = 'prediction_order'`
  ).length;

describe('prepare', () => {
  test('requests a real transaction that pays the deposit into escrow, and nothing else', async () => {
    const before = await fixture.cash();
    const { order, transaction } = await prepared();
    const read = readTransaction(Buffer.from(transaction.unsigned, 'base64'));
    expect(read.ok && read.value.version).toBe(0);
    expect(order).toMatchObject({ state: 'prepared', filledQuantity: '0', order: { mode: 'live', bookId: bookIds.manual(ORG, 'live') } });
    expect(order.onchain).toMatchObject({
      wallet: fixture.wallet.address,
      transactionId: transaction.id,
      venueMarketId: fixture.market.providerId,
    });
    expect(transaction).toMatchObject({ state: 'prepared', message: { requiredSigners: [fixture.wallet.address] } });
    // The order is the venue's worst execution within the wish.
    expect(new Decimal(order.order.notionalUsd).lte(50)).toBe(true);
    expect(new Decimal(order.onchain?.depositUsd as string).lte(53)).toBe(true);
    expect(await fixture.cash()).toBe(before);
    expect(await fixture.order(order.id)).toEqual({ ...order, changedAt: expect.any(Number) });
    const [audit] = await fixture.sql`select action from audit where target = ${order.id}`;
    expect(audit).toMatchObject({ action: 'prediction_order.prepare' });
  });

  test('a prepared order reserves capital, and an expired one does not', async () => {
    const { order } = await prepared();
    expect(await reserved()).toBeGreaterThan(0);
    fixture.chain.expireBlockhashes();
    fixture.chain.finalize();
    for (let look = 0; look < 4; look++) await fixture.pass(15_000);
    expect(await fixture.order(order.id)).toMatchObject({ state: 'failed', reason: 'transaction_expired', fills: [], refundUsd: null });
    expect(await reserved()).toBe(0);
    await fixture.list();
  });

  test.each<[Parameters<OnchainFixture['wish']>[0], string, RegExp]>([
    [{ marketId: 'pm-000000000000000000000000' }, 'not_found', /no prediction market/],
    [{ notionalUsd: '2' }, 'state_conflict', /Minimum order is \$5/],
    [{ side: 'sell', notionalUsd: null, quantity: '1000' }, 'blocked_by_risk', /reduce_only/],
    [{ notionalUsd: '2000000' }, 'blocked_by_risk', /notional_limit_breach/],
    [{ notionalUsd: '5000' }, 'state_conflict', /chain would refuse|worst acceptable price|Insufficient/],
  ])('%j is refused', async (over, code, detail) => {
    const outcome = await fixture.live.prepare(fixture.context, fixture.wish(over), fixture.wallet.address);
    expect(outcome.ok ? '' : outcome.refusal.code).toBe(code);
    expect(outcome.ok ? '' : outcome.refusal.detail).toMatch(detail);
  });

  test('a venue that does not answer gives no price', async () => {
    fixture.onchain.faults.set({ status5xx: 1 });
    const outcome = await fixture.live.prepare(fixture.context, fixture.wish(), fixture.wallet.address);
    expect(outcome.ok ? [] : outcome.refusal.rejections?.map(({ code }) => code)).toEqual(['quote_not_live']);
  });

  test('an unreachable node is reported, and nothing is stored', async () => {
    const stored = await reserved();
    fixture.solana.faults.set({ status5xx: 1 });
    const outcome = await fixture.live.prepare(fixture.context, fixture.wish(), fixture.wallet.address);
    fixture.solana.faults.reset();
    expect(outcome).toMatchObject({ ok: false, refusal: { code: 'unavailable', detail: expect.stringContaining('does not answer') } });
    expect(await reserved()).toBe(stored);
  });
});

describe('execute', () => {
  test('accepts the prepared bytes, signed, and no others', async () => {
    const { order, transaction } = await prepared();
    const other = await prepared();
    const foreign = await execute(order.id, fixture.signed(other.transaction.unsigned));
    expect(foreign.ok ? '' : foreign.refusal.code).toBe('signed_bytes_differ');
    expect(await execute(order.id, transaction.unsigned)).toMatchObject({ ok: false, refusal: { code: 'signature_missing' } });
    expect(await execute('00000000-0000-7000-8000-0000000000ff', fixture.signed(transaction.unsigned))).toMatchObject({
      ok: false,
      refusal: { code: 'not_found' },
    });
    const signed = fixture.signed(transaction.unsigned);
    expect(await execute(order.id, signed)).toMatchObject({ ok: true, value: { id: transaction.id } });
    // The same bytes are the same transaction.
    expect(await execute(order.id, signed)).toMatchObject({ ok: true, value: { id: transaction.id } });
    expect((await fixture.order(order.id)).state).toBe('submitted');
  });

  test('a market that has closed meanwhile is not traded', async () => {
    const { order, transaction } = await prepared();
    const market = (await fixture.markets.get(fixture.market.id)) as OnchainFixture['market'];
    await fixture.markets.saveMarkets([{ ...market, status: 'closed', providerStatus: 'closed', receivedAt: market.receivedAt + 1 }]);
    expect(await execute(order.id, fixture.signed(transaction.unsigned))).toMatchObject({ ok: false, refusal: { code: 'state_conflict' } });
    expect((await fixture.order(order.id)).state).toBe('prepared');
    await fixture.pass(10);
  });

  test('a halt after the preparation stops it', async () => {
    const { order, transaction } = await prepared();
    await fixture.sql`update control set epoch = epoch + 1 where org_id = ${ORG}`;
    expect(await execute(order.id, fixture.signed(transaction.unsigned))).toMatchObject({ ok: false, refusal: { code: 'halted' } });
  });
});

describe('executed is not filled', () => {
  test('prepare, sign, final, open, partly filled, filled: each fill is booked once', async () => {
    const before = await bookNow();
    const cash = await fixture.cash();
    const order = await opened();
    expect(await fixture.order(order.id)).toMatchObject({ state: 'open', fills: [], filledQuantity: '0' });
    expect((await bookNow())?.fills ?? 0).toBe(before?.fills ?? 0);
    // The deposit has left the wallet, and the book has bought nothing yet.
    expect(cash - (await fixture.cash())).toBe(micro(order.onchain?.depositUsd as string));
    const { orderAccount, contracts } = order.onchain as { orderAccount: string; contracts: string };
    // The venue counts in millionths, and the order has the whole hundredths of them.
    expect(new Decimal(contracts).minus(order.order.quantity).toNumber()).toBeGreaterThan(0);
    expect(new Decimal(contracts).minus(order.order.quantity).toNumber()).toBeLessThan(0.01);
    const price = micro(order.order.limitPrice) - 10_000n;
    const first = half(order.order.quantity);
    fixture.onchain.keeper.fill(orderAccount, first, price);
    await fixture.pass(60_000);
    const partial = await fixture.order(order.id);
    expect(partial).toMatchObject({ state: 'partially_filled', fills: [{ side: 'buy' }] });
    expect(micro(partial.filledQuantity)).toBe(first);
    // A repeated fill stays one fill.
    await fixture.pass(60_000);
    expect((await fixture.order(order.id)).fills).toHaveLength(1);
    fixture.onchain.keeper.fill(orderAccount, micro(contracts) - first, price);
    await fixture.pass(60_000);
    const filled = await fixture.order(order.id);
    expect(filled).toMatchObject({ state: 'filled', filledQuantity: contracts });
    expect(filled.fills).toHaveLength(2);
    // Deposit = notional + fees + refund, on the books and on the chain, which drops less than a millionth of each fill.
    const spent = new Decimal(filled.filledNotionalUsd).plus(filled.feesUsd).plus(filled.refundUsd as string);
    expect(spent.minus(order.onchain?.depositUsd as string).toNumber()).toBeGreaterThanOrEqual(0);
    expect(spent.minus(order.onchain?.depositUsd as string).toNumber()).toBeLessThan(0.000_002);
    const paid = Number(cash - (await fixture.cash())) / 1e6;
    expect(paid).toBeCloseTo(Number(filled.filledNotionalUsd) + Number(filled.feesUsd), 5);
    const book = await bookNow();
    expect(book?.holdings.find(({ instrument }) => instrument === order.order.instrument)?.quantity).toBe(contracts);
    expect(await fixture.sql`select 1 from announcements where body->>'predictionOrderId' = ${order.id}`).toEqual([]);
    await fixture.list();
  });

  test('live books’ claims on an outcome are compared with the wallet’s position at the venue', async () => {
    const reserves = createReserveStore(fixture.sql);
    const compared = async (positionsOf: ReservePlaces['positionsOf'] = fixture.venue.positions) => {
      await createReserveCheck({
        contained: eachRow((error) => {
          throw error;
        }),
        store: reserves,
        places: { exchange: null, balancesOf: null, positionsOf },
        clock: fixture.clock,
      }).run();
      return reserves.newest(ORG);
    };
    const held = (await bookNow())?.holdings[0] as { instrument: string; quantity: string };
    const line = { asset: held.instrument, claimed: held.quantity };
    expect(await compared()).toMatchObject({ verdict: 'backed', lines: [{ asset: 'USD' }, { ...line, held: held.quantity }] });

    // The venue has paid out, or lost, half of it.
    const { account } = (await reserves.positionsOf(ORG, [held.instrument as InstrumentKey]))[0] as { account: string };
    const lost = half(held.quantity);
    fixture.onchain.keeper.lose(account, lost);
    const left = plainDecimal(new Decimal(held.quantity).minus(new Decimal(lost.toString()).div(1_000_000)));
    expect(await compared()).toMatchObject({ verdict: 'short', lines: [{ asset: 'USD' }, { ...line, held: left }] });
    fixture.onchain.keeper.lose(account, -lost);

    // Unknown is not good: a venue that answers nonsense, and none at all.
    const unknown = {
      verdict: 'unknown',
      lines: [
        { asset: 'USD', held: '0' },
        { ...line, held: null },
      ],
    };
    fixture.onchain.faults.set({ garbage: 1 });
    expect(await compared()).toMatchObject(unknown);
    fixture.onchain.faults.reset();
    expect(await compared(null)).toMatchObject({
      ...unknown,
      unknown: ['prediction positions: no on-chain venue of prediction markets is named'],
    });
    expect(await compared()).toMatchObject({ verdict: 'backed', unknown: [] });
  });

  test('its position may be sold, and no more than that', async () => {
    const whole = new Decimal((await bookNow())?.holdings[0]?.quantity as string);
    // Orders are in hundredths; the rest, of less than one, stays until the market is settled.
    const held = plainDecimal(whole.toDecimalPlaces(2, Decimal.ROUND_DOWN));
    const cash = await fixture.cash();
    const order = await opened({ side: 'sell', notionalUsd: null, quantity: held });
    expect(order.onchain).toMatchObject({ depositUsd: '0' });
    fixture.onchain.keeper.fill(order.onchain?.orderAccount as string, micro(held), micro(order.order.limitPrice));
    await fixture.pass(60_000);
    expect(await fixture.order(order.id)).toMatchObject({ state: 'filled', filledQuantity: held });
    const rest = (await bookNow())?.holdings.map(({ quantity }) => quantity);
    expect(rest).toEqual([plainDecimal(whole.minus(held))]);
    expect(await fixture.cash()).toBe(cash);
    await fixture.list();
  });

  test.each(['closed', 'failed'] as const)('an order that the venue has %s refunds its deposit', async (how) => {
    const cash = await fixture.cash();
    const fills = (await bookNow())?.fills ?? 0;
    const order = await opened();
    fixture.onchain.keeper.close(order.onchain?.orderAccount as string, how);
    await fixture.pass(60_000);
    const ended = await fixture.order(order.id);
    expect(ended).toMatchObject({ state: how === 'closed' ? 'cancelled' : 'failed', fills: [], refundUsd: order.onchain?.depositUsd });
    expect((await bookNow())?.fills ?? 0).toBe(fills);
    expect(await fixture.cash()).toBe(cash);
    await fixture.list();
  });

  test('an order that is closed halfway keeps its fills and is refunded the rest', async () => {
    const cash = await fixture.cash();
    const order = await opened();
    const { orderAccount } = order.onchain as { orderAccount: string };
    fixture.onchain.keeper.fill(orderAccount, half(order.order.quantity), micro(order.order.limitPrice));
    fixture.onchain.keeper.close(orderAccount, 'closed');
    await fixture.pass(60_000);
    const ended = await fixture.order(order.id);
    expect(ended).toMatchObject({ state: 'cancelled', reason: 'closed_by_venue' });
    expect(ended.fills).toHaveLength(1);
    const spent = new Decimal(ended.filledNotionalUsd).plus(ended.feesUsd);
    expect(spent.plus(ended.refundUsd as string).toFixed()).toBe(order.onchain?.depositUsd);
    expect(cash - (await fixture.cash())).toBe(micro(spent.toFixed()));
    await fixture.list();
  });

  test('a transaction that is lost until it expires opens nothing', async () => {
    const { order, transaction } = await prepared();
    fixture.chain.intake('lose');
    expect((await execute(order.id, fixture.signed(transaction.unsigned))).ok).toBe(true);
    await fixture.work();
    fixture.chain.expireBlockhashes();
    fixture.chain.finalize();
    fixture.chain.intake('land');
    for (let look = 0; look < 5; look++) await fixture.pass(15_000);
    expect(await fixture.order(order.id)).toMatchObject({ state: 'failed', reason: 'transaction_expired', fills: [] });
  });

  test('a transaction that lands and fails opens nothing', async () => {
    const { order, transaction } = await prepared();
    fixture.chain.intake('keep');
    expect((await execute(order.id, fixture.signed(transaction.unsigned))).ok).toBe(true);
    await fixture.work();
    fixture.chain.intake('land');
    // Meanwhile the wallet pays everything to someone else.
    const cash = await fixture.cash();
    fixture.pay(cash);
    expect(fixture.chain.landKept()).toBe(1);
    fixture.chain.finalize();
    for (let look = 0; look < 3; look++) await fixture.pass(15_000);
    expect(await fixture.order(order.id)).toMatchObject({ state: 'failed', reason: 'failed_on_chain', fills: [] });
    fixture.solana.fund(fixture.wallet.address, USDC_MINT, cash);
  });
});

describe('crashes', () => {
  test('a worker that dies after every answer of the venue books each fill once', async () => {
    const order = await opened();
    const { orderAccount } = order.onchain as { orderAccount: string };
    const before = (await bookNow())?.fills as number;
    fixture.onchain.keeper.fill(orderAccount, half(order.order.quantity), micro(order.order.limitPrice));
    // The answer is fetched and never delivered, twice; then delivered twice at the same time.
    const worker = fixture.workers['follow_prediction_order'];
    const answer = await worker?.({ predictionOrderId: order.id }, 'lost-1');
    await worker?.({ predictionOrderId: order.id }, 'lost-2');
    const event = { type: 'activity.done', key: 'twice', kind: 'follow_prediction_order', answer };
    await Promise.all([1, 2].map(() => fixture.runtime.deliver(order.id, event, { cause: 'activity' })));
    await fixture.pass(60_000);
    expect((await fixture.order(order.id)).fills).toHaveLength(1);
    expect((await bookNow())?.fills).toBe(before + 1);
    fixture.onchain.keeper.close(orderAccount, 'closed');
    await fixture.pass(60_000);
    expect((await bookNow())?.fills).toBe(before + 1);
    await fixture.list();
  });

  test('an answer that never comes leaves the order open, and the next one settles it', async () => {
    const order = await opened();
    const { orderAccount, contracts } = order.onchain as { orderAccount: string; contracts: string };
    fixture.onchain.keeper.fill(orderAccount, micro(contracts), micro(order.order.limitPrice));
    fixture.onchain.faults.set({ status5xx: 1 });
    await fixture.pass(60_000);
    expect((await fixture.order(order.id)).state).toBe('open');
    fixture.onchain.faults.reset();
    await fixture.pass(60_000);
    await fixture.pass(60_000);
    expect((await fixture.order(order.id)).state).toBe('filled');
    await fixture.list();
  });

  test('a lost finality notice is requested again', async () => {
    const { order, transaction } = await prepared();
    expect((await execute(order.id, fixture.signed(transaction.unsigned))).ok).toBe(true);
    await fixture.work();
    fixture.chain.finalize();
    // The answer is in a timer, which is removed before it fires.
    fixture.leap(2_500);
    await fixture.workers['follow_transaction']?.({ transactionId: transaction.id }, 'x');
    for (let look = 0; look < 3; look++) {
      await fixture.pass(100);
      await fixture.sql`delete from timers where actor_id = ${order.id} and timer_id = 'told'`;
    }
    await fixture.pass(15_000);
    await fixture.pass(15_000);
    expect((await fixture.order(order.id)).state).toBe('open');
  });
});

test('a market that resolves before the venue reports a sale pays out what the sale left, and the sale is booked', async () => {
  const bought = await opened();
  const { orderAccount } = bought.onchain as { orderAccount: string };
  fixture.onchain.keeper.fill(orderAccount, micro(bought.order.quantity), micro(bought.order.limitPrice));
  await fixture.pass(60_000);
  const { instrument } = bought.order;
  const held = async () => (await bookNow())?.holdings.find((each) => each.instrument === instrument)?.quantity ?? '0';
  const holding = await held();
  expect(micro(holding)).toBeGreaterThanOrEqual(micro(bought.order.quantity));
  // Earlier orders have left a rest below a hundredth, which no order sells.
  const quantity = plainDecimal(new Decimal(holding).toDecimalPlaces(2, Decimal.ROUND_DOWN));
  const sale = await opened({ side: 'sell', notionalUsd: null, quantity });
  const part = half(holding);
  fixture.onchain.keeper.fill(sale.onchain?.orderAccount as string, part, micro(sale.order.limitPrice));
  fixture.onchain.keeper.close(sale.onchain?.orderAccount as string, 'closed');

  const market = (await fixture.markets.get(fixture.market.id)) as OnchainFixture['market'];
  const [yes, no] = market.outcomes;
  const outcomes = [
    { ...yes, payout: '1' },
    { ...no, payout: '0' },
  ] as const;
  await fixture.markets.saveMarkets([{ ...market, status: 'resolved', receivedAt: market.receivedAt + 1, outcomes }]);
  const contained = eachRow((error) => {
    throw error;
  });
  const settle = () => settleResolved(fixture.sql, fixture.clock.now(), contained);
  expect([await settle(), await held()]).toEqual([0, holding]);
  await fixture.pass(60_000);
  expect(await fixture.order(sale.id)).toMatchObject({ state: 'cancelled', fills: [{ side: 'sell' }] });
  expect(micro(await held())).toBe(micro(holding) - part);
  expect([await settle(), await held()]).toEqual([1, '0']);
});
