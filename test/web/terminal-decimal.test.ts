// Decimal texts of the terminal: what a button writes into the ticket is the price that it shows.
import { expect, test } from 'vitest';
import { cut, multiply, sum, withoutZeros } from '../../web/terminal/kit/decimal.ts';

test.each([
  ['97000', '97000'],
  ['97000.00', '97000'],
  ['97000.50', '97000.5'],
  ['0.00', '0'],
  ['100.05', '100.05'],
])('%s without its last zeros is %s', (text, shorter) => {
  expect(withoutZeros(text)).toBe(shorter);
});

test.each([
  ['1.5', '0.25', '0.375'],
  ['100', '1', '100'],
  ['0.00001', '0.25', '0'],
  ['0.4', '0.5', '0.2'],
])('%s by %s, cut to lots, is %s', (quantity, part, product) => {
  expect(withoutZeros(cut(multiply(quantity, part), 5))).toBe(product);
});

test.each([
  [[], '0'],
  [['0.1', '0.2'], '0.3'],
  [['-1.50', '1.5'], '0'],
  [['100000000000000000.01', '-0.02', '3'], '100000000000000002.99'],
])('%j together are %s', (texts, total) => {
  expect(sum(texts)).toBe(total);
});
