// A recorded period of every venue in its own format: each message is mapped, ignored by name, or refused for a reason.
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importTape } from '../../../src/adapters/tape/import/import-tape.ts';
import { openTape } from '../../../src/adapters/tape/tape-reader.ts';
import { mapPerpFrame } from '../../../src/adapters/venues/evmvenue/map.ts';
import { mapMarkets, mapSocketFrame } from '../../../src/adapters/venues/prediction/kalshi/map.ts';
import { mapGammaEvents, mapGammaMarkets, mapMarketFrame } from '../../../src/adapters/venues/prediction/polymarket/map.ts';
import { mapHermesUpdate } from '../../../src/adapters/venues/reference/hermes-map.ts';
import { PRESTOCKS } from '../../../src/adapters/venues/reference/issuer-marks.ts';
import { mapOhlcv } from '../../../src/adapters/venues/spotchain/candles.ts';
import { readLeg, readPrices } from '../../../src/adapters/venues/spotchain/map.ts';
import { fixedMultiplier } from '../../../src/adapters/venues/spotchain/multiplier.ts';
import { mapSpotFrame, streamSymbols } from '../../../src/adapters/venues/spotexchange/map.ts';
import { Decimal } from '../../../src/domain/values/decimal.ts';
import { REJECTION_REASONS } from '../../../src/domain/market/quote.ts';
import type { Venue } from '../../../src/domain/market/venue.ts';
import { sampleMarket } from '../../domain/prediction/samples.ts';

const AT = Date.UTC(2026, 10, 22, 17);
const FIXTURES = fileURLToPath(new URL('../../fixtures/', import.meta.url));
const REAL = fileURLToPath(new URL('../../../../shared/data/', import.meta.url));

/** Returns the text of a file, decompressed if needed. */
function text(path: string): string {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
}
const json = (path: string): never => JSON.parse(text(path)) as never;

/** Results of one recording's messages. */
interface Tally {
  /** Messages of the recording, counted without the map. */
  read: number;
  /** Mapped messages, by their first result. */
  readonly mapped: Record<string, number>;
  /** Messages without a result, by their own kind. */
  readonly left: Record<string, number>;
  readonly rejected: Record<string, number>;
}
const emptyTally = (): Tally => ({ read: 0, mapped: {}, left: {}, rejected: {} });
const add = (counts: Record<string, number>, name: string, count = 1): number => (counts[name] = (counts[name] ?? 0) + count);
const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, count) => total + count, 0);

/** Counts one message by what its map yielded. `kind` is the message's own type. */
function count(tally: Tally, yielded: readonly unknown[], kind: string): void {
  tally.read++;
  const first = yielded[0] as { kind?: string; reason?: string; rejection?: { reason: string } } | undefined;
  if (first === undefined) add(tally.left, kind);
  else if (first.kind === 'rejection') add(tally.rejected, String(first.reason));
  else if (first.kind === 'unusable') add(tally.rejected, String(first.rejection?.reason));
  else add(tally.mapped, first.kind ?? kind);
}

type Fields = Record<string, unknown>;
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const asBytes = (message: unknown): Buffer => Buffer.from(typeof message === 'string' ? message : JSON.stringify(message));

/** Returns the kind of a spot-exchange frame, read without the map. */
function spotKind(frame: string): string {
  const { data, result } = JSON.parse(frame) as { data?: Fields; result?: unknown };
  if (data === undefined) return result === null ? 'acknowledgement' : 'nameless';
  const bar = data['k'] as Fields | undefined;
  return bar === undefined ? String(data['e'] ?? 'bookTicker') : `kline ${bar['x'] === true ? 'closed' : 'forming'}`;
}

/** Reads a raw log: its first line names the streams, every other one is a time and a frame. */
function spotLog(path: string): Tally {
  const [head = '', ...lines] = text(path)
    .split('\n')
    .filter((line) => line !== '');
  const instruments = new Set([...head.matchAll(/[=/]([a-z0-9]+)@/g)].map(([, symbol]) => String(symbol).toUpperCase()));
  const symbols = streamSymbols([...instruments]);
  const tally = emptyTally();
  for (const line of lines) {
    const [, seconds = '', frame = ''] = /^(\d+\.\d+): (.*)$/.exec(line) ?? [];
    const yielded = mapSpotFrame(Buffer.from(frame), Math.floor(Number(seconds) * 1000), symbols);
    count(tally, yielded, yielded.length === 0 ? spotKind(frame) : '');
  }
  return tally;
}

