/**
 * Other messages of the venues for the quote-path benchmark: frames in each venue's layout, the product's map, a plain
 * normaliser (JSON.parse and a literal), other libraries and a bare scan of the same bytes, all proven equal before timing.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mapPerpFrame, type PerpBook } from '../src/adapters/venues/evmvenue/map.ts';
import {
  mapEvents,
  mapSeries,
  mapSocketFrame,
  type SeriesTerms,
  type SocketMessage,
} from '../src/adapters/venues/prediction/kalshi/map.ts';
import { type MarketMessage, mapGammaEvents, mapMarketFrame, type TokenBook } from '../src/adapters/venues/prediction/polymarket/map.ts';
import { mapHermesUpdate } from '../src/adapters/venues/reference/hermes-map.ts';
import { type DepthDiff, mapSpotFrame, streamSymbols } from '../src/adapters/venues/spotexchange/map.ts';
import type { PredictionMarket } from '../src/domain/prediction/market.ts';
import type { Quote, ReferencePrice } from '../src/domain/market/quote.ts';
import { createUnknownFields } from '../streams/feed-counters.ts';
import { type Comparison, type Contender, repeated, sink } from './harness.ts';
import { ccxtHyperliquid, ccxtReading, tardisReading } from './peer-normalisers.ts';
import { type TardisMapper, type TardisMessage, tardis } from './peers.ts';

const FRAMES = 512;
/** Counts unknown members as the product does. */
const { note } = createUnknownFields();
const RECEIVED_AT = Date.UTC(2026, 2, 2, 14, 31);
/** Shorter than the other contenders' rounds, because there are many. */
const ROUND_MS = 60;

/** Other library's reading of the same bytes. */
interface Peer {
  readonly who: 'tardis-dev' | 'ccxt';
  readonly read: (frame: Buffer) => unknown;
  /** Returns the numbers of a read message, in the order of the case's `numbersOf` if it has one. */
  readonly numbersOf: (read: unknown) => readonly number[];
}

interface MessageCase {
  readonly name: string;
  readonly frames: readonly Buffer[];
  readonly map: (frame: Buffer) => unknown;
  /** Baseline normalizer for the same bytes. */
  readonly literal: (frame: Buffer) => unknown;
  /** Numbers in a mapped message, in a fixed order; null if the map drops the message unread. */
  readonly numbersOf: ((mapped: unknown) => readonly number[]) | null;
  readonly peers: readonly Peer[];
}

let state = 20_260_302;
function random(): number {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return state / 2 ** 32;
}

const made = (write: (index: number) => unknown): Buffer[] =>
  Array.from({ length: FRAMES }, (_, index) => Buffer.from(JSON.stringify(write(index))));
