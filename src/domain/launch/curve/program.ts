/** The bonding-curve program: its addresses, its encoded instructions and its accounts. See docs/reference/outside/launch-programs.md. */
import {
  ASSOCIATED_TOKEN_PROGRAM,
  CURVE_PROGRAM,
  LOCKER_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_2022,
  TOKEN_PROGRAM,
} from '../../solana/programs.ts';
import { byteStruct, joined, keyBytes, lengthAndText, writeUint } from '../byte-struct.ts';
import type { CurveConfig, LockedVesting } from './curve-config.ts';
import { CURVE_INSTRUCTIONS } from './instructions.ts';
import type { CurvePoint } from './math.ts';
import type { BaseFee, DynamicFee } from '../fees.ts';
import { programAddress } from '../program-address.ts';

export const METADATA_PROGRAM = 'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s';
export const SUCCESSOR_PROGRAM = 'cpamdpZCGKUy5JxQXB4dcpGPiikHawvSWAd6mEn1sGG';
/** Configuration of successor pools whose fee comes from the curve's own configuration. */
export const SUCCESSOR_CONFIG = 'A8gMrEPJkacWkcb3DGwtJwTe16HktSEfvwtuDh2MCtck';

export const POOL_AUTHORITY = programAddress(CURVE_PROGRAM, ['pool_authority']).address;
const CURVE_EVENT_AUTHORITY = programAddress(CURVE_PROGRAM, ['__event_authority']).address;
export const SUCCESSOR_AUTHORITY = programAddress(SUCCESSOR_PROGRAM, ['pool_authority']).address;
export const SUCCESSOR_EVENT_AUTHORITY = programAddress(SUCCESSOR_PROGRAM, ['__event_authority']).address;
export const LOCKER_EVENT_AUTHORITY = programAddress(LOCKER_PROGRAM, ['__event_authority']).address;

/** An account that an instruction names. */
export interface NamedAccount {
  readonly address: string;
  readonly signer?: boolean;
  readonly writable?: boolean;
}

export interface ProgramInstruction {
  readonly program: string;
  readonly accounts: readonly NamedAccount[];
  readonly data: Uint8Array;
}

const discriminator = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));

export const CONFIG_DISCRIMINATOR = discriminator('1a6c0e7b74e6812b');
export const POOL_DISCRIMINATOR = discriminator('d5e005d16245775c');
export const BADGE_DISCRIMINATOR = discriminator('74dbcce5f974ff96');
export const BADGE_BYTES = 168;

/** Returns two keys in descending byte order. */
function ordered(a: string, b: string): readonly [Uint8Array, Uint8Array] {
  const [left, right] = [keyBytes(a), keyBytes(b)];
  return Buffer.compare(left, right) > 0 ? [left, right] : [right, left];
}

export function poolAddress(config: string, baseMint: string, quoteMint: string): string {
  return programAddress(CURVE_PROGRAM, ['pool', keyBytes(config), ...ordered(baseMint, quoteMint)]).address;
}

export function vaultAddress(mint: string, pool: string): string {
  return programAddress(CURVE_PROGRAM, ['token_vault', keyBytes(mint), keyBytes(pool)]).address;
}

export function badgeAddress(mint: string): string {
  return programAddress(CURVE_PROGRAM, ['token_badge', keyBytes(mint)]).address;
}

export function metadataAddress(mint: string): string {
  return programAddress(METADATA_PROGRAM, ['metadata', keyBytes(METADATA_PROGRAM), keyBytes(mint)]).address;
}

export function successorPoolAddress(baseMint: string, quoteMint: string, config: string = SUCCESSOR_CONFIG): string {
  return programAddress(SUCCESSOR_PROGRAM, ['pool', keyBytes(config), ...ordered(baseMint, quoteMint)]).address;
}

export function successorVaultAddress(mint: string, pool: string): string {
  return programAddress(SUCCESSOR_PROGRAM, ['token_vault', keyBytes(mint), keyBytes(pool)]).address;
}

/** Returns the account in which a curve records its coming migration. The newer generation of the program does not read it. */
function migrationMetadataAddress(pool: string): string {
  return programAddress(CURVE_PROGRAM, ['damm_v2', keyBytes(pool)]).address;
}

