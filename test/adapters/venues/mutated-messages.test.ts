// Every field of every message of every map, damaged in every way: no crash, no guess, and a reason for what yields nothing.
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { mapPerpFrame } from '../../../src/adapters/venues/evmvenue/map.ts';
import { mapSocketFrame } from '../../../src/adapters/venues/prediction/kalshi/map.ts';
import { mapMarketFrame } from '../../../src/adapters/venues/prediction/polymarket/map.ts';
import { mapHermesUpdate } from '../../../src/adapters/venues/reference/hermes-map.ts';
import { readMarks } from '../../../src/adapters/venues/reference/issuer-marks.ts';
import { readLeg, readPrices } from '../../../src/adapters/venues/spotchain/map.ts';
import { mapSpotFrame, streamSymbols } from '../../../src/adapters/venues/spotexchange/map.ts';
import { REJECTION_REASONS } from '../../../src/domain/quote.ts';
import { createUnknownFields, type NoteUnknownField } from '../../../streams/feed-counters.ts';
import { sampleMarket } from '../../domain/prediction-samples.ts';

const AT = Date.UTC(2026, 10, 22, 17);
const fixture = (name: string): never => JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), 'utf8')) as never;
const bytes = (message: unknown): Buffer => Buffer.from(JSON.stringify(message));

const DAMAGES: readonly unknown[] = [null, true, 0, -1, 1.5, 1e300, '', 'zz', 'NaN', '-1', '0', '1e5', ' 1', [], {}, [[]], '9'.repeat(60)];
type Step = string | number;

/** The way to every value inside of a message, itself included. */
function pathsIn(value: unknown, path: readonly Step[] = []): (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inner = Array.isArray(value) ? value.map((one, index) => [index, one] as const) : Object.entries(value);
  return [path, ...inner.flatMap(([step, one]) => pathsIn(one, [...path, step]))];
}

/** A copy with the value at a path replaced; left out where there is no replacement. */
function damaged(message: unknown, path: readonly Step[], ...replacement: unknown[]): unknown {
  if (path.length === 0) return replacement[0];
  const copy = structuredClone(message);
  let at = copy as Record<Step, unknown>;
  for (const step of path.slice(0, -1)) at = at[step] as Record<Step, unknown>;
  const last = path.at(-1) as Step;
  if (replacement.length > 0) at[last] = replacement[0];
  else delete at[last];
  return copy;
}

/** What a map yields as a list. */
type Map = (message: unknown, note?: NoteUnknownField) => readonly unknown[];
const many = (found: unknown): readonly unknown[] => (found === null || found === undefined ? [] : Array.isArray(found) ? found : [found]);

interface Fixture {
  readonly instruments: readonly string[];
  readonly frames: readonly { readonly frame: unknown }[];
}
const spot = fixture('binance/combined-stream') as Fixture;
const perp = fixture('hyperliquid/frames') as Fixture;
const symbols = streamSymbols(spot.instruments);
const hermes = fixture('pyth/hermes-update') as { parsed: { id: string }[] };
const feedIds = new globalThis.Map(hermes.parsed.map(({ id }, index) => [id, `S${index}`]));
const leg = fixture('jupiter/quote-one-hop') as { inputMint: string; outputMint: string; inAmount: string };
const market = sampleMarket('polymarket', '0x1111');
const frames = (name: string): unknown[] =>
  Object.values(fixture(`prediction/${name}`) as Record<string, unknown>).filter((one) => typeof one === 'object');
const mark = {
  name: 'SpaceX',
  symbol: 'SPACEX',
  contract_address: 'Mint',
  markPrice: 200,
  markValuation: 4e11,
  tokenPrice: 210,
  impliedValuation: 4.2e11,
  supply: 5,
};