function framesOf(path: string): { readonly instruments: readonly string[]; readonly frames: readonly { readonly frame: unknown }[] } {
  return json(path);
}

function spotFrames(path: string): Tally {
  const { instruments, frames } = framesOf(path);
  const tally = emptyTally();
  for (const { frame } of frames)
    count(tally, mapSpotFrame(asBytes(frame), AT, streamSymbols(instruments)), spotKind(asBytes(frame).toString()));
  return tally;
}

function perpFrames(frames: readonly unknown[], coins: readonly string[]): Tally {
  const tally = emptyTally();
  for (const frame of frames) {
    const kind = isFields(frame) ? String(frame['channel']) : 'greeting';
    count(tally, mapPerpFrame(asBytes(frame), AT, new Set(coins)), kind);
  }
  return tally;
}

/** Reads the bars of a recorded day, each as the socket would have sent it, and the separately recorded frames. */
function perpDay(): Tally {
  const folder = `${REAL}fixtures/hyperliquid/`;
  const calls = json(`${folder}rec_get_candles_snapshot.json`) as { request: { body: Fields }; response: { body: unknown } }[];
  const bars = calls
    .filter(({ request }) => request.body['type'] === 'candleSnapshot')
    .flatMap(({ response }) => response.body as Fields[]);
  const frames = [
    ...bars.map((data) => ({ channel: 'candle', data })),
    { channel: 'l2Book', data: json(`${folder}nt_ws_book_data.json`) as unknown },
    json(`${folder}nt_ws_allmids.json`) as unknown,
  ];
  return perpFrames(frames, ['BTC', 'kPEPE']);
}

/** Reads an update, each entry of which counts as a message. */
function hermes(update: { readonly parsed: readonly { readonly id: string }[] }): Tally {
  const symbols = new Map(update.parsed.map(({ id }, index) => [id, `S${index}`]));
  const { prices, rejections } = mapHermesUpdate(update, symbols, AT);
  const tally = emptyTally();
  tally.read = update.parsed.length;
  for (const { kind } of prices) add(tally.mapped, kind);
  for (const { reason } of rejections) add(tally.rejected, reason);
  expect(new Set(prices.map(({ instrument }) => instrument)).size).toBe(prices.length);
  return tally;
}

function issuerMarks(rows: readonly unknown[]): Tally {
  const { marks, unread } = PRESTOCKS.read(rows, AT);
  return {
    read: rows.length,
    mapped: { mark: marks.length },
    left: {},
    rejected: unread.length > 0 ? { unknown_shape: unread.length } : {},
  };
}

interface Page {
  readonly markets: readonly { readonly status: string }[];
  readonly rejections: readonly { readonly reason: string }[];
}

function marketPage(read: number, page: Page): Tally {
  const tally = emptyTally();
  tally.read = read;
  for (const { status } of page.markets) add(tally.mapped, status === 'unknown' ? 'market of unknown status' : 'market');
  for (const { reason } of page.rejections) add(tally.rejected, reason);
  // A market of unknown status is kept and its word counted: one market, not two.
  const kept = tally.mapped['market of unknown status'] ?? 0;
  if (kept > 0) add(tally.rejected, 'unknown_word', -kept);
  if (tally.rejected['unknown_word'] === 0) delete tally.rejected['unknown_word'];
  return tally;
}

function predictionFrames(frames: readonly unknown[], map: (frame: Buffer) => readonly unknown[], nameIn: string): Tally {
  const tally = emptyTally();
  for (const frame of frames) {
    const events = Array.isArray(frame) ? (frame as unknown[]) : [frame];
    for (const event of events) count(tally, map(asBytes(event)), isFields(event) ? String(event[nameIn]) : 'no object');
  }
  return tally;
}