export function lockerBaseAddress(pool: string): string {
  return programAddress(CURVE_PROGRAM, ['base_locker', keyBytes(pool)]).address;
}

export function escrowAddress(base: string): string {
  return programAddress(LOCKER_PROGRAM, ['escrow', keyBytes(base)]).address;
}

/** Returns the associated token account of an owner and mint. */
export function associatedAccount(owner: string, mint: string, tokenProgram: string): string {
  return programAddress(ASSOCIATED_TOKEN_PROGRAM, [keyBytes(owner), keyBytes(tokenProgram), keyBytes(mint)]).address;
}

const BASE_FEE_PARAMETERS = byteStruct([
  ['cliffFeeNumerator', 'u64'],
  ['firstFactor', 'u16'],
  ['secondFactor', 'u64'],
  ['thirdFactor', 'u64'],
  ['mode', 'u8'],
]);
const DYNAMIC_FEE_PARAMETERS = byteStruct([
  ['binStep', 'u16'],
  ['binStepU128', 'u128'],
  ['filterPeriod', 'u16'],
  ['decayPeriod', 'u16'],
  ['reductionFactor', 'u16'],
  ['maxVolatilityAccumulator', 'u32'],
  ['variableFeeControl', 'u32'],
]);
const CURVE_POINT = byteStruct([
  ['sqrtPrice', 'u128'],
  ['liquidity', 'u128'],
]);
const VESTING_PARAMETERS = byteStruct([
  ['amountPerPeriod', 'u64'],
  ['cliffDurationFromMigrationTime', 'u64'],
  ['frequency', 'u64'],
  ['numberOfPeriods', 'u64'],
  ['cliffUnlockAmount', 'u64'],
]);
const LIQUIDITY_VESTING_PARAMETERS = byteStruct([
  ['vestingPercentage', 'u8'],
  ['bpsPerPeriod', 'u16'],
  ['numberOfPeriods', 'u16'],
  ['cliffDuration', 'u32'],
  ['frequency', 'u32'],
]);
const POOL_FEE_SCHEDULER_PARAMETERS = byteStruct([
  ['numberOfPeriods', 'u16'],
  ['sqrtPriceStepBps', 'u16'],
  ['expirationDuration', 'u32'],
  ['reductionFactor', 'u64'],
]);

/** Parameters between the fees and the vesting, and after it, in wire order. */
export const CONFIG_HEAD = byteStruct([
  ['collectFeeMode', 'u8'],
  ['migrationOption', 'u8'],
  ['activationType', 'u8'],
  ['tokenType', 'u8'],
  ['tokenDecimal', 'u8'],
  ['partnerLiquidity', 'u8'],
  ['partnerLockedLiquidity', 'u8'],
  ['creatorLiquidity', 'u8'],
  ['creatorLockedLiquidity', 'u8'],
  ['migrationQuoteThreshold', 'u64'],
  ['sqrtStartPrice', 'u128'],
]);
export const CONFIG_TAIL = byteStruct([
  ['creatorTradingFeePercentage', 'u8'],
  ['tokenUpdateAuthority', 'u8'],
  ['migrationFeePercentage', 'u8'],
  ['creatorMigrationFeePercentage', 'u8'],
  ['migratedCollectFeeMode', 'u8'],
  ['migratedDynamicFee', 'u8'],
  ['migratedPoolFeeBps', 'u16'],
  ['poolCreationFee', 'u64'],
]);
export const CONFIG_PARAMETER_STRUCTS = {
  baseFee: BASE_FEE_PARAMETERS,
  dynamicFee: DYNAMIC_FEE_PARAMETERS,
  vesting: VESTING_PARAMETERS,
  liquidityVesting: LIQUIDITY_VESTING_PARAMETERS,
  feeScheduler: POOL_FEE_SCHEDULER_PARAMETERS,
  point: CURVE_POINT,
} as const;

/** Enumerations of the program that this service uses. */
const DAMM_V2 = 1;
const BY_TIMESTAMP = 1;
const SPL_TOKEN = 0;
const CUSTOM_POOL_FEE = 6;
const IMMUTABLE = 1;

