/** Reads mints, token accounts and lookup tables of the primary chain. */
import type { EpochMs } from '../values/time.ts';
import { base58 } from './base58.ts';

/** Fee of a mint on transfers, taken out of the received amount. */
interface MintTransferFee {
  readonly basisPoints: number;
  /** Maximum fee of one transfer, in raw units. */
  readonly maximum: bigint;
  /** First epoch in which it applies. */
  readonly epoch: bigint;
}

/** One UI unit is `multiplier` x 10^-decimals of raw units, and `newMultiplier` from `newMultiplierEffectiveAt` on. */
interface MintScale {
  readonly multiplier: number;
  readonly newMultiplier: number;
  readonly newMultiplierEffectiveAt: EpochMs;
}

export interface MintAccount {
  /** Amount in raw units. */
  readonly supply: bigint;
  readonly decimals: number;
  readonly mintAuthority: string | null;
  readonly freezeAuthority: string | null;
  /** Null if the mint does not scale. */
  readonly scale: MintScale | null;
  /** Older and newer fee, or null if the mint never takes one. */
  readonly transferFee: { readonly older: MintTransferFee; readonly newer: MintTransferFee } | null;
  /** True while the issuer has stopped all transfers. */
  readonly paused: boolean;
  /** Authority that may move any balance, or null. */
  readonly permanentDelegate: string | null;
  /** Program that every transfer calls, or null. */
  readonly transferHook: string | null;
  /** True if new accounts are frozen until the issuer thaws them. */
  readonly startsFrozen: boolean;
  /** Numbers of all extensions, for callers that must exclude unknown ones. */
  readonly extensions: readonly number[];
}

export interface TokenAccount {
  readonly mint: string;
  readonly owner: string;
  /** Amount in raw units. */
  readonly amount: bigint;
  readonly state: 'initialized' | 'frozen';
  readonly extensions: readonly number[];
  /** Fees withheld by the mint here, in raw units. Not the owner's. */
  readonly withheld: bigint;
}

const MINT_BYTES = 82;
const ACCOUNT_BYTES = 165;
/** Offset of the byte after the padding that tells a mint from an account. */
const KIND_AT = 165;
const EXTENSIONS_AT = 166;

/** Numbers of the extensions used by the catalog's mints and their accounts. */
export const EXTENSION = {
  transferFeeConfig: 1,
  transferFeeAmount: 2,
  defaultAccountState: 6,
  immutableOwner: 7,
  permanentDelegate: 12,
  transferHook: 14,
  transferHookAccount: 15,
  metadataPointer: 18,
  tokenMetadata: 19,
  scaledUiAmount: 25,
  pausable: 26,
  pausableAccount: 27,
} as const;

/** Lengths of the extensions that are read. One of another length is unknown. */
const LENGTHS: ReadonlyMap<number, number> = new Map([
  [EXTENSION.transferFeeConfig, 108],
  [EXTENSION.transferFeeAmount, 8],
  [EXTENSION.defaultAccountState, 1],
  [EXTENSION.permanentDelegate, 32],
  [EXTENSION.transferHook, 64],
  [EXTENSION.scaledUiAmount, 56],
  [EXTENSION.pausable, 33],
]);
/** Length of a multisig account, which nothing else has. */
const MULTISIG_BYTES = 355;

const NOBODY = base58(new Uint8Array(32));

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function key(bytes: Uint8Array, at: number): string {
  return base58(bytes.subarray(at, at + 32));
}

/** Reads a key. 32 zero bytes mean none. */
function keyOrNobody(bytes: Uint8Array, at: number): string | null {
  const found = key(bytes, at);
  return found === NOBODY ? null : found;
}

/** Reads a key after a flag of four bytes, as the first token program encodes options. */
function flaggedKey(bytes: Uint8Array, at: number): string | null {
  return view(bytes).getUint32(at, true) === 1 ? key(bytes, at + 4) : null;
}