const MAPS: Readonly<Record<string, { readonly messages: readonly unknown[]; readonly map: Map }>> = {
  spotexchange: { messages: spot.frames.map(({ frame }) => frame), map: (one, note) => mapSpotFrame(bytes(one), AT, symbols, note) },
  evmvenue: {
    messages: perp.frames.map(({ frame }) => frame),
    map: (one, note) => mapPerpFrame(bytes(one), AT, new Set(perp.instruments), note),
  },
  reference: {
    messages: [hermes],
    map: (one, note) => {
      const { prices, rejections } = mapHermesUpdate(one, feedIds, AT, note);
      return [...prices, ...rejections];
    },
  },
  issuer: {
    messages: [[mark]],
    map: (one) => {
      const { marks, unread } = readMarks(one, AT);
      return [...marks, ...unread.map((detail) => ({ kind: 'rejection', reason: 'unknown_shape', detail }))];
    },
  },
  'spotchain routes': {
    messages: [leg],
    map: (one, note) => {
      const read = readLeg(one, leg.inputMint, leg.outputMint, leg.inAmount, note);
      return [typeof read === 'string' ? { kind: 'rejection', reason: 'unknown_shape', detail: read } : read];
    },
  },
  'spotchain prices': {
    messages: [fixture('jupiter/price-v3')],
    map: (one, note) => {
      const read = readPrices(one, note);
      return typeof read === 'string' ? [{ kind: 'rejection', reason: 'unknown_shape', detail: read }] : [...read.values()];
    },
  },
  polymarket: { messages: frames('polymarket-frames'), map: (one, note) => mapMarketFrame(bytes(one), AT, () => market, note) },
  kalshi: { messages: frames('kalshi-frames'), map: (one, note) => many(mapSocketFrame(bytes(one), AT, () => market, note)) },
};

const PRICES = new Set([
  'bid',
  'ask',
  'bidSize',
  'askSize',
  'referencePrice',
  'markPrice',
  'oraclePrice',
  'price',
  'size',
  'usdPrice',
  'outAmount',
  'inAmount',
]);

/** Every price anywhere in what was yielded is a plain number that is not below zero, and every reason one of the list. */
function mustBePossible(value: unknown, what: string): void {
  if (typeof value !== 'object' || value === null) return;
  const { kind, reason } = value as { kind?: unknown; reason?: unknown };
  if (kind === 'rejection') return expect(REJECTION_REASONS, what).toContain(reason);
  for (const [name, member] of Object.entries(value)) {
    if (PRICES.has(name) && member !== null && typeof member !== 'object')
      expect(String(member), `${what}: ${name}`).toMatch(/^\d+(\.\d+)?(e\+\d+)?$/);
    else mustBePossible(member, what);
  }
}

describe.each(Object.entries(MAPS))('%s', (_name, { messages, map }) => {
  test('a damaged field never crashes and never becomes a price', () => {
    let damages = 0;
    for (const message of messages) {
      for (const path of pathsIn(message)) {
        for (const replacement of [...DAMAGES.map((one) => [one]), ...(path.length > 0 ? [[]] : [])]) {
          const broken = damaged(message, path, ...replacement);
          const what = `${path.join('.')} = ${JSON.stringify(replacement[0])} in ${JSON.stringify(message).slice(0, 120)}`;
          let yielded: readonly unknown[] = [];
          expect(() => (yielded = map(broken)), what).not.toThrow();
          for (const one of yielded) mustBePossible(one, what);
          damages++;
        }
      }
    }
    expect(damages).toBeGreaterThan(100);
  });

  test('a field that nobody knows changes nothing', () => {
    for (const message of messages) {
      for (const path of pathsIn(message)) {
        const parent = path.reduce<unknown>((at, step) => (at as Record<Step, unknown>)[step], message);
        if (typeof parent !== 'object' || parent === null || Array.isArray(parent)) continue;
        // The prices of the aggregator are keyed by mint: there every name is a row.
        if (path.length === 0 && _name === 'spotchain prices') continue;
        const strip = (found: readonly unknown[]): unknown =>
          JSON.parse(JSON.stringify(found, (key, one) => (key === 'sample' ? undefined : one)) ?? 'null');
        expect(strip(map(damaged(message, [...path, 'zzNew'], { any: [1] })))).toEqual(strip(map(message)));
      }
    }
  });
});

