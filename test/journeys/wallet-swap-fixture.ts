/** Steps of the wallet-swap journeys: prepare with a funded wallet, follow an order, move the sandbox's chain. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { USDC_MINT } from '../../src/domain/catalog/catalog.ts';
import { keyOf } from '../domain/solana/honest-transactions.ts';
import { waitFor } from '../harness/wait-for.ts';
import type { Client } from './running-service.ts';

export const wallet = keyOf(11);
const address = wallet.publicKey.toBase58();

/** Creates swaps of a wallet on this service, after funding it. */
export async function walletSwaps(service: Client) {
  const { control } = JSON.parse(readFileSync(join(service.home, 'sandbox.json'), 'utf8')) as { control: string };
  async function chain(verb: string, body: object): Promise<void> {
    const answer = await fetch(`${control}/chain/${verb}`, { method: 'POST', body: JSON.stringify(body) });
    expect(answer.status, await answer.text()).toBe(200);
  }
  await chain('fund', { owner: address, mint: 'SOL', amount: '1000000000' });
  await chain('fund', { owner: address, mint: USDC_MINT, amount: '1000000000' });
  const order = async (id: string) => (await service.get(`/v1/spotchain/orders/${id}`, 'operator')).body;
  return {
    chain,
    order,
    /** Resolves once the market is live and as deep as in the last cut. */
    prepared: (amount: string) =>
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
      ),
    until: (id: string, states: readonly string[]) =>
      waitFor(
        async () => {
          const found = await order(id);
          return states.includes(found.state) ? found : null;
        },
        { what: `the swap to be ${states.join(' or ')}`, deadlineMs: 90_000 },
      ),
  };
}
