/** Model of `create_config`: a configuration account with all derived values. */
import { curveFacts, withBuffer } from '../../../domain/launch/curve/curve-config.ts';
import { MAX_SQRT_PRICE, type CurvePoint, MIN_SQRT_PRICE, MOST_CURVE_POINTS } from '../../../domain/launch/curve/math.ts';
import {
  BADGE_BYTES,
  BADGE_DISCRIMINATOR,
  badgeAddress,
  CONFIG_DISCRIMINATOR,
  CONFIG_PARAMETER_STRUCTS,
  POOL_CONFIG,
  CONFIG_HEAD,
  CONFIG_TAIL,
} from '../../../domain/launch/curve/program.ts';
import { mintObjection } from '../../../domain/launch/quote-mint.ts';
import { lessMigrationFee } from '../../../domain/launch/withdrawals.ts';
import { CURVE_PROGRAM, TOKEN_PROGRAM } from '../../../domain/solana/programs.ts';
import { at, CURVE_ERRORS as E, type MintAt, mintAt, signed } from './curve-accounts.ts';
import { type ModelContext, ProgramFailure } from './modelled-machine.ts';
import { createAccount } from './native-instructions.ts';
import { readUint } from '../../../domain/launch/byte-struct.ts';
import { type BaseFee, lowestBaseFee, MAX_FEE_NUMERATOR, MIN_FEE_NUMERATOR } from '../../../domain/launch/fees.ts';

/** Generations of the program, which differ in the quote mint extensions that they accept. */
export type Generation = 'before_badges' | 'badges';

/** Newest mint extension that the older generation could parse. */
const NEWEST_EXTENSION = 23;

/** Checks that a curve may be quoted in a mint. @throws ProgramFailure if not */
export function assessQuoteMint(context: ModelContext, quote: MintAt, badgePlace: number, generation: Generation): void {
  if (generation === 'before_badges' && quote.mint.extensions.some((one) => one > NEWEST_EXTENSION))
    throw new ProgramFailure('InvalidAccountData');
  const facts = { mint: quote.address, symbol: quote.address, program: quote.program, transferFeeBps: null };
  const given = context.accounts[badgePlace];
  const badge = given === undefined || given.address !== badgeAddress(quote.address) ? null : context.account(given.address);
  const isBadged =
    generation === 'badges' &&
    badge !== null &&
    badge.programAddress === CURVE_PROGRAM &&
    badge.data.length === BADGE_BYTES &&
    BADGE_DISCRIMINATOR.every((byte, place) => badge.data[place] === byte);
  const objection = mintObjection(facts, quote.mint, isBadged, context.epoch);
  if (objection?.code === null || objection === null) return;
  if (generation === 'before_badges') throw new ProgramFailure(objection.code === E.native2022 ? E.native2022 : E.quoteMint);
  throw new ProgramFailure(objection.code);
}

export function createConfig(context: ModelContext, generation: Generation): void {
  const config = signed(context, 0);
  const payer = signed(context, 4);
  const given = readConfigParameters(context.data.subarray(8));
  const space = POOL_CONFIG.size;
  context.invoke(createAccount({ payer, at: config, lamports: context.rent(space), bytes: space, owner: CURVE_PROGRAM }));
  const quote = mintAt(context, 3);
  assessQuoteMint(context, quote, 8, generation);
  assessConfig(given);
  context.write(config, configBytes(context, given, quote));
}

/** Returns the derived values of the curve after checking supply against curve. @throws ProgramFailure if they do not match */
function assessedFacts({ head, tail, locked, curve, supply }: GivenConfig) {
  const facts = curveFacts(
    {
      sqrtStartPrice: head.sqrtStartPrice,
      migrationQuoteThreshold: head.migrationQuoteThreshold,
      curve,
      migrationFeePct: tail.migrationFeePercentage,
      lockedVesting: locked,
    },
    lessMigrationFee,
  );
  if (facts === null) throw new ProgramFailure(E.notEnoughLiquidity);
  if (facts.migrationSqrtPrice >= MAX_SQRT_PRICE) throw new ProgramFailure(E.curve);
  // Without a stated supply the program would mint what it needs. Launches of this service always state it.
  if (supply === null) throw new ProgramFailure(E.supply);
  const needed = facts.migrationBaseAmount + facts.vestingAmount;
  const buffered = withBuffer(facts.swapBaseAmount, head.sqrtStartPrice, curve);
  if (facts.swapBaseAmount + needed > supply.post || supply.post > supply.pre || buffered + needed > supply.pre)
    throw new ProgramFailure(E.supply);
  return { facts, supply };
}

