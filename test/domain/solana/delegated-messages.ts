// Generated messages for a delegated wallet. The effect of an instruction is known from its construction, never from decoding it.

import { createHash } from 'node:crypto';
import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
} from '@solana/web3.js';
import { associatedAccount } from '../../../src/adapters/solana/associated-account.ts';
import { type DelegatedSwap, delegatedSwapObjection } from '../../../src/domain/solana/delegated-swap.ts';
import { LONGEST_TRANSACTION, readTransaction } from '../../../src/domain/solana/message.ts';
import { AGGREGATOR_PROGRAM, ASSOCIATED_TOKEN_PROGRAM, TOKEN_2022, TOKEN_PROGRAM } from '../../../src/domain/solana/programs.ts';
import { seededRandom } from '../../../src/sandbox/faults.ts';
import { BLOCKHASH, keyOf } from './honest-transactions.ts';
import { keyNamed, wireMessage } from './wire-message.ts';

export const [walletKey, makerKey, strangerKey] = [keyOf(1), keyOf(2), keyOf(3)];
export const WALLET = walletKey.publicKey.toBase58();
export const MAKER = makerKey.publicKey.toBase58();
export const STRANGER = strangerKey.publicKey.toBase58();
export const USDC = { mint: keyOf(10).publicKey.toBase58(), program: TOKEN_PROGRAM };
export const SHARE = { mint: keyOf(11).publicKey.toBase58(), program: TOKEN_2022 };
export const OTHER = { mint: keyOf(12).publicKey.toBase58(), program: TOKEN_PROGRAM };

const derived = new Map<string, string>();
function accountOf(owner: string, mint: string, program: string): string {
  const name = `${owner} ${mint} ${program}`;
  const known = derived.get(name) ?? associatedAccount(owner, mint, program);
  derived.set(name, known);
  return known;
}
export const own = (owner: string, { mint, program }: typeof USDC): string => accountOf(owner, mint, program);

const MOST_IN = 1_000_000n;
/** Half of the input must come back. */
export const SWAP: Omit<DelegatedSwap, 'tables'> = {
  wallet: WALLET,
  input: USDC,
  output: SHARE,
  mostIn: MOST_IN,
  leastOut: (given) => given / 2n,
  makers: new Set([MAKER]),
  accountOf,
};

/** Instruction with its effect: the input it takes, the output it surely gives, and whether anything else moves. */
interface Made {
  readonly instruction: TransactionInstruction;
  readonly gives: bigint;
  readonly gets: bigint;
  readonly isHarmless: boolean;
  /** Kind of an instruction that a message may have once. */
  readonly once?: 'limit' | 'price';
}

function made(
  program: string,
  accounts: readonly (readonly [address: string, signs?: boolean])[],
  data: Uint8Array,
): TransactionInstruction {
  return new TransactionInstruction({
    programId: keyNamed(program),
    keys: accounts.map(([address, signs = false]) => ({ pubkey: keyNamed(address), isSigner: signs, isWritable: true })),
    data: Buffer.from(data),
  });
}

function bytes(...parts: readonly (readonly [size: number, value: bigint | number])[]): Buffer {
  return Buffer.concat(
    parts.map(([size, value]) => {
      const part = Buffer.alloc(8);
      part.writeBigUInt64LE(BigInt(value));
      return part.subarray(0, size);
    }),
  );
}

export function transfer(from: string, side: typeof USDC, to: string, amount: bigint, checked: boolean): TransactionInstruction {
  const [source, destination] = [own(from, side), to];
  return checked
    ? made(side.program, [[source], [side.mint], [destination], [from, true]], bytes([1, 12], [8, amount], [1, 6]))
    : made(side.program, [[source], [destination], [from, true]], bytes([1, 3], [8, amount]));
}

/** Opens the wallet's own account. */
export function opening(side: typeof USDC): TransactionInstruction {
  const system = SystemProgram.programId.toBase58();
  return made(
    ASSOCIATED_TOKEN_PROGRAM,
    [[WALLET, true], [own(WALLET, side)], [WALLET], [side.mint], [system], [side.program]],
    Uint8Array.of(1),
  );
}

/** Transfers from the maker to the wallet; the mint keeps a fee. */
export function feeTransfer(amount: bigint, fee: bigint): TransactionInstruction {
  const accounts = [[own(MAKER, SHARE)], [SHARE.mint], [own(WALLET, SHARE)], [MAKER, true]] as const;
  return made(TOKEN_2022, accounts, bytes([1, 26], [1, 1], [8, amount], [1, 6], [8, fee]));
}

