// A delegated wallet signs only the swap of the order, over generated messages.
import { readFileSync } from 'node:fs';
import { type AccountMeta, ComputeBudgetProgram, TransactionInstruction, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { describe, expect, test } from 'vitest';
import { associatedAccount } from '../../../src/adapters/solana/associated-account.ts';
import { programAddress } from '../../../src/domain/launch/program-address.ts';
import { readRoute } from '../../../src/domain/solana/aggregator-routes.ts';
import { delegatedSwapObjection } from '../../../src/domain/solana/delegated-swap.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import { AGGREGATOR_PROGRAM, TOKEN_PROGRAM } from '../../../src/domain/solana/programs.ts';
import {
  assessedMessages,
  feeTransfer,
  MAKER,
  OTHER,
  opening,
  own,
  route,
  SHARE,
  sharedRoute,
  STRANGER,
  SWAP,
  TABLE,
  TABLE_ADDRESSES,
  transfer,
  USDC,
  WALLET,
  walletKey,
} from './delegated-messages.ts';
import { BLOCKHASH } from './honest-transactions.ts';
import { keyNamed, wireMessage } from './wire-message.ts';

const ROUTES = JSON.parse(readFileSync(new URL('../../fixtures/jupiter/routes.json', import.meta.url), 'utf8')) as {
  readonly venues: readonly (readonly [name: string, size: number | null])[];
  readonly recorded: readonly {
    readonly what: string;
    readonly data: string;
    readonly given: string;
    readonly quoted: string;
    readonly slippageBps: number;
    readonly platformFeeBps: number;
    readonly accounts: readonly string[];
  }[];
};

const MESSAGES = 1_500;

test(`of ${MESSAGES} generated messages only those that do exactly the order pass, and all of those do`, () => {
  const { passed, short, hostile } = assessedMessages(MESSAGES, 20_261_122);
  expect(passed).toBeGreaterThan(MESSAGES / 50);
  expect(short).toBeGreaterThan(MESSAGES / 50);
  expect(hostile).toBeGreaterThan(MESSAGES / 10);
});

test('a lookup table account is used only as stored on the chain', () => {
  const parts = [transfer(WALLET, USDC, own(MAKER, USDC), 1_000n, true), transfer(MAKER, SHARE, own(WALLET, SHARE), 1_000n, true)];
  const message = new TransactionMessage({ payerKey: walletKey.publicKey, recentBlockhash: BLOCKHASH, instructions: parts });
  const transaction = new VersionedTransaction(message.compileToV0Message([TABLE]));
  transaction.signatures[1] = new Uint8Array(64).fill(7);
  const read = readTransaction(transaction.serialize());
  if (!read.ok) throw new Error(read.refusal.detail);
  const under = (addresses: readonly string[] | null) =>
    delegatedSwapObjection(read.value, { ...SWAP, tables: new Map(addresses === null ? [] : [[TABLE.key.toBase58(), addresses]]) });
  expect(under(TABLE_ADDRESSES)).toBeNull();
  expect(under(null)).toContain('instruction 0');
  expect(under([own(STRANGER, USDC), ...TABLE_ADDRESSES.slice(1)])).toContain('would go to');
});

/** True if a message of these instructions would be signed, with the maker's signature if it is a signer. */
function isPassed(instructions: readonly TransactionInstruction[]): boolean {
  const { message, signers } = wireMessage(WALLET, BLOCKHASH, instructions, null);
  const signatures = signers.map((signer) => new Uint8Array(64).fill(signer === WALLET ? 0 : 7));
  const read = readTransaction(Buffer.concat([Uint8Array.of(signers.length), ...signatures, message]));
  return read.ok && delegatedSwapObjection(read.value, { ...SWAP, tables: new Map() }) === null;
}

const THOUSAND = 1_000n;
const GIVE = transfer(WALLET, USDC, own(MAKER, USDC), THOUSAND, true);
const GET = transfer(MAKER, SHARE, own(WALLET, SHARE), THOUSAND, true);
const TERMS = { given: THOUSAND, quoted: THOUSAND, slippage: 50, rest: [STRANGER] };
const HARMLESS_VENUES = new Set(ROUTES.venues.flatMap(([, size], venue) => (size === 0 ? [venue] : [])));

/** Instruction known to the signer, the instructions that complete the swap, and an independent oracle for each variable byte. */
interface Known {
  readonly instruction: TransactionInstruction;
  readonly beside: readonly TransactionInstruction[];
  /** True if the data with the byte at this place changed still fits the order. Absent: no byte may vary. */
  readonly isGood?: (data: Buffer, at: number) => boolean;
  /** Number of accounts that stand for pools. */
  readonly pools?: number;
  /** Indexes of optional accounts: the program's own address stands for a missing one. */
  readonly optional?: readonly number[];
}

const isAt = (at: number, from: number, length: number): boolean => at >= from && at < from + length;
/** True if the wallet gives at most the order's million, and at most twice what it gets. */
const gives = (from: number) => (data: Buffer, at: number) =>
  isAt(at, from, 8) && data.readBigUInt64LE(from) > 1n && data.readBigUInt64LE(from) / 2n <= THOUSAND;
const gets = (from: number) => (data: Buffer, at: number) => isAt(at, from, 8) && data.readBigUInt64LE(from) >= THOUSAND / 2n;
/** Wraps a rule: the decimals in a checked transfer are checked by the chain. */
const checked = (good: (data: Buffer, at: number) => boolean) => (data: Buffer, at: number) => at === 9 || good(data, at);
const routed = (plan: number) => (data: Buffer, at: number) => {
  if (at === plan + 4) return HARMLESS_VENUES.has(data[at] as number);
  if (isAt(at, plan + 5, 3)) return true;
  const [given, quoted, slippage] = [data.readBigUInt64LE(plan + 8), data.readBigUInt64LE(plan + 16), BigInt(data.readUInt16LE(plan + 24))];
  const least = (quoted * (10_000n - slippage)) / 10_000n;
  return isAt(at, plan + 8, 18) && given > 1n && given <= 1_000_000n && slippage <= 10_000n && least >= given / 2n;
};

const KNOWN: Readonly<Record<string, Known>> = {
  'the limit of compute units': {
    instruction: ComputeBudgetProgram.setComputeUnitLimit({ units: 200_000 }),
    beside: [GIVE, GET],
    isGood: (_, at) => isAt(at, 1, 4),
  },
  'their price': {
    instruction: ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 10_000 }),
    beside: [GIVE, GET],
    // With 1,400,000 units at most, five million lamports are 3,571,428 micro-lamports per unit.
    isGood: (data, at) => isAt(at, 1, 8) && data.readBigUInt64LE(1) <= 3_571_428n,
  },
  'an account that is opened': {
    instruction: opening(SHARE),
    beside: [GIVE, GET],
    isGood: (data, at) => at === 0 && (data[0] ?? 0) < 2,
  },
  'a transfer to the maker': { instruction: transfer(WALLET, USDC, own(MAKER, USDC), THOUSAND, false), beside: [GET], isGood: gives(1) },
  'a checked transfer to the maker': { instruction: GIVE, beside: [GET], isGood: checked(gives(1)) },
  'a transfer to the wallet': { instruction: transfer(MAKER, SHARE, own(WALLET, SHARE), THOUSAND, false), beside: [GIVE], isGood: gets(1) },
  'a checked transfer to the wallet': { instruction: GET, beside: [GIVE], isGood: checked(gets(1)) },
  'a transfer of which the mint keeps a fee': {
    instruction: feeTransfer(THOUSAND, 10n),
    beside: [GIVE],
    isGood: (data, at) =>
      at === 10 ||
      (at >= 2 &&
        data.readBigUInt64LE(11) <= data.readBigUInt64LE(2) &&
        data.readBigUInt64LE(2) - data.readBigUInt64LE(11) >= THOUSAND / 2n),
  },
  'a route': { instruction: route(TERMS), beside: [], isGood: routed(8), pools: 1, optional: [4, 6] },
  'a route through shared accounts': { instruction: sharedRoute(TERMS), beside: [], isGood: routed(9), pools: 1, optional: [9, 10] },
};

