/** One instrument: its candles and quote, its book, what is written of it, its funding, and who holds it. */
import { CandlePanel } from './candle-panel.js';
import { partsOf, TIMEFRAMES } from './timeframes.js';
import { readCatalog } from './catalog.js';
import { fill, h, say } from './dom.js';
import { fundingPanel } from './funding-panel.js';
import { holdersPanel } from './holders-panel.js';
import { newsPanel } from './news-panel.js';
import { orderBookPanel } from './order-book-panel.js';
import { may } from './permissions.js';
import { quoteHead } from './quote-head.js';
import { IS_REPLAY } from './replay-mode.js';
import { plain, symbolOf } from './words.js';

/** @typedef {import('./catalog.js').CatalogEntry} CatalogEntry */

/**
 * @param {import('./shell.js').Context} context
 * @param {string} key `spotchain:AAPLx`
 * @param {string} timeframe The length of a bar; one is chosen where it is none.
 * @returns {import('./shell.js').View}
 */
export function instrumentView(context, key, timeframe) {
  const abort = new AbortController();
  const { signal } = abort;
  /** @type {{ end(): void }[]} */
  const parts = [];
  const about = h('p', { class: 'faint' });
  const panels = h('div', { class: 'instrument-panels' });
  const known = TIMEFRAMES.some(([name]) => name === timeframe) ? { timeframe } : {};
  const head = quoteHead({ context, key });
  const candles = new CandlePanel({ context, instruments: [key], ...known });
  parts.push(head, candles);
  const element = h(
    'section',
    { class: 'page instrument' },
    h('p', { class: 'trail' }, h('a', { href: '#/quotes' }, '← Quotes')),
    h('div', { class: 'page-head' }, h('div', {}, h('h1', {}, symbolOf(key)), about)),
    head.element,
    h('div', { class: 'panel' }, candles.element),
    panels,
  );

  async function begin() {
    try {
      const entry = (await readCatalog()).get(key);
      if (signal.aborted) return;
      const isReference = partsOf(key).venue === 'reference';
      if (entry === undefined && !isReference) return fill(element, missing(key));
      say(about, entry === undefined ? 'Reference price of the share. It cannot be traded here.' : aboutWords(entry));
      const made = panelsOf({ context, key, signal }, entry);
      parts.push(...made);
      fill(
        panels,
        made.map((one) => one.element),
      );
    } catch (error) {
      if (!signal.aborted) context.fail(error);
    }
  }

  void begin();
  return {
    element,
    title: symbolOf(key),
    end() {
      abort.abort();
      for (const part of parts) part.end();
    },
  };
}

/** @param {CatalogEntry} entry */
function aboutWords({ name, venue, kind, sector, underlying, quoteCurrency }) {
  return `${name} · ${plain(kind)} on ${plain(venue)} in ${quoteCurrency} · ${plain(sector)} · follows ${underlying}`;
}

/**
 * @param {{ readonly context: import('./shell.js').Context, readonly key: string, readonly signal: AbortSignal }} options
 * @param {CatalogEntry | undefined} entry
 */
function panelsOf(options, entry) {
  // A tape holds prices: neither books nor news, and nobody's positions.
  if (IS_REPLAY) return [];
  const { context, key, signal } = options;
  return [
    ...(entry === undefined ? [] : [orderBookPanel(options)]),
    ...(may('agent:read') ? [holdersPanel(options)] : []),
    newsPanel({ context, symbol: entry?.underlying ?? symbolOf(key), signal }),
    ...(entry?.kind === 'perp' ? [fundingPanel(options)] : []),
  ];
}

/** @param {string} key */
function missing(key) {
  return [
    h('p', { class: 'trail' }, h('a', { href: '#/quotes' }, '← Quotes')),
    h('h1', {}, 'Instrument not found'),
    h('p', { class: 'faint' }, `The catalog has no instrument named ${key}.`),
  ];
}