const parsed = (frame: Buffer): unknown => JSON.parse(frame.toString('utf8'));
const listed = <Item>(length: number, item: (index: number) => Item): Item[] => Array.from({ length }, (_, index) => item(index));
const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../test/fixtures/prediction/${name}.json`, import.meta.url), 'utf8'));
const pairs = (levels: readonly (readonly [string, string])[]): number[] =>
  levels.flatMap(([price, size]) => [Number(price), Number(size)]);
const named = (levels: readonly { readonly price: string; readonly size: string }[]): number[] =>
  levels.flatMap(({ price, size }) => [Number(price), Number(size)]);

const tardisBooks = (exchange: string): TardisMapper => tardis().normalizeBookChanges(exchange, new Date(RECEIVED_AT));
const hyperliquid = await ccxtHyperliquid('BTC');

function tardisLevels(read: unknown): number[] {
  const { bids = [], asks = [] } = read as TardisMessage;
  return [...bids, ...asks].flatMap(({ price, amount }) => [price, amount]);
}

function tardisTop(read: unknown): number[] {
  const { bidPrice = Number.NaN, bidAmount = Number.NaN, askPrice = Number.NaN, askAmount = Number.NaN } = read as TardisMessage;
  return [bidPrice, bidAmount, askPrice, askAmount];
}

function tardisTrade(read: unknown): number[] {
  const { price = Number.NaN, amount = Number.NaN } = read as TardisMessage;
  return [price, amount];
}

function ccxtLevels(): number[] {
  const book = hyperliquid.orderbooks['BTC/USDC:USDC'];
  return book === undefined ? [] : [...book.bids, ...book.asks].flat();
}

/** Depth updates of ten levels per side. */
function depthCase(): MessageCase {
  const symbols = streamSymbols(['BTCUSDT']);
  const read = tardisReading(tardisBooks('binance'), RECEIVED_AT);
  // It holds back updates until it has a book snapshot.
  read(Buffer.from('{"stream":"btcusdt@depthSnapshot","data":{"lastUpdateId":-1,"bids":[],"asks":[]}}'));
  const levels = (price: number, step: number): string[][] =>
    listed(10, (index) => [(price + step * index).toFixed(8), (random() * 40).toFixed(8)]);
  return {
    name: 'Binance depth 2x10',
    frames: made((index) => {
      const at = RECEIVED_AT - FRAMES + index;
      const data = { e: 'depthUpdate', E: at, s: 'BTCUSDT', U: 60_000_000 + index * 20, u: 60_000_019 + index * 20 };
      return { stream: 'btcusdt@depth@100ms', data: { ...data, b: levels(60_000 + random(), -0.01), a: levels(60_002 + random(), 0.01) } };
    }),
    map: (frame) => mapSpotFrame(frame, RECEIVED_AT, symbols, note)[0],
    literal: (frame) => {
      const { data } = parsed(frame) as {
        data: { E: number; s: string; U: number; u: number; b: [string, string][]; a: [string, string][] };
      };
      const { E: observedAt, s: instrument, U: firstId, u: lastId } = data;
      const bids = data.b.map(([price, size]) => [price, size]);
      const asks = data.a.map(([price, size]) => [price, size]);
      return { kind: 'depth_diff', instrument, observedAt, receivedAt: RECEIVED_AT, firstId, lastId, bids, asks };
    },
    numbersOf: (mapped) => {
      const { observedAt, firstId, lastId, bids, asks } = mapped as DepthDiff;
      return [observedAt, firstId, lastId, ...pairs(bids), ...pairs(asks)];
    },
    peers: [{ who: 'tardis-dev', read, numbersOf: tardisLevels }],
  };
}

const COINS: ReadonlySet<string> = new Set(['BTC']);
type WireLevel = { readonly px: string; readonly sz: string };

// Helpers of the baselines are at the top level: a nested function would be created again for every message.
function plainSide(levels: readonly WireLevel[]): string[][] {
  return levels.map(({ px, sz }) => [px, sz]);
}

function plainScaled(digits: string, exponent: number): string {
  const padded = digits.padStart(1 - exponent, '0');
  return `${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
}

type NamedLevel = { readonly price: string; readonly size: string };

function plainBestFirst(worstFirst: readonly NamedLevel[]): NamedLevel[] {
  return worstFirst.map(({ price, size }) => ({ price, size })).reverse();
}

function perpLevel(price: number): object {
  return { px: price.toFixed(1), sz: (random() * 40).toFixed(5), n: 1 + Math.floor(random() * 30) };
}

/** Whole books of twenty levels per side: validated to the last byte, the top extracted, and the other levels too with `everyLevel`. */
function perpBookCase(everyLevel: boolean): MessageCase {
  return {
    name: everyLevel ? 'Hyperliquid l2Book, every level' : 'Hyperliquid l2Book 2x20',
    frames: made((index) => {
      const mid = 100_000 + Math.round(random() * 1_000);
      const sides = [listed(20, (level) => perpLevel(mid - level)), listed(20, (level) => perpLevel(mid + 1 + level))];
      return { channel: 'l2Book', data: { coin: 'BTC', time: RECEIVED_AT - FRAMES + index, levels: sides } };
    }),
    map: (frame) => {
      const mapped = mapPerpFrame(frame, RECEIVED_AT, COINS, note)[0] as PerpBook;
      if (everyLevel) sink.value = mapped.book;
      return mapped;
    },
    literal: (frame) => {
      const { data } = parsed(frame) as { data: { coin: string; time: number; levels: [WireLevel[], WireLevel[]] } };
      const { coin: instrument, time: observedAt, levels } = data;
      const book = { venue: 'evmvenue', instrument, source: 'hyperliquid:l2Book', observedAt, receivedAt: RECEIVED_AT, sourceTime: true };
      return { kind: 'perp_book', book: Object.assign(book, { sequence: null, bids: plainSide(levels[0]), asks: plainSide(levels[1]) }) };
    },
    numbersOf: (mapped) => {
      const { book } = mapped as PerpBook;
      return [book.observedAt, ...pairs(book.bids), ...pairs(book.asks)];
    },
    peers: everyLevel
      ? []
      : [
          { who: 'tardis-dev', read: tardisReading(tardisBooks('hyperliquid'), RECEIVED_AT), numbersOf: tardisLevels },
          { who: 'ccxt', read: ccxtReading(hyperliquid, 'wss://api.hyperliquid.xyz/ws'), numbersOf: ccxtLevels },
        ],
  };
}

