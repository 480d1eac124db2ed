/** A manifest as sentences: what the agent trades, when it buys and sells, and what it may put at stake. */
import { h } from './dom.js';
import { moneyText } from './money.js';
import { plain } from './words.js';

/** @typedef {{ readonly type: string, readonly [field: string]: unknown }} Condition */
/**
 * @typedef {object} Rules The parts of a manifest that are said.
 * @property {readonly { readonly key: string, readonly kind: string }[]} universe
 * @property {string} timeframe
 * @property {readonly Condition[]} entry
 * @property {readonly Condition[]} exit
 * @property {string} maxCapitalUsd
 * @property {string} maxTradeNotionalUsd
 * @property {string} maxLeverage
 * @property {number} stopLossPct
 * @property {number} takeProfitPct
 * @property {number} maxDailyDrawdownPct
 * @property {number} maxOpenPositions
 * @property {number} maxSlippageBps
 */

/** Units of a condition's limit, by the name of its field. @type {{ readonly [field: string]: string }} */
const LIMITS = { pct: ' %', bps: ' basis points', hours: ' hours', percentile: '', price: '', usd: ' US dollars', value: '', level: '' };

/**
 * One condition: `premium below -0.4 %`, `rsi below 30 (period 14, timeframe 5m)`.
 * @param {Condition} condition
 */
export function conditionWords({ type, ...fields }) {
  const limits = Object.entries(fields).filter(([name]) => Object.hasOwn(LIMITS, name));
  const rest = Object.entries(fields).filter(([name]) => !Object.hasOwn(LIMITS, name));
  const against = limits.map(([name, value]) => ` ${textOf(value)}${LIMITS[name]}`).join('');
  const among = rest.map(([name, value]) => `${spaced(name)} ${textOf(value)}`).join(', ');
  return `${plain(type)}${against}${among === '' ? '' : ` (${among})`}`;
}

/** @param {Rules} rules @returns {readonly string[]} */
export function manifestSentences(rules) {
  const { universe, timeframe, entry, exit, stopLossPct, takeProfitPct } = rules;
  const positions = rules.maxOpenPositions === 1 ? 'one position' : `${rules.maxOpenPositions} positions`;
  const leaves = [...exit.map(conditionWords), `${stopLossPct} % below the entry`, `${takeProfitPct} % above it`];
  return [
    `It watches ${universe.map(({ key }) => key).join(', ')} on ${timeframe} bars.`,
    entry.length === 0
      ? 'It never buys: it has no entry rule.'
      : `It buys when all of these are true: ${entry.map(conditionWords).join('; ')}.`,
    `It sells when any of these is true: ${leaves.join('; ')}.`,
    `Max order size ${moneyText(rules.maxTradeNotionalUsd)} US dollars, capital ${moneyText(rules.maxCapitalUsd)} US dollars, at most ${positions}, max leverage ${rules.maxLeverage}.`,
    `It pauses after a daily loss of ${rules.maxDailyDrawdownPct} %. Max slippage is ${rules.maxSlippageBps} bps from the quote.`,
  ];
}

/** The sentences as a panel. @param {Rules} rules */
export function manifestPanel(rules) {
  return h(
    'div',
    { class: 'panel manifest-words' },
    h('div', { class: 'panel-head' }, h('h2', {}, 'Manifest in words')),
    h(
      'ul',
      {},
      manifestSentences(rules).map((sentence) => h('li', {}, sentence)),
    ),
  );
}

/** @param {unknown} value */
function textOf(value) {
  if (Array.isArray(value)) return value.map((one) => plain(String(one))).join(' or ');
  return plain(String(value));
}

/** `notionalUsd` is `notional usd`. @param {string} name */
function spaced(name) {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
