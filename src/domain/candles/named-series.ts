/** Series of bars by name, checked against the timeframes and the catalog. */
import type { CandleSeries } from './candle.ts';
import { CATALOG } from '../catalog/catalog.ts';
import { nearestNames } from '../values/nearest-name.ts';
import { timeframeMs } from '../values/time.ts';
import { instrumentKey } from '../market/venue.ts';

/** Checks the names. @throws Error with one sentence if the timeframe or an instrument is invalid. */
export function checkedSeries(
  { venue, instrument, timeframe }: CandleSeries,
  mustBeListed: boolean,
): CandleSeries & { readonly barMs: number } {
  const barMs = timeframeMs(timeframe);
  if (barMs === null)
    throw new Error(`${JSON.stringify(timeframe)} is not a timeframe: use minutes or hours, such as 1m, 1h or 24h for a day`);
  const listed = CATALOG.entries.filter((entry) => entry.venue === venue).map((entry) => entry.instrument);
  const isKnown =
    listed.includes(instrument) ||
    (venue === 'reference' && CATALOG.entries.some(({ benchmark }) => benchmark === instrumentKey(venue, instrument)));
  if (!isKnown && mustBeListed) {
    const [near] = nearestNames(instrument, listed, 1);
    throw new Error(
      `${venue} has no instrument ${JSON.stringify(instrument)} in the catalog${near === undefined ? '' : `: did you mean ${near}?`}`,
    );
  }
  if (!/^[A-Za-z0-9._@:/-]{1,64}$/.test(instrument)) throw new Error(`${JSON.stringify(instrument)} is not the name of an instrument`);
  return { venue, instrument, timeframe, barMs };
}
