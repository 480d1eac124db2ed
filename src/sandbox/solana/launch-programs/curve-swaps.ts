/** Models of swaps on a curve and of fee claims. */
import { readUint } from '../../../domain/launch/byte-struct.ts';
import { vestingTotal } from '../../../domain/launch/curve/curve-config.ts';
import {
  MIGRATION_PROGRESS,
  POOL_AUTHORITY,
  type PoolConfigAccount,
  readCurvePoints,
  storedBaseFee,
  storedDynamicFee,
  storedVesting,
  VIRTUAL_POOL,
  type VirtualPoolAccount,
} from '../../../domain/launch/curve/program.ts';
import { type CurveDirection, type CurveSwap, swapIn, swapOut } from '../../../domain/launch/curve/curve-swap.ts';
import {
  accumulatorAt,
  baseFeeAt,
  binsBetween,
  creatorPart,
  referencesAt,
  totalFee,
  type VolatilityTracker,
} from '../../../domain/launch/fees.ts';
import { readTokenAccount } from '../../../domain/solana/token-layout.ts';
import { configAt, CURVE_ERRORS as E, expectAddress, FRAMEWORK, type MintAt, mintAt, poolAt, signed, tokensAt } from './curve-accounts.ts';
import { type ModelContext, ProgramFailure } from './modelled-machine.ts';
import { transferTokens } from './native-instructions.ts';

/** Parameters of a swap. The older instruction has only one mode. */
interface Asked {
  readonly mode: number;
  readonly amount: bigint;
  readonly bound: bigint;
}

function readAsked(data: Uint8Array, hasMode: boolean): Asked {
  if (data.length < (hasMode ? 25 : 24)) throw new ProgramFailure(102);
  return { amount: readUint(data, 8, 8), bound: readUint(data, 16, 8), mode: hasMode ? (data[24] as number) : 0 };
}

const toTracker = (pool: VirtualPoolAccount): VolatilityTracker => ({
  lastUpdateAt: pool.lastUpdateAt,
  sqrtPriceReference: pool.sqrtPriceReference,
  accumulator: pool.volatilityAccumulator,
  reference: pool.volatilityReference,
});

export function swap(context: ModelContext, hasMode: boolean): void {
  const trader = signed(context, 9);
  const { address: configKey, config } = configAt(context, 1);
  const { address: poolKey, pool } = poolAt(context, 2);
  expectAddress(context, 0, POOL_AUTHORITY, FRAMEWORK.address);
  if (pool.config !== configKey) throw new ProgramFailure(FRAMEWORK.hasOne);
  const [base, quote] = [mintAt(context, 7), mintAt(context, 8)];
  expectAddress(context, 5, pool.baseVault, FRAMEWORK.hasOne);
  expectAddress(context, 6, pool.quoteVault, FRAMEWORK.hasOne);
  const input = context.account(context.accounts[3]?.address as string);
  const direction: CurveDirection = input !== null && readTokenAccount(input.data as Uint8Array)?.mint === base.address ? 'sell' : 'buy';
  const [from, to] = direction === 'buy' ? [quote, base] : [base, quote];
  tokensAt(context, 3, from.address);
  tokensAt(context, 4, to.address);
  const asked = readAsked(context.data, hasMode);
  if (asked.mode > 2) throw new ProgramFailure(E.input);
  if (asked.amount === 0n) throw new ProgramFailure(E.zero);
  if (pool.quoteReserve >= config.migrationQuoteThreshold) throw new ProgramFailure(E.completed);
  const dynamic = storedDynamicFee(config);
  const before = dynamic === null ? toTracker(pool) : referencesAt(toTracker(pool), dynamic, pool.sqrtPrice, context.unixSeconds);
  const numerator = totalFee(baseFeeAt(storedBaseFee(config), context.unixSeconds, pool.activationPoint), dynamic, before.accumulator);
  const done = swapped(config, pool, direction, asked, numerator);
  const [inVault, outVault] = direction === 'buy' ? [pool.quoteVault, pool.baseVault] : [pool.baseVault, pool.quoteVault];
  const moved = dynamic === null ? before : accumulatorAt(before, dynamic, done.nextSqrtPrice);
  // A swap within its bin does not count as movement, so the last time stays.
  const crossed = dynamic !== null && binsBetween(pool.sqrtPrice, done.nextSqrtPrice, dynamic.binStepU128) > 0n;
  const after = crossed ? { ...moved, lastUpdateAt: context.unixSeconds } : moved;
  context.write(
    poolKey,
    VIRTUAL_POOL.encode({ ...poolAfter(pool, config, direction, done, context.unixSeconds), ...trackerFields(after) }),
  );
  const account = (place: number): string => context.accounts[place]?.address as string;
  move(context, from, account(3), inVault, trader, done.amountIn);
  move(context, to, outVault, account(4), POOL_AUTHORITY, done.amountOut);
}

function trackerFields(tracker: VolatilityTracker): Partial<VirtualPoolAccount> {
  return {
    lastUpdateAt: tracker.lastUpdateAt,
    sqrtPriceReference: tracker.sqrtPriceReference,
    volatilityAccumulator: tracker.accumulator,
    volatilityReference: tracker.reference,
  };
}

