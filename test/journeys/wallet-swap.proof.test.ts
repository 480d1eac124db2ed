// Swaps that nobody signs correctly end by themselves. Needs its own service, because the chain's blockhashes expire for everybody.
// wallet-swap.test.ts is the short form.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { signedBy } from '../actors/prepared-transaction/swap-fixture.ts';
import { PATIENCE } from '../harness/wait-for.ts';
import { type Service, startService } from './running-service.ts';
import { wallet, walletSwaps } from './wallet-swap-fixture.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
}, 60_000 * PATIENCE);
afterAll(() => service?.discard());

test('an order with altered bytes waits for the right ones and expires, and so does an unsigned one', async () => {
  const { chain, prepared, order, until } = await walletSwaps(service);
  const [one, other] = [await prepared('20'), await prepared('21')];
  const signedTransaction = signedBy(wallet, other.transaction);
  const mixed = await service.post(`/v1/spotchain/orders/${one.id}/execute`, { signedTransaction }, 'operator');
  expect([mixed.status, mixed.body.code]).toEqual([422, 'signed_bytes_differ']);
  expect((await order(one.id)).state).toBe('prepared');
  await chain('expire', {});
  await chain('finalize', {});
  expect((await until(one.id, ['expired'])).signature).toBeNull();
  await until(other.id, ['expired']);
});
