// Polymarket's payloads become engine messages, or nothing with a reason; a recorded day is mapped without loss.
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type MarketMessage,
  mapBook,
  mapClobWinner,
  mapGammaEvents,
  mapGammaMarket,
  mapMarketFrame,
  mapTrades,
  withWinner,
} from '../../../../src/adapters/venues/prediction/polymarket/map.ts';
import type { PredictionMarket } from '../../../../src/domain/prediction/market.ts';
import type { Rejection } from '../../../../src/domain/market/quote.ts';

const AT = Date.UTC(2026, 10, 20, 18);
const fixture = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../../fixtures/prediction/${name}.json`, import.meta.url), 'utf8'));
const frames = fixture('polymarket-frames') as Record<string, Record<string, unknown>>;
const listed = mapGammaEvents(fixture('polymarket-events'), AT);
const bitcoin = listed.markets[0] as PredictionMarket;

describe('the catalogue', () => {
  test('a market is read completely, its lists of texts zipped by index, its numbers exact', () => {
    expect(bitcoin).toMatchObject({
      provider: 'polymarket',
      providerId: `0x${'1'.repeat(64)}`,
      providerIds: { marketId: '701001', questionId: '0xaaaa', yesTokenId: '1001', noTokenId: '1002' },
      event: { providerId: '48211', title: 'Bitcoin above ___ on November 22?', mutuallyExclusive: false },
      status: 'open',
      volume: '192817.4904490008',
      volume24h: '129642.785175',
      volumeUnit: 'usd',
      minimumSize: '5',
      priceGrid: [{ start: '0', end: '1', step: '0.01' }],
      fee: { model: 'quadratic', rate: '0.072', exponent: 1, roundingUsd: '0.00001' },
      underlying: 'BTC',
      asks: { comparator: 'above', threshold: '95000', measure: 'at_time', resolvesAt: Date.UTC(2026, 10, 22, 17) },
      observedAt: AT,
      quality: 'live',
    });
    expect(bitcoin.resolution).toMatchObject({
      procedure: 'optimistic_oracle',
      sources: [{ name: 'Binance, specifically the BTC/USDT "Close" prices', url: 'https://www.binance.com/en/trade/BTC_USDT' }],
    });
    const prices = bitcoin.outcomes.map(({ side, bid, ask, last, providerId }) => [side, bid, ask, last, providerId]);
    expect(prices).toEqual([
      ['yes', '0.53', '0.54', '0.54', '1001'],
      ['no', '0.46', '0.47', '0.46', '1002'],
    ]);
  });

  test('an unreadable market yields only its reason, and the rest of the page stays', () => {
    expect(listed.markets.map(({ providerIds, status }) => [providerIds['marketId'], status])).toEqual([
      ['701001', 'open'],
      ['701003', 'unknown'],
      ['1812085', 'resolved'],
      ['12', 'closed'],
    ]);
    expect(listed.rejections.map(({ reason, detail }) => [reason, detail.slice(0, 30)])).toEqual([
      ['missing_field', 'a token id is empty: the marke'],
      ['unknown_shape', '3 outcomes and 3 tokens instea'],
      ['unknown_shape', 'active is neither true nor fal'],
      ['unknown_shape', 'the event is not an object'],
      ['unknown_word', 'status "active, accepting orde'],
    ]);
  });

  test('a decided market pays, keeps its history and quotes nothing; legacy zeros decide nothing until the winner is known', () => {
    const [decided, legacy] = listed.markets.slice(2) as [PredictionMarket, PredictionMarket];
    expect(decided.outcomes.map(({ bid, ask, payout }) => [bid, ask, payout])).toEqual([
      [null, null, '1'],
      [null, null, '0'],
    ]);
    expect(decided).toMatchObject({
      quality: 'halted',
      resolvedAt: Date.UTC(2026, 4, 9, 2, 7, 1),
      fee: { model: 'none' },
      event: { mutuallyExclusive: true },
    });
    expect(decided.resolution).toMatchObject({ result: 'yes', history: ['proposed', 'disputed', 'proposed'] });
    expect([legacy.resolution.result, legacy.fee.model]).toEqual([null, 'unknown']);
    const found = mapClobWinner(
      {
        tokens: [
          { token_id: '7001', winner: false },
          { token_id: '7002', winner: true },
        ],
      },
      AT,
    );
    expect(found).toEqual({ winner: '7002' });
    expect(withWinner(legacy, '7002')).toMatchObject({
      status: 'resolved',
      resolution: { result: 'no' },
      outcomes: [{ payout: '0' }, { payout: '1' }],
    });
    expect(withWinner(legacy, 'somebody else')).toEqual(legacy);
    expect(mapClobWinner({ tokens: [] }, AT)).toEqual({ winner: null });
  });
});

describe('the oracle overrides the prices', () => {
  const closed = {
    conditionId: '0x1111',
    question: 'Will BTC close above $120,000 on November 25, 2026?',
    endDate: '2026-11-25T17:00:00Z',
    outcomes: '["Yes", "No"]',
    clobTokenIds: '["11111", "22222"]',
    active: true,
    closed: true,
    acceptingOrders: false,
    closedTime: '2026-11-25 17:20:00+00',
    updatedAt: '2026-11-25T17:19:00Z',
  };
  const NOW = Date.UTC(2026, 10, 25, 18);
  const read = (fields: object) => mapGammaMarket({ ...closed, ...fields }, null, NOW) as PredictionMarket;
  const pinned = ['["1", "0"]', '["0", "1"]', '["0.5", "0.5"]'];

  test.each([
    ['proposed', 'determined'],
    ['reproposed', 'determined'],
    ['challenged', 'disputed'],
    ['disputed', 'disputed'],
    ['a new word', 'unknown'],
  ])('closed with pinned prices while the oracle says %s: %s, and nothing is paid', (umaResolutionStatus, status) => {
    for (const outcomePrices of pinned) {
      const market = read({ outcomePrices, umaResolutionStatus });
      expect(market).toMatchObject({ status, resolvedAt: null, resolution: { result: null } });
      expect(market.outcomes.map(({ payout }) => payout)).toEqual([null, null]);
    }
  });

  test.each([
    ['["1", "0"]', 'resolved', ['1', '0']],
    ['["1", "0"]', undefined, ['1', '0']],
    ['["0.5", "0.5"]', 'resolved', ['0.5', '0.5']],
  ])('closed at %s with the oracle at %s pays', (outcomePrices, umaResolutionStatus, payouts) => {
    const market = read({ outcomePrices, umaResolutionStatus });
    expect(market.status).toBe('resolved');
    expect(market.outcomes.map(({ payout }) => payout)).toEqual(payouts);
    expect(market.observedAt, 'an outcome is no older than its resolution').toBe(Date.UTC(2026, 10, 25, 17, 20));
  });

  test('even prices without an oracle result are no payout: an untraded market has them too', () => {
    expect(read({ outcomePrices: '["0.5", "0.5"]' })).toMatchObject({ status: 'closed', resolution: { result: null } });
  });
});

describe('frames of the market channel', () => {
  const marketOf = (token: string): PredictionMarket | undefined => (token === '1001' || token === '1002' ? bitcoin : undefined);
  const map = (frame: unknown): readonly MarketMessage[] =>
    mapMarketFrame(Buffer.from(typeof frame === 'string' ? frame : JSON.stringify(frame)), AT, marketOf);

  test('a book is sorted best first whatever its order, without empty levels', () => {
    expect(map([frames['book']])).toEqual([
      {
        kind: 'book',
        token: '1001',
        at: 1_795_197_600_000,
        bids: [
          { price: '0.5', size: '150' },
          { price: '0.48', size: '100' },
        ],
        asks: [
          { price: '0.51', size: '120' },
          { price: '0.53', size: '90' },
        ],
      },
    ]);
  });

  test('changes, trades, grids and news of the catalogue', () => {
    expect(map(frames['price_change'])).toMatchObject([
      {
        kind: 'changes',
        changes: [
          { token: '1001', side: 'bids', price: '0.5', size: '0', best: { bid: '0.48', ask: '0.51' } },
          { token: '1002', side: 'asks', price: '0.52', size: '12.5', best: { bid: null, ask: '0.52' } },
        ],
      },
    ]);
    const [trade] = map(frames['last_trade_price']);
    expect(trade).toMatchObject({ kind: 'trade', trade: { side: 'no', price: '0.47', size: '25', taker: 'buy', marketId: bitcoin.id } });
    expect(map(frames['last_trade_price'])).toEqual([trade]);
    expect(map(frames['tick_size_change'])).toMatchObject([{ kind: 'tick', token: '1001', step: '0.001' }]);
    expect(map(frames['market_resolved'])).toMatchObject([{ kind: 'listing', conditionId: '0x1111' }]);
    expect(map(frames['best_bid_ask'])).toEqual([]);
    expect(map('PONG')).toEqual([{ kind: 'pong' }]);
  });

  test.each([
    ['not json', '<html>', 'not_json'],
    ['null', 'null', 'unknown_shape'],
    ['no type', {}, 'missing_field'],
    ['an unknown type', { event_type: 'moon' }, 'unknown_word'],
    ['another token', { ...frames['book'], asset_id: '77' }, 'unknown_instrument'],
    ['a price of zero', { ...frames['book'], bids: [{ price: '0.00', size: '1' }] }, 'non_positive_price'],
    ['a negative price', { ...frames['book'], bids: [{ price: '-0.5', size: '1' }] }, 'non_positive_price'],
    ['a price above one', { ...frames['book'], asks: [{ price: '54', size: '1' }] }, 'bad_number'],
    ['no number', { ...frames['book'], asks: [{ price: 'NaN', size: '1' }] }, 'bad_number'],
    ['a negative size', { ...frames['book'], asks: [{ price: '0.5', size: '-1' }] }, 'bad_number'],
    ['no time', { ...frames['book'], timestamp: 'soon' }, 'bad_number'],
    ['a time that names a method of its own', { ...frames['book'], timestamp: { toString: [] } }, 'bad_number'],
    ['a side that is none', { ...frames['last_trade_price'], side: 'LEND' }, 'unknown_word'],
  ])('%s is counted as %s and yields nothing', (_, frame, reason) => {
    expect(map(frame).map((one) => [one.kind, (one as Rejection).reason])).toEqual([['rejection', reason]]);
  });

  test('no input throws', () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void map(value as never)));
    fc.assert(
      fc.property(
        fc.constantFrom('book', 'price_change', 'last_trade_price', 'tick_size_change'),
        fc.dictionary(fc.constantFrom('asset_id', 'bids', 'asks', 'timestamp', 'price_changes', 'price', 'side'), fc.jsonValue()),
        (event_type, rest) => {
          for (const one of map({ event_type, ...rest })) expect(one.kind).toBeDefined();
        },
      ),
    );
  });
});

test('book and trades on demand are those of the requested market', () => {
  const body = { ...frames['book'], event_type: undefined };
  expect(mapBook(body, bitcoin, AT)).toMatchObject({
    marketId: bitcoin.id,
    bids: [{ price: '0.5' }, { price: '0.48' }],
    source: 'polymarket:book',
  });
  expect(mapBook({ ...body, asset_id: '1002' }, bitcoin, AT)).toMatchObject({ kind: 'rejection', reason: 'unknown_instrument' });
  const trade = {
    asset: '1002',
    conditionId: bitcoin.providerId,
    side: 'SELL',
    price: 0.45,
    size: 100.0,
    timestamp: 1_710_000_000,
    transactionHash: '0xabc',
  };
  const { trades, rejections } = mapTrades([trade, { ...trade, conditionId: '0x9' }, { ...trade, price: '1' }, 7], bitcoin, AT);
  expect(trades).toMatchObject([
    { side: 'no', price: '0.45', size: '100', taker: 'sell', observedAt: 1_710_000_000_000, source: 'polymarket:trades' },
  ]);
  expect(rejections.map(({ reason }) => reason)).toEqual(['unknown_instrument', 'bad_number', 'unknown_shape']);
});

const shared = (path: string): string => fileURLToPath(new URL(`../../../../../shared/data/${path}`, import.meta.url));
const DAY = shared('tapes/polymarket/BTC-5m-markets-2026-07-24_first3h.jsonl.gz');

test.skipIf(!existsSync(DAY))('a recorded day of five-minute markets is mapped without loss', () => {
  const lines = gunzipSync(readFileSync(DAY)).toString('utf8').trim().split('\n');
  const rows = lines.map((line) => JSON.parse(line) as { raw: unknown; condition_id: string; outcome_prices: string[] });
  const mapped = rows.map(({ raw }) => mapGammaMarket(raw, null, Date.UTC(2026, 6, 25)));
  const reasons = mapped.flatMap((one) => ('reason' in one ? [one.reason] : []));
  expect({ in: rows.length, out: mapped.length - reasons.length, reasons }).toEqual({ in: 37, out: 37, reasons: [] });
  for (const [index, market] of mapped.entries()) {
    const row = rows[index] as (typeof rows)[number];
    expect(market).toMatchObject({
      providerId: row.condition_id,
      status: 'resolved',
      underlying: 'BTC',
      asks: null,
      outcomes: [
        { label: 'Up', payout: row.outcome_prices[0] },
        { label: 'Down', payout: row.outcome_prices[1] },
      ],
      fee: { model: 'quadratic', rate: '0.07' },
      resolution: { sources: [{ url: 'https://data.chain.link/streams/btc-usd' }] },
    });
  }
});

const RECORDED = shared('fixtures/polymarket');
test.skipIf(!existsSync(RECORDED))('recorded answers and frames are read', () => {
  const recorded = (name: string): unknown => JSON.parse(readFileSync(`${RECORDED}/${name}.json`, 'utf8'));
  const event = mapGammaEvents(recorded('nt_gamma_event'), AT);
  expect(event.rejections).toEqual([]);
  expect(event.markets.length).toBeGreaterThan(0);
  expect(event.markets.every(({ event: link }) => link?.mutuallyExclusive === true)).toBe(true);
  for (const name of ['accepting_true', 'accepting_false']) {
    const market = mapGammaMarket(recorded(`nt_gamma_market_closed_binary_${name}`), null, AT);
    expect(market).toMatchObject({ status: 'resolved', outcomes: [{ payout: expect.stringMatching(/^[01]$/) }, {}] });
  }
  expect(mapGammaMarket(recorded('nt_gamma_market_closed_zero_zero_legacy'), null, AT)).toMatchObject({
    status: 'closed',
    resolution: { result: null },
  });
  expect(mapGammaMarket(recorded('nt_gamma_market_sports_market_map_handicap'), null, AT)).not.toHaveProperty('reason');
  expect(mapClobWinner(recorded('nt_clob_market_closed_binary_accepting_true'), AT)).toMatchObject({
    winner: expect.stringMatching(/^\d+$/),
  });
  const every = (): PredictionMarket => bitcoin;
  const kinds = [
    'nt_ws_market_last_trade_msg',
    'nt_ws_market_tick_size_msg',
    'nt_ws_market_new_market_msg',
    'nt_ws_market_resolved_msg',
    'nt_ws_market_best_bid_ask_msg',
  ].map((name) =>
    mapMarketFrame(Buffer.from(JSON.stringify(recorded(name))), AT, every).map((one) => ('reason' in one ? one.reason : one.kind)),
  );
  // The trade's token does not belong to the stand-in market.
  expect(kinds).toEqual([['unknown_instrument'], ['tick'], ['listing'], ['listing'], []]);
});
