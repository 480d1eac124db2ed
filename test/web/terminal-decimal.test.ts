// Decimals of the terminal: a button writes the price that it shows into the ticket, and a table sorts by the shown value.
import { expect, test } from 'vitest';
import { cut, multiply, sum, withoutZeros } from '../../web/terminal/kit/decimal.ts';
import { compareCells, numberIn, type Sortable, toSortable } from '../../web/terminal/kit/order-texts.ts';
import { findDirection, signedMoney, signedText } from '../../web/terminal/kit/number-texts.ts';

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

test.each([
  ['-$1,234.50', '-1234.50'],
  ['+1.25 %', '1.25'],
  ['$990.6K', '990600'],
  ['2.5M', '2500000'],
  ['3 of 7', '3'],
  ['5.5e-17', '0.000000000000000055'],
  ['-1e-7', '-0.0000001'],
  ['1e+21', '1000000000000000000000'],
  ['2026-11-27 17:00:00', null],
  ['12:30', null],
  ['7d', null],
  ['COINx', null],
])('a cell that shows %s sorts as %s', (text, number) => {
  const found = numberIn(text);
  expect(found === null ? null : withoutZeros(found)).toBe(number === null ? null : withoutZeros(number));
});

test.each([
  [
    ['10', '9', '-2', '–'],
    [2, 1, 0, 3],
  ],
  [
    ['100000000000000000.02', '100000000000000000.01'],
    [1, 0],
  ],
  [
    ['1.5', '5.5e-17', '-2', '0.1'],
    [2, 1, 3, 0],
  ],
  [
    ['$1.2K', '$900', '$1.1M'],
    [1, 0, 2],
  ],
  [
    ['shard 10', 'Shard 9', ''],
    [1, 0, 2],
  ],
  [
    ['b', '7', 'a'],
    [1, 2, 0],
  ],
])('%j stand in the order %j, empty cells last', (texts, order) => {
  const cells = texts.map((text, place) => ({ place, sortable: toSortable(text) }));
  const full = cells.filter((cell): cell is { place: number; sortable: Sortable } => cell.sortable !== undefined);
  const sorted = full.toSorted((a, b) => compareCells(a.sortable, b.sortable));
  const empty = cells.filter(({ sortable }) => sortable === undefined);
  expect([...sorted, ...empty].map(({ place }) => place)).toEqual(order);
});

test.each([
  ['1', '1.00'],
  ['$1.5K', '1,500'],
  ['100000000000000000.010', '100000000000000000.01'],
])('%s and %s are equal', (left, right) => {
  expect(compareCells(toSortable(left) as Sortable, toSortable(right) as Sortable)).toBe(0);
});

test.each([
  ['-0.004', '$0.00', 'even'],
  ['0.0049', '$0.00', 'even'],
  ['-0.005', '-$0.01', 'down'],
  ['1250.5', '+$1,250.50', 'up'],
  ['-100000000000000000.01', '-$100,000,000,000,000,000.01', 'down'],
])('a gain of %s is shown as %s, and is %s', (usd, shown, direction) => {
  expect([signedMoney(usd), findDirection(signedMoney(usd))]).toEqual([shown, direction]);
});

test.each([
  [-0.004, '0.00', 'even'],
  [0.001, '0.00', 'even'],
  [-0.006, '-0.01', 'down'],
  [1.236, '+1.24', 'up'],
])('a change of %s percent is shown as %s, and is %s', (percent, shown, direction) => {
  expect([signedText(percent, 2), findDirection(signedText(percent, 2))]).toEqual([shown, direction]);
});
