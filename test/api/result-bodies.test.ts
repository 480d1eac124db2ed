// Schemas of evaluation results compared with real results: each matches, and no field is missing in the schema.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { serializable } from '../../api/shapes.ts';
import { BacktestResultBody, StressTestResultBody, SweepResultBody } from '../../api/v1/agents/evaluation-results.ts';
import { DEFAULT_ASSUMPTIONS } from '../../src/domain/backtest/assumptions.ts';
import { isVariants, combineVariants } from '../../src/domain/backtest/sweep.ts';
import { DEFAULT_WALK_FORWARD } from '../../src/domain/backtest/sweep-windows.ts';
import { DEFAULT_PREFERENCES } from '../../src/domain/risk/preferences.ts';
import { STRESS_SCENARIOS } from '../../src/simulation/stress/scenario.ts';
import { stressMarkets } from '../../src/simulation/stress/stress-market.ts';
import { runStressTest, stressResultText } from '../../src/simulation/stress/stress-run.ts';
import { workSweep } from '../../src/simulation/sweep/sweep-work.ts';
import { sampleManifest } from '../actors/agent/sample.ts';
import { churner, historyOf, resultOf } from './real-results.ts';

/** Closes a schema: objects have no other fields than those named. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const inner = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  return inner['type'] === 'object' && 'properties' in inner && !('additionalProperties' in inner)
    ? { ...inner, additionalProperties: false }
    : inner;
}

function expectOf(schema: object, result: unknown): void {
  const ajv = new Ajv2020({ strict: false });
  ajv.addFormat('date-time', true);
  const check = ajv.compile(closed(serializable(schema)) as object);
  expect(check(JSON.parse(JSON.stringify(result))), ajv.errorsText(check.errors)).toBe(true);
}

const history = historyOf(600);

test.each([
  ['taken at once', { algorithm: 'taker_immediate' }],
  ['worked in slices', { algorithm: 'twap', urgency: 'low' }],
])('a backtest whose orders are %s', (_, change) => {
  const result = resultOf(churner(change), history);
  expect(result.trades.list.length).toBeGreaterThan(5);
  expect(result.execution?.algorithm ?? 'taker_immediate').toBe(change.algorithm);
  expectOf(BacktestResultBody, result);
});

test('a sweep with its walk-forward, and one that is too short for it', async () => {
  const parameters = [{ path: 'entryConditions[0].value', values: [50, 55] }];
  const variants = combineVariants(churner(), parameters);
  if (!isVariants(variants)) throw new Error(JSON.stringify(variants));
  for (const trainDays of [200, 700]) {
    const request = { from: '', to: '', timeframe: null, look: true, assumptions: DEFAULT_ASSUMPTIONS };
    // One window after the other.
    // oxlint-disable-next-line no-await-in-loop
    const outcome = await workSweep({
      request: { ...request, parameters, walkForward: { ...DEFAULT_WALK_FORWARD, trainDays } },
      variants,
      historyOf: async () => history,
      earlier: { sharpes: [null] },
      onProgress: () => {},
    });
    if (!outcome.ok) throw new Error(outcome.detail);
    const result = JSON.parse(outcome.result) as { walkForward: object | null };
    expect(result.walkForward === null).toBe(trainDays === 700);
    expectOf(SweepResultBody, result);
  }
});

test('a stress test, with its hashed text', () => {
  const manifest = sampleManifest({ universe: [{ key: 'spotchain:AAPLx', kind: 'tokenized_equity' }], stopLossPct: 3 });
  const result = runStressTest({
    agentId: '00000000-0000-7000-8000-0000000000aa',
    manifest,
    manifestVersion: 1,
    preferences: DEFAULT_PREFERENCES,
    markets: stressMarkets(manifest, new Map()),
    seeds: [1],
    scenarios: STRESS_SCENARIOS.slice(0, 1),
  });
  if (result === null) throw new Error('the stress test was cancelled');
  expectOf(StressTestResultBody, JSON.parse(stressResultText(result)));
});
