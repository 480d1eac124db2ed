/** The pool that follows a complete curve: its account, its swaps exact to the raw unit, and its swap instruction. */

import { TOKEN_PROGRAM } from '../solana/programs.ts';
import { byteStruct } from './byte-struct.ts';
import {
  type CurveSwapOrder,
  type PoolKeys,
  type ProgramInstruction,
  SUCCESSOR_AUTHORITY,
  SUCCESSOR_EVENT_AUTHORITY,
  SUCCESSOR_PROGRAM,
  swapParts,
  successorPoolAddress,
  successorVaultAddress,
} from './curve/program.ts';
import type { CurveShape } from './curve/curve-swap.ts';
import { type DynamicFee, referencesAt, totalFee, type VolatilityTracker } from './fees.ts';

const DISCRIMINATOR = Uint8Array.from(Buffer.from('f19a6d0411b16dbc', 'hex'));

export const SUCCESSOR_POOL = byteStruct([
  ['discriminator', 8],
  ['cliffFeeNumerator', 'u64'],
  ['baseFeeRest', 32],
  ['protocolFeePct', 'u8'],
  ['padding0', 'u8'],
  ['referralFeePct', 'u8'],
  ['padding1', 3],
  ['compoundingFeeBps', 'u16'],
  ['dynamicInitialized', 'u8'],
  ['padding2', 7],
  ['maxVolatilityAccumulator', 'u32'],
  ['variableFeeControl', 'u32'],
  ['binStep', 'u16'],
  ['filterPeriod', 'u16'],
  ['decayPeriod', 'u16'],
  ['reductionFactor', 'u16'],
  ['lastUpdateAt', 'u64'],
  ['binStepU128', 'u128'],
  ['sqrtPriceReference', 'u128'],
  ['volatilityAccumulator', 'u128'],
  ['volatilityReference', 'u128'],
  ['initSqrtPrice', 'u128'],
  ['tokenAMint', 'key'],
  ['tokenBMint', 'key'],
  ['tokenAVault', 'key'],
  ['tokenBVault', 'key'],
  ['whitelistedVault', 32],
  ['padding3', 32],
  ['liquidity', 'u128'],
  ['padding4', 'u128'],
  ['protocolAFee', 'u64'],
  ['protocolBFee', 'u64'],
  ['deadLiquidityCheckpoint', 'u64'],
  ['padding5', 8],
  ['sqrtMinPrice', 'u128'],
  ['sqrtMaxPrice', 'u128'],
  ['sqrtPrice', 'u128'],
  ['activationPoint', 'u64'],
  ['activationType', 'u8'],
  ['poolStatus', 'u8'],
  ['tokenAFlag', 'u8'],
  ['tokenBFlag', 'u8'],
  ['collectFeeMode', 'u8'],
  ['poolType', 'u8'],
  ['feeVersion', 'u8'],
  ['padding6', 'u8'],
  ['feeAPerLiquidity', 32],
  ['feeBPerLiquidity', 32],
  ['permanentLockLiquidity', 'u128'],
  ['totalLpAFee', 'u128'],
  ['totalLpBFee', 'u128'],
  ['totalProtocolAFee', 'u64'],
  ['totalProtocolBFee', 'u64'],
  ['padding9', 16],
  ['totalPosition', 'u64'],
  ['padding7', 'u64'],
  ['creator', 'key'],
  ['tokenAAmount', 'u64'],
  ['tokenBAmount', 'u64'],
  ['layoutVersion', 'u8'],
  ['padding8', 31],
  ['rewards', 384],
]);

export type SuccessorPoolAccount = ReturnType<typeof SUCCESSOR_POOL.read>;

/** Reads a successor pool, or returns null if the bytes are not one. */
export function readSuccessorPool(bytes: Uint8Array): SuccessorPoolAccount | null {
  return bytes.length === SUCCESSOR_POOL.size && DISCRIMINATOR.every((byte, at) => bytes[at] === byte) ? SUCCESSOR_POOL.read(bytes) : null;
}

/** Encodes the pool's account. */
export function successorBytes(pool: Partial<SuccessorPoolAccount>): Uint8Array {
  return SUCCESSOR_POOL.encode({ ...pool, discriminator: DISCRIMINATOR });
}

/** Fee mode with fees in quote only. Otherwise they are taken from the output. */
const ONLY_QUOTE = 1;

/** Returns the pool as a curve of one segment over all of its prices. */
export function successorShape(pool: SuccessorPoolAccount): CurveShape {
  return {
    sqrtStartPrice: pool.sqrtMinPrice,
    migrationSqrtPrice: pool.sqrtMaxPrice,
    curve: [{ sqrtPrice: pool.sqrtMaxPrice, liquidity: pool.liquidity }],
    collectFeeIn: pool.collectFeeMode === ONLY_QUOTE ? 'quote' : 'output',
  };
}

/** Returns the volatility fee of the pool, or null. */
function successorDynamicFee(pool: SuccessorPoolAccount): DynamicFee | null {
  if (pool.dynamicInitialized === 0) return null;
  const { binStep, binStepU128, filterPeriod, decayPeriod, reductionFactor, maxVolatilityAccumulator, variableFeeControl } = pool;
  return { binStep, binStepU128, filterPeriod, decayPeriod, reductionFactor, maxVolatilityAccumulator, variableFeeControl };
}

/** Returns the tracker at the start of a swap, and the numerator of its fee. `now` in seconds. */
export function successorFee(
  pool: SuccessorPoolAccount,
  now: bigint,
): { readonly numerator: bigint; readonly tracker: VolatilityTracker; readonly dynamic: DynamicFee | null } {
  const dynamic = successorDynamicFee(pool);
  const stored: VolatilityTracker = {
    lastUpdateAt: pool.lastUpdateAt,
    sqrtPriceReference: pool.sqrtPriceReference,
    accumulator: pool.volatilityAccumulator,
    reference: pool.volatilityReference,
  };
  const tracker = dynamic === null ? stored : referencesAt(stored, dynamic, pool.sqrtPrice, now);
  return { numerator: totalFee(pool.cliffFeeNumerator, dynamic, tracker.accumulator), tracker, dynamic };
}

/** Returns the instruction of a swap in the successor pool. */
export function successorSwapInstruction({ baseMint, quoteMint, quoteProgram }: PoolKeys, order: CurveSwapOrder): ProgramInstruction {
  const pool = successorPoolAddress(baseMint, quoteMint);
  const { input, output, data } = swapParts(order);
  return {
    program: SUCCESSOR_PROGRAM,
    accounts: [
      { address: SUCCESSOR_AUTHORITY },
      { address: pool, writable: true },
      { address: input, writable: true },
      { address: output, writable: true },
      { address: successorVaultAddress(baseMint, pool), writable: true },
      { address: successorVaultAddress(quoteMint, pool), writable: true },
      { address: baseMint },
      { address: quoteMint },
      { address: order.trader, signer: true },
      { address: TOKEN_PROGRAM },
      { address: quoteProgram },
      // Without a referrer the program's own address is passed.
      { address: SUCCESSOR_PROGRAM },
      { address: SUCCESSOR_EVENT_AUTHORITY },
      { address: SUCCESSOR_PROGRAM },
    ],
    data,
  };
}
