/** Filters of the spot exchange are checked exactly, on decimal text. */

import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  filterFailures,
  floorToStep,
  isMultiple,
  parseInstrument,
  type SpotInstrument,
} from '../../../../src/adapters/venues/spotexchange/instruments.ts';
import { Decimal } from '../../../../src/domain/values/decimal.ts';

const BTCUSDT = parseInstrument({
  symbol: 'BTCUSDT',
  status: 'TRADING',
  baseAsset: 'BTC',
  quoteAsset: 'USDT',
  filters: [
    { filterType: 'PRICE_FILTER', minPrice: '0.01000000', maxPrice: '1000000.00000000', tickSize: '0.01000000' },
    { filterType: 'LOT_SIZE', minQty: '0.00001000', maxQty: '9000.00000000', stepSize: '0.00001000' },
    { filterType: 'MARKET_LOT_SIZE', minQty: '0.00000000', maxQty: '100.00000000', stepSize: '0.00000000' },
    {
      filterType: 'NOTIONAL',
      minNotional: '5.00000000',
      applyMinToMarket: true,
      maxNotional: '9000000.00000000',
      applyMaxToMarket: false,
      avgPriceMins: 5,
    },
    { filterType: 'SOMETHING_NEW', limit: 1 },
  ],
}) as SpotInstrument;
const names = (type: 'LIMIT' | 'MARKET', price: string, quantity: string) =>
  filterFailures(BTCUSDT, { type, price, quantity }).map(({ filter }) => filter);

test.each([
  ['LIMIT', '95000.01', '0.00100', []],
  ['LIMIT', '95000.001', '0.00100', ['PRICE_FILTER']],
  ['LIMIT', '95000.01', '0.000001', ['LOT_SIZE', 'NOTIONAL']],
  ['LIMIT', '95000.01', '0.00001', ['NOTIONAL']],
  ['LIMIT', '1000000.01', '0.001', ['PRICE_FILTER']],
  ['LIMIT', '95000', '100', ['NOTIONAL']],
  ['MARKET', '95000.0001', '100', []],
  ['MARKET', '95000', '100.00001', ['MARKET_LOT_SIZE']],
  ['MARKET', '95000', '0.00005', ['NOTIONAL']],
] as const)('%s of %s x %s fails %j', (type, price, quantity, expected) => {
  expect(names(type, price, quantity)).toEqual(expected);
});

test('a failure says what would be right', () => {
  expect(filterFailures(BTCUSDT, { type: 'LIMIT', price: '95000.019', quantity: '1' })[0]?.detail).toBe(
    'price 95000.019 is no multiple of 0.01000000; the next below is 95000.01',
  );
});

test('floats would get 0.3 % 0.1 wrong; the text does not', () => {
  expect(0.3 % 0.1).not.toBe(0);
  expect(isMultiple('0.3', '0.1')).toBe(true);
  expect(isMultiple('123456789012345678901234567890.12', '0.01')).toBe(true);
  expect(isMultiple('7', '0.00000000')).toBe(true);
});

test('rounding down to a step agrees with decimal.js', () => {
  const decimal = fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 18n }), fc.integer({ min: 0, max: 10 }))
    .map(([units, digits]) => new Decimal(units.toString()).div(new Decimal(10).pow(digits)).toFixed());
  fc.assert(
    fc.property(decimal, decimal, (value, step) => {
      if (new Decimal(step).isZero()) return;
      const expected = new Decimal(value).div(step).floor().times(step);
      // decimal.js is exact only if the quotient fits its 40 digits.
      if (new Decimal(value).div(step).abs().gte(new Decimal(10).pow(30))) return;
      expect(floorToStep(value, step)).toBe(new Decimal(expected).toFixed());
      expect(isMultiple(value, step)).toBe(new Decimal(value).mod(step).isZero());
    }),
    { numRuns: 500, seed: 11 },
  );
});

test('an unreadable filter makes the instrument unusable, not unlimited', () => {
  expect(
    parseInstrument({
      symbol: 'A',
      status: 'TRADING',
      baseAsset: 'A',
      quoteAsset: 'B',
      filters: [{ filterType: 'LOT_SIZE', minQty: '0.1', maxQty: 'x', stepSize: '0.1' }],
    }),
  ).toBeNull();
});

const RECORDED = new URL('../../../../../shared/data/fixtures/binance/recorded_exchangeInfo_2021-10-12.json.gz', import.meta.url);
describe.skipIf(!existsSync(RECORDED))('a recorded exchangeInfo (optional test data; skipped where it is absent)', () => {
  test('every one of its symbols can be read', () => {
    const { symbols } = JSON.parse(gunzipSync(readFileSync(RECORDED)).toString('utf8')) as { symbols: unknown[] };
    const instruments = symbols.map(parseInstrument);
    expect(instruments.length).toBe(1695);
    expect(instruments.filter((instrument) => instrument === null)).toEqual([]);
    expect(instruments.find((instrument) => instrument?.instrument === 'BTCUSDT')).toMatchObject({
      price: { step: '0.01000000' },
      notional: { min: '10.00000000', minAppliesToMarket: true },
    });
  });
});
