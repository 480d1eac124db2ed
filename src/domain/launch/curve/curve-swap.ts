/** Swaps on a bonding curve, exact to the raw unit: output, input, and the price afterwards. */
import { afterBaseIn, afterBaseOut, afterQuoteIn, afterQuoteOut, type CurvePoint, deltaBase, deltaQuote } from './math.ts';
import { amountBeforeFee, type FeeParts, feeWithin, splitFee } from '../fees.ts';

/** `buy` pays quote for base. */
export type CurveDirection = 'buy' | 'sell';

/** Curve parameters of a swap. */
export interface CurveShape {
  readonly sqrtStartPrice: bigint;
  /** Price that no buy exceeds. */
  readonly migrationSqrtPrice: bigint;
  readonly curve: readonly CurvePoint[];
  /** `output` takes the fee of a buy in base. Otherwise every fee is in quote. */
  readonly collectFeeIn: 'quote' | 'output';
}

export interface CurveSwap {
  /** Input amount including the fee. */
  readonly amountIn: bigint;
  /** Part of it that moves the price. */
  readonly movingIn: bigint;
  /** Output amount after the fee. */
  readonly amountOut: bigint;
  /** Rest of the input that the curve could not take. */
  readonly left: bigint;
  readonly nextSqrtPrice: bigint;
  readonly fee: FeeParts;
  /** Token of the fee. */
  readonly feeIn: 'base' | 'quote';
}

interface Walk {
  readonly amount: bigint;
  readonly next: bigint;
  readonly left: bigint;
}

/** Fee numerators, for an amount that includes the fee. A curve's fee does not depend on the amount. */
interface SwapFee {
  readonly numerator: bigint;
  readonly hasReferral: boolean;
}

/** True if the fee is taken from the input. */
function feeOnInput({ collectFeeIn }: Pick<CurveShape, 'collectFeeIn'>, direction: CurveDirection): boolean {
  return collectFeeIn === 'quote' && direction === 'buy';
}

function feeToken({ collectFeeIn }: Pick<CurveShape, 'collectFeeIn'>, direction: CurveDirection): 'base' | 'quote' {
  return collectFeeIn === 'output' && direction === 'buy' ? 'base' : 'quote';
}

const NO_FEE: FeeParts = { trading: 0n, protocol: 0n, referral: 0n };

/**
 * Computes the output of an input. `left` is positive if the curve's end is reached first. An all-or-nothing caller then refuses. A
 * partial-fill caller accepts.
 */
export function swapIn(shape: CurveShape, at: bigint, direction: CurveDirection, offered: bigint, swapFee: SwapFee): CurveSwap {
  const onInput = feeOnInput(shape, direction);
  const wholeFee = onInput ? feeWithin(offered, swapFee.numerator) : 0n;
  let moving = offered - wholeFee;
  const walk = direction === 'buy' ? buyIn(shape, at, moving) : sellIn(shape, at, moving);
  let amountIn = offered;
  let fee = onInput ? splitFee(wholeFee, swapFee.hasReferral) : NO_FEE;
  if (walk.left > 0n) {
    moving -= walk.left;
    amountIn = onInput ? amountBeforeFee(moving, swapFee.numerator) : moving;
    if (onInput) fee = splitFee(amountIn - moving, swapFee.hasReferral);
  }
  let amountOut = walk.amount;
  if (!onInput) {
    const outFee = feeWithin(walk.amount, swapFee.numerator);
    amountOut -= outFee;
    fee = splitFee(outFee, swapFee.hasReferral);
  }
  return { amountIn, movingIn: moving, amountOut, left: walk.left, nextSqrtPrice: walk.next, fee, feeIn: feeToken(shape, direction) };
}

/** Reasons why a curve cannot give this much: it holds less in total, or one of its ends (start or graduation) is reached first. */
type CurveLimit = 'not_enough' | 'past_the_end';

