/**
 * Maps of all providers' answers and frames, and one message of every form with the rule of each of its members.
 * The tests of damaged, unknown and missing members use all of them.
 */
import { readFileSync } from 'node:fs';
import { readSubmissions } from '../../../src/adapters/intelligence/filings.ts';
import { readObservations, readReleases } from '../../../src/adapters/intelligence/macro-feed.ts';
import { readWirePage } from '../../../src/adapters/intelligence/newswire.ts';
import { readPosts } from '../../../src/adapters/intelligence/social-feed.ts';
import { readChains, readHistory } from '../../../src/adapters/intelligence/tvl.ts';
import { mapPerpFrame } from '../../../src/adapters/venues/evmvenue/map.ts';
import {
  mapTrades as kalshiTrades,
  mapEvents,
  mapMarkets,
  mapOrderBook,
  mapSeries,
  mapSocketFrame,
} from '../../../src/adapters/venues/prediction/kalshi/map.ts';
import {
  mapBook,
  mapClobWinner,
  mapGammaEvents,
  mapGammaMarkets,
  mapMarketFrame,
  mapTrades as polymarketTrades,
} from '../../../src/adapters/venues/prediction/polymarket/map.ts';
import { mapHistory } from '../../../src/adapters/venues/reference/candles.ts';
import { mapHermesUpdate, mapProUpdate, type ReferenceYield } from '../../../src/adapters/venues/reference/hermes-map.ts';
import { type MarkIssuer, PRESTOCKS, TESSERA } from '../../../src/adapters/venues/reference/issuer-marks.ts';
import { readAlpacaSnapshot, readFinnhubQuote } from '../../../src/adapters/venues/reference/share-quotes.ts';
import { mapOhlcv } from '../../../src/adapters/venues/spotchain/candles.ts';
import { readLeg, readPrices } from '../../../src/adapters/venues/spotchain/map.ts';
import { fixedMultiplier } from '../../../src/adapters/venues/spotchain/multiplier.ts';
import { mapSpotFrame, streamSymbols } from '../../../src/adapters/venues/spotexchange/map.ts';
import { VenueError } from '../../../src/adapters/venues/venue-feed.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { indexEntityNames } from '../../../src/domain/intelligence/entities.ts';
import { REJECTION_REASONS } from '../../../src/domain/market/quote.ts';
import type { NoteUnknownField } from '../../../streams/feed-counters.ts';
import { sampleMarket } from '../../domain/prediction/samples.ts';

export const AT = Date.UTC(2026, 10, 22, 17);
export const fixture = (name: string): never =>
  JSON.parse(readFileSync(new URL(`../../fixtures/${name}.json`, import.meta.url), 'utf8')) as never;
const bytes = (message: unknown): Buffer => Buffer.from(JSON.stringify(message));

export type Step = string | number;

/** Returns a copy with the value at a path replaced, or removed without a replacement. */
export function damaged(message: unknown, path: readonly Step[], ...replacement: unknown[]): unknown {
  if (path.length === 0) return replacement[0];
  const copy = structuredClone(message);
  let at = copy as Record<Step, unknown>;
  for (const step of path.slice(0, -1)) at = at[step] as Record<Step, unknown>;
  const last = path.at(-1) as Step;
  if (replacement.length > 0) at[last] = replacement[0];
  else if (Array.isArray(at)) (at as unknown[]).splice(Number(last), 1);
  else delete at[last];
  return copy;
}

/** Map that yields a list. Refusals are of kind `rejection`, with their reasons. */
export type WireMap = (message: unknown, note?: NoteUnknownField) => readonly unknown[];

interface Refused {
  readonly reason: string;
  readonly detail?: string;
}
const refusals = (rejected: readonly Refused[]): unknown[] => rejected.map(({ reason }) => ({ kind: 'rejection', reason }));
const sentences = (unread: readonly string[]): unknown[] => unread.map(() => ({ kind: 'rejection', reason: 'unknown_shape' }));
const both = ({ prices, rejections }: ReferenceYield): readonly unknown[] => [...prices, ...rejections];
const listed = ({ markets, rejections }: { markets: readonly object[]; rejections: readonly Refused[] }): readonly unknown[] => [
  ...markets.map((one) => ({ kind: 'market', ...one })),
  ...rejections,
];
const traded = ({ trades, rejections }: { trades: readonly object[]; rejections: readonly Refused[] }): readonly unknown[] => [
  ...trades.map((one) => ({ kind: 'trade', ...one })),
  ...rejections,
];

/** Wraps a reader that throws on an answer of another form: the poll counts the error's reason. */
function orRefused(read: () => readonly unknown[]): readonly unknown[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof VenueError)) throw error;
    const known = (REJECTION_REASONS as readonly string[]).includes(error.code);
    return [{ kind: 'rejection', reason: known ? error.code : 'unknown_shape' }];
  }
}

