/** A table that is read page by page through cursors: more of it follows at the end where there is more. */
import { fill, h, say } from './dom.js';
import { read } from './http.js';

/**
 * @template Item
 * @param {object} options
 * @param {string} options.label What it holds, and in which order.
 * @param {readonly string[]} options.head
 * @param {() => string} options.address The list with its filters, as they are when it is read.
 * @param {(item: Item) => readonly import('./dom.js').Child[]} options.row The first cell names the row.
 * @param {string} options.empty What is said where there is nothing.
 * @param {AbortSignal} options.signal
 * @param {(error: unknown) => void} options.fail
 */
export function pagedTable({ label, head, address, row, empty, signal, fail }) {
  const note = h('p', { class: 'faint table-note', role: 'status' });
  const rows = h('tbody', {});
  const more = h('button', { type: 'button', hidden: true, onclick: () => void load() }, 'More');
  /** @type {string | null} */
  let cursor = null;

  /** Reads it from its beginning. */
  async function begin() {
    cursor = null;
    await load();
  }

  async function load() {
    const [list, from] = [address(), cursor];
    if (rows.childElementCount === 0) say(note, 'Loading…');
    try {
      /** @type {import('./wire.ts').Page<Item>} */
      const page = await read(from === null ? list : `${list}${list.includes('?') ? '&' : '?'}cursor=${from}`, { signal });
      if (list !== address() || from !== cursor) return;
      if (from === null) fill(rows);
      cursor = page.nextCursor;
      rows.append(...page.items.map((item) => tableRow(row(item))));
      more.hidden = cursor === null;
      say(note, rows.childElementCount === 0 ? empty : '');
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  return {
    element: h(
      'div',
      {},
      h(
        'div',
        { class: 'panel paged-table', tabindex: '0', role: 'region', 'aria-label': label },
        h(
          'table',
          { class: 'data-table' },
          h(
            'thead',
            {},
            h(
              'tr',
              {},
              head.map((text) => h('th', { scope: 'col' }, text)),
            ),
          ),
          rows,
        ),
        note,
      ),
      h('div', { class: 'pager' }, more),
    ),
    begin,
  };
}

/** @param {readonly import('./dom.js').Child[]} cells */
function tableRow([name, ...cells]) {
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, name),
    cells.map((cell) => h('td', {}, cell)),
  );
}

/**
 * A filter over a table: one word out of a list, or any.
 * @param {string} label Its name in the address too, in small letters.
 * @param {readonly string[]} words
 * @param {(word: string) => string} text
 * @param {() => void} onchange
 */
export function wordFilter(label, words, text, onchange) {
  const options = words.map((word) => h('option', { value: word }, text(word)));
  return h(
    'select',
    { name: label.toLowerCase(), 'aria-label': label, onchange },
    h('option', { value: '' }, `any ${label.toLowerCase()}`),
    options,
  );
}
