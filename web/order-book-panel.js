/** The top of one book as it moves: prices and sizes of both sides, each size as a bar of what the largest one is. */
import { qualityBadge } from './aged-quality.js';
import { partsOf } from './timeframes.js';
import { flagChips } from './decision-card.js';
import { fill, h } from './dom.js';
import { priceText } from './words.js';

/** @typedef {{ readonly price: string, readonly size: string }} Level */
/** @typedef {import('./feed-messages.ts').FollowedBook} OrderBook */
/** @typedef {import('./wire.ts').Params<'order_book'>['venue']} BookVenue */

const LEVELS = 12;

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.key
 */
export function orderBookPanel({ context: { feed }, key }) {
  const { venue, instrument } = partsOf(key);
  const note = h('span', { class: 'faint' }, 'Waiting for data…');
  const bids = h('tbody', {});
  const asks = h('tbody', {});
  /** @type {OrderBook | null} */
  let waiting = null;
  let scheduled = 0;

  function draw() {
    scheduled = 0;
    if (waiting === null) return;
    const { flags, bids: low, asks: high } = waiting;
    const largest = Math.max(...[...low, ...high].map(({ size }) => Number(size)), 0);
    fill(
      bids,
      low.slice(0, LEVELS).map((level) => levelRow(level, largest, 'bid')),
    );
    fill(
      asks,
      high.slice(0, LEVELS).map((level) => levelRow(level, largest, 'ask')),
    );
    fill(note, qualityBadge(waiting), ' ', flagChips(flags));
  }

  const element = h(
    'div',
    { class: 'panel book-panel' },
    h('div', { class: 'panel-head' }, h('h2', {}, 'Order book'), note),
    h('div', { class: 'book-sides' }, sideTable('Bids', bids), sideTable('Asks', asks)),
  );
  const stop = feed.subscribe({
    channel: 'order_book',
    // A venue without books says so.
    params: { venue: /** @type {BookVenue} */ (venue), instrument, depth: LEVELS },
    refuse: () => {
      element.hidden = true;
    },
    receive: ({ data }) => {
      waiting = [data].flat().findLast((book) => book.venue === venue && book.instrument === instrument) ?? waiting;
      if (scheduled === 0) scheduled = requestAnimationFrame(draw);
    },
  });
  return {
    element,
    end() {
      stop();
      cancelAnimationFrame(scheduled);
    },
  };
}

/** @param {string} caption @param {HTMLElement} body */
function sideTable(caption, body) {
  return h(
    'table',
    { class: 'book-side' },
    h('caption', {}, caption),
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Price'), h('th', { scope: 'col' }, 'Size'))),
    body,
  );
}

/** @param {Level} level @param {number} largest @param {'bid' | 'ask'} side */
function levelRow({ price, size }, largest, side) {
  const bar = h('span', { class: `book-depth book-${side}`, 'aria-hidden': 'true' });
  bar.style.width = `${largest === 0 ? 0 : (Number(size) / largest) * 100}%`;
  return h(
    'tr',
    {},
    h('td', { class: 'number', title: price }, priceText(price)),
    h('td', { class: 'number book-size', title: size }, bar, h('span', {}, priceText(size))),
  );
}