interface Frames {
  readonly instruments: readonly string[];
  readonly frames: readonly { readonly frame: unknown }[];
}
const spot = fixture('binance/combined-stream') as Frames;
const perp = fixture('hyperliquid/frames') as Frames;
const symbols = streamSymbols(spot.instruments);
const hermes = fixture('pyth/hermes-update') as { parsed: { id: string }[] };
const feedIds = new Map(hermes.parsed.map(({ id }, index) => [id, `S${index}`]));
const pro = fixture('pyth/pro-carried-forward');
const leg = fixture('jupiter/quote-one-hop') as { inputMint: string; outputMint: string; inAmount: string };
const names = indexEntityNames(CATALOG);

export const framed = (name: string, kind: string): unknown => (fixture(`prediction/${name}`) as Record<string, unknown>)[kind];
const POLYMARKET = ['book', 'price_change', 'last_trade_price', 'tick_size_change', 'best_bid_ask', 'market_resolved'];
const KALSHI = ['subscribed', 'snapshot', 'empty_side', 'delta', 'trade', 'lifecycle', 'error'];
export const market = sampleMarket('polymarket', '0x1111');
const [yes] = market.outcomes;
const kalshi = sampleMarket('kalshi', 'KXBTCD-26NOV2217-T95000');

const mark = {
  name: 'SpaceX',
  symbol: 'SPACEX',
  description: 'Economic exposure to SpaceX.',
  image: 'https://i.example/spacex.png',
  external_url: 'https://i.example/spacex',
  contract_address: 'Mint',
  markPrice: 200,
  markValuation: 4e11,
  tokenPrice: 210,
  impliedValuation: 4.2e11,
  supply: 5,
};
const tessera = {
  id: 7,
  name: 'SpaceX',
  symbol: 'SPACEX',
  code: 'SPX',
  sector: 'aerospace',
  mint: 'Mint',
  markPrice: 200,
  holders: 90,
  markValuation: 4e11,
};
const finnhub = { c: 312.4, d: 1.2, dp: 0.38, h: 313, l: 309, o: 310, pc: 311.2, t: 1_795_197_600 };
const bar = { t: '2026-11-20T18:00:00Z', o: 312, h: 313, l: 311, c: 312.4, v: 1200, n: 30, vw: 312.2 };
const alpaca = {
  symbol: 'AAPL',
  latestTrade: { t: '2026-11-20T18:00:00.123456789Z', x: 'V', p: 312.4, s: 100, c: ['@'], i: 5, z: 'C' },
  latestQuote: { t: '2026-11-20T18:00:00.2Z', ax: 'V', ap: 312.5, as: 2, bx: 'V', bp: 312.3, bs: 3, c: ['R'], z: 'C' },
  minuteBar: bar,
  dailyBar: bar,
  prevDailyBar: bar,
};
const dayTicker = {
  stream: 'btcusdt@ticker',
  data: Object.fromEntries([
    ['e', '24hrTicker'],
    ['s', 'BTCUSDT'],
    ...'pPwxcQbBaAohlvq'.split('').map((name) => [name, '1.5']),
    ...'EOCFLn'.split('').map((name) => [name, 7]),
  ]),
};
const kline = {
  stream: 'btcusdt@kline_1m',
  data: {
    e: 'kline',
    E: AT,
    s: 'BTCUSDT',
    k: {
      t: AT - 60_000,
      T: AT - 1,
      s: 'BTCUSDT',
      i: '1m',
      f: 1,
      L: 9,
      o: '1.5',
      c: '1.6',
      h: '1.7',
      l: '1.4',
      v: '10',
      n: 9,
      x: true,
      q: '15',
      V: '5',
      Q: '7',
      B: '0',
    },
  },
};
const perpBar = {
  channel: 'candle',
  data: { t: AT - 60_000, T: AT - 1, s: 'BTC', i: '1m', o: '1.5', c: '1.6', h: '1.7', l: '1.4', v: '10', n: 9 },
};
const gamma = (fixture('prediction/polymarket-events') as Record<string, unknown>[])[0] as Record<string, unknown> & {
  markets: Record<string, unknown>[];
};
const { aFieldOfTomorrow: _tomorrow, ...gammaMarket } = gamma.markets[0] as Record<string, unknown>;
const kalshiEvents = fixture('prediction/kalshi-events') as {
  events: (Record<string, unknown> & { markets: Record<string, unknown>[] })[];
};
const [kalshiEvent] = kalshiEvents.events as [(typeof kalshiEvents.events)[0]];
const { newField: _new, ...kalshiMarket } = kalshiEvent.markets[0] as Record<string, unknown>;
const clobMarket = {
  condition_id: market.providerId,
  closed: true,
  tokens: [{ token_id: yes.providerId, outcome: 'Yes', price: 1, winner: true }],
};
const dataTrade = {
  proxyWallet: '0x1',
  side: 'BUY',
  asset: yes.providerId,
  conditionId: market.providerId,
  size: 12.5,
  price: 0.53,
  timestamp: 1_795_197_600,
  title: 'Bitcoin',
  slug: 'bitcoin',
  transactionHash: '0xabc',
};
const submissions = {
  cik: '320193',
  name: 'Apple Inc.',
  filings: {
    recent: {
      accessionNumber: ['0000320193-26-000012'],
      form: ['8-K'],
      acceptanceDateTime: ['2026-11-18T21:30:11.000Z'],
      items: ['5.02,9.01'],
      reportDate: ['2026-11-16'],
      primaryDocument: ['a8-k.htm'],
    },
    files: [],
  },
};
const item = {
  id: 'n-1',
  storyId: 's-1',
  publishedAt: '2026-11-19T15:00:00Z',
  source: { name: 'Example', family: 'example', primary: false },
  category: 'executive_departure',
  tone: 'negative',
  symbols: ['AAPL'],
  companies: ['Apple Inc.'],
  headline: 'A senior officer leaves',
  url: 'https://wire.example/n-1',
  action: 'report',
  corrects: 'n-0',
  items: ['5.02'],
};
const observations = {
  units: 'pc1',
  observations: [{ realtime_start: '2026-11-19', realtime_end: '2026-11-19', date: '2026-07-01', value: '2.73218' }],
};
const releases = { release_dates: [{ release_id: 10, release_name: 'Consumer Price Index', date: '2026-11-24' }] };
const chain = { gecko_id: 'solana', tvl: 2_166_649_789.24, tokenSymbol: 'SOL', cmcId: '5426', name: 'Solana', chainId: null };
const post = {
  id: '1989000000000000003',
  text: 'why is $AAPL down',
  author_id: '11',
  created_at: '2026-11-19T15:20:00.000Z',
  public_metrics: { retweet_count: 1, reply_count: 2, like_count: 30, quote_count: 0 },
  entities: { cashtags: [{ start: 7, end: 12, tag: 'AAPL' }] },
};
const page = { data: [post], includes: { users: [{ id: '11', name: 'Tape', username: 'tape_reader' }] }, meta: { result_count: 1 } };

