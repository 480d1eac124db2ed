// Variants of a sweep: every combination once, validated by the manifest's own reader.
import { expect, test } from 'vitest';
import { isVariants, SWEEP_LIMITS, type SweepParameter, listThresholds, combineVariants } from '../../src/domain/backtest/sweep.ts';
import { type Manifest, manifestHash } from '../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../src/domain/manifest/reader.ts';
import { payload } from './authored.ts';

const AUTHORED = {
  universe: ['BTCUSDT'],
  timeframe: '24h',
  entryConditions: [
    { type: 'rsi_below', period: 7, value: 45 },
    { type: 'price_above', price: '100' },
  ],
  exitConditions: [{ type: 'rsi_above', period: 7, value: 60 }],
};

function manifestOf(over: Record<string, unknown> = {}): Manifest {
  const read = readManifest(payload({ ...AUTHORED, ...over }));
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
}

function variants(parameters: readonly SweepParameter[]) {
  const read = combineVariants(manifestOf(), parameters);
  if (!isVariants(read)) throw new Error(JSON.stringify(read));
  return read;
}

function problems(parameters: readonly SweepParameter[]) {
  const read = combineVariants(manifestOf(), parameters);
  if (isVariants(read)) throw new Error('nothing was refused');
  return read;
}

test('every combination is a variant, the first parameter slowest, with the hash of a handwritten one', () => {
  const made = variants([
    { path: 'entryConditions[0].value', values: [30, 40] },
    { path: 'stopLossPct', values: [2, 3] },
  ]);
  expect(made.map(({ values }) => values)).toEqual([
    [30, 2],
    [30, 3],
    [40, 2],
    [40, 3],
  ]);
  const [, second] = made;
  const [rsi, price] = AUTHORED.entryConditions;
  const written = manifestOf({ entryConditions: [{ ...rsi, value: 30 }, price], stopLossPct: 3 });
  expect(second?.manifest).toEqual(written);
  expect(second?.manifestHash).toBe(manifestHash(written));
});

test('two spellings of one number are one variant, and a decimal text keeps its digits', () => {
  const made = variants([{ path: 'entryConditions[1].price', values: ['100.10', '100.1', '0.123456789012345678'] }]);
  expect(made.map(({ manifest }) => manifest.entry[1]?.['price'])).toEqual(['100.1', '0.123456789012345678']);
});

test('an invalid threshold is refused with the valid ones; a value is refused in the manifest’s words', () => {
  const allowed = listThresholds(manifestOf());
  expect(allowed).toEqual(expect.arrayContaining(['entryConditions[0].value', 'entryConditions[1].price', 'stopLossPct', 'maxCapitalUsd']));
  expect(allowed).not.toContain('name');
  for (const path of [
    'name',
    'timeframe',
    'universe',
    'entryConditions[7].value',
    'entryConditions[0].type',
    '__proto__',
    'constructor',
    'a.b',
  ])
    expect(problems([{ path, values: [1] }])).toEqual([
      expect.objectContaining({ path: '$.parameters[0].path', allowed: allowed.join(', ') }),
    ]);
  expect(problems([{ path: 'entryConditions[0].value', values: [30, 400] }])).toEqual([
    expect.objectContaining({
      path: '$.entryConditions[0].value',
      problem: expect.stringMatching(/^with entryConditions\[0\]\.value 400: /),
    }),
  ]);
  expect(
    problems([
      { path: 'stopLossPct', values: [2] },
      { path: 'stopLossPct', values: [3] },
    ])[0],
  ).toMatchObject({
    problem: '"stopLossPct" is named twice',
  });
  const many = Array.from({ length: 32 }, (_, n) => n + 10);
  expect(
    problems([
      { path: 'entryConditions[0].value', values: many },
      { path: 'exitConditions[0].value', values: many.map((n) => n + 30) },
    ]),
  ).toEqual([{ path: '$.parameters', problem: '1024 variants are too many', allowed: `at most ${SWEEP_LIMITS.variants}` }]);
});