/** Encodes the parameters of `create_config`. */
export function configParameters(config: CurveConfig): Uint8Array {
  const { baseFee, dynamicFee, liquidity, lockedVesting } = config;
  const none = Uint8Array.of(0);
  const some = Uint8Array.of(1);
  const supply = new Uint8Array(16);
  writeUint(config.totalSupply, supply, 0, 8);
  writeUint(config.totalSupply, supply, 8, 8);
  const points = new Uint8Array(4);
  writeUint(BigInt(config.curve.length), points, 0, 4);
  return joined(
    BASE_FEE_PARAMETERS.encode(baseFeeFields(baseFee)),
    dynamicFee === null ? none : joined(some, DYNAMIC_FEE_PARAMETERS.encode(dynamicFee)),
    CONFIG_HEAD.encode({
      collectFeeMode: config.collectFeeIn === 'quote' ? 0 : 1,
      migrationOption: DAMM_V2,
      activationType: BY_TIMESTAMP,
      tokenType: SPL_TOKEN,
      tokenDecimal: config.baseDecimals,
      partnerLiquidity: liquidity.partner,
      partnerLockedLiquidity: liquidity.partnerLocked,
      creatorLiquidity: liquidity.creator,
      creatorLockedLiquidity: liquidity.creatorLocked,
      migrationQuoteThreshold: config.migrationQuoteThreshold,
      sqrtStartPrice: config.sqrtStartPrice,
    }),
    VESTING_PARAMETERS.encode(lockedVesting),
    Uint8Array.of(CUSTOM_POOL_FEE),
    some,
    supply,
    CONFIG_TAIL.encode({
      creatorTradingFeePercentage: config.creatorFeePct,
      tokenUpdateAuthority: IMMUTABLE,
      migrationFeePercentage: config.migrationFeePct,
      creatorMigrationFeePercentage: config.creatorMigrationFeePct,
      migratedDynamicFee: config.migratedPool.dynamicFee ? 1 : 0,
      migratedPoolFeeBps: config.migratedPool.feeBps,
    }),
    new Uint8Array(2 * LIQUIDITY_VESTING_PARAMETERS.size),
    // The successor's fee does not decay, the first buy pays the usual fee, and nothing compounds.
    Uint8Array.of(0),
    new Uint8Array(POOL_FEE_SCHEDULER_PARAMETERS.size),
    Uint8Array.of(0),
    new Uint8Array(2),
    new Uint8Array(2),
    points,
    ...config.curve.map((point) => CURVE_POINT.encode(point)),
  );
}

function baseFeeFields(fee: BaseFee): ReturnType<typeof BASE_FEE_PARAMETERS.read> {
  return {
    cliffFeeNumerator: fee.cliffFeeNumerator,
    firstFactor: fee.numberOfPeriods,
    secondFactor: fee.periodFrequency,
    thirdFactor: fee.reductionFactor,
    mode: fee.decay === 'linear' ? 0 : 1,
  };
}
export const EVENTS: readonly NamedAccount[] = [{ address: CURVE_EVENT_AUTHORITY }, { address: CURVE_PROGRAM }];

interface CreateConfigKeys {
  readonly config: string;
  /** Recipient of the partner's share of the fees. */
  readonly feeClaimer: string;
  readonly leftoverReceiver: string;
  readonly quoteMint: string;
  readonly payer: string;
  /** Token badge of the quote mint, or null if it needs none. */
  readonly badge: string | null;
}

const listBadge = (badge: string | null): readonly NamedAccount[] => (badge === null ? [] : [{ address: badge }]);

export function createConfigInstruction(keys: CreateConfigKeys, parameters: Uint8Array): ProgramInstruction {
  return {
    program: CURVE_PROGRAM,
    accounts: [
      { address: keys.config, signer: true, writable: true },
      { address: keys.feeClaimer },
      { address: keys.leftoverReceiver },
      { address: keys.quoteMint },
      { address: keys.payer, signer: true, writable: true },
      { address: SYSTEM_PROGRAM },
      ...EVENTS,
      ...listBadge(keys.badge),
    ],
    data: joined(CURVE_INSTRUCTIONS.createConfig, parameters),
  };
}

/** Name of a pool's token, and the address of its metadata. */
export interface TokenNames {
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
}

