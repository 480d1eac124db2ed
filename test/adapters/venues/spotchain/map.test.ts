// Jupiter's answers: raw amounts, multipliers, prices per UI unit, and what is refused.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { mapOhlcv } from '../../../../src/adapters/venues/spotchain/candles.ts';
import { type Leg, mapProbe, readLeg, readPrices, type SpotToken } from '../../../../src/adapters/venues/spotchain/map.ts';
import { fixedMultiplier, multiplierAt, readScaledUi, toScaledUi } from '../../../../src/adapters/venues/spotchain/multiplier.ts';
import { CATALOG, multiplierAt as catalogMultiplierAt, type TokenFacts } from '../../../../src/domain/catalog/catalog.ts';
import { Decimal } from '../../../../src/domain/values/decimal.ts';

const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const SPYX = 'XsoCS1TfEyfFhfvj8EtZ528L3CaKBDBRqRapnBbDF2W';
const AT = 1_790_000_000_000;

function fixture(name: string): Record<string, unknown> {
  return JSON.parse(readFileSync(new URL(`../../../fixtures/jupiter/${name}`, import.meta.url), 'utf8')) as Record<string, unknown>;
}

const spyx: SpotToken = {
  symbol: 'SPYx',
  mint: SPYX,
  decimals: 8,
  scaledUi: { multiplier: '1.0039092', newMultiplier: '1.0057146', effectiveAt: Date.UTC(2026, 5, 18) },
};
const leg = (inAmount: string, outAmount: string, contextSlot: number | null = 7): Leg => ({ inAmount, outAmount, contextSlot });

describe('reading a route answer', () => {
  test.each([
    ['quote-two-hops.json', 451_244_243],
    ['quote-one-hop.json', 299_283_763],
    ['order-no-taker.json', null],
  ])('takes %s', (name, slot) => {
    const body = fixture(name);
    const { inputMint, outputMint, inAmount, outAmount } = body as Record<string, string>;
    expect(readLeg(body, inputMint as string, outputMint as string, inAmount as string)).toEqual({
      inAmount,
      outAmount,
      contextSlot: slot,
    });
  });

  test('refuses the answer to another question', () => {
    const body = fixture('quote-one-hop.json');
    const sol = 'So11111111111111111111111111111111111111112';
    expect(readLeg(body, USDC, sol, '100000000')).toMatch(/was not asked for/);
    expect(readLeg(body, sol, SPYX, '100000000')).toMatch(/was not asked for/);
    expect(readLeg(body, sol, USDC, '100000001')).toMatch(/not the 100000001/);
  });

  test.each([['0'], ['-5'], ['1.5'], ['1e9'], [''], [16198753], [null], [undefined], ['123456789012345678901']])(
    'refuses %j as outAmount',
    (outAmount) => {
      const body = { ...fixture('quote-one-hop.json'), outAmount };
      expect(readLeg(body, body['inputMint' as keyof typeof body] as never, USDC, '100000000')).toMatch(/no raw amount above zero/);
    },
  );

  test('never throws on any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(typeof readLeg(value, USDC, SPYX, '1')).toBe('string');
        readPrices(value);
        readScaledUi(value);
      }),
    );
  });
});

