// A pressed token: its price falls within seconds, stays, and returns; bars show it, and nothing else moves.
import { expect, test } from 'vitest';
import { createPressedMarket } from '../../../src/sandbox/market/pressed-market.ts';
import { createSeededMarket } from '../../../src/sandbox/market/seeded-market.ts';

const AT = Date.UTC(2026, 10, 20, 16);
const MINUTE = 60_000;
const seeded = createSeededMarket({ seed: 1 });

test('a press moves only the token, for ten minutes, and returns within twenty more', () => {
  const market = createPressedMarket(seeded);
  const ratio = (at: number): number => market.token('AAPL', at).price / seeded.token('AAPL', at).price;
  expect(market.press('AAPL', -5, AT)).toBe(AT + 20_000 + 30 * MINUTE);
  expect([ratio(AT - 1), ratio(AT)]).toEqual([1, 1]);
  expect(ratio(AT + 10_000)).toBeCloseTo(0.975, 9);
  for (const after of [20_000, 5 * MINUTE, 10 * MINUTE]) expect(ratio(AT + after)).toBeCloseTo(0.95, 9);
  expect(ratio(AT + 20_000 + 20 * MINUTE)).toBeCloseTo(0.975, 9);
  expect(ratio(AT + 31 * MINUTE)).toBe(1);
  for (const at of [AT, AT + 5 * MINUTE]) {
    expect(market.reference('AAPL', at)).toEqual(seeded.reference('AAPL', at));
    expect(market.token('NVDA', at)).toEqual(seeded.token('NVDA', at));
    expect(market.token('AAPL', at).liquidityUsd).toBe(seeded.token('AAPL', at).liquidityUsd);
  }
});

test('bars match the live prices while it is pressed, and are unchanged before and after', () => {
  const market = createPressedMarket(seeded);
  market.press('AAPL', -5, AT);
  const bars = market.candles('token', 'AAPL', MINUTE, AT - 5 * MINUTE, AT + 40 * MINUTE);
  const before = seeded.candles('token', 'AAPL', MINUTE, AT - 5 * MINUTE, AT + 40 * MINUTE);
  for (const [index, { openTime, open, high, low, close }] of bars.entries()) {
    expect(Number(close)).toBeCloseTo(market.token('AAPL', openTime + MINUTE).price, 6);
    expect(Number(low)).toBeLessThanOrEqual(Math.min(Number(open), Number(close)));
    expect(Number(high)).toBeGreaterThanOrEqual(Math.max(Number(open), Number(close)));
    if (openTime < AT - MINUTE || openTime > AT + 31 * MINUTE) expect(bars[index]).toEqual(before[index]);
  }
  expect(market.candles('reference', 'AAPL', MINUTE, AT, AT + MINUTE)).toEqual(
    seeded.candles('reference', 'AAPL', MINUTE, AT, AT + MINUTE),
  );
});

test.each([
  ['NOPE', -5],
  ['AAPL', 0],
  ['AAPL', -21],
  ['AAPL', Number.NaN],
])('%s by %d percent is refused', (symbol, pct) => {
  expect(() => createPressedMarket(seeded).press(symbol, pct, AT)).toThrow(RangeError);
});
