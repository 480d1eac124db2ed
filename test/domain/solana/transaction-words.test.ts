// Transactions in sentences: instructions of other encoders are described as what they were asked to do.
import { createHash } from 'node:crypto';
import {
  AuthorityType,
  createApproveCheckedInstruction,
  createApproveInstruction,
  createAssociatedTokenAccountIdempotentInstruction,
  createCloseAccountInstruction,
  createRevokeInstruction,
  createSetAuthorityInstruction,
  createSyncNativeInstruction,
  createTransferCheckedInstruction,
  createTransferCheckedWithFeeInstruction,
  createTransferInstruction,
  TOKEN_2022_PROGRAM_ID,
} from '@solana/spl-token';
import { ComputeBudgetProgram, PublicKey, SystemProgram, type TransactionInstruction } from '@solana/web3.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { U64_MAX } from '../../../src/domain/launch/curve/math.ts';
import {
  claimFeeInstruction,
  initializePoolInstruction,
  type ProgramInstruction,
  swapInstruction,
} from '../../../src/domain/launch/curve/program.ts';
import { lockerClaimInstruction, migrationFeeInstruction, surplusInstruction } from '../../../src/domain/launch/withdrawals.ts';
import { readRoute } from '../../../src/domain/solana/aggregator-routes.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import {
  AGGREGATOR_PROGRAM,
  ASSOCIATED_TOKEN_PROGRAM,
  COMPUTE_BUDGET_PROGRAM,
  CURVE_PROGRAM,
  LOCKER_PROGRAM,
  MEMO_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022,
  TOKEN_PROGRAM,
} from '../../../src/domain/solana/programs.ts';
import { describeInstructions } from '../../../src/domain/solana/transaction-words.ts';
import { keyOf, memo, versioned } from './honest-transactions.ts';

const [a, b, c, d] = [21, 22, 23, 24].map((seed) => keyOf(seed).publicKey) as [PublicKey, PublicKey, PublicKey, PublicKey];
const of = (key: PublicKey): string => key.toBase58();
const KEYS = { config: of(a), baseMint: of(b), quoteMint: of(c), quoteProgram: TOKEN_PROGRAM };
const NAMES = { name: 'Lantern', symbol: 'LAMP', uri: 'https://example.com/lamp.json' };

/** Returns the sentences of instructions by other encoders. */
function words(...instructions: readonly TransactionInstruction[]): readonly string[] {
  const read = readTransaction(versioned(instructions).unsigned);
  if (!read.ok) throw new Error(read.refusal.detail);
  return describeInstructions(read.value);
}

/** Returns the sentence of one of our instructions. */
function own({ program, accounts, data }: ProgramInstruction): string {
  const staticKeys = [...new Set([...accounts.map(({ address }) => address), program])];
  const places = accounts.map(({ address }) => staticKeys.indexOf(address));
  return describeInstructions({ staticKeys, lookups: [], instructions: [{ program, accounts: places, data }] })[0] as string;
}

test('coins, fees, accounts and memos are told with their amounts', () => {
  expect(
    words(
      ComputeBudgetProgram.setComputeUnitLimit({ units: 540_000 }),
      ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 20_000 }),
      SystemProgram.transfer({ fromPubkey: a, toPubkey: b, lamports: 1_500_000_001 }),
      SystemProgram.createAccount({ fromPubkey: a, newAccountPubkey: b, lamports: 2_039_280, space: 165, programId: c }),
      SystemProgram.assign({ accountPubkey: a, programId: d }),
      createAssociatedTokenAccountIdempotentInstruction(a, b, c, d),
      memo('paid in full'),
    ),
  ).toEqual([
    'Uses at most 540,000 compute units.',
    'Pays a priority fee of 20,000 micro-lamports for each compute unit.',
    `Pays 1.500000001 SOL from ${of(a)} to ${of(b)}.`,
    `Creates the account ${of(b)} for the program ${of(c)}. ${of(a)} pays 0.00203928 SOL into it.`,
    `Makes the program ${of(d)} the owner of the account ${of(a)}.`,
    `Creates the token account ${of(b)} of ${of(c)} for the mint ${of(d)} if it does not exist. ${of(a)} pays its rent.`,
    'Writes the memo “paid in full” to the chain.',
  ]);
});

test('what moves tokens and what gives a right away are told apart', () => {
  expect(
    words(
      createTransferInstruction(a, b, c, 1_000_000n),
      createTransferCheckedInstruction(a, d, b, c, 12_500_000n, 6),
      createTransferCheckedWithFeeInstruction(a, d, b, c, 1_000n, 3, 10n, [], TOKEN_2022_PROGRAM_ID),
      createApproveInstruction(a, b, c, U64_MAX),
      createApproveCheckedInstruction(a, d, b, c, 5n, 1),
      createRevokeInstruction(a, c),
      createSetAuthorityInstruction(a, c, AuthorityType.AccountOwner, b),
      createSetAuthorityInstruction(a, c, AuthorityType.CloseAccount, null),
      createCloseAccountInstruction(a, b, c),
      createSyncNativeInstruction(a),
    ),
  ).toEqual([
    `Moves 1,000,000 raw units from the token account ${of(a)} to ${of(b)}, authorized by ${of(c)}.`,
    `Moves 12.5 of the mint ${of(d)} from the token account ${of(a)} to ${of(b)}, authorized by ${of(c)}.`,
    `Moves 1 of the mint ${of(d)} from the token account ${of(a)} to ${of(b)}, less a transfer fee of 0.01.`,
    `Allows ${of(b)} to spend up to all raw units from the token account ${of(a)}.`,
    `Allows ${of(b)} to spend up to 0.5 of the mint ${of(d)} from the token account ${of(a)}.`,
    `Revokes every allowance to spend from the token account ${of(a)}.`,
    `Transfers an authority of the account ${of(a)} to ${of(b)}.`,
    `Transfers an authority of the account ${of(a)} to nobody.`,
    `Closes the token account ${of(a)}. Its remaining SOL goes to ${of(b)}.`,
    `Wraps the SOL of the token account ${of(a)}.`,
  ]);
});

