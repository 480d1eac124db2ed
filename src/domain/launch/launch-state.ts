/** States of a launch, facts of its curve, and the meaning of the programs' errors. */
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import type { EpochMs } from '../values/time.ts';

export const CURVE_LAUNCH_STATES = [
  'prepared',
  'submitted',
  'confirmed',
  'trading',
  'graduating',
  'graduated',
  'expired',
  'failed',
] as const;
export type CurveLaunchState = (typeof CURVE_LAUNCH_STATES)[number];

/** State of a curve on the chain. Plain JSON. Amounts in raw units as text. */
export type CurveState = {
  readonly slot: number;
  readonly at: EpochMs;
  readonly quoteReserve: DecimalString;
  readonly baseReserve: DecimalString;
  readonly sqrtPrice: DecimalString;
  readonly migrationQuoteThreshold: DecimalString;
  readonly creatorQuoteFee: DecimalString;
  readonly creatorBaseFee: DecimalString;
  readonly partnerQuoteFee: DecimalString;
  readonly partnerBaseFee: DecimalString;
  readonly totalTradingQuoteFee: DecimalString;
  readonly totalTradingBaseFee: DecimalString;
  readonly migrationProgress: number;
  readonly isMigrated: boolean;
  /** US dollar price of one whole quote token at the first read, or null without a live price. Missing in older versions. */
  readonly startQuoteUsd?: DecimalString | null;
};

/** Returns since a launch, in percent. */
export interface LaunchReturns {
  /** Return of the token, in dollars. */
  readonly tokenPct: DecimalString;
  /** Return of the quote token in dollars, or of the paired stock if the token is quoted in one. */
  readonly quotePct: DecimalString;
  /** Return of the token measured in the quote token. */
  readonly relativePct: DecimalString;
}

/**
 * Splits the token's return into its own and that of its quote token. `priceRatio` is the price in quote tokens over the one at the start.
 */
export function launchReturns(priceRatio: string | Decimal, startQuoteUsd: DecimalString, quoteUsd: DecimalString): LaunchReturns {
  const own = new Decimal(priceRatio);
  const quote = new Decimal(quoteUsd).div(startQuoteUsd);
  const percent = (ratio: Decimal): DecimalString => plainDecimal(ratio.minus(1).times(100).toDecimalPlaces(6));
  return { tokenPct: percent(own.times(quote)), quotePct: percent(quote), relativePct: percent(own) };
}

/**
 * Returns the claimed trading fees of a party in raw units: its share of all fees minus the unclaimed part. Each trade rounds the creator's
 * share down, so this may be one raw unit per trade too high.
 */
export function claimedFee(totalTradingFee: DecimalString, sharePct: number, waiting: DecimalString): bigint {
  const claimed = (BigInt(totalTradingFee) * BigInt(sharePct)) / 100n - BigInt(waiting);
  return claimed > 0n ? claimed : 0n;
}

const WORDS: Readonly<Record<number, string>> = {
  0: 'an account that the launch creates already exists',
  1: 'the wallet cannot pay the amount or the rent',
  6002: 'the first buy would receive less than its minimum',
  6003: 'a fee is outside the range of the program',
  6008: 'the program does not accept this quote mint',
  6013: 'the curve is complete',
  6019: 'the program refuses the graduation threshold',
  6020: 'the supply does not cover the curve',
  6021: 'the program refuses the curve',
  6028: 'a quote in the native coin needs its mint of the first token program',
  6031: 'the program refuses the vesting',
  6033: 'the first buy is larger than the curve',
  6035: "the creator's fee share is out of range",
  6055: 'too little of the liquidity is locked',
  6080: 'the quote mint has no token badge',
  6081: 'the quote mint charges a fee on every transfer',
};

/** Explains a chain's error. `{"InstructionError":[2,{"Custom":6081}]}` contains the program's own code. */
export function launchErrorWords(error: string): string {
  const custom = /"Custom":\s*(\d+)/.exec(error)?.[1];
  // A wallet that was never funded has no account.
  if (/AccountNotFound|InsufficientFundsForFee/.test(error)) return `the signing wallet has no SOL for the network fee (${error})`;
  const words = custom === undefined ? undefined : WORDS[Number(custom)];
  return words === undefined ? error : `${words} (program error ${custom})`;
}

/** Returns in one sentence why a token cannot have these names, or null if it can. */
export function namesProblem({
  name,
  symbol,
  uri,
}: {
  readonly name: string;
  readonly symbol: string;
  readonly uri: string;
}): string | null {
  const bytes = (text: string): number => new TextEncoder().encode(text).length;
  if (name.trim() === '' || bytes(name) > 32) return '$.name: it must have 1 to 32 bytes';
  if (!/^[A-Za-z0-9]{1,10}$/.test(symbol)) return '$.symbol: it must have 1 to 10 letters and digits';
  if (bytes(uri) > 200 || !/^https:\/\/[^\s]+$/.test(uri)) return '$.uri: it must be an https address of at most 200 bytes';
  return null;
}
