// Frames scanned without JSON.parse are read like with it: over mutated frames of every scanned layout.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mapParsedPerpFrame, mapPerpFrame } from '../../../src/adapters/venues/evmvenue/map.ts';
import { scanPerpFrame } from '../../../src/adapters/venues/evmvenue/scan-frames.ts';
import { FrameScan, LevelLayout, Literal, NameTable, Repeated } from '../../../src/adapters/venues/frame-scan.ts';
import { mapParsedSocketFrame, mapSocketFrame } from '../../../src/adapters/venues/prediction/kalshi/map.ts';
import { scanSocketFrame } from '../../../src/adapters/venues/prediction/kalshi/scan-frames.ts';
import { mapMarketFrame, mapParsedMarketFrame } from '../../../src/adapters/venues/prediction/polymarket/map.ts';
import { scanMarketFrame } from '../../../src/adapters/venues/prediction/polymarket/scan-frames.ts';
import { mapParsedSpotFrame, mapSpotFrame, streamSymbols } from '../../../src/adapters/venues/spotexchange/map.ts';
import { scanSpotFrame } from '../../../src/adapters/venues/spotexchange/scan-frames.ts';
import { seededRandom } from '../../../src/sandbox/faults.ts';
import { createUnknownFields, type NoteUnknownField } from '../../../streams/feed-counters.ts';
import { sampleMarket } from '../../domain/prediction/samples.ts';
import { rounds } from '../../harness/rounds.ts';

const AT = Date.UTC(2026, 10, 22, 17);
const SEED = 20_261_122;

type Random = () => number;
type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

const pick = <Item>(random: Random, list: readonly Item[]): Item => list[Math.floor(random() * list.length)] as Item;

/** Returns a decimal as venues write it, sometimes invalid, zero, or oddly spelled. */
function decimal(random: Random, most: number, digits: number): string {
  if (random() < 0.97) return (random() * most).toFixed(digits);
  return pick(random, [
    '0',
    '0.00',
    '-0',
    '-1.5',
    '1',
    '01.5',
    '.5',
    '5.',
    '1e3',
    '',
    ' 1',
    '1'.repeat(40),
    `0.${'1'.repeat(39)}`,
    '100',
    '0.50',
  ]);
}

/** Returns an integer, sometimes one that JSON or the product would refuse. */
const whole = (random: Random): Json =>
  random() < 0.98 ? Math.floor(random() * 1e12) : pick<Json>(random, [-1, 1.5, 1e21, '7', null, 2 ** 53, 0]);

/** Replaces a value anywhere inside, or removes, repeats or moves a member. */
function bent(value: Json, random: Random): Json {
  if (typeof value !== 'object' || value === null || random() < 0.3)
    return pick<Json>(random, [null, true, 0, -1, 'x', '', '0.5', [], {}, [[]], 'é', '"', '\\', 'a\u0001']);
  if (Array.isArray(value)) {
    const at = Math.floor(random() * value.length);
    return value.map((item, index) => (index === at ? bent(item, random) : item));
  }
  const names = Object.keys(value);
  const name = pick(random, names);
  const copy = { ...value };
  const how = random();
  if (how < 0.2) delete copy[name];
  else if (how < 0.35) copy[pick(random, ['zzNew', 'n', 'hash', 'tick_size', '__proto__x'])] = 'new';
  else if (how < 0.5) return Object.fromEntries(names.reverse().map((one) => [one, value[one] as Json]));
  else copy[name] = bent(value[name] ?? null, random);
  return copy;
}

/** Returns the bytes of a message, intact or damaged. */
function fuzzed(message: Json, random: Random): Buffer {
  const how = random();
  const said = how < 0.35 ? bent(message, random) : message;
  const text = how > 0.95 ? JSON.stringify(said, null, 1) : JSON.stringify(said);
  const frame = Buffer.from(how > 0.9 && how <= 0.95 ? text.replace(/"([a-z_]+)":/, '"$1":0,"$1":') : text);
  if (random() < 0.3)
    for (let edit = 0; edit < 1 + random() * 2; edit++)
      frame[Math.floor(random() * frame.length)] =
        random() < 0.8 ? pick(random, [...Buffer.from('0123456789.,:"\\{}[]-eE pxszn')]) : Math.floor(random() * 256);
  return random() < 0.02 ? frame.subarray(0, Math.floor(random() * frame.length)) : frame;
}

interface Scanned {
  readonly message: (random: Random) => Json;
  readonly map: (frame: Buffer, note: NoteUnknownField) => unknown;
  readonly parsed: (frame: Buffer, note: NoteUnknownField) => unknown;
  readonly scans: (frame: Buffer) => boolean;
}

const list = <Item>(random: Random, most: number, item: (index: number) => Item): Item[] =>
  Array.from({ length: Math.floor(random() * (most + 1)) }, (_, index) => item(index));

