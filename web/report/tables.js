/** Plain tables and lists of facts in the style of a report. */
import { h } from './dom.js';
import { exact } from './money.js';
import { numberText, priceText } from '../words.js';

/** @typedef {import('./dom.js').Child} Child */

/**
 * Builds a table that scrolls inside its own frame on a narrow window. The first cell of a row names the row.
 * @param {object} options
 * @param {string} options.caption
 * @param {readonly string[]} options.head
 * @param {readonly (readonly Child[])[]} options.rows
 * @param {string} [options.empty] Text of an empty table.
 */
export function dataTable({ caption, head, rows, empty = 'No entries.' }) {
  if (rows.length === 0) return h('p', { class: 'faint table-empty' }, empty);
  return h(
    'div',
    { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': caption },
    h(
      'table',
      { class: 'data-table' },
      h('caption', {}, caption),
      h(
        'thead',
        {},
        h(
          'tr',
          {},
          head.map((title) => h('th', { scope: 'col' }, title)),
        ),
      ),
      h(
        'tbody',
        {},
        rows.map(([name, ...cells]) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row', ...momentClass(name) }, name),
            cells.map((cell) => h('td', momentClass(cell), cell)),
          ),
        ),
      ),
    ),
  );
}

/** Matches a day with or without its time, as `dayAndTime` formats it. */
const MOMENT = /^\d{4}-\d\d-\d\d( \d\d:\d\d:\d\d)?$/;

/** Keeps a date on one line: the table scrolls instead. @param {Child} cell */
function momentClass(cell) {
  return typeof cell === 'string' && MOMENT.test(cell) ? { class: 'moment-cell' } : {};
}

const DECIMAL = /^-?\d+(\.\d+)?$/;

/**
 * Formats a number with all its digits on hover. Other values are shown unchanged.
 * @param {string | number | null} value
 */
export function number(value) {
  if (value === null) return h('span', { class: 'faint' }, 'unknown');
  if (typeof value === 'string' && DECIMAL.test(value)) return exact(priceText(value), value);
  return typeof value === 'number' ? exact(numberText(value), String(value)) : h('span', { class: 'number' }, value);
}

/**
 * Builds a definition list.
 * @param {readonly (readonly [title: string, content: Child])[]} pairs
 */
export function factList(pairs) {
  return h(
    'div',
    { class: 'facts' },
    pairs.map(([title, content]) => h('div', {}, h('span', { class: 'faint' }, title), h('span', {}, content))),
  );
}
