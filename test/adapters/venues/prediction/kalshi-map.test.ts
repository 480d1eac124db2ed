// Kalshi's payloads become engine messages, or nothing with a reason.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  mapEvents,
  mapMarkets,
  mapOrderBook,
  mapSeries,
  mapSocketFrame,
  mapTrades,
  type SeriesTerms,
  type SocketMessage,
} from '../../../../src/adapters/venues/prediction/kalshi/map.ts';
import type { PredictionMarket } from '../../../../src/domain/prediction/market.ts';

const AT = Date.UTC(2026, 10, 20, 18);
const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/prediction/${name}.json`, import.meta.url), 'utf8'));
const frames = fixture('kalshi-frames') as Record<string, Record<string, unknown>>;
const series = mapSeries(frames['series'], AT) as SeriesTerms;
const page = mapEvents(fixture('kalshi-events'), (ticker) => (ticker === 'KXBTCD' ? series : null), AT);
const bitcoin = page.markets[0] as PredictionMarket;

describe('the catalogue', () => {
  test('a market is read completely, with fields inherited from its series and event', () => {
    expect(bitcoin).toMatchObject({
      providerId: 'KXBTCD-26NOV2217-T95000',
      providerIds: { eventTicker: 'KXBTCD-26NOV2217', seriesTicker: 'KXBTCD' },
      event: { title: 'Bitcoin price on Nov 22, 2026?', mutuallyExclusive: false },
      status: 'open',
      providerStatus: 'active',
      volume: '18233',
      volumeUnit: 'contracts',
      openInterest: '4410',
      fee: { model: 'quadratic', rate: '0.035', roundingUsd: '0.01' },
      asks: { underlying: 'BTC', comparator: 'above', threshold: '95000', measure: 'at_time', resolvesAt: Date.UTC(2026, 10, 22, 17) },
      expectedResolutionAt: Date.UTC(2026, 10, 22, 17, 5),
      resolution: {
        procedure: 'exchange_determination',
        sources: [{ name: 'CF Benchmarks' }],
        mayCloseEarly: true,
        earlyCloseCondition: null,
      },
    });
    expect(bitcoin.priceGrid).toEqual([
      { start: '0', end: '0.1', step: '0.001' },
      { start: '0.1', end: '0.9', step: '0.01' },
      { start: '0.9', end: '1', step: '0.001' },
    ]);
    expect(bitcoin.outcomes.map(({ label, bid, ask, bidSize, askSize, last }) => [label, bid, ask, bidSize, askSize, last])).toEqual([
      ['Above $95,000', '0.52', '0.55', '310', '42.5', '0.53'],
      ['$95,000 or below', '0.45', '0.48', '42.5', '310', '0.47'],
    ]);
  });

  test('an unreadable market yields only its reason; an unknown word makes the market unknown and is counted', () => {
    expect(page.markets.map(({ providerId, status }) => [providerId.split('-').at(-1), status])).toEqual([
      ['T95000', 'open'],
      ['B94000', 'unknown'],
      ['A', 'resolved'],
    ]);
    expect(page.rejections.map(({ reason, detail }) => [reason, detail])).toEqual([
      ['unknown_shape', 'a market of type scalar has not exactly two outcomes'],
      ['bad_number', 'yes_bid_dollars 1.2 is not a probability'],
      ['missing_field', 'ticker is missing or no text'],
      ['unknown_word', 'status "pondering" of KXBTCD-26NOV2217-B94000'],
    ]);
    expect(page.cursor).toBe('CgYI8JHtswkSDktYRVJVUFRTVVBFUi0w');
    expect(page.markets[2]).toMatchObject({
      event: { mutuallyExclusive: true },
      outcomes: [{ payout: '0', bid: null, ask: null }, { payout: '1' }],
      resolution: { result: 'no', decidedBy: 'B', sources: [{ name: 'Reuters' }] },
      fee: { model: 'unknown' },
      priceGrid: [{ step: '0.01' }],
      volume: '12',
    });
  });

  test.each([
    [
      { fee_type: 'quadratic', fee_multiplier: 1 },
      { model: 'quadratic', rate: '0.07' },
    ],
    [
      // Takers pay the same fee if makers pay one too.
      { fee_type: 'quadratic_with_maker_fees', fee_multiplier: 2 },
      { model: 'quadratic', rate: '0.14' },
    ],
    [{ fee_type: 'no_fee' }, { model: 'none' }],
    [{ fee_type: 'quadratic', fee_multiplier: 0 }, { model: 'none' }],
    [
      { fee_type: 'flat', fee_multiplier: 1 },
      { model: 'unknown', rate: null },
    ],
    [{}, { model: 'unknown' }],
  ])('the fee of a series with %j', (terms, fee) => {
    expect(mapSeries({ series: { ticker: 'T', ...terms } }, AT)).toMatchObject({ fee });
  });
});

test('the book shows bids of both outcomes; a bid for no offers yes', () => {
  expect(mapOrderBook(frames['orderbook'], bitcoin, AT)).toMatchObject({
    bids: [
      { price: '0.52', size: '310' },
      { price: '0.51', size: '200' },
    ],
    asks: [
      { price: '0.55', size: '42.5' },
      { price: '0.56', size: '7' },
    ],
  });
  expect(mapOrderBook({ orderbook: {} }, bitcoin, AT)).toMatchObject({ kind: 'rejection', reason: 'unknown_shape' });
});

test('trades are those of the requested market', () => {
  const { trades, rejections } = mapTrades(frames['trades'], bitcoin, AT);
  expect(trades).toMatchObject([
    { id: 'kalshi-t-1', side: 'yes', price: '0.55', size: '3.5', observedAt: Date.UTC(2026, 10, 20, 18, 0, 0, 123) },
  ]);
  expect(rejections.map(({ reason }) => reason)).toEqual(['bad_number', 'unknown_instrument']);
});

describe('frames of the socket', () => {
  const map = (frame: unknown): SocketMessage | null =>
    mapSocketFrame(Buffer.from(typeof frame === 'string' ? frame : JSON.stringify(frame)), AT, (ticker) =>
      ticker === bitcoin.providerId ? bitcoin : undefined,
    );

  test('snapshots, differences, trades and news of the catalogue', () => {
    expect(map(frames['subscribed'])).toEqual({ kind: 'subscribed', channel: 'orderbook_delta', sid: 3 });
    expect(map(frames['snapshot'])).toMatchObject({ kind: 'snapshot', sid: 3, seq: 1, asks: [{ price: '0.55', size: '42.5' }] });
    expect(map(frames['empty_side'])).toMatchObject({ kind: 'snapshot', asks: [] });
    expect(map(frames['delta'])).toMatchObject({
      kind: 'delta',
      seq: 3,
      side: 'asks',
      price: '0.55',
      delta: '-12.5',
      at: 1_795_197_601_000,
    });
    expect(map(frames['trade'])).toMatchObject({
      kind: 'trade',
      trade: { side: 'no', price: '0.45', size: '3.5', observedAt: 1_795_197_602_123 },
    });
    expect(map(frames['lifecycle'])).toEqual({ kind: 'lifecycle', ticker: bitcoin.providerId });
    expect(map({ type: 'ok', id: 1, msg: {} })).toBeNull();
    expect(map(frames['error'])).toMatchObject({ kind: 'rejection', reason: 'venue_error', detail: '8: Unknown channel name' });
  });

  test('a numbered message that is unusable keeps its number', () => {
    const delta = frames['delta'] as { msg: object };
    expect(map({ ...delta, msg: { ...delta.msg, price_dollars: 'NaN' } })).toMatchObject({
      kind: 'unusable',
      sid: 3,
      seq: 3,
      rejection: { reason: 'bad_number' },
    });
    expect(map({ ...delta, msg: { ...delta.msg, market_ticker: 'OTHER' } })).toMatchObject({
      kind: 'unusable',
      rejection: { reason: 'unknown_instrument' },
    });
    expect(map({ type: 'moon', sid: 3, seq: 4, msg: {} })).toMatchObject({ kind: 'unusable', rejection: { reason: 'unknown_word' } });
    expect(map('<html>')).toMatchObject({ kind: 'rejection', reason: 'not_json' });
    expect(map('null')).toMatchObject({ kind: 'rejection', reason: 'unknown_shape' });
  });

  test('no input throws', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void map(value as never)));
  });
});

const RECORDED = fileURLToPath(new URL('../../../../../shared/data/fixtures/kalshi', import.meta.url));
test.skipIf(!existsSync(RECORDED))('recorded answers are read without loss', () => {
  const recorded = (name: string): unknown =>
    (JSON.parse(readFileSync(`${RECORDED}/golden_${name}_response.json`, 'utf8')) as { response: unknown }).response;
  const markets = recorded('markets_list') as { markets: unknown[] };
  const read = mapMarkets(markets, () => ({ event: null, series: null }), AT);
  expect({ in: markets.markets.length, out: read.markets.length, rejected: read.rejections }).toEqual({ in: 5, out: 5, rejected: [] });
  expect(read.markets.every(({ status, asks, priceGrid }) => status === 'open' && asks === null && priceGrid[0]?.step === '0.001')).toBe(
    true,
  );
  // Neither side has orders: the listed zeros and ones are no prices.
  expect(read.markets.flatMap(({ outcomes }) => outcomes.flatMap(({ bid, ask }) => [bid, ask]))).toEqual(
    Array.from({ length: 20 }, () => null),
  );
  expect(mapSeries(recorded('series_single'), AT)).toMatchObject({
    fee: { model: 'quadratic', rate: '0.07' },
    sources: [{ name: 'Energy Information Administration' }],
  });
  const list = recorded('series_list') as { series: unknown[] };
  expect(list.series.map((one) => mapSeries({ series: one }, AT)).filter((one) => 'reason' in one)).toEqual([]);
});