/** Keys from which every instruction of a pool is derived. */
export interface PoolKeys {
  readonly config: string;
  readonly baseMint: string;
  readonly quoteMint: string;
  readonly quoteProgram: string;
}

export function initializePoolInstruction(
  { config, baseMint, quoteMint, quoteProgram }: PoolKeys,
  { creator, payer, badge }: { readonly creator: string; readonly payer: string; readonly badge: string | null },
  { name, symbol, uri }: TokenNames,
): ProgramInstruction {
  const pool = poolAddress(config, baseMint, quoteMint);
  return {
    program: CURVE_PROGRAM,
    accounts: [
      { address: config },
      { address: POOL_AUTHORITY },
      { address: creator, signer: true },
      { address: baseMint, signer: true, writable: true },
      { address: quoteMint },
      { address: pool, writable: true },
      { address: vaultAddress(baseMint, pool), writable: true },
      { address: vaultAddress(quoteMint, pool), writable: true },
      { address: metadataAddress(baseMint), writable: true },
      { address: METADATA_PROGRAM },
      { address: payer, signer: true, writable: true },
      { address: quoteProgram },
      { address: TOKEN_PROGRAM },
      { address: SYSTEM_PROGRAM },
      ...EVENTS,
      ...listBadge(badge),
    ],
    data: joined(CURVE_INSTRUCTIONS.initializePool, lengthAndText(name), lengthAndText(symbol), lengthAndText(uri)),
  };
}

/** Meanings of a swap's two amounts. */
const SWAP_MODES = { exactIn: 0, partialFill: 1, exactOut: 2 } as const;
export type SwapMode = keyof typeof SWAP_MODES;

export interface CurveSwapOrder {
  readonly direction: 'buy' | 'sell';
  readonly mode: SwapMode;
  /** Input amount of an exact-in swap, output amount of an exact-out swap. */
  readonly amount: bigint;
  /** Minimum output of an exact-in swap, maximum input of an exact-out swap. */
  readonly bound: bigint;
  readonly trader: string;
  readonly baseAccount: string;
  readonly quoteAccount: string;
}

/** Returns the parts shared by swaps on the curve and in its successor pool: the input and output accounts, and both amounts. */
export function swapParts({ direction, mode, amount, bound, baseAccount, quoteAccount }: CurveSwapOrder) {
  const amounts = new Uint8Array(17);
  writeUint(amount, amounts, 0, 8);
  writeUint(bound, amounts, 8, 8);
  amounts[16] = SWAP_MODES[mode];
  const [input, output] = direction === 'buy' ? [quoteAccount, baseAccount] : [baseAccount, quoteAccount];
  return { input, output, data: joined(CURVE_INSTRUCTIONS.swap2, amounts) };
}

export function swapInstruction({ config, baseMint, quoteMint, quoteProgram }: PoolKeys, order: CurveSwapOrder): ProgramInstruction {
  const pool = poolAddress(config, baseMint, quoteMint);
  const { input, output, data } = swapParts(order);
  return {
    program: CURVE_PROGRAM,
    accounts: [
      { address: POOL_AUTHORITY },
      { address: config },
      { address: pool, writable: true },
      { address: input, writable: true },
      { address: output, writable: true },
      { address: vaultAddress(baseMint, pool), writable: true },
      { address: vaultAddress(quoteMint, pool), writable: true },
      { address: baseMint },
      { address: quoteMint },
      { address: order.trader, signer: true },
      { address: TOKEN_PROGRAM },
      { address: quoteProgram },
      // Without a referrer the program's own address is passed.
      { address: CURVE_PROGRAM },
      ...EVENTS,
    ],
    data,
  };
}

interface FeeClaim {
  /** The creator or the partner, who signs. */
  readonly claimer: string;
  readonly as: 'creator' | 'partner';
  readonly baseAccount: string;
  readonly quoteAccount: string;
  readonly mostBase: bigint;
  readonly mostQuote: bigint;
}

