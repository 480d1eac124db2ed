/** Formats money and quantities: grouped digits, few decimals, every digit on hover and focus. */
import { h, say } from './dom.js';

const SHOWN = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const SIGNED = new Intl.NumberFormat('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2, signDisplay: 'exceptZero' });

/**
 * Formats US dollars: `1234.5` becomes `1,234.50`. Works on the decimal text.
 * @param {string} usd
 * @param {boolean} [isChange] True to show the sign.
 */
export function moneyText(usd, isChange = false) {
  return (isChange ? SIGNED : SHOWN).format(/** @type {Intl.StringNumericLiteral} */ (usd));
}

/**
 * Shows an amount in US dollars, or `unknown`.
 * @param {string | null | undefined} usd
 */
export function money(usd) {
  if (usd === null || usd === undefined) return h('span', { class: 'faint' }, 'unknown');
  return exact(moneyText(usd), `${usd} USD`);
}

/**
 * Shows a gain or loss, with its sign.
 * @param {string | null | undefined} usd
 */
export function gain(usd) {
  if (usd === null || usd === undefined) return h('span', { class: 'faint' }, 'unknown');
  const text = moneyText(usd, true);
  const way = text.startsWith('-') ? 'loss' : text.startsWith('+') ? 'profit' : 'even';
  return exact(text, `${usd} USD`, `number gain-${way}`);
}

/**
 * Shows a shortened number, and every digit on hover or focus.
 * @param {string} shown
 * @param {string} full
 * @param {string} [named] CSS class.
 */
export function exact(shown, full, named = 'number') {
  const [digits = ''] = full.split(' ');
  const isWhole = shown.replace(/[^\d.]/g, '').length >= digits.replace(/[^\d.]/g, '').length && !shown.includes('…');
  const element = h('span', { class: named, title: full, tabindex: isWhole ? null : '0' }, shown);
  if (isWhole) return element;
  element.addEventListener('focus', () => say(element, full));
  element.addEventListener('blur', () => say(element, shown));
  return element;
}
