// Leaderboard with many wallets, and the time of its pages.
import { expect } from 'vitest';
import type { LeaderboardFilter } from '../../../src/adapters/store/leaderboard/leaderboard-store.ts';
import { LEADERBOARD_WINDOWS } from '../../../src/domain/leaderboard/leaderboard-entry.ts';
import { seededRandom } from '../../../src/sandbox/faults.ts';
import { percentile } from '../../harness/measured.ts';
import { HOUR, NOW, ORG, type RefreshFixture } from './refresh-fixture.ts';

const EVERYTHING: LeaderboardFilter = { chain: null, search: null, ranked: null, minimumCoveragePct: null };

/** Fills and ranks the leaderboard, and reads pages of it. Returns milliseconds. */
export async function ranksOf(
  fixture: RefreshFixture,
  size: { readonly wallets: number; readonly salesPerWallet: number; readonly questions: number },
) {
  const { sql, reads, store } = fixture;
  await sql`
    insert into leaderboard_registrations (org_id, chain, address, label, registered_by, registered_at)
    select ${ORG}, 'evmvenue', '0x' || lpad(to_hex(n), 40, '0'), 'desk ' || n, 'ann', ${NOW} from generate_series(1, ${size.wallets}) n`;
  await sql`update leaderboard_wallets set read_at = ${NOW}, asked_at = ${NOW}`;
  await sql`
    insert into leaderboard_sales (wallet_id, key, at, asset, direction, profit_usd, reference)
    select w.id, 'sale ' || n, ${NOW} - (w.id * 7919 + n * 104729) % ${720 * HOUR}, 'BTC', 'Close Long', (w.id * 31 + n * 17) % 2001 - 1000, 'x'
    from leaderboard_wallets w cross join generate_series(1, ${size.salesPerWallet}) n`;
  const ids = (await sql<{ id: number }[]>`select id from leaderboard_wallets`).map(({ id }) => id);
  const began = performance.now();
  await store.project(ids, NOW, NOW - HOUR);
  const projectedMs = performance.now() - began;
  await sql`analyze leaderboard_standings, leaderboard_wallets`;

  const random = seededRandom(5);
  const took: number[] = [];
  for (let question = 0; question < size.questions; question++) {
    const window = LEADERBOARD_WINDOWS[question % 3] as (typeof LEADERBOARD_WINDOWS)[number];
    const after = question % 2 === 0 ? null : String(Math.floor(random() * size.wallets));
    const filter: LeaderboardFilter =
      question % 5 === 0
        ? { ...EVERYTHING, search: `desk ${Math.floor(random() * size.wallets)}` }
        : question % 7 === 0
          ? { ...EVERYTHING, ranked: true }
          : EVERYTHING;
    const from = performance.now();
    await reads.rank(window, filter, { limit: 50, after });
    took.push(performance.now() - from);
  }
  const first = await reads.rank('30d', EVERYTHING, { limit: 2, after: null });
  expect(first.items[0]?.rank).toBe(1);
  return { p50: percentile(took, 0.5), p99: percentile(took, 0.99), projectedMs };
}
