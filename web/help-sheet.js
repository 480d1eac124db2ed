/** The sheet of keys. */
import { h } from './dom.js';
import { FURTHER_PAGES, PAGES, pagesOf } from './pages.js';
import { dataTable } from './tables.js';

export function openHelp() {
  const keys = (/** @type {string} */ text) =>
    h(
      'span',
      {},
      text.split(' ').flatMap((key, index) => [index > 0 ? ' ' : '', h('kbd', {}, key)]),
    );
  const everywhere = [
    ['Ctrl-K', 'find a page, agent, instrument or action'],
    ['/', 'search this page'],
    ['n', 'new agent'],
    ['z', 'switch between UTC and local time'],
    ['?', 'this help'],
    ['Escape', 'close the open dialog'],
  ];
  const pages = pagesOf([...PAGES, ...FURTHER_PAGES]).map(({ title, key }) => [`g ${key}`, title]);
  const table = (/** @type {string} */ caption, /** @type {string[][]} */ rows) =>
    dataTable({ caption, head: ['key', 'action'], rows: rows.map(([key = '', what = '']) => [keys(key), what]) });
  const dialog = h(
    'dialog',
    { class: 'dialog help-sheet', 'aria-labelledby': 'help-title', onclose: () => dialog.remove() },
    h('h2', { id: 'help-title' }, 'Keyboard shortcuts'),
    h('div', { class: 'help-tables' }, table('Everywhere', everywhere), table('Go to a page: press two keys in turn', pages)),
    h(
      'p',
      { class: 'faint' },
      'In a list, `stage:paper` searches one column, and clicking a column header sorts by it. You can turn off single-key shortcuts in the user menu.',
    ),
    h('form', { method: 'dialog', class: 'dialog-buttons' }, h('button', { autofocus: true }, 'Close')),
  );
  document.body.append(dialog);
  dialog.showModal();
}
