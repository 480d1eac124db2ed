/** Strategies of a seeded run. They trade often, so that every minute has decisions on each venue. */
import type { Manifest } from '../../domain/manifest/manifest.ts';

const EAGER: Manifest = {
  schemaVersion: '1',
  name: 'discount hunter',
  description: '',
  universe: [{ key: 'spotchain:AAPLx', kind: 'tokenized_equity' }],
  timeframe: '1h',
  entry: [{ type: 'premium_below', pct: 0.5 }],
  exit: [],
  maxCapitalUsd: '10000',
  maxTradeNotionalUsd: '1000',
  maxLeverage: '1',
  stopLossPct: 5,
  takeProfitPct: 10,
  maxDailyDrawdownPct: 3,
  maxOpenPositions: 2,
  killSwitchAction: 'cancel_all_and_halt',
  algorithm: 'smart_order_routing_maker_first',
  urgency: 'medium',
  maxSlippageBps: 50,
};

export const MANIFESTS: readonly Manifest[] = [
  EAGER,
  {
    ...EAGER,
    name: 'spot',
    universe: [
      { key: 'spotexchange:BTCUSDT', kind: 'spot' },
      { key: 'evmvenue:BTC', kind: 'perp' },
    ],
    entry: [{ type: 'price_above', price: '100' }],
    exit: [{ type: 'price_above', price: '96000' }],
  },
  {
    ...EAGER,
    name: 'both',
    universe: [
      { key: 'spotexchange:ETHUSDT', kind: 'spot' },
      { key: 'spotchain:AAPLx', kind: 'tokenized_equity' },
    ],
    entry: [{ type: 'price_above', price: '1' }],
    exit: [],
  },
];
