/** Checks the times of share bars against the calendar of the exchange. */
import { CATALOG } from '../../domain/catalog/catalog.ts';
import { lastRegularClose, newYorkDate, newYorkOffsetMs, sessionAt, tradingDay } from '../../domain/market/session.ts';
import type { EpochMs } from '../../domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Bars below which a file says nothing about its clock: an hourly regular day has seven. */
const ENOUGH_BARS = 6;
/** Share of bars within the exchange's hours above which a file is taken to follow them. */
const FOLLOWS_HOURS = 0.95;

/**
 * Returns true if the instrument is a US share, false if it trades around the clock, and null if it is a token or a perpetual on
 * a share: its bars are its own, or those of the share.
 */
export function isOfShare(key: InstrumentKey): boolean | null {
  if (splitInstrumentKey(key).venue === 'reference')
    return !CATALOG.entries.some(({ benchmark, benchmarkKind }) => benchmark === key && benchmarkKind === 'issuer_mark');
  const entry = CATALOG.byKey(key);
  const share = entry?.benchmarkKind ?? (entry?.pairedSpot ? CATALOG.byKey(entry.pairedSpot)?.benchmarkKind : null);
  return share === 'reference_price' ? null : false;
}

/**
 * Returns the instant until which a bar trades. Days of US shares trade until a session ends, every other bar for its whole length.
 * @param ofShare null if it is not known what the bars are of: then only days that begin with the regular session are shares'.
 */
export function tradedUntil(openTime: EpochMs, barMs: number, ofShare: boolean | null): EpochMs {
  const nominal = openTime + barMs;
  const day = barMs % DAY === 0 && ofShare !== false ? tradingDay(newYorkDate(openTime)) : null;
  if (day === null) return nominal;
  const isMidnight = (openTime + newYorkOffsetMs(openTime)) % DAY === 0;
  if (openTime === day.regularAt || (isMidnight && ofShare === true)) return lastRegularClose(nominal) ?? nominal;
  // A day that begins before the regular session holds the late one as well.
  if (ofShare === true && openTime >= day.preMarketAt && openTime < day.regularAt && barMs === DAY) return day.closedAt;
  return nominal;
}

interface Reading {
  open: number;
  regularVolume: number;
}

/**
 * Tells whether the intraday bars of a share lie on New York's wall clock although their times say UTC. An error of four or
 * five whole hours passes every check of a grid, and shows prices hours before they traded.
 */
export class ShareClock {
  #bars = 0;
  readonly #utc: Reading = { open: 0, regularVolume: 0 };
  readonly #newYork: Reading = { open: 0, regularVolume: 0 };

  take(openTime: EpochMs, volume: number): void {
    this.#bars++;
    count(this.#utc, openTime, volume);
    // The clock changes on Sundays, when the exchange is closed: noon's offset is the day's.
    const noon = openTime - (openTime % DAY) + 17 * HOUR;
    count(this.#newYork, openTime - newYorkOffsetMs(noon), volume);
  }

  /** True if the bars fit New York's clock at least as well as UTC. A tie takes the later reading: nothing is seen before it was there. */
  isNewYork(): boolean {
    const [utc, newYork] = [this.#utc, this.#newYork];
    if (this.#bars < ENOUGH_BARS || newYork.open < this.#bars * FOLLOWS_HOURS) return false;
    return utc.open < newYork.open || utc.regularVolume <= newYork.regularVolume;
  }
}

function count(reading: Reading, openTime: EpochMs, volume: number): void {
  const session = sessionAt(openTime);
  if (session !== 'CLOSED') reading.open++;
  if (session === 'REGULAR') reading.regularVolume += volume;
}
