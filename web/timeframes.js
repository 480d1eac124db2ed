/** Timeframes of candles, and the parts of an instrument key. */

/** Selectable timeframes with their lengths. */
export const TIMEFRAMES = /** @type {const} */ ([
  ['1m', 60_000],
  ['5m', 300_000],
  ['15m', 900_000],
  ['1h', 3_600_000],
  ['4h', 14_400_000],
  ['24h', 86_400_000],
]);

/** @param {string} timeframe */
export function barLength(timeframe) {
  return TIMEFRAMES.find(([name]) => name === timeframe)?.[1] ?? 60_000;
}

/** @param {string} key `spotexchange:BTCUSDT`; the service refuses an unknown venue. */
export function splitKey(key) {
  const at = key.indexOf(':');
  return { venue: /** @type {import('./wire.ts').QuoteRow['venue']} */ (key.slice(0, at)), instrument: key.slice(at + 1) };
}
