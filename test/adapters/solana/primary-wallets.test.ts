// Wallets of the primary chain, read from a real node of the sandbox and valued. An unreachable node is reported as such.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPrimaryWallets } from '../../../src/adapters/solana/primary-wallets.ts';
import { CATALOG, USDC_DECIMALS, USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { accountOfPrimaryWallet } from '../../../src/domain/portfolio/account.ts';
import { createSolanaSimulator, type SolanaSimulator } from '../../../src/sandbox/solana/simulator.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { waitFor } from '../../harness/wait-for.ts';

const clock = createLiveClock();
const OPENAI = CATALOG.bySymbol('OPENAI')?.token as NonNullable<NonNullable<ReturnType<typeof CATALOG.bySymbol>>['token']>;
/** Arbitrary address: the mint of another token. */
const OWNER = CATALOG.bySymbol('AAPLx')?.token?.mint as string;
let node: SolanaSimulator;
beforeAll(async () => {
  const { mint, decimals } = OPENAI;
  node = await createSolanaSimulator({
    clock,
    seed: 7,
    port: 0,
    mints: [{ mint, symbol: 'OPENAI', decimals, multiplier: 1, newMultiplier: 2.5, newMultiplierEffectiveAt: 1_000 }],
    stable: { mint: USDC_MINT, decimals: USDC_DECIMALS },
  });
});
afterAll(() => node.close());

test('coins, dollars and scaled tokens of an address become a place', async () => {
  const wallets = createPrimaryWallets(node.url, clock);
  node.fund(OWNER, 'SOL', 1_500_000_000n);
  node.fund(OWNER, USDC_MINT, 12_250_000n);
  node.fund(OWNER, OPENAI.mint, 4_000_000_000n);
  const held = async () => {
    const read = await wallets.balancesOf(OWNER);
    if (!read.ok) throw new Error(read.refusal.detail);
    return accountOfPrimaryWallet(read.value, CATALOG, clock.now()).place;
  };
  // Balances are read once the block of the gifts is confirmed.
  await waitFor(async () => (await held()).positions.length === 2, { what: 'the block of the last gift' });
  const place = await held();
  expect(place).toMatchObject({ kind: 'chain_wallet', mode: 'live', address: OWNER, cashUsd: '12.25' });
  // Four raw tokens with a multiplier of two and a half.
  expect(place.positions.map(({ symbol, quantity, instrument }) => [symbol, quantity, instrument])).toEqual([
    ['SOL', '1.5', 'spotexchange:SOLUSDT'],
    ['OPENAI', '10', 'spotchain:OPENAI'],
  ]);
  wallets.close();
});

test('a node that does not answer is a refusal that says so, without its address', async () => {
  const wallets = createPrimaryWallets('http://127.0.0.1:1/?key=hidden', clock);
  const read = await wallets.balancesOf(OWNER);
  expect(read).toMatchObject({ ok: false, refusal: { code: 'unavailable' } });
  expect(JSON.stringify(read)).not.toContain('hidden');
  wallets.close();
});