const issuer =
  ({ read }: MarkIssuer): WireMap =>
  (one, note) => {
    const { marks, unread } = read(one, AT, note);
    return [...marks, ...sentences(unread)];
  };

/** Maps with messages that they know. */
export const MAPS: Readonly<Record<string, { readonly messages: readonly unknown[]; readonly map: WireMap }>> = {
  spotexchange: {
    messages: [...spot.frames.map(({ frame }) => frame), dayTicker, kline],
    map: (one, note) => mapSpotFrame(bytes(one), AT, symbols, note),
  },
  evmvenue: {
    messages: [...perp.frames.map(({ frame }) => frame), perpBar],
    map: (one, note) => mapPerpFrame(bytes(one), AT, new Set(perp.instruments), note),
  },
  reference: { messages: [hermes], map: (one, note) => both(mapHermesUpdate(one, feedIds, AT, note)) },
  'reference pushes': { messages: [pro], map: (one, note) => both(mapProUpdate(one, new Map([[922, 'AAPL']]), AT, note)) },
  'reference history': {
    messages: [{ s: 'ok', t: [1_795_197_600], o: [1.5], h: [1.7], l: [1.4], c: [1.6], v: [10] }],
    map: (one) => orRefused(() => mapHistory(one, 0, Number.MAX_SAFE_INTEGER)),
  },
  'second source finnhub': { messages: [finnhub], map: (one, note) => both(readFinnhubQuote(one, 'AAPL', AT, note)) },
  'second source alpaca': { messages: [alpaca], map: (one, note) => both(readAlpacaSnapshot(one, 'AAPL', AT, note)) },
  'issuer prestocks': { messages: [[mark]], map: issuer(PRESTOCKS) },
  'issuer tessera': { messages: [[tessera]], map: issuer(TESSERA) },
  'spotchain routes': {
    messages: [leg, fixture('jupiter/quote-two-hops')],
    map(one, note) {
      const { inputMint, outputMint, inAmount } = JSON.stringify(one)?.includes('longtailMarketQuoteReport')
        ? (fixture('jupiter/quote-two-hops') as typeof leg)
        : leg;
      const read = readLeg(one, inputMint, outputMint, inAmount, note);
      return typeof read === 'string' ? sentences([read]) : [read];
    },
  },
  'spotchain prices': {
    messages: [fixture('jupiter/price-v3')],
    map(one, note) {
      const read = readPrices(one, note);
      return typeof read === 'string' ? sentences([read]) : [...read.rows.values(), ...refusals(read.unread)];
    },
  },
  'spotchain bars': {
    messages: [{ data: { attributes: { ohlcv_list: [[1_795_197_600, 1.5, 1.7, 1.4, 1.6, 10]] } } }],
    map: (one) => orRefused(() => mapOhlcv(one, fixedMultiplier('1'))),
  },
  polymarket: {
    messages: POLYMARKET.map((kind) => framed('polymarket-frames', kind)),
    map: (one, note) => mapMarketFrame(bytes(one), AT, () => market, note),
  },
  'polymarket events': {
    messages: [[{ ...gamma, markets: [gammaMarket] }]],
    map: (one, note) => listed(mapGammaEvents(one, AT, note)),
  },
  'polymarket markets': { messages: [[gammaMarket]], map: (one, note) => listed(mapGammaMarkets(one, AT, note)) },
  'polymarket winner': {
    messages: [clobMarket],
    map: (one, note) => [mapClobWinner(one, AT, note)],
  },
  'polymarket book': {
    messages: [damaged(framed('polymarket-frames', 'book'), ['asset_id'], yes.providerId)],
    map: (one, note) => [mapBook(one, market, AT, note)],
  },
  'polymarket trades': { messages: [[dataTrade]], map: (one, note) => traded(polymarketTrades(one, market, AT, note)) },
  kalshi: {
    messages: KALSHI.map((kind) => framed('kalshi-frames', kind)),
    map(one, note) {
      const found = mapSocketFrame(bytes(one), AT, () => kalshi, note);
      return found === null ? [] : [found];
    },
  },
  'kalshi events': {
    messages: [
      { cursor: '', events: [{ ...kalshiEvent, settlement_sources: [{ name: 'CF', url: 'https://c.example' }], markets: [kalshiMarket] }] },
    ],
    map: (one, note) => listed(mapEvents(one, () => null, AT, note)),
  },
  'kalshi markets': {
    messages: [{ cursor: '', markets: [kalshiMarket] }],
    map: (one, note) => listed(mapMarkets(one, () => ({ event: null, series: null }), AT, note)),
  },
  'kalshi series': { messages: [framed('kalshi-frames', 'series')], map: (one, note) => [mapSeries(one, AT, note)] },
  'kalshi book': { messages: [framed('kalshi-frames', 'orderbook')], map: (one, note) => [mapOrderBook(one, kalshi, AT, note)] },
  'kalshi trades': { messages: [framed('kalshi-frames', 'trades')], map: (one, note) => traded(kalshiTrades(one, kalshi, AT, note)) },
  filings: {
    messages: [submissions],
    map: (one, note) =>
      orRefused(() => {
        const options = { names, receivedAt: AT, since: 0, archiveUrl: null, ...(note === undefined ? {} : { note }) };
        const { reports, rejected } = readSubmissions(one, options);
        return [...reports, ...refusals(rejected)];
      }),
  },
  wire: {
    messages: [{ reports: [item], cursor: 'c-1' }],
    map: (one, note) =>
      orRefused(() => {
        const { reports, rejected } = readWirePage(one, names, AT, note);
        return [...reports, ...refusals(rejected)];
      }),
  },
  'macro observations': {
    messages: [observations],
    map: (one, note) =>
      orRefused(() => {
        const read = readObservations(one, { id: 'CPIAUCSL', units: 'pc1' }, AT, note);
        return [...read.observations, ...refusals(read.rejected)];
      }),
  },
  'macro releases': {
    messages: [releases],
    map: (one, note) =>
      orRefused(() => {
        const read = readReleases(one, AT, note);
        return [...read.releases, ...refusals(read.rejected)];
      }),
  },
  'chains now': {
    messages: [[chain]],
    map: (one, note) =>
      orRefused(() => {
        const read = readChains(one, AT, note);
        return [...read.chains, ...refusals(read.rejected)];
      }),
  },
  'chains before': {
    messages: [[{ date: 1_763_337_600, tvl: 9e8 }]],
    map: (one, note) =>
      orRefused(() => {
        const read = readHistory(one, 'Solana', note);
        return [...read.days, ...refusals(read.rejected)];
      }),
  },
  posts: {
    messages: [page],
    map: (one, note) =>
      orRefused(() => {
        const read = readPosts(one, names, AT, null, note);
        return [...read.posts, ...refusals(read.rejected)];
      }),
  },
};