describe('a probe', () => {
  test('divides by the current multiplier: the captured SPYx order is 759.06 per share, not 763.40', () => {
    const quote = mapProbe(
      spyx,
      6,
      { buy: leg('10000000', '1309930'), sell: leg('1309930', '9950000') },
      multiplierAt(spyx.scaledUi, AT),
      756.894,
      5,
      AT,
    );
    // 10 / 0.01309930 = 763.40 per raw whole token; / 1.0057146 = 759.06 per share.
    expect(Number(quote.ask)).toBeCloseTo(10 / 0.0130993 / 1.0057146, 8);
    expect(Number(quote.bid)).toBeCloseTo(9.95 / 0.0130993 / 1.0057146, 8);
    expect(Number(quote.askSize)).toBeCloseTo(0.0130993 * 1.0057146, 12);
    expect(quote).toMatchObject({
      kind: 'quote',
      venue: 'spotchain',
      instrument: 'SPYx',
      sequence: 7,
      quality: 'live',
      flags: [],
      sourceTime: false,
      observedAt: AT,
    });
  });

  test('is degraded where the venue price disagrees, as it does with a forgotten multiplier of 5', () => {
    const spacex: SpotToken = { symbol: 'SPACEX', mint: 'P', decimals: 9, scaledUi: fixedMultiplier('5') };
    const probe = { buy: leg('100000000', '171924000'), sell: leg('171924000', '99000000') };
    expect(mapProbe(spacex, 6, probe, '5', 116.33, 5, AT)).toMatchObject({ quality: 'live', flags: [] });
    expect(mapProbe(spacex, 6, probe, '1', 116.33, 5, AT)).toMatchObject({ quality: 'degraded', flags: ['wide_confidence'] });
    expect(mapProbe(spacex, 6, probe, '1', null, 5, AT)).toMatchObject({ quality: 'live' });
  });

  test('is one-sided and degraded if the token cannot be sold', () => {
    expect(mapProbe(spyx, 6, { buy: leg('10000000', '1309930'), sell: null }, '1', null, 5, AT)).toMatchObject({
      bid: null,
      bidSize: null,
      quality: 'degraded',
      flags: ['one_sided'],
    });
  });

  test('rounds against the trader and never loses more than the 15th digit', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 1n, max: 10n ** 15n }),
        fc.bigInt({ min: 1n, max: 10n ** 15n }),
        fc.bigInt({ min: 1n, max: 10n ** 15n }),
        fc.constantFrom('1', '5', '1.4861347'),
        (cost, got, back, multiplier) => {
          const quote = mapProbe(
            spyx,
            6,
            { buy: leg(String(cost), String(got)), sell: leg(String(got), String(back)) },
            multiplier,
            null,
            5,
            AT,
          );
          const exact = (stable: bigint) => new Decimal(stable.toString()).times(100).div(new Decimal(got.toString()).times(multiplier));
          const ask = new Decimal(quote.ask as string);
          const bid = new Decimal(quote.bid as string);
          expect(ask.gte(exact(cost))).toBe(true);
          expect(bid.lte(exact(back))).toBe(true);
          expect(ask.div(exact(cost)).minus(1).toNumber()).toBeLessThan(1e-13);
          expect(bid.div(exact(back)).minus(1).abs().toNumber()).toBeLessThan(1e-13);
        },
      ),
    );
  });
});

describe('multipliers', () => {
  test('switch at their instant and not a millisecond earlier', () => {
    const { scaledUi } = spyx;
    expect(multiplierAt(scaledUi, scaledUi.effectiveAt - 1)).toBe('1.0039092');
    expect(multiplierAt(scaledUi, scaledUi.effectiveAt)).toBe('1.0057146');
  });

  test('agree with the catalog for every token and both sides of every switch', () => {
    for (const { token } of CATALOG.entries as readonly { token: TokenFacts | null }[]) {
      if (token === null) continue;
      for (const at of [0, token.newMultiplierEffectiveAt - 1, token.newMultiplierEffectiveAt, AT]) {
        expect(Number(multiplierAt(toScaledUi(token), at))).toBe(catalogMultiplierAt(token, at));
      }
    }
  });

  test.each([
    [
      'ISO time',
      { multiplier: 1, newMultiplier: 5, newMultiplierEffectiveAt: '2026-06-10T04:50:00Z' },
      { multiplier: '1', newMultiplier: '5', effectiveAt: Date.UTC(2026, 5, 10, 4, 50) },
    ],
    [
      'unix time',
      { multiplier: 1, newMultiplier: 5, newMultiplierEffectiveTimestamp: 1_781_065_800 },
      { multiplier: '1', newMultiplier: '5', effectiveAt: 1_781_065_800_000 },
    ],
    ['nothing pending', { multiplier: 1.5 }, fixedMultiplier('1.5')],
    ['a zero that stands for nothing', { multiplier: 1.5, newMultiplier: 0 }, fixedMultiplier('1.5')],
    ['a new one without a time', { multiplier: 1.5, newMultiplier: 2 }, null],
    ['a new one that is not a number', { multiplier: 1.5, newMultiplier: '2', newMultiplierEffectiveTimestamp: 1 }, null],
    ['the same one again', { multiplier: 1.5, newMultiplier: 1.5 }, fixedMultiplier('1.5')],
    ['no multiplier', { newMultiplier: 2 }, null],
    ['a multiplier of zero', { multiplier: 0 }, null],
    ['a text', 'x', null],
  ])('are read with %s', (_, config, expected) => expect(readScaledUi(config)).toEqual(expected));
});

