/** Activity of one agent on the bars of an instrument, read for the chart of its page. */
import { overlayOf } from './agent-marks.js';
import { pagesOf, read } from './http.js';

/** @typedef {import('./wire.ts').Decision} Decision */
/** @typedef {import('./wire.ts').Book} Book */
/** @typedef {import('./wire.ts').Fill} Fill */
/** @typedef {import('./agent-marks.js').Rules} Rules */

const PER_PAGE = 200;
/** Pages of decisions that are looked through at most: three hours of an agent that decides once a minute make one. */
const DECISION_PAGES = 3;

/**
 * @param {string} agentId
 * @param {Rules} manifest
 * @param {AbortSignal} signal
 * @returns {import('./candle-panel.js').OverlayOf}
 */
export function agentOverlay(agentId, manifest, signal) {
  return async (key, span) => {
    const [books, decisions] = await Promise.all([booksOf(agentId, signal), decisionsOf(agentId, span.from, signal)]);
    const fills = (await Promise.all(books.map(({ id }) => fillsOf(id, signal)))).flat();
    return overlayOf({ key, manifest, books, fills, decisions });
  };
}

/** @param {string} agentId @param {AbortSignal} signal @returns {Promise<readonly Book[]>} */
async function booksOf(agentId, signal) {
  /** @type {import('./wire.ts').Page<Book>} */
  const { items } = await read(`/v1/books?agentId=${agentId}&limit=${PER_PAGE}`, { signal });
  return items;
}

/** @param {string} bookId @param {AbortSignal} signal @returns {Promise<readonly Fill[]>} */
async function fillsOf(bookId, signal) {
  /** @type {import('./wire.ts').Page<Fill>} */
  const { items } = await read(`/v1/books/${encodeURIComponent(bookId)}/fills?limit=${PER_PAGE}`, { signal });
  return items;
}

/**
 * Decisions since an instant, ascending, as far back as is looked.
 * @param {string} agentId
 * @param {number} from
 * @param {AbortSignal} signal
 */
async function decisionsOf(agentId, from, signal) {
  /** @type {Decision[]} */
  const found = [];
  /** @type {AsyncGenerator<import('./wire.ts').Page<Decision>>} */
  const pages = pagesOf(`/v1/agents/${agentId}/decisions?limit=${PER_PAGE}`, { signal });
  let seen = 0;
  for await (const { items } of pages) {
    found.push(...items);
    if (++seen === DECISION_PAGES || Date.parse(items.at(-1)?.slot ?? '') < from) break;
  }
  return found.filter(({ slot }) => Date.parse(slot) >= from).reverse();
}