/** One message of a form, with the rules of the members at one place. */
export interface Shape {
  readonly of: keyof typeof MAPS;
  readonly message: unknown;
  readonly at: readonly Step[];
  /** Members whose absence or wrong type refuses the message. */
  readonly required: string;
  /** Optional members; a wrong type refuses the message. */
  readonly typed?: string;
  /** Members whose absence is counted but keeps the message; a wrong type refuses it. */
  readonly kept?: string;
  /** Reason why the member is not read, or why an unreadable one equals a missing one. */
  readonly unread?: string;
  /** Source and path that count a new member, or null if names are keys or the client counts (`asked-answers.test.ts`). */
  readonly counted: readonly [source: string, path: string] | null;
}

const first = (name: keyof typeof MAPS): unknown => MAPS[name]?.messages[0];
const lastTrade = damaged(framed('polymarket-frames', 'last_trade_price'), ['asset_id'], yes.providerId);

export const SHAPES: readonly Shape[] = [
  {
    of: 'spotexchange',
    message: { stream: 'btcusdt@bookTicker', data: { u: 7, s: 'BTCUSDT', b: '1.5', B: '2', a: '1.6', A: '3' } },
    at: ['data'],
    required: 'u s b B a A',
    counted: ['binance:bookTicker', ''],
  },
  { of: 'spotexchange', message: dayTicker, at: [], required: 'stream data', counted: ['binance', ''] },
  {
    of: 'spotexchange',
    message: {
      stream: 'btcusdt@depth@100ms',
      data: { e: 'depthUpdate', E: AT, s: 'BTCUSDT', U: 1, u: 2, b: [['1.5', '2']], a: [['1.6', '3']] },
    },
    at: ['data'],
    required: 'E U u b a',
    typed: 's',
    unread: 'e',
    counted: ['binance:depth', ''],
  },
  {
    of: 'spotexchange',
    message: dayTicker,
    at: ['data'],
    required: 'E O C n p P w o h l c v q',
    typed: 's',
    unread: 'e x Q b B a A F L',
    counted: ['binance:24hrTicker', ''],
  },
  { of: 'spotexchange', message: kline, at: ['data'], required: 'k', typed: 's', unread: 'e E', counted: ['binance:kline', ''] },
  {
    of: 'spotexchange',
    message: kline,
    at: ['data', 'k'],
    required: 't i o c h l v x',
    unread: 'T s f L n q V Q B',
    counted: ['binance:kline', 'k.'],
  },
  ...[0, 1].map(
    (side): Shape => ({
      of: 'evmvenue',
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
      at: ['data', 'bbo', side],
      required: 'px sz',
      unread: 'n',
      counted: ['hyperliquid:bbo', 'bbo.'],
    }),
  ),
  {
    of: 'evmvenue',
    message: { channel: 'bbo', data: { coin: 'BTC', time: AT, bbo: [{ px: '1.5', sz: '2', n: 1 }, null] } },
    at: ['data'],
    required: 'coin time bbo',
    counted: ['hyperliquid:bbo', ''],
  },
  {
    of: 'evmvenue',
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
    at: [],
    required: 'channel data',
    counted: ['hyperliquid', ''],
  },
  {
    of: 'evmvenue',
    message: {
      channel: 'l2Book',
      data: { coin: 'BTC', time: AT, levels: [[{ px: '1.5', sz: '2', n: 1 }], [{ px: '1.6', sz: '3', n: 1 }]] },
    },
    at: ['data'],
    required: 'coin time levels',
    counted: ['hyperliquid:l2Book', ''],
  },
  {
    of: 'evmvenue',
    message: {
      channel: 'l2Book',
      data: { coin: 'BTC', time: AT, levels: [[{ px: '1.5', sz: '2', n: 1 }], [{ px: '1.6', sz: '3', n: 1 }]] },
    },
    at: ['data', 'levels', 1, 0],
    required: 'px sz',
    unread: 'n',
    counted: ['hyperliquid:l2Book', 'levels.'],
  },
  {
    of: 'evmvenue',
    message: {
      channel: 'activeAssetCtx',
      data: { coin: 'BTC', ctx: { funding: '0.1', openInterest: '2', dayNtlVlm: '3', oraclePx: '4', markPx: '5', prevDayPx: '4' } },
    },
    at: ['data', 'ctx'],
    required: 'funding openInterest dayNtlVlm oraclePx markPx',
    unread: 'prevDayPx',
    counted: ['hyperliquid:activeAssetCtx', 'ctx.'],
  },
  { of: 'evmvenue', message: perpBar, at: ['data'], required: 't s i o c h l v', unread: 'T n', counted: ['hyperliquid:candle', ''] },
  { of: 'reference', message: hermes, at: [], required: 'parsed', unread: 'binary', counted: ['pyth:hermes', ''] },
  {
    of: 'reference',
    message: hermes,
    at: ['parsed', 0],
    required: 'id price',
    typed: 'ema_price',
    unread: 'metadata',
    counted: ['pyth:hermes', 'parsed.'],
  },
  {
    of: 'reference',
    message: hermes,
    at: ['parsed', 0, 'price'],
    required: 'price conf expo publish_time',
    counted: ['pyth:hermes', 'parsed.price.'],
  },
  {
    of: 'reference',
    message: hermes,
    at: ['parsed', 0, 'ema_price'],
    required: 'price expo',
    unread: 'conf publish_time',
    counted: ['pyth:hermes', 'parsed.ema_price.'],
  },
  { of: 'reference pushes', message: pro, at: [], required: 'type parsed', unread: 'subscriptionId', counted: ['pyth:pro', ''] },
  { of: 'reference pushes', message: pro, at: ['parsed'], required: 'timestampUs priceFeeds', counted: ['pyth:pro', 'parsed.'] },
  {
    of: 'reference pushes',
    message: pro,
    at: ['parsed', 'priceFeeds', 0],
    required: 'priceFeedId price exponent confidence feedUpdateTimestamp',
    // An unknown session counts as none.
    unread: 'publisherCount marketSession',
    counted: ['pyth:pro', 'parsed.priceFeeds.'],
  },
  { of: 'reference history', message: first('reference history'), at: [], required: 's t o h l c', typed: 'v', counted: null },
  { of: 'second source finnhub', message: finnhub, at: [], required: 'c t', unread: 'd dp h l o pc', counted: ['finnhub:quote', ''] },
  {
    of: 'second source alpaca',
    message: alpaca,
    at: [],
    required: 'latestTrade',
    typed: 'symbol',
    unread: 'latestQuote minuteBar dailyBar prevDailyBar',
    counted: ['alpaca:snapshot', ''],
  },
  {
    of: 'second source alpaca',
    message: alpaca,
    at: ['latestTrade'],
    required: 't p',
    unread: 'x s c i z',
    counted: ['alpaca:snapshot', 'latestTrade.'],
  },
  {
    of: 'issuer prestocks',
    message: [mark],
    at: [0],
    required: 'symbol contract_address markPrice markValuation',
    unread: 'name description image external_url tokenPrice impliedValuation supply',
    counted: ['prestocks:mark', ''],
  },
  {
    of: 'issuer tessera',
    message: [tessera],
    at: [0],
    required: 'symbol mint markPrice markValuation',
    unread: 'id name code sector holders',
    counted: ['tessera:mark', ''],
  },
  {
    of: 'spotchain routes',
    message: leg,
    at: [],
    required: 'inputMint outputMint inAmount outAmount',
    typed: 'swapMode contextSlot',
    unread: 'otherAmountThreshold slippageBps platformFee priceImpactPct routePlan timeTaken mostReliableAmmsQuoteReport',
    counted: ['jupiter:quote', ''],
  },
  {
    of: 'spotchain routes',
    message: leg,
    at: ['routePlan', 0, 'swapInfo'],
    required: '',
    unread: 'ammKey label inputMint outputMint inAmount outAmount',
    counted: ['jupiter:quote', 'routePlan.swapInfo.'],
  },
  {
    of: 'spotchain prices',
    message: first('spotchain prices'),
    at: [Object.keys(first('spotchain prices') as object)[0] as string],
    required: 'usdPrice',
    typed: 'liquidity scaledUiConfig',
    unread: 'createdAt blockId decimals priceChange24h stockData',
    counted: ['jupiter:price', '*.'],
  },
  {
    of: 'spotchain prices',
    message: first('spotchain prices'),
    at: [Object.keys(first('spotchain prices') as object)[0] as string, 'scaledUiConfig'],
    required: 'multiplier newMultiplierEffectiveAt',
    typed: 'newMultiplier',
    unread: 'usdPricePrescaled',
    counted: ['jupiter:price', '*.scaledUiConfig.'],
  },
  {
    of: 'spotchain bars',
    message: first('spotchain bars'),
    at: ['data', 'attributes'],
    required: 'ohlcv_list',
    counted: null,
  },
  {
    of: 'polymarket',
    message: framed('polymarket-frames', 'book'),
    at: [],
    required: 'event_type asset_id timestamp bids asks',
    unread: 'market hash',
    counted: ['polymarket:book', ''],
  },
  {
    of: 'polymarket',
    message: framed('polymarket-frames', 'book'),
    at: ['asks', 0],
    required: 'price size',
    counted: ['polymarket:book', 'asks.'],
  },
  {
    of: 'polymarket',
    message: framed('polymarket-frames', 'price_change'),
    at: [],
    required: 'event_type timestamp price_changes',
    unread: 'market',
    counted: ['polymarket:price_change', ''],
  },
  {
    of: 'polymarket',
    message: framed('polymarket-frames', 'price_change'),
    at: ['price_changes', 0],
    required: 'asset_id price size side',
    typed: 'best_bid best_ask',
    unread: 'hash',
    counted: ['polymarket:price_change', 'price_changes.'],
  },
  {
    of: 'polymarket',
    message: lastTrade,
    at: [],
    required: 'event_type asset_id timestamp price size side',
    unread: 'market fee_rate_bps',
    counted: ['polymarket:last_trade_price', ''],
  },
  {
    of: 'polymarket',
    message: framed('polymarket-frames', 'tick_size_change'),
    at: [],
    required: 'event_type asset_id timestamp new_tick_size',
    unread: 'market old_tick_size',
    counted: ['polymarket:tick_size_change', ''],
  },
  {
    of: 'polymarket',
    message: framed('polymarket-frames', 'market_resolved'),
    at: [],
    required: 'event_type market',
    unread: 'assets_ids winning_asset_id winning_outcome timestamp',
    counted: ['polymarket:market_resolved', ''],
  },
  {
    of: 'polymarket events',
    message: first('polymarket events'),
    at: [0],
    required: 'id markets',
    typed: 'title negRisk',
    unread: 'ticker slug active closed enableOrderBook openInterest volume',
    counted: ['polymarket:gamma', ''],
  },
  {
    of: 'polymarket markets',
    message: [gammaMarket],
    at: [0],
    required: 'conditionId question outcomes clobTokenIds active closed',
    typed:
      'id slug resolutionSource endDate startDate liquidity description volume volume24hr questionID orderPriceMinTickSize ' +
      'orderMinSize umaResolutionStatuses bestBid bestAsk lastTradePrice groupItemTitle updatedAt feesEnabled feeSchedule',
    kept: 'acceptingOrders',
    unread: 'outcomePrices volumeNum archived feeType spread negRisk',
    counted: ['polymarket:gamma', ''],
  },
  {
    of: 'polymarket events',
    message: first('polymarket events'),
    at: [0, 'markets', 0, 'feeSchedule'],
    required: 'rate',
    typed: 'exponent',
    unread: 'takerOnly rebateRate',
    counted: ['polymarket:gamma', 'markets.feeSchedule.'],
  },
  {
    of: 'polymarket winner',
    message: clobMarket,
    at: [],
    required: 'tokens',
    unread: 'condition_id closed',
    counted: ['polymarket:clob', ''],
  },
  {
    of: 'polymarket winner',
    message: clobMarket,
    at: ['tokens', 0],
    required: 'token_id',
    typed: 'winner',
    unread: 'outcome price',
    counted: ['polymarket:clob', 'tokens.'],
  },
  {
    of: 'polymarket book',
    message: first('polymarket book'),
    at: [],
    required: 'asset_id timestamp bids asks',
    unread: 'event_type market hash',
    counted: ['polymarket:book', ''],
  },
  {
    of: 'polymarket trades',
    message: [dataTrade],
    at: [0],
    required: 'side asset conditionId size price timestamp',
    typed: 'transactionHash',
    unread: 'proxyWallet title slug',
    counted: ['polymarket:trades', ''],
  },
  {
    of: 'kalshi',
    message: framed('kalshi-frames', 'snapshot'),
    at: [],
    required: 'type sid seq msg',
    counted: ['kalshi', ''],
  },
  {
    of: 'kalshi',
    message: framed('kalshi-frames', 'snapshot'),
    at: ['msg'],
    required: 'market_ticker',
    // A side without orders is left out.
    typed: 'yes_dollars_fp no_dollars_fp',
    counted: ['kalshi:orderbook_snapshot', ''],
  },
  {
    of: 'kalshi',
    message: framed('kalshi-frames', 'delta'),
    at: ['msg'],
    required: 'market_ticker price_dollars delta_fp side ts_ms',
    counted: ['kalshi:orderbook_delta', ''],
  },
  {
    of: 'kalshi',
    message: framed('kalshi-frames', 'trade'),
    at: ['msg'],
    required: 'trade_id market_ticker no_price_dollars count_fp taker_side',
    // Either time suffices, and only the taker's price is read.
    typed: 'ts_ms',
    unread: 'ts yes_price_dollars',
    counted: ['kalshi:trade', ''],
  },
  {
    of: 'kalshi',
    message: framed('kalshi-frames', 'lifecycle'),
    at: ['msg'],
    required: 'market_ticker',
    unread: 'event_type',
    counted: ['kalshi:market_lifecycle', ''],
  },
  { of: 'kalshi', message: framed('kalshi-frames', 'subscribed'), at: ['msg'], required: 'channel sid', counted: ['kalshi', ''] },
  {
    of: 'kalshi events',
    message: first('kalshi events'),
    at: ['events', 0],
    required: 'series_ticker markets',
    typed: 'title mutually_exclusive settlement_sources',
    unread: 'event_ticker sub_title category collateral_return_type strike_period',
    counted: ['kalshi:markets', 'events.'],
  },
  {
    of: 'kalshi markets',
    message: first('kalshi markets'),
    at: ['markets', 0],
    required: 'ticker event_ticker title status',
    typed:
      'market_type yes_sub_title no_sub_title open_time close_time expected_expiration_time latest_expiration_time yes_bid_dollars ' +
      'yes_ask_dollars no_bid_dollars no_ask_dollars yes_bid_size_fp yes_ask_size_fp last_price_dollars volume_fp volume_24h_fp ' +
      'open_interest_fp liquidity_dollars price_ranges rules_primary rules_secondary strike_type floor_strike can_close_early ' +
      'early_close_condition result',
    unread: 'settlement_timer_seconds notional_value_dollars price_level_structure',
    counted: ['kalshi:markets', 'markets.'],
  },
  {
    of: 'kalshi markets',
    message: first('kalshi markets'),
    at: ['markets', 0, 'price_ranges', 0],
    required: 'start end step',
    counted: ['kalshi:markets', 'markets.price_ranges.'],
  },
  {
    of: 'kalshi series',
    message: framed('kalshi-frames', 'series'),
    at: ['series'],
    required: 'ticker',
    typed: 'fee_type fee_multiplier settlement_sources',
    unread: 'title category',
    counted: ['kalshi:series', 'series.'],
  },
  {
    of: 'kalshi book',
    message: framed('kalshi-frames', 'orderbook'),
    at: ['orderbook_fp'],
    required: '',
    typed: 'yes_dollars no_dollars',
    counted: ['kalshi:orderbook', 'orderbook_fp.'],
  },
  {
    of: 'kalshi trades',
    message: { cursor: '', trades: [(framed('kalshi-frames', 'trades') as { trades: unknown[] }).trades[0]] },
    at: ['trades', 0],
    required: 'trade_id ticker count_fp yes_price_dollars taker_side created_time',
    unread: 'no_price_dollars',
    counted: ['kalshi:trades', 'trades.'],
  },
  { of: 'filings', message: submissions, at: [], required: 'cik filings', unread: 'name', counted: ['news:filings', ''] },
  {
    of: 'filings',
    message: submissions,
    at: ['filings', 'recent'],
    required: 'accessionNumber form acceptanceDateTime',
    typed: 'items reportDate primaryDocument',
    counted: ['news:filings', 'filings.recent.'],
  },
  { of: 'wire', message: first('wire'), at: [], required: 'reports cursor', counted: ['news:wire', ''] },
  {
    of: 'wire',
    message: first('wire'),
    at: ['reports', 0],
    required: 'id publishedAt source headline',
    typed: 'symbols companies action',
    unread: 'storyId category tone url corrects items',
    counted: ['news:wire', 'reports.'],
  },
  {
    of: 'wire',
    message: first('wire'),
    at: ['reports', 0, 'source'],
    required: 'family',
    unread: 'name primary',
    counted: ['news:wire', 'reports.source.'],
  },
  {
    of: 'macro observations',
    message: observations,
    at: [],
    required: 'units observations',
    counted: ['news:macro', ''],
  },
  {
    of: 'macro observations',
    message: observations,
    at: ['observations', 0],
    required: 'realtime_start date value',
    unread: 'realtime_end',
    counted: ['news:macro', 'observations.'],
  },
  {
    of: 'macro releases',
    message: releases,
    at: ['release_dates', 0],
    required: 'release_id release_name date',
    counted: ['news:macro', 'release_dates.'],
  },
  {
    of: 'chains now',
    message: [chain],
    at: [0],
    required: 'name tvl',
    unread: 'gecko_id tokenSymbol cmcId chainId',
    counted: ['news:tvl', ''],
  },
  { of: 'chains before', message: first('chains before'), at: [0], required: 'date tvl', counted: ['news:tvl', ''] },
  { of: 'posts', message: page, at: [], required: 'data', unread: 'includes meta', counted: ['news:social', ''] },
  {
    of: 'posts',
    message: page,
    at: ['data', 0],
    required: 'id text created_at',
    unread: 'author_id public_metrics entities',
    counted: ['news:social', 'data.'],
  },
  {
    of: 'posts',
    message: page,
    at: ['data', 0, 'entities', 'cashtags', 0],
    required: '',
    unread: 'start end tag',
    counted: ['news:social', 'data.entities.cashtags.'],
  },
];

