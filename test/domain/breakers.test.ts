// Breakers of an agent with live capital: the figure at which each trips, and cases without a trip.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { emptyBook, markBook, startOfUtcDay, worstDrawdownPct } from '../../src/domain/books/book.ts';
import { type BreakerInput, findTrippedBreakers } from '../../src/domain/agents/breakers.ts';

const calm: BreakerInput = {
  stage: 'live',
  dailyDrawdownPct: 0,
  maxDailyDrawdownPct: 3,
  slippageBps: 4,
  fills: 20,
  expectedSlippageBps: 5,
};
const names = (over: Partial<BreakerInput>): string[] => findTrippedBreakers({ ...calm, ...over }).map(({ breaker }) => breaker);

test('a drawdown beyond the limit trips; one exactly at it, or an unknown one, does not', () => {
  expect(names({ dailyDrawdownPct: 3 })).toEqual([]);
  expect(names({ dailyDrawdownPct: 3.0001 })).toEqual(['daily_drawdown']);
  expect(names({ dailyDrawdownPct: null })).toEqual([]);
});

test('slippage beyond three times the expectation trips from the first fill on, exactly three times does not', () => {
  for (const fills of [1, 2, 5, 5_000]) {
    expect(names({ fills, slippageBps: 15 })).toEqual([]);
    expect(findTrippedBreakers({ ...calm, fills, slippageBps: 15.01 })).toEqual([{ breaker: 'slippage', observed: 15.01, limit: 15 }]);
  }
  expect(names({ slippageBps: -40 })).toEqual([]);
});

test('without an expectation or a fill slippage is unknown; with an expectation of zero none may be paid', () => {
  expect(names({ slippageBps: 500, expectedSlippageBps: null })).toEqual([]);
  expect(names({ slippageBps: null, fills: 0 })).toEqual([]);
  for (const expectedSlippageBps of [0, -2]) {
    expect(names({ slippageBps: 0, expectedSlippageBps })).toEqual([]);
    expect(names({ slippageBps: 0.1, expectedSlippageBps })).toEqual(['slippage']);
  }
});

test('a position without a mark counts at its worst known price, or else at its cost', () => {
  const at = Date.UTC(2026, 2, 2, 12);
  const held = (instrument: 'spotexchange:BTCUSDT' | 'spotexchange:ETHUSDT', quantity: string, costUsd: string) => ({
    instrument,
    quantity,
    costUsd,
    openedAt: at,
  });
  const state = {
    ...emptyBook('book', 'live', '1000'),
    holdings: [held('spotexchange:BTCUSDT', '1', '500'), held('spotexchange:ETHUSDT', '2', '400')],
    day: startOfUtcDay(at),
    dayStartEquityUsd: '2000',
  };
  const marked = markBook(state, new Map([['spotexchange:BTCUSDT', '600']] as const), at);
  expect([marked.dailyDrawdownPct, marked.unpriced]).toEqual([null, ['spotexchange:ETHUSDT']]);
  // 1000 in cash, 600 marked, 2 x 120 at worst: 1840 of 2000.
  expect(worstDrawdownPct(marked, new Map([['spotexchange:ETHUSDT', '120']] as const), at)).toBe(8);
  // 1000 + 600 + 400 of cost.
  expect(worstDrawdownPct(marked, new Map(), at)).toBe(0);
});

test('both are reported, the drawdown first, and only for agents with live capital', () => {
  fc.assert(
    fc.property(fc.constantFrom('draft', 'backtest', 'stress_test', 'paper', 'shadow', 'limited_live', 'live'), (stage) => {
      const live = stage === 'limited_live' || stage === 'live';
      expect(names({ stage, dailyDrawdownPct: 50, slippageBps: 900 })).toEqual(live ? ['daily_drawdown', 'slippage'] : []);
    }),
  );
});
