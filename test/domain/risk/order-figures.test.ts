// Numbers of an order: read as integers in doubles while these are exact, as big integers beyond, and refused
// if they are not numbers.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Order, completeOrder } from '../../../src/domain/orders/order.ts';
import { ceilDivide, floorDivide, powerOfTen, toRatio, scaledText, stepScale } from '../../../src/domain/values/exact.ts';
import { readOrderFigures } from '../../../src/domain/risk/index.ts';
import { bounded } from '../../../src/domain/risk/kernel.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';

/** Decimals of lot and tick, from the venues' own tables. */
const STEPS: readonly (readonly [instrument: InstrumentKey, lot: number, tick: number])[] = [
  ['spotexchange:BTCUSDT', 5, 2],
  ['spotexchange:SOLUSDT', 3, 2],
  ['spotchain:AAPLx', 6, 6],
  ['evmvenue:BTC', 5, 1],
];

function order(instrument: InstrumentKey, quantity: string, limitPrice: string, over: Partial<Order> = {}): Order {
  const plain = completeOrder({
    id: 'o',
    origin: 'manual',
    mode: 'paper',
    bookId: 'b',
    instrument,
    side: 'buy',
    quantity,
    limitPrice,
    maxSlippageBps: 0,
  });
  return { ...plain, ...over };
}

const asSimulators = (lots: number, ticks: number, notional: number) => ({
  buys: true,
  exactLots: null,
  lots,
  exactNotional: null,
  notional,
  limitPrice: null,
  ticks,
});

test.each([
  // 999.5058558 dollars: the notional is rounded up.
  ['spotexchange:BTCUSDT', '0.01629', '61357.02', 1_629, 6_135_702, 999_505_856],
  // Lot and tick have fewer decimals together than a micro-dollar, as many, or more.
  ['spotexchange:SOLUSDT', '2.5', '141.33', 2_500, 14_133, 353_325_000],
  ['evmvenue:BTC', '0.12345', '61112.1', 12_345, 611_121, 7_544_288_745],
  // Exact to the micro-dollar: nothing is rounded up.
  ['spotchain:AAPLx', '5', '200', 5_000_000, 200_000_000, 1_000_000_000],
  ['spotchain:AAPLx', '0.000009', '0.111112', 9, 111_112, 2],
] as const)('%s: %s at %s is read as whole numbers', (instrument, quantity, limitPrice, lots, ticks, notional) => {
  expect(readOrderFigures(order(instrument, quantity, limitPrice))).toEqual(asSimulators(lots, ticks, notional));
  // Trailing zeros are not further digits.
  const longer = order(instrument, quantity, limitPrice, { quantity: `${quantity}${quantity.includes('.') ? '' : '.'}00000000` });
  expect(readOrderFigures(longer)).toEqual(asSimulators(lots, ticks, notional));
});

/** Formats a number of steps as text by shifting the decimal point. */
const spelled = (steps: bigint, decimals: number): string => {
  const digits = String(steps).padStart(decimals + 1, '0');
  return `${digits.slice(0, digits.length - decimals)}.${digits.slice(digits.length - decimals)}`;
};
const LIMIT = 2n ** 52n;

test('doubles are used exactly if every product fits, and both ways equal integer arithmetic', () => {
  const size = fc.bigInt({ min: 1n, max: 2n ** 34n });
  fc.assert(
    fc.property(
      fc.constantFrom(...STEPS),
      fc.oneof(size, fc.bigInt({ min: 1n, max: 10n ** 6n })),
      size,
      ([instrument, lot, tick], lots, ticks) => {
        const figures = readOrderFigures(order(instrument, spelled(lots, lot), spelled(ticks, tick)));
        const excess = lot + tick - 6;
        const notional =
          excess > 0 ? (lots * ticks + 10n ** BigInt(excess) - 1n) / 10n ** BigInt(excess) : lots * ticks * 10n ** BigInt(-excess);
        const fits = lots * ticks < LIMIT && notional < LIMIT;
        expect(figures).toEqual(
          fits
            ? asSimulators(Number(lots), Number(ticks), Number(notional))
            : {
                buys: true,
                exactLots: lots,
                lots: Number.NaN,
                exactNotional: notional,
                notional: Number.NaN,
                limitPrice: expect.any(String),
                ticks: Number.NaN,
              },
        );
      },
    ),
    { numRuns: 1_000 },
  );
});

