// Answers of the on-chain venue: what is read and refused, and the outcome of an order's history in any order of its events.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Unreadable } from '../../../../src/adapters/venues/prediction/fields.ts';
import {
  mapHistory,
  mapOffer,
  mapOnchainBook,
  mapPositions,
  deriveNews,
  findVenueMarketId,
} from '../../../../src/adapters/venues/prediction/onchain-orders.ts';
import { completeOrder } from '../../../../src/domain/orders/order.ts';
import { outcomeKey } from '../../../../src/domain/prediction/prediction-order.ts';
import { AT, sampleMarket } from '../../../domain/prediction/samples.ts';

const market = sampleMarket('kalshi', 'KXF1-25-LN');
const WALLET = 'Vote111111111111111111111111111111111111111';
const offer = (order: object = {}, more: object = {}) => ({
  transaction: 'AQAB',
  txMeta: { blockhash: 'SysvarC1ock11111111111111111111111111111111', lastValidBlockHeight: 341_000_000 },
  externalOrderId: 'e',
  requiredSigners: [WALLET],
  order: {
    orderPubkey: 'Stake11111111111111111111111111111111111111',
    orderAtaPubkey: 'Config1111111111111111111111111111111111111',
    userPubkey: WALLET,
    marketId: 'KXF1-25-LN',
    positionPubkey: 'SysvarRent111111111111111111111111111111111',
    isBuy: true,
    isYes: false,
    contracts: '17',
    contractsMicro: '17857142',
    maxBuyPriceUsd: '560000',
    minSellPriceUsd: null,
    ...order,
  },
  ...more,
});

describe('an offer', () => {
  test('is counted in hundredths of a contract beside its millionths, never in whole ones', () => {
    expect(mapOffer(offer())).toMatchObject({
      quantity: '17.85',
      contracts: '17.857142',
      limitPrice: '0.56',
      isBuy: true,
      isYes: false,
      wallet: WALLET,
      lastValidBlockHeight: 341_000_000,
    });
    expect(mapOffer(offer({ isBuy: false, maxBuyPriceUsd: null, minSellPriceUsd: '10000' }))).toMatchObject({ limitPrice: '0.01' });
  });

  test.each([
    [null],
    [{}],
    [offer({}, { transaction: null })],
    [offer({}, { txMeta: { blockhash: 'x', lastValidBlockHeight: '341' } })],
    [offer({ contractsMicro: 17_857_142 })],
    [offer({ contractsMicro: '-1' })],
    [offer({ maxBuyPriceUsd: null })],
    [offer({ maxBuyPriceUsd: '1000000' })],
    [offer({ maxBuyPriceUsd: '0' })],
    [offer({ orderPubkey: 'nobody' })],
    [offer({ isBuy: undefined })],
    [offer({ isYes: 'true' })],
    [offer({ isYes: undefined })],
    [offer({ userPubkey: '' })],
  ])('%j is refused as unreadable', (answer) => {
    expect(() => mapOffer(answer)).toThrow(Unreadable);
  });
});

describe('a book', () => {
  test('has bids of both outcomes, ascending', () => {
    const body = {
      yes: [[54, 5]],
      no: [[42, 7]],
      yes_dollars: [
        ['0.5300', 50],
        ['0.5400', 5.5],
      ],
      no_dollars: [
        ['0.4000', 1],
        ['0.4200', 7],
      ],
    };
    expect(mapOnchainBook(body, market, AT)).toMatchObject({
      source: 'jupiter-prediction:orderbook',
      observedAt: AT,
      bids: [
        { price: '0.54', size: '5.5' },
        { price: '0.53', size: '50' },
      ],
      asks: [
        { price: '0.58', size: '7' },
        { price: '0.6', size: '1' },
      ],
    });
  });

  test.each([
    [null],
    [{ yes_dollars: [] }],
    [{ yes_dollars: [['1.2', 1]], no_dollars: [] }],
    [{ yes_dollars: [['0.5', -1]], no_dollars: [] }],
  ])('%j is not a book', (body) => {
    expect(() => mapOnchainBook(body, market, AT)).toThrow(Unreadable);
  });
});

test('the name of a market is the ticker, or the number of the catalogue', () => {
  expect(findVenueMarketId(market)).toBe('KXF1-25-LN');
  expect(findVenueMarketId(sampleMarket('polymarket', '0xabc', { providerIds: { marketId: '701572' } }))).toBe('POLY-701572');
  expect(findVenueMarketId(sampleMarket('polymarket', '0xabc'))).toBeNull();
});

describe('positions', () => {
  const position = (over: object = {}) => ({
    pubkey: 'SysvarRent111111111111111111111111111111111',
    ownerPubkey: WALLET,
    contracts: '12',
    contractsMicro: '12340000',
    claimed: false,
    ...over,
  });
  const page = (...data: readonly unknown[]) => ({ data, pagination: { start: 0, end: 100, total: data.length, hasNext: false } });

  test('are counted in millionths of a contract, and a paid-out one is no longer held', () => {
    const { positions } = mapPositions(page(position(), position({ pubkey: WALLET, claimed: true })), WALLET);
    expect(positions).toEqual([
      { account: 'SysvarRent111111111111111111111111111111111', contracts: '12.34' },
      { account: WALLET, contracts: '0' },
    ]);
  });

  test.each([
    [null],
    [{ data: [] }],
    [page(position({ contractsMicro: undefined }))],
    [page(position({ contractsMicro: '-1' }))],
    [page(position({ contractsMicro: 12_340_000 }))],
    [page(position({ claimed: 'no' }))],
    [page(position({ pubkey: 'x' }))],
    // Another owner's position backs nothing of ours.
    [page(position({ ownerPubkey: 'Stake11111111111111111111111111111111111111' }))],
  ])('%j says nothing about the position', (answer) => {
    expect(() => mapPositions(answer, WALLET)).toThrow(Unreadable);
  });
});

