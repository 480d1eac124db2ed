/** Prediction market, book and trades for tests, with replaceable fields. */
import {
  outcomeInstrument,
  type PredictionMarket,
  type PredictionProvider,
  type PredictionTrade,
  predictionEventId,
  predictionMarketId,
} from '../../../src/domain/prediction/market.ts';
import type { Evidence } from '../../../src/domain/prediction/research.ts';

export const AT = Date.UTC(2026, 10, 20, 16);
const ENDS = Date.UTC(2026, 10, 22, 17);

export function sampleMarket(provider: PredictionProvider, providerId: string, over: Partial<PredictionMarket> = {}): PredictionMarket {
  const id = predictionMarketId(provider, providerId);
  const outcome = (side: 'yes' | 'no') => ({
    side,
    label: side === 'yes' ? 'Yes' : 'No',
    instrument: outcomeInstrument(id, side),
    providerId: `${providerId}:${side}`,
    bid: null,
    ask: null,
    bidSize: null,
    askSize: null,
    last: null,
    payout: null,
  });
  return {
    id,
    provider,
    providerId,
    providerIds: {},
    event: { id: predictionEventId(provider, 'E'), providerId: 'E', title: 'Bitcoin on 22 November', mutuallyExclusive: false },
    question: 'Will the price of Bitcoin be above $95,000?',
    subtitle: '',
    outcomes: [outcome('yes'), outcome('no')],
    priceGrid: [{ start: '0', end: '1', step: '0.01' }],
    minimumSize: null,
    status: 'open',
    providerStatus: 'active',
    volume: '1000',
    volume24h: null,
    liquidity: null,
    openInterest: null,
    volumeUnit: provider === 'polymarket' ? 'usd' : 'contracts',
    opensAt: null,
    closesAt: ENDS,
    expectedResolutionAt: ENDS,
    latestResolutionAt: null,
    resolvedAt: null,
    resolution: {
      rules: 'This market will resolve to "Yes" if the price is above $95,000.00. Otherwise, this market will resolve to "No".',
      secondaryRules: '',
      sources: [{ name: 'Binance', url: 'https://www.binance.com/en/trade/BTC_USDT' }],
      procedure: provider === 'polymarket' ? 'optimistic_oracle' : 'exchange_determination',
      history: [],
      result: null,
      decidedBy: null,
      mayCloseEarly: null,
      earlyCloseCondition: null,
    },
    fee:
      provider === 'polymarket'
        ? { model: 'quadratic', rate: '0.072', exponent: 1, roundingUsd: '0.00001' }
        : { model: 'quadratic', rate: '0.07', exponent: 1, roundingUsd: '0.01' },
    underlying: 'BTC',
    asks: { underlying: 'BTC', comparator: 'above', threshold: '95000', upperThreshold: null, measure: 'at_time', resolvesAt: ENDS },
    venue: 'prediction',
    source: `${provider}:markets`,
    observedAt: AT,
    receivedAt: AT,
    quality: 'live',
    flags: [],
    ...over,
  };
}

type Level = readonly [price: string, size: string];

/** Returns evidence with a live book; `over` replaces any of it. */
export function sampleEvidence(
  market: PredictionMarket,
  bids: readonly Level[],
  asks: readonly Level[],
  over: Partial<Evidence> = {},
): Evidence {
  const levels = (side: readonly Level[]) => side.map(([price, size]) => ({ price, size }));
  return {
    market,
    book: {
      marketId: market.id,
      provider: market.provider,
      source: `${market.provider}:book`,
      observedAt: AT - 1_000,
      receivedAt: AT,
      bids: levels(bids),
      asks: levels(asks),
      quality: 'live',
      flags: [],
    },
    bookProblem: '',
    trades: [],
    tradesProblem: '',
    ...over,
  };
}

export function sampleTrade(
  market: PredictionMarket,
  side: 'yes' | 'no',
  price: string,
  size: string,
  observedAt = AT - 60_000,
): PredictionTrade {
  const { provider, id: marketId } = market;
  return {
    id: `${side} ${price} ${size} ${observedAt}`,
    marketId,
    provider,
    side,
    price,
    size,
    taker: 'buy',
    source: 'test',
    observedAt,
    receivedAt: AT,
  };
}
