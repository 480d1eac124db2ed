/** News of one asset: its events, newest first, with severity and confirmation. */
import { fill, h, say } from './dom.js';
import { read } from './http.js';
import { dayAndTime, plain } from './words.js';

/** @typedef {import('./api.ts').MarketEvent} MarketEvent */

const SHOWN = 12;
/** News come by no feed; they are read again so often. */
const READ_EVERY_MS = 20_000;

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.symbol Of the asset: `AAPL`.
 * @param {AbortSignal} options.signal
 */
export function newsPanel({ context, symbol, signal }) {
  const note = h('p', { class: 'faint', role: 'status' }, 'Loading…');
  const list = h('ul', { class: 'news-list' });

  async function refresh() {
    try {
      /** @type {import('./wire.ts').Page<MarketEvent>} */
      const { items } = await read(`/v1/intelligence/events?symbol=${encodeURIComponent(symbol)}&limit=${SHOWN}`, { signal });
      say(note, items.length === 0 ? `No news about ${symbol}.` : '');
      fill(list, items.map(eventItem));
    } catch (error) {
      if (signal.aborted) return;
      say(note, 'The news could not be loaded.');
      context.fail(error);
    }
  }

  void refresh();
  const again = setInterval(() => void refresh(), READ_EVERY_MS);
  return {
    element: h(
      'div',
      { class: 'panel news-panel' },
      h('div', { class: 'panel-head' }, h('h2', {}, `News about ${symbol}`)),
      h('div', { class: 'panel-body' }, note, list),
    ),
    end() {
      clearInterval(again);
    },
  };
}

/** @param {MarketEvent} event */
function eventItem({ headline, kind, severity, direction, state, families, firstAt }) {
  return h(
    'li',
    { 'data-severity': severity },
    h('span', {}, headline),
    h(
      'span',
      { class: 'faint' },
      `${dayAndTime(firstAt).slice(0, 16)} · ${plain(kind)} · ${severity}, ${direction} · ${state} · ${families.join(', ')}`,
    ),
  );
}