/** Reads frames of the market channel, for the markets whose tokens they name. */
function polymarketFrames(frames: readonly unknown[]): Tally {
  const marketOf = (token: string) => {
    const market = sampleMarket('polymarket', '0x1111');
    return { ...market, outcomes: [{ ...market.outcomes[0], providerId: token }, market.outcomes[1]] as const };
  };
  return predictionFrames(frames, (frame) => mapMarketFrame(frame, AT, marketOf), 'event_type');
}

function kalshiFrames(frames: readonly unknown[]): Tally {
  const map = (frame: Buffer) => [mapSocketFrame(frame, AT, (ticker) => sampleMarket('kalshi', ticker))].filter((one) => one !== null);
  return predictionFrames(frames, map, 'type');
}

const members = (path: string): unknown[] => Object.values(json(path) as Fields).filter((one) => typeof one === 'object');

function legs(answers: readonly Fields[]): Tally {
  const tally = emptyTally();
  for (const answer of answers) {
    const read = readLeg(answer, String(answer['inputMint']), String(answer['outputMint']), String(answer['inAmount']));
    count(tally, typeof read === 'string' ? [{ kind: 'rejection', reason: 'unknown_shape' }] : [{ kind: 'leg', ...read }], 'route');
  }
  return tally;
}

function prices(answer: Fields): Tally {
  const found = readPrices(answer);
  if (typeof found === 'string') return { read: 1, mapped: {}, left: {}, rejected: { unknown_shape: 1 } };
  const rejected: Record<string, number> = {};
  for (const { reason } of found.unread) add(rejected, reason);
  return { read: Object.keys(answer).length, mapped: { price: found.rows.size }, left: {}, rejected };
}

/**
 * Reads bars of a pool, newest first. A refused bar refuses its page, so a read page has all of them. The recordings
 * have one hour twice, at the border of two pages. The second one opens at its own close, so the first must be kept.
 */
function poolBars(rows: readonly (readonly number[])[]): Tally {
  const candles = mapOhlcv({ data: { attributes: { ohlcv_list: rows } } }, fixedMultiplier('1'));
  const firsts = new Map<number, number>();
  for (const [seconds, open] of rows) if (!firsts.has(Number(seconds))) firsts.set(Number(seconds), Number(open));
  for (const { openTime, open } of candles) expect(Number(open)).toBeCloseTo(firsts.get(openTime / 1000) ?? Number.NaN, 9);
  const again = rows.length - firsts.size;
  return { read: rows.length, mapped: { candle: candles.length }, left: again > 0 ? { 'bar a second time': again } : {}, rejected: {} };
}
const barsOf = (path: string): number[][] => (json(path) as { ohlcv: number[][] }).ohlcv;

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'days-'));
});
afterAll(() => rm(folder, { recursive: true }));
let tapes = 0;

async function tapeOf(from: string, venue: Venue, instrument: string | null) {
  const to = join(folder, `${tapes++}.tape`);
  const report = await importTape({ from, to, venue, instrument, timeframe: null, date: null });
  const rejected = Object.fromEntries(Object.entries(report.rejected).map(([reason, { count: times }]) => [reason, times]));
  return { to, report, rejected };
}

/** Reads ticks: one row, one price. */
async function ticks(path: string): Promise<Tally> {
  const { report, rejected } = await tapeOf(path, 'reference', 'BTC');
  const read = text(path).trim().split('\n').length - 1;
  expect(report.read).toBe(read);
  return { read, mapped: { reference: report.events }, left: { ...report.skipped }, rejected };
}

/** Aggregates trades of a pool to bars: bars and trades must have the same total amount. */
async function poolTrades(path: string): Promise<Tally> {
  const { to, report, rejected } = await tapeOf(path, 'spotchain', null);
  const { meta, trades } = json(path) as { meta: { mint: string }; trades: Fields[] };
  const sides = trades.filter((trade) => [trade['to_token_address'], trade['from_token_address']].includes(meta.mint));
  const sound = sides.filter(
    (trade) => Number(trade[trade['to_token_address'] === meta.mint ? 'price_to_in_usd' : 'price_from_in_usd']) > 0,
  );
  const amount = sound.reduce(
    (total, trade) => total.plus(String(trade[trade['to_token_address'] === meta.mint ? 'to_token_amount' : 'from_token_amount'])),
    new Decimal(0),
  );
  let volume = new Decimal(0);
  for await (const { events } of (await openTape(to)).batches())
    for (const event of events) if (event.kind === 'candles') for (const candle of event.candles) volume = volume.plus(candle.volume);
  expect(volume.toString()).toBe(amount.toString());
  expect(report.read).toBe(trades.length);
  expect(report.events).toBe(new Set(sound.map((trade) => String(trade['block_timestamp']).slice(0, 16))).size);
  return { read: trades.length, mapped: { trade: sound.length }, left: { ...report.skipped }, rejected };
}