function configBytes(context: ModelContext, given: GivenConfig, quote: MintAt): Uint8Array {
  const { fee, dynamic, head, locked, tail, curve } = given;
  const { facts, supply } = assessedFacts(given);
  const points = new Uint8Array(POOL_CONFIG.size - POOL_CONFIG.offsetOf('curve'));
  for (const [index, one] of curve.entries())
    CONFIG_PARAMETER_STRUCTS.point.write(one, points, index * CONFIG_PARAMETER_STRUCTS.point.size);
  return POOL_CONFIG.encode({
    discriminator: CONFIG_DISCRIMINATOR,
    quoteMint: quote.address,
    feeClaimer: at(context, 1).address,
    leftoverReceiver: at(context, 2).address,
    cliffFeeNumerator: fee.cliffFeeNumerator,
    firstFactor: fee.firstFactor,
    secondFactor: fee.secondFactor,
    thirdFactor: fee.thirdFactor,
    baseFeeMode: fee.mode,
    ...(dynamic === null ? {} : { ...dynamic, dynamicInitialized: 1, dynamicReductionFactor: dynamic.reductionFactor }),
    collectFeeMode: head.collectFeeMode,
    migrationOption: head.migrationOption,
    activationType: head.activationType,
    tokenDecimal: head.tokenDecimal,
    tokenType: head.tokenType,
    quoteTokenFlag: quote.program === TOKEN_PROGRAM ? 0 : 1,
    partnerLockedLiquidity: head.partnerLockedLiquidity,
    partnerLiquidity: head.partnerLiquidity,
    creatorLockedLiquidity: head.creatorLockedLiquidity,
    creatorLiquidity: head.creatorLiquidity,
    migrationFeeOption: given.migrationFeeOption,
    fixedTokenSupply: 1,
    creatorTradingFeePercentage: tail.creatorTradingFeePercentage,
    tokenUpdateAuthority: tail.tokenUpdateAuthority,
    migrationFeePercentage: tail.migrationFeePercentage,
    creatorMigrationFeePercentage: tail.creatorMigrationFeePercentage,
    swapBaseAmount: facts.swapBaseAmount,
    migrationQuoteThreshold: head.migrationQuoteThreshold,
    migrationBaseThreshold: facts.migrationBaseAmount,
    migrationSqrtPrice: facts.migrationSqrtPrice,
    vestingAmountPerPeriod: locked.amountPerPeriod,
    vestingCliffDuration: locked.cliffDurationFromMigrationTime,
    vestingFrequency: locked.frequency,
    vestingPeriods: locked.numberOfPeriods,
    vestingCliffAmount: locked.cliffUnlockAmount,
    preMigrationSupply: supply.pre,
    postMigrationSupply: supply.post,
    migratedCollectFeeMode: tail.migratedCollectFeeMode,
    migratedDynamicFee: tail.migratedDynamicFee,
    migratedPoolFeeBps: tail.migratedPoolFeeBps,
    migratedBaseFeeMode: given.migratedBaseFeeMode,
    firstSwapWithMinFee: given.firstSwapWithMinFee,
    migratedCompoundingFeeBps: given.compoundingFeeBps,
    poolCreationFee: tail.poolCreationFee,
    sqrtStartPrice: head.sqrtStartPrice,
    curve: points,
  });
}

/** Anchor's error for instruction data that cannot be decoded. */
const UNREADABLE = 102;

type GivenConfig = ReturnType<typeof readConfigParameters>;

/** Parses the parameters. @throws ProgramFailure if the bytes are too short, or hold values that the model does not support */
function readConfigParameters(data: Uint8Array) {
  try {
    return parametersFrom(data);
  } catch (error) {
    if (error instanceof RangeError) throw new ProgramFailure(UNREADABLE);
    throw error;
  }
}

