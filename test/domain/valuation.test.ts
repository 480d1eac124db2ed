/** Valuation ratios are exact, and only a live quote of the right venue prices an order. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_FLAGS, QUALITIES, type Quality, type Quote } from '../../src/domain/market/quote.ts';
import {
  basisPct,
  exactPercentAbove,
  executablePrice,
  gapToMarkPct,
  impliedValuation,
  midPrice,
  premiumPct,
} from '../../src/domain/market/valuation.ts';
import type { ExecutableVenue } from '../../src/domain/market/venue.ts';

function quoteOn<V extends ExecutableVenue>(venue: V, over: Partial<Quote<V>> = {}): Quote<V> {
  return {
    kind: 'quote',
    venue,
    instrument: 'AAPLx',
    source: 'test',
    observedAt: 1_000,
    receivedAt: 1_001,
    sourceTime: true,
    bid: '99.5',
    ask: '100.25',
    bidSize: '1',
    askSize: '2',
    sequence: 7,
    quality: 'live',
    flags: NO_FLAGS,
    ...over,
  };
}

test('a token above the reference is at a premium, below it at a discount', () => {
  expect(premiumPct('101', '100')).toBe(1);
  expect(premiumPct('98.5', '100')).toBe(-1.5);
  expect(premiumPct('100', '100')).toBe(0);
});

test('ratios are rounded to eight decimals, half to even', () => {
  expect(premiumPct('1', '3')).toBe(-66.66666667);
  // Exactly half of the ninth decimal, in both directions.
  expect(premiumPct('100.000000005', '100')).toBe(0);
  expect(premiumPct('100.000000015', '100')).toBe(0.00000002);
});

test('no base above zero, no ratio', () => {
  for (const base of ['0', '0.000', '-1', 'NaN', '']) expect(premiumPct('1', base)).toBeNull();
  expect(basisPct('x', '1')).toBeNull();
});

test('the captured pre-IPO example: implied valuation and gap to mark agree with the issuer', () => {
  // Issuer's answer of 2026-09-16 for ANTHROPIC: mark price and valuation, token price, implied valuation.
  const implied = impliedValuation('956.7206391833798', '1007.05683324', '1649903811610') as string;
  expect(Number(implied) / 1_567_435_895_506).toBeCloseTo(1, 6);
  expect(gapToMarkPct(implied, '1649903811610')).toBeCloseTo(gapToMarkPct('956.7206391833798', '1007.05683324') as number, 7);
  expect(gapToMarkPct(implied, '1649903811610')).toBeCloseTo(-4.9984, 3);
});

/** Computes (value - base) / base x 100 with integers, half to even at the eighth decimal. */
function percentOver(value: bigint, base: bigint): number {
  const scaled = (value - base) * 10n ** 10n;
  const size = scaled < 0n ? -scaled : scaled;
  const twice = (size % base) * 2n;
  const floor = size / base;
  const rounded = twice > base || (twice === base && floor % 2n === 1n) ? floor + 1n : floor;
  const number = Number(`${rounded / 10n ** 8n}.${String(rounded % 10n ** 8n).padStart(8, '0')}`);
  return scaled < 0n ? 0 - number : number;
}

test('percentages equal integer arithmetic to the last digit, fast and exact path alike', () => {
  const amount = fc.oneof(
    fc.bigInt({ min: 1n, max: 10n ** 14n }),
    fc.bigInt({ min: 1n, max: 10n ** 20n }),
    fc.bigInt({ min: 1n, max: 1_000n }),
  );
  fc.assert(
    fc.property(amount, amount, (value, base) => {
      const expected = percentOver(value, base);
      expect(premiumPct(String(value), String(base))).toBe(expected);
      expect(exactPercentAbove(String(value), String(base))).toBe(expected);
    }),
    { numRuns: 3_000 },
  );
});

test('ratios that lie on a rounding step or a hair beside it are rounded exactly', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 12n }), fc.integer({ min: -1, max: 1 }), fc.boolean(), (step, hair, below) => {
      // base 10^24: the ratio is (2 step + 1) / 2 x 1e-8 percent, give or take 1e-22 percent.
      const base = 10n ** 24n;
      const change = (2n * step + 1n) * 5n * 10n ** 13n + BigInt(hair);
      const value = below ? base - change : base + change;
      if (value <= 0n) return;
      expect(premiumPct(String(value), String(base))).toBe(percentOver(value, base));
    }),
    { numRuns: 2_000 },
  );
});

test('the mid is exact and needs both sides', () => {
  expect(midPrice('0.1', '0.2')).toBe('0.15');
  expect(midPrice('65000.01', '65000.02')).toBe('65000.015');
  expect(midPrice(null, '1')).toBeNull();
  expect(midPrice('1', null)).toBeNull();
});

test('a buy takes the ask and a sell the bid', () => {
  expect(executablePrice(quoteOn('spotchain'), 'spotchain', 'buy')).toEqual({ ok: true, venue: 'spotchain', executablePrice: '100.25' });
  expect(executablePrice(quoteOn('spotchain'), 'spotchain', 'sell')).toEqual({ ok: true, venue: 'spotchain', executablePrice: '99.5' });
});

test.each(QUALITIES.filter((quality) => quality !== 'live'))('a %s quote prices nothing', (quality: Quality) => {
  const refused = executablePrice(quoteOn('evmvenue', { quality, flags: ['gap'] }), 'evmvenue', 'buy');
  expect(refused).toMatchObject({ ok: false, code: 'quote_not_live' });
  expect(refused.ok === false && refused.problem).toContain(`${quality} (gap)`);
});

test('a missing side prices nothing on that side', () => {
  expect(executablePrice(quoteOn('spotchain', { ask: null }), 'spotchain', 'buy')).toMatchObject({ ok: false, code: 'quote_not_live' });
  expect(executablePrice(quoteOn('spotchain', { ask: null }), 'spotchain', 'sell')).toMatchObject({ ok: true });
  expect(executablePrice(quoteOn('spotchain', { bid: '0' }), 'spotchain', 'sell')).toMatchObject({ ok: false, code: 'quote_not_live' });
});

test('another venue’s quote does not compile, and is refused where its type was lost', () => {
  // @ts-expect-error a quote of spotchain cannot price an order on evmvenue
  expect(executablePrice(quoteOn('spotchain'), 'evmvenue', 'buy')).toMatchObject({ ok: false, code: 'venue_mismatch' });
  const untyped: Quote = quoteOn('spotchain');
  expect(executablePrice(untyped, 'spotexchange', 'buy')).toMatchObject({ ok: false, code: 'venue_mismatch' });
});
