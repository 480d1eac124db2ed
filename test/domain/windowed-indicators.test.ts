/** Windowed indicators: values compared with the whole history and with their window alone, and the rule of old tapes. */
import { EMA as PeerEma, RSI as PeerRsi } from 'trading-signals';
import { describe, expect, test } from 'vitest';
import { MAX_PERIOD } from '../../src/domain/conditions/condition.ts';
import type { IndicatorNeed } from '../../src/domain/market/cut.ts';
import { findIndicator } from '../../src/domain/indicators/index.ts';
import { computeEndlessWindow, WindowedIndicator, windowBars, computeWindow } from '../../src/domain/indicators/windowed.ts';
import { draws } from '../simulation/backtest/random-histories.ts';

const M = 60_000;
const START = 29_000_123 * M;
const NAMES: readonly IndicatorNeed['name'][] = ['rsi', 'ema', 'volatility', 'funding_percentile'];

interface Input {
  readonly openTime: number;
  readonly input: number;
}

/** Returns a random walk of minutes (hours for funding) with some missing. */
function series(name: IndicatorNeed['name'], length: number, missing = 0.03): Input[] {
  const next = draws(11);
  const barMs = name === 'funding_percentile' ? 60 * M : M;
  let price = 100;
  return Array.from({ length }, (_, i) => {
    price *= 1 + (next() - 0.5) / 50;
    return { openTime: Math.ceil(START / barMs) * barMs + i * barMs, input: price };
  }).filter(() => next() >= missing);
}

function valuesOf(indicator: WindowedIndicator, inputs: readonly Input[]): { value: number | null; previous: number | null }[] {
  return inputs.map(({ openTime, input }) => {
    indicator.push(openTime, input);
    return { value: indicator.value, previous: indicator.previous };
  });
}

const need = (name: IndicatorNeed['name'], period: number) => ({ name, period, timeframe: name === 'funding_percentile' ? '1h' : '1m' });

describe.each(NAMES)('%s', (name) => {
  test.each([2, 14])('of period %s has one value whatever came before its window', (period) => {
    const one = need(name, period);
    const { barMs } = computeWindow(one);
    const inputs = series(name, 2_200);
    const whole = valuesOf(new WindowedIndicator(one), inputs);
    for (let last = inputs.length - 1; last > 1_200; last -= 37) {
      const { openTime } = inputs[last] as Input;
      const from = openTime + 2 * barMs - windowBars(one) * barMs;
      const part = inputs.slice(0, last + 1).filter((input) => input.openTime >= from);
      expect(valuesOf(new WindowedIndicator(one), part).at(-1), `${last}`).toEqual(whole[last]);
    }
    expect(whole.at(-1)?.value).not.toBeNull();
  });

  test('over all bars equals the value before windows existed, bit for bit', () => {
    const one = need(name, 14);
    const inputs = series(name, 2_200);
    const indicator = findIndicator(name);
    const state = indicator.create(one.period, one.timeframe);
    let previous: number | null = null;
    const before = inputs.map(({ input }) => {
      const values = { value: indicator.push(state, input), previous };
      previous = values.value;
      return values;
    });
    expect(valuesOf(new WindowedIndicator(one, computeEndlessWindow(one)), inputs)).toEqual(before);
  });
});

test('the longest windows are within the stored bars of a series', () => {
  for (const name of ['rsi', 'ema', 'volatility'] as const)
    for (let period = 2; period <= MAX_PERIOD; period++) {
      expect(windowBars(need(name, period))).toBeLessThanOrEqual(2_000);
      const { step, steps } = computeWindow(need(name, period));
      expect(step * steps).toBeGreaterThan(period);
    }
  expect(windowBars(need('funding_percentile', 365))).toBeLessThanOrEqual(9_000);
});

test.each([
  ['ema', 9, 1e-12],
  ['ema', 50, 1e-12],
  ['ema', 100, 1e-12],
  ['ema', 200, 1e-7],
  ['ema', 500, 1e-3],
  ['rsi', 7, 1e-12],
  ['rsi', 14, 1e-12],
  ['rsi', 50, 1e-12],
  ['rsi', 100, 1e-6],
  ['rsi', 500, 1e-2],
] as const)('%s of period %s lies within %s of the value over the whole history', (name, period, most) => {
  const inputs = series(name, 12_000, 0);
  const peer = name === 'ema' ? new PeerEma(period) : new PeerRsi(period);
  const windowed = new WindowedIndicator(need(name, period));
  let worst = 0;
  inputs.forEach(({ openTime, input }, i) => {
    peer.add(input);
    windowed.push(openTime, input);
    if (i > 8_000) worst = Math.max(worst, Math.abs((windowed.value as number) / Number(peer.getResult()) - 1));
  });
  expect(worst).toBeLessThan(most);
});
