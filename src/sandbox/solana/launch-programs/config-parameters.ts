/** Configuration parameters in the model of the curve program, parsed and validated like in the real one. */

import { readUint } from '../../../domain/launch/byte-struct.ts';
import { type CurvePoint, MAX_SQRT_PRICE, MIN_SQRT_PRICE, MOST_CURVE_POINTS } from '../../../domain/launch/curve/math.ts';
import { CONFIG_HEAD, CONFIG_PARAMETER_STRUCTS, CONFIG_TAIL } from '../../../domain/launch/curve/program.ts';
import { type BaseFee, lowestBaseFee, MAX_FEE_NUMERATOR, MIN_FEE_NUMERATOR } from '../../../domain/launch/fees.ts';
import { CURVE_ERRORS as E } from './curve-accounts.ts';
import { ProgramFailure } from './modelled-machine.ts';

/** Anchor's error for instruction data that cannot be decoded. */
const UNREADABLE = 102;

export type GivenConfig = ReturnType<typeof readConfigParameters>;

/** Parses the parameters. @throws ProgramFailure if the bytes are too short, or hold values that the model does not support */
export function readConfigParameters(data: Uint8Array) {
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
export function assessConfig(given: GivenConfig): void {
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
