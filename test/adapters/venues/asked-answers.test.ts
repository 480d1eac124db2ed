// Every answer to a single request, through its client: an unknown member changes nothing and is counted once.
import { existsSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createPerpCandles } from '../../../src/adapters/venues/evmvenue/candles.ts';
import { createPerpInfo } from '../../../src/adapters/venues/evmvenue/info.ts';
import { knownFields } from '../../../src/adapters/venues/known-fields.ts';
import { createOnchainOrders } from '../../../src/adapters/venues/prediction/onchain-orders.ts';
import { createReferenceCandles } from '../../../src/adapters/venues/reference/candles.ts';
import { createReferenceClient } from '../../../src/adapters/venues/reference/feed.ts';
import { createKeyedClient } from '../../../src/adapters/venues/reference/keyed-client.ts';
import { WeightBudget } from '../../../src/adapters/venues/request-budget.ts';
import { createSpotchainCandles } from '../../../src/adapters/venues/spotchain/candles.ts';
import { fixedMultiplier } from '../../../src/adapters/venues/spotchain/multiplier.ts';
import { createSpotchainRoutes } from '../../../src/adapters/venues/spotchain/orders.ts';
import { fetchOrderBook } from '../../../src/adapters/venues/spotexchange/depth.ts';
import { fetchInstruments } from '../../../src/adapters/venues/spotexchange/instruments.ts';
import { createSpotOrders } from '../../../src/adapters/venues/spotexchange/orders.ts';
import { createSpotRest, fetchServerTime } from '../../../src/adapters/venues/spotexchange/rest.ts';
import { signWithKey } from '../../../src/adapters/venues/spotexchange/spot-signer.ts';
import { fetchDayTicker } from '../../../src/adapters/venues/spotexchange/ticker.ts';
import { UNCHANGED } from '../../../src/adapters/venues/venue-http.ts';
import { type Order, completeOrder } from '../../../src/domain/orders/order.ts';
import { outcomeKey } from '../../../src/domain/prediction/prediction-order.ts';
import type { RiskApproved } from '../../../src/domain/risk/index.ts';
import { createUnknownFields, type NoteUnknownField, type UnknownFields } from '../../../streams/feed-counters.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { sampleMarket } from '../../domain/prediction/samples.ts';
import { NOON } from './spotexchange/tiny-world.ts';
import { damaged, fixture, type Step } from './wire-shapes.ts';

const FOLDER = fileURLToPath(new URL('../../../../shared/data/fixtures/', import.meta.url));
const MINUTE_MS = 60_000;
const clock = createVirtualClock(NOON);
const random = (): number => 0.5;

/** Answers of the server by path (for `POST /info` by type); any other is 404. */
let answers: Record<string, unknown>;
let base: string;
let headers: Record<string, string>;
const cleanups: (() => void)[] = [];

beforeEach(async () => {
  answers = {};
  headers = {};
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const { pathname } = new URL(request.url ?? '', 'http://venue');
      const name = pathname === '/info' ? (JSON.parse(body) as { type: string }).type : `${request.method} ${pathname}`;
      if (request.headers['if-none-match'] !== undefined) response.writeHead(304).end();
      else response.writeHead(name in answers ? 200 : 404, headers).end(JSON.stringify(answers[name] ?? {}));
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
});
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

const budget = () => new WeightBudget(1_000_000);
function spotRest(note: NoteUnknownField) {
  const rest = createSpotRest({ baseUrl: base, clock, random, note });
  cleanups.push(() => rest.close());
  return rest;
}
function spotOrders(note: NoteUnknownField) {
  const budgets = { weight: budget(), orders: budget(), dayOrders: budget() };
  const credentials = { key: 'ours', secret: 'aSharedSecret' };
  const orders = createSpotOrders({
    baseUrl: base,
    rest: spotRest(note),
    sign: signWithKey(credentials),
    clock,
    budgetsOf: () => budgets,
    note,
  });
  cleanups.push(() => orders.close());
  return orders;
}
function perps(note: NoteUnknownField) {
  const info = createPerpInfo({ baseUrl: base, clock, random, note });
  cleanups.push(() => info.http.close());
  return info;
}
const keyed = (note: NoteUnknownField) => createKeyedClient({ venue: 'spotchain', baseUrl: base, clock, random, perMinute: 600, note });

