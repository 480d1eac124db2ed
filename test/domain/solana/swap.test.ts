// Promise of a swap: transactions that a wallet may be asked to sign, balances that keep it, and the resulting fill.
import { PublicKey, SystemProgram, TransactionInstruction, VersionedTransaction } from '@solana/web3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyFill, emptyBook } from '../../../src/domain/books/book.ts';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { ledgerOfFill } from '../../../src/domain/books/ledger.ts';
import type { BalanceChanges } from '../../../src/domain/solana/chain.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import { ASSOCIATED_TOKEN_PROGRAM, TOKEN_2022, TOKEN_PROGRAM } from '../../../src/domain/solana/programs.ts';
import {
  balanceObjection,
  computePrice,
  toRaw,
  routeObjection,
  type SwapPromise,
  swapFill,
  swapOrder,
  toUi,
} from '../../../src/domain/solana/swap.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { keyOf, LIGHTHOUSE, maker, memo, route, versioned, wallet } from './honest-transactions.ts';

const OWNER = wallet.publicKey.toBase58();
const MAKER = maker.publicKey.toBase58();
const RULES = { programs: new Set<string>(), makers: new Set([MAKER]), tables: new Map() };
const USDC = { mint: 'usdc', decimals: 6, multiplier: '1' };
const TOKEN = { mint: 'token', decimals: 8, multiplier: '1.0057146' };
const promise: SwapPromise = {
  wallet: OWNER,
  side: 'buy',
  input: USDC,
  output: TOKEN,
  inAmount: '250000000',
  outAmount: '92000000',
  minOutAmount: '91540000',
};

function objection(
  instructions: readonly TransactionInstruction[],
  { payer = wallet.publicKey, signers = [] as (typeof wallet)[] } = {},
): string | null {
  const { unsigned } = versioned(instructions, [], { payer });
  const transaction = VersionedTransaction.deserialize(unsigned);
  transaction.sign(signers);
  const read = readTransaction(transaction.serialize());
  if (!read.ok) throw new Error(read.refusal.detail);
  return routeObjection(read.value, promise, RULES);
}
const token = (program: string, data: readonly number[], keys: readonly PublicKey[] = []) =>
  new TransactionInstruction({
    programId: new PublicKey(program),
    keys: keys.map((pubkey) => ({ pubkey, isSigner: false, isWritable: true })),
    data: Buffer.from(data),
  });
const swap = route([keyOf(60).publicKey], [wallet.publicKey]);
const twoSigners = route([], [wallet.publicKey, maker.publicKey]);

test('a route signed and paid by the wallet alone may be signed, and so may one signed by a known maker', () => {
  expect(objection([swap])).toBeNull();
  expect(objection([twoSigners], { signers: [maker] })).toBeNull();
  expect(objection([swap, token(TOKEN_PROGRAM, [12]), token(TOKEN_2022, [26, 1]), token(ASSOCIATED_TOKEN_PROGRAM, [1])])).toBeNull();
  expect(objection([swap, token(TOKEN_PROGRAM, [9], [keyOf(61).publicKey, wallet.publicKey])])).toBeNull();
  expect(objection([swap, SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: maker.publicKey, lamports: 1 })])).toBeNull();
});

test.each<[string, () => string | null]>([
  ['does not sign it', () => objection([route([], [maker.publicKey])], { payer: maker.publicKey, signers: [maker] })],
  ['neither the wallet nor a known maker', () => objection([route([], [wallet.publicKey])], { payer: keyOf(70).publicKey })],
  ['no known maker', () => objection([route([], [wallet.publicKey, keyOf(70).publicKey])])],
  ['has not signed it', () => objection([twoSigners])],
  ['already carries a signature', () => objection([swap], { signers: [wallet] })],
  ['no program of a swap', () => objection([swap, memo('a')])],
  ['Lighthouse', () => objection([swap, new TransactionInstruction({ programId: LIGHTHOUSE, keys: [], data: Buffer.of(1) })])],
  // Approve, set authority, burn, approve checked: instructions that give away rights or tokens.
  ...[4, 6, 8, 13, 15].map(
    (tag) => ['more than moving tokens', () => objection([swap, token(TOKEN_PROGRAM, [tag])])] as [string, () => string | null],
  ),
  ['more than moving tokens', () => objection([swap, token(TOKEN_2022, [26, 0])])],
  ['more than moving tokens', () => objection([swap, token(TOKEN_PROGRAM, [])])],
  ['in favour of another', () => objection([swap, token(TOKEN_PROGRAM, [9], [keyOf(61).publicKey, keyOf(62).publicKey])])],
  [
    'more than creating an account',
    () => objection([swap, SystemProgram.assign({ accountPubkey: wallet.publicKey, programId: keyOf(63).publicKey })]),
  ],
  ['more than creating an account', () => objection([swap, token(ASSOCIATED_TOKEN_PROGRAM, [2])])],
])('a transaction must not be signed: %s', (words, ask) => {
  expect(ask()).toContain(words);
});

const change = (mint: string, before: string, after: string, owner = OWNER) => ({
  account: `${owner} ${mint}`,
  mint,
  owner,
  before,
  after,
});
const kept: BalanceChanges = {
  lamports: [{ account: OWNER, before: '10000000', after: '7950000' }],
  tokens: [change('usdc', '300000000', '50000000'), change('token', '0', '92000000'), change('usdc', '0', '250000000', MAKER)],
};

test('balances that pay no more and receive no less keep the promise', () => {
  expect(balanceObjection(kept, promise)).toBeNull();
  expect(
    balanceObjection({ ...kept, tokens: [change('usdc', '300000000', '50000000'), change('token', '5', '91540005')] }, promise),
  ).toBeNull();
});

