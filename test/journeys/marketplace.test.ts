// A strategy is published, bought with one's own wallet and imported by another organization. Both wallets are on the leaderboard.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { USDC_MINT } from '../../src/domain/catalog/catalog.ts';
import { associatedAccount } from '../../src/domain/launch/curve/program.ts';
import { TOKEN_PROGRAM } from '../../src/domain/solana/programs.ts';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { signedBy } from '../actors/launch/launch-fixture.ts';
import { payload } from '../api/api-under-test.ts';
import { PATIENCE, waitFor } from '../harness/wait-for.ts';
import { joinService, type SharedService } from './shared-service.ts';

const payout = sandboxKey('marketplace payout');
const wallet = sandboxKey('marketplace buyer');
let service: SharedService;
let buyer: string;
let simulators: { readonly control: string; readonly simulators: { readonly primarychain: string } };

async function fund(owner: string, mint: string, amount: string): Promise<void> {
  const answer = await fetch(`${simulators.control}/chain/fund`, { method: 'POST', body: JSON.stringify({ owner, mint, amount }) });
  expect(answer.status, await answer.text()).toBe(200);
}

/** Returns a wallet's raw dollar balance, read from a node as any wallet does. */
async function dollarsOf(owner: string): Promise<string> {
  const account = associatedAccount(owner, USDC_MINT, TOKEN_PROGRAM);
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getTokenAccountBalance', params: [account, { commitment: 'finalized' }] });
  const answer = await fetch(simulators.simulators.primarychain, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
  return ((await answer.json()) as { result: { value: { amount: string } } }).result.value.amount;
}

beforeAll(async () => {
  service = await joinService('marketplace');
  simulators = JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8'));
  buyer = await service.stranger('buyers');
  await fund(wallet.address, 'SOL', '1000000000');
  await fund(wallet.address, USDC_MINT, '1000000000');
}, 120_000 * PATIENCE);
afterAll(() => service?.leave());

/** Links a wallet by signing its text. */
async function link(key: typeof payout, as: string): Promise<void> {
  const { body } = await service.post('/v1/wallets/challenge', { address: key.address }, as);
  const signature = Buffer.from(key.sign(Buffer.from(body.text))).toString('base64');
  const linked = await service.post('/v1/wallets', { address: key.address, signature }, as);
  expect(linked.status, linked.text).toBe(201);
}

async function swapped(side: 'buy' | 'sell', amount: string) {
  const prepared = await waitFor(
    async () => {
      const wish = { instrument: 'AAPLx', side, amount, slippageBps: 100, wallet: wallet.address };
      const answer = await service.post('/v1/spotchain/orders/prepare', wish, 'operator');
      expect([201, 422, 503], answer.text).toContain(answer.status);
      return answer.status === 201 ? answer.body : null;
    },
    { what: `a prepared ${side}`, deadlineMs: 90_000 },
  );
  const signedTransaction = signedBy(wallet, prepared.transaction);
  await waitFor(
    async () => (await service.post(`/v1/spotchain/orders/${prepared.id}/execute`, { signedTransaction }, 'operator')).status === 202,
    {
      what: `the ${side} to be taken`,
      deadlineMs: 60_000,
    },
  );
  return waitFor(
    async () => {
      const { body } = await service.get(`/v1/spotchain/orders/${prepared.id}`, 'operator');
      expect(['failed', 'expired'], JSON.stringify(body)).not.toContain(body.state);
      return body.state === 'finalized' ? body : null;
    },
    { what: `the ${side} to be final`, deadlineMs: 120_000 },
  );
}

test('publish, buy with real signed bytes, import', { timeout: 300_000 * PATIENCE }, async () => {
  await link(payout, 'operator');
  const agent = await service.post('/v1/agents', payload({ name: 'Tide reader' }), 'operator');
  expect(agent.status, agent.text).toBe(201);
  const wish = {
    agentId: agent.body.id,
    manifestVersion: 1,
    priceUsd: '25.5',
    payoutWallet: payout.address,
    categories: ['Mean reversion'],
  };
  const listed = await service.post('/v1/marketplace', wish, 'operator');
  expect(listed.status, listed.text).toBe(201);
  const { id } = listed.body as { id: string };

  const found = await service.get('/v1/marketplace?category=mean%20reversion', buyer);
  expect(found.body.items.map((one: { id: string }) => one.id)).toEqual([id]);
  expect((await service.get(`/v1/marketplace/${id}`, buyer)).body).toMatchObject({
    own: false,
    rules: null,
    shape: { entry: ['premium_below', 'rsi_below'] },
  });
  expect((await service.post(`/v1/marketplace/${id}/import`, {}, buyer)).body.code).toBe('licence_missing');

  const poor = await service.post(`/v1/marketplace/${id}/checkout`, { buyer: sandboxKey('who holds no dollars').address }, buyer);
  expect(poor.body).toMatchObject({ status: 422, code: 'payment_refused' });
  const checkout = await service.post(`/v1/marketplace/${id}/checkout`, { buyer: wallet.address }, buyer);
  expect(checkout.status, checkout.text).toBe(201);
  const signedTransaction = signedBy(wallet, checkout.body.transaction);
  expect((await service.post(`/v1/marketplace/checkouts/${checkout.body.id}/settle`, { signedTransaction }, 'operator')).status).toBe(404);
  const settled = await service.post(`/v1/marketplace/checkouts/${checkout.body.id}/settle`, { signedTransaction }, buyer);
  expect(settled.status, settled.text).toBe(202);
  const licensed = await waitFor(
    async () => {
      const { body } = await service.get(`/v1/marketplace/checkouts/${checkout.body.id}`, buyer);
      expect(['failed', 'expired'], JSON.stringify(body)).not.toContain(body.state);
      return body.state === 'licensed' ? body : null;
    },
    { what: 'the licence', deadlineMs: 120_000 },
  );
  expect(await dollarsOf(payout.address)).toBe('25500000');
  expect((await service.get('/v1/marketplace/licences', buyer)).body.items).toMatchObject([{ id: licensed.licenceId, listingId: id }]);
  expect((await service.get(`/v1/marketplace/${id}`, buyer)).body.rules).toMatchObject({ stopLossPct: 4 });
  const imported = await service.post(`/v1/marketplace/${id}/import`, {}, buyer);
  expect(imported.status, imported.text).toBe(201);
  expect(imported.body).toMatchObject({ stage: 'draft', autonomy: 'research', manifestHash: agent.body.manifestHash });
  expect((await service.get(`/v1/agents/${imported.body.id}`, 'operator')).status).toBe(404);
});

test('both wallets are on the leaderboard, the trading one with the trades behind its figure', {
  timeout: 600_000 * PATIENCE,
}, async () => {
  const bought = await swapped('buy', '100');
  const sold = await swapped('sell', bought.fills[0].quantity);
  for (const address of [wallet.address, payout.address]) {
    const reply = await service.post('/v1/leaderboard/wallets', { address, label: `journey ${address.slice(0, 4)}` }, buyer);
    expect(reply.status, reply.text).toBe(201);
  }
  const board = await waitFor(
    async () => {
      const { body } = await service.get('/v1/leaderboard?window=24h', buyer);
      const items = (body.items as readonly { address: string; readAt: string | null; realizedPnlUsd: string | null }[]).filter(
        ({ address }) => address === wallet.address || address === payout.address,
      );
      return items.length === 2 && items.every(({ readAt }) => readAt !== null) ? items : null;
    },
    { what: 'both wallets to be read', deadlineMs: 120_000 },
  );
  expect(board).toEqual([
    expect.objectContaining({
      address: wallet.address,
      rank: expect.any(Number),
      coveragePct: 100,
      sales: 1,
      matchedSales: 1,
      reasons: [],
    }),
    expect.objectContaining({ address: payout.address, rank: null, realizedPnlUsd: null, reasons: ['no_sales_in_window'] }),
  ]);
  const { body } = await service.get(`/v1/leaderboard/wallets/${wallet.address}?window=24h`, buyer);
  expect(body.items).toMatchObject([{ direction: 'sell', reference: sold.signature }]);
  expect(body.items[0].profitUsd).toBe(board[0]?.realizedPnlUsd);
  expect(Number(body.items[0].proceedsUsd) - Number(body.items[0].costUsd)).toBeCloseTo(Number(body.items[0].profitUsd), 6);
  expect(Number(body.items[0].costUsd)).toBeCloseTo(100, 6);
});
