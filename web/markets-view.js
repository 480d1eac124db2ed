/** Data of the venues: the state of each, day statistics, perpetuals, prediction markets and the macro regime, one tab each. */
import { fill, h, mark, say } from './dom.js';
import { read } from './http.js';
import { perpTable, predictionList, regimeTable, tickerTable, venueTable } from './market-tables.js';
import { IS_REPLAY } from './replay-mode.js';
import { clockAndZone } from './words.js';

/** @typedef {import('./shell.js').Context} Context */
/**
 * @typedef {object} Tab
 * @property {string} name
 * @property {string} title
 * @property {string} address
 * @property {number} everyMs
 * @property {(answer: any, context: Context, signal: AbortSignal) => import('./dom.js').Child | readonly import('./dom.js').Child[]} draw
 */

const QUICK_MS = 5_000;
const SLOW_MS = 60_000;

/** Kinds that a tape can fill. */
const OF_TAPES = ['venues', 'perps'];

/** @type {readonly Tab[]} */
const ALL_TABS = [
  { name: 'venues', title: 'Venues', address: '/v1/venues', everyMs: QUICK_MS, draw: ({ items }) => venueTable(items) },
  { name: 'tickers', title: 'Tickers', address: '/v1/tickers?limit=200', everyMs: QUICK_MS, draw: ({ items }) => tickerTable(items) },
  { name: 'perps', title: 'Perpetuals', address: '/v1/perps?limit=200', everyMs: QUICK_MS, draw: ({ items }) => perpTable(items) },
  {
    name: 'predictions',
    title: 'Prediction markets',
    address: '/v1/prediction-markets?limit=100',
    everyMs: SLOW_MS,
    draw: ({ items }, context, signal) => predictionList(items, context, signal),
  },
  { name: 'macro', title: 'Macro', address: '/v1/macro-regime', everyMs: SLOW_MS, draw: (regime) => regimeTable(regime) },
];
const TABS = ALL_TABS.filter(({ name }) => !IS_REPLAY || OF_TAPES.includes(name));

/**
 * @param {Context} context
 * @param {string} wanted The tab; the first where it is none.
 * @returns {import('./shell.js').View}
 */
export function marketsView(context, wanted) {
  const { feed, fail } = context;
  const abort = new AbortController();
  const tab = TABS.find(({ name }) => name === wanted) ?? /** @type {Tab} */ (TABS[0]);
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const place = h('div', { class: 'panel market-panel' });
  const links = TABS.map(({ name, title }) => {
    const link = h('a', { href: `#/markets/${name}` }, title);
    mark(link, 'aria-current', name === tab.name ? 'page' : null);
    return link;
  });
  let isReading = false;

  async function refresh() {
    // What is opened up is being read, and what is hidden need not be.
    const focused = document.activeElement;
    const isOpened = place.querySelector('details[open]') !== null || (place.contains(focused) && focused?.tagName === 'SUMMARY');
    if (isReading || document.hidden || isOpened) return;
    isReading = true;
    try {
      const answer = await read(tab.address, { signal: abort.signal });
      const keep = scrolledTo(place);
      fill(place, [tab.draw(answer, context, abort.signal)].flat());
      keep();
      say(note, `as of ${clockAndZone(feed.now())}`);
    } catch (error) {
      if (abort.signal.aborted) return;
      say(note, 'The markets could not be loaded.');
      fail(error);
    } finally {
      isReading = false;
    }
  }
  void refresh();
  const repeating = setInterval(() => void refresh(), tab.everyMs);

  return {
    element: h(
      'section',
      { class: 'page markets' },
      h('div', { class: 'page-head' }, h('h1', {}, 'Markets'), note),
      h('nav', { class: 'tabs', 'aria-label': 'Market types' }, links),
      place,
    ),
    title: `${tab.title} · Markets`,
    list: { label: `Search ${tab.title.toLowerCase()}`, cards: 'details[data-market]' },
    end() {
      abort.abort();
      clearInterval(repeating);
    },
  };
}

/**
 * Remembers how far a table is scrolled and whether the keyboard stands on it; the answer puts both back on the new one.
 * @param {HTMLElement} place
 */
function scrolledTo(place) {
  const before = place.querySelector('.scroller');
  const left = before?.scrollLeft ?? 0;
  const hadFocus = before !== null && before === document.activeElement;
  return () => {
    const after = place.querySelector('.scroller');
    if (!(after instanceof HTMLElement)) return;
    after.scrollLeft = left;
    if (hadFocus) after.focus({ preventScroll: true });
  };
}