describe.each(Object.entries(KNOWN))('%s', (_, { instruction, beside, isGood = () => false, pools = 0, optional = [] }) => {
  const { programId, keys, data } = instruction;
  const withData = (other: Buffer) => isPassed([new TransactionInstruction({ programId, keys, data: other }), ...beside]);

  test('is signed unchanged, and with each byte changed exactly if its effect still matches the order', () => {
    expect(withData(data)).toBe(true);
    for (let at = 0; at < data.length; at++)
      for (const bits of [1, 2, 4, 8, 16, 32, 64, 128, 255]) {
        const other = Buffer.from(data);
        other[at] = (other[at] as number) ^ bits;
        expect([at, bits, withData(other)]).toEqual([at, bits, isGood(other, at)]);
      }
  });

  test('is not signed with a byte more or fewer', () => {
    for (const more of [Buffer.from([0]), data.subarray(-19)]) expect(withData(Buffer.concat([data, more]))).toBe(false);
    expect(withData(data.subarray(0, -1))).toBe(isGood(data.subarray(0, -1), 0));
  });

  test('is not signed with an unexpected account, one more or one fewer', () => {
    const withKeys = (others: typeof keys) => isPassed([new TransactionInstruction({ programId, keys: others, data }), ...beside]);
    const strangers = [STRANGER, own(STRANGER, USDC), own(STRANGER, SHARE), own(WALLET, OTHER), AGGREGATOR_PROGRAM].map(keyNamed);
    for (const place of keys.slice(0, keys.length - pools).keys())
      for (const pubkey of strangers) {
        const isAbsence = optional.includes(place) && pubkey.toBase58() === AGGREGATOR_PROGRAM;
        if (pubkey.equals((keys[place] as AccountMeta).pubkey)) continue;
        const others = keys.map((key, at) => (at === place ? { ...key, pubkey } : key));
        expect([place, pubkey.toBase58(), withKeys(others)]).toEqual([place, pubkey.toBase58(), isAbsence]);
      }
    if (keys.length > 0) expect(withKeys(keys.slice(0, keys.length - pools - 1))).toBe(false);
    if (pools === 0) expect(withKeys([...keys, { pubkey: keyNamed(STRANGER), isSigner: false, isWritable: true }])).toBe(false);
    else expect(withKeys([...keys, { pubkey: keyNamed(WALLET), isSigner: false, isWritable: true }])).toBe(false);
  });
});

