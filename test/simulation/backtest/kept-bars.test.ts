// Bars stored as bytes outside the heap equal the added bars, however many and in whatever parts.
import { createHash } from 'node:crypto';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Candle } from '../../../src/domain/candles/candle.ts';
import { sha256OfLines } from '../../../src/domain/values/canonical-json.ts';
import { KeptBars } from '../../../src/simulation/backtest/kept-bars.ts';

const digits = fc.stringMatching(/^[0-9]{1,30}(\.[0-9]{1,30})?$/);
const bar: fc.Arbitrary<Candle> = fc.record({
  openTime: fc.integer({ min: 0, max: 4_102_444_800_000 }),
  open: digits,
  high: digits,
  low: digits,
  close: digits,
  volume: digits,
});

test('bars added in parts are read back one by one, from both ends, and repeatedly', () => {
  fc.assert(
    fc.property(fc.array(fc.array(bar, { maxLength: 5 }), { maxLength: 8 }), fc.integer({ min: -50, max: 50 }), (parts, index) => {
      const kept = new KeptBars();
      for (const part of parts) kept.add(part);
      const all = parts.flat();
      expect([kept.length, [...kept], [...kept]]).toEqual([all.length, all, all]);
      expect(kept.at(index)).toEqual(all.at(index));
    }),
  );
});

/** Returns the used heap, in megabytes. */
function heapMb(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed / 1e6;
}

test('five years of 5m bars are stored outside the heap, completely', () => {
  const kept = new KeptBars();
  const barOf = (n: number): Candle => ({
    openTime: n * 300_000,
    open: `${30_000 + n}.25`,
    high: `${30_001 + n}.5`,
    low: `${29_999 + n}.75`,
    close: `${30_000 + n}.5`,
    volume: `12.${n}`,
  });
  const COUNT = 528_000;
  const PART = 48_000;
  const addPart = (first: number): void => kept.add(Array.from({ length: PART }, (_, n) => barOf(first + n)));
  const before = heapMb();
  for (let first = 0; first < COUNT; first += PART) addPart(first);
  const held = heapMb() - before;
  expect(kept.length).toBe(COUNT);
  for (const n of [0, 1, PART - 1, PART, COUNT - 1]) expect(kept.at(n)).toEqual(barOf(n));
  // Objects for all bars would be 120 MB.
  expect(held).toBeLessThan(20);
});

test('the hash of lines equals that of the whole text', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('x'.repeat(40_000))), { maxLength: 6 }), (lines) => {
      expect(sha256OfLines(lines)).toBe(createHash('sha256').update(lines.join('\n')).digest('hex'));
    }),
  );
});
