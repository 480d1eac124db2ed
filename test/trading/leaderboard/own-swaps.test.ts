// Swaps of this service on the leaderboard: counted before the provider reports them, and once afterwards.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { eachRow } from '../../../actors/runtime/containment.ts';
import { readEnhanced, type WalletTransaction } from '../../../src/adapters/indexer/enhanced-history.ts';
import {
  createLeaderboardReads,
  createLeaderboardStore,
  createRegistrationStore,
} from '../../../src/adapters/store/leaderboard/leaderboard-store.ts';
import { CATALOG, USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { toEnhanced } from '../../../src/sandbox/indexer/simulator.ts';
import { createLeaderboardRefresh } from '../../../src/trading/leaderboard-refresh.ts';
import { AAPLX, must, ORG, preparedSwap, type SwapFixture, signedBy, swapFixture } from '../../actors/prepared-transaction/swap-fixture.ts';

let fixture: SwapFixture;
beforeAll(async () => {
  fixture = await swapFixture();
});
afterAll(() => fixture.close());

async function swapped(over: Parameters<typeof preparedSwap>[1] = {}): Promise<string> {
  await fixture.cut();
  await fixture.receive();
  const order = await preparedSwap(fixture, over);
  must(await fixture.swaps.execute(fixture.context(), order.id, signedBy(fixture.wallet, order.unsigned)));
  for (let round = 0; round < 40; round++) {
    fixture.chain.advance(8);
    await fixture.pass(3_000);
    if ((await fixture.find(order.id)).state === 'finalized') return (await fixture.find(order.id)).signature as string;
  }
  throw new Error('the swap is not final');
}

test('an own purchase and sale make a figure by themselves, and the provider’s same history changes nothing', async () => {
  const address = fixture.wallet.publicKey.toBase58();
  const mint = CATALOG.byKey(AAPLX)?.token?.mint as string;
  const bought = await swapped();
  const [fill] = await fixture.sql<{ quantity: string }[]>`select quantity::text from fills order by number limit 1`;
  const sold = await swapped({ side: 'sell', amount: fill?.quantity as string } as never);
  let told: readonly WalletTransaction[] = [];
  const store = createLeaderboardStore(fixture.sql);
  const reads = createLeaderboardReads(fixture.sql);
  await createRegistrationStore(fixture.sql).register(
    ORG,
    { chain: 'spotchain', address, label: null, by: 'ann', at: fixture.clock.now() },
    [],
  );
  const { run } = createLeaderboardRefresh({
    contained: eachRow((error) => {
      throw error;
    }),
    store,
    clock: fixture.clock,
    histories: { transactions: async () => told, fills: async () => [], failureOf: () => null },
  });

  await run();
  const first = await reads.find(address, '24h');
  expect(first).toMatchObject({ rank: 1, sales: 1, matchedSales: 1 });
  const { items } = await reads.sales(address, '24h', fixture.clock.now(), { limit: 10, after: null });
  expect(items).toMatchObject([{ asset: mint, reference: sold }]);
  const events = await fixture.sql<{ signature: string; source: string }[]>`select signature, source from leaderboard_events order by seq`;
  expect([...events]).toEqual([
    { signature: bought, source: 'service' },
    { signature: sold, source: 'service' },
  ]);

  told = fixture.chain.historyOf(address as never).map((landed) => readEnhanced(toEnhanced(landed), address, fixture.clock.now()));
  expect(told.map(({ signature }) => signature)).toEqual(expect.arrayContaining([bought, sold]));
  // The provider's record of an own swap equals our own.
  const [own] = await store.ownSwaps(address, 0);
  const same = told.find(({ signature }) => signature === own?.signature);
  expect([same?.slot, same?.tokens.get(mint), same?.tokens.get(USDC_MINT)]).toEqual([
    own?.slot,
    own?.tokens.get(mint),
    own?.tokens.get(USDC_MINT),
  ]);
  fixture.clock.advanceTo(fixture.clock.now() + 10 * 60_000);
  await run();
  expect(await reads.find(address, '24h')).toMatchObject({
    realizedPnlUsd: first?.realizedPnlUsd,
    sales: 1,
    matchedSales: 1,
    failure: null,
  });
});
