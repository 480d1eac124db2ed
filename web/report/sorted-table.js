/** Table of loaded items, sorted by any column and shown in stretches. */
import { compareTexts } from './compare-texts.js';
import { fill, h, mark, say } from './dom.js';

/**
 * @template Item
 * @typedef {object} Column
 * @property {string} name
 * @property {(item: Item) => string} text Sort key and CSV value, with every digit of a number.
 * @property {(item: Item) => import('./dom.js').Child} [cell] Content of the cell. Default: the text.
 */

/** Number of rows shown at first, and added each time. */
const STRETCH = 25;

/**
 * @template Item
 * @param {object} options
 * @param {string} options.caption
 * @param {readonly Column<Item>[]} options.columns The first column names the row.
 * @param {readonly Item[]} options.items In their initial order.
 * @param {string} options.empty Text of an empty table.
 */
export function sortedTable({ caption, columns, items, empty }) {
  if (items.length === 0) return h('p', { class: 'faint table-empty' }, empty);
  const body = h('tbody', {});
  const note = h('p', { class: 'faint table-note', role: 'status' });
  const more = h('button', { type: 'button', onclick: () => show(body.childElementCount + STRETCH) }, 'More');
  let sorted = items;
  /** @type {{ readonly column: Column<Item> | null, readonly way: 1 | -1 }} */
  let order = { column: null, way: 1 };
  const heads = columns.map((column) =>
    h('th', { scope: 'col' }, h('button', { type: 'button', class: 'sorter', onclick: () => turn(column) }, column.name)),
  );

  /** @param {Column<Item>} column */
  function turn(column) {
    order = { column, way: order.column === column && order.way > 0 ? -1 : 1 };
    sorted = items
      .map((item) => ({ item, text: column.text(item) }))
      .sort((a, b) => compareTexts(a.text, b.text, order.way))
      .map(({ item }) => item);
    for (const [index, head] of heads.entries())
      mark(head, 'aria-sort', columns[index] !== column ? null : order.way > 0 ? 'ascending' : 'descending');
    fill(body);
    show(STRETCH);
  }

  /** @param {number} count */
  function show(count) {
    const from = body.childElementCount;
    body.append(...sorted.slice(from, count).map((item) => renderRow(columns, item)));
    more.hidden = body.childElementCount === items.length;
    say(note, more.hidden ? '' : `${body.childElementCount} of ${items.length}`);
  }
  show(STRETCH);
  return h(
    'div',
    {},
    h(
      'div',
      { class: 'scroller', tabindex: '0', role: 'region', 'aria-label': caption },
      h('table', { class: 'data-table' }, h('caption', {}, caption), h('thead', {}, h('tr', {}, heads)), body),
    ),
    h('div', { class: 'pager' }, note, more),
  );
}

/** @template Item @param {readonly Column<Item>[]} columns @param {Item} item */
function renderRow(columns, item) {
  const cells = columns.map(({ text, cell }) => (cell === undefined ? text(item) : cell(item)));
  const [name, ...rest] = cells;
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, name),
    rest.map((content) => h('td', {}, content)),
  );
}

/**
 * Builds a panel with a sorted table and a button that downloads it as CSV.
 * @template Item
 * @param {object} options
 * @param {string} options.title
 * @param {string} options.told Number of rows and of all items.
 * @param {string} options.caption
 * @param {readonly Column<Item>[]} options.columns
 * @param {readonly Item[]} options.items
 * @param {string} options.empty
 * @param {{ readonly title: string, readonly of: string, readonly resultHash: string }} options.file Parts of the file name.
 */
export function tablePanel({ title, told, caption, columns, items, empty, file }) {
  const name = `${file.title.replaceAll(/[^\w-]+/g, '-')}${file.of}-${file.resultHash.slice(0, 8)}.csv`;
  return h(
    'section',
    { class: 'panel', 'aria-label': title },
    h(
      'div',
      { class: 'panel-head' },
      h('h2', {}, title),
      h('span', { class: 'faint' }, told),
      h('span', { class: 'space' }),
      h('button', { type: 'button', disabled: items.length === 0, onclick: () => downloadCsv(name, columns, items) }, 'Download CSV'),
    ),
    sortedTable({ caption, columns, items, empty }),
  );
}

/**
 * Downloads a table as CSV (RFC 4180). Numbers keep every digit.
 * @template Item
 * @param {string} name File name.
 * @param {readonly Pick<Column<Item>, 'name' | 'text'>[]} columns
 * @param {readonly Item[]} items
 */
function downloadCsv(name, columns, items) {
  const rows = [columns.map((column) => column.name), ...items.map((item) => columns.map(({ text }) => text(item)))];
  const address = URL.createObjectURL(new Blob([rows.map(csvLine).join('')], { type: 'text/csv;charset=utf-8' }));
  h('a', { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

/** @param {readonly string[]} fields */
function csvLine(fields) {
  return `${fields.map(csvField).join(',')}\r\n`;
}

/**
 * Returns a CSV field. A text that a spreadsheet would take for a formula begins with an apostrophe; a number does not.
 * @param {string} text
 */
function csvField(text) {
  const safe = /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