/** Best bid and ask. */
function perpBestCase(): MessageCase {
  const mapper = tardis().normalizeBookTickers('hyperliquid', new Date(RECEIVED_AT));
  return {
    name: 'Hyperliquid bbo',
    frames: made((index) => {
      const bid = 100_000 + Math.round(random() * 1_000);
      return { channel: 'bbo', data: { coin: 'BTC', time: RECEIVED_AT - FRAMES + index, bbo: [perpLevel(bid), perpLevel(bid + 1)] } };
    }),
    map: (frame) => mapPerpFrame(frame, RECEIVED_AT, COINS, note)[0],
    literal: (frame) => {
      const { data } = parsed(frame) as { data: { coin: string; time: number; bbo: [WireLevel, WireLevel] } };
      const [bid, ask] = data.bbo;
      return {
        kind: 'quote',
        venue: 'evmvenue',
        instrument: data.coin,
        source: 'hyperliquid:bbo',
        observedAt: data.time,
        receivedAt: RECEIVED_AT,
        sourceTime: true,
        bid: bid.px,
        ask: ask.px,
        bidSize: bid.sz,
        askSize: ask.sz,
        sequence: null,
        quality: 'live',
        flags: [],
      };
    },
    numbersOf: (mapped) => {
      const { observedAt, bid, bidSize, ask, askSize } = mapped as Quote;
      return [observedAt, Number(bid), Number(bidSize), Number(ask), Number(askSize)];
    },
    peers: [{ who: 'tardis-dev', read: tardisReading(mapper, RECEIVED_AT), numbersOf: tardisTop }],
  };
}

/** Trades of the perpetuals venue. The product does not use them: the map reads and drops them. */
function perpTradeCase(): MessageCase {
  const read = tardisReading(tardis().normalizeTrades('hyperliquid', new Date(RECEIVED_AT)), RECEIVED_AT);
  // It drops the first message of an unknown coin, because that holds earlier trades.
  read(Buffer.from('{"channel":"trades","data":[{"coin":"BTC"}]}'));
  const hex = (length: number): string => listed(length, () => Math.floor(random() * 16).toString(16)).join('');
  return {
    name: 'Hyperliquid trade, dropped',
    frames: made((index) => {
      const { px, sz } = perpLevel(100_000 + Math.round(random() * 1_000)) as WireLevel;
      const trade = { coin: 'BTC', side: index % 2 === 0 ? 'A' : 'B', px, sz, time: RECEIVED_AT - FRAMES + index, hash: `0x${hex(64)}` };
      return { channel: 'trades', data: [{ ...trade, tid: 900_000_000 + index, users: [`0x${hex(40)}`, `0x${hex(40)}`] }] };
    }),
    map: (frame) => mapPerpFrame(frame, RECEIVED_AT, COINS, note),
    literal: (frame) => {
      const { data } = parsed(frame) as { data: { coin: string; side: string; px: string; sz: string; time: number; tid: number }[] };
      return data.map(({ coin, side, px, sz, time, tid }) => ({
        kind: 'trade',
        venue: 'evmvenue',
        instrument: coin,
        id: tid,
        taker: side === 'B' ? 'buy' : 'sell',
        price: px,
        size: sz,
        observedAt: time,
        receivedAt: RECEIVED_AT,
      }));
    },
    numbersOf: null,
    peers: [{ who: 'tardis-dev', read, numbersOf: tardisTrade }],
  };
}

