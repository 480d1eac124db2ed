/** Model of `create_config`: a configuration account with all derived values. */
import { curveFacts, withBuffer } from '../../../domain/launch/curve/config.ts';
import { MAX_SQRT_PRICE } from '../../../domain/launch/curve/math.ts';
import {
  BADGE_BYTES,
  BADGE_DISCRIMINATOR,
  badgeAddress,
  CONFIG_DISCRIMINATOR,
  CONFIG_PARAMETER_STRUCTS,
  POOL_CONFIG,
} from '../../../domain/launch/curve/program.ts';
import { mintObjection } from '../../../domain/launch/quote-mint.ts';
import { lessMigrationFee } from '../../../domain/launch/withdrawals.ts';
import { CURVE_PROGRAM, TOKEN_PROGRAM } from '../../../domain/solana/programs.ts';
import { assessConfig, type GivenConfig, readConfigParameters } from './config-parameters.ts';
import { at, CURVE_ERRORS as E, type MintAt, mintAt, signed } from './curve-accounts.ts';
import { type ModelContext, ProgramFailure } from './modelled-machine.ts';
import { createAccount } from './native-instructions.ts';

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