describe('prices', () => {
  test('per UI unit, liquidity and multipliers are read from the captured shape', () => {
    expect(readPrices(fixture('price-v3.json'))).toEqual({
      unread: [],
      rows: new Map([
        [
          'XsbEhLAtcf6HdfpFZ5xEMdqW8nfAvcsP5bdudRLJzJp',
          {
            usdPrice: 336.7591201,
            liquidityUsd: '665581.29',
            scaledUi: { multiplier: '1.0026642076', newMultiplier: '1.0032690125', effectiveAt: Date.UTC(2026, 7, 8, 0, 30) },
          },
        ],
      ]),
    });
    // Relation in the capture: price per raw token = price per UI unit x multiplier.
    const { scaledUiConfig, usdPrice } = Object.values(fixture('price-v3.json'))[0] as {
      usdPrice: number;
      scaledUiConfig: { newMultiplier: number; usdPricePrescaled: number };
    };
    expect(scaledUiConfig.usdPricePrescaled / usdPrice).toBeCloseTo(scaledUiConfig.newMultiplier, 6);
  });

  test('that are missing, zero, negative or no number are refused, each separately', () => {
    const read = readPrices({
      a: null,
      b: {},
      c: { usdPrice: 0 },
      d: { usdPrice: -1 },
      e: { usdPrice: '5' },
      f: { usdPrice: 5, liquidity: -1 },
      g: { usdPrice: 5, scaledUiConfig: { multiplier: 1, newMultiplier: 5 } },
      h: { usdPrice: 5 },
    });
    if (typeof read === 'string') throw new Error(read);
    expect(read.rows).toEqual(new Map([['h', { usdPrice: 5, liquidityUsd: null, scaledUi: null }]]));
    expect(read.unread.map(({ reason, detail }) => [detail[0], reason])).toEqual([
      ['a', 'unknown_shape'],
      ['b', 'missing_field'],
      ['c', 'non_positive_price'],
      ['d', 'non_positive_price'],
      ['e', 'bad_number'],
      ['f', 'bad_number'],
      ['g', 'unknown_shape'],
    ]);
    expect(readPrices([])).toMatch(/not an object/);
  });
});

describe('pool bars', () => {
  const page = (rows: unknown) => ({ data: { id: 'x', type: 'ohlcv_request_response', attributes: { ohlcv_list: rows } } });

  test('arrive newest first, in raw units and dollars of volume, and are returned ascending, per UI unit and in base units', () => {
    const switchAt = 1_781_065_800_000;
    const scaledUi = { multiplier: '1', newMultiplier: '5', effectiveAt: switchAt };
    const hour = Math.floor(switchAt / 3_600_000) * 3_600;
    expect(
      mapOhlcv(
        page([
          [hour + 3600, 500, 510, 495, 505, 1010],
          [hour, 100, 102, 99, 101, 202],
        ]),
        scaledUi,
      ),
    ).toEqual([
      { openTime: hour * 1000, open: '100', high: '102', low: '99', close: '101', volume: '2' },
      { openTime: (hour + 3600) * 1000, open: '100', high: '102', low: '99', close: '101', volume: '10' },
    ]);
  });

  test.each([[page(null)], [page([[1, 2, 3]])], [page([[1, '2', 3, 4, 5, 6]])], [page([[1, 0, 1, 0, 1, 1]])], [{}], [null]])(
    'refuse %j',
    (body) => expect(() => mapOhlcv(body, fixedMultiplier('1'))).toThrow(),
  );
});