/** Streamed price updates of one share. */
function hermesCase(): MessageCase {
  const id = '49f6b65cb1de6b10eaf75e7c03ca029c306d0357e91b5311b175084a5ad55688';
  const symbols = new Map([[id, 'AAPL']]);
  return {
    name: 'Hermes price update',
    frames: made((index) => {
      const publishTime = 1_790_187_892 + index;
      // The last digit is not zero, so both sides write the price alike.
      const digits = (base: number): string => String((base + Math.floor(random() * 1_000)) * 10 + 1);
      const price = { price: digits(3_373_000), conf: digits(800), expo: -5, publish_time: publishTime };
      const average = { price: digits(3_374_000), conf: digits(800), expo: -5, publish_time: publishTime };
      const metadata = { slot: 305_542_333 + index, proof_available_time: publishTime + 1, prev_publish_time: publishTime - 1 };
      return { binary: { encoding: 'hex', data: ['504e4155'] }, parsed: [{ id, price, ema_price: average, metadata }] };
    }),
    map: (frame) => mapHermesUpdate(parsed(frame), symbols, RECEIVED_AT, note).prices,
    literal: (frame) => {
      const update = parsed(frame) as {
        parsed: { id: string; price: { price: string; conf: string; expo: number; publish_time: number } }[];
      };
      return update.parsed.map(({ id: feed, price: { price, conf, expo, publish_time: seconds } }) => ({
        kind: 'reference',
        venue: 'reference',
        instrument: symbols.get(feed),
        source: 'pyth:hermes',
        observedAt: seconds * 1_000,
        receivedAt: RECEIVED_AT,
        feedUpdatedAt: seconds * 1_000,
        referencePrice: plainScaled(price, expo),
        confidence: plainScaled(conf, expo),
        publisherSession: null,
        quality: 'live',
        flags: [],
      }));
    },
    numbersOf: (mapped) =>
      (mapped as ReferencePrice[]).flatMap(({ observedAt, feedUpdatedAt, referencePrice, confidence }) => [
        observedAt,
        feedUpdatedAt,
        Number(referencePrice),
        Number(confidence),
      ]),
    peers: [],
  };
}

/** Whole book of a token, twenty levels per side, worst price first. */
function polymarketCase(): MessageCase {
  const market = mapGammaEvents(fixture('polymarket-events'), RECEIVED_AT).markets[0] as PredictionMarket;
  const token = market.outcomes[0].providerId;
  const marketOf = (asked: string): PredictionMarket | undefined => (asked === token ? market : undefined);
  const levels = (from: number, step: number): object[] =>
    listed(20, (index) => ({ price: ((from + step * index) / 100).toFixed(2), size: (1 + random() * 900).toFixed(2) }));
  return {
    name: 'Polymarket book 2x20',
    frames: made((index) => {
      const head = { market: market.providerId, asset_id: token, timestamp: String(RECEIVED_AT - FRAMES + index), hash: `0x${index}` };
      return { ...head, bids: levels(30, 1), asks: levels(75, -1), event_type: 'book' };
    }),
    map: (frame) => mapMarketFrame(frame, RECEIVED_AT, marketOf, note)[0],
    literal: (frame) => {
      const {
        asset_id: asset,
        timestamp,
        bids,
        asks,
      } = parsed(frame) as { asset_id: string; timestamp: string; bids: NamedLevel[]; asks: NamedLevel[] };
      return { kind: 'book', token: asset, at: Number(timestamp), bids: plainBestFirst(bids), asks: plainBestFirst(asks) };
    },
    numbersOf: (mapped) => {
      const { at, bids, asks } = mapped as TokenBook;
      return [at, ...named(bids), ...named(asks)];
    },
    peers: [],
  };
}

