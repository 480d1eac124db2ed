// Limit prices of perpetuals are on the venue's grid: five significant figures, its decimals, integers always.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import { findMarketStep, computePriceStep } from '../../src/domain/market/market-step.ts';
import { computeLimitPrice } from '../../src/domain/orders/order.ts';

/** Decimals of sizes (`szDecimals`) by coin, restated from the venue. */
const SIZE_DECIMALS = { BTC: 5, ETH: 4, SOL: 2, 'xyz:AAPL': 3, 'xyz:TSLA': 3 } as const;
const isOnGrid = (price: string, sizeDecimals: number): boolean => {
  const value = new Decimal(price);
  return value.isInteger() || (value.precision() <= 5 && value.decimalPlaces() <= 6 - sizeDecimals);
};

test.each([
  ['evmvenue:BTC', '90000', '1'],
  ['evmvenue:BTC', '105055', '1'],
  ['evmvenue:BTC', '9000', '0.1'],
  ['evmvenue:ETH', '3000', '0.1'],
  ['evmvenue:ETH', '999.99', '0.01'],
  ['evmvenue:SOL', '150', '0.01'],
  ['evmvenue:SOL', '0.5', '0.0001'],
  ['evmvenue:xyz:TSLA', '329.55', '0.01'],
  ['evmvenue:xyz:MSTR', '1250', '0.1'],
  ['spotexchange:BTCUSDT', '105055.01', '0.01'],
] as const)('the price step of %s at %s is %s', (instrument, price, step) => expect(computePriceStep(instrument, price)).toBe(step));

test('a limit of any perpetual is on the venue’s grid, within the budget and never better than the touch', () => {
  const coins = Object.keys(SIZE_DECIMALS) as (keyof typeof SIZE_DECIMALS)[];
  fc.assert(
    fc.property(
      fc.constantFrom(...coins),
      fc.constantFrom('buy' as const, 'sell' as const),
      fc.integer({ min: 10_000, max: 999_999 }),
      fc.integer({ min: -4, max: 1 }),
      fc.integer({ min: 1, max: 500 }),
      (coin, side, figures, power, budgetBps) => {
        const sizeDecimals = SIZE_DECIMALS[coin];
        const touch = plainDecimal(
          new Decimal(figures)
            .times(new Decimal(10).pow(power))
            .toSignificantDigits(5)
            .toDecimalPlaces(6 - sizeDecimals),
        );
        const limit = computeLimitPrice(`evmvenue:${coin}`, side, touch, budgetBps);
        expect(isOnGrid(limit, sizeDecimals), `${coin} ${side} ${touch} ${budgetBps}: ${limit}`).toBe(true);
        expect(new Decimal(limit).mod(computePriceStep(`evmvenue:${coin}`, limit)).isZero()).toBe(true);
        const worst = new Decimal(touch).times(side === 'buy' ? 10_000 + budgetBps : 10_000 - budgetBps).div(10_000);
        expect(side === 'buy' ? worst.gte(limit) : worst.lte(limit)).toBe(true);
        expect(side === 'buy' ? new Decimal(limit).gte(touch) : new Decimal(limit).lte(touch)).toBe(true);
        // The step is no coarser than the grid: one more step exceeds the budget.
        const step = computePriceStep(`evmvenue:${coin}`, limit);
        expect(side === 'buy' ? worst.lt(new Decimal(limit).plus(step)) : worst.gt(new Decimal(limit).minus(step))).toBe(true);
      },
    ),
    { numRuns: 500 },
  );
});

test('lots and the finest tick equal the venue’s published ones', () => {
  for (const [coin, sizeDecimals] of Object.entries(SIZE_DECIMALS))
    expect(findMarketStep(`evmvenue:${coin}`)).toEqual({
      lot: plainDecimal(new Decimal(10).pow(-sizeDecimals)),
      tick: plainDecimal(new Decimal(10).pow(sizeDecimals - 6)),
    });
});
