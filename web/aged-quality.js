/** Quality of a quote at this moment. Quotes age in the page, so stale data is never shown as live. */
/**
 * @typedef {object} Received Data as the service last described it.
 * @property {string} quality
 * @property {number} [maxAgeMs] Maximum age of live data in milliseconds. Without it, data is live only while the service is received.
 * @property {string} [cadence]
 * @property {string} [receivedAt]
 * @property {string} [feedUpdatedAt] Publication time of a reference price. Its age counts from here.
 */
/** @typedef {Pick<ReturnType<typeof import('./feed.js').createFeed>, 'now' | 'isReceived' | 'isReplay'>} Feed */

const GOOD = ['live', 'no_trades'];

/** Returns the age of a quote in milliseconds. @param {Received} row @param {number} now */
export function computeAge({ feedUpdatedAt, receivedAt = '' }, now) {
  return now - Date.parse(feedUpdatedAt ?? receivedAt);
}

/**
 * Returns the quality, or `stale` once live data exceeds its maximum age. A venue that sends only changes leaves a quote unchanged and
 * live as long as the service is received. In a replay, time may run ahead of the frames.
 * @template {Received} Row
 * @param {Row} row
 * @param {Feed} feed
 * @returns {Row['quality'] | 'stale'}
 */
export function agedQuality(row, feed) {
  const { quality, maxAgeMs, cadence } = row;
  if (!GOOD.includes(quality)) return quality;
  const isVouched = feed.isReceived() && (maxAgeMs === undefined || cadence === 'change_only' || feed.isReplay);
  return isVouched || (maxAgeMs !== undefined && computeAge(row, feed.now()) <= maxAgeMs) ? quality : 'stale';
}
