// Hourly funding computed by hand, and its effect on a book.
import { expect, test } from 'vitest';
import fc from 'fast-check';
import { applyFunding, emptyBook } from '../../src/domain/books/book.ts';
import { computeFundingPayment, computeFundingUsd, type HeldHour, heldHours, paidByHeld } from '../../src/domain/orders/funding.ts';
import { Decimal } from '../../src/domain/values/decimal.ts';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';

test('a long position pays a positive rate on its value and receives a negative one, rounded against it', () => {
  expect(computeFundingUsd('2', '50000', '0.0000125')).toBe('1.25');
  expect(computeFundingUsd('2', '50000', '-0.0000125')).toBe('-1.25');
  expect(computeFundingUsd('0.00001', '33333', '0.0000125')).toBe('0.000005');
  expect(computeFundingUsd('0.00001', '33333', '-0.0000125')).toBe('-0.000004');
});

test('funding changes the cash of a book and is separate from price and fees', () => {
  const book = emptyBook('b', 'paper', '100');
  expect(applyFunding(book, '1.25')).toMatchObject({ cashUsd: '98.75', fundingUsd: '1.25', realizedPnlUsd: '0', capitalUsd: '100' });
  expect(applyFunding(applyFunding(book, '1.25'), '-1.25')).toEqual(book);
});

const HOUR = 3_600_000;
const fill = (hours: number, side: 'buy' | 'sell', quantity: string, instrument: InstrumentKey = 'evmvenue:BTC') =>
  ({ instrument, side, quantity, at: hours * HOUR }) as const;

test('an hour is paid on the position before its end: a fill at the very end comes after', () => {
  const fills = [fill(10.5, 'buy', '2'), fill(12, 'sell', '0.5'), fill(13.2, 'sell', '1.5'), fill(11, 'buy', '9', 'spotexchange:BTCUSDT')];
  const hours = (after: number, until: number) =>
    heldHours(fills, after * HOUR, until * HOUR).map(({ hour, quantity }) => [hour / HOUR, quantity]);
  expect(hours(0, 20)).toEqual([
    [11, '2'],
    [12, '2'],
    [13, '1.5'],
  ]);
  expect(hours(11, 12)).toEqual([[12, '2']]);
  expect(hours(13, 20)).toEqual([]);
  // A short and a long outage owe the same.
  expect(heldHours([], 0, 20 * HOUR)).toEqual([]);
});

test('however a period is split, its payments are the same', () => {
  const anyFills = fc.array(fc.record({ at: fc.integer({ min: 0, max: 60 }), size: fc.integer({ min: 1, max: 9 }), sells: fc.boolean() }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(anyFills, fc.array(fc.integer({ min: 0, max: 24 }), { maxLength: 5 }), (raw, cuts) => {
      let held = 0;
      const fills = [...raw]
        .sort((a, b) => a.at - b.at)
        .flatMap(({ at, size, sells }) => {
          const quantity = sells ? Math.min(held, size) : size;
          held += sells ? -quantity : quantity;
          return quantity === 0 ? [] : [fill(at / 2.5, sells ? 'sell' : 'buy', String(quantity))];
        });
      const paid = (hours: readonly HeldHour[]) =>
        hours.reduce(
          (sum, hour) =>
            sum.plus(computeFundingPayment(hour, { price: String(50_000 + hour.hour / HOUR), hourlyRate: '0.0000125' }).paidUsd),
          new Decimal(0),
        );
      const bounds = [0, ...[...cuts].sort((a, b) => a - b), 24];
      const parts = bounds.slice(1).map((until, n) => paid(heldHours(fills, (bounds[n] as number) * HOUR, until * HOUR)));
      expect(parts.reduce((sum, part) => sum.plus(part), new Decimal(0)).eq(paid(heldHours(fills, 0, 24 * HOUR)))).toBe(true);
    }),
  );
});

test('sold units take their part of the paid funding along, received or paid, and another position has none of it', () => {
  const payment = (hours: number, paidUsd: string, instrument: InstrumentKey = 'evmvenue:BTC') => ({
    instrument,
    hour: hours * HOUR,
    paidUsd,
  });
  const held = (hours: number) => ({ instrument: 'evmvenue:BTC', openedAt: hours * HOUR }) as const;
  const payments = [payment(9, '7'), payment(11, '8'), payment(12, '4'), payment(12, '5', 'evmvenue:ETH'), payment(14, '-3')];
  const fills = [fill(8, 'buy', '9'), fill(9.5, 'sell', '9'), fill(10, 'buy', '4'), fill(12, 'sell', '1'), fill(13, 'buy', '3')];
  // A fill at the end of an hour comes after its payment, and a purchase takes nothing along.
  expect(paidByHeld(held(10), payments, fills).toFixed()).toBe('6');
  expect(paidByHeld(held(10), payments, [...fills, fill(15, 'sell', '4')]).toFixed()).toBe('2');
  expect(paidByHeld(held(10), [payment(11, '-8')], [...fills, fill(15, 'sell', '4')]).toFixed()).toBe('-2');
  expect(paidByHeld(held(16), payments, [...fills, fill(15, 'sell', '6'), fill(16, 'buy', '1')]).toFixed()).toBe('0');
});
