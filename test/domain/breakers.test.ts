// The breakers of an agent with live capital: at which number each trips, and where none does.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type BreakerInput, breakersOf } from '../../src/domain/breakers.ts';

const calm: BreakerInput = {
  stage: 'live',
  dailyDrawdownPct: 0,
  maxDailyDrawdownPct: 3,
  slippageBps: 4,
  fills: 20,
  expectedSlippageBps: 5,
};
const names = (over: Partial<BreakerInput>): string[] => breakersOf({ ...calm, ...over }).map(({ breaker }) => breaker);

test('a drawdown beyond the limit trips, one exactly at it does not, one that nobody knows does not', () => {
  expect(names({ dailyDrawdownPct: 3 })).toEqual([]);
  expect(names({ dailyDrawdownPct: 3.0001 })).toEqual(['daily_drawdown']);
  expect(names({ dailyDrawdownPct: null })).toEqual([]);
});

test('slippage beyond three times the expectation trips, exactly three times does not', () => {
  expect(names({ slippageBps: 15 })).toEqual([]);
  expect(breakersOf({ ...calm, slippageBps: 15.01 })).toEqual([{ breaker: 'slippage', observed: 15.01, limit: 15 }]);
  expect(names({ slippageBps: -40 })).toEqual([]);
});

test('without an expectation or with too few fills nothing is known of slippage; an expectation of nothing counts as one basis point', () => {
  expect(names({ slippageBps: 500, expectedSlippageBps: null })).toEqual([]);
  expect(names({ slippageBps: 500, fills: 4 })).toEqual([]);
  expect(names({ slippageBps: 500, fills: 5 })).toEqual(['slippage']);
  expect(names({ slippageBps: 2.9, expectedSlippageBps: 0 })).toEqual([]);
  expect(names({ slippageBps: 3.1, expectedSlippageBps: -2 })).toEqual(['slippage']);
});

test('both are told, the drawdown first, and only of agents with live capital', () => {
  fc.assert(
    fc.property(fc.constantFrom('draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'), (stage) => {
      const live = stage === 'limited_live' || stage === 'live';
      expect(names({ stage, dailyDrawdownPct: 50, slippageBps: 900 })).toEqual(live ? ['daily_drawdown', 'slippage'] : []);
    }),
  );
});