const WALLET = 'Vote111111111111111111111111111111111111111';
const ORDER_ACCOUNT = 'Stake11111111111111111111111111111111111111';
const POSITION = 'SysvarRent111111111111111111111111111111111';
const STABLE = { mint: 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v', decimals: 6 };
const question = sampleMarket('kalshi', 'KXF1-25-LN');
function onchain(note: NoteUnknownField) {
  const client = createOnchainOrders({ baseUrl: base, key: 'k', stable: STABLE, programs: [], clock, random, budget: budget(), note });
  cleanups.push(() => client.close());
  return client;
}

const spotOrder = completeOrder({
  id: 'o-1',
  origin: 'proposal',
  mode: 'live',
  bookId: 'agent:00000000-0000-7000-8000-000000000001:live',
  instrument: 'spotexchange:BTCUSDT',
  side: 'buy',
  quantity: '3',
  limitPrice: '4000',
  maxSlippageBps: 200,
}) as Order<'spotexchange'>;
const eventOrder = completeOrder({
  id: 'o-2',
  origin: 'manual',
  mode: 'live',
  bookId: 'manual:00000000-0000-7000-8000-00000000000a:live',
  instrument: outcomeKey(question.id, 'yes'),
  side: 'buy',
  quantity: '10',
  limitPrice: '0.5',
  maxSlippageBps: 200,
});

const made = fixture('binance/answers') as Record<string, Record<string, unknown>>;
const symbol = {
  symbol: 'BTCUSDT',
  status: 'TRADING',
  baseAsset: 'BTC',
  quoteAsset: 'USDT',
  orderTypes: ['LIMIT'],
  permissionSets: [['SPOT']],
  filters: [
    { filterType: 'PRICE_FILTER', minPrice: '0.01', maxPrice: '1000000', tickSize: '0.01' },
    { filterType: 'LOT_SIZE', minQty: '0.00001', maxQty: '9000', stepSize: '0.00001' },
  ],
};
const exchangeInfo = {
  timezone: 'UTC',
  serverTime: NOON,
  rateLimits: [{ rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 6_000 }],
  exchangeFilters: [{ filterType: 'EXCHANGE_MAX_NUM_ORDERS', maxNumOrders: 1_000 }],
  symbols: [symbol],
  sors: [{ baseAsset: 'BTC', symbols: ['BTCUSDT', 'BTCUSDC'] }],
};
const ticker = {
  symbol: 'BTCUSDT',
  ...Object.fromEntries(
    (
      'priceChange priceChangePercent weightedAvgPrice prevClosePrice lastPrice lastQty bidPrice bidQty askPrice askQty openPrice ' +
      'highPrice lowPrice volume quoteVolume'
    )
      .split(' ')
      .map((name) => [name, '1.5']),
  ),
  openTime: NOON - 86_400_000,
  closeTime: NOON,
  firstId: 1,
  lastId: 9,
  count: 9,
};
const openOrder = { ...made['order'], fills: undefined, time: NOON, updateTime: NOON, isWorking: true };
const pastTrades = [{ ...(made['myTrades'] as unknown as object[])[0], orderId: 28, qty: '3.00000000', commissionAsset: 'USDT' }];
const newOrder = damaged(made['order'], ['fills', 1, 'commissionAsset'], 'USDT');
/** Further answers for the signed calls. */
const exchange = { 'GET /api/v3/time': made['time'], 'GET /api/v3/exchangeInfo': exchangeInfo };

const offer = {
  transaction: 'AQAB',
  txMeta: { blockhash: 'SysvarC1ock11111111111111111111111111111111', lastValidBlockHeight: 341_000_000 },
  externalOrderId: 'e',
  requiredSigners: [WALLET],
  execution: { endpoint: '/api/v1/execute', context: { opaque: { to: 'everybody' } } },
  executionModel: null,
  settlement: null,
  order: {
    orderPubkey: ORDER_ACCOUNT,
    orderAtaPubkey: 'Config1111111111111111111111111111111111111',
    userPubkey: WALLET,
    marketId: 'KXF1-25-LN',
    marketIdHash: 'h',
    positionPubkey: POSITION,
    isBuy: true,
    isYes: true,
    contractsMicro: '10000000',
    maxBuyPriceUsd: '500000',
    minSellPriceUsd: null,
  },
};
const history = {
  data: [
    {
      id: 2,
      eventType: 'order_filled',
      signature: 's2',
      timestamp: NOON / 1_000,
      orderPubkey: ORDER_ACCOUNT,
      filledContractsMicro: '10000000',
      avgFillPriceUsd: '500000',
      feeUsd: '20000',
      transferAmountToken: null,
      marketMetadata: { marketId: 'KXF1-25-LN', title: 'Lando Norris', marketOptions: [{ label: 'Yes', buyYes: true }] },
      eventMetadata: { eventId: 'KXF1-25', title: 'Formula 1', tags: ['sports'] },
    },
    { id: 1, eventType: 'order_created', signature: 's1', timestamp: NOON / 1_000 - 9, orderPubkey: ORDER_ACCOUNT },
  ],
  pagination: { start: 0, end: 100, total: 2, hasNext: false },
};
const leg = fixture('jupiter/order-no-taker') as Record<string, unknown> & { inputMint: string; outputMint: string; inAmount: string };

interface Asked {
  readonly source: string;
  /** Route of the answer, as the server names it. */
  readonly route: string;
  readonly answer: unknown;
  readonly besides?: Readonly<Record<string, unknown>>;
  readonly ask: (note: NoteUnknownField) => Promise<unknown>;
  /** Paths that are passed through and never inspected. */
  readonly opaque?: string;
}

const QUESTIONS: Readonly<Record<string, Asked>> = {
  'the server time': {
    source: 'binance:time',
    route: 'GET /api/v3/time',
    answer: made['time'],
    ask: (note) => fetchServerTime(spotRest(note)),
  },
  'a book over REST': {
    source: 'binance:rest.depth',
    route: 'GET /api/v3/depth',
    answer: { lastUpdateId: 7, bids: [['4.00', '431']], asks: [['4.01', '12']] },
    ask: (note) => fetchOrderBook(spotRest(note), clock, 'BTCUSDT', 5),
  },
  'the statistics of a day': {
    source: 'binance:ticker/24hr',
    route: 'GET /api/v3/ticker/24hr',
    answer: ticker,
    ask: (note) => fetchDayTicker(spotRest(note), clock, 'BTCUSDT'),
  },
  'the filters of an instrument': {
    source: 'binance:exchangeInfo',
    route: 'GET /api/v3/exchangeInfo',
    answer: exchangeInfo,
    ask: async (note) => [...(await fetchInstruments(spotRest(note), ['BTCUSDT']))],
  },
  'a new order': {
    source: 'binance:order',
    route: 'POST /api/v3/order',
    answer: newOrder,
    besides: exchange,
    ask: (note) =>
      spotOrders(note).submit(spotOrder as RiskApproved<Order<'spotexchange'>>, {
        orgId: 'o',
        key: 'k',
        quote: { venue: 'spotexchange', source: 'test:top', observedAt: NOON, bid: '3999', ask: '4000' },
        decisionPrice: '4000',
        leaseUntil: NOON + 2_000,
        leaseLeftMs: () => 2_000,
      }),
  },
  'an order that is looked up': {
    source: 'binance:order',
    route: 'GET /api/v3/order',
    answer: openOrder,
    besides: { ...exchange, 'GET /api/v3/myTrades': pastTrades },
    ask: (note) => spotOrders(note).lookUp(spotOrder, 'k', { orgId: 'o', decisionPrice: '4000', leaseUntil: null }),
  },
  'the trades of an order': {
    source: 'binance:myTrades',
    route: 'GET /api/v3/myTrades',
    answer: pastTrades,
    besides: { ...exchange, 'GET /api/v3/order': openOrder },
    ask: (note) => spotOrders(note).lookUp(spotOrder, 'k', { orgId: 'o', decisionPrice: '4000', leaseUntil: null }),
  },
  'bars of a perpetual': {
    source: 'hyperliquid:candleSnapshot',
    route: 'candleSnapshot',
    answer: [{ t: NOON - MINUTE_MS, T: NOON - 1, s: 'BTC', i: '1m', o: '1.5', c: '1.6', h: '1.7', l: '1.4', v: '10', n: 9 }],
    ask: (note) => createPerpCandles(perps(note).http, clock).fetchCandles('BTC', '1m', NOON - MINUTE_MS, NOON),
  },
  'fills of a wallet': {
    source: 'hyperliquid:userFills',
    route: 'userFills',
    answer: (fixture('hyperliquid/answers') as Record<string, unknown>)['userFills'],
    ask: (note) => perps(note).walletFills(`0x${'1'.repeat(40)}`),
  },
  'the book of the on-chain venue': {
    source: 'jupiter-prediction:orderbook',
    route: 'GET /orderbook/KXF1-25-LN',
    answer: { yes: [[54, 5]], no: [[42, 7]], yes_dollars: [['0.5400', 5.5]], no_dollars: [['0.4200', 7]] },
    ask: (note) => onchain(note).book(question),
  },
  'the offer of an order': {
    source: 'jupiter-prediction:orders',
    route: 'POST /orders',
    answer: offer,
    opaque: 'execution.context.',
    ask: (note) =>
      onchain(note).offer({ wallet: WALLET, market: question, outcome: 'yes', order: eventOrder, depositUsd: '5', positionAccount: null }),
  },
  'the history of an owner': {
    source: 'jupiter-prediction:history',
    route: 'GET /history',
    answer: history,
    ask: (note) =>
      onchain(note).news('o-2', {
        order: eventOrder,
        decisionPrice: '0.5',
        onchain: { wallet: WALLET, orderAccount: ORDER_ACCOUNT, positionAccount: POSITION },
      }),
  },
  'bars of a pool': {
    source: 'geckoterminal:ohlcv',
    route: 'GET /api/v2/networks/solana/pools/P/ohlcv/minute',
    answer: {
      data: { id: 'x', type: 'ohlcv_request_response', attributes: { ohlcv_list: [[NOON / 1_000 - 60, 1.5, 1.7, 1.4, 1.6, 10]] } },
      meta: {
        base: { address: 'a', name: 'A', symbol: 'A', coingecko_coin_id: null },
        quote: { address: 'q', name: 'Q', symbol: 'Q', coingecko_coin_id: null },
      },
    },
    ask: (note) =>
      createSpotchainCandles({
        client: keyed(note),
        clock,
        pools: [{ symbol: 'A', pool: 'P', scaledUi: fixedMultiplier('1') }],
      }).fetchCandles('A', '1m', NOON - MINUTE_MS, NOON),
  },
  'bars of a reference price': {
    source: 'pyth:history',
    route: 'GET /v1/fixed_rate@200ms/history',
    answer: { s: 'ok', t: [NOON / 1_000 - 60], o: [1.5], h: [1.7], l: [1.4], c: [1.6], v: [10] },
    ask: (note) =>
      createReferenceCandles({
        client: createReferenceClient({ baseUrl: base, clock, random, note }),
        instruments: [{ symbol: 'AAPL', feedId: `0x${'1'.repeat(64)}` }],
      }).fetchCandles('AAPL', '1m', NOON - MINUTE_MS, NOON),
  },
  'a route with its transaction': {
    source: 'jupiter:quote',
    route: 'GET /swap/v2/order',
    answer: leg,
    ask: (note) =>
      createSpotchainRoutes(keyed(note)).route({
        inputMint: leg.inputMint,
        outputMint: leg.outputMint,
        amount: leg.inAmount,
        slippageBps: 50,
        taker: null,
      }),
  },
};

/** Returns the path of every object in an answer, itself included. */
function objectsIn(value: unknown, path: readonly Step[] = []): (readonly Step[])[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((one, index) => objectsIn(one, [...path, index]));
  return [path, ...Object.entries(value).flatMap(([name, one]) => objectsIn(one, [...path, name]))];
}
const wayTo = (path: readonly Step[]): string =>
  path
    .filter((step) => typeof step === 'string')
    .map((name) => `${name}.`)
    .join('');

describe.each(Object.entries(QUESTIONS))('%s', (_name, { source, route, answer, besides, ask, opaque }) => {
  async function asked(body: unknown): Promise<readonly [unknown, UnknownFields]> {
    answers = { ...besides, [route]: body };
    const unknown = createUnknownFields();
    return [await ask(unknown.note), unknown];
  }

  test('is read, and no known member is counted', async () => {
    const [read, unknown] = await asked(answer);
    expect(JSON.stringify(read)).not.toMatch(/"outcome":"(unknown|rejected)"|"ok":false|^\[\]$/);
    expect(unknown.rows()).toEqual([]);
  });

  test('with an unknown member is read alike, and the member is counted once', async () => {
    const [sound] = await asked(answer);
    const places = objectsIn(answer);
    expect(places.length).toBeGreaterThan(0);
    for (const path of places) {
      const way = wayTo(path);
      const [read, unknown] = await asked(damaged(answer, [...path, 'zzNew'], { any: [1] }));
      expect(read, way).toEqual(sound);
      const rows = opaque !== undefined && way.startsWith(opaque) ? [] : [{ source, field: `${way}zzNew`, count: 1 }];
      expect(unknown.rows(), way).toEqual(rows);
    }
  });
});

test('the same answer twice is counted twice, an unchanged one once, and a refusal not at all', async () => {
  const unknown = createUnknownFields();
  const client = keyed(unknown.note);
  const known = knownFields('a venue', 'a');
  answers = { 'GET /x': { a: 1, b: 2 } };
  await client.get('/x', [], known);
  await client.get('/x', [], known);
  expect(unknown.rows()).toEqual([{ source: 'a venue', field: 'b', count: 2 }]);
  headers = { etag: '"1"' };
  await client.getIfChanged('/x', [], known);
  expect(await client.getIfChanged('/x', [], known)).toBe(UNCHANGED);
  await expect(client.get('/elsewhere', [], known)).rejects.toMatchObject({ status: 404 });
  await client.get('/x', []);
  expect(unknown.rows()).toEqual([{ source: 'a venue', field: 'b', count: 3 }]);
});

const recorded = (file: string): unknown => {
  const bytes = readFileSync(`${FOLDER}${file}`);
  return JSON.parse((file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
};

test.skipIf(!existsSync(FOLDER))('recorded answers of whole days have no unknown members', async () => {
  const unknown = createUnknownFields();
  answers['GET /api/v3/exchangeInfo'] = recorded('binance/recorded_exchangeInfo_2021-10-12.json.gz');
  expect((await fetchInstruments(spotRest(unknown.note), ['BTCUSDT'])).size).toBeGreaterThan(1_000);
  const calls = recorded('hyperliquid/rec_get_candles_snapshot.json') as {
    request: { body: { type: string; req: { coin: string; interval: string; startTime: number; endTime: number } } };
    response: { body: unknown };
  }[];
  const bars = calls.filter(({ request }) => request.body.type === 'candleSnapshot');
  expect(bars.length).toBeGreaterThan(0);
  for (const { request, response } of bars) {
    const { coin, interval, startTime, endTime } = request.body.req;
    answers['candleSnapshot'] = response.body;
    expect(
      (await createPerpCandles(perps(unknown.note).http, clock).fetchCandles(coin, interval, startTime, endTime)).length,
    ).toBeGreaterThan(0);
  }
  expect(unknown.rows()).toEqual([]);
});
