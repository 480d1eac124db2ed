/** Manifests for tests: one strategy in both forms, and arbitrary ones. */
import fc from 'fast-check';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { CONDITIONS } from '../../src/domain/conditions/index.ts';
import type { FieldSchema } from '../../src/domain/values/field.ts';
import { EXECUTION_ALGORITHMS, KILL_SWITCH_ACTIONS, URGENCIES } from '../../src/domain/manifest/manifest.ts';
import { unseenIn } from '../../src/domain/values/shown-text.ts';

/** Returns a payload with every condition of its form. */
export function payload(over: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    name: 'Discount hunter',
    universe: ['AAPLx', 'TSLAx'],
    timeframe: '1h',
    entryConditions: [
      { type: 'premium_below', pct: -1.5 },
      { type: 'rsi_below', period: 14, value: 35 },
      { type: 'no_negative_event', minSeverity: 'high', lookbackHours: 24, includeRumors: false },
    ],
    exitConditions: [
      { type: 'premium_above', pct: 0.5 },
      { type: 'rsi_above', period: 14, value: 70 },
    ],
    maxCapitalUsd: 50000,
    maxTradeNotionalUsd: 2500.5,
    stopLossPct: 4,
    takeProfitPct: 9,
    maxDailyDrawdownPct: 3,
    maxOpenPositions: 3,
    maxSlippageBps: 40,
    ...over,
  };
}

/** YAML in the declarative form with the factors of its form. */
export const DECLARATIVE_YAML = `
version: "1.0"
agent:
  id: btc-momentum
  name: Momentum
  description: Follows crosses while funding is not crowded
  autonomy_level: CONFIRM
  lifecycle_stage: PAPER
capital_allocation:
  max_capital_usd: "25000.00"
  max_trade_notional_usd: "1000"
  max_leverage: "2.0"
strategy:
  universe:
    - spotexchange:BTCUSDT:spot
    - evmvenue:ETH-USD:perp
  timeframes: [15m, 60m]
  factors:
    - name: ema_cross
      parameters: { fast: 12, slow: 26 }
    - name: funding_percentile
      parameters: { window_days: 30, max_percentile: 80 }
risk_guardrails:
  max_daily_drawdown_pct: 5
  stop_loss_pct: 2.5
  take_profit_pct: 6
  max_open_positions: 2
  kill_switch_action: cancel_all_and_halt
execution:
  algorithm: smart_order_routing_maker_first
  max_slippage_bps: 15
  urgency: medium
`;

/** The same strategy in the payload form. */
export const DECLARATIVE_AS_PAYLOAD: Record<string, unknown> = {
  urgency: 'medium',
  maxLeverage: '2',
  maxSlippageBps: 15,
  name: 'Momentum',
  description: 'Follows crosses while funding is not crowded',
  universe: ['BTCUSDT', 'ETH'],
  timeframe: '15m',
  entryConditions: [
    { type: 'ema_cross_up', fast: 12, slow: 26 },
    { type: 'ema_above', fast: 12, slow: 26, timeframe: '1h' },
    { percentile: 80, windowDays: 30, type: 'funding_percentile_below' },
  ],
  exitConditions: [{ type: 'ema_cross_down', slow: 26, fast: 12, timeframe: '15m' }],
  maxCapitalUsd: 25000,
  maxTradeNotionalUsd: 1000,
  stopLossPct: 2.5,
  takeProfitPct: 6,
  maxDailyDrawdownPct: 5,
  maxOpenPositions: 2,
};

const wellFormed = (minLength: number, maxLength: number) =>
  fc
    .string({ unit: 'grapheme', minLength, maxLength: 20 })
    .filter((text) => text.length >= minLength && text.length <= maxLength && text.isWellFormed() && unseenIn(text) === null);
const timeframes = fc.tuple(fc.integer({ min: 1, max: 999 }), fc.constantFrom('m', 'h')).map(([count, unit]) => `${count}${unit}`);
/** Decimals from the integer `min` up to below `max`. */
const decimals = (max: string, min = '0') =>
  fc
    .tuple(fc.bigInt({ min: BigInt(min), max: BigInt(max) - 1n }), fc.integer({ min: 0, max: 99_999_999 }))
    .map(([whole, part]) => `${whole}.${part}`);