const symbols = streamSymbols(['BTCUSDT', 'ETHUSDT']);
const pairs = (random: Random): Json => list(random, 4, () => [decimal(random, 1e5, 8), decimal(random, 9, 8)]);
const coins: ReadonlySet<string> = new Set(['BTC', 'kPEPE', 'xyz:TSLA', '@107']);
const perpLevel = (random: Random): Json => ({ px: decimal(random, 1e5, 1), sz: decimal(random, 9, 5), n: whole(random) });
const perpLevels = (random: Random, most = 3): Json[] => list(random, most, () => perpLevel(random));
const poly = sampleMarket('polymarket', '0x1111');
const tokens = poly.outcomes.map(({ providerId }) => providerId);
const polyOf = (token: string) => (tokens.includes(token) ? poly : undefined);
const kalshi = sampleMarket('kalshi', 'KXBTCD-26NOV2217-T95000');
const kalshiOf = (ticker: string) => (ticker === kalshi.providerId ? kalshi : undefined);
const levels = (random: Random): Json => list(random, 4, () => ({ price: decimal(random, 1, 3), size: decimal(random, 900, 2) }));
const stamp = (random: Random): Json =>
  random() < 0.98 ? String(Math.floor(random() * 1e13)) : pick<Json>(random, ['', '007', 5, '1e3', null]);

const LAYOUTS: Readonly<Record<string, Scanned>> = {
  'differences of the spot exchange': {
    message: (random) => {
      const [E, U] = [whole(random), whole(random)];
      const u = typeof U === 'number' ? U + Math.floor(random() * 20) - 1 : U;
      const s = pick(random, ['BTCUSDT', 'BTCUSDT', 'ETHUSDT']);
      const stream = `btcusdt@${pick(random, ['depth@100ms', 'depth@100ms', 'depth', 'depth@1000ms'])}`;
      return { stream, data: { e: 'depthUpdate', E, s, U, u, b: pairs(random), a: pairs(random) } };
    },
    map: (frame, note) => mapSpotFrame(frame, AT, symbols, note),
    parsed: (frame, note) => mapParsedSpotFrame(frame, AT, symbols, note),
    scans: (frame) => scanSpotFrame(frame, AT, symbols) !== null,
  },
  'the best of the perpetuals venue': {
    message: (random) => ({
      channel: 'bbo',
      data: {
        coin: pick(random, ['BTC', 'BTC', 'xyz:TSLA', '@107', 'ETH']),
        time: whole(random),
        bbo: [perpLevel(random), ...perpLevels(random, 1), ...perpLevels(random, 1)],
      },
    }),
    map: (frame, note) => mapPerpFrame(frame, AT, coins, note),
    parsed: (frame, note) => mapParsedPerpFrame(frame, AT, coins, note),
    scans: (frame) => scanPerpFrame(frame, coins) !== null,
  },
  'books of the perpetuals venue': {
    message: (random) => {
      const [coin, time, sides] = [pick(random, ['BTC', 'kPEPE', 'BTC', 'ETH']), whole(random), [perpLevels(random), perpLevels(random)]];
      return {
        channel: 'l2Book',
        data: pick<Json>(random, [
          { coin, time, levels: sides },
          { coin, levels: sides, time, fast: true },
        ]),
      };
    },
    map: (frame, note) => mapPerpFrame(frame, AT, coins, note),
    parsed: (frame, note) => mapParsedPerpFrame(frame, AT, coins, note),
    scans: (frame) => scanPerpFrame(frame, coins) !== null,
  },
  'books of Polymarket': {
    message: (random) => ({
      ...(random() < 0.5 ? { event_type: 'book' } : {}),
      market: poly.providerId,
      asset_id: pick(random, [...tokens, ...tokens, 'other']),
      timestamp: stamp(random),
      hash: '0xabc',
      bids: levels(random),
      asks: levels(random),
      event_type: 'book',
      ...(random() < 0.3 ? { tick_size: '0.01', min_order_size: '5', neg_risk: true, last_trade_price: '0.5' } : {}),
    }),
    map: (frame, note) => mapMarketFrame(frame, AT, polyOf, note),
    parsed: (frame, note) => mapParsedMarketFrame(frame, AT, polyOf, note),
    scans: (frame) => scanMarketFrame(frame, (token) => polyOf(token) !== undefined) !== null,
  },
  'changes of Polymarket': {
    message: (random) => ({
      market: poly.providerId,
      price_changes: list(random, 3, () => ({
        asset_id: pick(random, [...tokens, ...tokens, ...tokens, 'other']),
        price: decimal(random, 1, 2),
        size: decimal(random, 900, 2),
        side: pick(random, ['BUY', 'SELL', 'BUY', 'SELL', 'buy']),
        hash: 'aa',
        ...(random() < 0.8 ? { best_bid: decimal(random, 1, 2) } : {}),
        ...(random() < 0.8 ? { best_ask: pick(random, ['0', '1', '', decimal(random, 1, 2)]) } : {}),
      })),
      timestamp: stamp(random),
      event_type: pick(random, ['price_change', 'price_change', 'price_change', 'book', 'dance']),
    }),
    map: (frame, note) => mapMarketFrame(frame, AT, polyOf, note),
    parsed: (frame, note) => mapParsedMarketFrame(frame, AT, polyOf, note),
    scans: (frame) => scanMarketFrame(frame, (token) => polyOf(token) !== undefined) !== null,
  },
  'books of Kalshi': {
    message: (random) => ({
      type: 'orderbook_snapshot',
      sid: 3,
      seq: whole(random),
      msg: {
        market_ticker: pick(random, [kalshi.providerId, kalshi.providerId, 'KXOTHER', '']),
        ...(random() < 0.3 ? { market_id: 'uuid' } : {}),
        ...(random() < 0.9 ? { yes_dollars_fp: list(random, 4, () => [decimal(random, 1, 4), decimal(random, 900, 2)]) } : {}),
        ...(random() < 0.9 ? { no_dollars_fp: list(random, 4, () => [decimal(random, 1, 4), decimal(random, 900, 2)]) } : {}),
      },
    }),
    map: (frame, note) => mapSocketFrame(frame, AT, kalshiOf, note),
    parsed: (frame, note) => mapParsedSocketFrame(frame, AT, kalshiOf, note),
    scans: (frame) => scanSocketFrame(frame, (ticker) => kalshiOf(ticker) !== undefined) !== null,
  },
  'differences of Kalshi': {
    message: (random) => ({
      type: 'orderbook_delta',
      sid: 3,
      seq: whole(random),
      msg: {
        market_ticker: pick(random, [kalshi.providerId, kalshi.providerId, kalshi.providerId, 'KXOTHER']),
        price_dollars: decimal(random, 1, 4),
        delta_fp: pick(random, ['-', '', '']) + decimal(random, 900, 2),
        side: pick(random, ['yes', 'no', 'yes', 'no', 'maybe']),
        ...(random() < 0.3 ? { ts: '2026-11-22T17:00:00Z' } : {}),
        ts_ms: whole(random),
      },
    }),
    map: (frame, note) => mapSocketFrame(frame, AT, kalshiOf, note),
    parsed: (frame, note) => mapParsedSocketFrame(frame, AT, kalshiOf, note),
    scans: (frame) => scanSocketFrame(frame, (ticker) => kalshiOf(ticker) !== undefined) !== null,
  },
};

