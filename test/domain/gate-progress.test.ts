// Progress of an agent at its gate, in words: every kind of gate, at the start, in between and passed.
import { expect, test } from 'vitest';
import { assessEvidence, EVIDENCE_KINDS, type EvidenceKind, type EvidenceMetrics } from '../../src/domain/agents/evidence.ts';
import { gateProgress } from '../../src/domain/agents/gate-progress.ts';

const at = (kind: EvidenceKind, metrics: EvidenceMetrics | null, problems: readonly string[] = []) => {
  const { passed, checks } = assessEvidence(kind, metrics ?? {});
  return gateProgress({ kind, passed: passed && problems.length === 0, checks, metrics, isAssessed: metrics !== null, problems });
};

const PAPER = { elapsedDays: 2.4, markedDays: 3, closedTrades: 2, expectancyUsd: 1.5, sharpe: 0.8 };

test('paper shows the day and the trades, and what it waits for', () => {
  expect(at('paper', PAPER)).toEqual({
    progress: 'day 3 of 14, 3 of 14 days with a price for every holding, 2 of 5 closed trades',
    next: 'keep it running: it trades on paper by itself; still missing: elapsed_days is 2.4 and must be at least 14, marked_days is 3 and must be at least 14, closed_trades is 2 and must be at least 5',
    hasTrades: false,
  });
  expect(at('paper', { ...PAPER, elapsedDays: 14, markedDays: 15, closedTrades: 9 })).toEqual({
    progress: 'day 14 of 14, 14 of 14 days with a price for every holding, 5 of 5 closed trades',
    next: 'POST /v1/agents/:id/promote',
    hasTrades: true,
  });
});

test('if time and trades are complete, their results are shown', () => {
  expect(at('paper', { ...PAPER, elapsedDays: 20, markedDays: 20, closedTrades: 9, expectancyUsd: -2, sharpe: -1 })).toMatchObject({
    next: expect.stringMatching(/^its rules do not pass on paper: .*expectancy_usd is -2 and must be above 0/),
    hasTrades: true,
  });
});

test('shadow counts its fills, and distinguishes a loss against the market from too few fills', () => {
  const metrics = {
    elapsedDays: 0.5,
    fills: 0,
    shortfallBps: null,
    shortfallUpperBps: null,
    slippageErrorBps: null,
    maxSlippageBps: 50,
    errorLimitBps: 25,
    unknownPct: 0,
    missedPct: 0,
  };
  expect(at('shadow', metrics)).toMatchObject({ progress: 'day 1 of 1, 0 of 10 measured fills', hasTrades: false });
  expect(
    at('shadow', { ...metrics, elapsedDays: 3, fills: 12, shortfallBps: 78, shortfallUpperBps: 80, slippageErrorBps: 3 }),
  ).toMatchObject({
    progress: 'day 1 of 1, 10 of 10 measured fills',
    next: expect.stringContaining('shortfall_bps is 80 and must be at most 50'),
    hasTrades: true,
  });
  // Unknown is not good: a feed that missed a third of the orders opens nothing.
  const good = { ...metrics, elapsedDays: 3, fills: 12, shortfallBps: 3, shortfallUpperBps: 4, slippageErrorBps: 3 };
  expect(at('shadow', good).next).toBe('POST /v1/agents/:id/promote');
  expect(at('shadow', { ...good, unknownPct: 33 }).next).toContain('unknown_pct is 33 and must be at most 20');
  expect(at('shadow', { ...good, missedPct: null }).next).toContain('missed_pct is unknown and must be at most 20');
});

test.each(EVIDENCE_KINDS)('before an assessment the gate of %s says how to start', (kind) => {
  const { progress, next } = at(kind, null);
  expect([progress, next.length > 10]).toEqual(['not assessed yet', true]);
});

test('a backtest shows the number of conditions met, and a problem gives the next action', () => {
  const metrics = { historyDays: 1_900, requiredDays: 1_826, sharpe: 1.2, maxDrawdownPct: 4 };
  expect(at('backtest', metrics)).toEqual({
    progress: '2 of 3 conditions met',
    next: 'change the rules (POST /v1/agents/:id/versions) and run the backtest again; sharpe is 1.2 and must be above 1.8',
    hasTrades: false,
  });
  expect(at('backtest', { ...metrics, sharpe: 2 }, ['the backtest ends long ago: run it again up to today']).next).toBe(
    'the backtest ends long ago: run it again up to today',
  );
  expect(at('risk_signoff', { approved: 1 }).progress).toBe('signed off');
  expect(gateProgress(null).progress).toBe('all gates passed');
});