describe('a history', () => {
  const order = completeOrder({
    id: 'o-1',
    origin: 'manual',
    mode: 'live',
    bookId: 'manual:00000000-0000-7000-8000-00000000000a:live',
    instrument: outcomeKey(market.id, 'yes'),
    side: 'buy',
    quantity: '10',
    limitPrice: '0.5',
    maxSlippageBps: 200,
  });
  const context = { order, decisionPrice: '0.49', onchain: null };
  const row = (id: number, eventType: string, more: object = {}) => ({
    id,
    eventType,
    signature: `s${id}`,
    timestamp: 1_763_654_400,
    orderPubkey: 'order',
    feeUsd: null,
    transferAmountToken: null,
    ...more,
  });
  const filled = (id: number, contractsMicro: string, price = '500000', feeUsd: string | null = '20000') =>
    row(id, 'order_filled', { filledContractsMicro: contractsMicro, avgFillPriceUsd: price, feeUsd });
  const events = (...data: object[]) => mapHistory({ data, pagination: { hasNext: false } }).events;
  const told = (...data: object[]) => deriveNews('o-1', context, events(...data), 6);

  test('names every fill by its number, with its own price and fee', () => {
    const news = told(row(1, 'order_created'), filled(2, '4000000', '480000'));
    expect(news).toMatchObject({
      outcome: 'open',
      fills: [{ orderId: 'o-1', quantity: '4', fillPrice: '0.48', notionalUsd: '1.92', feeUsd: '0.02', at: 1_763_654_400_000 }],
    });
    expect(news.outcome === 'open' && news.fills[0]?.slippageBps).toBeLessThan(0);
  });

  test.each<[object[], object]>([
    [[], { outcome: 'unknown' }],
    [[row(1, 'order_created')], { outcome: 'open', fills: [] }],
    [[row(1, 'order_created'), filled(2, '10000000')], { outcome: 'filled', refundUsd: null }],
    [[filled(2, '10000000'), row(3, 'order_closed', { transferAmountToken: '80000' })], { outcome: 'filled', refundUsd: '0.08' }],
    // A failure counts once the deposit is being refunded.
    [[row(1, 'order_created'), row(2, 'order_failed')], { outcome: 'open' }],
    [[row(2, 'order_failed'), row(3, 'order_closed', { transferAmountToken: '5200000' })], { outcome: 'failed', refundUsd: '5.2' }],
    [[filled(2, '4000000'), row(3, 'order_closed', { transferAmountToken: '3180000' })], { outcome: 'cancelled', refundUsd: '3.18' }],
    [[row(3, 'order_closed')], { outcome: 'cancelled', refundUsd: null }],
    // Unknown words end nothing.
    [[row(1, 'order_created'), row(2, 'order_paused')], { outcome: 'open', fills: [] }],
  ])('%# comes to what it says', (data, news) => {
    expect(told(...data)).toMatchObject(news);
  });

  test('is filled once the venue has filled all of its millionths', () => {
    const onchain = { wallet: WALLET, orderAccount: 'order', positionAccount: 'position', contracts: '10.007142' };
    const news = (...data: object[]) => deriveNews('o-1', { ...context, onchain }, events(...data), 6);
    expect(news(filled(2, '10000000'))).toMatchObject({ outcome: 'open', fills: [{ quantity: '10' }] });
    expect(news(filled(2, '10000000'), filled(3, '7142'))).toMatchObject({ outcome: 'filled', fills: [{}, { quantity: '0.007142' }] });
  });

  test('gives the same result in any order and with repetitions', () => {
    const all = [
      row(1, 'order_created'),
      filled(2, '4000000'),
      filled(5, '1000000', '490000'),
      row(9, 'order_closed', { transferAmountToken: '100' }),
    ];
    const once = told(...all);
    fc.assert(
      fc.property(fc.shuffledSubarray([...all, ...all], { minLength: all.length * 2 }), (shuffled) => {
        expect(told(...shuffled)).toEqual(once);
      }),
    );
  });

  test.each([
    [{ data: [row('1' as never, 'order_created')], pagination: {} }],
    [{ data: [filled(1, '1.5')], pagination: {} }],
    [{ data: [filled(1, '1', '-1')], pagination: {} }],
    [{ data: [row(1, 'order_closed', { transferAmountToken: '1.5' })], pagination: {} }],
    [{ data: {}, pagination: {} }],
    [{ data: [] }],
  ])('%j cannot be read', (answer) => {
    expect(() => mapHistory(answer)).toThrow(Unreadable);
  });

  test('an empty fill is not a fill', () => {
    expect(() => told(filled(1, '0'))).toThrow(/fills nothing/);
  });
});
