/** Model of swaps in the pool that follows a completed curve. */
import { readUint, writeUint } from '../../../domain/launch/byte-struct.ts';
import { afterBaseOut, afterQuoteOut } from '../../../domain/launch/curve/math.ts';
import { SUCCESSOR_AUTHORITY, SUCCESSOR_PROGRAM } from '../../../domain/launch/curve/program.ts';
import { type CurveDirection, type CurveSwap, swapIn, swapOut } from '../../../domain/launch/curve/curve-swap.ts';
import { accumulatorAt, amountBeforeFee, binsBetween } from '../../../domain/launch/fees.ts';
import {
  readSuccessorPool,
  type SuccessorPoolAccount,
  successorBytes,
  successorFee,
  successorShape,
} from '../../../domain/launch/successor-pool.ts';
import { at, expectAddress, FRAMEWORK, type MintAt, mintAt, ownedBy, signed, tokensAt } from './curve-accounts.ts';
import { type ModelContext, ProgramFailure } from './modelled-machine.ts';
import { transferTokens } from './native-instructions.ts';

const E = { overflow: 6000, slippage: 6002, zero: 6006, priceRange: 6015, input: 6018 } as const;

/** Executes a swap. The quote is token B of the pool. */
export function swapInSuccessor(context: ModelContext): void {
  const trader = signed(context, 8);
  const poolKey = at(context, 1).address;
  const pool = readSuccessorPool(ownedBy(context, poolKey, [SUCCESSOR_PROGRAM], FRAMEWORK.ownedByOther));
  if (pool === null) throw new ProgramFailure(FRAMEWORK.discriminator);
  expectAddress(context, 0, SUCCESSOR_AUTHORITY, FRAMEWORK.address);
  const input = tokensAt(context, 2, null);
  const [base, quote] = [mintAt(context, 6), mintAt(context, 7)];
  expectAddress(context, 4, pool.tokenAVault, FRAMEWORK.hasOne);
  expectAddress(context, 5, pool.tokenBVault, FRAMEWORK.hasOne);
  const direction: CurveDirection = input.mint === base.address ? 'sell' : 'buy';
  tokensAt(context, 3, direction === 'buy' ? base.address : quote.address);
  const [amount, bound, mode] = [readUint(context.data, 8, 8), readUint(context.data, 16, 8), context.data[24] ?? 0];
  if (mode > 2) throw new ProgramFailure(E.input);
  if (amount === 0n) throw new ProgramFailure(E.zero);
  const { numerator, tracker, dynamic } = successorFee(pool, context.unixSeconds);
  const done = swapped(pool, direction, { amount, bound, mode }, numerator);
  const moved = dynamic === null ? tracker : accumulatorAt(tracker, dynamic, done.nextSqrtPrice);
  const crossed = dynamic !== null && binsBetween(pool.sqrtPrice, done.nextSqrtPrice, dynamic.binStepU128) > 0n;
  context.write(
    poolKey,
    successorBytes({
      ...poolAfter(pool, direction, done),
      lastUpdateAt: crossed ? context.unixSeconds : moved.lastUpdateAt,
      sqrtPriceReference: moved.sqrtPriceReference,
      volatilityAccumulator: moved.accumulator,
      volatilityReference: moved.reference,
    }),
  );
  const [from, to] = direction === 'buy' ? [quote, base] : [base, quote];
  const [inVault, outVault] = direction === 'buy' ? [pool.tokenBVault, pool.tokenAVault] : [pool.tokenAVault, pool.tokenBVault];
  move(context, from, at(context, 2).address, inVault, trader, done.amountIn);
  move(context, to, outVault, at(context, 3).address, SUCCESSOR_AUTHORITY, done.amountOut);
}

function swapped(
  pool: SuccessorPoolAccount,
  direction: CurveDirection,
  { amount, bound, mode }: { readonly amount: bigint; readonly bound: bigint; readonly mode: number },
  numerator: bigint,
): CurveSwap {
  const fee = { numerator, hasReferral: false };
  const shape = successorShape(pool);
  if (mode === 2) {
    const done = swapOut(shape, pool.sqrtPrice, direction, amount, fee);
    if (typeof done === 'string') throw new ProgramFailure(beyond(pool, direction, amount, numerator));
    if (done.amountIn > bound) throw new ProgramFailure(E.slippage);
    return done;
  }
  const done = swapIn(shape, pool.sqrtPrice, direction, amount, fee);
  if (mode === 0 && done.left > 0n) throw new ProgramFailure(E.priceRange);
  if (done.amountOut < bound) throw new ProgramFailure(E.slippage);
  return done;
}

/** Returns why the pool cannot pay this much: the price would vanish or leave the pool's range. */
function beyond(pool: SuccessorPoolAccount, direction: CurveDirection, wanted: bigint, numerator: bigint): number {
  const feeOnInput = direction === 'buy' && successorShape(pool).collectFeeIn === 'quote';
  const gross = feeOnInput ? wanted : amountBeforeFee(wanted, numerator);
  const next = direction === 'buy' ? afterBaseOut : afterQuoteOut;
  return next(pool.sqrtPrice, pool.liquidity, gross) === null ? E.overflow : E.priceRange;
}

/** Returns the fees earned per unit of liquidity: 128 fractional bits in 256 bits. */
function earned(stored: Uint8Array, fee: bigint, liquidity: bigint): Uint8Array {
  const bytes = new Uint8Array(32);
  writeUint(readUint(stored, 0, 32) + (fee << 128n) / liquidity, bytes, 0, 32);
  return bytes;
}

function poolAfter(pool: SuccessorPoolAccount, direction: CurveDirection, done: CurveSwap): SuccessorPoolAccount {
  const { trading, protocol, referral } = done.fee;
  const feeOnOutput = done.feeIn === (direction === 'buy' ? 'base' : 'quote');
  const out = feeOnOutput ? done.amountOut + trading + protocol + referral : done.amountOut;
  const isBuy = direction === 'buy';
  const amounts = {
    sqrtPrice: done.nextSqrtPrice,
    tokenAAmount: isBuy ? pool.tokenAAmount - out : pool.tokenAAmount + done.movingIn,
    tokenBAmount: isBuy ? pool.tokenBAmount + done.movingIn : pool.tokenBAmount - out,
  };
  if (done.feeIn === 'base')
    return {
      ...pool,
      ...amounts,
      protocolAFee: pool.protocolAFee + protocol,
      feeAPerLiquidity: earned(pool.feeAPerLiquidity, trading, pool.liquidity),
      totalLpAFee: pool.totalLpAFee + trading,
      totalProtocolAFee: pool.totalProtocolAFee + protocol,
    };
  return {
    ...pool,
    ...amounts,
    protocolBFee: pool.protocolBFee + protocol,
    feeBPerLiquidity: earned(pool.feeBPerLiquidity, trading, pool.liquidity),
    totalLpBFee: pool.totalLpBFee + trading,
    totalProtocolBFee: pool.totalProtocolBFee + protocol,
  };
}

function move(context: ModelContext, mint: MintAt, from: string, to: string, authority: string, amount: bigint): void {
  const { program, address, mint: facts } = mint;
  context.invoke(transferTokens({ program, mint: address, decimals: facts.decimals, from, to, authority, amount }));
}