/** Computes the input of an output, or why the output is not possible. */
export function swapOut(
  shape: CurveShape,
  at: bigint,
  direction: CurveDirection,
  wanted: bigint,
  swapFee: SwapFee,
): CurveSwap | CurveLimit {
  const onInput = feeOnInput(shape, direction);
  const gross = onInput ? wanted : amountBeforeFee(wanted, swapFee.numerator);
  const walk = direction === 'buy' ? buyOut(shape, at, gross) : sellOut(shape, at, gross);
  if (typeof walk === 'string') return walk;
  const amountIn = onInput ? amountBeforeFee(walk.amount, swapFee.numerator) : walk.amount;
  const fee = splitFee(onInput ? amountIn - walk.amount : gross - wanted, swapFee.hasReferral);
  return { amountIn, movingIn: walk.amount, amountOut: wanted, left: 0n, nextSqrtPrice: walk.next, fee, feeIn: feeToken(shape, direction) };
}

function buyIn({ curve, migrationSqrtPrice }: CurveShape, from: bigint, given: bigint): Walk {
  let at = from;
  let left = given;
  let amount = 0n;
  for (const { sqrtPrice, liquidity } of curve) {
    if (left === 0n || at === migrationSqrtPrice) break;
    const end = sqrtPrice < migrationSqrtPrice ? sqrtPrice : migrationSqrtPrice;
    if (end <= at) continue;
    const most = deltaQuote(at, end, liquidity, 'up');
    const whole = left >= most;
    const next = whole ? end : afterQuoteIn(at, liquidity, left);
    amount += deltaBase(at, next, liquidity, 'down');
    left = whole ? left - most : 0n;
    at = next;
  }
  return { amount, next: at, left };
}

function sellIn({ curve, sqrtStartPrice }: CurveShape, from: bigint, given: bigint): Walk {
  let at = from;
  let left = given;
  let amount = 0n;
  for (let index = curve.length - 1; index >= 0 && left > 0n; index--) {
    const lower = index === 0 ? sqrtStartPrice : (curve[index - 1] as CurvePoint).sqrtPrice;
    if (index > 0 && lower >= at) continue;
    const { liquidity } = curve[index] as CurvePoint;
    const most = deltaBase(lower, at, liquidity, 'up');
    const whole = index > 0 ? left >= most : afterBaseIn(at, liquidity, left) < lower;
    const next = whole ? lower : afterBaseIn(at, liquidity, left);
    amount += deltaQuote(next, at, liquidity, 'down');
    left = whole ? left - most : 0n;
    at = next;
  }
  return { amount, next: at, left };
}

function buyOut({ curve, migrationSqrtPrice }: CurveShape, from: bigint, wanted: bigint): Walk | CurveLimit {
  let at = from;
  let left = wanted;
  let amount = 0n;
  for (const { sqrtPrice, liquidity } of curve) {
    if (left === 0n) break;
    if (sqrtPrice <= at) continue;
    const most = deltaBase(at, sqrtPrice, liquidity, 'down');
    const next = left < most ? afterBaseOut(at, liquidity, left) : sqrtPrice;
    if (next === null) return 'not_enough';
    amount += deltaQuote(at, next, liquidity, 'up');
    left = left < most ? 0n : left - most;
    at = next;
  }
  if (left > 0n) return 'not_enough';
  return at > migrationSqrtPrice ? 'past_the_end' : { amount, next: at, left };
}

function sellOut({ curve, sqrtStartPrice }: CurveShape, from: bigint, wanted: bigint): Walk | CurveLimit {
  let at = from;
  let left = wanted;
  let amount = 0n;
  for (let index = curve.length - 1; index >= 0 && left > 0n; index--) {
    const lower = index === 0 ? sqrtStartPrice : (curve[index - 1] as CurvePoint).sqrtPrice;
    if (index > 0 && lower >= at) continue;
    const { liquidity } = curve[index] as CurvePoint;
    const most = deltaQuote(lower, at, liquidity, 'down');
    const whole = index > 0 && left >= most;
    const next = whole ? lower : afterQuoteOut(at, liquidity, left);
    if (next === null || next < sqrtStartPrice) return 'past_the_end';
    amount += deltaBase(next, at, liquidity, 'up');
    left = whole ? left - most : 0n;
    at = next;
  }
  return left > 0n ? 'past_the_end' : { amount, next: at, left };
}
