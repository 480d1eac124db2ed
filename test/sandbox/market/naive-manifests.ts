/** Ten agents written in five minutes. None uses more than the price, so hardly any may pass a gate. */

interface Naive {
  readonly universe: readonly string[];
  readonly entryConditions: readonly object[];
  readonly exitConditions: readonly object[];
  readonly stopLossPct?: number;
  readonly takeProfitPct?: number;
}

const NAIVE: Readonly<Record<string, Naive>> = {
  'buy the dip of shares': {
    universe: ['AAPLx', 'NVDAx'],
    entryConditions: [{ type: 'rsi_below', period: 14, value: 30 }],
    exitConditions: [{ type: 'rsi_above', period: 14, value: 55 }],
  },
  'buy the dip of coins': {
    universe: ['BTCUSDT', 'ETHUSDT'],
    entryConditions: [{ type: 'rsi_below', period: 14, value: 30 }],
    exitConditions: [{ type: 'rsi_above', period: 14, value: 70 }],
  },
  'fast momentum of shares': {
    universe: ['NVDAx', 'SPYx'],
    entryConditions: [{ type: 'ema_cross_up', fast: 8, slow: 21 }],
    exitConditions: [{ type: 'ema_cross_down', fast: 8, slow: 21 }],
  },
  'slow trend of coins': {
    universe: ['BTCUSDT', 'ETHUSDT'],
    entryConditions: [{ type: 'ema_cross_up', fast: 24, slow: 120 }],
    exitConditions: [{ type: 'ema_cross_down', fast: 24, slow: 120 }],
  },
  'strength of coins': {
    universe: ['BTCUSDT', 'ETHUSDT'],
    entryConditions: [{ type: 'rsi_above', period: 14, value: 70 }],
    exitConditions: [{ type: 'rsi_below', period: 14, value: 50 }],
  },
  'always long shares': {
    universe: ['AAPLx', 'NVDAx', 'SPYx'],
    entryConditions: [{ type: 'price_above', price: '1' }],
    exitConditions: [{ type: 'held_longer_than', hours: 720 }],
    stopLossPct: 40,
    takeProfitPct: 90,
  },
  'always long coins': {
    universe: ['BTCUSDT', 'ETHUSDT'],
    entryConditions: [{ type: 'price_above', price: '1' }],
    exitConditions: [{ type: 'held_longer_than', hours: 720 }],
    stopLossPct: 40,
    takeProfitPct: 90,
  },
  'any discount': {
    universe: ['AAPLx', 'NVDAx'],
    entryConditions: [{ type: 'premium_below', pct: 0 }],
    exitConditions: [{ type: 'premium_above', pct: 0.2 }],
  },
  'shares overnight': {
    universe: ['AAPLx', 'NVDAx'],
    entryConditions: [{ type: 'session_in', sessions: ['POST_MARKET'] }],
    exitConditions: [{ type: 'session_in', sessions: ['REGULAR'] }],
  },
  'the mean of a day': {
    universe: ['GOOGLx', 'MSFTx'],
    entryConditions: [
      { type: 'rsi_below', period: 24, value: 45 },
      { type: 'no_negative_event', minSeverity: 'high', lookbackHours: 24, includeRumors: false },
    ],
    exitConditions: [{ type: 'rsi_above', period: 24, value: 55 }],
  },
};

export const NAIVE_MANIFESTS: readonly object[] = Object.entries(NAIVE).map(([name, rules]) => ({
  name,
  description: 'Written in five minutes.',
  timeframe: '1h',
  maxCapitalUsd: 10_000,
  maxTradeNotionalUsd: 1_000,
  stopLossPct: 5,
  takeProfitPct: 8,
  maxDailyDrawdownPct: 10,
  maxOpenPositions: 3,
  maxSlippageBps: 100,
  ...rules,
}));