test.each([
  ['a platform fee to a stranger', { fee: 255, instead: { 6: own(STRANGER, SHARE) } }, { fee: 255, instead: { 9: own(STRANGER, SHARE) } }],
  ['an account for the fee beside a fee of nothing', { instead: { 6: own(STRANGER, SHARE) } }, { instead: { 9: own(STRANGER, SHARE) } }],
  [
    'what it should say behind what it says',
    { quoted: 0n, trailing: route(TERMS).data.subarray(-19) },
    { quoted: 0n, trailing: route(TERMS).data.subarray(-19) },
  ],
])('a route with %s is refused', (_, of, shared) => {
  expect(isPassed([route({ ...TERMS, ...of })])).toBe(false);
  expect(isPassed([sharedRoute({ ...TERMS, ...shared })])).toBe(false);
});

describe('routes are decoded like the program does', () => {
  test.each(ROUTES.recorded)('$what', ({ data, given, quoted, slippageBps, platformFeeBps }) => {
    expect(readRoute(Buffer.from(data, 'hex'))).toMatchObject({
      given: BigInt(given),
      quoted: BigInt(quoted),
      slippage: BigInt(slippageBps),
      platformFee: BigInt(platformFeeBps),
    });
  });

  test('the aggregator’s trading accounts are those of its numbered authority', () => {
    const { data, accounts } = ROUTES.recorded[1] as (typeof ROUTES.recorded)[number];
    const authority = programAddress(AGGREGATOR_PROGRAM, [
      'authority',
      Uint8Array.of(readRoute(Buffer.from(data, 'hex'))?.id as number),
    ]).address;
    const [input, output] = [accounts[7], accounts[8]] as [string, string];
    expect([accounts[1], accounts[4], accounts[5]]).toEqual([
      authority,
      associatedAccount(authority, input, TOKEN_PROGRAM),
      associatedAccount(authority, output, TOKEN_PROGRAM),
    ]);
  });

  test.each(ROUTES.venues.map(([name, size], venue) => [name, venue, size] as const))('a step through %s', (_, venue, size) => {
    const part = size === null ? Buffer.from([1, 1, 2, 0, 0, 0, 5, 1, 6, 2]) : Buffer.alloc(size, 3);
    const plan = Buffer.concat([Uint8Array.of(2, 0, 0, 0, venue), part, Uint8Array.of(100, 0, 1, venue), part, Uint8Array.of(100, 1, 2)]);
    expect(readRoute(route({ ...TERMS, plan }).data)).toMatchObject({ given: THOUSAND, quoted: THOUSAND, slippage: 50n, platformFee: 0n });
  });

  test('an unlisted venue makes a route unreadable', () => {
    for (let venue = ROUTES.venues.length; venue < 256; venue++)
      expect(readRoute(route({ ...TERMS, plan: Buffer.from([1, 0, 0, 0, venue, 100, 0, 1]) }).data)).toBeNull();
  });
});
