// Recorded answers of the venues, file by file: what is read of each, and that nothing in them is unknown.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { readChains } from '../../../src/adapters/intelligence/tvl.ts';
import { readSubmissions } from '../../../src/adapters/intelligence/filings.ts';
import { mapPerpFrame } from '../../../src/adapters/venues/evmvenue/map.ts';
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
import { bookLevels } from '../../../src/adapters/venues/spotexchange/map.ts';
import { CATALOG } from '../../../src/domain/catalog.ts';
import { entityNamesOf } from '../../../src/domain/intelligence/entities.ts';
import type { PredictionMarket } from '../../../src/domain/prediction-market.ts';
import { createUnknownFields, type NoteUnknownField } from '../../../streams/feed-counters.ts';
import { sampleMarket } from '../../domain/prediction-samples.ts';

const AT = Date.UTC(2026, 10, 22, 17);
const FOLDER = fileURLToPath(new URL('../../../../shared/data/fixtures/', import.meta.url));

type Fields = Record<string, unknown>;
/** How many things were read, and the reasons of what was not. */
type Read = readonly [things: number, reasons: readonly string[]];
const refused = (rejections: readonly { readonly reason: string }[]): string[] => rejections.map(({ reason }) => reason);
const responseOf = (body: unknown): Fields => (body as { response: Fields }).response;
const asList = (body: unknown): unknown[] => (Array.isArray(body) ? body : [body]);
const bytes = (message: unknown): Buffer => Buffer.from(JSON.stringify(message));

/** The market that a recorded answer is about, as far as a map has to know it. */
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
const depth = (body: unknown): Read => {
  const { bids, asks } = body as Fields;
  return [(bookLevels(bids)?.length ?? -1) + (bookLevels(asks)?.length ?? -1), []];
};
const one = (found: object): Read => ('reason' in found ? [0, [String(found.reason)]] : [1, []]);

const FILES: Readonly<Record<string, readonly [read: (body: unknown, note: NoteUnknownField) => Read, expected: Read]>> = {
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
  'kalshi/golden_markets_list_response.json': [kalshiMarkets, [5, []]],
  'kalshi/golden_market_single_response.json': [kalshiMarkets, [1, []]],
  'kalshi/golden_events_list_response.json': [
    (body, note) => {
      // Asked for without markets: every event is refused for that, and nothing else.
      const { markets, rejections } = mapEvents(responseOf(body), () => null, AT, note);
      return [markets.length, [...new Set(refused(rejections))]];
    },
    [0, ['missing_field']],
  ],
  'kalshi/golden_series_single_response.json': [(body, note) => one(mapSeries(responseOf(body), AT, note)), [1, []]],
  'hyperliquid/nt_ws_book_data.json': [
    (body, note) => {
      const found = mapPerpFrame(bytes({ channel: 'l2Book', data: body }), AT, new Set(['BTC']), note);
      return [found.filter(({ kind }) => kind === 'perp_book').length, []];
    },
    [1, []],
  ],
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
  'defillama/v2_chains_2022-09.json': [(body, note) => [readChains(body, AT, note).chains.length, []], [140, []]],
  'sec/submissions_TSLA.json': [
    (body, note) => {
      const read = readSubmissions(body, { names: entityNamesOf(CATALOG), receivedAt: AT, since: 0, archiveUrl: null, note });
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

test.each(Object.entries(FILES))('%s', (file, [read, expected]) => {
  const path = `${FOLDER}${file}`;
  if (!existsSync(path)) return;
  const body: unknown = JSON.parse(readFileSync(path, 'utf8'));
  const unknown = createUnknownFields();
  const [things, reasons] = read(body, unknown.note);
  if (file.startsWith('binance/')) {
    const { bids, asks } = body as { bids: unknown[]; asks: unknown[] };
    expect(things).toBe(bids.length + asks.length);
  } else expect([things, reasons]).toEqual(expected);
  expect(unknown.rows()).toEqual([]);
});
