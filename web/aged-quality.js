/** Quality as it is now: a quote ages in the page, so that what is no longer received is never shown as live. */
import { h, mark, say } from './dom.js';
import { plain } from './words.js';

/**
 * @typedef {object} Received Data as the service last described it.
 * @property {string} quality
 * @property {number} [maxAgeMs] The oldest age at which it is live; without one it is live only while the service is received.
 * @property {string} [cadence]
 * @property {string} [receivedAt]
 * @property {string} [feedUpdatedAt] Of a reference price, whose age counts from here.
 */
/** @typedef {Pick<ReturnType<typeof import('./feed.js').createFeed>, 'now' | 'isReceived' | 'isReplay'>} Feed */

const GOOD = ['live', 'no_trades'];
const TICK_MS = 500;

/** Milliseconds since the quote was known to be true. @param {Received} row @param {number} now */
export function ageOf({ feedUpdatedAt, receivedAt = '' }, now) {
  return now - Date.parse(feedUpdatedAt ?? receivedAt);
}

/**
 * `stale` instead of a good quality once the data is older than its limit. A venue that sends only changes leaves a quote unchanged and
 * live: the service vouches for it, while the service is received. A replay's time may outrun its frames.
 * @template {Received} Row
 * @param {Row} row
 * @param {Feed} feed
 * @returns {Row['quality'] | 'stale'}
 */
export function agedQuality(row, feed) {
  const { quality, maxAgeMs, cadence } = row;
  if (!GOOD.includes(quality)) return quality;
  const isVouched = feed.isReceived() && (maxAgeMs === undefined || cadence === 'change_only' || feed.isReplay);
  return isVouched || (maxAgeMs !== undefined && ageOf(row, feed.now()) <= maxAgeMs) ? quality : 'stale';
}

/** @typedef {'quality-' | 'hears-' | 'hearing-'} Kind The family of a badge's colours. */
/** Data behind each badge. @type {WeakMap<Element, { readonly row: Received, readonly kind: Kind }>} */
const described = new WeakMap();

/**
 * A badge of present data, which {@link keepBadgesAging} keeps true.
 * @param {Received} [row] Later, through {@link describe}, unless told.
 * @param {Kind} [kind]
 */
export function qualityBadge(row, kind) {
  const badge = h('span', { 'data-aging': '' });
  if (row !== undefined) describe(badge, row, kind);
  return badge;
}

/** Gives a badge newer data. @param {Element} badge @param {Received} row @param {Kind} [kind] */
export function describe(badge, row, kind = 'quality-') {
  described.set(badge, { row, kind });
  show(badge, kind, row.quality);
}

/** @param {Element} badge @param {Kind} kind @param {string} quality */
function show(badge, kind, quality) {
  say(badge, plain(quality));
  mark(badge, 'class', `${kind === 'quality-' ? 'quality' : 'badge'} ${kind}${quality}`);
}

/** Ages every badge within a place until the returned function is called. @param {Element} place @param {Feed} feed */
export function keepBadgesAging(place, feed) {
  const ticking = setInterval(() => {
    for (const badge of place.querySelectorAll('[data-aging]')) {
      const of = described.get(badge);
      if (of !== undefined) show(badge, of.kind, agedQuality(of.row, feed));
    }
  }, TICK_MS);
  return () => clearInterval(ticking);
}