/** Words of an enumeration, each with its message and the result of an unknown word. */
export const WORDS: readonly {
  readonly of: keyof typeof MAPS;
  readonly message: unknown;
  readonly at: readonly Step[];
  /** `refused`: only a reason. `kept`: the row stands, its unknown word counted. `nothing`: the row yields nothing. */
  readonly becomes: 'refused' | 'kept' | 'nothing';
}[] = [
  { of: 'polymarket', message: framed('polymarket-frames', 'book'), at: ['event_type'], becomes: 'refused' },
  { of: 'polymarket', message: lastTrade, at: ['side'], becomes: 'refused' },
  { of: 'polymarket', message: framed('polymarket-frames', 'price_change'), at: ['price_changes', 0, 'side'], becomes: 'refused' },
  { of: 'polymarket trades', message: [dataTrade], at: [0, 'side'], becomes: 'refused' },
  {
    of: 'polymarket markets',
    message: [{ ...gammaMarket, umaResolutionStatus: 'proposed' }],
    at: [0, 'umaResolutionStatus'],
    becomes: 'kept',
  },
  { of: 'kalshi', message: framed('kalshi-frames', 'snapshot'), at: ['type'], becomes: 'refused' },
  { of: 'kalshi', message: framed('kalshi-frames', 'delta'), at: ['msg', 'side'], becomes: 'refused' },
  { of: 'kalshi', message: framed('kalshi-frames', 'trade'), at: ['msg', 'taker_side'], becomes: 'refused' },
  { of: 'kalshi markets', message: first('kalshi markets'), at: ['markets', 0, 'market_type'], becomes: 'refused' },
  { of: 'kalshi markets', message: first('kalshi markets'), at: ['markets', 0, 'status'], becomes: 'kept' },
  { of: 'kalshi series', message: framed('kalshi-frames', 'series'), at: ['series', 'fee_type'], becomes: 'nothing' },
  { of: 'evmvenue', message: SHAPES.find(({ of }) => of === 'evmvenue')?.message, at: ['channel'], becomes: 'refused' },
  { of: 'evmvenue', message: perpBar, at: ['data', 'i'], becomes: 'refused' },
  { of: 'spotexchange', message: SHAPES[2]?.message, at: ['stream'], becomes: 'refused' },
  { of: 'spotexchange', message: kline, at: ['data', 'k', 'i'], becomes: 'refused' },
  { of: 'spotchain routes', message: leg, at: ['swapMode'], becomes: 'refused' },
  { of: 'reference pushes', message: pro, at: ['type'], becomes: 'refused' },
  { of: 'reference pushes', message: pro, at: ['parsed', 'priceFeeds', 0, 'marketSession'], becomes: 'nothing' },
  { of: 'reference history', message: first('reference history'), at: ['s'], becomes: 'refused' },
  { of: 'macro observations', message: observations, at: ['units'], becomes: 'refused' },
  { of: 'wire', message: first('wire'), at: ['reports', 0, 'action'], becomes: 'refused' },
];
