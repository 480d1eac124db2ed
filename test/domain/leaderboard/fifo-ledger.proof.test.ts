// 100,000 random ledgers equal the naive form to the last raw unit.
import { expect, test } from 'vitest';
import { salesOf } from './ledger-fold.ts';
import { differing } from './naive-ledger.ts';

test('100,000 random ledgers', () => {
  const { found, sales, matched } = differing(1, 100_000, salesOf);
  console.log(`100000 ledgers, ${sales} sales, ${matched} of them with a basis`);
  expect(found).toEqual([]);
  expect(matched).toBeGreaterThan(sales / 10);
}, 600_000);