/** A message of each shape, where its members are, those that it cannot do without, and the source that counts others. */
interface Shape {
  readonly message: unknown;
  readonly at: readonly Step[];
  readonly required: readonly string[];
  readonly source: string;
}
const framed = (name: string, kind: string): unknown => (fixture(`prediction/${name}`) as Record<string, unknown>)[kind];
const lastTrade = damaged(framed('polymarket-frames', 'last_trade_price'), ['asset_id'], market.outcomes[0].providerId);
const dayTicker = {
  stream: 'btcusdt@ticker',
  data: Object.fromEntries([
    ...['e', '24hrTicker', 's', 'BTCUSDT'].flatMap((one, index, all) => (index % 2 === 0 ? [[one, all[index + 1]]] : [])),
    ...'pPwxcQbBaAohlvq'.split('').map((name) => [name, '1.5']),
    ...'EOCFLn'.split('').map((name) => [name, 7]),
  ]),
};
const SHAPES: Readonly<Record<string, readonly Shape[]>> = {
  spotexchange: [
    {
      message: { stream: 'btcusdt@bookTicker', data: { u: 7, s: 'BTCUSDT', b: '1.5', B: '2', a: '1.6', A: '3' } },
      at: ['data'],
      required: ['u', 's', 'b', 'B', 'a', 'A'],
      source: 'binance:bookTicker',
    },
    {
      message: {
        stream: 'btcusdt@depth@100ms',
        data: { e: 'depthUpdate', E: AT, s: 'BTCUSDT', U: 1, u: 2, b: [['1.5', '2']], a: [['1.6', '3']] },
      },
      at: ['data'],
      required: ['E', 'U', 'u', 'b', 'a'],
      source: 'binance:depth',
    },
    { message: dayTicker, at: ['data'], required: 'EOCnpPwohlcvq'.split(''), source: 'binance:24hrTicker' },
  ],
  evmvenue: [
    {
      message: {
        channel: 'bbo',
        data: {
          coin: 'BTC',
          time: AT,
          bbo: [
            { px: '1.5', sz: '2', n: 1 },
            { px: '1.6', sz: '3', n: 1 },
          ],
        },
      },
      at: ['data'],
      required: ['coin', 'time', 'bbo'],
      source: 'hyperliquid:bbo',
    },
    {
      message: {
        channel: 'l2Book',
        data: { coin: 'BTC', time: AT, levels: [[{ px: '1.5', sz: '2', n: 1 }], [{ px: '1.6', sz: '3', n: 1 }]] },
      },
      at: ['data'],
      required: ['coin', 'time', 'levels'],
      source: 'hyperliquid:l2Book',
    },
    {
      message: {
        channel: 'activeAssetCtx',
        data: { coin: 'BTC', ctx: { funding: '0.1', openInterest: '2', dayNtlVlm: '3', oraclePx: '4', markPx: '5' } },
      },
      at: ['data', 'ctx'],
      required: ['funding', 'openInterest', 'dayNtlVlm', 'oraclePx', 'markPx'],
      source: 'hyperliquid:activeAssetCtx',
    },
  ],
  reference: [
    { message: hermes, at: ['parsed', 0], required: ['id', 'price'], source: 'pyth:hermes' },
    { message: hermes, at: ['parsed', 0, 'price'], required: ['price', 'conf', 'expo', 'publish_time'], source: 'pyth:hermes' },
  ],
  'spotchain routes': [{ message: leg, at: [], required: ['inputMint', 'outputMint', 'inAmount', 'outAmount'], source: 'jupiter:quote' }],
  polymarket: [
    {
      message: framed('polymarket-frames', 'book'),
      at: [],
      required: ['asset_id', 'timestamp', 'bids', 'asks'],
      source: 'polymarket:book',
    },
    {
      message: framed('polymarket-frames', 'price_change'),
      at: [],
      required: ['timestamp', 'price_changes'],
      source: 'polymarket:price_change',
    },
    {
      message: lastTrade,
      at: [],
      required: ['asset_id', 'timestamp', 'price', 'size', 'side'],
      source: 'polymarket:last_trade_price',
    },
  ],
  kalshi: [
    { message: framed('kalshi-frames', 'snapshot'), at: ['msg'], required: ['market_ticker'], source: 'kalshi:orderbook_snapshot' },
    {
      message: framed('kalshi-frames', 'delta'),
      at: ['msg'],
      required: ['market_ticker', 'price_dollars', 'delta_fp', 'side', 'ts_ms'],
      source: 'kalshi:orderbook_delta',
    },
  ],
};

