// A person swaps with their own wallet on a whole service: quote, prepare, sign, execute, follow, see it booked.
// Short form of wallet-swap.proof.test.ts, which also lets unsigned swaps expire.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Decimal } from '../../src/domain/values/decimal.ts';
import { signedBy } from '../actors/prepared-transaction/swap-fixture.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { joinService, type SharedService } from './shared-service.ts';
import { wallet, walletSwaps } from './wallet-swap-fixture.ts';

let service: SharedService;
let swaps: Awaited<ReturnType<typeof walletSwaps>>;
beforeAll(async () => {
  service = await joinService('wallet-swap');
  swaps = await walletSwaps(service);
}, 60_000 * PATIENCE);
afterAll(() => service?.leave());

test('a swap is quoted, prepared, signed, executed and booked once the chain has finalized it', {
  timeout: 300_000 * PATIENCE,
}, async () => {
  const { prepared, until } = swaps;
  const swap = await prepared('100');
  const quote = await service.get('/v1/spotchain/quote?instrument=AAPLx&side=buy&amount=100', 'viewer');
  if (quote.status === 200) expect(Number(quote.body.price) / Number(swap.price)).toBeCloseTo(1, 1);
  const signed = signedBy(wallet, swap.transaction);
  const taken = await Promise.all(
    Array.from({ length: 10 }, () => service.post(`/v1/spotchain/orders/${swap.id}/execute`, { signedTransaction: signed }, 'operator')),
  );
  // Risk is assessed again: if the quote has aged, the same bytes are submitted again a moment later.
  await waitFor(
    async () => {
      const again = await service.post(`/v1/spotchain/orders/${swap.id}/execute`, { signedTransaction: signed }, 'operator');
      return again.status === 202;
    },
    { what: 'the submission', deadlineMs: 60_000 },
  );
  expect(taken.every(({ status }) => status === 202 || status === 422)).toBe(true);
  const done = await until(swap.id, ['finalized', 'failed', 'expired']);
  expect(done, JSON.stringify(done)).toMatchObject({ state: 'finalized', fills: [{ side: 'buy' }] });
  expect(done.fills).toHaveLength(1);
  const database = service.database();
  const [{ fills, cash, capital }] = (await database`
    select (select count(*)::int from fills where book_id = b.id) as fills, cash_usd::text as cash, capital_usd::text as capital
    from books b where id = ${done.bookId}`) as unknown as [{ fills: number; cash: string; capital: string }];
  await database.end({ timeout: 2 });
  expect(fills).toBe(1);
  expect(new Decimal(capital).minus(cash).toFixed()).toBe('100');
});

test('altered bytes are refused naming the alteration, and the order waits for the right ones', {
  timeout: 300_000 * PATIENCE,
}, async () => {
  const { prepared, order } = swaps;
  const [one, other] = [await prepared('20'), await prepared('21')];
  const signedTransaction = signedBy(wallet, other.transaction);
  const mixed = await service.post(`/v1/spotchain/orders/${one.id}/execute`, { signedTransaction }, 'operator');
  expect([mixed.status, mixed.body.code]).toEqual([422, 'signed_bytes_differ']);
  expect((await order(one.id)).state).toBe('prepared');
});
