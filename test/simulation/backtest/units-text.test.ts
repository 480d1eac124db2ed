// Integer units as decimal text, compared with exact decimals.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal, plainDecimal } from '../../../src/domain/values/decimal.ts';
import { unitsText } from '../../../src/simulation/backtest/trade-ledger.ts';
import { seedOfRun } from '../../harness/seed.ts';

test('units are spelled as the decimal that they are', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -1_000, max: 1_000 }), fc.constantFrom(0, -0, 100, -100_000)),
      fc.integer({ min: 0, max: 12 }),
      (units, decimals) => {
        expect(unitsText(units, decimals)).toBe(plainDecimal(new Decimal(units).times(new Decimal(10).pow(-decimals))));
      },
    ),
    { seed: seedOfRun(), numRuns: 2_000 },
  );
});