/** Two changed levels, one of each token, with the new tops. */
function polymarketChangeCase(): MessageCase {
  const market = mapGammaEvents(fixture('polymarket-events'), RECEIVED_AT).markets[0] as PredictionMarket;
  const tokens = market.outcomes.map(({ providerId }) => providerId);
  const marketOf = (asked: string): PredictionMarket | undefined => (tokens.includes(asked) ? market : undefined);
  const change = (token: string, side: string): object => {
    const cents = 30 + Math.floor(random() * 40);
    // The last digit is not zero, so both sides write the price alike.
    const price = `0.${cents}1`;
    const tops = { best_bid: `0.${cents}3`, best_ask: `0.${cents}7` };
    return { asset_id: token, price, size: `${1 + Math.floor(random() * 900)}.25`, side, hash: 'ab'.repeat(20), ...tops };
  };
  type Change = { asset_id: string; price: string; size: string; side: string; best_bid: string; best_ask: string };
  return {
    name: 'Polymarket price change',
    frames: made((index) => ({
      market: market.providerId,
      price_changes: [change(tokens[0] as string, 'BUY'), change(tokens[1] as string, 'SELL')],
      timestamp: String(RECEIVED_AT - FRAMES + index),
      event_type: 'price_change',
    })),
    map: (frame) => mapMarketFrame(frame, RECEIVED_AT, marketOf, note)[0],
    literal: (frame) => {
      const { timestamp, price_changes: changes } = parsed(frame) as { timestamp: string; price_changes: Change[] };
      return {
        kind: 'changes',
        at: Number(timestamp),
        changes: changes.map(({ asset_id: token, side, price, size, best_bid: bid, best_ask: ask }) => ({
          token,
          side: side === 'BUY' ? 'bids' : 'asks',
          price,
          size,
          best: { bid, ask },
        })),
      };
    },
    numbersOf: (mapped) => {
      const { at, changes } = mapped as Extract<MarketMessage, { kind: 'changes' }>;
      return [at, ...changes.flatMap(({ price, size, best }) => [price, size, best?.bid, best?.ask].map(Number))];
    },
    peers: [],
  };
}

/** Market of Kalshi and its lookup. */
function kalshiMarket(): { readonly ticker: string; readonly marketOf: (asked: string) => PredictionMarket | undefined } {
  const { series } = fixture('kalshi-frames') as { series: unknown };
  const terms = mapSeries(series, RECEIVED_AT) as SeriesTerms;
  const market = mapEvents(fixture('kalshi-events'), () => terms, RECEIVED_AT).markets[0] as PredictionMarket;
  return { ticker: market.providerId, marketOf: (asked) => (asked === market.providerId ? market : undefined) };
}

/** Snapshot of a book, twenty bids for each outcome. */
function kalshiSnapshotCase(): MessageCase {
  const { ticker, marketOf } = kalshiMarket();
  const levels = (from: number): string[][] =>
    listed(20, (index) => [((from + index) / 100).toFixed(4), (1 + Math.floor(random() * 900)).toFixed(2)]);
  return {
    name: 'Kalshi snapshot 2x20',
    frames: made((index) => ({
      type: 'orderbook_snapshot',
      sid: 3,
      seq: index + 1,
      msg: { market_ticker: ticker, yes_dollars_fp: levels(31), no_dollars_fp: levels(27) },
    })),
    map: (frame) => mapSocketFrame(frame, RECEIVED_AT, marketOf, note),
    literal: (frame) => {
      type Side = [string, string][];
      const { sid, seq, msg } = parsed(frame) as {
        sid: number;
        seq: number;
        msg: { market_ticker: string; yes_dollars_fp: Side; no_dollars_fp: Side };
      };
      const bids = msg.yes_dollars_fp.map(([price, size]) => ({ price, size }));
      const asks = msg.no_dollars_fp.map(([price, size]) => ({ price: (1 - Number(price)).toFixed(4), size }));
      return { kind: 'snapshot', sid, seq, ticker: msg.market_ticker, bids, asks };
    },
    numbersOf: (mapped) => {
      const { sid, seq, bids, asks } = mapped as Extract<SocketMessage, { kind: 'snapshot' }>;
      return [sid, seq, ...named(bids), ...named(asks)];
    },
    peers: [],
  };
}

/** One change to that book. */
function kalshiDeltaCase(): MessageCase {
  const { ticker, marketOf } = kalshiMarket();
  return {
    name: 'Kalshi delta',
    frames: made((index) => {
      const price = ((1 + Math.floor(random() * 98)) / 100).toFixed(4);
      const delta = (random() * 200 - 100).toFixed(2);
      const msg = { market_ticker: ticker, price_dollars: price, delta_fp: delta, side: index % 2 === 0 ? 'yes' : 'no' };
      return { type: 'orderbook_delta', sid: 3, seq: index + 1, msg: { ...msg, ts_ms: RECEIVED_AT - FRAMES + index } };
    }),
    map: (frame) => mapSocketFrame(frame, RECEIVED_AT, marketOf, note),
    literal: (frame) => {
      const { sid, seq, msg } = parsed(frame) as {
        sid: number;
        seq: number;
        msg: { market_ticker: string; price_dollars: string; delta_fp: string; side: string; ts_ms: number };
      };
      const yes = msg.side === 'yes';
      const price = yes ? msg.price_dollars : (1 - Number(msg.price_dollars)).toFixed(4);
      return { kind: 'delta', sid, seq, ticker: msg.market_ticker, side: yes ? 'bids' : 'asks', price, delta: msg.delta_fp, at: msg.ts_ms };
    },
    numbersOf: (mapped) => {
      const { sid, seq, price, delta, at } = mapped as Extract<SocketMessage, { kind: 'delta' }>;
      return [sid, seq, Number(price), Number(delta), at];
    },
    peers: [],
  };
}

