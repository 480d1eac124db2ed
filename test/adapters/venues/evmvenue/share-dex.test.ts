/** Perpetuals on shares of a builder's dex: recorded frames and answers become quotes, contexts, books, bars and funding. */
import { readFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createPerpCandles } from '../../../../src/adapters/venues/evmvenue/candles.ts';
import { perpSubscriptions } from '../../../../src/adapters/venues/evmvenue/feed.ts';
import { createPerpInfo, type PerpInfo } from '../../../../src/adapters/venues/evmvenue/info.ts';
import { mapPerpFrame } from '../../../../src/adapters/venues/evmvenue/map.ts';
import { listedOn } from '../../../../src/adapters/venues/listed.ts';
import { findCostModel, computeFeeUsd } from '../../../../src/domain/orders/costs.ts';
import { findMarketStep } from '../../../../src/domain/market/market-step.ts';
import { createUnknownFields } from '../../../../streams/feed-counters.ts';
import { createVirtualClock } from '../../../../streams/clock/virtual-clock.ts';

interface Recorded {
  readonly frames: Readonly<Record<string, object>>;
  readonly answers: Readonly<Record<string, unknown>>;
}
const recorded = JSON.parse(readFileSync(new URL('../../../fixtures/hyperliquid/share-dex.json', import.meta.url), 'utf8')) as Recorded;
const RECEIVED = 1_788_330_949_300;
const coins = new Set(listedOn('evmvenue'));
const unknown = createUnknownFields();
const map = (channel: string) => mapPerpFrame(Buffer.from(JSON.stringify(recorded.frames[channel])), RECEIVED, coins, unknown.note);

const asked: { readonly type: string; readonly [name: string]: unknown }[] = [];
let server: http.Server;
let info: PerpInfo;
const clock = createVirtualClock(RECEIVED);
/** Answers like the venue: a coin without its prefix is unknown and gets null. */
beforeAll(async () => {
  server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const question = JSON.parse(body) as { type: string; coin?: string; req?: { coin: string } };
      asked.push(question);
      const coin = question.coin ?? question.req?.coin ?? 'xyz:';
      response.end(JSON.stringify(coin.startsWith('xyz:') ? recorded.answers[question.type] : null));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  info = createPerpInfo({ baseUrl, clock, random: () => 0.5, note: unknown.note });
});
afterAll(() => {
  info.http.close();
  server.close();
});

test('best bid and ask, book and context of a share arrive under its prefixed name', () => {
  expect(map('bbo')).toMatchObject([
    { kind: 'quote', instrument: 'xyz:AAPL', bid: '324.18', ask: '324.21', bidSize: '3.085', askSize: '0.58', quality: 'live' },
  ]);
  expect(map('l2Book')).toMatchObject([
    { kind: 'perp_book', top: { instrument: 'xyz:AAPL', bid: '297.73', ask: '297.84', observedAt: 1_778_803_273_189 } },
  ]);
  expect(map('activeAssetCtx')).toMatchObject([
    { kind: 'perp_context', instrument: 'xyz:AAPL', markPrice: '312.12', oraclePrice: '312.05', hourlyFunding: '0.0000074304' },
  ]);
  expect(map('candle')).toMatchObject([{ kind: 'forming_candle', instrument: 'xyz:TSLA', timeframe: '15m', candle: { close: '329.55' } }]);
});

test('the dex’s markets are read with their numbers, without unknown members', async () => {
  const markets = await info.marketContexts('xyz');
  expect(asked.at(-1)).toEqual({ type: 'metaAndAssetCtxs', dex: 'xyz' });
  expect(markets.map(({ market }) => [market.coin, market.sizeDecimals, market.onlyIsolated])).toEqual([
    ['xyz:TSLA', 3, false],
    ['xyz:GOLD', 4, false],
    ['xyz:NVDA', 3, true],
  ]);
  expect(markets[0]?.context).toMatchObject({ hourlyFunding: '0.00000625', markPrice: '378.98' });
  // Without a book there is no premium, but the context remains.
  expect(markets[2]).toMatchObject({ midPrice: null, premium: null, context: { markPrice: '177.06' } });
  expect(unknown.rows()).toEqual([]);
});

test('book, bars and funding are requested with the prefix; a share’s bare name means nothing there', async () => {
  expect(await info.orderBook('xyz:TSLA')).toMatchObject({
    instrument: 'xyz:TSLA',
    bids: [['379.03', '2.638']],
    asks: [['379.05', '1.0']],
  });
  expect(await info.orderBook('TSLA')).toBeNull();
  const hour = 1_785_610_800_000;
  expect(await info.fundingHistory('xyz:TSLA', hour, hour + 3_600_000)).toEqual([
    { coin: 'xyz:TSLA', at: hour + 30, hourlyFunding: '-0.000034125', premium: '-0.0008459994' },
  ]);
  await expect(info.fundingHistory('TSLA', hour, hour + 3_600_000)).rejects.toMatchObject({ code: 'bad_answer' });
  const candles = createPerpCandles(info.http, clock);
  const from = 1_786_192_200_000;
  expect(await candles.fetchCandles('xyz:TSLA', '15m', from, from + 900_000)).toMatchObject([{ openTime: from, close: '329.55' }]);
});

test('the feed subscribes to every listed share by that name, without naming the dex', () => {
  const subscriptions = perpSubscriptions([...coins], []);
  for (const type of ['bbo', 'l2Book', 'activeAssetCtx'])
    expect(subscriptions).toContainEqual(type === 'l2Book' ? { type, coin: 'xyz:NVDA', fast: true } : { type, coin: 'xyz:NVDA' });
  expect([...coins].filter((coin) => coin.startsWith('xyz:')).sort()).toEqual(
    ['AAPL', 'AMZN', 'COIN', 'GOOGL', 'META', 'MSFT', 'MSTR', 'NVDA', 'TSLA'].map((share) => `xyz:${share}`),
  );
});

test('a builder takes twice the venue’s fee, and shares are sized in thousandths', () => {
  const share = findCostModel('evmvenue:xyz:TSLA');
  expect(share.takerFeeBps).toBe(2 * findCostModel('evmvenue:BTC').takerFeeBps);
  expect(computeFeeUsd('1000', share)).toBe('0.9');
  expect(findMarketStep('evmvenue:xyz:TSLA')).toEqual({ lot: '0.001', tick: '0.001' });
});