function parametersFrom(data: Uint8Array) {
  const { baseFee, dynamicFee, vesting, liquidityVesting, feeScheduler, point } = CONFIG_PARAMETER_STRUCTS;
  let at = 0;
  const take = <Value>(struct: { readonly size: number; read(bytes: Uint8Array, at: number): Value }): Value => {
    const value = struct.read(data, at);
    at += struct.size;
    return value;
  };
  const flag = (): number => {
    const value = data[at++];
    if (value === undefined) throw new RangeError('the data ends');
    return value;
  };
  const fee = take(baseFee);
  const dynamic = flag() === 1 ? take(dynamicFee) : null;
  const head = take(CONFIG_HEAD);
  const locked = take(vesting);
  const migrationFeeOption = flag();
  const supply = flag() === 1 ? { pre: readUint(data, at, 8), post: readUint(data, at + 8, 8) } : null;
  if (supply !== null) at += 16;
  const tail = take(CONFIG_TAIL);
  const partnerVesting = take(liquidityVesting);
  const creatorVesting = take(liquidityVesting);
  const migratedBaseFeeMode = flag();
  const scheduler = take(feeScheduler);
  const firstSwapWithMinFee = flag();
  const compoundingFeeBps = Number(readUint(data, at, 2));
  at += 4;
  const points = Number(readUint(data, at, 4));
  at += 4;
  const curve: CurvePoint[] = Array.from({ length: points }, () => take(point));
  return {
    fee,
    dynamic,
    head,
    locked,
    migrationFeeOption,
    supply,
    tail,
    partnerVesting,
    creatorVesting,
    migratedBaseFeeMode,
    scheduler,
    firstSwapWithMinFee,
    compoundingFeeBps,
    curve,
  };
}

function givenBaseFee({ fee }: Pick<GivenConfig, 'fee'>): BaseFee {
  return {
    cliffFeeNumerator: fee.cliffFeeNumerator,
    numberOfPeriods: fee.firstFactor,
    periodFrequency: fee.secondFactor,
    reductionFactor: fee.thirdFactor,
    decay: fee.mode === 0 ? 'linear' : 'exponential',
  };
}

const MOST_MIGRATION_FEE_PCT = 99;

const fail = (error: number): never => {
  throw new ProgramFailure(error);
};

/** Validates a configuration in the program's order. @throws ProgramFailure */
function assessConfig(given: GivenConfig): void {
  assessFees(given);
  const { head, tail, locked, curve } = given;
  if (head.collectFeeMode > 1) fail(E.collectFeeMode);
  if (tail.tokenUpdateAuthority > 4) fail(E.tokenAuthority);
  if (tail.creatorTradingFeePercentage > 100) fail(E.creatorPercentage);
  assessMigrationFee(tail);
  if (head.tokenDecimal < 6 || head.tokenDecimal > 9) fail(E.decimals);
  const { partnerLiquidity, partnerLockedLiquidity, creatorLiquidity, creatorLockedLiquidity } = head;
  if (partnerLiquidity + partnerLockedLiquidity + creatorLiquidity + creatorLockedLiquidity !== 100) fail(E.feePercentage);
  if (partnerLockedLiquidity + creatorLockedLiquidity < 10) fail(E.lockedLiquidity);
  if (head.migrationQuoteThreshold === 0n) fail(E.threshold);
  const total = locked.cliffUnlockAmount + locked.amountPerPeriod * locked.numberOfPeriods;
  const isNone = total === 0n && locked.frequency === 0n && locked.cliffDurationFromMigrationTime === 0n;
  if (!isNone && (locked.frequency === 0n || total === 0n)) fail(E.vesting);
  assessCurve(curve, head.sqrtStartPrice);
}

function assessMigrationFee({ migrationFeePercentage, creatorMigrationFeePercentage }: GivenConfig['tail']): void {
  if (migrationFeePercentage > MOST_MIGRATION_FEE_PCT || creatorMigrationFeePercentage > 100) fail(E.migratorFee);
  if (migrationFeePercentage === 0 && creatorMigrationFeePercentage !== 0) fail(E.migratorFee);
}

function assessFees({ fee, dynamic }: GivenConfig): void {
  const { cliffFeeNumerator, firstFactor, secondFactor, thirdFactor } = fee;
  const factors = [BigInt(firstFactor), secondFactor, thirdFactor];
  if (factors.some((one) => one !== 0n) && factors.some((one) => one === 0n)) fail(E.feeScheduler);
  const lowest = lowestBaseFee(givenBaseFee({ fee }));
  if (lowest < MIN_FEE_NUMERATOR || cliffFeeNumerator > MAX_FEE_NUMERATOR) fail(E.feeBounds);
  if (dynamic === null) return;
  if (dynamic.binStep !== 1 || dynamic.filterPeriod >= dynamic.decayPeriod || dynamic.reductionFactor > 10_000) fail(E.input);
}

function assessCurve(curve: readonly CurvePoint[], start: bigint): void {
  if (start < MIN_SQRT_PRICE || start >= MAX_SQRT_PRICE) fail(E.curve);
  if (curve.length === 0 || curve.length > MOST_CURVE_POINTS) fail(E.curve);
  let below = start;
  for (const { sqrtPrice, liquidity } of curve) {
    if (sqrtPrice <= below || liquidity === 0n || sqrtPrice > MAX_SQRT_PRICE) fail(E.curve);
    below = sqrtPrice;
  }
}
