/** Genesis of the chain: the catalog's mints with their extensions, the stablecoin, and a treasury that funds wallets. */
import { type Address, address, getAddressEncoder } from '@solana/kit';
import { EXTENSION } from '../../domain/solana/token-layout.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { createAccount, type SolanaChain } from './chain.ts';
import {
  ASSOCIATED_TOKEN,
  associatedAccount,
  buildTransaction,
  COMPUTE_BUDGET,
  computeLimit,
  createAssociatedAccount,
  LOOKUP_TABLES,
  mintTo,
  SYSTEM,
  syncNative,
  TOKEN,
  TOKEN_2022,
  transferLamports,
  WRAPPED_SOL,
} from './instructions.ts';
import { type SandboxKey, sandboxKey } from './keys.ts';
import { decodeTransaction } from './decode-transaction.ts';

export interface MintListing {
  readonly mint: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly multiplier: number;
  readonly newMultiplier: number;
  readonly newMultiplierEffectiveAt: EpochMs;
  /** Transfer fee in basis points; 0 omits the extension. */
  readonly transferFeeBps?: number;
}

export interface GenesisOptions {
  readonly mints: readonly MintListing[];
  readonly stable: { readonly mint: string; readonly decimals: number };
}

/** Mint authority of all sandbox tokens. It also pays for funding. */
export const ISSUER: SandboxKey = sandboxKey('issuer');
/** Lookup table with the addresses that many transactions share. */
export const COMMON_TABLE: Address = sandboxKey('lookup table').address;

const TREASURY_LAMPORTS = 500_000_000n * 1_000_000_000n;
const NO_KEY = new Uint8Array(32);
const encodeAddress = (one: Address): Uint8Array => getAddressEncoder().encode(one) as Uint8Array;

/** Encodes a mint of the first token program: 82 bytes. */
export function plainMint(decimals: number): Buffer {
  const data = Buffer.alloc(82);
  data.writeUInt32LE(1, 0);
  data.set(encodeAddress(ISSUER.address), 4);
  data[44] = decimals;
  data[45] = 1;
  data.writeUInt32LE(1, 46);
  data.set(encodeAddress(ISSUER.address), 50);
  return data;
}

function extension(type: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts);
  const head = Buffer.alloc(4);
  head.writeUInt16LE(type, 0);
  head.writeUInt16LE(value.length, 2);
  return Buffer.concat([head, value]);
}

function u64(value: bigint): Buffer {
  const data = Buffer.alloc(8);
  data.writeBigUInt64LE(value);
  return data;
}

function f64(value: number): Buffer {
  const data = Buffer.alloc(8);
  data.writeDoubleLE(value);
  return data;
}

function text(value: string): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(Buffer.byteLength(value));
  return Buffer.concat([head, Buffer.from(value)]);
}

function feeSchedule(bps: number): Buffer {
  const rate = Buffer.alloc(2);
  rate.writeUInt16LE(bps);
  const one = Buffer.concat([u64(0n), u64(0xffff_ffff_ffff_ffffn), rate]);
  return Buffer.concat([u64(0n), one, one]);
}

/** Encodes a mint with the extensions of tokenized shares that affect balances. */
function scaledMint({
  mint,
  symbol,
  decimals,
  multiplier,
  newMultiplier,
  newMultiplierEffectiveAt,
  transferFeeBps = 0,
}: MintListing): Buffer {
  const issuer = encodeAddress(ISSUER.address);
  const self = encodeAddress(address(mint));
  const padding = Buffer.alloc(165 - 82);
  const at = u64(BigInt(Math.floor(newMultiplierEffectiveAt / 1_000)));
  return Buffer.concat([
    plainMint(decimals),
    padding,
    Uint8Array.of(1),
    ...(transferFeeBps === 0 ? [] : [extension(EXTENSION.transferFeeConfig, issuer, issuer, feeSchedule(transferFeeBps))]),
    extension(EXTENSION.defaultAccountState, Uint8Array.of(1)),
    extension(EXTENSION.permanentDelegate, issuer),
    extension(EXTENSION.transferHook, issuer, NO_KEY),
    extension(EXTENSION.metadataPointer, issuer, self),
    extension(EXTENSION.scaledUiAmount, issuer, f64(multiplier), at, f64(newMultiplier)),
    extension(EXTENSION.pausable, issuer, Uint8Array.of(0)),
    extension(
      EXTENSION.tokenMetadata,
      issuer,
      self,
      text(symbol),
      text(symbol),
      text(`https://sandbox.invalid/${mint}.json`),
      Buffer.alloc(4),
    ),
  ]);
}

