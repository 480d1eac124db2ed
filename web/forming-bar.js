/** The bar that has not closed yet: what the shorter bars within it and the quotes since make of it. Only for the eye. */
import { readBars } from './candle-reads.js';
import { barLength, partsOf } from './timeframes.js';

/** @typedef {import('./wire.ts').Bar} Bar */
/** @typedef {import('./price-chart.js').Forming} Forming */

/** Timeframe of the closed bars within a longer one. @type {{ readonly [timeframe: string]: string }} */
const WITHIN = { '5m': '1m', '15m': '1m', '1h': '1m', '4h': '15m', '24h': '1h' };

/**
 * @param {object} options
 * @param {import('./shell.js').Context} options.context
 * @param {string} options.key
 * @param {string} options.timeframe
 * @param {Bar | undefined} options.last The newest bar that has closed.
 * @param {(bar: Forming) => void} options.onBar
 * @param {AbortSignal} options.signal
 * @returns {() => void} Ends it.
 */
export function followFormingBar({ context: { feed }, key, timeframe, last, onBar, signal }) {
  const length = barLength(timeframe);
  const { venue, instrument } = partsOf(key);
  const begin = () => Math.floor(feed.now() / length) * length;
  /** @type {Forming | null} */
  let bar = null;
  let isRead = false;

  /** @param {number} price */
  function take(price) {
    const at = begin();
    if (bar === null || bar.at !== at) {
      const open = bar?.close ?? (last === undefined ? price : Number(last.close));
      bar = { at, open, high: Math.max(open, price), low: Math.min(open, price), close: price };
    } else bar = { ...bar, high: Math.max(bar.high, price), low: Math.min(bar.low, price), close: price };
    if (isRead) onBar(bar);
  }

  async function readWithin() {
    const within = WITHIN[timeframe];
    const at = begin();
    const count = within === undefined ? 0 : Math.ceil((feed.now() - at) / barLength(within));
    const { bars } = within === undefined || count === 0 ? { bars: [] } : await readBars(key, within, count, signal, feed.now());
    const inside = bars.filter(({ openTime }) => Date.parse(openTime) >= at);
    const [first] = inside;
    isRead = true;
    // The next bar may have begun while this one was read.
    if (first === undefined || (bar !== null && bar.at > at)) return;
    const close = bar?.close ?? Number(inside.at(-1)?.close);
    const high = Math.max(...inside.map((one) => Number(one.high)), bar?.high ?? -Infinity);
    const low = Math.min(...inside.map((one) => Number(one.low)), bar?.low ?? Infinity);
    bar = { at, open: Number(first.open), high, low, close };
    onBar(bar);
  }

  const stop = feed.subscribe({
    channel: 'quotes',
    params: { venue, instrument },
    receive({ data }) {
      for (const quote of [data].flat()) {
        const price = quote.venue === venue && quote.instrument === instrument ? priceOf(quote) : null;
        if (price !== null && !signal.aborted) take(price);
      }
    },
  });
  // Without the bars within it, it begins with what is received from here on.
  readWithin().catch(() => {
    isRead = true;
  });
  return stop;
}

/** The middle of a quote, or a reference price; null if it is not live. @param {import('./wire.ts').QuoteRow} quote */
function priceOf({ bid, ask, referencePrice, quality }) {
  if (quality !== 'live') return null;
  if (referencePrice != null) return Number(referencePrice);
  return bid == null || ask == null ? null : (Number(bid) + Number(ask)) / 2;
}
