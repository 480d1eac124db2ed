// History of an address: the simulator's over sockets with all its faults, and recorded answers of the real provider if available.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { indexerBudgets } from '../../../src/adapters/indexer/access.ts';
import { createEnhancedHistory, readEnhanced } from '../../../src/adapters/indexer/enhanced-history.ts';
import { openSharedBudgets } from '../../../src/adapters/queue/request-budgets.ts';
import { USDC_DECIMALS, USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { computeLamports, toWalletEvent } from '../../../src/domain/leaderboard/wallet-event.ts';
import { createFaultSwitch, type FaultSwitch } from '../../../src/sandbox/faults.ts';
import { createIndexerSimulator, type IndexerSimulator } from '../../../src/sandbox/indexer/simulator.ts';
import type { SolanaChain } from '../../../src/sandbox/solana/chain.ts';
import { fund } from '../../../src/sandbox/solana/genesis.ts';
import { sandboxKey } from '../../../src/sandbox/solana/keys.ts';
import { foundChain } from '../../../src/sandbox/solana/simulator.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { testRedis } from '../../harness/redis.ts';

const NOW = Date.UTC(2026, 2, 2, 14, 31);
const clock = createLiveClock();
const owner = sandboxKey('whose history').address;
const redis = await testRedis();
let chain: SolanaChain;
let faults: FaultSwitch;
let simulator: IndexerSimulator;
let history: ReturnType<typeof createEnhancedHistory>;

beforeEach(async () => {
  chain = foundChain({ clock, seed: 9, slots: 'manual', mints: [], stable: { mint: USDC_MINT, decimals: USDC_DECIMALS } });
  faults = createFaultSwitch(4);
  simulator = await createIndexerSimulator({ chain, clock, faults, port: 0, perSecond: 1_000 });
  history = createEnhancedHistory({ url: simulator.url, key: 'a key', clock, random: () => 0 });
});
afterEach(async () => {
  history.close();
  await simulator.close();
});

/** Makes payments to the owner, one per slot, all final. */
function paid(times: number): void {
  for (let n = 0; n < times; n++) {
    fund(chain, owner, USDC_MINT, BigInt(n + 1));
    chain.advance(1);
  }
  chain.finalize();
}

describe('the simulator and the client of it', () => {
  test('page by signature through the whole history, newest first, with net raw changes', async () => {
    paid(130);
    const first = await history.page(owner, null);
    const second = await history.page(owner, first.at(-1)?.signature as string);
    expect([first.length, second.length]).toEqual([100, chain.historyOf(owner as never).length - 100]);
    const all = [...first, ...second];
    expect(new Set(all.map(({ signature }) => signature)).size).toBe(all.length);
    expect(all.every(({ slot }, place) => place === 0 || slot <= (all[place - 1]?.slot as number))).toBe(true);
    const dollars = all.flatMap(({ tokens }) => [...tokens].filter(([mint]) => mint === USDC_MINT).map(([, change]) => change));
    expect(dollars.reduce((sum, one) => sum + one, 0n)).toBe((130n * 131n) / 2n);
    // Incoming dollars are no event: there is no cost basis to track.
    for (const { tokens, lamports, feePaid } of all)
      expect(toWalletEvent({ tokens, lamports: computeLamports(lamports, tokens, feePaid) })).toBeNull();
  });

  test.skipIf(redis === null)('an answer at once uses no round: the budget of the next second is waited for', async () => {
    paid(1);
    const shared = openSharedBudgets({
      url: redis as string,
      clock,
      prefix: 'enhanced-history',
      onError: (error) => {
        throw error;
      },
    });
    // Two pass at once. The next one comes 1,021 to 1,037 ms later, because Redis counts the second in cells that it rounds up.
    const { indexer } = indexerBudgets(shared.budget);
    const limited = createEnhancedHistory({ url: simulator.url, key: 'a key', clock, random: () => 0, budget: indexer });
    const pages = await Promise.all([1, 2, 3].map(() => limited.page(owner, null)));
    expect(pages.map(({ length }) => length)).toEqual([1, 2, 3].map(() => chain.historyOf(owner as never).length));
    limited.close();
    shared.close();
  });

  test('return only final transactions', async () => {
    paid(3);
    fund(chain, owner, USDC_MINT, 9n);
    const before = chain.historyOf(owner as never).length;
    expect(await history.page(owner, null)).toHaveLength(before - 1);
    chain.finalize();
    expect(await history.page(owner, null)).toHaveLength(before);
  });

  test('repeat themselves, and are distinguished by signature', async () => {
    paid(5);
    faults.set({ duplicate: 1 });
    const page = await history.page(owner, null);
    expect(page.length).toBe(2 * new Set(page.map(({ signature }) => signature)).size);
  });

  test.each([
    ['a limit', { status429: 1 }, { status: 429 }],
    ['a failing provider', { status5xx: 1 }, { status: 503 }],
    ['a clock that is an hour ahead', { clockOffsetMs: 3_600_000 }, { code: 'bad_answer' }],
  ] as const)('%s is an error with its name, and nothing of the answer is used', async (_, fault, error) => {
    paid(2);
    faults.set(fault);
    await expect(history.page(owner, null)).rejects.toMatchObject({ name: 'VenueError', ...error });
  });

  test('a signature of another address is refused', async () => {
    paid(1);
    await expect(history.page(owner, '5'.repeat(88))).rejects.toMatchObject({ status: 400 });
  });
});

describe('an invalid answer', () => {
  const good = {
    signature: '5'.repeat(88),
    slot: 7,
    timestamp: NOW / 1_000,
    fee: 5_000,
    feePayer: owner,
    transactionError: null,
    accountData: [
      { account: owner, nativeBalanceChange: -5_000, tokenBalanceChanges: [] },
      {
        account: 'x',
        nativeBalanceChange: 0,
        tokenBalanceChanges: [{ userAccount: owner, mint: 'M', rawTokenAmount: { tokenAmount: '-12', decimals: 6 } }],
      },
    ],
    // An answer without swaps: not inspected.
    events: [],
  };

  test('is refused by its fault; missing swap events and types are allowed', () => {
    expect(readEnhanced(good, owner, NOW)).toEqual({
      signature: good.signature,
      slot: 7,
      at: NOW,
      failed: false,
      tokens: new Map([['M', -12n]]),
      lamports: -5_000n,
      feePaid: 5_000n,
    });
    expect(readEnhanced({ ...good, feePayer: 'another', transactionError: { error: 'x' } }, owner, NOW)).toMatchObject({
      failed: true,
      feePaid: 0n,
    });
  });

  test.each([
    ['no object', null],
    ['no signature', { ...good, signature: 'short' }],
    ['a slot that is not a number', { ...good, slot: '7' }],
    ['a time without digits', { ...good, timestamp: null }],
    ['a time of the future', { ...good, timestamp: NOW / 1_000 + 3_600 }],
    ['a time of nothing', { ...good, timestamp: 0 }],
    ['no accounts', { ...good, accountData: undefined }],
    [
      'a change as a float',
      {
        ...good,
        accountData: [{ account: 'x', tokenBalanceChanges: [{ userAccount: owner, mint: 'M', rawTokenAmount: { tokenAmount: '1.5' } }] }],
      },
    ],
    [
      'a change as a number',
      {
        ...good,
        accountData: [{ account: 'x', tokenBalanceChanges: [{ userAccount: owner, mint: 'M', rawTokenAmount: { tokenAmount: 5 } }] }],
      },
    ],
    [
      'lamports beyond what a number holds',
      { ...good, accountData: [{ account: owner, nativeBalanceChange: 2 ** 60, tokenBalanceChanges: [] }] },
    ],
  ])('%s', (_, entry) => {
    expect(() => readEnhanced(entry, owner, NOW)).toThrow('makes no sense');
  });
});

const recorded = fileURLToPath(new URL('../../../../shared/data/fixtures/helius/', import.meta.url));
describe.skipIf(!existsSync(recorded))('recorded transactions of the real provider (../shared/data)', () => {
  const files = existsSync(recorded) ? readdirSync(recorded).filter((name) => /^dbc_.*BuyRes|^dbc_buy/i.test(name)) : [];
  test.each(files)('%s reads as a move of its payer', (name) => {
    const body = JSON.parse(readFileSync(recorded + name, 'utf8')) as { feePayer: string; timestamp: number };
    const read = readEnhanced(body, body.feePayer, body.timestamp * 1_000);
    const event = toWalletEvent({ tokens: read.tokens, lamports: computeLamports(read.lamports, read.tokens, read.feePaid) });
    // Paid in the native coin: the token has no cost basis.
    expect(event?.kind).toBe('moved');
    expect(read.tokens.size).toBeGreaterThan(0);
  });
});