interface Day {
  readonly name: string;
  /** Folder below the extra data; absent for the suite's fixtures. */
  readonly needs?: string;
  readonly tally: () => Tally | Promise<Tally>;
  readonly expected: Tally;
}

/** Kinds that may yield nothing: any other without a result is a loss. */
const NOT_OF_INTEREST = new Set([
  'acknowledgement',
  'trade',
  '24hrMiniTicker',
  'kline forming',
  // Plain greeting with which the perpetuals venue opens a connection.
  'greeting',
  'allMids',
  'activeSpotAssetCtx',
  'trades',
  'subscriptionResponse',
  'best_bid_ask',
  'bar a second time',
]);

const POOLS = [
  'COINX__raydium__w7SGmPeX',
  'CRCLX__raydium__3zozghHn',
  'CRCLX__raydium__G39wywqu',
  'CRCLX__raydium__GYqHjuDz',
  'CTRL_JUP__HfgjZDme',
  'CTRL_WIF__EP2ib6dY',
  'NVDAX__raydium__49iMatQt',
  'TSLAX__orca__9p7abUFv',
  'TSLAX__raydium__8aDaBQkT',
];
const mark = {
  symbol: 'SPACEX',
  contract_address: 'Mint',
  markPrice: 200,
  markValuation: 4e11,
  tokenPrice: 210,
  impliedValuation: 4.2e11,
  supply: 5,
};

const at = (needs: string): string => `${REAL}${needs}`;
const tallyOf = (
  read: number,
  mapped: Record<string, number>,
  left: Record<string, number> = {},
  rejected: Record<string, number> = {},
): Tally => ({ read, mapped, left, rejected });

