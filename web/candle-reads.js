/** Closed bars of one series as the API pages them, and the stretches in which a market was shut. */
import { pagesOf, read } from './http.js';
import { barLength, partsOf } from './timeframes.js';

/** @typedef {import('./wire.ts').Bar} Bar */
/** @typedef {import('./api.ts').Candles} Candles */

const PER_PAGE = 200;

/**
 * The bars of so many times their length up to an instant, ascending, and what is missing among them.
 * @param {string} key
 * @param {string} timeframe
 * @param {number} count
 * @param {AbortSignal} signal
 * @param {number} now The service's time.
 * @param {number | null} [end] Null for now, with all that comes.
 * @returns {Promise<{ readonly bars: readonly Bar[], readonly gaps: Candles['coverage']['gaps'] }>}
 */
export async function readBars(key, timeframe, count, signal, now, end = null) {
  const { venue, instrument } = partsOf(key);
  const series = `venue=${venue}&instrument=${encodeURIComponent(instrument)}&timeframe=${timeframe}`;
  const from = (end ?? now) - count * barLength(timeframe);
  const span = end === null ? `from=${from}` : `from=${from}&to=${end}`;
  /** @type {Bar[]} */
  const bars = [];
  /** @type {Candles['coverage']['gaps'][number][]} */
  const gaps = [];
  /** @type {AsyncGenerator<Candles>} */
  const pages = pagesOf(`/v1/candles?${series}&${span}&limit=${PER_PAGE}`, { signal });
  for await (const { items, coverage } of pages) {
    bars.push(...items);
    gaps.push(...coverage.gaps);
  }
  return { bars, gaps };
}

/**
 * The stretches between two instants in which the regular session of US shares was shut.
 * @param {{ readonly from: number, readonly to: number }} span
 * @param {AbortSignal} signal
 * @returns {Promise<readonly { readonly from: number, readonly to: number }[]>}
 */
export async function readClosed({ from, to }, signal) {
  const day = (/** @type {number} */ at) => new Date(at).toISOString().slice(0, 10);
  /** @type {import('./wire.ts').Page<import('./api.ts').SessionDay>} */
  const { items } = await read(`/v1/catalog/sessions?from=${day(from)}&to=${day(to)}&limit=${PER_PAGE}`, { signal });
  const open = items.flatMap(({ regularAt, postMarketAt }) =>
    regularAt === null || postMarketAt === null ? [] : [{ from: Date.parse(regularAt), to: Date.parse(postMarketAt) }],
  );
  const edges = [from, ...open.flatMap((session) => [session.from, session.to]), to];
  const closed = [];
  for (let i = 0; i < edges.length; i += 2)
    closed.push({ from: /** @type {number} */ (edges[i]), to: /** @type {number} */ (edges[i + 1]) });
  return closed.filter((stretch) => stretch.to > stretch.from);
}
