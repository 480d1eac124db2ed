// Decimal texts of the terminal: what a button writes into the ticket is the price that it shows.
import { expect, test } from 'vitest';
import { withoutZeros } from '../../web/terminal/kit/decimal.ts';

test.each([
  ['97000', '97000'],
  ['97000.00', '97000'],
  ['97000.50', '97000.5'],
  ['0.00', '0'],
  ['100.05', '100.05'],
])('%s without its last zeros is %s', (text, shorter) => {
  expect(withoutZeros(text)).toBe(shorter);
});
