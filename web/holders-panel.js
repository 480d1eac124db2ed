/** Holders of one instrument in the organization: each book with its quantity and cost, and the agent's name. */
import { agentNames } from './agent-names.js';
import { fill, h, say } from './dom.js';
import { pagesOf } from './http.js';
import { dataTable, number } from './tables.js';
import { dayAndTime } from './words.js';

/** @typedef {import('./api.ts').Book} Book */

const PER_PAGE = 200;

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.key
 * @param {AbortSignal} options.signal
 */
export function holdersPanel({ context, key, signal }) {
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const place = h('div', {});

  async function refresh() {
    try {
      const [books, names] = await Promise.all([allBooks(signal), agentNames(signal)]);
      const held = books.flatMap((book) =>
        book.positions.filter(({ instrument }) => instrument === key).map((position) => ({ book, position })),
      );
      say(note, '');
      fill(
        place,
        dataTable({
          caption: 'Positions at cost',
          empty: 'No positions in this instrument.',
          head: ['agent', 'book', 'quantity', 'average price', 'cost USD', 'since'],
          rows: held.map(({ book, position }) => [
            book.agentId === null ? 'people' : h('a', { href: `#/agents/${book.agentId}` }, names.get(book.agentId) ?? 'another agent'),
            book.manifestVersion === null ? book.mode : `${book.mode}, manifest v${book.manifestVersion}`,
            number(position.quantity),
            number(position.averageEntryPrice),
            number(position.costUsd),
            dayAndTime(position.openedAt),
          ]),
        }),
      );
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The positions could not be loaded.');
      context.fail(error);
    }
  }

  void refresh();
  return {
    element: h(
      'div',
      { class: 'panel holders-panel' },
      h('div', { class: 'panel-head' }, h('h2', {}, 'Holders'), note),
      h('div', { class: 'panel-body' }, place),
    ),
    end() {},
  };
}

/** @param {AbortSignal} signal */
async function allBooks(signal) {
  /** @type {Book[]} */
  const books = [];
  /** @type {AsyncGenerator<import('./wire.ts').Page<Book>>} */
  const pages = pagesOf(`/v1/books?limit=${PER_PAGE}`, { signal });
  for await (const { items } of pages) books.push(...items);
  return books;
}
