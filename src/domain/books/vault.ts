/**
 * Arithmetic of an agent's vault: shares, share price, high-water mark and drawdown. Exact: a deposit or withdrawal never changes the share
 * price, and the depositors' shares plus the rounding account always equal the vault's equity.
 */

import type { Stage } from '../agents/agent.ts';
import { Decimal, type DecimalString, plainDecimal } from '../values/decimal.ts';
import { toExecutionMode } from '../orders/order.ts';

/** Decimals of shares and share prices: units of 10^-9. */
export const SHARE_DECIMALS = 9;
/** Decimals of the stablecoin. Deposits and payouts are whole numbers of its smallest unit. */
export const USD_DECIMALS = 6;
/** Price of one share in a vault without shares, in US dollars. */
const FIRST_SHARE_PRICE = '1';
/** Part of `max_capital_usd` that is allowed at `limited_live`. */
const LIMITED_LIVE_PART = '0.1';

/** Ownership of a vault at one moment. Decimal strings, money in US dollars. */
export interface VaultShares {
  readonly totalShares: DecimalString;
  /** Fractions of 10^-6 dollars that belong to no share. They stay in the vault. */
  readonly roundingUsd: DecimalString;
}

/** A vault's equity in shares. `sharePriceUsd` x `totalShares` + `remainderUsd` is the equity without the rounding account. */
interface ShareValue {
  readonly sharePriceUsd: DecimalString;
  readonly remainderUsd: DecimalString;
}

/** Result of a deposit or a withdrawal. */
export interface CapitalChange {
  /** Shares issued or taken back. */
  readonly shares: DecimalString;
  /** Dollars that the depositor pays or receives. */
  readonly amountUsd: DecimalString;
  readonly sharePriceUsd: DecimalString;
  readonly after: VaultShares;
}

/**
 * Returns the price of a share: equity without the rounding account over shares, rounded down to 10^-9 dollars. A vault without shares is
 * priced at 1.
 */
export function shareValue(shares: VaultShares, equityUsd: DecimalString): ShareValue {
  const owned = new Decimal(equityUsd).minus(shares.roundingUsd);
  const total = new Decimal(shares.totalShares);
  if (total.isZero()) return { sharePriceUsd: FIRST_SHARE_PRICE, remainderUsd: plainDecimal(owned) };
  const price = Decimal.max(0, owned.div(total)).toDecimalPlaces(SHARE_DECIMALS, Decimal.ROUND_DOWN);
  return { sharePriceUsd: plainDecimal(price), remainderUsd: plainDecimal(owned.minus(price.times(total))) };
}

/**
 * Issues shares for a deposit at the present price. The part of the amount that buys no whole 10^-9 of a share goes to the rounding
 * account, like the remainder that belonged to no share before, so that the price does not change. Returns null if the amount is too small
 * for any share, or a share is worth nothing.
 */
export function depositInto(shares: VaultShares, equityUsd: DecimalString, amountUsd: DecimalString): CapitalChange | null {
  const { sharePriceUsd, remainderUsd } = shareValue(shares, equityUsd);
  const price = new Decimal(sharePriceUsd);
  if (price.lte(0)) return null;
  const issued = new Decimal(amountUsd).div(price).toDecimalPlaces(SHARE_DECIMALS, Decimal.ROUND_DOWN);
  if (issued.lte(0)) return null;
  const unspent = new Decimal(amountUsd).minus(issued.times(price));
  return {
    shares: plainDecimal(issued),
    amountUsd,
    sharePriceUsd,
    after: {
      totalShares: plainDecimal(new Decimal(shares.totalShares).plus(issued)),
      roundingUsd: plainDecimal(new Decimal(shares.roundingUsd).plus(remainderUsd).plus(unspent)),
    },
  };
}

/**
 * Takes shares back at the present price. Pays whole units of the stablecoin. The rest goes to the rounding account. @throws RangeError for
 * more shares than exist.
 */
export function withdrawFrom(vault: VaultShares, equityUsd: DecimalString, shares: DecimalString): CapitalChange {
  const total = new Decimal(vault.totalShares);
  if (new Decimal(shares).gt(total)) throw new RangeError(`${shares} shares of ${vault.totalShares} cannot be redeemed`);
  const { sharePriceUsd, remainderUsd } = shareValue(vault, equityUsd);
  const worth = new Decimal(sharePriceUsd).times(shares);
  const paid = worth.toDecimalPlaces(USD_DECIMALS, Decimal.ROUND_DOWN);
  return {
    shares,
    amountUsd: plainDecimal(paid),
    sharePriceUsd,
    after: {
      totalShares: plainDecimal(total.minus(shares)),
      roundingUsd: plainDecimal(new Decimal(vault.roundingUsd).plus(remainderUsd).plus(worth.minus(paid))),
    },
  };
}

/**
 * Returns the fewest shares whose payout is at least an amount, which may be more than the vault has issued. Null if a share is worth
 * nothing.
 */
export function sharesFor(vault: VaultShares, equityUsd: DecimalString, amountUsd: DecimalString): DecimalString | null {
  const price = new Decimal(shareValue(vault, equityUsd).sharePriceUsd);
  if (price.lte(0)) return null;
  return plainDecimal(new Decimal(amountUsd).div(price).toDecimalPlaces(SHARE_DECIMALS, Decimal.ROUND_UP));
}

/** Returns the maximum capital of an agent at a stage: none on paper, a tenth of its mandate at `limited_live`, all of it at `live`. */
export function vaultCeilingUsd(stage: Stage, maxCapitalUsd: DecimalString): DecimalString {
  if (toExecutionMode(stage) === 'paper') return '0';
  return stage === 'limited_live' ? plainDecimal(new Decimal(maxCapitalUsd).times(LIMITED_LIVE_PART)) : plainDecimal(maxCapitalUsd);
}

/** Returns a share's drawdown from its high-water mark in percent, 0 at a new high. A ratio, hence a number. */
export function drawdownPct(sharePriceUsd: DecimalString, highWaterUsd: DecimalString): number {
  const high = new Decimal(highWaterUsd);
  if (high.lte(0)) return 0;
  return Math.max(0, high.minus(sharePriceUsd).div(high).times(100).toDecimalPlaces(6).toNumber());
}
