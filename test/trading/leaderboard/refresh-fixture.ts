// Refresh of the leaderboard on a real PostgreSQL, with histories that a test writes page by page.
import { eachRow } from '../../../actors/runtime/containment.ts';
import type { WalletHistories } from '../../../src/adapters/indexer/access.ts';
import type { WalletTransaction } from '../../../src/adapters/indexer/enhanced-history.ts';
import { openDatabase } from '../../../src/adapters/store/database.ts';
import {
  createLeaderboardReads,
  createLeaderboardStore,
  createRegistrationStore,
} from '../../../src/adapters/store/leaderboard/leaderboard-store.ts';
import { VenueError } from '../../../src/adapters/venues/venue-feed.ts';
import type { ReportedFill } from '../../../src/domain/identity/wallet.ts';
import type { LeaderboardWindow } from '../../../src/domain/leaderboard/leaderboard-entry.ts';
import { base58 } from '../../../src/domain/solana/base58.ts';
import { sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { createLeaderboardRefresh } from '../../../src/trading/leaderboard-refresh.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { testDatabase } from '../../harness/postgres.ts';

export const NOW = Date.UTC(2026, 2, 2, 14, 31);
export const ORG = '00000000-0000-7000-8000-000000000001';
export const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
export const HOUR = 3_600_000;

export const signature = (n: number): string => base58(Uint8Array.from({ length: 64 }, (_, at) => (at < 4 ? (n >> (8 * at)) & 255 : 7)));

/** Returns a transaction of the wallet: signed raw changes of tokens. */
export function moved(n: number, at: number, tokens: Record<string, number>, over: Partial<WalletTransaction> = {}): WalletTransaction {
  const changes = new Map(Object.entries(tokens).map(([mint, change]) => [mint, BigInt(change)]));
  return { signature: signature(n), slot: n, at, failed: false, tokens: changes, lamports: 0n, feePaid: 0n, ...over };
}
/** Returns a purchase of tokens for raw dollars. */
export const bought = (n: number, at: number, quantity: number, usd: number) => moved(n, at, { A: quantity, [USDC]: -usd });
export const sold = (n: number, at: number, quantity: number, usd: number) => moved(n, at, { A: -quantity, [USDC]: usd });

export async function refreshFixture() {
  const sql = openDatabase({ url: await testDatabase(), name: 'leaderboard test', connections: 4 });
  await sql`insert into organizations (id, name) values (${ORG}, 'ours') on conflict do nothing`;
  const clock = createVirtualClock(NOW);
  /** Histories by address, newest first; a text is an error of the provider. */
  const histories = new Map<string, WalletTransaction[] | string>();
  const fills = new Map<string, ReportedFill[]>();
  const asked: { readonly address: string; readonly before: string | null }[] = [];
  let budget = Number.POSITIVE_INFINITY;
  const provider: WalletHistories = {
    async transactions(address, before) {
      if (budget-- <= 0) throw new VenueError('spotchain', 0, 'budget_exhausted', 'the budget is spent');
      asked.push({ address, before });
      const history = histories.get(address) ?? [];
      if (typeof history === 'string') throw new VenueError('spotchain', 503, 'http_503', history);
      const from = before === null ? 0 : history.findIndex((one) => one.signature === before) + 1;
      return history.slice(from, from + 100);
    },
    fills: async (address, since) => (fills.get(address) ?? []).filter(({ at }) => since === null || at >= since),
    failureOf: (error) => (error instanceof VenueError ? (error.code === 'budget_exhausted' ? 'spent' : 'silent') : null),
  };
  const store = createLeaderboardStore(sql);
  const reads = createLeaderboardReads(sql);
  const registrations = createRegistrationStore(sql);
  /** Defects of this service, one wallet each. */
  const defects: unknown[] = [];
  const { run } = createLeaderboardRefresh({
    contained: eachRow((error) => defects.push(error)),
    store,
    histories: provider,
    clock,
  });
  let wallets = 0;
  return {
    sql,
    clock,
    store,
    reads,
    histories,
    fills,
    asked,
    run,
    defects,
    limit(requests: number): void {
      budget = requests;
    },
    /** Registers a wallet of the primary chain with this history, newest first. */
    async wallet(history: WalletTransaction[] | string = [], address = sandboxKey(`wallet ${++wallets}`).address): Promise<string> {
      histories.set(address, history);
      await registrations.register(ORG, { chain: 'spotchain', address, label: null, by: 'ann', at: clock.now() }, []);
      return address;
    },
    async perpWallet(history: ReportedFill[]): Promise<string> {
      const address = `0x${String(++wallets).padStart(40, '0')}`;
      fills.set(address, history);
      await registrations.register(ORG, { chain: 'evmvenue', address, label: 'a desk', by: 'ann', at: clock.now() }, []);
      return address;
    },
    /** Runs rounds until no wallet waits. */
    async settled(): Promise<void> {
      for (let round = 0; round < 50; round++) if ((await run()).waiting === 0) return;
      throw new Error('wallets still wait after 50 rounds');
    },
    async entry(address: string, window: LeaderboardWindow = '7d') {
      const found = await reads.find(address, window);
      if (found === null) throw new Error(`${address} is not on the board`);
      return found;
    },
    close: () => sql.end(),
  };
}
export type RefreshFixture = Awaited<ReturnType<typeof refreshFixture>>;

let made = 0;
export function closing(at: number, closedPnl: string, over: Partial<ReportedFill> = {}): ReportedFill {
  made++;
  return {
    coin: 'BTC',
    at,
    direction: 'Close Long',
    startPosition: '1',
    closedPnl,
    fee: '0.1',
    feeToken: 'USDC',
    tradeId: made,
    orderId: made,
    hash: `0x${made.toString(16).padStart(64, '0')}`,
    ...over,
  };
}