const anchor = (name: string): Buffer => createHash('sha256').update(`global:${name}`).digest().subarray(0, 8);
const EVENT_AUTHORITY = 'D8cy77BBepLMngZx6ZukaTff5hCt1HrWyKk3Hnd9oitf';
/** Aggregator's authority number 2. */
const AUTHORITY = 'BQ72nSv9f3PRyRKCBnHLVrerrv37CYTHm5h3s9VSGQDV';

/** Input and quoted output of a route, and its differences from an honest one. */
interface RouteTerms {
  readonly given: bigint;
  readonly quoted: bigint;
  readonly slippage: number;
  /** Replaced accounts, by index. */
  readonly instead?: Readonly<Record<number, string>>;
  readonly rest?: readonly string[];
  readonly fee?: number;
  /** Bytes behind the last one that the program reads. */
  readonly trailing?: Uint8Array;
  readonly plan?: Uint8Array;
  readonly kind?: string;
}

/** One step: venue 7 without data, the whole amount, from the first account into the second. */
const PLAN = Buffer.from([1, 0, 0, 0, 7, 100, 0, 1]);

function routeWith(
  kind: string,
  beforePlan: Uint8Array,
  accounts: readonly string[],
  signer: number,
  terms: RouteTerms,
): TransactionInstruction {
  const { given, quoted, slippage, instead = {}, rest = [], fee = 0, trailing = new Uint8Array(), plan = PLAN } = terms;
  const data = Buffer.concat([
    anchor(terms.kind ?? kind),
    beforePlan,
    plan,
    bytes([8, given], [8, quoted], [2, slippage], [1, fee]),
    trailing,
  ]);
  const named = [...accounts.map((account, place) => instead[place] ?? account), ...rest];
  return made(
    AGGREGATOR_PROGRAM,
    named.map((address, place) => [address, place === signer] as const),
    data,
  );
}

export function route(terms: RouteTerms): TransactionInstruction {
  const ends = [own(WALLET, USDC), own(WALLET, SHARE), AGGREGATOR_PROGRAM, SHARE.mint, AGGREGATOR_PROGRAM];
  return routeWith('route', new Uint8Array(), [TOKEN_PROGRAM, WALLET, ...ends, EVENT_AUTHORITY, AGGREGATOR_PROGRAM], 1, terms);
}

export function sharedRoute(terms: RouteTerms): TransactionInstruction {
  const ends = [own(WALLET, USDC), own(AUTHORITY, USDC), own(AUTHORITY, SHARE), own(WALLET, SHARE), USDC.mint, SHARE.mint];
  const accounts = [TOKEN_PROGRAM, AUTHORITY, WALLET, ...ends, AGGREGATOR_PROGRAM, TOKEN_2022, EVENT_AUTHORITY, AGGREGATOR_PROGRAM];
  return routeWith('shared_accounts_route', Uint8Array.of(2), accounts, 2, terms);
}

type Draw = <Item>(items: readonly Item[]) => Item;

/** Draws an instruction of a legitimate swap. */
function honest(draw: Draw): Made {
  const amount = BigInt(draw([1, 1_000, 400_000, 600_000, 1_000_000]));
  const nothing = { gives: 0n, gets: 0n, isHarmless: true };
  const kind = draw(['limit', 'price', 'open', 'give', 'give', 'get', 'get', 'fee_get', 'route', 'shared'] as const);
  switch (kind) {
    case 'limit':
      return { ...nothing, once: kind, instruction: ComputeBudgetProgram.setComputeUnitLimit({ units: 200_000 }) };
    case 'price':
      return { ...nothing, once: kind, instruction: ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 10_000 }) };
    case 'open':
      return { ...nothing, instruction: opening(draw([USDC, SHARE])) };
    case 'give':
      return { ...nothing, gives: amount, instruction: transfer(WALLET, USDC, own(MAKER, USDC), amount, draw([true, false])) };
    case 'get':
      return { ...nothing, gets: amount, instruction: transfer(MAKER, SHARE, own(WALLET, SHARE), amount, draw([true, false])) };
    case 'fee_get':
      return { ...nothing, gets: amount - amount / 10n, instruction: feeTransfer(amount, amount / 10n) };
    case 'route':
    case 'shared': {
      const slippage = draw([0, 50, 10_000]);
      const terms = { given: amount, quoted: amount, slippage, rest: [STRANGER] };
      const instruction =
        kind === 'shared' ? sharedRoute(terms) : route({ ...terms, instead: { 4: draw([AGGREGATOR_PROGRAM, own(WALLET, SHARE)]) } });
      return { ...nothing, gives: amount, gets: (amount * BigInt(10_000 - slippage)) / 10_000n, instruction };
    }
  }
}

