// Recorded answers of the venues, file by file: what is read, and that no member is unknown.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { readSubmissions } from '../../../src/adapters/intelligence/filings.ts';
import { readChains } from '../../../src/adapters/intelligence/tvl.ts';
import { createPerpInfo, type PerpInfo } from '../../../src/adapters/venues/evmvenue/info.ts';
import { mapPerpFrame } from '../../../src/adapters/venues/evmvenue/map.ts';
import { noteUnknown } from '../../../src/adapters/venues/known-fields.ts';
import { mapEvents, mapMarkets, mapSeries } from '../../../src/adapters/venues/prediction/kalshi/map.ts';
import {
  mapBook,
  mapClobWinner,
  mapGammaEvents,
  mapGammaMarkets,
  mapMarketFrame,
  mapTrades,
} from '../../../src/adapters/venues/prediction/polymarket/map.ts';
import { mapHermesUpdate } from '../../../src/adapters/venues/reference/hermes-map.ts';
import { readLeg } from '../../../src/adapters/venues/spotchain/map.ts';
import { SNAPSHOT_FIELDS } from '../../../src/adapters/venues/spotexchange/depth.ts';
import { EXCHANGE_INFO_FIELDS, parseInstrument } from '../../../src/adapters/venues/spotexchange/instruments.ts';
import { bookLevels } from '../../../src/adapters/venues/spotexchange/map.ts';
import { MY_TRADES_FIELDS, ORDER_FIELDS, readOrderState, readTrades } from '../../../src/adapters/venues/spotexchange/order-answers.ts';
import { createSpotRest, fetchServerTime } from '../../../src/adapters/venues/spotexchange/rest.ts';
import { CATALOG } from '../../../src/domain/catalog/catalog.ts';
import { indexEntityNames } from '../../../src/domain/intelligence/entities.ts';
import type { PredictionMarket } from '../../../src/domain/prediction/market.ts';
import { readTransaction } from '../../../src/domain/solana/message.ts';
import { createUnknownFields, type NoteUnknownField } from '../../../streams/feed-counters.ts';
import { createLiveClock } from '../../../streams/clock/live-clock.ts';
import { sampleMarket } from '../../domain/prediction/samples.ts';

const AT = Date.UTC(2026, 10, 22, 17);
const FOLDER = fileURLToPath(new URL('../../../../shared/data/fixtures/', import.meta.url));

type Fields = Record<string, unknown>;
/** Number of items read, and the reasons of the others. */
type Read = readonly [things: number, reasons: readonly string[]];
const refused = (rejections: readonly { readonly reason: string }[]): string[] => rejections.map(({ reason }) => reason);
const responseOf = (body: unknown): Fields => (body as { response: Fields }).response;
const asList = (body: unknown): unknown[] => (Array.isArray(body) ? body : [body]);
const bytes = (message: unknown): Buffer => Buffer.from(JSON.stringify(message));

/** Returns the market of a recorded answer, as far as a map needs it. */
function marketOf(providerId: string, token: string): PredictionMarket {
  const market = sampleMarket('polymarket', providerId);
  const [yes, no] = market.outcomes;
  return { ...market, outcomes: [{ ...yes, providerId: token }, no] };
}

const gamma = (body: unknown, note: NoteUnknownField): Read => {
  const { markets, rejections } = mapGammaMarkets(asList(body), AT, note);
  return [markets.length, refused(rejections)];
};
const events = (body: unknown, note: NoteUnknownField): Read => {
  const { markets, rejections } = mapGammaEvents(asList(body), AT, note);
  return [markets.length, refused(rejections)];
};
const kalshiMarkets = (body: unknown, note: NoteUnknownField): Read => {
  const { markets, market } = responseOf(body);
  const read = mapMarkets({ cursor: '', markets: markets ?? [market] }, () => ({ event: null, series: null }), AT, note);
  return [read.markets.length, refused(read.rejections)];
};
const frame = (body: unknown, note: NoteUnknownField): Read => {
  const { asset_id: token, market: id } = body as Fields;
  const found = mapMarketFrame(bytes(body), AT, () => marketOf(String(id), String(token)), note);
  return [found.length, refused(found.filter((one) => one.kind === 'rejection'))];
};
const depth = (body: unknown, note: NoteUnknownField): Read => {
  noteUnknown(body, SNAPSHOT_FIELDS, note);
  const { bids, asks } = body as Fields;
  return [(bookLevels(bids)?.length ?? -1) + (bookLevels(asks)?.length ?? -1), []];
};
const one = (found: object): Read => ('reason' in found ? [0, [String(found.reason)]] : [1, []]);

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const cleanup of cleanups.splice(0).reverse()) cleanup();
});

