/** Templates of manifests: complete strategies in the payload form, which the example organization also runs. */

export const DISCOUNT_HUNTER = {
  name: 'Discount hunter',
  description: 'Buys tokenized shares below their reference price, while nothing bad is told of them, and sells them above it.',
  universe: ['AAPLx', 'NVDAx', 'GOOGLx', 'MSFTx', 'SPYx'],
  timeframe: '1h',
  entryConditions: [
    { type: 'premium_below', pct: -1.2 },
    { type: 'no_negative_event', minSeverity: 'high', lookbackHours: 24, includeRumors: false },
  ],
  exitConditions: [{ type: 'premium_above', pct: 0.6 }],
  maxCapitalUsd: 25_000,
  maxTradeNotionalUsd: 500,
  stopLossPct: 4,
  takeProfitPct: 6,
  maxDailyDrawdownPct: 3,
  maxOpenPositions: 5,
  maxSlippageBps: 80,
};

export const CRYPTO_TREND = {
  name: 'Crypto trend',
  description: 'Follows the slow trends of three coins: a day’s average that crosses that of a work week.',
  universe: ['BTCUSDT', 'ETHUSDT', 'SOLUSDT'],
  timeframe: '1h',
  entryConditions: [{ type: 'ema_cross_up', fast: 24, slow: 120 }],
  exitConditions: [{ type: 'ema_cross_down', fast: 24, slow: 120 }],
  maxCapitalUsd: 50_000,
  maxTradeNotionalUsd: 5_000,
  stopLossPct: 3,
  takeProfitPct: 8,
  maxDailyDrawdownPct: 4,
  maxOpenPositions: 3,
  maxSlippageBps: 20,
};

const OUTSIDE_CODE = {
  name: 'Outside code',
  description: 'Trades what code outside of the service proposes, within this mandate.',
  universe: ['BTCUSDT'],
  timeframe: '5m',
  strategy: 'external',
  release: '1',
  maxCapitalUsd: 1_000,
  maxTradeNotionalUsd: 200,
  stopLossPct: 4,
  takeProfitPct: 6,
  maxDailyDrawdownPct: 3,
  maxOpenPositions: 1,
  maxSlippageBps: 60,
};

/** The first one fills the form of a new agent. */
export const MANIFEST_TEMPLATES = [DISCOUNT_HUNTER, CRYPTO_TREND, OUTSIDE_CODE];
