/** A manifest as fields that people fill in: from the canonical form that the API stores to the payload form that it takes. */
import { readCatalog } from './catalog.js';

/** @typedef {{ readonly name: string, readonly label: string, readonly kind: 'text' | 'decimal' | 'number' | 'lines' | 'json', readonly hint?: string }} Field */

/** In the order in which they are asked; the words of what is wrong come from the API alone. @type {readonly Field[]} */
export const MANIFEST_FIELDS = [
  { name: 'name', label: 'Name', kind: 'text' },
  { name: 'description', label: 'Description', kind: 'text' },
  { name: 'universe', label: 'Instruments (one per line)', kind: 'lines', hint: 'AAPLx, or spotexchange:BTC/USDT:spot' },
  { name: 'timeframe', label: 'Timeframe', kind: 'text', hint: '5m' },
  { name: 'entryConditions', label: 'Enter when all are true', kind: 'json', hint: '[{ "type": "rsi_below", "value": 30 }]' },
  { name: 'exitConditions', label: 'Exit when any is true', kind: 'json', hint: '[{ "type": "rsi_above", "value": 70 }]' },
  { name: 'maxCapitalUsd', label: 'Capital (USD)', kind: 'decimal' },
  { name: 'maxTradeNotionalUsd', label: 'Max order size (USD)', kind: 'decimal' },
  { name: 'maxLeverage', label: 'Max leverage', kind: 'decimal' },
  { name: 'stopLossPct', label: 'Stop-loss (%)', kind: 'number' },
  { name: 'takeProfitPct', label: 'Take-profit (%)', kind: 'number' },
  { name: 'maxDailyDrawdownPct', label: 'Max daily loss (%)', kind: 'number' },
  { name: 'maxOpenPositions', label: 'Max open positions', kind: 'number' },
  { name: 'maxSlippageBps', label: 'Max slippage (bps)', kind: 'number' },
];

/** Initial values of a new agent. @type {Readonly<Record<string, string>>} */
export const FIRST_TEXTS = {
  universe: 'AAPLx',
  timeframe: '5m',
  entryConditions: '[\n  { "type": "premium_below", "pct": -0.5 }\n]',
  exitConditions: '[\n  { "type": "premium_above", "pct": 0.5 }\n]',
  maxCapitalUsd: '10000',
  maxTradeNotionalUsd: '1000',
  maxLeverage: '1',
  stopLossPct: '4',
  takeProfitPct: '6',
  maxDailyDrawdownPct: '3',
  maxOpenPositions: '3',
  maxSlippageBps: '50',
};

/**
 * The stored form as texts of the fields, and what no field stands for, which is kept as it is.
 * @param {{ readonly [name: string]: unknown }} manifest
 * @returns {Promise<{ readonly texts: Record<string, string>, readonly kept: Record<string, unknown> }>}
 */
export async function textsOf(manifest) {
  const catalog = await readCatalog();
  const { entry, exit, universe, killSwitchAction, algorithm, urgency } = manifest;
  /** @type {Record<string, string>} */
  const texts = {};
  for (const { name } of MANIFEST_FIELDS) texts[name] = String(manifest[name] ?? '');
  const named = /** @type {readonly { readonly key: string, readonly kind: string }[]} */ (universe).map(({ key, kind }) => {
    const known = catalog.get(key);
    return known?.pairs[0] === undefined ? key : `${known.venue}:${known.pairs[0]}:${kind}`;
  });
  texts['universe'] = named.join('\n');
  texts['entryConditions'] = conditionText(entry);
  texts['exitConditions'] = conditionText(exit);
  return { texts, kept: { killSwitchAction, algorithm, urgency } };
}

/** One condition a line. @param {unknown} conditions */
function conditionText(conditions) {
  const lines = /** @type {readonly unknown[]} */ (conditions).map((condition) => `  ${JSON.stringify(condition)}`);
  return `[\n${lines.join(',\n')}\n]`;
}

/**
 * Returns a field's value for the API. A text that is not JSON or a number is sent unchanged, so that the API says what is wrong with it.
 * @param {Field} field
 * @param {string} text
 */
export function valueOf({ kind }, text) {
  const trimmed = text.trim();
  if (kind === 'lines')
    return trimmed
      .split(/[\n,]+/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
  if (kind === 'number') return trimmed === '' || Number.isNaN(Number(trimmed)) ? trimmed : Number(trimmed);
  if (kind !== 'json') return trimmed;
  try {
    return JSON.parse(trimmed);
  } catch {
    return trimmed;
  }
}