export function claimFeeInstruction({ config, baseMint, quoteMint, quoteProgram }: PoolKeys, claim: FeeClaim): ProgramInstruction {
  const pool = poolAddress(config, baseMint, quoteMint);
  const amounts = new Uint8Array(16);
  writeUint(claim.mostBase, amounts, 0, 8);
  writeUint(claim.mostQuote, amounts, 8, 8);
  return {
    program: CURVE_PROGRAM,
    accounts: [
      { address: POOL_AUTHORITY },
      // The partner's claim names the configuration, which contains the partner. The pool itself contains the creator.
      ...(claim.as === 'partner' ? [{ address: config }] : []),
      { address: pool, writable: true },
      { address: claim.baseAccount, writable: true },
      { address: claim.quoteAccount, writable: true },
      { address: vaultAddress(baseMint, pool), writable: true },
      { address: vaultAddress(quoteMint, pool), writable: true },
      { address: baseMint },
      { address: quoteMint },
      { address: claim.claimer, signer: true },
      { address: TOKEN_PROGRAM },
      { address: quoteProgram },
      ...EVENTS,
    ],
    data: joined(claim.as === 'creator' ? CURVE_INSTRUCTIONS.claimCreatorFee : CURVE_INSTRUCTIONS.claimPartnerFee, amounts),
  };
}

/** Locks the creator's tokens once the curve is complete. The escrow's token account must already exist. */
export function createLockerInstruction(
  { config, baseMint, quoteMint }: PoolKeys,
  { creator, payer }: { readonly creator: string; readonly payer: string },
): ProgramInstruction {
  const pool = poolAddress(config, baseMint, quoteMint);
  const base = lockerBaseAddress(pool);
  const escrow = escrowAddress(base);
  return {
    program: CURVE_PROGRAM,
    accounts: [
      { address: pool, writable: true },
      { address: config },
      { address: POOL_AUTHORITY, writable: true },
      { address: vaultAddress(baseMint, pool), writable: true },
      { address: baseMint, writable: true },
      { address: base, writable: true },
      { address: creator },
      { address: escrow, writable: true },
      { address: associatedAccount(escrow, baseMint, TOKEN_PROGRAM), writable: true },
      { address: payer, signer: true, writable: true },
      { address: TOKEN_PROGRAM },
      { address: LOCKER_PROGRAM },
      { address: LOCKER_EVENT_AUTHORITY },
      { address: SYSTEM_PROGRAM },
    ],
    data: CURVE_INSTRUCTIONS.createLocker,
  };
}

/** Returns the owner of the tokens in a pool's locker. */
export function lockerOwner({ config, baseMint, quoteMint }: PoolKeys): string {
  return escrowAddress(lockerBaseAddress(poolAddress(config, baseMint, quoteMint)));
}

function positionAddress(positionMint: string): string {
  return programAddress(SUCCESSOR_PROGRAM, ['position', keyBytes(positionMint)]).address;
}

function positionHolder(positionMint: string): string {
  return programAddress(SUCCESSOR_PROGRAM, ['position_nft_account', keyBytes(positionMint)]).address;
}

/**
 * Opens the successor pool. Each position is owned through a fresh mint that signs. Without a second position the program's own address is
 * passed.
 */
export function migrateInstruction(
  { config, baseMint, quoteMint, quoteProgram }: PoolKeys,
  { payer, positionMints }: { readonly payer: string; readonly positionMints: readonly string[] },
): ProgramInstruction {
  const pool = poolAddress(config, baseMint, quoteMint);
  const successor = successorPoolAddress(baseMint, quoteMint);
  const position = (mint: string | undefined): readonly NamedAccount[] =>
    mint === undefined
      ? Array.from({ length: 3 }, () => ({ address: CURVE_PROGRAM }))
      : [
          { address: mint, signer: true, writable: true },
          { address: positionHolder(mint), writable: true },
          { address: positionAddress(mint), writable: true },
        ];
  return {
    program: CURVE_PROGRAM,
    accounts: [
      { address: pool, writable: true },
      { address: migrationMetadataAddress(pool) },
      { address: config },
      { address: POOL_AUTHORITY, writable: true },
      { address: successor, writable: true },
      ...position(positionMints[0]),
      ...position(positionMints[1]),
      { address: SUCCESSOR_AUTHORITY },
      { address: SUCCESSOR_PROGRAM },
      { address: baseMint, writable: true },
      { address: quoteMint, writable: true },
      { address: successorVaultAddress(baseMint, successor), writable: true },
      { address: successorVaultAddress(quoteMint, successor), writable: true },
      { address: vaultAddress(baseMint, pool), writable: true },
      { address: vaultAddress(quoteMint, pool), writable: true },
      { address: payer, signer: true, writable: true },
      { address: TOKEN_PROGRAM },
      { address: quoteProgram },
      { address: TOKEN_2022 },
      { address: SUCCESSOR_EVENT_AUTHORITY },
      { address: SYSTEM_PROGRAM },
      { address: SUCCESSOR_CONFIG },
    ],
    data: CURVE_INSTRUCTIONS.migrate,
  };
}