/** Serves a recorded answer to every request. */
async function answering(body: unknown): Promise<string> {
  const server = http.createServer((request, response) => {
    request.resume();
    request.on('end', () => response.end(JSON.stringify(body)));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const clock = createLiveClock();
const random = (): number => 0.5;

/** Reads an answer with the perpetuals venue's own client. */
async function perp(body: unknown, note: NoteUnknownField, ask: (info: PerpInfo) => Promise<readonly unknown[]>): Promise<Read> {
  const info = createPerpInfo({ baseUrl: await answering(body), clock, random, note });
  cleanups.push(() => info.http.close());
  return [(await ask(info)).length, []];
}
/** Returns the answer to the first recorded request of a kind. */
const answerTo = (calls: unknown, type: string): unknown =>
  (calls as { request: { body: { type: string } }; response: { body: unknown } }[]).find(({ request }) => request.body.type === type)
    ?.response.body;
const ANY_WALLET = `0x${'1'.repeat(40)}`;
const funding = (body: unknown, note: NoteUnknownField): Promise<Read> => {
  const rows = body as { readonly coin: string; readonly time: number }[];
  const [first, last] = [rows[0], rows.at(-1)];
  return perp(body, note, (info) => info.fundingHistory(String(first?.coin), first?.time ?? 0, (last?.time ?? 0) + 1));
};
const fills = (body: unknown, note: NoteUnknownField): Promise<Read> => perp(body, note, (info) => info.walletFills(ANY_WALLET));
const order = (body: unknown, note: NoteUnknownField): Read => {
  noteUnknown(body, ORDER_FIELDS, note);
  return readOrderState(body) === null ? [0, ['unreadable']] : [1, []];
};
const orders = (body: unknown, note: NoteUnknownField): Read => [
  (body as unknown[]).filter((entry) => order(entry, note)[0] === 1).length,
  [],
];
const trades = (rows: unknown, note: NoteUnknownField): Read => {
  noteUnknown(rows, MY_TRADES_FIELDS, note);
  const sum = (rows as { qty: string }[]).reduce((total, { qty }) => total + Number(qty), 0);
  return [readTrades(rows, String(sum), AT)?.length ?? 0, []];
};
/** Reads whole transactions in place of signatures: their instruction as the explorer shows it. */
const transaction = (body: unknown): Read => {
  const { signature, program_id: program, accounts } = body as { signature: string; program_id: string; accounts: { pubkey: string }[] };
  const read = readTransaction(Buffer.from(signature, 'base64'));
  if (!read.ok) return [0, [read.refusal.code]];
  const found = read.value.instructions.find((one) => one.program === program);
  const named = found?.accounts.map((index) => read.value.staticKeys[index]);
  return [named?.length ?? 0, accounts.length === named?.length ? [] : ['other accounts']];
};

const FILES: Readonly<Record<string, readonly [read: (body: unknown, note: NoteUnknownField) => Read | Promise<Read>, expected: Read]>> = {
  'polymarket/nt_gamma_event.json': [events, [2, []]],
  'polymarket/nt_gamma_market_closed_binary_accepting_false.json': [gamma, [1, []]],
  'polymarket/nt_gamma_market_closed_binary_accepting_true.json': [gamma, [1, []]],
  'polymarket/nt_gamma_market_closed_zero_zero_legacy.json': [gamma, [1, []]],
  'polymarket/nt_gamma_market_sports_market_map_handicap.json': [gamma, [1, []]],
  'polymarket/nt_search_response.json': [(body, note) => events((body as Fields)['events'], note), [1, []]],
  'polymarket/nt_clob_book_response.json': [
    (body, note) => {
      const { market, asset_id: token } = body as Fields;
      return one(mapBook(body, marketOf(String(market), String(token)), AT, note));
    },
    [1, []],
  ],
  'polymarket/nt_data_api_trades_response.json': [
    (body, note) => {
      const rows = body as Fields[];
      const read = rows.map((row) => mapTrades([row], marketOf(String(row['conditionId']), String(row['asset'])), AT, note));
      return [read.flatMap(({ trades }) => trades).length, refused(read.flatMap(({ rejections }) => rejections))];
    },
    [3, []],
  ],
  'polymarket/nt_clob_market_closed_binary_accepting_false.json': [(body, note) => one(mapClobWinner(body, AT, note)), [1, []]],
  'polymarket/nt_clob_market_closed_binary_accepting_true.json': [(body, note) => one(mapClobWinner(body, AT, note)), [1, []]],
  'polymarket/nt_ws_market_last_trade_msg.json': [frame, [1, []]],
  'polymarket/nt_ws_market_tick_size_msg.json': [frame, [1, []]],
  'polymarket/nt_ws_market_new_market_msg.json': [frame, [1, []]],
  'polymarket/nt_ws_market_resolved_msg.json': [frame, [1, []]],
  'polymarket/nt_ws_market_best_bid_ask_msg.json': [frame, [0, []]],
  // The same messages as stored by their decoder, without the type.
  'polymarket/nt_ws_last_trade.json': [(body, note) => frame({ event_type: 'last_trade_price', ...(body as Fields) }, note), [1, []]],
  'polymarket/nt_ws_tick_size_change.json': [(body, note) => frame({ event_type: 'tick_size_change', ...(body as Fields) }, note), [1, []]],
  'kalshi/golden_markets_list_response.json': [kalshiMarkets, [5, []]],
  'kalshi/golden_market_single_response.json': [kalshiMarkets, [1, []]],
  'kalshi/golden_events_list_response.json': [
    (body, note) => {
      // Requested without markets: every event is refused for that reason only.
      const { markets, rejections } = mapEvents(responseOf(body), () => null, AT, note);
      return [markets.length, [...new Set(refused(rejections))]];
    },
    [0, ['missing_field']],
  ],
  'kalshi/golden_events_multivariate_list_response.json': [
    (body, note) => {
      const { markets, rejections } = mapEvents(responseOf(body), () => null, AT, note);
      return [markets.length, [...new Set(refused(rejections))]];
    },
    [0, ['missing_field']],
  ],
  'kalshi/golden_series_list_response.json': [
    (body, note) => {
      const list = (responseOf(body)['series'] as unknown[]).map((series) => mapSeries({ series }, AT, note));
      return [list.filter((one) => !('reason' in one)).length, [...new Set(list.flatMap((one) => ('reason' in one ? [one.reason] : [])))]];
    },
    [241, []],
  ],
  'kalshi/golden_series_single_response.json': [(body, note) => one(mapSeries(responseOf(body), AT, note)), [1, []]],
  'hyperliquid/nt_ws_book_data.json': [
    (body, note) => {
      const found = mapPerpFrame(bytes({ channel: 'l2Book', data: body }), AT, new Set(['BTC']), note);
      return [found.filter(({ kind }) => kind === 'perp_book').length, []];
    },
    [1, []],
  ],
  'hyperliquid/nt_ws_allmids.json': [(body, note) => [mapPerpFrame(bytes(body), AT, new Set(['BTC']), note).length, []], [0, []]],
  'hyperliquid/nt_http_recent_trades_btc.json': [
    (body, note) => [mapPerpFrame(bytes({ channel: 'trades', data: body }), AT, new Set(['BTC']), note).length, []],
    [0, []],
  ],
  'hyperliquid/nt_http_l2_book_btc.json': [
    (body, note) =>
      perp(body, note, async (info) => {
        const book = await info.orderBook('BTC');
        return [...(book?.bids ?? []), ...(book?.asks ?? [])];
      }),
    [10, []],
  ],
  // The last row has no premium.
  'hyperliquid/nt_http_funding_history.json': [funding, [3, []]],
  'hyperliquid/rec_get_funding_history_None.json': [(body, note) => funding(answerTo(body, 'fundingHistory'), note), [1_038, []]],
  'hyperliquid/nt_http_meta_perp_sample.json': [(body, note) => perp(body, note, (info) => info.markets()), [3, []]],
  'hyperliquid/rec_get_info.json': [(body, note) => perp(answerTo(body, 'meta'), note, (info) => info.markets()), [28, []]],
  'hyperliquid/nt_http_all_perp_metas_non_usdc_collateral.json': [
    async (body, note) => {
      const each = await Promise.all((body as unknown[]).map((one) => perp(one, note, (info) => info.markets())));
      return [each.reduce((sum, [things]) => sum + things, 0), []];
    },
    [3, []],
  ],
  'hyperliquid/nt_http_user_fills_dust_conversion.json': [fills, [5, []]],
  'hyperliquid/rec_get_user_fills.json': [(body, note) => fills(answerTo(body, 'userFills'), note), [500, []]],
  'hyperliquid/rec_get_user_state.json': [
    (body, note) => perp(answerTo(body, 'clearinghouseState'), note, async (info) => (await info.walletState(ANY_WALLET)).positions),
    [12, []],
  ],
  'binance/nt_spot_http_json_exchange_info_response.json': [
    (body, note) => {
      noteUnknown(body, EXCHANGE_INFO_FIELDS, note);
      return [(body as { symbols: unknown[] }).symbols.filter((entry) => parseInstrument(entry) !== null).length, []];
    },
    [1, []],
  ],
  'binance/nt_spot_http_json_server_time_response.json': [
    async (body, note) => {
      const rest = createSpotRest({ baseUrl: await answering(body), clock, random, note });
      cleanups.push(() => rest.close());
      return [await fetchServerTime(rest), []];
    },
    [1_499_827_319_559, []],
  ],
  'binance/nt_spot_http_json_new_order_full_response.json': [order, [1, []]],
  'binance/nt_spot_http_json_all_orders_response.json': [orders, [1, []]],
  'binance/nt_spot_http_json_open_orders_response.json': [orders, [1, []]],
  'binance/nt_spot_http_json_account_trades_response.json': [trades, [1, []]],
  'binance/recorded_depth_BLZETH.json': [depth, [0, []]],
  'binance/recorded_depth_LRCBTC.json': [depth, [0, []]],
  'binance/recorded_depth_NKNUSDT.json': [depth, [0, []]],
  'binance/recorded_depth_RUNEEUR.json': [depth, [0, []]],
  'binance/nt_spot_http_json_depth_response.json': [depth, [0, []]],
  'jupiter/quote_official_docs.json': [route, [1, []]],
  'jupiter/quote_chainstack.json': [route, [1, []]],
  'pyth/pyth_hermes_2025-06-27T1641Z_regular-session.json': [
    (body, note) => {
      const { hermesResponse } = body as { hermesResponse: { parsed: { id: string }[] } };
      const ids = new Map(hermesResponse.parsed.map(({ id }, index) => [id, `S${index}`]));
      const { prices, rejections } = mapHermesUpdate(hermesResponse, ids, AT, note);
      return [prices.length - hermesResponse.parsed.length, refused(rejections)];
    },
    [0, []],
  ],
  'solana-tx/token_2022_burn_checked.json': [transaction, [3, []]],
  'solana-tx/token_2022_mint_to_checked.json': [transaction, [3, []]],
  'defillama/v2_chains_2022-09.json': [(body, note) => [readChains(body, AT, note).chains.length, []], [140, []]],
  'sec/submissions_TSLA.json': [
    (body, note) => {
      const read = readSubmissions(body, { names: indexEntityNames(CATALOG), receivedAt: AT, since: 0, archiveUrl: null, note });
      return [Math.min(1, read.reports.length), refused(read.rejected)];
    },
    [1, []],
  ],
};

function route(body: unknown, note: NoteUnknownField): Read {
  const { inputMint, outputMint, inAmount } = body as Record<string, string>;
  const read = readLeg(body, String(inputMint), String(outputMint), String(inAmount), note);
  return typeof read === 'string' ? [0, [read]] : [1, []];
}

for (const [file, [read, expected]] of Object.entries(FILES)) {
  const path = `${FOLDER}${file}`;
  const isHere = existsSync(path);
  test.skipIf(!isHere)(isHere ? file : `${file}: the recording is not here`, async () => {
    const body: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const unknown = createUnknownFields();
    const [things, reasons] = await read(body, unknown.note);
    if (file.includes('depth')) {
      const { bids, asks } = body as { bids: unknown[]; asks: unknown[] };
      expect(things).toBe(bids.length + asks.length);
    } else expect([things, reasons]).toEqual(expected);
    expect(unknown.rows()).toEqual([]);
  });
}

const made = (file: string): Fields =>
  JSON.parse(readFileSync(new URL(`../../fixtures/${file}/answers.json`, import.meta.url), 'utf8')) as Fields;

test('handmade answers of the same forms are read to the last digit', async () => {
  const { meta, l2Book, fundingHistory, userFills, clearinghouseState } = made('hyperliquid');
  const unknown = createUnknownFields();
  const of = async (body: unknown): Promise<PerpInfo> => {
    const info = createPerpInfo({ baseUrl: await answering(body), clock, random, note: unknown.note });
    cleanups.push(() => info.http.close());
    return info;
  };
  expect(await (await of(meta)).markets()).toMatchObject([
    { coin: 'BTC', sizeDecimals: 5, maxLeverage: 40, onlyIsolated: false, delisted: false },
    { coin: 'OLD', delisted: true },
  ]);
  expect(await (await of(l2Book)).orderBook('BTC')).toMatchObject({
    observedAt: 1_761_786_491_067,
    bids: [
      ['110427.0', '4.11882'],
      ['110426.0', '0.31694'],
    ],
    asks: [['110428.0', '3.72573']],
  });
  expect(await (await of(fundingHistory)).fundingHistory('BTC', 0, 1_769_912_400_001)).toMatchObject([
    { hourlyFunding: '0.0000125', premium: '0.00029005' },
    { hourlyFunding: '-0.0000081', premium: null, at: 1_769_912_400_000 },
  ]);
  expect(await (await of(userFills)).walletFills(ANY_WALLET)).toMatchObject([
    { coin: 'ARB', side: 'buy', fee: '-0.01', tradeId: 17_679_709_382_320, taker: false },
    { coin: '@156', side: 'sell', direction: 'Spot Dust Conversion', fee: '0', feeToken: 'USDC', tradeId: 0 },
  ]);
  expect(await (await of(clearinghouseState)).walletState(ANY_WALLET)).toMatchObject({
    accountValue: '1000.5',
    positions: [{ coin: 'BTC', size: '-0.002', liquidationPrice: null, leverage: 20, marginMode: 'cross', fundingSinceOpen: '0.1' }],
  });
  const { time, order: placed, myTrades } = made('binance') as Record<string, Fields & unknown[]>;
  const rest = createSpotRest({ baseUrl: await answering(time), clock, random, note: unknown.note });
  cleanups.push(() => rest.close());
  expect(await fetchServerTime(rest)).toBe(1_795_104_000_123);
  expect(readOrderState(placed)).toEqual({
    orderId: 28,
    status: 'FILLED',
    executed: '3.00000000',
    expiryReason: null,
    restingAt: null,
    at: 1_507_725_176_595,
  });
  expect(readTrades(placed?.['fills'], '3', AT)?.map(({ id, quantity, at }) => [id, quantity, at])).toEqual([
    [56, '1.00000000', AT],
    [57, '2.00000000', AT],
  ]);
  expect(readTrades(placed?.['fills'], '4', AT)).toBeNull();
  expect(readTrades(myTrades, '12', AT)).toMatchObject([{ price: '4000.00000100', commission: '10.10000000', at: 1_499_865_549_590 }]);
  noteUnknown(placed, ORDER_FIELDS, unknown.note);
  noteUnknown(myTrades, MY_TRADES_FIELDS, unknown.note);
  expect(unknown.rows()).toEqual([]);
});

/** Recordings used by other tests. */
const ELSEWHERE = [
  'binance/recorded_exchangeInfo_2021-10-12.json.gz', // spotexchange/instruments.test.ts
  'hyperliquid/rec_get_candles_snapshot.json', // recorded-days.test.ts
];
/** Recordings without use for the service, by the prefixes of their names. */
const OF_NO_USE: Readonly<Record<string, string>> = {
  'SOURCES.csv': 'where the recordings come from',
  'binance/nt_futures_': 'futures of the exchange are not traded',
  'binance/nt_spot_user_data_': 'fills are asked for by order, no account is streamed',
  'binance/nt_spot_http_json_book_ticker': 'tops are streamed',
  'binance/nt_spot_http_json_ticker_price': 'the day ticker says it',
  'binance/nt_spot_http_json_trades': 'trades are not kept',
  'binance/nt_spot_http_json_ping': 'the time is asked for instead',
  'binance/nt_spot_http_json_cancel_open_orders': 'an order ends by itself (IOC)',
  'bridge-metamask/': 'nothing is bridged',
  'relay/': 'nothing is bridged',
  'helius/': 'the chain is read from a node',
  'defillama/HLP': 'value on chains is read, not on protocols',
  'defillama/drift_Fees': 'value on chains is read, not fees',
  'defillama/hyperliquid-spot-volumes': 'value on chains is read, not volumes',
  'hyperliquid/nt_http_spot_meta': 'perpetuals alone are traded there',
  'hyperliquid/rec_delegator': 'nothing is staked',
  'hyperliquid/rec_extra_agents': 'nothing is signed there',
  'hyperliquid/rec_get_frontend_open_orders': 'resting orders of others are not shown',
  'hyperliquid/rec_get_open_orders': 'resting orders of others are not shown',
  'hyperliquid/rec_historical_orders': 'orders of others are not shown',
  'hyperliquid/rec_user_': 'a public wallet is its margin, positions and fills',
  'kalshi/golden_batch_': 'orders go over the chain',
  'kalshi/golden_create_order': 'orders go over the chain',
  'kalshi/golden_order_': 'orders go over the chain',
  'kalshi/golden_portfolio_': 'nothing is held there',
  'kalshi/golden_user_data': 'nothing is held there',
  'kalshi/golden_candlesticks': 'no bars of probabilities are kept',
  'kalshi/golden_event_candlesticks': 'no bars of probabilities are kept',
  'kalshi/golden_series_candlesticks': 'no bars of probabilities are kept',
  'kalshi/golden_event_metadata': 'series name the sources',
  'kalshi/golden_exchange_': 'every market has a status of its own',
  'kalshi/golden_incentive': 'no incentives are sought',
  'kalshi/golden_live_data': 'no question of the catalog is about sports',
  'kalshi/golden_milestones': 'no question of the catalog is about sports',
  'kalshi/golden_multivariate': 'no combinations are made',
  'kalshi/golden_structured_targets': 'no question of the catalog is about sports',
  'kalshi/golden_tags': 'markets are found by their words',
  'polymarket/nt_clob_fee_rate': 'the catalogue has the fee schedule',
  'polymarket/nt_gamma_tags': 'markets are found by their words',
  'polymarket/nt_http_': 'orders go over the chain',
  'polymarket/nt_rtds_': 'prices come from the reference',
  'polymarket/nt_ws_user_': 'orders go over the chain',
  'solana-tx/': 'single instructions; whole transactions are read',
};

test.skipIf(!existsSync(FOLDER))('every recording is read by a test, or listed as unused', () => {
  const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => `${entry.parentPath}/${entry.name}`.slice(FOLDER.length).replace(/^\//, ''));
  expect(files.length).toBeGreaterThan(100);
  const known = [...Object.keys(FILES), ...ELSEWHERE];
  const useless = Object.keys(OF_NO_USE);
  expect(files.filter((file) => !known.includes(file) && !useless.some((beginning) => file.startsWith(beginning)))).toEqual([]);
  expect(known.filter((file) => !files.includes(file))).toEqual([]);
  expect(useless.filter((beginning) => !files.some((file) => file.startsWith(beginning)))).toEqual([]);
});