test.each<[string, BalanceChanges]>([
  ['give nothing', { ...kept, tokens: [change('token', '0', '92000000')] }],
  ['more than the 250000000', { ...kept, tokens: [change('usdc', '300000000', '49999999'), change('token', '0', '92000000')] }],
  ['less than the 91540000', { ...kept, tokens: [change('usdc', '300000000', '50000000'), change('token', '0', '91539999')] }],
  ['less than the 91540000', { ...kept, tokens: [change('usdc', '300000000', '50000000'), change('token', '0', '92000000', MAKER)] }],
  ['also lose of other', { ...kept, tokens: [...kept.tokens, change('other', '1', '0')] }],
  ['lamports', { ...kept, lamports: [{ account: OWNER, before: '100000000', after: '50000000' }] }],
])('balances break the promise: %s', (words, changes) => {
  expect(balanceObjection(changes, promise)).toContain(words);
});

const BOOK = 'manual:00000000-0000-7000-8000-000000000001:live';
const INSTRUMENT: InstrumentKey = 'spotchain:AAPLx';
const info = { id: 'f', orderId: 'o', bookId: BOOK, instrument: INSTRUMENT, decisionPrice: '270', at: 1, quotes: [] };

test('a fill books the dollars that moved and the tokens that moved, to the last unit, and its ledger sums to zero (seed 5)', () => {
  const raw = fc.bigInt({ min: 1n, max: 10n ** 15n });
  const multiplier = fc.constantFrom('1', '1.0057146', '5', '1.4861347');
  fc.assert(
    fc.property(raw, raw, multiplier, fc.constantFrom('buy' as const, 'sell' as const), (usd, tokens, scale, side) => {
      const scaled = { ...TOKEN, multiplier: scale };
      const [input, output] = side === 'buy' ? [USDC, scaled] : [scaled, USDC];
      const [given, got] = side === 'buy' ? [usd, tokens] : [tokens, usd];
      const changes = { lamports: [], tokens: [change(input.mint, String(given), '0'), change(output.mint, '0', String(got))] };
      const fill = swapFill(changes, { ...promise, side, input, output }, info);
      // A price below a trillionth of a dollar is none.
      if (fill === null) {
        expect(
          new Decimal(String(usd))
            .div(1e6)
            .div(toUi(String(tokens), scaled))
            .lt('1e-12'),
        ).toBe(true);
        return;
      }
      const dollars = new Decimal(String(usd)).div(1e6);
      expect(new Decimal(fill.quantity).eq(new Decimal(String(tokens)).times(scale).div(1e8))).toBe(true);
      const opened = {
        ...emptyBook(BOOK, 'live', '0'),
        holdings: side === 'sell' ? [{ instrument: INSTRUMENT, quantity: fill.quantity, costUsd: '1', openedAt: 0 }] : [],
      };
      const after = applyFill(opened, fill);
      expect(new Decimal(after.cashUsd).eq(side === 'buy' ? dollars.neg() : dollars)).toBe(true);
      // In base units of the stablecoin, without adjusting a price.
      expect(fill.notionalUsd).toBe(dollars.toFixed());
      expect(fill.feeUsd).toBe('0');
      const quotient = new Decimal(fill.quantity).times(fill.fillPrice).minus(dollars).abs();
      expect(quotient.lte(new Decimal(fill.quantity).times('0.0000000000005'))).toBe(true);
      const sums = new Map<string, Decimal>();
      for (const { asset, amount } of ledgerOfFill(fill).legs) sums.set(asset, (sums.get(asset) ?? new Decimal(0)).plus(amount));
      expect([...sums.values()].every((sum) => sum.isZero())).toBe(true);
    }),
    { seed: 5, numRuns: 500 },
  );
});

test('balances without a trade are no fill', () => {
  expect(swapFill({ lamports: [], tokens: [] }, promise, info)).toBeNull();
  expect(swapFill({ lamports: [], tokens: [change('usdc', '5', '0')] }, promise, info)).toBeNull();
});

test('the assessed order is never below the swap: the maximum spent by a buy, and sold by a sell (seed 6)', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 1_000_000n, max: 10n ** 12n }),
      fc.double({ min: 0.5, max: 5_000, noNaN: true }),
      fc.constantFrom('buy' as const, 'sell' as const),
      (amount, price, side) => {
        const input = side === 'buy' ? USDC : TOKEN;
        const worstPrice = new Decimal(price);
        const order = swapOrder(
          { side, input, inAmount: String(amount) },
          { id: 'o', bookId: BOOK, instrument: INSTRUMENT, worstPrice, maxSlippageBps: 50 },
        );
        const given = toUi(String(amount), input);
        if (side === 'buy') expect(new Decimal(order.notionalUsd).gte(given)).toBe(true);
        else expect(new Decimal(order.quantity).gte(given)).toBe(true);
        expect(side === 'buy' ? new Decimal(order.limitPrice).gte(worstPrice) : new Decimal(order.limitPrice).lte(worstPrice)).toBe(true);
        expect(new Decimal(order.quantity).mod('0.000001').isZero() && new Decimal(order.limitPrice).mod('0.000001').isZero()).toBe(true);
      },
    ),
    { seed: 6 },
  );
});

test('raw amounts are rounded down, and a price is dollars per UI unit', () => {
  expect(toRaw('1.9999999', USDC)).toBe('1999999');
  expect(toRaw('1', TOKEN)).toBe('99431787');
  expect(computePrice(promise, '250000000', '92000000').toFixed(6)).toBe(
    new Decimal(250).div(new Decimal('0.92').times('1.0057146')).toFixed(6),
  );
});
