// A ranking of 10,000 wallets answers from its projection: the 99th percentile over all pages and filters is within 50 ms.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ranksOf } from './ranking.ts';
import { type RefreshFixture, refreshFixture } from './refresh-fixture.ts';

let fixture: RefreshFixture;
beforeAll(async () => {
  fixture = await refreshFixture();
});
afterAll(() => fixture.close());

test('10,000 wallets, 200,000 sales', async () => {
  const { p50, p99, projectedMs } = await ranksOf(fixture, { wallets: 10_000, salesPerWallet: 20, questions: 2_000 });
  console.log(
    `10000 wallets: a page in ${p50.toFixed(1)} ms (p50), ${p99.toFixed(1)} ms (p99); all ranks anew in ${projectedMs.toFixed(0)} ms`,
  );
  expect(p99).toBeLessThan(50);
}, 600_000);
