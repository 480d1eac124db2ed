/** Money and quantities for people: grouped digits and few decimals, with every digit on hover and on focus. */
import { h, say } from './dom.js';

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
 * A number that is shown shorter than it is: the keyboard reaches it, and while it is there it shows every digit.
 * @param {string} shown
 * @param {string} full
 * @param {string} [named] The class.
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
