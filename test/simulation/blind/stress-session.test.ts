// Blind stress sessions: outside code that follows an agent's rules gets the same result, and no slot reveals its place.
import { expect, test } from 'vitest';
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import type { BlindTrade } from '../../../src/domain/outside/replay-step.ts';
import { DEFAULT_PREFERENCES } from '../../../src/domain/risk/preferences.ts';
import { StressSession } from '../../../src/simulation/blind/stress-session.ts';
import { stressMarkets } from '../../../src/simulation/stress/stress-market.ts';
import { runStressTest, type StressRunReport, type StressTestOptions } from '../../../src/simulation/stress/stress-run.ts';
import { condition, sampleManifest } from '../../actors/agent/sample.ts';

const RULES = { stopLossPct: 3, maxTradeNotionalUsd: '500', maxOpenPositions: 1, exit: [] } as const;
const INSIDE = sampleManifest({ ...RULES, entry: [condition('premium_below', { pct: -0.1 })] });
const OUTSIDE = sampleManifest({ ...RULES, entry: [], strategy: { kind: 'external', release: 'the duplicate' } });
const SEED = 'ab'.repeat(32);

const optionsOf = (manifest: Manifest): StressTestOptions => ({
  agentId: '00000000-0000-7000-8000-0000000000aa',
  manifest,
  manifestVersion: 1,
  preferences: DEFAULT_PREFERENCES,
  markets: stressMarkets(manifest, new Map()),
  seeds: [1],
  scenarios: ['flash_crash'],
  severities: ['standard'],
});

interface Shown {
  readonly step: number;
  readonly done: boolean;
  readonly slots: readonly {
    readonly cut: { readonly observations: readonly { readonly instrument: string; readonly premiumPct: number | null }[] };
    readonly book: { readonly positions: readonly unknown[] };
  }[];
}

/** Plays a session to its end. Returns every text that was shown. */
function play(session: StressSession): readonly string[] {
  const texts = [session.steps.current()];
  for (;;) {
    const shown = JSON.parse(texts.at(-1) as string) as Shown;
    if (shown.done) return texts;
    const answers = shown.slots.map(({ cut, book }): BlindTrade | null => {
      const found = cut.observations.find(({ premiumPct }) => premiumPct !== null && premiumPct < -0.1);
      if (found === undefined || book.positions.length > 0) return null;
      return { side: 'buy', instrument: found.instrument, notionalUsd: '500', quantity: null, limitPrice: null };
    });
    const next = session.steps.answer(shown.step, answers);
    if (!next.ok) throw new Error(next.refusal.detail);
    texts.push(next.value);
  }
}

test('an outside duplicate of the rules has the same fills, equity and end in every run', () => {
  const inside = runStressTest(optionsOf(INSIDE));
  const session = new StressSession(optionsOf(OUTSIDE), SEED);
  const texts = play(session);
  expect(texts.join('')).not.toMatch(/AAPL|spotchain|"2026-|flash/);
  // The trace names other cells of the matrix; nothing else may differ.
  const outcome = ({ traceHash: _, ...run }: StressRunReport) => run;
  expect(session.result().runs.map(outcome)).toEqual(inside?.runs.map(outcome));
  expect(inside?.runs.some(({ ownPositions }) => ownPositions.length > 0)).toBe(true);
  expect(session.steps.progress()[0]).toBe(inside?.runs.reduce((sum, { decisions }) => sum + decisions, 0));
});