/** Evaluates the getters of a lazily parsed book. */
function shown(message: unknown): unknown {
  const { kind, book, top } = (message ?? {}) as { kind?: unknown; book?: unknown; top?: unknown };
  return kind === 'perp_book' ? { kind, book, top } : message;
}
const told = (found: unknown): string => JSON.stringify(Array.isArray(found) ? found.map(shown) : shown(found));

/** Frames per layout. */
const FRAMES = rounds({ suite: 2_500, proof: 10_000 });

test.each(Object.entries(LAYOUTS))('mutated frames mean the same with and without the scan: %s', (_name, layout) => {
  const random = seededRandom(SEED);
  let scanned = 0;
  for (let index = 0; index < FRAMES; index++) {
    const frame = fuzzed(layout.message(random), random);
    if (layout.scans(frame)) scanned++;
    const [fastNotes, slowNotes] = [createUnknownFields(), createUnknownFields()];
    const fast = told(layout.map(frame, fastNotes.note));
    const slow = told(layout.parsed(frame, slowNotes.note));
    const where = `seed ${SEED}, frame ${index}: ${frame.toString('latin1')}`;
    if (fast !== slow) expect.fail(`${where}\nscan: ${fast}\nparse: ${slow}`);
    if (told(fastNotes.rows()) !== told(slowNotes.rows())) expect.fail(`${where}\nunknown members: ${told(slowNotes.rows())}`);
  }
  // Both branches must have been covered.
  expect(scanned).toBeGreaterThan(0.1 * FRAMES);
  expect(scanned).toBeLessThan(0.9 * FRAMES);
});

