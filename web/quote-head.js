/** The quote of one instrument as it moves: bid, ask, spread, age and quality in one line. */
import { ageOf, qualityBadge } from './aged-quality.js';
import { partsOf } from './timeframes.js';
import { flagChips } from './decision-card.js';
import { fill, h, mark, say } from './dom.js';
import { factList } from './tables.js';
import { age, quoteText } from './words.js';

/** @typedef {import('./wire.ts').QuoteRow} QuoteRow */

const UNKNOWN = '–';

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.key
 * @param {(quote: QuoteRow) => void} [options.onQuote]
 */
export function quoteHead({ context: { feed }, key, onQuote }) {
  const { venue, instrument } = partsOf(key);
  const bid = h('span', { class: 'number' }, UNKNOWN);
  const ask = h('span', { class: 'number' }, UNKNOWN);
  const spread = h('span', { class: 'number' }, UNKNOWN);
  const old = h('span', { class: 'number' }, UNKNOWN);
  const quality = h('span', {}, 'no quote yet');
  const isReference = venue === 'reference';
  const element = factList([
    [isReference ? 'Price' : 'Bid', bid],
    [isReference ? 'Confidence (±)' : 'Ask', ask],
    ...(isReference ? [] : [/** @type {const} */ (['Spread', spread])]),
    ['Age', old],
    ['Quality', quality],
  ]);
  /** @type {QuoteRow | null} */
  let shown = null;

  /** @param {QuoteRow} quote */
  function take(quote) {
    if (quote.venue !== venue || quote.instrument !== instrument) return;
    shown = quote;
    const [first, second] = isReference ? [quote.referencePrice, quote.confidence] : [quote.bid, quote.ask];
    write(bid, first);
    write(ask, second);
    say(spread, spreadText(quote.bid, quote.ask));
    fill(quality, qualityBadge(quote), ' ', flagChips(quote.flags));
    tick();
    onQuote?.(quote);
  }

  function tick() {
    if (shown !== null) say(old, age(ageOf(shown, feed.now())));
  }

  const stop = feed.subscribe({
    channel: 'quotes',
    params: { venue, instrument },
    refuse: (detail) => say(quality, detail),
    receive: ({ data }) => {
      for (const quote of [data].flat()) take(quote);
    },
  });
  const ticking = setInterval(tick, 500);
  return {
    element,
    end() {
      stop();
      clearInterval(ticking);
    },
  };
}

/** @param {HTMLElement} place @param {string | null | undefined} price */
function write(place, price) {
  say(place, price === null || price === undefined ? UNKNOWN : quoteText(price));
  mark(place, 'title', price ?? null);
}

/**
 * Describes the spread relative to the middle, in basis points; for display only.
 * @param {string | null | undefined} bid
 * @param {string | null | undefined} ask
 */
function spreadText(bid, ask) {
  if (bid === null || bid === undefined || ask === null || ask === undefined) return UNKNOWN;
  const [low, high] = [Number(bid), Number(ask)];
  return `${(((high - low) / ((high + low) / 2)) * 10_000).toFixed(1)} bps`;
}