const scanned = new Float64Array(256);

/** Limit of scanning: reads every quoted decimal of the frame into a double, without checks. @returns The number of decimals. */
function bareScan(frame: Buffer): number {
  let found = 0;
  let at = 0;
  while (at < frame.length) {
    if (frame[at++] !== 34) continue;
    let code = frame[at] as number;
    const negative = code === 45;
    if (negative) code = frame[++at] as number;
    if (code < 48 || code > 57) continue;
    let whole = 0;
    let scale = 1;
    while (code >= 48 && code <= 57) {
      whole = whole * 10 + (code - 48);
      code = frame[++at] as number;
    }
    if (code === 46) {
      code = frame[++at] as number;
      while (code >= 48 && code <= 57) {
        whole = whole * 10 + (code - 48);
        scale *= 10;
        code = frame[++at] as number;
      }
    }
    if (code !== 34) continue;
    scanned[found++] = (negative ? -whole : whole) / scale;
    at++;
  }
  return found;
}

/** @throws AssertionError if the map, the literal, the scan or a peer disagree about a frame. */
function proveEqual({ frames, map, literal, numbersOf, peers }: MessageCase): void {
  for (const frame of frames) {
    if (numbersOf === null) assert.deepEqual(map(frame), []);
    else {
      const numbers = numbersOf(map(frame));
      assert.ok(numbers.length > 3 && numbers.every(Number.isFinite));
      assert.deepEqual(numbersOf(literal(frame)), numbers);
    }
    const quoted = [...frame.toString('utf8').matchAll(/"(-?\d+(?:\.\d+)?)"/g)].map(([, text]) => Number(text));
    assert.deepEqual([...scanned.subarray(0, bareScan(frame))], quoted);
    for (const { read, numbersOf: peersNumbers } of peers) assert.deepEqual(peersNumbers(read(frame)), quoted);
  }
}

const cases = [
  depthCase(),
  perpBookCase(false),
  perpBookCase(true),
  perpBestCase(),
  perpTradeCase(),
  hermesCase(),
  polymarketCase(),
  polymarketChangeCase(),
  kalshiSnapshotCase(),
  kalshiDeltaCase(),
];

/** Three contenders per message, and its peers, all proven equal first. */
export function messageContenders(): Contender[] {
  for (const one of cases) proveEqual(one);
  return cases.flatMap(({ name, frames, map, literal, peers }) => {
    const contender = (what: string, work: (frame: Buffer) => unknown): Contender =>
      repeated(
        `${name}: ${what}`,
        FRAMES,
        () => {
          for (let index = 0; index < FRAMES; index++) sink.value = work(frames[index] as Buffer);
        },
        ROUND_MS,
      );
    const others = peers.map(({ who, read }) => contender(who, read));
    return [contender('map', map), contender('parse + literal', literal), contender('scan', bareScan), ...others];
  });
}

/** Comparisons per message: with its peers, with JSON.parse and a literal, and with the scan. */
export const messageComparisons: readonly Comparison[] = [
  ...cases.flatMap(({ name, peers }) => [
    ...peers.map(({ who }) => ({ what: `${name}, against ${who}`, ours: `${name}: map`, reference: `${name}: ${who}`, goal: null })),
    { what: name, ours: `${name}: map`, reference: `${name}: parse + literal`, goal: null },
    { what: `${name}, share of scan`, ours: `${name}: map`, reference: `${name}: scan`, goal: null },
  ]),
  {
    what: 'Hyperliquid l2Book, every level, against tardis-dev',
    ours: 'Hyperliquid l2Book, every level: map',
    reference: 'Hyperliquid l2Book 2x20: tardis-dev',
    goal: null,
  },
];
