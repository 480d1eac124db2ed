// A person trades on prediction markets of the running service: a paper order, then a live one that is prepared, signed, executed and
// filled by the sandbox's venue.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { USDC_MINT } from '../../src/domain/catalog/catalog.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import { sandboxKey } from '../../src/sandbox/solana/keys.ts';
import { waitFor } from '../harness/wait-for.ts';
import { joinService, type SharedService } from './shared-service.ts';

let service: SharedService;
let control: string;
beforeAll(async () => {
  service = await joinService('prediction-order');
  control = (JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as { control: string }).control;
});
afterAll(() => service?.leave());

interface Market {
  readonly id: string;
  readonly provider: string;
  readonly closesAt: string;
  readonly fee: { readonly model: string; readonly rate: string | null };
  readonly outcomes: readonly { readonly bid: string | null; readonly ask: string | null; readonly quality: string }[];
}

/** Finds an open market of a provider that trades near even for a while, with both outcomes offered live. */
function market(provider: string): Promise<Market> {
  return waitFor(
    async () => {
      const { body } = await service.get(`/v1/prediction-markets?provider=${provider}&status=open&limit=200`);
      const soon = Date.parse(new Date().toISOString()) + 10 * 60_000;
      const away = ({ outcomes }: Market): number => Math.abs(Number(outcomes[0]?.bid ?? 0) - 0.5);
      const isLive = ({ outcomes }: Market): boolean => outcomes.every(({ ask, quality }) => ask !== null && quality === 'live');
      return (body.items as Market[]).filter((one) => Date.parse(one.closesAt) > soon && isLive(one)).sort((a, b) => away(a) - away(b))[0];
    },
    { what: `an open market of ${provider}`, deadlineMs: 30_000 },
  );
}

async function order(id: string) {
  return (await service.get(`/v1/prediction-orders/${id}`)).body;
}

test.each(['polymarket', 'kalshi'])(
  'a paper order on %s is filled through its venue’s book',
  async (provider) => {
    const { id, fee } = await market(provider);
    const placed = await service.post('/v1/prediction-orders/paper', {
      marketId: id,
      outcome: 'no',
      side: 'buy',
      notionalUsd: '10',
      maxSlippageBps: 500,
    });
    expect(placed.status, placed.text).toBe(201);
    expect(placed.body).toMatchObject({ mode: 'paper', outcome: 'no', marketId: id });
    expect(['filled', 'partially_filled']).toContain(placed.body.state);
    // Some markets of a provider have no fee.
    expect(new Decimal(placed.body.feesUsd).gt(0)).toBe(fee.model !== 'none' && !new Decimal(fee.rate ?? 0).eq(0));
  },
  300_000,
);

test('a live order on either: prepare, sign, execute, open, filled', async () => {
  await Promise.all(['kalshi', 'polymarket'].map(live));
}, 600_000);

async function live(provider: string): Promise<void> {
  const wallet = sandboxKey(`a trader on ${provider}`);
  for (const [mint, amount] of [
    ['SOL', '1000000000'],
    [USDC_MINT, '100000000'],
  ] as const)
    expect(
      (await fetch(`${control}/chain/fund`, { method: 'POST', body: JSON.stringify({ owner: wallet.address, mint, amount }) })).status,
    ).toBe(200);
  const { id } = await market(provider);
  const prepared = await waitFor(
    async () => {
      const wish = { marketId: id, outcome: 'yes', side: 'buy', notionalUsd: '20', maxSlippageBps: 500, wallet: wallet.address };
      const made = await service.post('/v1/prediction-orders/prepare', wish);
      // The wallet's funding is visible once confirmed, and the quote may have aged since the market was chosen.
      const waits = made.status === 409 || made.body.rejections?.[0]?.suggestion === 'wait for a live quote';
      return made.status === 201 ? made.body : waits ? null : Promise.reject(new Error(made.text));
    },
    { what: 'a prepared order', deadlineMs: 20_000 },
  );
  const bytes = Uint8Array.from(Buffer.from(prepared.transaction.unsigned, 'base64'));
  bytes.set(wallet.sign(bytes.subarray(65)), 1);
  const signedTransaction = Buffer.from(bytes).toString('base64');
  const sent = await service.post(`/v1/prediction-orders/${prepared.order.id}/execute`, { signedTransaction });
  expect(sent.status, sent.text).toBe(202);
  // Nothing is filled before the chain has finalized it.
  expect((await order(prepared.order.id)).fills).toEqual([]);
  const seen = new Set<string>();
  const filled = await waitFor(
    async () => {
      const now = await order(prepared.order.id);
      seen.add(now.state);
      return now.state === 'filled' || now.state === 'cancelled' || now.state === 'failed' ? now : null;
    },
    { what: 'the order filled', deadlineMs: 60_000 },
  );
  expect(filled, JSON.stringify(filled)).toMatchObject({ state: 'filled', filledQuantity: prepared.order.onchain.contracts });
  expect(seen).toContain('open');
  expect(filled.fills.length).toBeGreaterThan(1);
  const spent = new Decimal(filled.filledNotionalUsd).plus(filled.feesUsd).plus(filled.refundUsd ?? 0);
  expect(spent.minus(filled.onchain.depositUsd).abs().lte('0.01')).toBe(true);
}