/** Reads the extensions of a mint or an account, or returns null if the bytes are not one. */
export function readExtensions(bytes: Uint8Array, kind: 'mint' | 'account'): ReadonlyMap<number, Uint8Array> | null {
  const plain = kind === 'mint' ? MINT_BYTES : ACCOUNT_BYTES;
  if (bytes.length === plain) return new Map();
  if (bytes.length <= KIND_AT || bytes.length === MULTISIG_BYTES || bytes[KIND_AT] !== (kind === 'mint' ? 1 : 2)) return null;
  const found = new Map<number, Uint8Array>();
  for (let at = EXTENSIONS_AT; at + 4 <= bytes.length; ) {
    const type = view(bytes).getUint16(at, true);
    const length = view(bytes).getUint16(at + 2, true);
    // Unused space.
    if (type === 0) break;
    if (at + 4 + length > bytes.length || (LENGTHS.get(type) ?? length) !== length || found.has(type)) return null;
    found.set(type, bytes.subarray(at + 4, at + 4 + length));
    at += 4 + length;
  }
  return found;
}

/** Reads a mint, or returns null if the bytes are not an initialized mint of either token program. */
export function readMint(bytes: Uint8Array): MintAccount | null {
  const extensions = readExtensions(bytes, 'mint');
  if (extensions === null || bytes[45] !== 1) return null;
  const scale = extensions.get(EXTENSION.scaledUiAmount);
  const fee = extensions.get(EXTENSION.transferFeeConfig);
  const delegate = extensions.get(EXTENSION.permanentDelegate);
  const hook = extensions.get(EXTENSION.transferHook);
  return {
    supply: view(bytes).getBigUint64(36, true),
    decimals: bytes[44] as number,
    mintAuthority: flaggedKey(bytes, 0),
    freezeAuthority: flaggedKey(bytes, 46),
    scale: scale === undefined ? null : scaleFrom(scale),
    transferFee: fee === undefined ? null : { older: feeFrom(fee, 72), newer: feeFrom(fee, 90) },
    paused: extensions.get(EXTENSION.pausable)?.[32] === 1,
    permanentDelegate: delegate === undefined ? null : keyOrNobody(delegate, 0),
    transferHook: hook === undefined ? null : keyOrNobody(hook, 32),
    startsFrozen: extensions.get(EXTENSION.defaultAccountState)?.[0] === 2,
    extensions: [...extensions.keys()],
  };
}

function scaleFrom(bytes: Uint8Array): MintScale {
  const data = view(bytes);
  return {
    multiplier: data.getFloat64(32, true),
    newMultiplierEffectiveAt: Number(data.getBigInt64(40, true)) * 1_000,
    newMultiplier: data.getFloat64(48, true),
  };
}

function feeFrom(bytes: Uint8Array, at: number): MintTransferFee {
  const data = view(bytes);
  return { epoch: data.getBigUint64(at, true), maximum: data.getBigUint64(at + 8, true), basisPoints: data.getUint16(at + 16, true) };
}

/** Returns the multiplier at a time, 1 if the mint does not scale. */
export function multiplierAt(mint: Pick<MintAccount, 'scale'>, at: EpochMs): number {
  if (mint.scale === null) return 1;
  return at >= mint.scale.newMultiplierEffectiveAt ? mint.scale.newMultiplier : mint.scale.multiplier;
}

/** Reads a token account, or returns null if the bytes are not an initialized account of either token program. */
export function readTokenAccount(bytes: Uint8Array): TokenAccount | null {
  const extensions = readExtensions(bytes, 'account');
  const state = bytes[108];
  if (extensions === null || (state !== 1 && state !== 2)) return null;
  const withheld = extensions.get(EXTENSION.transferFeeAmount);
  return {
    mint: key(bytes, 0),
    owner: key(bytes, 32),
    amount: view(bytes).getBigUint64(64, true),
    state: state === 1 ? 'initialized' : 'frozen',
    extensions: [...extensions.keys()],
    withheld: withheld === undefined ? 0n : view(withheld).getBigUint64(0, true),
  };
}

const LOOKUP_TABLE_HEADER = 56;

/** Reads the addresses of a lookup table in order, or returns null if the bytes are not one. */
export function readLookupTable(bytes: Uint8Array): readonly string[] | null {
  if (bytes.length < LOOKUP_TABLE_HEADER || view(bytes).getUint32(0, true) !== 1 || (bytes.length - LOOKUP_TABLE_HEADER) % 32 !== 0)
    return null;
  return Array.from({ length: (bytes.length - LOOKUP_TABLE_HEADER) / 32 }, (_, index) => key(bytes, LOOKUP_TABLE_HEADER + index * 32));
}
