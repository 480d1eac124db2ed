// Seeded market compared with recorded ones: its statistics are within bands around theirs, and rules earn as on a real desk.
import { expect, test } from 'vitest';
import { sharePrints } from '../../../src/sandbox/market/market-hours.ts';
import type { Market } from '../../../src/sandbox/market/market.ts';
import { createSeededMarket } from '../../../src/sandbox/market/seeded-market.ts';
import { mean, sampleDeviation } from '../../../src/domain/values/statistics.ts';
import { marketFacts } from './market-facts.ts';

const HOUR = 3_600_000;
const TO = Date.UTC(2026, 10, 20);
const YEAR = 365 * 24 * HOUR;
const FROM = TO - 5 * YEAR;
/** Start of the period in which rules trade. */
const TRADED_FROM = TO - 3 * YEAR;

/** Hours of a share and its token, and in which of them the share prints. */
interface Hours {
  readonly prices: Float64Array;
  readonly premiums: Float64Array;
  readonly prints: readonly boolean[];
  /** Cost of a trade of $500, one way. */
  readonly cost: number;
}

function hoursOf(market: Market, symbol: string): Hours {
  const times = Array.from({ length: (TO - TRADED_FROM) / HOUR }, (_, n) => TRADED_FROM + n * HOUR);
  const prices = Float64Array.from(times, (at) => market.token(symbol, at).price);
  return {
    prices,
    premiums: Float64Array.from(times, (at, n) => (prices[n] as number) / market.value(symbol, at) - 1),
    prints: times.map((at) => sharePrints(at / 60_000)),
    cost: market.halfSpread('token', symbol, TRADED_FROM) + 500 / (market.token(symbol, TRADED_FROM).liquidityUsd / 2) + 0.0005,
  };
}

/** Buys below one premium, sells above another or at a loss or a gain. Returns the Sharpe ratio by day and the share of winning trades. */
function traded(all: readonly Hours[], rule: { readonly below: number; readonly above: number }) {
  const days = new Float64Array(Math.ceil((TO - TRADED_FROM) / (24 * HOUR)));
  const results: number[] = [];
  for (const { prices, premiums, prints, cost } of all) {
    let entry = 0;
    for (let n = 1; n < prices.length; n++) {
      const [price, premium] = [prices[n] as number, premiums[n] as number];
      const day = Math.floor(n / 24);
      if (entry === 0) {
        if (!prints[n] || premium >= rule.below) continue;
        entry = price;
        days[day] = (days[day] as number) - cost;
        continue;
      }
      days[day] = (days[day] as number) + (price - (prices[n - 1] as number)) / entry;
      const gain = price / entry - 1;
      if (!(prints[n] && premium > rule.above) && gain > -0.04 && gain < 0.06) continue;
      results.push(gain - 2 * cost);
      days[day] = (days[day] as number) - cost;
      entry = 0;
    }
  }
  return {
    sharpe: (mean(days) / sampleDeviation(days)) * Math.sqrt(365),
    hitRate: results.filter((result) => result > 0).length / results.length,
    trades: results.length,
  };
}

test.each([1, 2, 3])('has the statistics of recorded markets (seed %i)', (seed) => {
  const facts = marketFacts(createSeededMarket({ seed }), FROM, TO);
  // Returns do not predict the next; their sizes do, for many days, and tails are fat.
  for (const series of [facts.shareDays, facts.indexDays, facts.coinDays, facts.coinHours]) {
    expect(Math.abs(series.returns)).toBeLessThan(0.15);
    expect(series.sizes).toBeGreaterThan(0.03);
    expect(series.sizes).toBeLessThan(0.35);
    expect(series.excessKurtosis).toBeGreaterThan(1);
    expect(series.excessKurtosis).toBeLessThan(40);
  }
  // No news of one hour moves Bitcoin by a tenth.
  expect(facts.coinHours.largest).toBeLessThan(0.1);
  expect(facts.shareCorrelation).toBeGreaterThan(0.25);
  expect(facts.shareCorrelation).toBeLessThan(0.55);
  // Discounts take days to halve, sometimes weeks.
  expect(facts.premiumPct).toBeGreaterThan(1.2);
  expect(facts.premiumPct).toBeLessThan(2.2);
  expect(facts.premiumHalfLifeDays).toBeGreaterThan(1);
  expect(facts.premiumHalfLifeDays).toBeLessThan(3);
  expect(facts.longestDiscountDays).toBeGreaterThan(3);
  // Trading costs vary with volatility.
  expect(facts.poolBps[1]).toBeGreaterThan(1.25 * facts.poolBps[0]);
  expect(facts.bookBps[1]).toBeGreaterThan(1.5 * facts.bookBps[0]);
  expect(facts.depthRatio).toBeGreaterThan(1.5);
  expect(facts.fundingNegative).toBeGreaterThan(0.04);
  expect(facts.fundingNegative).toBeLessThan(0.25);
  expect(facts.fundingDays).toBeGreaterThan(0.15);
});

test.each([1, 2, 3])('rewards patience with deep discounts, and no rule that trades at any price (seed %i)', (seed) => {
  const market = createSeededMarket({ seed });
  const all = ['AAPL', 'GOOGL', 'MSFT'].map((symbol) => hoursOf(market, symbol));
  const patient = traded(all, { below: -0.012, above: 0.006 });
  expect(patient.sharpe).toBeGreaterThan(0.8);
  expect(patient.sharpe).toBeLessThan(3.5);
  expect(patient.hitRate).toBeGreaterThan(0.5);
  expect(patient.hitRate).toBeLessThan(0.75);
  expect(patient.trades).toBeGreaterThan(150);
  expect(traded(all, { below: 0, above: 0.002 }).sharpe).toBeLessThan(1);
  const held = all.map(({ prices }) => (prices.at(-1) as number) / (prices[0] as number));
  expect(Math.max(...held)).toBeLessThan(5);
});
