/** Quality as it is now: a quote ages in the page, so that what is no longer received is never shown as live. */
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
