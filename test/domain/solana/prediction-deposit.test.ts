// Permitted effects of opening a prediction order on its wallet: one deposit into one escrow.
import { TransactionInstruction } from '@solana/web3.js';
import { expect, test } from 'vitest';
import type { BalanceChanges, LamportChange, TokenChange } from '../../../src/domain/solana/chain.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import { type DepositPromise, depositObjection, depositTransactionObjection } from '../../../src/domain/solana/prediction-deposit.ts';
import { keyOf, maker, memo, route, versioned, wallet } from './honest-transactions.ts';

const OWNER = wallet.publicKey.toBase58();
const promise: DepositPromise = { wallet: OWNER, mint: 'usdc', depositRaw: '5000000', escrowAccount: 'escrow' };

const moved = (account: string, owner: string | null, before: string, after: string, mint = 'usdc'): TokenChange => ({
  account,
  mint,
  owner,
  before,
  after,
});
const own = moved('wallet-usdc', OWNER, '9000000', '4000000');
const escrow = moved('escrow', 'venue', '1000000', '6000000');
function changes(tokens: readonly TokenChange[], lamports: readonly LamportChange[] = []): BalanceChanges {
  return { tokens, lamports };
}

test('one deposit that arrives completely in the escrow keeps the promise', () => {
  expect(depositObjection(changes([own, escrow]), promise)).toBeNull();
  expect(depositObjection(changes([escrow, own, moved('other', 'somebody', '9', '1', 'other')]), promise)).toBeNull();
  // From two accounts of the wallet, plus a new account.
  const [first, second] = [moved('a', OWNER, '3000000', '0'), moved('b', OWNER, '2000000', '0')];
  expect(depositObjection(changes([first, second, moved('escrow', null, '0', '5000000')]), promise)).toBeNull();
  // A gain of another token is no loss.
  expect(depositObjection(changes([own, escrow, moved('position', OWNER, '0', '7', 'position')]), promise)).toBeNull();
});

test('without a named escrow, and for a sell, only the wallet’s outflow counts', () => {
  expect(depositObjection(changes([own]), { ...promise, escrowAccount: null })).toBeNull();
  expect(depositObjection(changes([]), { ...promise, depositRaw: '0' })).toBeNull();
  expect(depositObjection(changes([moved('escrow', 'venue', '5', '2')]), { ...promise, depositRaw: '0' })).toBeNull();
});

test.each([
  ['more', '9000000', '3999999', '5000001'],
  ['less', '9000000', '4000001', '4999999'],
  ['the other way', '4000000', '9000000', '-5000000'],
])('a wallet that would pay %s than the deposit is warned of both amounts', (_, before, after, paid) => {
  expect(depositObjection(changes([moved('wallet-usdc', OWNER, before, after), escrow]), promise)).toBe(
    `the wallet would pay ${paid} of usdc, and not the 5000000 of the deposit`,
  );
});

test('a deposit of zero is not paid', () => {
  expect(depositObjection(changes([own]), { ...promise, depositRaw: '0' })).toBe(
    'the wallet would pay 5000000 of usdc, and not the 0 of the deposit',
  );
});

test('any other token that the wallet would lose is named with its account', () => {
  expect(depositObjection(changes([own, escrow, moved('shares', OWNER, '8', '7', 'aapl')]), promise)).toBe(
    'the wallet would also lose of aapl (shares)',
  );
});

test.each([
  ['somewhere else', moved('thief', 'thief', '0', '5000000'), '0'],
  ['in part', moved('escrow', 'venue', '1000000', '5999999'), '4999999'],
  ['with more on top', moved('escrow', 'venue', '1000000', '6000001'), '5000001'],
])('a deposit that would arrive %s is refused', (_, arriving, arrived) => {
  expect(depositObjection(changes([own, arriving]), promise)).toBe(
    `${arrived} of usdc would arrive in the escrow escrow, and not the 5000000 of the deposit`,
  );
});

test('fees and rent are bounded, to the lamport, for the wallet alone', () => {
  const lamports = (account: string, before: string, after: string) => changes([own, escrow], [{ account, before, after }]);
  expect(depositObjection(lamports(OWNER, '12000000', '0'), promise)).toBeNull();
  expect(depositObjection(lamports(OWNER, '12000001', '0'), promise)).toBe(
    'the wallet would also pay 12000001 lamports, more than 12000000',
  );
  expect(depositObjection(lamports('somebody', '99000000', '0'), promise)).toBeNull();
});

test('only the wallet signs, and only the memo, tokens and the programs of the venue are called', () => {
  const objection = (instructions: Parameters<typeof versioned>[0], programs: readonly string[]): string | null => {
    const read = readTransaction(versioned(instructions).unsigned);
    if (!read.ok) throw new Error(read.refusal.detail);
    return depositTransactionObjection(read.value, promise, programs, new Map());
  };
  expect(objection([memo('order 7')], [])).toBeNull();
  const order = new TransactionInstruction({ programId: keyOf(77).publicKey, keys: [], data: Buffer.from('order') });
  expect(objection([order], [keyOf(77).publicKey.toBase58()])).toBeNull();
  expect(objection([order], [])).toMatch(/^instruction 0: .* is no program of a swap$/);
  expect(objection([route([], [wallet.publicKey, maker.publicKey])], [])).toContain('who is no known maker');
});
