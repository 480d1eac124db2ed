// Market states over HTTP: their age, the effect of a lost venue, and the answer if nothing was received.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type DayTicker, type MarketState, marketStateKey, type VenueState } from '../../src/domain/market/market-state.ts';
import type { PerpContext } from '../../src/domain/market/quote.ts';
import type { Venue } from '../../src/domain/market/venue.ts';
import { type ApiUnderTest, apiUnderTest, NOW } from './api-under-test.ts';

let api: ApiUnderTest;
let token: string;
beforeAll(async () => {
  api = await apiUnderTest();
  token = await api.token(['market:read']);
});
afterAll(() => api.close());
beforeEach(() => api.states.clear());
const get = (url: string) => api.call('GET', url, { token });
const receive = (...states: MarketState[]): void => states.forEach((state) => api.states.set(marketStateKey(state), state));

const stateOf = (venue: Venue, over: Partial<VenueState> = {}): VenueState => ({
  kind: 'venue_state',
  venue,
  receivedAt: NOW - 500,
  hearing: 'live',
  detail: '',
  degradedSince: null,
  heardAt: NOW - 700,
  providers: [{ provider: 'binance', connected: true, epoch: 3, heardAt: NOW - 700, detail: '' }],
  clockOffset: { offsetMs: -12, method: 'server_time', samples: 5, measuredAt: NOW - 9_000 },
  gaps: 2,
  messages: 100,
  rejected: 1,
  unknownFields: [{ source: 'binance:depth', field: 'zz', count: 4 }],
  budgets: [{ venue, name: venue, limit: 6_000, windowMs: 60_000, left: 5_900, blockedUntil: NOW + 1_000 }],
  ...over,
});
const ticker = (instrument: string, over: Partial<DayTicker> = {}): DayTicker => ({
  kind: 'day_ticker',
  venue: 'spotexchange',
  instrument,
  source: 'binance:24hrTicker',
  observedAt: NOW - 900,
  receivedAt: NOW - 800,
  openTime: NOW - 86_400_000,
  closeTime: NOW,
  openPrice: '100',
  highPrice: '120',
  lowPrice: '90',
  lastPrice: '110',
  priceChange: '10',
  priceChangePct: '10.000',
  weightedAveragePrice: '105',
  volume: '3',
  quoteVolume: '315',
  trades: 12,
  ...over,
});
const perp = (over: Partial<PerpContext> = {}): PerpContext => ({
  kind: 'perp_context',
  venue: 'evmvenue',
  instrument: 'BTC',
  source: 'hyperliquid:activeAssetCtx',
  observedAt: NOW - 1_000,
  receivedAt: NOW - 1_000,
  markPrice: '77562.0',
  oraclePrice: '77605.0',
  hourlyFunding: '-0.0000015186',
  openInterest: '27353.17682',
  dayNotional: '1516669192.195',
  ...over,
});

test('a ticker’s quality depends on its age and on its venue being received', async () => {
  receive(ticker('BTCUSDT'), stateOf('spotexchange'));
  expect((await get('/v1/tickers')).body.items[0]).toMatchObject({ ageMs: 900, quality: 'live', flags: [], priceChangePct: '10.000' });
  receive(ticker('BTCUSDT', { observedAt: NOW - 6_000, receivedAt: NOW - 5_900 }));
  expect((await get('/v1/tickers')).body.items[0]).toMatchObject({ ageMs: 6_000, quality: 'stale', flags: ['over_age'] });
  receive(ticker('BTCUSDT'), stateOf('spotexchange', { hearing: 'feed_down' }));
  expect((await get('/v1/tickers')).body.items[0]).toMatchObject({ quality: 'degraded', flags: ['feed_down'] });
  // The receiving process is gone: the venue's state is unknown.
  receive(stateOf('spotexchange', { receivedAt: NOW - 11_000 }));
  expect((await get('/v1/tickers')).body.items[0]).toMatchObject({ quality: 'degraded', flags: ['feed_down'] });
});

