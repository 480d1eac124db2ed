/** Indicators compared with worked spreadsheets, another library and alternative formulas. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { EMA as PeerEma, RSI as PeerRsi, SMA as PeerSma } from 'trading-signals';
import { describe, expect, test } from 'vitest';
import { EMA, FUNDING_PERCENTILE, type Indicator, findIndicator, RSI, VOLATILITY } from '../../src/domain/indicators/index.ts';

const closes = fc.array(fc.double({ min: 0.01, max: 100_000, noNaN: true }), { minLength: 5, maxLength: 120 });

function run<State>(indicator: Indicator<State>, period: number, inputs: readonly number[], timeframe = '1h'): (number | null)[] {
  const state = indicator.create(period, timeframe);
  return inputs.map((input) => indicator.push(state, input));
}

/** Returns a seeded random walk of prices (mulberry32). */
function walk(seed: number, length: number): number[] {
  let state = seed;
  let price = 100;
  return Array.from({ length }, () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    price *= 1 + (((t ^ (t >>> 14)) >>> 0) / 4_294_967_296 - 0.5) / 25;
    return price;
  });
}

describe('RSI', () => {
  test('a vector worked by hand: period 3 over 10, 11, 10, 12, 12, 9', () => {
    // Changes +1 -1 +2: gain 3/3 = 1, loss 1/3. Then +0: 2/3, 2/9. Then -3: 4/9, (4/9 + 3)/3 = 31/27.
    const values = run(RSI, 3, [10, 11, 10, 12, 12, 9]);
    expect(values.slice(0, 3)).toEqual([null, null, null]);
    expect(values[3]).toBeCloseTo(75, 10);
    expect(values[4]).toBeCloseTo(75, 10);
    expect(values[5]).toBeCloseTo(100 - 100 / (1 + 4 / 9 / (31 / 27)), 10);
  });

  test('the StockCharts worked example, to the two decimals it prints', () => {
    const rows = readFileSync(new URL('../fixtures/indicators/stockcharts-rsi.csv', import.meta.url), 'utf8')
      .trim()
      .split('\n')
      .slice(3);
    const columns = rows.map((row) => row.split(',') as [string, string, string]);
    const values = run(
      RSI,
      14,
      columns.map(([, close]) => Number(close)),
    );
    expect(columns.filter(([, , rsi]) => rsi !== '')).toHaveLength(19);
    columns.forEach(([, , rsi], index) => {
      if (rsi === '') expect(values[index]).toBeNull();
      else expect((values[index] as number).toFixed(2)).toBe(rsi);
    });
  });

  test('agrees with trading-signals on every bar', () => {
    const prices = walk(7, 2_000);
    for (const period of [2, 14, 50]) {
      const peer = new PeerRsi(period);
      const ours = run(RSI, period, prices);
      prices.forEach((price, index) => {
        peer.add(price);
        const theirs = peer.getResult();
        if (theirs === null) expect(ours[index]).toBeNull();
        else expect(ours[index]).toBeCloseTo(Number(theirs), 8);
      });
    }
  });

  test('100 without any loss, 0 without any gain, 50 without any change', () => {
    expect(run(RSI, 2, [1, 2, 3]).at(-1)).toBe(100);
    expect(run(RSI, 2, [3, 2, 1]).at(-1)).toBe(0);
    expect(run(RSI, 2, [5, 5, 5]).at(-1)).toBe(50);
  });

  test('lies between 0 and 100 whatever the prices', () => {
    fc.assert(
      fc.property(closes, fc.integer({ min: 1, max: 30 }), (prices, period) =>
        run(RSI, period, prices).every((v) => v === null || (v >= 0 && v <= 100)),
      ),
    );
  });
});