function swapped(
  config: PoolConfigAccount,
  pool: VirtualPoolAccount,
  direction: CurveDirection,
  asked: Asked,
  numerator: bigint,
): CurveSwap {
  const shape = {
    sqrtStartPrice: config.sqrtStartPrice,
    migrationSqrtPrice: config.migrationSqrtPrice,
    curve: readCurvePoints(config),
    collectFeeIn: config.collectFeeMode === 0 ? ('quote' as const) : ('output' as const),
  };
  const fee = { numerator, hasReferral: false };
  if (asked.mode === 2) {
    const done = swapOut(shape, pool.sqrtPrice, direction, asked.amount, fee);
    if (typeof done === 'string') throw new ProgramFailure(done === 'not_enough' ? E.amountLeft : E.insufficientLiquidity);
    if (done.amountIn > asked.bound) throw new ProgramFailure(E.slippage);
    return done;
  }
  const done = swapIn(shape, pool.sqrtPrice, direction, asked.amount, fee);
  if (asked.mode === 0 && done.left > 0n) throw new ProgramFailure(E.insufficientLiquidity);
  if (done.amountOut < asked.bound) throw new ProgramFailure(E.slippage);
  return done;
}

function poolAfter(
  pool: VirtualPoolAccount,
  config: PoolConfigAccount,
  direction: CurveDirection,
  done: CurveSwap,
  now: bigint,
): VirtualPoolAccount {
  const { trading, protocol, referral } = done.fee;
  const { creator, partner } = creatorPart(trading, config.creatorTradingFeePercentage);
  const out = done.feeIn === (direction === 'buy' ? 'base' : 'quote') ? done.amountOut + trading + protocol + referral : done.amountOut;
  const inQuote = done.feeIn === 'quote' ? 1n : 0n;
  const inBase = 1n - inQuote;
  const quoteReserve = direction === 'buy' ? pool.quoteReserve + done.movingIn : pool.quoteReserve - out;
  const isComplete = quoteReserve >= config.migrationQuoteThreshold;
  const hasVesting = vestingTotal(storedVesting(config)) > 0n;
  return {
    ...pool,
    baseReserve: direction === 'buy' ? pool.baseReserve - out : pool.baseReserve + done.movingIn,
    quoteReserve,
    sqrtPrice: done.nextSqrtPrice,
    protocolBaseFee: pool.protocolBaseFee + protocol * inBase,
    protocolQuoteFee: pool.protocolQuoteFee + protocol * inQuote,
    partnerBaseFee: pool.partnerBaseFee + partner * inBase,
    partnerQuoteFee: pool.partnerQuoteFee + partner * inQuote,
    creatorBaseFee: pool.creatorBaseFee + creator * inBase,
    creatorQuoteFee: pool.creatorQuoteFee + creator * inQuote,
    totalProtocolBaseFee: pool.totalProtocolBaseFee + protocol * inBase,
    totalProtocolQuoteFee: pool.totalProtocolQuoteFee + protocol * inQuote,
    totalTradingBaseFee: pool.totalTradingBaseFee + trading * inBase,
    totalTradingQuoteFee: pool.totalTradingQuoteFee + trading * inQuote,
    hasSwap: 1,
    finishedAt: isComplete ? now : pool.finishedAt,
    migrationProgress: isComplete ? (hasVesting ? MIGRATION_PROGRESS.complete : MIGRATION_PROGRESS.vestingLocked) : pool.migrationProgress,
  };
}

function move(
  context: ModelContext,
  { program, address: mint, mint: { decimals } }: MintAt,
  from: string,
  to: string,
  authority: string,
  amount: bigint,
): void {
  context.invoke(transferTokens({ program, mint, decimals, from, to, authority, amount }));
}

/** Pays out trading fees. The creator's claim names no configuration, so its accounts are at indices one lower than the partner's. */
export function claimFee(context: ModelContext, as: 'creator' | 'partner'): void {
  const shift = as === 'partner' ? 1 : 0;
  const config = as === 'partner' ? configAt(context, 1) : null;
  const { address: poolKey, pool } = poolAt(context, 1 + shift);
  for (const place of [2, 3]) tokensAt(context, place + shift, null);
  const claimer = signed(context, 8 + shift);
  expectAddress(context, 0, POOL_AUTHORITY, FRAMEWORK.address);
  if (config !== null && config.address !== pool.config) throw new ProgramFailure(FRAMEWORK.hasOne);
  if (claimer !== (config === null ? pool.creator : config.config.feeClaimer)) throw new ProgramFailure(E.unauthorized);
  const [base, quote] = [mintAt(context, 6 + shift), mintAt(context, 7 + shift)];
  if (base.address !== pool.baseMint) throw new ProgramFailure(FRAMEWORK.hasOne);
  expectAddress(context, 4 + shift, pool.baseVault, FRAMEWORK.hasOne);
  expectAddress(context, 5 + shift, pool.quoteVault, FRAMEWORK.hasOne);
  const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);
  const [ofBase, ofQuote] =
    as === 'creator' ? (['creatorBaseFee', 'creatorQuoteFee'] as const) : (['partnerBaseFee', 'partnerQuoteFee'] as const);
  const baseAmount = least(readUint(context.data, 8, 8), pool[ofBase]);
  const quoteAmount = least(readUint(context.data, 16, 8), pool[ofQuote]);
  context.write(poolKey, VIRTUAL_POOL.encode({ ...pool, [ofBase]: pool[ofBase] - baseAmount, [ofQuote]: pool[ofQuote] - quoteAmount }));
  const account = (place: number): string => context.accounts[place + shift]?.address as string;
  if (baseAmount > 0n) move(context, base, pool.baseVault, account(2), POOL_AUTHORITY, baseAmount);
  if (quoteAmount > 0n) move(context, quote, pool.quoteVault, account(3), POOL_AUTHORITY, quoteAmount);
}
