// Accounts of the chain are decoded like the token library does. Anything else is null, never an error.
import { AccountLayout, MintLayout } from '@solana/spl-token';
import { PublicKey } from '@solana/web3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { multiplierAt, readLookupTable, readMint, readTokenAccount } from '../../../src/domain/solana/token-layout.ts';

const key = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => new PublicKey(bytes));
const u64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });

test('a mint and an account of the first program are what the token library wrote', () => {
  fc.assert(
    fc.property(key, key, u64, fc.nat(18), fc.boolean(), (one, two, amount, decimals, has) => {
      const mint = Buffer.alloc(MintLayout.span);
      MintLayout.encode(
        {
          mintAuthorityOption: has ? 1 : 0,
          mintAuthority: one,
          supply: amount,
          decimals,
          isInitialized: true,
          freezeAuthorityOption: 1,
          freezeAuthority: two,
        },
        mint,
      );
      expect(readMint(mint)).toMatchObject({
        supply: amount,
        decimals,
        mintAuthority: has ? one.toBase58() : null,
        freezeAuthority: two.toBase58(),
        scale: null,
      });
      const account = Buffer.alloc(AccountLayout.span);
      AccountLayout.encode(
        {
          mint: one,
          owner: two,
          amount,
          delegateOption: 0,
          delegate: PublicKey.default,
          state: has ? 2 : 1,
          isNativeOption: 0,
          isNative: 0n,
          delegatedAmount: 0n,
          closeAuthorityOption: 0,
          closeAuthority: PublicKey.default,
        },
        account,
      );
      expect(readTokenAccount(account)).toMatchObject({
        mint: one.toBase58(),
        owner: two.toBase58(),
        amount,
        state: has ? 'frozen' : 'initialized',
      });
      expect(readMint(account)).toBeNull();
      expect(readTokenAccount(mint)).toBeNull();
    }),
  );
});

test('any other bytes are no mint, no account and no table, or are read without an error', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 600 }),
    // Almost valid: the right place says mint or account, extensions follow at random.
    fc
      .tuple(
        fc.uint8Array({ minLength: 165, maxLength: 165 }),
        fc.constantFrom(1, 2),
        fc.array(fc.tuple(fc.nat(30), fc.nat(120)), { maxLength: 5 }),
      )
      .map(([head, kind, list]) => {
        head[45] = 1;
        head[108] = 1;
        const tail = list.flatMap(([type, length]) => [type, 0, length, 0, ...Array.from({ length }, () => 7)]);
        return Uint8Array.from([...head, kind, ...tail]);
      }),
  );
  fc.assert(
    fc.property(bytes, (one) => {
      readMint(one);
      readTokenAccount(one);
      readLookupTable(one);
    }),
    { numRuns: 2_000 },
  );
});

test('a multiplier changes at its instant, and without one it is 1', () => {
  const scale = { multiplier: 2, newMultiplier: 3, newMultiplierEffectiveAt: 1_000 };
  expect([multiplierAt({ scale }, 999), multiplierAt({ scale }, 1_000), multiplierAt({ scale: null }, 5)]).toEqual([2, 3, 1]);
});

test('an account that several keys share is neither a mint nor an account', () => {
  const shared = new Uint8Array(355).fill(1);
  expect([readMint(shared), readTokenAccount(shared)]).toEqual([null, null]);
});
