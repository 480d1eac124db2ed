/** Timeframes of candles, and the parts of an instrument's key that a series is asked by. */

/** Timeframes that one may choose, with their length. */
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

/** @param {string} key `spotexchange:BTCUSDT`; a venue that there is not one of is refused by the service. */
export function partsOf(key) {
  const at = key.indexOf(':');
  return { venue: /** @type {import('./wire.ts').QuoteRow['venue']} */ (key.slice(0, at)), instrument: key.slice(at + 1) };
}