test('at 2^52 the doubles end', () => {
  // 2^52 - 1 = (2^26 - 1) (2^26 + 1) whole steps still fit, 2^52 do not.
  const steps = (lots: bigint, ticks: bigint) => readOrderFigures(order('evmvenue:BTC', spelled(lots, 5), spelled(ticks, 1)));
  expect(steps(2n ** 26n - 1n, 2n ** 26n + 1n)).toEqual(asSimulators(2 ** 26 - 1, 2 ** 26 + 1, 2 ** 52 - 1));
  expect(steps(2n ** 26n, 2n ** 26n)).toMatchObject({ exactLots: 2n ** 26n, exactNotional: LIMIT });
  // If a step is worth ten micro-dollars, the limit is a tenth.
  const tens = (ticks: bigint) => readOrderFigures(order('spotexchange:SOLUSDT', '0.001', spelled(ticks, 2)));
  expect(tens(LIMIT / 10n)).toEqual(asSimulators(1, Number(LIMIT / 10n), Number((LIMIT / 10n) * 10n)));
  expect(tens(LIMIT / 10n + 1n)).toMatchObject({ exactLots: 1n, exactNotional: (LIMIT / 10n + 1n) * 10n });
});

test('a price between two ticks is assessed exactly', () => {
  expect(readOrderFigures(order('spotchain:AAPLx', '5', '200.0000005'))).toMatchObject({
    exactLots: 5_000_000n,
    exactNotional: 1_000_000_003n,
    limitPrice: '200.0000005',
  });
});

test('a quantity that is no number of lots, or another stated notional, is a named defect', () => {
  const wrong = (over: Partial<Order>) => () => readOrderFigures(order('spotchain:AAPLx', '5', '200', over));
  expect(wrong({ reduceOnly: true })).toThrow(/^order o: reduceOnly must be true for a sell and false for a buy$/);
  expect(wrong({ quantity: '5.0000001', notionalUsd: '1000.00002' })).toThrow(
    /^5.0000001 is not a positive whole number of lots of spotchain:AAPLx$/,
  );
  // Not even if the notional is stated for the lots before it.
  expect(wrong({ quantity: '5.0000001' })).toThrow(/positive whole number of lots/);
  expect(wrong({ quantity: '0', notionalUsd: '0' })).toThrow(/positive whole number of lots/);
  expect(wrong({ quantity: '-5', notionalUsd: '-1000' })).toThrow(/positive whole number of lots/);
  expect(wrong({ limitPrice: '0', notionalUsd: '0' })).toThrow(/^order o has no limit price above zero$/);
  expect(wrong({ limitPrice: '-200', notionalUsd: '-1000' })).toThrow(/no limit price above zero/);
  expect(wrong({ notionalUsd: '999.999999' })).toThrow(/^order o states a notional of 999.999999 for 5 at 200$/);
});

test.each([
  // Next to each, the number a careless parser would read, for which the notional is stated.
  ['1:', '20'],
  ['2/', '19'],
  ['1.2.3', '12.3'],
  ['1..5', '1.5'],
  ['1 ', '1'],
  ['0x10', '16'],
  ['', '0'],
])('%j is not a number, although it could be read as %s', (text, read) => {
  const { notionalUsd } = order('spotchain:AAPLx', read, '200');
  expect(() => readOrderFigures(order('spotchain:AAPLx', read, '200', { quantity: text, notionalUsd }))).toThrow(/is not a plain decimal$/);
});

test('bounds beyond the exact range are clamped to it', () => {
  expect([bounded(7n), bounded(-7n), bounded(LIMIT), bounded(LIMIT + 1n), bounded(2n ** 80n), bounded(-(2n ** 80n))]).toEqual([
    7,
    -7,
    2 ** 52,
    2 ** 52,
    2 ** 52,
    -(2 ** 52),
  ]);
});

test('exact integers: rounding goes in the given direction, and zero has no sign', () => {
  expect([floorDivide(7n, 2n), floorDivide(-7n, 2n), floorDivide(-8n, 2n), ceilDivide(7n, 2n), ceilDivide(-7n, 2n)]).toEqual([
    3n,
    -4n,
    -4n,
    4n,
    -3n,
  ]);
  expect([scaledText(0n, 6), scaledText(-1n, 6), scaledText(1_500_000n, 6)]).toEqual(['0', '-0.000001', '1.5']);
  expect([stepScale('1'), stepScale('10'), stepScale('0.001')]).toEqual([0, 0, 3]);
  expect(toRatio('-12.50')).toEqual({ numerator: -1250n, denominator: 100n });
  expect(powerOfTen(79)).toBe(10n ** 79n);
  expect(() => powerOfTen(80)).toThrow(/^no number here has 80 decimals$/);
});