export const POOL_CONFIG = byteStruct([
  ['discriminator', 8],
  ['quoteMint', 'key'],
  ['feeClaimer', 'key'],
  ['leftoverReceiver', 'key'],
  ['cliffFeeNumerator', 'u64'],
  ['secondFactor', 'u64'],
  ['thirdFactor', 'u64'],
  ['firstFactor', 'u16'],
  ['baseFeeMode', 'u8'],
  ['padding0', 5],
  ['dynamicInitialized', 'u8'],
  ['padding1', 7],
  ['maxVolatilityAccumulator', 'u32'],
  ['variableFeeControl', 'u32'],
  ['binStep', 'u16'],
  ['filterPeriod', 'u16'],
  ['decayPeriod', 'u16'],
  ['dynamicReductionFactor', 'u16'],
  ['padding2', 8],
  ['binStepU128', 'u128'],
  ['partnerLiquidityVesting', 16],
  ['creatorLiquidityVesting', 16],
  ['padding3', 14],
  ['padding4', 'u16'],
  ['collectFeeMode', 'u8'],
  ['migrationOption', 'u8'],
  ['activationType', 'u8'],
  ['tokenDecimal', 'u8'],
  ['version', 'u8'],
  ['tokenType', 'u8'],
  ['quoteTokenFlag', 'u8'],
  ['partnerLockedLiquidity', 'u8'],
  ['partnerLiquidity', 'u8'],
  ['creatorLockedLiquidity', 'u8'],
  ['creatorLiquidity', 'u8'],
  ['migrationFeeOption', 'u8'],
  ['fixedTokenSupply', 'u8'],
  ['creatorTradingFeePercentage', 'u8'],
  ['tokenUpdateAuthority', 'u8'],
  ['migrationFeePercentage', 'u8'],
  ['creatorMigrationFeePercentage', 'u8'],
  ['padding5', 7],
  ['swapBaseAmount', 'u64'],
  ['migrationQuoteThreshold', 'u64'],
  ['migrationBaseThreshold', 'u64'],
  ['migrationSqrtPrice', 'u128'],
  ['vestingAmountPerPeriod', 'u64'],
  ['vestingCliffDuration', 'u64'],
  ['vestingFrequency', 'u64'],
  ['vestingPeriods', 'u64'],
  ['vestingCliffAmount', 'u64'],
  ['padding6', 'u64'],
  ['preMigrationSupply', 'u64'],
  ['postMigrationSupply', 'u64'],
  ['migratedCollectFeeMode', 'u8'],
  ['migratedDynamicFee', 'u8'],
  ['migratedPoolFeeBps', 'u16'],
  ['migratedBaseFeeMode', 'u8'],
  ['firstSwapWithMinFee', 'u8'],
  ['migratedCompoundingFeeBps', 'u16'],
  ['poolCreationFee', 'u64'],
  ['migratedBaseFee', 16],
  ['sqrtStartPrice', 'u128'],
  ['curve', 640],
]);