const DAYS: readonly Day[] = [
  {
    name: 'spotexchange, log of four markets',
    needs: 'tapes/cryptofeed/BINANCE_US.ws.1.0.log.gz',
    tally: () => spotLog(at('tapes/cryptofeed/BINANCE_US.ws.1.0.log.gz')),
    expected: tallyOf(480, { depth_diff: 336, quote: 128, candles: 1, trade: 11 }, { 'kline forming': 4 }),
  },
  {
    name: 'spotexchange, log of four thin markets',
    needs: 'tapes/cryptofeed/BINANCE.ws.1.0.log.gz',
    tally: () => spotLog(at('tapes/cryptofeed/BINANCE.ws.1.0.log.gz')),
    expected: tallyOf(265, { depth_diff: 177, quote: 84, trade: 2 }, { 'kline forming': 2 }),
  },
  {
    name: 'spotexchange, made log',
    tally: () => spotLog(`${FIXTURES}tape/spot-socket.log`),
    expected: tallyOf(
      10,
      { quote: 3, depth_diff: 1, candles: 1, trade: 1 },
      { 'kline forming': 1 },
      { non_positive_price: 1, unknown_instrument: 1, not_json: 1 },
    ),
  },
  {
    name: 'spotexchange, made frames',
    tally: () => spotFrames(`${FIXTURES}binance/combined-stream.json`),
    expected: tallyOf(
      23,
      { quote: 2, depth_diff: 1, candles: 1, trade: 1, server_shutdown: 1 },
      { 'kline forming': 1, trade: 1, '24hrMiniTicker': 1, acknowledgement: 1 },
      { venue_error: 1, unknown_instrument: 2, non_positive_price: 2, bad_number: 5, missing_field: 1, unknown_shape: 2 },
    ),
  },
  {
    name: 'evmvenue, hourly bars of a day and single frames (no day of frames is recorded)',
    needs: 'fixtures/hyperliquid/rec_get_candles_snapshot.json',
    tally: perpDay,
    expected: tallyOf(26, { forming_candle: 24, perp_book: 1 }, { allMids: 1 }),
  },
  {
    name: 'evmvenue, made frames',
    tally: () => {
      const { frames, instruments } = framesOf(`${FIXTURES}hyperliquid/frames.json`);
      return perpFrames(
        frames.map(({ frame }) => frame),
        instruments,
      );
    },
    expected: tallyOf(
      28,
      { quote: 4, perp_book: 2, perp_context: 2, forming_candle: 2, heartbeat: 1 },
      { greeting: 1, subscriptionResponse: 1, trades: 1, activeSpotAssetCtx: 1, allMids: 1 },
      { venue_error: 1, not_json: 1, unknown_instrument: 2, non_positive_price: 1, bad_number: 3, missing_field: 3, unknown_shape: 1 },
    ),
  },
  {
    name: 'reference, one update of twenty feeds (no day of updates is recorded)',
    needs: 'fixtures/pyth/pyth_hermes_2025-06-27T1641Z_regular-session.json',
    tally: () =>
      hermes((json(at('fixtures/pyth/pyth_hermes_2025-06-27T1641Z_regular-session.json')) as { hermesResponse: never }).hermesResponse),
    expected: tallyOf(20, { reference: 20 }),
  },
  {
    name: 'reference, three hours of oracle ticks',
    needs: 'tapes/polymarket/BTCUSD-prices-2026-07-24_first3h.csv.gz',
    tally: () => ticks(at('tapes/polymarket/BTCUSD-prices-2026-07-24_first3h.csv.gz')),
    expected: tallyOf(9933, { reference: 9933 }),
  },
  {
    name: 'reference, made update',
    tally: () => hermes(json(`${FIXTURES}pyth/hermes-update.json`)),
    expected: tallyOf(1, { reference: 1 }),
  },
  {
    name: 'reference, made ticks',
    tally: () => ticks(`${FIXTURES}tape/BTCUSD-prices-made.csv`),
    expected: tallyOf(3, { reference: 2 }, {}, { non_positive_price: 1 }),
  },
  {
    name: 'issuer marks, made rows (none are recorded)',
    tally: () => issuerMarks([mark, { ...mark, markPrice: 0 }, null]),
    expected: tallyOf(3, { mark: 1 }, {}, { unknown_shape: 2 }),
  },
  ...POOLS.map(
    (pool): Day => ({
      name: `spotchain, trades of ${pool}`,
      needs: `tapes/xstocks/trades/${pool}.json.gz`,
      tally: () => poolTrades(at(`tapes/xstocks/trades/${pool}.json.gz`)),
      expected: tallyOf(300, { trade: 300 }),
    }),
  ),
  {
    name: 'spotchain, hourly bars of a pool',
    needs: 'candles/raw/xstocks/TSLAX__raydium__8aDaBQkT__hour.json.gz',
    tally: () => poolBars(barsOf(at('candles/raw/xstocks/TSLAX__raydium__8aDaBQkT__hour.json.gz'))),
    expected: tallyOf(1000, { candle: 999 }, { 'bar a second time': 1 }),
  },
  {
    name: 'spotchain, routes (no day of them is recorded)',
    needs: 'fixtures/jupiter/quote_chainstack.json',
    tally: () => legs(['quote_chainstack', 'quote_official_docs'].map((name) => json(at(`fixtures/jupiter/${name}.json`)))),
    expected: tallyOf(2, { leg: 2 }),
  },
  {
    name: 'spotchain, made bars',
    tally: () =>
      poolBars([
        [1_778_450_400, 427, 431, 426, 430, 1200],
        [1_778_446_800, 430, 430.5, 425.5, 427, 39_940],
        [1_778_446_800, 427, 430.5, 425.5, 427, 39_940],
        [1_778_443_200, 429, 431, 428, 430, 0],
      ]),
    expected: tallyOf(4, { candle: 3 }, { 'bar a second time': 1 }),
  },
  {
    name: 'spotchain, made trades',
    tally: () => poolTrades(`${FIXTURES}tape/TSLAX-pool-trades.json`),
    expected: tallyOf(5, { trade: 4 }, {}, { unknown_instrument: 1 }),
  },
  {
    name: 'spotchain, made routes',
    tally: () => legs(['quote-one-hop', 'quote-two-hops', 'order-no-taker'].map((name) => json(`${FIXTURES}jupiter/${name}.json`))),
    expected: tallyOf(3, { leg: 3 }),
  },
  { name: 'spotchain, made prices', tally: () => prices(json(`${FIXTURES}jupiter/price-v3.json`)), expected: tallyOf(1, { price: 1 }) },
  {
    name: 'polymarket, the markets of three hours',
    needs: 'tapes/polymarket/BTC-5m-markets-2026-07-24_first3h.jsonl.gz',
    tally: () => {
      const rows = text(at('tapes/polymarket/BTC-5m-markets-2026-07-24_first3h.jsonl.gz'))
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { raw: unknown }).raw);
      return marketPage(rows.length, mapGammaMarkets(rows, AT));
    },
    expected: tallyOf(37, { market: 37 }),
  },
  {
    name: 'polymarket, one frame of each kind (no day of frames is recorded)',
    needs: 'fixtures/polymarket/nt_ws_market_best_bid_ask_msg.json',
    tally: () =>
      polymarketFrames(
        ['best_bid_ask', 'last_trade', 'new_market', 'resolved', 'tick_size'].map((name) =>
          json(at(`fixtures/polymarket/nt_ws_market_${name}_msg.json`)),
        ),
      ),
    expected: tallyOf(5, { trade: 1, listing: 2, tick: 1 }, { best_bid_ask: 1 }),
  },
  {
    name: 'polymarket, made frames',
    tally: () => polymarketFrames(members(`${FIXTURES}prediction/polymarket-frames.json`)),
    expected: tallyOf(6, { book: 1, changes: 1, trade: 1, tick: 1, listing: 1 }, { best_bid_ask: 1 }),
  },
  {
    name: 'polymarket, made markets',
    tally: () => {
      const events = json(`${FIXTURES}prediction/polymarket-events.json`) as { markets: unknown[] }[];
      return marketPage(events.flatMap(({ markets }) => markets).length, mapGammaEvents(events, AT));
    },
    expected: tallyOf(8, { market: 3, 'market of unknown status': 1 }, {}, { missing_field: 1, unknown_shape: 3 }),
  },
  {
    name: 'kalshi, a page of markets (no day of frames is recorded)',
    needs: 'fixtures/kalshi/golden_markets_list_response.json',
    tally: () => {
      const { response } = json(at('fixtures/kalshi/golden_markets_list_response.json')) as { response: { markets: unknown[] } };
      return marketPage(
        response.markets.length,
        mapMarkets(response, () => ({ event: null, series: null }), AT),
      );
    },
    expected: tallyOf(5, { market: 5 }),
  },
  {
    name: 'kalshi, made frames',
    tally: () => kalshiFrames(members(`${FIXTURES}prediction/kalshi-frames.json`)),
    expected: tallyOf(10, { subscribed: 1, snapshot: 2, delta: 1, trade: 1, lifecycle: 1 }, {}, { venue_error: 1, missing_field: 3 }),
  },
];

describe('without an unexplained loss maps', () => {
  for (const { name, needs, tally: tallied, expected } of DAYS) {
    const absent = needs !== undefined && !existsSync(at(needs));
    test.skipIf(absent)(absent ? `${name}: the recording ${needs} is not here` : name, async () => {
      const tally = await tallied();
      const [mapped, left, rejected] = [sum(tally.mapped), sum(tally.left), sum(tally.rejected)];
      console.log(
        `${name}: ${tally.read} in, ${mapped} mapped, ${left} not of interest, ${rejected} refused ${JSON.stringify(tally.rejected)}`,
      );
      expect(mapped + left + rejected).toBe(tally.read);
      for (const kind of Object.keys(tally.left)) expect(NOT_OF_INTEREST).toContain(kind);
      for (const reason of Object.keys(tally.rejected)) expect(REJECTION_REASONS).toContain(reason);
      expect(tally).toEqual(expected);
    });
  }
});
