/** Frames of the spot exchange become engine messages, or a counted rejection, and never an exception. */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { mapSpotFrame, streamSymbols } from '../../../../src/adapters/venues/spotexchange/map.ts';
import { seededRandom } from '../../../../src/sandbox/faults.ts';

interface Fixture {
  readonly instruments: string[];
  readonly frames: { what: string; frame: unknown; yields: string | null; reason?: string }[];
}
const fixture = JSON.parse(readFileSync(new URL('../../../fixtures/binance/combined-stream.json', import.meta.url), 'utf8')) as Fixture;
const SYMBOLS = streamSymbols(fixture.instruments);
const map = (frame: unknown) =>
  mapSpotFrame(Buffer.from(typeof frame === 'string' ? frame : JSON.stringify(frame)), 1_700_000_000_000, SYMBOLS);

describe('each kind of frame', () => {
  test.each(fixture.frames)('$what yields $yields $reason', ({ frame, yields, reason }) => {
    const messages = map(frame);
    expect(messages.map((message) => message.kind)).toEqual(yields === null ? [] : [yields]);
    if (reason !== undefined) expect(messages[0]).toMatchObject({ reason, venue: 'spotexchange', receivedAt: 1_700_000_000_000 });
  });

  test('a quote has the exchange’s texts, its update id as sequence and no invented time', () => {
    expect(map(fixture.frames[0]?.frame)).toEqual([
      {
        kind: 'quote',
        venue: 'spotexchange',
        instrument: 'BNBBTC',
        source: 'binance:bookTicker',
        observedAt: 1_700_000_000_000,
        receivedAt: 1_700_000_000_000,
        sourceTime: false,
        bid: '25.35190000',
        ask: '25.36520000',
        bidSize: '31.21000000',
        askSize: '40.66000000',
        sequence: 400900217,
        quality: 'live',
        flags: [],
      },
    ]);
  });

  test('an empty side is null and degrades the quote', () => {
    expect(map(fixture.frames[1]?.frame)).toMatchObject([
      { bid: null, bidSize: null, ask: '25.36520000', quality: 'degraded', flags: ['one_sided'] },
    ]);
  });

  test('a price without size is an empty side, not an executable price', () => {
    const data = { u: 1, s: 'BNBBTC', b: '25.3', B: '0.000', a: '25.4', A: '1' };
    expect(map({ stream: 'bnbbtc@bookTicker', data })).toMatchObject([{ bid: null, bidSize: null, ask: '25.4', quality: 'degraded' }]);
  });

  test('a closed bar keeps its texts', () => {
    expect(map(fixture.frames[3]?.frame)).toMatchObject([
      {
        instrument: 'BNBBTC',
        timeframe: '1m',
        candles: [{ openTime: 1672515780000, open: '0.0010', high: '0.0025', low: '0.0010', close: '0.0020', volume: '1000' }],
      },
    ]);
  });

  test('the sample of a rejection is at most 200 characters', () => {
    const [message] = map(`{"stream":"${'x'.repeat(5_000)}`);
    expect(message).toMatchObject({ kind: 'rejection', reason: 'not_json' });
    expect((message as { sample: string }).sample.length).toBe(200);
  });
});

test('20,000 random byte strings are refused one by one and none throws', () => {
  const random = seededRandom(7);
  for (let index = 0; index < 20_000; index++) {
    const frame = Buffer.from(Array.from({ length: Math.floor(random() * 60) }, () => Math.floor(random() * 256)));
    const messages = mapSpotFrame(frame, 1, SYMBOLS);
    expect(messages.map((message) => message.kind)).toEqual(['rejection']);
  }
});

const SHARED = new URL('../../../../../shared/data/', import.meta.url);
describe.skipIf(!existsSync(SHARED))('recorded payloads (optional test data; skipped where it is absent)', () => {
  test.each([
    ['BINANCE', ['NKNUSDT', 'BLZETH', 'LRCBTC', 'RUNEEUR'], { depth_diff: 177, quote: 84 }],
    ['BINANCE_US', ['CRVUSDT', 'COMPUSDT', 'OMGBUSD', 'ZRXUSDT'], { depth_diff: 336, quote: 128 }],
  ])('the %s session is read without a single rejection', (name, instruments, expected) => {
    const lines = gunzipSync(readFileSync(new URL(`tapes/cryptofeed/${name}.ws.1.0.log.gz`, SHARED)))
      .toString('utf8')
      .split('\n');
    const counts: Record<string, number> = {};
    for (const line of lines) {
      const at = line.indexOf(': {');
      if (at < 0) continue;
      for (const message of mapSpotFrame(Buffer.from(line.slice(at + 2)), 1, streamSymbols(instruments)))
        counts[message.kind] = (counts[message.kind] ?? 0) + 1;
    }
    expect(counts).toMatchObject(expected);
    expect(counts['rejection']).toBeUndefined();
  });

  test('agrees with an independent mapper on best bid and ask, and on frames without any', () => {
    const pairs = JSON.parse(readFileSync(new URL('oracles/normalise/tardis_binance.json', SHARED), 'utf8')) as {
      message: { stream: string; data: { s?: string }; generated?: boolean };
      expected: { type: string; symbol: string; bidPrice: number; bidAmount: number; askPrice: number; askAmount: number }[];
    }[];
    let compared = 0;
    for (const { message, expected } of pairs) {
      if (message.generated) continue;
      const instrument = (message.stream.split('@')[0] as string).toUpperCase();
      const quotes = mapSpotFrame(Buffer.from(JSON.stringify(message)), 1, streamSymbols([instrument])).filter(
        (mapped) => mapped.kind === 'quote',
      );
      const tickers = expected.filter(({ type }) => type === 'book_ticker');
      expect(
        quotes.map((quote) => [quote.instrument, Number(quote.bid), Number(quote.bidSize), Number(quote.ask), Number(quote.askSize)]),
      ).toEqual(tickers.map((ticker) => [ticker.symbol, ticker.bidPrice, ticker.bidAmount, ticker.askPrice, ticker.askAmount]));
      compared += tickers.length;
    }
    expect(compared).toBeGreaterThan(0);
  });
});
