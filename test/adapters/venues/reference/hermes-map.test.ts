// Pyth's messages: exact prices, times, sessions, and what must yield nothing.
import { existsSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bareFeedId, mapHermesUpdate, mapProUpdate, scaledDecimal } from '../../../../src/adapters/venues/reference/hermes-map.ts';

const AAPL = '49f6b65cb1de6b10eaf75e7c03ca029c306d0357e91b5311b175084a5ad55688';
const SYMBOLS = new Map([[AAPL, 'AAPL']]);
const AT = 1_790_187_893_500;
const RECORDED = '../shared/data/fixtures/pyth/pyth_hermes_2025-06-27T1641Z_regular-session.json';

function fixture(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../fixtures/pyth/${name}`, import.meta.url), 'utf8'));
}

/** Returns an update of AAPL with some members changed. */
function changed(price: Record<string, unknown>, entry: Record<string, unknown> = {}): unknown {
  const original = (fixture('hermes-update.json') as { parsed: { price: object }[] }).parsed[0] as { price: object };
  return { parsed: [{ ...original, ...entry, price: { ...original.price, ...price } }] };
}

describe('scaling a mantissa', () => {
  test.each([
    ['6140993501000', -8, '61409.93501'],
    ['12276250', -5, '122.7625'],
    ['100000', -5, '1'],
    ['7', -5, '0.00007'],
    ['0', -5, '0'],
    ['000', 3, '0'],
    ['-25', -1, '-2.5'],
    ['12', 3, '12000'],
    ['9223372036854775807', -18, '9.223372036854775807'],
  ])('%s x 10^%i is %s', (mantissa, exponent, text) => expect(scaledDecimal(mantissa, exponent)).toBe(text));

  test('is exact for every 64-bit integer: shifting back gives the mantissa', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), fc.integer({ min: -18, max: 0 }), (mantissa, exponent) => {
        const text = scaledDecimal(mantissa.toString(), exponent) as string;
        expect(text).toMatch(/^-?\d+(\.\d*[1-9])?$/);
        const [whole = '', fraction = ''] = text.split('.');
        expect(BigInt(`${whole}${fraction.padEnd(-exponent, '0')}`)).toBe(mantissa);
      }),
    );
  });

  test.each([
    ['1.5', -5],
    ['1e5', -5],
    ['', -5],
    [5, -5],
    ['5', -19],
    ['5', 1.5],
    ['5', '-5'],
    ['99999999999999999999999', 0],
  ])('refuses %j x 10^%j', (mantissa, exponent) => expect(scaledDecimal(mantissa, exponent)).toBeNull());
});

describe('a Hermes update', () => {
  test('becomes a reference price with the provider time in milliseconds', () => {
    expect(mapHermesUpdate(fixture('hermes-update.json'), SYMBOLS, AT)).toMatchObject({
      rejections: [],
      prices: [
        {
          kind: 'reference',
          venue: 'reference',
          instrument: 'AAPL',
          source: 'pyth:hermes',
          referencePrice: '337.375',
          confidence: '0.081',
          feedUpdatedAt: 1_790_187_892_000,
          observedAt: 1_790_187_892_000,
          receivedAt: AT,
          publisherSession: null,
          quality: 'live',
          flags: [],
        },
      ],
    });
  });

  test('accepts ids with 0x and in upper case', () => {
    expect(mapHermesUpdate(changed({}, { id: `0x${AAPL.toUpperCase()}` }), SYMBOLS, AT).prices).toHaveLength(1);
    expect(bareFeedId(`0x${AAPL.toUpperCase()}`)).toBe(AAPL);
    expect(() => bareFeedId('AAPL')).toThrow(/64 hexadecimal digits/);
  });

  test.each<[string, unknown, string]>([
    ['a price of zero', changed({ price: '0' }), 'non_positive_price'],
    ['a negative price', changed({ price: '-33737500' }), 'non_positive_price'],
    ['NaN as price', changed({ price: 'NaN' }), 'bad_number'],
    ['a price as JSON number', changed({ price: 33737500 }), 'bad_number'],
    ['a fraction as price', changed({ price: '1.5' }), 'bad_number'],
    ['an absurd exponent', changed({ expo: -300 }), 'bad_number'],
    ['a negative confidence', changed({ conf: '-1' }), 'bad_number'],
    ['no confidence', changed({ conf: undefined }), 'bad_number'],
    ['no publish time', changed({ publish_time: undefined }), 'missing_field'],
    ['milliseconds as publish time', changed({ publish_time: 1_790_187_892_000 }), 'bad_number'],
    ['a feed that nobody asked for', changed({}, { id: 'f'.repeat(64) }), 'unknown_instrument'],
    ['an entry without a price', { parsed: [{ id: AAPL }] }, 'missing_field'],
    ['an entry that is null', { parsed: [null] }, 'missing_field'],
    ['no list', { parsed: {} }, 'unknown_shape'],
    ['binary only', { binary: { encoding: 'hex', data: [] } }, 'unknown_shape'],
    ['a text', 'hello', 'unknown_shape'],
    ['null', null, 'unknown_shape'],
  ])('with %s yields no price and one counted rejection', (_, message, reason) => {
    const { prices, rejections } = mapHermesUpdate(message, SYMBOLS, AT);
    expect(prices).toEqual([]);
    expect(rejections).toMatchObject([{ kind: 'rejection', venue: 'reference', reason, receivedAt: AT }]);
    expect(rejections[0]?.sample.length).toBeLessThanOrEqual(200);
  });

  test('never throws, whatever JSON comes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        mapHermesUpdate(value, SYMBOLS, AT);
        mapHermesUpdate({ parsed: [value] }, SYMBOLS, AT);
        mapHermesUpdate({ parsed: [{ id: AAPL, price: value }] }, SYMBOLS, AT);
        mapProUpdate(value, new Map(), AT);
        mapProUpdate({ type: 'streamUpdated', parsed: { timestampUs: '1', priceFeeds: [value] } }, new Map(), AT);
      }),
    );
  });

  test.skipIf(!existsSync(RECORDED))('recorded in a regular session maps whole (optional recording)', () => {
    const { priceFeeds, hermesResponse } = JSON.parse(readFileSync(RECORDED, 'utf8')) as {
      priceFeeds: { id: string; symbol: string }[];
      hermesResponse: { parsed: { id: string; price: { price: string; expo: number } }[] };
    };
    const symbols = new Map(priceFeeds.map(({ id, symbol }) => [bareFeedId(id), symbol]));
    const { prices, rejections } = mapHermesUpdate(hermesResponse, symbols, AT);
    expect(rejections).toEqual([]);
    expect(prices).toHaveLength(hermesResponse.parsed.length);
    hermesResponse.parsed.forEach(({ price }, index) => {
      expect(Number(prices[index]?.referencePrice)).toBeCloseTo(Number(price.price) * 10 ** price.expo, 6);
    });
  });
});

describe('a Pyth Pro push', () => {
  const IDS = new Map([[922, 'AAPL']]);

  test('keeps tick and update apart, in milliseconds, and names the session', () => {
    expect(mapProUpdate(fixture('pro-carried-forward.json'), IDS, AT).prices).toMatchObject([
      {
        instrument: 'AAPL',
        referencePrice: '337.375',
        confidence: '0.09',
        observedAt: 1_790_400_000_000,
        feedUpdatedAt: 1_790_366_400_000,
        publisherSession: 'CLOSED',
      },
    ]);
  });

  test.each([
    ['regular', 'REGULAR'],
    ['preMarket', 'PRE_MARKET'],
    ['postMarket', 'POST_MARKET'],
    ['overNight', 'CLOSED'],
    ['closed', 'CLOSED'],
    ['lunch', null],
  ])('reads session %s as %s', (word, session) => {
    const push = JSON.parse(JSON.stringify(fixture('pro-carried-forward.json')).replace('"closed"', `"${word}"`));
    expect(mapProUpdate(push, IDS, AT).prices[0]?.publisherSession).toBe(session);
  });

  test('of an unknown feed or without its stamp is refused', () => {
    expect(mapProUpdate(fixture('pro-carried-forward.json'), new Map(), AT).rejections).toMatchObject([{ reason: 'unknown_instrument' }]);
    const push = JSON.parse(JSON.stringify(fixture('pro-carried-forward.json')).replace('feedUpdateTimestamp', 'other'));
    expect(mapProUpdate(push, IDS, AT).rejections).toMatchObject([{ reason: 'missing_field' }]);
    expect(mapProUpdate({ type: 'subscribed' }, IDS, AT).rejections).toMatchObject([{ reason: 'unknown_shape' }]);
  });
});
