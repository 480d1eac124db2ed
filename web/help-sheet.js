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
    ['Ctrl-K', 'find a page, an agent, an instrument, or what is to be done'],
    ['/', 'search in the list of this page'],
    ['n', 'a new agent'],
    ['z', 'times in UTC or in local time'],
    ['?', 'this sheet'],
    ['Escape', 'close what is open'],
  ];
  const pages = pagesOf([...PAGES, ...FURTHER_PAGES]).map(({ title, key }) => [`g ${key}`, title]);
  const table = (/** @type {string} */ caption, /** @type {string[][]} */ rows) =>
    dataTable({ caption, head: ['key', 'what it does'], rows: rows.map(([key = '', what = '']) => [keys(key), what]) });
  const dialog = h(
    'dialog',
    { class: 'dialog help-sheet', 'aria-labelledby': 'help-title', onclose: () => dialog.remove() },
    h('h2', { id: 'help-title' }, 'Keys'),
    h('div', { class: 'help-tables' }, table('Everywhere', everywhere), table('To a page: two keys, one after the other', pages)),
    h(
      'p',
      { class: 'faint' },
      'In a list, `stage:paper` searches one column, and a click on a head sorts by it. Keys without Ctrl can be turned off in the menu of who is signed in.',
    ),
    h('form', { method: 'dialog', class: 'dialog-buttons' }, h('button', { autofocus: true }, 'Close')),
  );
  document.body.append(dialog);
  dialog.showModal();
}
