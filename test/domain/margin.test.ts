// Margin compared with the venue's documentation, its reported positions, and the definition.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal, plainDecimal } from '../../src/domain/values/decimal.ts';
import { computeFundingUsd } from '../../src/domain/orders/funding.ts';
import {
  computeLeverage,
  liquidationAt,
  liquidationFill,
  liquidationPrice,
  maintenanceMargin,
  type MarginedPosition,
  type MarginTier,
  findMarginTiers,
} from '../../src/domain/orders/margin.ts';

const recorded = (name: string) => JSON.parse(readFileSync(new URL(`../fixtures/hyperliquid/${name}`, import.meta.url), 'utf8'));

test('liquidation prices equal those that the venue reported for isolated positions', () => {
  const { positions } = recorded('liquidation-prices.json');
  expect(positions).toHaveLength(16);
  for (const { coin, maxLeverage, entryPx, szi, margin, liquidationPx } of positions) {
    const costUsd = new Decimal(szi).times(entryPx);
    const price = liquidationPrice({ quantity: szi, costUsd, marginUsd: margin, tiers: [{ fromUsd: 0, maxLeverage }] }, '0');
    // Margin is reported to a millionth, which for a position of 16 dollars moves the price by some millionths.
    expect(price.minus(liquidationPx).abs().div(entryPx).toNumber(), `${coin} at ${entryPx}`).toBeLessThan(1e-6);
  }
});

test('funding payments equal the venue’s, at a price near the fills after the hour', () => {
  const { payments } = recorded('funding-payments.json');
  expect(payments).toHaveLength(15);
  for (const { coin, szi, fundingRate, usdc, low, high } of payments) {
    // The venue reports the holder's proceeds; its price is within 2 % of the fills.
    const [cheapest, dearest] = [new Decimal(low).times('0.98'), new Decimal(high).times('1.02')].map((price) =>
      new Decimal(computeFundingUsd(szi, price, fundingRate)).neg(),
    ) as [Decimal, Decimal];
    const [least, most] = cheapest.lt(dearest) ? [cheapest, dearest] : [dearest, cheapest];
    expect(least.lte(usdc) && most.gte(usdc), `${coin}: ${usdc} between ${least.toFixed()} and ${most.toFixed()}`).toBe(true);
    const price = new Decimal(usdc).neg().div(szi).div(fundingRate);
    expect(new Decimal(computeFundingUsd(szi, price, fundingRate)).plus(usdc).abs().lte('0.000001'), coin).toBe(true);
  }
});

test('the maintenance margin is half of the initial margin at the largest leverage, tier by tier as documented', () => {
  // "at 20x max leverage, maintenance_margin_rate = 2.5 %"
  expect(maintenanceMargin('1000', [{ fromUsd: 0, maxLeverage: 20 }]).toFixed()).toBe('25');
  // Tiers of the documentation's pilot: to 20,000 at 10x, to 100,000 at 5x, beyond at 3x.
  const pilot: readonly MarginTier[] = [
    { fromUsd: 0, maxLeverage: 10 },
    { fromUsd: 20_000, maxLeverage: 5 },
    { fromUsd: 100_000, maxLeverage: 3 },
  ];
  expect(maintenanceMargin('20000', pilot).toFixed()).toBe('1000');
  expect(maintenanceMargin('100000', pilot).toFixed()).toBe('9000');
  expect(maintenanceMargin('106000', pilot).toFixed(6)).toBe('10000.000000');
  // Each dollar has the rate of its tier.
  expect(maintenanceMargin('200000000', findMarginTiers('evmvenue:BTC')).toFixed()).toBe(
    new Decimal(150_000_000).div(80).plus(new Decimal(50_000_000).div(40)).toFixed(),
  );
});

test('leverage is the mandate’s, at most the venue’s for the largest position, and never below one', () => {
  const of = (instrument: string, maxLeverage: string, maxCapitalUsd = '10000') =>
    computeLeverage(instrument as never, { maxLeverage, maxCapitalUsd });
  expect(of('spotexchange:BTCUSDT', '5')).toBe('1');
  expect(of('evmvenue:BTC', '0.5')).toBe('1');
  expect(of('evmvenue:BTC', '7.5')).toBe('7.5');
  expect(of('evmvenue:BTC', '50')).toBe('40');
  expect(of('evmvenue:BTC', '50', '3000000')).toBe('20');
  expect(of('evmvenue:xyz:TSLA', '50')).toBe('10');
  expect(of('evmvenue:NEW', '50')).toBe('3');
});