test('pages lose nothing and repeat nothing', async () => {
  receive(...['C', 'A', 'B', 'E', 'D'].map((name) => ticker(`${name}USDT`)));
  const seen: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { body } = await get(`/v1/tickers?limit=2${cursor === '' ? '' : `&cursor=${cursor}`}`);
    seen.push(...body.items.map((item: DayTicker) => item.instrument));
    cursor = body.nextCursor;
  }
  expect(seen).toEqual(['AUSDT', 'BUSDT', 'CUSDT', 'DUSDT', 'EUSDT']);
  expect((await get('/v1/tickers?instrument=BUSDT')).body.items).toHaveLength(1);
  expect((await get('/v1/tickers?cursor=nonsense')).status).toBe(400);
});

test('a perpetual is priced by its own venue; a quote of the same name elsewhere is not used', async () => {
  receive(perp(), stateOf('evmvenue'));
  const quote = {
    kind: 'quote',
    source: 'x',
    observedAt: NOW - 50,
    receivedAt: NOW - 40,
    sourceTime: true,
    bid: '77557',
    ask: '77560',
    bidSize: '1',
    askSize: '2',
    sequence: null,
    quality: 'live',
    flags: [],
  } as const;
  api.market.set('spotexchange:BTC', { ...quote, venue: 'spotexchange', instrument: 'BTC' });
  const [alone] = (await get('/v1/perps')).body.items;
  // 77562 / 77605 - 1 = -0.0554088...%, -0.0000015186 * 8760 * 100 = -1.3302936, 27353.17682 * 77562
  expect(alone).toMatchObject({
    top: null,
    basisPct: '-0.055409',
    annualFundingPct: '-1.330294',
    openInterestNotional: '2121567100.51284',
    dayNotional: '1516669192.195',
  });
  expect(alone.nextFundingAt).toBe('2026-03-02T15:00:00.000Z');
  api.market.set('evmvenue:BTC', { ...quote, venue: 'evmvenue', instrument: 'BTC' });
  expect((await get('/v1/perps/BTC')).body).toMatchObject({
    top: { bid: '77557', mid: '77558.5', ageMs: 50, quality: 'live' },
    // Funding history is unavailable, and the rest is answered anyway.
    funding: { items: [], fetchedAt: null, problem: 'no venue is asked in this test' },
  });
});

test('an existing instrument that was not received yet is unavailable, an unknown one is not found', async () => {
  expect((await get('/v1/perps/BTC')).body).toMatchObject({ status: 503, code: 'unavailable' });
  expect((await get('/v1/perps/NOPE')).body).toMatchObject({ status: 404, code: 'not_found' });
  expect((await get('/v1/perps/BTC?hours=0')).status).toBe(400);
});

test('venues: every one is listed, and one without a process says so', async () => {
  receive(stateOf('spotexchange'));
  const { body } = await get('/v1/venues');
  expect(body.items).toHaveLength(5);
  const of = (venue: string) => body.items.find((item: { venue: string }) => item.venue === venue);
  expect(of('spotexchange')).toMatchObject({
    hearing: 'live',
    lastMessageAgeMs: 700,
    gaps: 2,
    rejected: 1,
    unknownFields: [{ source: 'binance:depth', field: 'zz', count: 4 }],
    clockOffset: { offsetMs: -12, method: 'server_time' },
    providers: [{ provider: 'binance', epoch: 3 }],
    requestBudgets: [{ name: 'spotexchange', process: 'feed', left: 5_900, blockedUntil: '2026-03-02T14:31:01.000Z' }],
  });
  expect(of('reference').unknownFields).toEqual([]);
  expect(of('reference')).toMatchObject({ executable: false, hearing: 'not_followed', lastMessageAt: null, clockOffset: null, asOf: null });
});

test('wallets: an address is validated before any request', async () => {
  for (const path of ['public-wallet', 'wallets/evmvenue']) {
    expect((await get(`/v1/${path}/0x12`)).body).toMatchObject({ status: 400, code: 'malformed' });
    expect((await get(`/v1/${path}/0x${'1'.repeat(40)}`)).body).toMatchObject({ status: 503, code: 'unavailable' });
  }
});
