/** Statistics of price series: known values of real ones, and the comparison with seeded ones. */
import { tradingDays } from '../../../src/domain/market/session.ts';
import { mean, sampleDeviation } from '../../../src/domain/values/statistics.ts';
import type { Market } from '../../../src/sandbox/market/market.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface SeriesFacts {
  readonly count: number;
  /** Autocorrelation of one return with the next. */
  readonly returns: number;
  /** Mean autocorrelation of absolute returns over lags 1 to 10. */
  readonly sizes: number;
  /** Excess over that of a normal distribution. */
  readonly excessKurtosis: number;
  /** Size of the largest return. */
  readonly largest: number;
}

export function logReturns(prices: readonly number[]): number[] {
  return prices.slice(1).map((price, n) => Math.log(price / (prices[n] as number)));
}

function autocorrelation(values: readonly number[], lag: number): number {
  const middle = mean(values);
  let together = 0;
  let alone = 0;
  for (const [n, value] of values.entries()) {
    alone += (value - middle) ** 2;
    if (n >= lag) together += (value - middle) * ((values[n - lag] as number) - middle);
  }
  return together / alone;
}

function correlation(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [mean(one), mean(other)];
  const together = mean(one.map((value, n) => (value - a) * ((other[n] as number) - b)));
  return together / (sampleDeviation(one) * sampleDeviation(other));
}

export function seriesFacts(returns: readonly number[]): SeriesFacts {
  const sizes = returns.map(Math.abs);
  const middle = mean(returns);
  const variance = mean(returns.map((value) => (value - middle) ** 2));
  return {
    count: returns.length,
    returns: autocorrelation(returns, 1),
    sizes: mean(Array.from({ length: 10 }, (_, n) => autocorrelation(sizes, n + 1))),
    excessKurtosis: mean(returns.map((value) => (value - middle) ** 4)) / variance ** 2 - 3,
    largest: Math.max(...sizes),
  };
}

/** Returns the half-life of a deviation in steps, by the autocorrelation at `lag`. */
function halfLife(values: readonly number[], lag: number): number {
  return (lag * Math.log(0.5)) / Math.log(Math.max(autocorrelation(values, lag), 1e-9));
}

/** Returns prices of an asset at a fixed interval. */
function valuesOf(market: Market, symbol: string, from: number, to: number, everyMs: number): number[] {
  const prices: number[] = [];
  for (let at = from; at < to; at += everyMs) prices.push(market.value(symbol, at));
  return prices;
}

/** Returns the closes of a share's regular sessions. */
function sessionCloses(market: Market, symbol: string, from: number, to: number): number[] {
  return tradingDays(from, to).map(({ postMarketAt }) => market.value(symbol, postMarketAt));
}

/** Returns a token's hourly premium over the asset's value. */
function premiumsOf(market: Market, symbol: string, from: number, to: number): number[] {
  const premiums: number[] = [];
  for (let at = from; at < to; at += HOUR) premiums.push(market.token(symbol, at).price / market.value(symbol, at) - 1);
  return premiums;
}

interface MarketFacts {
  readonly shareDays: SeriesFacts;
  readonly indexDays: SeriesFacts;
  readonly coinDays: SeriesFacts;
  readonly coinHours: SeriesFacts;
  readonly tokenHours: SeriesFacts;
  /** Mean correlation of the daily returns of pairs of shares. */
  readonly shareCorrelation: number;
  /** Deviation of the premium in percent, its half-life in days, and the longest stretch of days below -2 %. */
  readonly premiumPct: number;
  readonly premiumHalfLifeDays: number;
  readonly longestDiscountDays: number;
  /** Half spread of a pool and of the exchange's book, calm (tenth percentile) and stressed (ninety-fifth), in basis points. */
  readonly poolBps: readonly [calm: number, stressed: number];
  readonly bookBps: readonly [calm: number, stressed: number];
  /** Ninety-fifth percentile of a pool's liquidity divided by the fifth. */
  readonly depthRatio: number;
  /** Share of hours with negative funding, and its autocorrelation from day to day. */
  readonly fundingNegative: number;
  readonly fundingDays: number;
}

const SHARES = ['AAPL', 'MSFT', 'NVDA', 'TSLA', 'GOOGL'] as const;

export function marketFacts(market: Market, from: number, to: number): MarketFacts {
  const days = SHARES.map((symbol) => logReturns(sessionCloses(market, symbol, from, to)));
  const pairs = days.flatMap((one, n) => days.slice(n + 1).map((other) => correlation(one, other)));
  const recent = Math.max(from, to - 730 * DAY);
  const premiums = premiumsOf(market, 'AAPL', recent, to);
  const hours = Array.from({ length: Math.floor((to - recent) / HOUR) }, (_, n) => recent + n * HOUR);
  const funding = hours.map((at) => market.perp('BTC', at).hourlyFunding);
  const halfSpreads = (face: 'token' | 'spot', symbol: string): readonly [number, number] => {
    const sorted = hours.map((at) => market.halfSpread(face, symbol, at) * 1e4).sort((a, b) => a - b);
    return [quantile(sorted, 0.1), quantile(sorted, 0.95)];
  };
  const depths = hours.map((at) => market.token('AAPL', at).liquidityUsd).sort((a, b) => a - b);
  return {
    shareDays: seriesFacts(days[0] as number[]),
    indexDays: seriesFacts(logReturns(sessionCloses(market, 'SPY', from, to))),
    coinDays: seriesFacts(logReturns(valuesOf(market, 'BTC', from, to, DAY))),
    coinHours: seriesFacts(logReturns(valuesOf(market, 'BTC', recent, to, HOUR))),
    tokenHours: seriesFacts(logReturns(hours.slice(0, 1_000).map((at) => market.token('TSLA', at).price))),
    shareCorrelation: mean(pairs),
    premiumPct: 100 * sampleDeviation(premiums),
    premiumHalfLifeDays: halfLife(premiums, 24) / 24,
    longestDiscountDays: longestBelow(premiums, -0.02),
    poolBps: halfSpreads('token', 'AAPL'),
    bookBps: halfSpreads('spot', 'BTC'),
    depthRatio: quantile(depths, 0.95) / quantile(depths, 0.05),
    fundingNegative: funding.filter((rate) => rate < 0).length / funding.length,
    fundingDays: autocorrelation(funding, 24),
  };
}

function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.floor(part * (sorted.length - 1))] as number;
}

/** Returns the days of the longest period whose daily means are below a bound. */
function longestBelow(premiums: readonly number[], bound: number): number {
  let longest = 0;
  let run = 0;
  for (let hour = 0; hour + 24 <= premiums.length; hour += 24) {
    run = mean(premiums.slice(hour, hour + 24)) < bound ? run + 1 : 0;
    longest = Math.max(longest, run);
  }
  return longest;
}