const anyPosition = fc
  .record({
    quantity: fc.integer({ min: 1, max: 10_000_000 }),
    price: fc.integer({ min: 1, max: 20_000_000 }),
    leverage: fc.constantFrom('1', '1.5', '2', '5', '10', '20'),
    fundingBps: fc.integer({ min: -500, max: 500 }),
    key: fc.constantFrom('evmvenue:BTC', 'evmvenue:SOL', 'evmvenue:xyz:TSLA', 'evmvenue:NEW'),
  })
  .map(({ quantity, price, leverage, fundingBps, key }) => {
    const costUsd = new Decimal(quantity).times(price).div(10_000);
    const marginUsd = costUsd.div(computeLeverage(key as never, { maxLeverage: leverage, maxCapitalUsd: '10000000' }));
    const position: MarginedPosition = {
      quantity: plainDecimal(new Decimal(quantity).div(100)),
      costUsd,
      marginUsd,
      tiers: findMarginTiers(key as never),
    };
    return { position, price: new Decimal(price).div(100), funding: costUsd.times(fundingBps).div(10_000) };
  });

test('a position is liquidated at its liquidation price and below, never above it, and loses at most its margin', () => {
  fc.assert(
    fc.property(anyPosition, fc.integer({ min: 1, max: 12_000 }), ({ position, price, funding }, bps) => {
      const mark = price.times(bps).div(10_000);
      const equity = new Decimal(position.quantity).times(mark).minus(position.costUsd).plus(position.marginUsd).minus(funding);
      const maintenance = maintenanceMargin(new Decimal(position.quantity).times(mark), position.tiers);
      const ended = liquidationAt(position, funding, mark);
      // By definition: at the maintenance margin, and not before.
      expect(ended !== null).toBe(equity.lte(maintenance));
      const line = liquidationPrice(position, funding);
      const near = line.minus(mark).abs().lt(mark.times('1e-30'));
      if (!near) expect(ended !== null).toBe(mark.lte(line));
      if (ended === null) return;
      const left = new Decimal(position.quantity).times(ended.priceUsd).minus(position.costUsd).plus(position.marginUsd).minus(funding);
      if (ended.by === 'market') expect(left.eq(equity) && equity.gte(0)).toBe(true);
      else expect(left.abs().lt('1e-20')).toBe(true);
    }),
  );
});

test('the sale of a liquidated position costs the taker fee, and a backstop takeover costs its margin', () => {
  const held = { instrument: 'evmvenue:BTC', quantity: '0.1', costUsd: '5000', openedAt: 0 } as const;
  const position = { ...held, marginUsd: '1000', tiers: findMarginTiers('evmvenue:BTC') };
  // Equity 1000 + 0.1 x price - 5000 is 1.25 % of 0.1 x price at 40,506.33.
  expect(liquidationPrice(position, '0').toFixed(2)).toBe('40506.33');
  expect(liquidationPrice(position, '10').toFixed(2)).toBe('40607.59');
  expect(liquidationAt(position, '0', '40506.4')).toBeNull();
  const named = { id: 'liquidation:1', bookId: 'b', at: 1 };
  const sold = liquidationAt(position, '0', '40506') as NonNullable<ReturnType<typeof liquidationAt>>;
  expect(liquidationFill(held, sold, named)).toMatchObject({ fillPrice: '40506', notionalUsd: '4050.6', feeUsd: '1.82277' });
  const taken = liquidationAt(position, '0', '39000') as NonNullable<ReturnType<typeof liquidationAt>>;
  expect(liquidationFill(held, taken, named)).toMatchObject({ fillPrice: '40000', notionalUsd: '4000', feeUsd: '0' });
});

test('the funding of a period is the sum over any split of it', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ price: fc.integer({ min: 1, max: 1_000_000 }), rate: fc.integer({ min: -40_000, max: 40_000 }) }), {
        minLength: 1,
        maxLength: 40,
      }),
      fc.nat(40),
      (hours, cut) => {
        const sum = (part: typeof hours) =>
          part.reduce(
            (total, { price, rate }) => total.plus(computeFundingUsd('1.5', String(price), plainDecimal(new Decimal(rate).div(1e8)))),
            new Decimal(0),
          );
        expect(
          sum(hours.slice(0, cut))
            .plus(sum(hours.slice(cut)))
            .eq(sum(hours)),
        ).toBe(true);
      },
    ),
  );
});