export const VIRTUAL_POOL = byteStruct([
  ['discriminator', 8],
  ['lastUpdateAt', 'u64'],
  ['padding0', 8],
  ['sqrtPriceReference', 'u128'],
  ['volatilityAccumulator', 'u128'],
  ['volatilityReference', 'u128'],
  ['config', 'key'],
  ['creator', 'key'],
  ['baseMint', 'key'],
  ['baseVault', 'key'],
  ['quoteVault', 'key'],
  ['baseReserve', 'u64'],
  ['quoteReserve', 'u64'],
  ['protocolBaseFee', 'u64'],
  ['protocolQuoteFee', 'u64'],
  ['partnerBaseFee', 'u64'],
  ['partnerQuoteFee', 'u64'],
  ['sqrtPrice', 'u128'],
  ['activationPoint', 'u64'],
  ['poolType', 'u8'],
  ['isMigrated', 'u8'],
  ['isPartnerWithdrawSurplus', 'u8'],
  ['isProtocolWithdrawSurplus', 'u8'],
  ['migrationProgress', 'u8'],
  ['isWithdrawLeftover', 'u8'],
  ['isCreatorWithdrawSurplus', 'u8'],
  ['migrationFeeWithdrawStatus', 'u8'],
  ['totalProtocolBaseFee', 'u64'],
  ['totalProtocolQuoteFee', 'u64'],
  ['totalTradingBaseFee', 'u64'],
  ['totalTradingQuoteFee', 'u64'],
  ['finishedAt', 'u64'],
  ['creatorBaseFee', 'u64'],
  ['creatorQuoteFee', 'u64'],
  ['legacyCreationFeeBits', 'u8'],
  ['creationFeeBits', 'u8'],
  ['hasSwap', 'u8'],
  ['padding1', 5],
  ['migrationFeeBps', 'u16'],
  ['padding2', 6],
  ['migrationBaseFee', 'u64'],
  ['migrationQuoteFee', 'u64'],
  ['padding3', 24],
]);

export type PoolConfigAccount = ReturnType<typeof POOL_CONFIG.read>;
export type VirtualPoolAccount = ReturnType<typeof VIRTUAL_POOL.read>;

/** Progress of graduation. */
export const MIGRATION_PROGRESS = { onCurve: 0, complete: 1, vestingLocked: 2, poolCreated: 3 } as const;

const begins = (bytes: Uint8Array, with_: Uint8Array): boolean => with_.every((byte, at) => bytes[at] === byte);

/** Reads a configuration, or returns null if the bytes are not one. */
export function readPoolConfig(bytes: Uint8Array): PoolConfigAccount | null {
  return bytes.length === POOL_CONFIG.size && begins(bytes, CONFIG_DISCRIMINATOR) ? POOL_CONFIG.read(bytes) : null;
}

/** Reads a pool, or returns null if the bytes are not one. */
export function readVirtualPool(bytes: Uint8Array): VirtualPoolAccount | null {
  return bytes.length === VIRTUAL_POOL.size && begins(bytes, POOL_DISCRIMINATOR) ? VIRTUAL_POOL.read(bytes) : null;
}

/** Returns the points of a stored curve. Unused ones are zero. */
export function readCurvePoints({ curve }: Pick<PoolConfigAccount, 'curve'>): readonly CurvePoint[] {
  return Array.from({ length: curve.length / CURVE_POINT.size }, (_, index) => CURVE_POINT.read(curve, index * CURVE_POINT.size)).filter(
    ({ sqrtPrice, liquidity }) => sqrtPrice > 0n && liquidity > 0n,
  );
}

export function storedBaseFee(config: PoolConfigAccount): BaseFee {
  return {
    cliffFeeNumerator: config.cliffFeeNumerator,
    numberOfPeriods: config.firstFactor,
    periodFrequency: config.secondFactor,
    reductionFactor: config.thirdFactor,
    decay: config.baseFeeMode === 0 ? 'linear' : 'exponential',
  };
}

export function storedDynamicFee(config: PoolConfigAccount): DynamicFee | null {
  if (config.dynamicInitialized === 0) return null;
  const { binStep, binStepU128, filterPeriod, decayPeriod, dynamicReductionFactor, maxVolatilityAccumulator, variableFeeControl } = config;
  return {
    binStep,
    binStepU128,
    filterPeriod,
    decayPeriod,
    reductionFactor: dynamicReductionFactor,
    maxVolatilityAccumulator,
    variableFeeControl,
  };
}

export function storedVesting(config: PoolConfigAccount): LockedVesting {
  return {
    amountPerPeriod: config.vestingAmountPerPeriod,
    cliffDurationFromMigrationTime: config.vestingCliffDuration,
    frequency: config.vestingFrequency,
    numberOfPeriods: config.vestingPeriods,
    cliffUnlockAmount: config.vestingCliffAmount,
  };
}
