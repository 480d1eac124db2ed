// Funding of an hour by hand, and what it does to a book.
import { expect, test } from 'vitest';
import { applyFunding, emptyBook } from '../../src/domain/book.ts';
import { fundingUsdOf } from '../../src/domain/funding.ts';

test('a long position pays a positive rate on its value and receives a negative one, rounded against it', () => {
  expect(fundingUsdOf('2', '50000', '0.0000125')).toBe('1.25');
  expect(fundingUsdOf('2', '50000', '-0.0000125')).toBe('-1.25');
  expect(fundingUsdOf('0.00001', '33333', '0.0000125')).toBe('0.000005');
  expect(fundingUsdOf('0.00001', '33333', '-0.0000125')).toBe('-0.000004');
});

test('funding moves the cash of a book and counts as realized', () => {
  const book = emptyBook('b', 'paper', '100');
  expect(applyFunding(book, '1.25')).toMatchObject({ cashUsd: '98.75', realizedPnlUsd: '-1.25', capitalUsd: '100' });
  expect(applyFunding(applyFunding(book, '1.25'), '-1.25')).toEqual(book);
});