const reasonsOf = (found: readonly unknown[]): unknown[] =>
  found.flatMap((one) => {
    const { kind, reason, rejection } = one as { kind?: unknown; reason?: unknown; rejection?: { reason: unknown } };
    return kind === 'rejection' ? [reason] : kind === 'unusable' ? [rejection?.reason] : [];
  });

describe.each(Object.entries(SHAPES))('shapes of %s', (name, shapes) => {
  const { map } = MAPS[name] as (typeof MAPS)[string];

  test.each(shapes.map((shape) => [`${shape.source} ${shape.at.join('.')}`, shape] as const))(
    '%s',
    (_what, { message, at, required, source }) => {
      const whole = createUnknownFields();
      expect(reasonsOf(map(message, whole.note))).toEqual([]);
      expect(map(message)).not.toHaveLength(0);
      expect(whole.rows()).toEqual([]);
      // A member more is ignored and counted.
      const more = createUnknownFields();
      expect(map(damaged(message, [...at, 'zzNew'], 1), more.note)).toEqual(map(message));
      expect(more.rows()).toEqual([{ source, field: 'zzNew', count: 1 }]);
      // A required member that is missing or of another type refuses the message.
      for (const field of required) {
        for (const replacement of [[], [null], [true], [{ any: 1 }]]) {
          const reasons = reasonsOf(map(damaged(message, [...at, field], ...replacement)));
          expect(reasons, `${field} = ${JSON.stringify(replacement[0])}`).toHaveLength(1);
          expect(REJECTION_REASONS).toContain(reasons[0]);
        }
      }
    },
  );
});

test('recorded messages hold nothing that is unknown', () => {
  for (const [name, { messages, map }] of Object.entries(MAPS)) {
    const unknown = createUnknownFields();
    for (const message of messages) map(message, unknown.note);
    expect(unknown.rows(), name).toEqual([]);
  }
});

test('a word that nobody knows is refused and never taken for one that is known', () => {
  for (const [name, message, path] of [
    ['polymarket', framed('polymarket-frames', 'book'), ['event_type']],
    ['polymarket', lastTrade, ['side']],
    ['polymarket', framed('polymarket-frames', 'price_change'), ['price_changes', 0, 'side']],
    ['kalshi', framed('kalshi-frames', 'snapshot'), ['type']],
    ['kalshi', framed('kalshi-frames', 'delta'), ['msg', 'side']],
    ['kalshi', framed('kalshi-frames', 'trade'), ['msg', 'taker_side']],
    ['evmvenue', SHAPES['evmvenue']?.[0]?.message, ['channel']],
    ['spotexchange', SHAPES['spotexchange']?.[1]?.message, ['stream']],
  ] as const) {
    for (const word of ['dance', 'BUY ', 'Yes', '__proto__', 'constructor', 'toString']) {
      const found = (MAPS[name] as (typeof MAPS)[string]).map(damaged(message, path, word));
      expect(reasonsOf(found), `${name} ${path.join('.')} = ${word}`).toHaveLength(1);
      expect(found).toHaveLength(1);
    }
  }
});

test('names without end are counted together', () => {
  const unknown = createUnknownFields();
  for (let i = 0; i < 500; i++) unknown.note('binance:depth', `f${i}`);
  unknown.note('binance:depth', 'f0');
  unknown.note('binance:bookTicker', 'x'.repeat(5_000));
  const rows = unknown.rows();
  expect(rows).toHaveLength(52);
  expect(rows.find(({ field }) => field === 'f0')?.count).toBe(2);
  expect(rows.find(({ field }) => field === 'other')?.count).toBe(450);
  expect(rows.at(-1)?.field).toHaveLength(60);
});
