/** The isolated books of one agent, on paper and live: what each holds and what it was filled with. */
import { fill, h, say } from './dom.js';
import { fillTable } from './fill-table.js';
import { read } from './http.js';
import { instrumentName } from './outcome-names.js';
import { dataTable, factList, number } from './tables.js';
import { dayAndTime, plain } from './words.js';

/** @typedef {import('./wire.ts').Book} Book */

const FILLS_SHOWN = 50;

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.id The agent.
 * @param {AbortSignal} options.signal
 */
export function booksPanel({ context: { fail }, id, signal }) {
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const list = h('div', {});
  /** Books whose fills are looked at. @type {Set<string>} */
  const open = new Set();

  async function refresh() {
    try {
      /** @type {import('./wire.ts').Page<Book>} */
      const { items } = await read(`/v1/books?agentId=${id}`, { signal });
      say(note, items.length === 0 ? 'A book opens with the first fill or deposit.' : '');
      fill(list, items.map(bookSection));
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The books could not be loaded.');
      fail(error);
    }
  }

  /** @param {Book} book */
  function bookSection(book) {
    const place = h('div', {});
    const details = h('details', { class: 'options' }, h('summary', {}, `${book.fills} ${book.fills === 1 ? 'fill' : 'fills'}`), place);
    details.addEventListener('toggle', () => {
      if (!details.open) return void open.delete(book.id);
      open.add(book.id);
      void readFills(book, place);
    });
    if (open.has(book.id)) details.open = true;
    return h(
      'section',
      { class: 'book', 'data-book': book.id, 'aria-label': titleOf(book) },
      h('div', { class: 'run-head' }, h('strong', {}, titleOf(book)), h('code', { class: 'faint' }, book.id)),
      factList([
        ['Capital USD', number(book.capitalUsd)],
        ['Cash USD', number(book.cashUsd)],
        ['Realized USD', number(book.realizedPnlUsd)],
        ['Fees USD', number(book.feesUsd)],
        ['Funding USD', number(book.fundingUsd)],
        ['Slippage', number(book.slippageBps === null ? null : `${Number(book.slippageBps.toFixed(2))} bps`)],
        ['Open proposals', String(book.openProposals)],
        ['Last change', dayAndTime(book.changedAt)],
      ]),
      dataTable({
        caption: 'Positions at cost',
        empty: 'No positions.',
        head: ['instrument', 'quantity', 'average price', 'cost USD', 'since'],
        rows: book.positions.map(({ instrument, quantity, averageEntryPrice, costUsd, openedAt }) => [
          instrumentName(instrument),
          number(quantity),
          number(averageEntryPrice),
          number(costUsd),
          dayAndTime(openedAt),
        ]),
      }),
      details,
    );
  }

  /**
   * @param {Book} book
   * @param {HTMLElement} place
   */
  async function readFills(book, place) {
    try {
      /** @type {import('./wire.ts').Page<import('./wire.ts').Fill>} */
      const { items } = await read(`/v1/books/${encodeURIComponent(book.id)}/fills?limit=${FILLS_SHOWN}`, { signal });
      fill(place, fillTable(items, 'Fills, newest first', 'No fills.'));
    } catch (error) {
      if (!signal.aborted) fail(error);
    }
  }

  return {
    element: h('div', { class: 'panel books-panel' }, h('div', { class: 'panel-head' }, h('h2', {}, 'Books'), note), list),
    refresh,
  };
}

/** @param {Book} book */
function titleOf({ mode, manifestVersion }) {
  return manifestVersion === null ? plain(mode) : `${plain(mode)}, manifest v${manifestVersion}`;
}