test('launches, trades on a curve and claims name who is paid and into which account', () => {
  const trade = { trader: of(d), baseAccount: of(a), quoteAccount: of(b), amount: 1_000_000_000n, bound: 42n } as const;
  const fees = { claimer: of(d), baseAccount: of(a), quoteAccount: of(b), mostBase: U64_MAX, mostQuote: 7n } as const;
  expect(own(initializePoolInstruction(KEYS, { creator: of(d), payer: of(d), badge: null }, NAMES))).toMatch(
    new RegExp(
      `^Creates the token “Lantern” \\(LAMP\\) with the mint ${of(b)} .* Its creator is ${of(d)}, its metadata is at https://example.com/lamp.json\\.$`,
    ),
  );
  expect(own(swapInstruction(KEYS, { ...trade, direction: 'buy', mode: 'exactIn' }))).toMatch(
    new RegExp(`pays exactly 1,000,000,000 raw units from ${of(b)} and receives at least 42 raw units in ${of(a)}\\.$`),
  );
  expect(own(swapInstruction(KEYS, { ...trade, direction: 'sell', mode: 'exactOut' }))).toMatch(
    new RegExp(`receives exactly 1,000,000,000 raw units in ${of(b)} and pays at most 42 raw units from ${of(a)}\\.$`),
  );
  for (const as of ['creator', 'partner'] as const)
    expect(own(claimFeeInstruction(KEYS, { ...fees, as }))).toMatch(
      new RegExp(
        `^Pays the ${as}'s trading fees .* to ${of(d)}: at most all raw units of the token into ${of(a)} and 7 raw units of the quote token into ${of(b)}\\.`,
      ),
    );
  for (const as of ['creator', 'partner'] as const) {
    const paid = new RegExp(`^Pays the ${as}'s part of the (surplus|migration fee) of the curve .* to ${of(d)}, into ${of(b)}\\.$`);
    expect(own(surplusInstruction(KEYS, { as, claimer: of(d), quoteAccount: of(b) }))).toMatch(paid);
    expect(own(migrationFeeInstruction(KEYS, { as, claimer: of(d), quoteAccount: of(b) }))).toMatch(paid);
  }
  expect(own(lockerClaimInstruction(KEYS, { recipient: of(d), baseAccount: of(a), most: U64_MAX }))).toMatch(
    new RegExp(`to ${of(d)}, into ${of(a)}: at most all raw units\\.$`),
  );
});

test('routes stand under the names that the aggregator gives them, and are told with the fee that somebody takes', () => {
  const begin = (name: string) => createHash('sha256').update(`global:${name}`).digest().subarray(0, 8);
  const tail = (fee: number): Buffer => {
    const bytes = Buffer.alloc(19);
    bytes.writeBigUInt64LE(300_000_000n, 0);
    bytes.writeBigUInt64LE(1_000n, 8);
    bytes.writeUInt16LE(50, 16);
    bytes[18] = fee;
    return bytes;
  };
  const data = (name: string, fee = 0) => Uint8Array.from(Buffer.concat([begin(name), Buffer.alloc(4), tail(fee)]));
  for (const name of ['route', 'exact_out_route']) expect(readRoute(data(name))?.name).toBe(name);
  expect(readRoute(data('claim'))).toBeNull();
  const accounts = [TOKEN_PROGRAM, of(a), of(b), of(c), of(d), of(a), of(d), of(c), of(d)].map((address) => ({ address }));
  const swaps = `Swaps through the aggregator for ${of(a)}: pays exactly 300,000,000 raw units from ${of(b)} and receives at least 995 raw units in ${of(c)}.`;
  expect(own({ program: AGGREGATOR_PROGRAM, accounts, data: data('route') })).toBe(swaps);
  expect(own({ program: AGGREGATOR_PROGRAM, accounts, data: data('route', 255) })).toBe(`${swaps} A fee of 2.55 % goes to ${of(d)}.`);
});

test('whatever the bytes are, each instruction has one sentence, and what is cut off or unknown says so', () => {
  const programs = [
    SYSTEM_PROGRAM,
    COMPUTE_BUDGET_PROGRAM,
    ASSOCIATED_TOKEN_PROGRAM,
    TOKEN_PROGRAM,
    TOKEN_2022,
    MEMO_PROGRAM,
    CURVE_PROGRAM,
    LOCKER_PROGRAM,
    AGGREGATOR_PROGRAM,
    of(d),
  ];
  fc.assert(
    fc.property(fc.constantFrom(...programs), fc.uint8Array({ maxLength: 60 }), fc.nat({ max: 4 }), (program, data, count) => {
      const accounts = Array.from({ length: count }, () => ({ address: of(a) }));
      expect(own({ program, accounts, data })).toMatch(/^[A-Z].*\.$/s);
    }),
  );
  expect(own({ program: of(d), accounts: [{ address: of(a) }], data: Uint8Array.of(1, 2) })).toBe(
    `Calls ${of(d)} with 1 accounts and 2 bytes of data. Its effect is unknown.`,
  );
  expect(own({ program: SYSTEM_PROGRAM, accounts: [], data: Uint8Array.of(2, 0, 0, 0) })).toContain('Its effect is unknown');
});