/** Draws an instruction that moves value elsewhere, gives a right away, or is unknown. */
function hostile(draw: Draw): Made {
  const amount = BigInt(draw([1, 500, 1_000_000]));
  const side = draw([USDC, SHARE, OTHER]);
  const system = (data: Uint8Array): TransactionInstruction => made(SystemProgram.programId.toBase58(), [[WALLET, true], [STRANGER]], data);
  const token = (data: Uint8Array, ...accounts: readonly string[]): TransactionInstruction =>
    made(side.program, [...accounts.map((one) => [one] as const), [WALLET, true]], data);
  const terms = { given: amount, quoted: amount, slippage: 0 };
  const all: readonly (() => TransactionInstruction)[] = [
    () => system(bytes([4, 2], [8, amount])),
    () => system(bytes([4, 1])),
    () =>
      SystemProgram.createAccount({
        fromPubkey: walletKey.publicKey,
        newAccountPubkey: makerKey.publicKey,
        lamports: 1,
        space: 1,
        programId: strangerKey.publicKey,
      }),
    () => transfer(WALLET, side, own(STRANGER, side), amount, draw([true, false])),
    () => transfer(WALLET, draw([SHARE, OTHER]), own(MAKER, USDC), amount, draw([true, false])),
    () => transfer(WALLET, USDC, STRANGER, amount, true),
    () => transfer(MAKER, SHARE, own(STRANGER, SHARE), amount, true),
    () => token(bytes([1, 4], [8, amount]), own(WALLET, side), STRANGER),
    () => token(Buffer.concat([Buffer.from([6, 2, 1]), strangerKey.publicKey.toBuffer()]), own(WALLET, side)),
    () => token(Uint8Array.of(9), own(WALLET, side), STRANGER),
    () => token(bytes([1, 8], [8, amount]), own(WALLET, side), side.mint),
    () => token(bytes([1, 26], [1, 4], [8, amount]), own(WALLET, side)),
    () => token(Uint8Array.of(17), own(WALLET, side)),
    () =>
      made(
        ASSOCIATED_TOKEN_PROGRAM,
        [[WALLET, true], [own(STRANGER, side)], [STRANGER], [side.mint], [SystemProgram.programId.toBase58()], [side.program]],
        Uint8Array.of(1),
      ),
    () => made(ASSOCIATED_TOKEN_PROGRAM, [[WALLET, true], [own(WALLET, side)]], Uint8Array.of(2)),
    () => made(STRANGER, [[WALLET, true], [own(WALLET, USDC)]], bytes([8, amount])),
    () => draw([route, sharedRoute])({ ...terms, fee: 1 + Math.floor(draw([0, 0.5, 1]) * 254) }),
    () => route({ ...terms, instead: { [draw([0, 2, 3, 5, 6, 7, 8])]: own(STRANGER, side) } }),
    () => sharedRoute({ ...terms, instead: { [draw([0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])]: own(STRANGER, side) } }),
    () => route({ ...terms, instead: { 4: own(STRANGER, SHARE) } }),
    () => draw([route, sharedRoute])({ ...terms, rest: [STRANGER, WALLET] }),
    // The program reads from the front: the actual data comes first, the expected data behind it.
    () => draw([route, sharedRoute])({ ...terms, quoted: 0n, trailing: bytes([8, amount], [8, amount], [2, 0], [1, 0]) }),
    () => draw([route, sharedRoute])({ ...terms, plan: Buffer.from([1, 0, 0, 0, 200, 100, 0, 1]) }),
    () => route({ ...terms, kind: 'exact_out_route' }),
    () => sharedRoute({ ...terms, kind: 'shared_accounts_exact_out_route' }),
    () => sharedRoute({ ...terms, kind: 'shared_accounts_route_v2' }),
    () => made(AGGREGATOR_PROGRAM, [[WALLET, true], [own(WALLET, USDC)]], Buffer.concat([anchor('set_token_ledger'), bytes([8, amount])])),
    () => ComputeBudgetProgram.requestHeapFrame({ bytes: 32_768 }),
    () => ComputeBudgetProgram.setComputeUnitPrice({ microLamports: 900_000_000_000 }),
  ];
  return { instruction: draw(all)(), gives: 0n, gets: 0n, isHarmless: false };
}

