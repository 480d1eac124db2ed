/** Money and quantities for people: grouped digits and two decimals, with every digit on hover. */
import { h } from './dom.js';

const SHOWN = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const SIGNED = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: 'exceptZero' });

/**
 * `1234.5` is `1,234.50`; worked on as the decimal text that it is.
 * @param {string} usd
 * @param {boolean} [isChange] With its sign.
 */
export function moneyText(usd, isChange = false) {
  return (isChange ? SIGNED : SHOWN).format(/** @type {Intl.StringNumericLiteral} */ (usd));
}

/**
 * An amount in US dollars; unknown is said so.
 * @param {string | null | undefined} usd
 */
export function money(usd) {
  if (usd === null || usd === undefined) return h('span', { class: 'faint' }, 'unknown');
  return h('span', { class: 'number', title: `${usd} USD` }, moneyText(usd));
}

/**
 * What was earned or lost, with its sign.
 * @param {string | null | undefined} usd
 */
export function gain(usd) {
  if (usd === null || usd === undefined) return h('span', { class: 'faint' }, 'unknown');
  const text = moneyText(usd, true);
  const way = text.startsWith('-') ? 'loss' : text.startsWith('+') ? 'profit' : 'even';
  return h('span', { class: `number gain-${way}`, title: `${usd} USD` }, text);
}
