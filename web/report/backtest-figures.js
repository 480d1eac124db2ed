/** The figures of a backtest in words, and how two runs differ in them. */
import { moneyText } from './money.js';
import { decimalDifference } from '../words.js';

/** @typedef {import('../wire.ts').BacktestResult} Result */
/**
 * @typedef {object} Figure
 * @property {string} name
 * @property {string} [unit]
 * @property {(result: Result) => number | null} [of] A statistic.
 * @property {(result: Result) => string} [usd] Money, as an exact decimal text.
 * @property {number} [digits]
 * @property {(result: Result) => string} [note]
 */

/** @type {readonly Figure[]} */
export const FIGURES = [
  {
    name: 'Sharpe',
    of: ({ performance }) => performance.sharpe,
    note: ({ method }) => `${method.days} days, ddof 1, × √${method.periodsPerYear}`,
  },
  {
    name: 'Sortino',
    of: ({ performance }) => performance.sortino,
    note: ({ benchmark }) => `buy and hold ${statistic(benchmark.sortino)}`,
  },
  {
    name: 'Max drawdown',
    unit: ' %',
    of: ({ performance }) => performance.maxDrawdownPct,
    note: ({ benchmark }) => `buy and hold ${statistic(benchmark.maxDrawdownPct)} %`,
  },
  {
    name: 'Return',
    unit: ' %',
    of: ({ performance }) => performance.returnPct,
    note: ({ benchmark }) => `buy and hold ${statistic(benchmark.returnPct)} %`,
  },
  {
    name: 'Annual volatility',
    unit: ' %',
    of: ({ performance }) => performance.annualVolatilityPct,
    note: ({ benchmark }) => `buy and hold Sharpe ${statistic(benchmark.sharpe)}`,
  },
  { name: 'Final equity', usd: ({ finalEquityUsd }) => finalEquityUsd, note: ({ capitalUsd }) => `of ${moneyText(capitalUsd)} USD` },
  { name: 'Exposure', unit: ' %', of: ({ exposurePct }) => exposurePct, note: () => 'share of bars with a position' },
  {
    name: 'Closed trades',
    digits: 0,
    of: ({ trades }) => trades.closed,
    note: ({ trades }) => `win rate ${statistic(trades.hitRatePct)} %, ${trades.open} open`,
  },
  {
    name: 'Average trade',
    unit: ' %',
    digits: 3,
    of: ({ trades }) => trades.averageProfitPct,
    note: ({ trades }) => `slippage ${statistic(trades.averageSlippageBps)} bps`,
  },
  { name: 'Fees', usd: ({ feesUsd }) => feesUsd, note: ({ turnoverUsd }) => `turnover ${moneyText(String(turnoverUsd))} USD` },
  {
    name: 'Deflated Sharpe',
    of: ({ luck }) => luck.deflatedSharpe,
    note: ({ luck }) => `after ${luck.versionsTried} ${luck.versionsTried === 1 ? 'trial' : 'trials'}`,
  },
];

/** @param {number | null} value @param {number} [digits] */
export function statistic(value, digits = 2) {
  return value === null ? '–' : value.toFixed(digits);
}

/** @param {Figure} figure @param {Result} result */
export function figureText({ of, usd, digits, unit = '' }, result) {
  if (usd !== undefined) return `${moneyText(usd(result))} USD`;
  const value = of?.(result) ?? null;
  return value === null ? '–' : `${statistic(value, digits)}${unit}`;
}

/**
 * Returns the second run's figure minus the first's, with its sign. Money keeps every digit.
 * @param {Figure} figure
 * @param {Result} first
 * @param {Result} second
 */
export function figureDifference({ of, usd, digits = 2, unit = '' }, first, second) {
  if (usd !== undefined) return `${signed(decimalDifference(usd(second), usd(first)))} USD`;
  const [a, b] = [of?.(first) ?? null, of?.(second) ?? null];
  return a === null || b === null ? '–' : `${signed((b - a).toFixed(digits))}${unit}`;
}

/** @param {string} text */
function signed(text) {
  return text.startsWith('-') || Number(text) === 0 ? text : `+${text}`;
}

/**
 * Returns the drawdown by day from the highest equity so far, in percent, zero or below.
 * @param {{ readonly daily: readonly { readonly date: string, readonly equityUsd: string, readonly highUsd: string }[], readonly capitalUsd: string }} result
 */
export function computeDrawdown({ daily, capitalUsd }) {
  let peak = Number(capitalUsd);
  return daily.map(({ date, equityUsd, highUsd }) => {
    peak = Math.max(peak, Number(equityUsd), Number(highUsd));
    return { at: Date.parse(date), value: (Number(equityUsd) / peak - 1) * 100 };
  });
}

/**
 * Returns a duration in the largest unit: `3.5 h`, `12 d`.
 * @param {number | null} ms
 */
export function lengthText(ms) {
  if (ms === null) return '–';
  const units = /** @type {const} */ ([
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['min', 60_000],
  ]);
  const [word, length] = units.find(([, one]) => ms >= 2 * one) ?? ['s', 1_000];
  return `${Number((ms / length).toFixed(1))} ${word}`;
}