/** Accounts of a real lookup table, and of a forged one. */
export const TABLE_ADDRESSES = [own(MAKER, USDC), own(WALLET, SHARE), USDC.mint, SHARE.mint];
const tableOf = (addresses: readonly string[]): AddressLookupTableAccount =>
  new AddressLookupTableAccount({
    key: keyOf(77).publicKey,
    state: {
      deactivationSlot: 2n ** 64n - 1n,
      lastExtendedSlot: 0,
      lastExtendedSlotStartIndex: 0,
      addresses: addresses.map((address) => new PublicKey(address)),
    },
  });
export const TABLE = tableOf(TABLE_ADDRESSES);

const TABLE_KEY = TABLE.key.toBase58();

interface Case {
  readonly unsigned: Uint8Array;
  readonly instructions: readonly TransactionInstruction[];
  readonly lookup: boolean;
  readonly parts: readonly Made[];
  /** Further signers, who have signed. */
  readonly others: 'known' | 'stranger' | 'unsigned';
  readonly tables: ReadonlyMap<string, readonly string[]>;
}

function generated(random: () => number): Case {
  const draw: Draw = (items) => items[Math.floor(random() * items.length)] as never;
  const parts = Array.from({ length: 1 + Math.floor(random() * 5) }, () => (random() < 0.12 ? hostile(draw) : honest(draw)));
  const lookup = random() < 0.3;
  const instructions = parts.map(({ instruction }) => instruction);
  const { message, signers } = wireMessage(WALLET, BLOCKHASH, instructions, lookup ? { key: TABLE_KEY, addresses: TABLE_ADDRESSES } : null);
  const isSigned = random() < 0.95;
  const signatures = signers.map((signer) => new Uint8Array(64).fill(signer !== WALLET && isSigned ? 7 : 0));
  const strange = signers.some((signer) => signer !== WALLET && signer !== MAKER);
  const others = strange ? 'stranger' : !isSigned && signers.length > 1 ? 'unsigned' : 'known';
  const unsigned = Buffer.concat([Uint8Array.of(signers.length), ...signatures, message]);
  return { unsigned, instructions, lookup, parts, others, tables: new Map([[TABLE_KEY, TABLE_ADDRESSES]]) };
}

/** Encodes the message with the chain's own library. */
function asTheLibrarySpells({ instructions, lookup }: Case): Uint8Array {
  const message = new TransactionMessage({ payerKey: keyNamed(WALLET), recentBlockhash: BLOCKHASH, instructions: [...instructions] });
  return (lookup ? message.compileToV0Message([TABLE]) : message.compileToLegacyMessage()).serialize();
}

/** One message in this many is compared byte by byte with the chain's own library. */
const COMPARED = 64;

/**
 * Assesses `count` generated messages. One that exceeds the chain's size limit is generated again.
 * @throws Error with the first message that is assessed wrongly, unreadable, or encoded differently from the chain's library.
 */
export function assessedMessages(
  count: number,
  seed: number,
): { readonly passed: number; readonly hostile: number; readonly short: number } {
  const random = seededRandom(seed);
  const seen = { passed: 0, hostile: 0, short: 0 };
  for (let i = 0; i < count; i++) {
    let one = generated(random);
    while (one.unsigned.length > LONGEST_TRANSACTION) one = generated(random);
    const read = readTransaction(one.unsigned);
    if (!read.ok) throw new Error(`message ${i} cannot be read: ${read.refusal.detail}`);
    if (i % COMPARED === 0 && Buffer.compare(read.value.message, asTheLibrarySpells(one)) !== 0)
      throw new Error(`message ${i} is spelled otherwise than the chain's library does`);
    const objection = delegatedSwapObjection(read.value, { ...SWAP, tables: one.tables });
    const gives = one.parts.reduce((sum, part) => sum + part.gives, 0n);
    const gets = one.parts.reduce((sum, part) => sum + part.gets, 0n);
    const once = one.parts.flatMap((part) => part.once ?? []);
    const isHarmless = one.others === 'known' && one.parts.every((part) => part.isHarmless) && new Set(once).size === once.length;
    const isTheOrder = gives > 0n && gives <= MOST_IN && gets >= gives / 2n && gives / 2n > 0n;
    const isGood = isHarmless && isTheOrder;
    if ((objection === null) !== isGood)
      throw new Error(`message ${i}: ${objection ?? 'passed'}\n${Buffer.from(one.unsigned).toString('base64')}`);
    if (objection === null) seen.passed++;
    else if (isHarmless) seen.short++;
    else seen.hostile++;
  }
  return seen;
}