/** Any value that a field accepts. */
export function fieldValue(field: FieldSchema): fc.Arbitrary<unknown> {
  switch (field.type) {
    case 'number':
      return fc.oneof(
        fc.double({ min: field.min, max: field.max, noNaN: true }),
        fc.integer({ min: Math.ceil(field.min), max: Math.floor(field.max) }),
      );
    case 'integer':
      return fc.integer({ min: field.min, max: field.max });
    case 'decimal':
      return fc.oneof(decimals(field.max, field.min), fc.integer({ min: Number(field.min), max: Math.min(Number(field.max), 2 ** 31) }));
    case 'string':
      return wellFormed(field.minLength, field.maxLength);
    case 'choice':
      return fc.constantFrom(...field.choices);
    case 'choices':
      return fc.subarray([...field.choices], { minLength: 1 });
    case 'boolean':
      return fc.boolean();
    case 'timeframe':
      return timeframes;
  }
}

/** Any condition of a side; optional fields are sometimes missing. */
export function condition(side: 'entry' | 'exit'): fc.Arbitrary<Record<string, unknown>> {
  const definitions = CONDITIONS.filter((definition) => definition.sides.includes(side));
  return fc
    .constantFrom(...definitions)
    .chain((definition) => {
      const optional = (field: FieldSchema) => field.optional === true || (field.type !== 'timeframe' && field.default !== undefined);
      const entries = Object.entries(definition.fields);
      return fc.record(
        { type: fc.constant(definition.type), ...Object.fromEntries(entries.map(([name, field]) => [name, fieldValue(field)])) },
        { requiredKeys: ['type', ...entries.filter(([, field]) => !optional(field)).map(([name]) => name)] as never[] },
      );
    })
    .map((authored: Record<string, unknown>) => {
      const { fast, slow } = authored;
      return typeof fast === 'number' && typeof slow === 'number' && fast >= slow
        ? { ...authored, fast: Math.max(1, Math.min(fast, slow - 1)), slow }
        : authored;
    });
}

/** Any payload that the reader accepts. */
export const anyPayload: fc.Arbitrary<Record<string, unknown>> = fc.record(
  {
    name: wellFormed(1, 120).filter((name) => name.trim() !== ''),
    description: wellFormed(0, 2_000),
    universe: fc.subarray(
      CATALOG.entries.map((entry) => entry.instrument),
      { minLength: 0 },
    ),
    timeframe: timeframes,
    entryConditions: fc.array(condition('entry'), { maxLength: 5 }),
    exitConditions: fc.array(condition('exit'), { maxLength: 5 }),
    maxCapitalUsd: fc.oneof(decimals('1000000000'), fc.integer({ min: 0, max: 1_000_000 })),
    maxTradeNotionalUsd: fc.oneof(
      decimals('1000000000'),
      fc.double({ min: 0, max: 1e6, noNaN: true }).map((value) => Number(value.toFixed(4))),
    ),
    maxLeverage: decimals('100'),
    stopLossPct: fc.double({ min: 0, max: 100, noNaN: true }),
    takeProfitPct: fc.integer({ min: 0, max: 10_000 }),
    maxDailyDrawdownPct: fc.double({ min: 0, max: 100, noNaN: true }),
    maxOpenPositions: fc.integer({ min: 0, max: 1_000 }),
    maxSlippageBps: fc.double({ min: 0, max: 10_000, noNaN: true }),
    killSwitchAction: fc.constantFrom(...KILL_SWITCH_ACTIONS),
    algorithm: fc.constantFrom(...EXECUTION_ALGORITHMS),
    urgency: fc.constantFrom(...URGENCIES),
  },
  {
    requiredKeys: [
      'name',
      'universe',
      'timeframe',
      'entryConditions',
      'exitConditions',
      'maxCapitalUsd',
      'maxTradeNotionalUsd',
      'stopLossPct',
      'takeProfitPct',
      'maxDailyDrawdownPct',
      'maxOpenPositions',
      'maxSlippageBps',
    ],
  },
);