describe('EMA', () => {
  test('a vector worked by hand: period 3 over 1, 2, 6, 5, 1', () => {
    expect(run(EMA, 3, [1, 2, 6, 5, 1])).toEqual([null, null, 3, 4, 2.5]);
  });

  test('its seed is the simple mean, its tail the weighted sum', () => {
    const prices = walk(11, 300);
    for (const period of [1, 5, 26]) {
      const sma = new PeerSma(period);
      for (const price of prices.slice(0, period)) sma.add(price);
      const ours = run(EMA, period, prices);
      expect(ours[period - 1]).toBeCloseTo(Number(sma.getResult()), 10);
      const keep = 1 - 2 / (period + 1);
      let expected = Number(sma.getResult()) * keep ** (prices.length - period);
      for (let i = period; i < prices.length; i++) expected += (1 - keep) * keep ** (prices.length - 1 - i) * (prices[i] as number);
      expect(ours.at(-1)).toBeCloseTo(expected, 8);
    }
  });

  test('converges to trading-signals, which has another seed, once the seed has faded', () => {
    const prices = walk(13, 1_000);
    const peer = new PeerEma(20);
    for (const price of prices) peer.add(price);
    expect(run(EMA, 20, prices).at(-1)).toBeCloseTo(Number(peer.getResult()), 8);
  });
});

describe('volatility', () => {
  test('equals the deviation written as a mean over all pairs, annualised', () => {
    const prices = walk(17, 60);
    const period = 20;
    const ours = run(VOLATILITY, period, prices, '4h');
    const returns = prices.slice(1).map((price, i) => Math.log(price / (prices[i] as number)));
    expect(ours.slice(0, period)).toEqual(Array(period).fill(null));
    for (let end = period; end <= returns.length; end++) {
      const window = returns.slice(end - period, end);
      let pairs = 0;
      for (let i = 0; i < period; i++) for (let j = 0; j < i; j++) pairs += ((window[i] as number) - (window[j] as number)) ** 2;
      expect(ours[end]).toBeCloseTo(Math.sqrt((pairs / (period * (period - 1))) * ((365 * 24) / 4)) * 100, 8);
    }
  });

  test('a price that never moves has none', () => {
    expect(run(VOLATILITY, 3, [5, 5, 5, 5]).at(-1)).toBe(0);
  });
});

describe('funding percentile', () => {
  test('mid-rank by hand: one day of 24 rates', () => {
    const base = Array(23).fill(0.0001) as number[];
    expect(run(FUNDING_PERCENTILE, 1, [...base, 0.0002]).at(-1)).toBeCloseTo((23.5 / 24) * 100, 10);
    expect(run(FUNDING_PERCENTILE, 1, [...base, 0.0001]).at(-1)).toBe(50);
    expect(run(FUNDING_PERCENTILE, 1, [...base, -0.0001]).at(-1)).toBeCloseTo((0.5 / 24) * 100, 10);
  });

  test('equals the average position of the rate in the sorted window', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -5, max: 5 }), { minLength: 48, maxLength: 90 }), (rates) => {
        const window = rates.slice(-48).sort((a, b) => a - b);
        const latest = rates.at(-1) as number;
        const rank = (window.indexOf(latest) + window.lastIndexOf(latest) + 1) / 2;
        expect(run(FUNDING_PERCENTILE, 2, rates).at(-1)).toBeCloseTo((rank / 48) * 100, 10);
      }),
    );
  });
});

const ALL = [RSI, EMA, VOLATILITY, FUNDING_PERCENTILE].map((indicator) => indicator.name);

test.each(ALL)('%s yields its first value exactly at the end of its warm-up', (name) => {
  const indicator = findIndicator(name);
  const values = run(indicator, 3, walk(19, 100));
  const first = indicator.warmUp(3);
  expect(values.findIndex((value) => value !== null)).toBe(first - 1);
  expect(values.slice(first).includes(null)).toBe(false);
});

test.each(ALL)('%s continues from its state as JSON without a difference', (name) => {
  const indicator = findIndicator(name);
  const prices = walk(23, 150);
  for (const cut of [1, 2, 5, 70, 100]) {
    const state = indicator.create(3, '1h');
    for (const price of prices.slice(0, cut)) indicator.push(state, price);
    const revived = JSON.parse(JSON.stringify(state)) as typeof state;
    const after = prices.slice(cut);
    expect(after.map((price) => indicator.push(revived, price))).toEqual(after.map((price) => indicator.push(state, price)));
  }
});

test.each(ALL)('%s throws on invalid input and on an invalid period', (name) => {
  const indicator = findIndicator(name);
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY])
    expect(() => indicator.push(indicator.create(3, '1h'), wrong)).toThrow(RangeError);
  for (const wrong of [0, -1, 2.5, Number.NaN]) expect(() => indicator.create(wrong, '1h')).toThrow(RangeError);
  if (indicator.input === 'close') expect(() => indicator.push(indicator.create(3, '1h'), 0)).toThrow(RangeError);
});
