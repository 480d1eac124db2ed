// A book's purchase is in a wallet: if both are named, the sum says that it counts both.
import { expect, test } from 'vitest';
import { USDC_MINT } from '../../../src/domain/catalog/catalog.ts';
import { accountOfPrimaryWallet } from '../../../src/domain/portfolio/account.ts';
import { computePortfolio } from '../../../src/domain/portfolio/portfolio.ts';
import { bookOf, MANUAL, materialOf, quoteOf, SATURDAY, WIDE } from './portfolio-samples.ts';

const quotes = new Map([quoteOf('spotchain:AAPLx', '99', '101', { observedAt: SATURDAY - 1_000 })]);
const mint = WIDE.bySymbol('AAPLx')?.token?.mint as string;
const both = (tokens: readonly { mint: string; amount: bigint; decimals: number }[]) => {
  const wallet = {
    address: mint,
    slot: 9,
    fetchedAt: SATURDAY,
    lamports: 0n,
    tokens: tokens.map((token) => ({ multiplier: 1, frozen: false, ...token })),
  };
  const books = [bookOf(MANUAL, '100', [['spotchain:AAPLx', '2']])];
  return computePortfolio(materialOf({ mode: 'live', books, wallets: [accountOfPrimaryWallet(wallet, WIDE, SATURDAY)], quotes }), WIDE);
};

test('a token held by a book and a wallet is named next to the sum that includes both', () => {
  const { totals } = both([{ mint, amount: 200_000_000n, decimals: 8 }]);
  expect(totals.valueUsd).toBe('500');
  expect(totals.includes).toContain('. Books and wallets both hold spotchain:AAPLx: these holdings may be counted twice');
});

test('nothing is said if they hold different assets', () => {
  expect(both([{ mint: USDC_MINT, amount: 5_000_000n, decimals: 6 }]).totals.includes).toMatch(
    /^cash of 2 accounts, 1 holding at live prices$/,
  );
});
