// The terminal parses an order as a trader types it, and computes with decimal texts.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Decimal } from '../../src/domain/values/decimal.ts';

type Entry = Record<'key' | 'instrument' | 'underlying' | 'venue', string>;
interface Words {
  ordersIn(words: string, entries: readonly Entry[]): readonly Record<'side' | 'size' | 'unit' | 'symbol' | 'price', string | null>[];
}
interface Arithmetic {
  decimalDifference(left: string, right: string): string;
  multiply(left: string, right: string): string;
}
const web = (name: string): Promise<unknown> => import(new URL(`../../web/terminal/${name}`, import.meta.url).href);
const { ordersIn } = (await web('order-in-words.ts')) as Words;
const { multiply } = (await web('kit/decimal.ts')) as Arithmetic;
const { decimalDifference } = (await web('../words.js')) as Arithmetic;

const entry = (venue: string, instrument: string, underlying: string): Entry => ({
  key: `${venue}:${instrument}`,
  venue,
  instrument,
  underlying,
});
const ENTRIES = [
  entry('evmvenue', 'BTC', 'BTC'),
  entry('spotchain', 'AAPLx', 'AAPL'),
  entry('spotexchange', 'BTCUSDT', 'BTC'),
  entry('evmvenue', 'SOL', 'SOL'),
];
const read = (words: string): string[] =>
  ordersIn(words, ENTRIES).map(
    ({ side, size, unit, symbol, price }) => `${side} ${size} ${unit} ${symbol}${price === null ? '' : ` @${price}`}`,
  );

test.each([
  ['buy 500 AAPLx', ['buy 500 usd AAPLx']],
  ['Buy $1,250.50 of aapl', ['buy 1250.50 usd AAPLx']],
  ['sell 3 AAPLx', ['sell 3 units AAPLx']],
  ['buy 0.5 btc', ['buy 0.5 usd BTCUSDT', 'buy 0.5 units BTCUSDT']],
  ['b $1k btc', ['buy 1000 usd BTCUSDT']],
  ['buy 1.25k usd btcusdt', ['buy 1250 usd BTCUSDT']],
  ['sell 0.25 BTC at 97,000', ['sell 0.25 units BTCUSDT @97000', 'sell 0.25 usd BTCUSDT @97000']],
  // A swap gives tokens at the market: neither dollars nor a limit are read as something else.
  ['sell $500 AAPLx', []],
  ['sell 500 usdc of AAPLx', []],
  ['buy 500 AAPLx at 200', []],
  ['buy 500 SOL', []],
  ['buy 0 BTC', []],
  ['buy 1,00 BTC', []],
  ['buy 1.2.3 BTC', []],
  ['buy 5 BTC at 0', []],
  ['approve', []],
])('“%s” is read as %j', (words, orders) => {
  expect(read(words)).toEqual(orders);
});

test('differences and products of decimal texts are exact', () => {
  const decimal = fc
    .tuple(fc.bigInt({ min: -(10n ** 10n), max: 10n ** 10n }), fc.integer({ min: 0, max: 8 }))
    .map(([digits, places]) => new Decimal(digits.toString()).div(new Decimal(10).pow(places)).toFixed());
  fc.assert(
    fc.property(decimal, decimal, (a, b) => {
      expect(new Decimal(decimalDifference(a, b)).eq(new Decimal(a).minus(b))).toBe(true);
      const [digits] = [(BigInt(a.replace('.', '')) * BigInt(b.replace('.', ''))).toString()];
      const places = (a.split('.')[1]?.length ?? 0) + (b.split('.')[1]?.length ?? 0);
      expect(
        multiply(a, b)
          .replace(/^-/, '')
          .replace('.', '')
          .replace(/^0+|0+$/g, ''),
      ).toBe(digits.replace(/^-/, '').replace(/^0+|0+$/g, ''));
      expect((multiply(a, b).split('.')[1] ?? '').length).toBeLessThanOrEqual(places);
    }),
  );
});