describe('a scan', () => {
  const scan = new FrameScan();
  const begun = (text: string): FrameScan => {
    scan.begin(Buffer.from(text));
    return scan;
  };

  test('never reads beyond its frame into adjacent memory', () => {
    const memory = Buffer.from('{"a":"12345678"}');
    const inner = new Literal('{"a":');
    for (let end = 0; end <= memory.length; end++) {
      scan.begin(memory.subarray(0, end));
      const whole = scan.take(inner) && scan.price() && scan.closes(1);
      expect(whole).toBe(end === memory.length);
    }
    const list = Buffer.from('[["1.50","2.00"],["1.40","3.00"]]}}999');
    const layout = new LevelLayout('["', '","', '"]');
    for (let end = 0; end < list.length; end++) {
      scan.begin(list.subarray(0, end));
      const levels = scan.levels(layout);
      expect([-1, 2]).toContain(levels);
      if (end < 33) expect(levels).toBe(-1);
    }
  });

  test('recognizes a repeated number only if all of it matches', () => {
    const number = new Repeated(',"b":"');
    const read = (text: string): string | null => begun(text).repeated(number);
    const zeros = Buffer.alloc(64).toString('latin1');
    expect(read(zeros)).toBeNull();
    expect(read(',"b":"25.3510"')).toBe('25.3510');
    expect(read(',"b":"25.3510","B":"1"')).toBe('25.3510');
    expect(read(',"b":"25.35100"')).toBe('25.35100');
    expect(read(',"b":"25.3510"')).toBe('25.3510');
    expect(read(',"b":"25.351"')).toBe('25.351');
    for (const none of [',"b":"25.351', ',"b":"25.351,', ',"a":"25.351"', ',"b":"0.000"', ',"b":"-25.351"', ',"b":""', ',"b":"25.3x1"'])
      expect(read(none)).toBeNull();
    expect(read(',"b":"25.351"')).toBe('25.351');
    expect(read(`,"b":"${'1'.repeat(40)}"`)).toBe('1'.repeat(40));
    expect(read(`,"b":"${'1'.repeat(41)}"`)).toBeNull();
    expect(() => new Repeated('x'.repeat(60))).toThrow(RangeError);
    const whole = ',"b":"25.3510"';
    expect(read(whole)).toBe('25.3510');
    for (let end = 0; end < whole.length; end++) expect(read(whole.slice(0, end))).toBeNull();
    // At the very end of the longest frame nothing follows a number.
    expect(read(whole)).toBe('25.3510');
    const long = begun(`${' '.repeat(65_536 - 5)},"b":`);
    for (let at = 0; at < 65_536 - 5; at++) long.byte(32);
    expect(long.repeated(number)).toBeNull();
  });

  test('finds names by their bytes, whichever share a bucket', () => {
    const names = Array.from({ length: 500 }, (_, index) => `coin${index}`);
    const table = new NameTable(new Map(names.map((name) => [name, name.toUpperCase()])));
    for (const name of names) expect(begun(`${name}"`).named(table, 34)).toBe(name.toUpperCase());
    for (const name of ['coin', 'coin5000', 'COIN1', '', 'coin1 ']) expect(begun(`${name}"`).named(table, 34)).toBeNull();
    expect(new NameTable(new Map([['a"b', 1]])).bucketOf(0)).toEqual([]);
  });

  test.each([
    ['0.5300', '0.53'],
    ['25.00', '25'],
    ['100', '100'],
    ['0.0', '0'],
    ['-12.50', '-12.5'],
    ['-0.00', '0'],
    ['0', '0'],
    ['10.010', '10.01'],
    ['007', null],
    ['-01', null],
  ])('spells %s as %s', (text, expected) => {
    expect(begun(`"${text}"`).difference()).toBe(true);
    expect(scan.shortest(0)).toBe(expected);
  });

  test('gives up if it is not worthwhile', () => {
    expect(scan.begin(Buffer.alloc(65_537))).toBe(false);
    expect(() => new Literal('abc')).toThrow('too short');
    expect(() => new LevelLayout('{"a-long-name":"', ',', '}')).toThrow('too long');
    const many = `[${Array.from({ length: 3_000 }, () => '["1","1"]').join(',')}]}}}}}}}}`;
    expect(begun(many).levels(new LevelLayout('["', '","', '"]'))).toBe(-1);
  });
});

test('recorded frames of every layout are read by its scan', () => {
  const fixture = (name: string): Record<string, unknown> =>
    JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), 'utf8')) as Record<string, unknown>;
  const bytes = (message: unknown): Buffer => Buffer.from(JSON.stringify(message));
  const { snapshot, delta, empty_side: empty } = fixture('prediction/kalshi-frames');
  for (const frame of [snapshot, delta, empty]) expect(scanSocketFrame(bytes(frame), () => true)).not.toBeNull();
  const { book, price_change: change } = fixture('prediction/polymarket-frames');
  for (const frame of [book, change]) expect(scanMarketFrame(bytes(frame), () => true)).not.toBeNull();
  const frames = fixture('hyperliquid/frames')['frames'] as { frame: { channel?: string; data?: unknown } }[];
  const books = frames.filter(({ frame }) => frame.channel === 'bbo' || frame.channel === 'l2Book');
  expect(books.filter(({ frame }) => scanPerpFrame(bytes(frame), new Set(['BTC'])) !== null).length).toBeGreaterThan(1);
});
