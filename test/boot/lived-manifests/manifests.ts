/** Twenty manifests over every venue: five timeframes, orders of $200 to $12,000, all algorithms, with and without leverage. */
import type { Manifest } from '../../../src/domain/manifest/manifest.ts';
import { readManifest } from '../../../src/domain/manifest/reader.ts';

interface Lived {
  readonly universe: readonly string[];
  readonly timeframe: string;
  readonly notional: number;
  readonly entry: readonly object[];
  readonly exit: readonly object[];
  readonly more?: object;
}

const rsi = (side: 'below' | 'above', value: number) => ({ type: `rsi_${side}`, period: 14, value });
const cross = (to: 'up' | 'down', fast: number, slow: number) => ({ type: `ema_cross_${to}`, fast, slow });
const held = (hours: number) => ({ type: 'held_longer_than', hours });
const premium = (side: 'below' | 'above', pct: number) => ({ type: `premium_${side}`, pct });

const LIVED: readonly Lived[] = [
  { universe: ['AAPLx'], timeframe: '1h', notional: 400, entry: [rsi('below', 45)], exit: [held(5)] },
  { universe: ['TSLAx', 'NVDAx'], timeframe: '15m', notional: 900, entry: [rsi('below', 35)], exit: [rsi('above', 55)] },
  { universe: ['SPYx', 'QQQx'], timeframe: '5m', notional: 1_500, entry: [rsi('below', 25)], exit: [held(3)] },
  { universe: ['GOOGLx', 'METAx'], timeframe: '1h', notional: 300, entry: [cross('up', 8, 21)], exit: [cross('down', 8, 21)] },
  { universe: ['COINx', 'MSTRx'], timeframe: '30m', notional: 250, entry: [rsi('below', 40)], exit: [rsi('above', 60)] },
  { universe: ['SPACEX'], timeframe: '4h', notional: 300, entry: [rsi('below', 60)], exit: [held(8)] },
  { universe: ['OPENAI', 'ANTHROPIC'], timeframe: '1h', notional: 200, entry: [rsi('below', 40)], exit: [held(12)] },
  {
    universe: ['AAPLx', 'NVDAx', 'GOOGLx', 'MSFTx'],
    timeframe: '1h',
    notional: 500,
    entry: [premium('below', -0.8)],
    exit: [premium('above', 0.2)],
  },
  { universe: ['BTCUSDT', 'ETHUSDT'], timeframe: '5m', notional: 2_000, entry: [rsi('below', 30)], exit: [rsi('above', 60)] },
  { universe: ['BTCUSDT'], timeframe: '1h', notional: 12_000, entry: [cross('up', 5, 13)], exit: [cross('down', 5, 13)] },
  { universe: ['SOLUSDT'], timeframe: '15m', notional: 5_000, entry: [rsi('below', 40)], exit: [held(2)] },
  {
    universe: ['ETHUSDT'],
    timeframe: '1h',
    notional: 1_000,
    entry: [rsi('above', 55)],
    exit: [held(6)],
    more: { stopLossPct: 1.5, takeProfitPct: 2 },
  },
  {
    universe: ['BTCUSDT', 'SOLUSDT'],
    timeframe: '15m',
    notional: 3_000,
    entry: [rsi('below', 38)],
    exit: [rsi('above', 58)],
    more: { algorithm: 'smart_order_routing_maker_first', urgency: 'low' },
  },
  {
    universe: ['ETHUSDT'],
    timeframe: '1h',
    notional: 6_000,
    entry: [rsi('below', 45)],
    exit: [held(4)],
    more: { algorithm: 'twap', urgency: 'medium' },
  },
  { universe: ['BTC', 'ETH'], timeframe: '5m', notional: 2_500, entry: [rsi('below', 28)], exit: [held(2)], more: { maxLeverage: 2 } },
  { universe: ['SOL'], timeframe: '15m', notional: 1_000, entry: [cross('up', 8, 21)], exit: [cross('down', 8, 21)] },
  {
    universe: ['BTC'],
    timeframe: '1h',
    notional: 10_000,
    entry: [rsi('below', 50)],
    exit: [held(9)],
    more: { maxLeverage: 3, algorithm: 'twap', urgency: 'high' },
  },
  {
    universe: ['ETH', 'SOL'],
    timeframe: '30m',
    notional: 4_000,
    entry: [rsi('below', 42)],
    exit: [rsi('above', 55)],
    more: { algorithm: 'smart_order_routing_maker_first', urgency: 'medium' },
  },
  {
    universe: ['BTC'],
    timeframe: '4h',
    notional: 3_000,
    entry: [rsi('below', 55)],
    exit: [held(20)],
    more: { maxLeverage: 5, stopLossPct: 2, takeProfitPct: 3 },
  },
  { universe: ['AAPLx', 'BTCUSDT', 'ETH'], timeframe: '1h', notional: 800, entry: [rsi('below', 42)], exit: [rsi('above', 58)] },
];

export const LIVED_MANIFESTS: readonly Manifest[] = LIVED.map(({ universe, timeframe, notional, entry, exit, more }, n) => {
  const read = readManifest({
    name: `Lived ${String(n + 1).padStart(2, '0')}`,
    description: '',
    universe,
    timeframe,
    entryConditions: entry,
    exitConditions: exit,
    maxCapitalUsd: 50_000,
    maxTradeNotionalUsd: notional,
    stopLossPct: 8,
    takeProfitPct: 12,
    maxDailyDrawdownPct: 20,
    maxOpenPositions: 5,
    maxSlippageBps: 150,
    ...more,
  });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.manifest;
});