/** Encodes an immutable lookup table: active and without an authority. */
function lookupTable(addresses: readonly Address[]): Buffer {
  const head = Buffer.alloc(56);
  head.writeUInt32LE(1, 0);
  head.writeBigUInt64LE(0xffff_ffff_ffff_ffffn, 4);
  return Buffer.concat([head, ...addresses.map(encodeAddress)]);
}

/** Writes the genesis block. No token is owned yet. */
export function writeGenesis(chain: SolanaChain, { mints, stable }: GenesisOptions): void {
  const put = (at: Address, owner: Address, data: Uint8Array): void => chain.found(createAccount(at, owner, data, chain.rent(data.length)));
  chain.found(createAccount(ISSUER.address, SYSTEM, new Uint8Array(), TREASURY_LAMPORTS));
  put(address(stable.mint), TOKEN, plainMint(stable.decimals));
  for (const listing of mints) put(address(listing.mint), TOKEN_2022, scaledMint(listing));
  put(COMMON_TABLE, LOOKUP_TABLES, lookupTable(commonAddresses({ mints, stable })));
}

/** Returns the addresses in the common table, in order. */
export function commonAddresses({ mints, stable }: GenesisOptions): Address[] {
  return [
    SYSTEM,
    TOKEN,
    TOKEN_2022,
    ASSOCIATED_TOKEN,
    COMPUTE_BUDGET,
    address(stable.mint),
    WRAPPED_SOL,
    ...mints.map(({ mint }) => address(mint)),
  ];
}

/** Symbol of lamports, which are not a token (wrapped SOL is). */
export const NATIVE = 'SOL';

/**
 * Gives an owner an amount of a token, or lamports if `mint` is `SOL`, in a transaction that the issuer signs. Returns its signature. It
 * is in the newest block at once, and is confirmed and finalized like any other.
 * @throws RangeError if the address, the mint or the amount is invalid
 */
export function fund(chain: SolanaChain, owner: string, mint: string, amount: bigint): string {
  const to = checked(owner, 'the owner');
  if (amount <= 0n || amount > 0xffff_ffff_ffff_ffffn)
    throw new RangeError(`the amount must be from 1 to 2^64 - 1 base units, not ${amount}`);
  const bytes = buildTransaction({
    version: 0,
    feePayer: ISSUER.address,
    blockhash: chain.latestBlockhash('processed').blockhash,
    // Makes equal fundings in one slot distinct transactions.
    instructions: [computeLimit(300_000 + (++fundings % 100_000)), ...givingOut(chain, to, mint, amount)],
    signers: [ISSUER],
  });
  const transaction = decodeTransaction(bytes);
  const landed = chain.landNow(transaction);
  if (landed === null || landed.run.error !== null)
    throw new RangeError(`${owner} cannot be given ${amount} of ${mint}: ${JSON.stringify(landed?.run.error ?? 'it did not land')}`);
  return transaction.signature;
}

let fundings = 0;

function checked(given: string, what: string): Address {
  try {
    return address(given);
  } catch {
    throw new RangeError(`${what} must be an address in base58, not ${JSON.stringify(given)}`);
  }
}

function givingOut(chain: SolanaChain, to: Address, mint: string, amount: bigint) {
  const from = ISSUER.address;
  if (mint === NATIVE) return [transferLamports(from, to, amount)];
  const at = checked(mint, `the mint (or ${NATIVE})`);
  const program = chain.account(at, 'processed')?.programAddress;
  if (program !== TOKEN && program !== TOKEN_2022) throw new RangeError(`there is no mint ${mint} on the sandbox's chain`);
  const account = associatedAccount(to, at, program);
  const made = createAssociatedAccount(from, to, at, program);
  if (at === WRAPPED_SOL) return [made, transferLamports(from, account, amount), syncNative(account)];
  return [made, mintTo(program, at, account, from, amount)];
}
