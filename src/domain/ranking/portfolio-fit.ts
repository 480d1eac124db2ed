/** Fit of a pre-IPO token for a portfolio: discount and liquidity raise it, concentration of its sector and name lower it. */
import { Decimal, type DecimalString } from '../values/decimal.ts';
import { type ScoreTerm, term } from './ranked-row.ts';

/** Portfolio as the fit reads it. Weights in percent of its value. */
export interface FitPortfolio {
  readonly valueUsd: DecimalString;
  readonly sectorWeights: ReadonlyMap<string, DecimalString>;
  readonly underlyingWeights: ReadonlyMap<string, DecimalString>;
}

/** Allocation that is tried, in percent of the portfolio. */
const FIT_ALLOCATION_PCT = 5;
/** Percentage of the portfolio above which a sector is over-concentrated. */
const FIT_SECTOR_LIMIT_PCT = 25;
/** Percentage of the portfolio above which a name is over-concentrated. */
const FIT_NAME_LIMIT_PCT = 10;

const FIT_WEIGHTS = { discount: 1, liquidity: 5, sector: -2, name: -3 } as const;

export const FIT_FORMULA =
  'discount to the issuer mark in percent (-50 to 50) + 5 x log10(pool liquidity / 5 % of the portfolio) (-10 to 10) - 2 x sector weight above 25 % - 3 x company weight above 10 %; both weights as after a purchase of 5 % of the portfolio';

/** Returns the part of a weight above a limit after the allocation, which shrinks the rest of the portfolio in proportion. */
function excess(weightPct: DecimalString | undefined, limitPct: number): Decimal {
  const scaled = new Decimal(weightPct ?? 0).times(100 - FIT_ALLOCATION_PCT).div(100);
  return Decimal.max(0, scaled.plus(FIT_ALLOCATION_PCT).minus(limitPct));
}

function clamp(value: Decimal, most: number): Decimal {
  return Decimal.max(-most, Decimal.min(most, value));
}

/** Returns the terms of the fit. `gapPct` is the gap to the mark, `liquidityUsd` both sides of the pools. */
export function fitTerms(
  token: { readonly gapPct: number; readonly liquidityUsd: DecimalString; readonly sector: string; readonly underlying: string },
  portfolio: FitPortfolio,
): ScoreTerm[] {
  const trade = new Decimal(portfolio.valueUsd).times(FIT_ALLOCATION_PCT).div(100);
  const ratio = new Decimal(token.liquidityUsd).div(trade);
  return [
    term('discount to mark in percent', clamp(new Decimal(token.gapPct).neg(), 50), FIT_WEIGHTS.discount),
    term('log10 of liquidity over the allocation', ratio.gt(0) ? clamp(ratio.log(10), 2) : new Decimal(-2), FIT_WEIGHTS.liquidity),
    term(
      'sector weight above the limit in percent',
      excess(portfolio.sectorWeights.get(token.sector), FIT_SECTOR_LIMIT_PCT),
      FIT_WEIGHTS.sector,
    ),
    term(
      'name weight above the limit in percent',
      excess(portfolio.underlyingWeights.get(token.underlying), FIT_NAME_LIMIT_PCT),
      FIT_WEIGHTS.name,
    ),
  ];
}
