// A person swaps with a wallet of their own, as a user of a whole service meets it: quote, prepare, sign, execute, follow, see it booked.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { USDC_MINT } from '../../src/domain/catalog.ts';
import { Decimal } from '../../src/domain/decimal.ts';
import { signedBy } from '../actors/prepared-transaction/swap-fixture.ts';
import { keyOf } from '../domain/solana/honest-transactions.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { type Service, startService } from './running-service.ts';

const wallet = keyOf(11);
const address = wallet.publicKey.toBase58();
let service: Service;
let control: string;

async function chain(verb: string, body: object): Promise<void> {
  const answer = await fetch(`${control}/chain/${verb}`, { method: 'POST', body: JSON.stringify(body) });
  expect(answer.status, await answer.text()).toBe(200);
}

beforeAll(async () => {
  service = await startService();
  control = (JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as { control: string }).control;
  await chain('fund', { owner: address, mint: 'SOL', amount: '1000000000' });
  await chain('fund', { owner: address, mint: USDC_MINT, amount: '1000000000' });
}, 60_000 * PATIENCE);
afterAll(() => service?.discard());

/** Answers once the market is live and as deep as the last cut saw it. */
const prepared = (amount: string) =>
  waitFor(
    async () => {
      const wish = { instrument: 'AAPLx', side: 'buy', amount, slippageBps: 100, wallet: address };
      const answer = await service.post('/v1/spotchain/orders/prepare', wish, 'operator');
      if (answer.status === 201) return answer.body;
      const codes = answer.body.rejections?.map(({ code }: { code: string }) => code) ?? [];
      const passing = ['quote_not_live', 'pool_liquidity_breach', 'slippage_budget_breach'];
      expect(codes.length > 0 ? codes.every((code: string) => passing.includes(code)) : answer.status === 503, answer.text).toBe(true);
      return null;
    },
    { what: 'a prepared swap', deadlineMs: 90_000 },
  );
const order = async (id: string) => (await service.get(`/v1/spotchain/orders/${id}`, 'operator')).body;
const until = (id: string, states: readonly string[]) =>
  waitFor(
    async () => {
      const found = await order(id);
      return states.includes(found.state) ? found : null;
    },
    { what: `the swap to be ${states.join(' or ')}`, deadlineMs: 90_000 },
  );

test('a swap is quoted, prepared, signed, executed and booked once the chain has finalized it', {
  timeout: 300_000 * PATIENCE,
}, async () => {
  const swap = await prepared('100');
  const quote = await service.get('/v1/spotchain/quote?instrument=AAPLx&side=buy&amount=100', 'viewer');
  if (quote.status === 200) expect(Number(quote.body.price) / Number(swap.price)).toBeCloseTo(1, 1);
  const signed = signedBy(wallet, swap.transaction);
  const taken = await Promise.all(
    Array.from({ length: 10 }, () => service.post(`/v1/spotchain/orders/${swap.id}/execute`, { signedTransaction: signed }, 'operator')),
  );
  // Risk is asked again: where the quote has aged meanwhile, the same bytes go a moment later.
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
  const [{ fills, cash, capital }] = (await service.database()`
    select (select count(*)::int from fills) as fills, cash_usd::text as cash, capital_usd::text as capital from books where id = ${done.bookId}`) as unknown as [
    { fills: number; cash: string; capital: string },
  ];
  expect(fills).toBe(1);
  expect(new Decimal(capital).minus(cash).toFixed()).toBe('100');
});

test('bytes that a wallet altered are refused with what it altered, and the order waits for the right ones', {
  timeout: 300_000 * PATIENCE,
}, async () => {
  const [one, other] = [await prepared('20'), await prepared('21')];
  const mixed = await service.post(
    `/v1/spotchain/orders/${one.id}/execute`,
    { signedTransaction: signedBy(wallet, other.transaction) },
    'operator',
  );
  expect([mixed.status, mixed.body.code]).toEqual([422, 'signed_bytes_differ']);
  expect((await order(one.id)).state).toBe('prepared');
  // Nobody signs them: they end by themselves.
  await chain('expire', {});
  await chain('finalize', {});
  expect((await until(one.id, ['expired'])).signature).toBeNull();
  await until(other.id, ['expired']);
});
