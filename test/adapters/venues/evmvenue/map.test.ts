/** Frames of the perpetuals venue become engine messages, or a counted rejection, and never an exception. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mapPerpFrame } from '../../../../src/adapters/venues/evmvenue/map.ts';
import { seededRandom } from '../../../../src/sandbox/faults.ts';

interface Fixture {
  readonly instruments: string[];
  readonly frames: { what: string; frame: unknown; yields: string[]; reason?: string }[];
}
const fixture = JSON.parse(readFileSync(new URL('../../../fixtures/hyperliquid/frames.json', import.meta.url), 'utf8')) as Fixture;
const NOW = 1_750_948_920_000;
const map = (frame: unknown, coins = fixture.instruments) =>
  mapPerpFrame(Buffer.from(typeof frame === 'string' ? frame : JSON.stringify(frame)), NOW, new Set(coins));
const frameOf = (what: string) => fixture.frames.find((frame) => frame.what === what)?.frame;

test.each(fixture.frames)('$what yields $yields $reason', ({ frame, yields, reason }) => {
  const messages = map(frame);
  expect(messages.map((message) => message.kind)).toEqual(yields);
  if (reason !== undefined) expect(messages[0]).toMatchObject({ reason, venue: 'evmvenue', receivedAt: NOW });
});

test('a quote has the venue’s time and its exact texts', () => {
  expect(map(frameOf('the best of both sides'))).toEqual([
    {
      kind: 'quote',
      venue: 'evmvenue',
      instrument: 'BTC',
      source: 'hyperliquid:bbo',
      observedAt: 1750948919838,
      receivedAt: NOW,
      sourceTime: true,
      bid: '107575.0',
      ask: '107576.0',
      bidSize: '3.87947',
      askSize: '0.5',
      sequence: null,
      quality: 'live',
      flags: [],
    },
  ]);
});

test.each(['a best ask that is null', 'a best ask that is absent'])('%s degrades the quote', (what) => {
  expect(map(frameOf(what))).toMatchObject([{ bid: '107575.0', ask: null, askSize: null, quality: 'degraded', flags: ['one_sided'] }]);
});

test('a price without size is refused, not executable', () => {
  const level = (px: string, sz: string) => ({ px, sz, n: 1 });
  const bbo = { coin: 'BTC', time: NOW, bbo: [level('1', '0.0'), level('2', '1')] };
  expect(map({ channel: 'bbo', data: bbo })).toMatchObject([{ kind: 'rejection', reason: 'non_positive_price' }]);
  const book = { coin: 'BTC', time: NOW, levels: [[level('1', '1')], [level('2', '0')]] };
  expect(map({ channel: 'l2Book', data: book })).toMatchObject([{ kind: 'rejection', reason: 'non_positive_price' }]);
});

test('a context has no time of its own, so it gets the receipt time; funding is per hour, unchanged', () => {
  expect(map(frameOf('a context'))).toMatchObject([
    {
      instrument: 'xyz:TSLA',
      observedAt: NOW,
      receivedAt: NOW,
      markPrice: '77562.0',
      oraclePrice: '77605.0',
      hourlyFunding: '0.0000125',
      openInterest: '27353.17682',
      dayNotional: '1516669192.195',
    },
  ]);
});

test('the top of a whole book is a quote; an empty book quotes nothing', () => {
  const [full] = map(frameOf('a whole book'));
  const [empty] = map(frameOf('an empty book'));
  if (full?.kind !== 'perp_book' || empty?.kind !== 'perp_book') return expect.fail('no book');
  expect(full.top).toMatchObject({
    bid: '98450.50',
    bidSize: '2.5',
    ask: '98451.00',
    askSize: '1.5',
    observedAt: 1703875200000,
    quality: 'live',
  });
  expect(empty.top).toMatchObject({ bid: null, ask: null, quality: 'degraded' });
});

test('20,000 mutated frames are mapped or refused and none throws', () => {
  const random = seededRandom(9);
  const frames = fixture.frames.map(({ frame }) => Buffer.from(JSON.stringify(frame)));
  const kinds = new Set<string>();
  for (let index = 0; index < 20_000; index++) {
    const frame = Buffer.from(frames[index % frames.length] as Buffer);
    for (let edit = 0; edit < 2; edit++) frame[Math.floor(random() * frame.length)] = Math.floor(random() * 128);
    for (const message of mapPerpFrame(frame, NOW, new Set(fixture.instruments))) {
      kinds.add(message.kind);
      if (message.kind === 'quote') for (const price of [message.bid, message.ask]) expect(price === null || Number(price) > 0).toBe(true);
    }
  }
  expect(kinds).toEqual(new Set(['quote', 'perp_book', 'perp_context', 'forming_candle', 'heartbeat', 'rejection']));
});

const ORACLE = new URL('../../../../../shared/data/oracles/normalise/tardis_hyperliquid.json', import.meta.url);
describe.skipIf(!existsSync(ORACLE))('payloads with an independent mapping (optional test data; skipped where it is absent)', () => {
  test('best bid and ask, contexts and books agree', () => {
    type Expected = {
      type: string;
      symbol: string;
      bidPrice: number;
      askPrice: number | null;
      fundingRate: number;
      markPrice: number;
      openInterest: number;
      bids: { price: number; amount: number }[];
      asks: { price: number; amount: number }[];
      timestamp: string;
    };
    const pairs = JSON.parse(readFileSync(ORACLE, 'utf8')) as {
      message: { channel: string; data: { coin?: string } };
      expected: Expected[];
    }[];
    let compared = 0;
    for (const { message, expected } of pairs) {
      const coin = message.data.coin ?? 'BTC';
      for (const mapped of map(message, [coin])) {
        const other = expected[0] as Expected;
        if (mapped.kind === 'quote') {
          expect([mapped.instrument, Number(mapped.bid), mapped.ask === null ? null : Number(mapped.ask), mapped.observedAt]).toEqual([
            other.symbol,
            other.bidPrice,
            other.askPrice,
            Date.parse(other.timestamp),
          ]);
        } else if (mapped.kind === 'perp_context') {
          expect([Number(mapped.hourlyFunding), Number(mapped.markPrice), Number(mapped.openInterest)]).toEqual([
            other.fundingRate,
            other.markPrice,
            other.openInterest,
          ]);
        } else if (mapped.kind === 'perp_book') {
          const levels = (side: readonly (readonly [string, string])[]) =>
            side.map(([price, amount]) => ({ price: Number(price), amount: Number(amount) }));
          expect([levels(mapped.book.bids), levels(mapped.book.asks), mapped.book.observedAt]).toEqual([
            other.bids,
            other.asks,
            Date.parse(other.timestamp),
          ]);
        } else expect.fail(`${message.channel} gave ${mapped.kind}`);
        compared++;
      }
    }
    expect(compared).toBeGreaterThanOrEqual(5);
  });
});
