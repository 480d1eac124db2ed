/** Checks the times of share bars against the calendar of the exchange. */
import { CATALOG } from '../../domain/catalog/catalog.ts';
import { lastRegularClose, newYorkDate, newYorkOffsetMs, sessionAt, tradingDay } from '../../domain/market/session.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../domain/values/time.ts';
import { type InstrumentKey, splitInstrumentKey } from '../../domain/market/venue.ts';

/** Minimum number of bars for a verdict on the time zone. A regular day has seven hourly bars. */
const ENOUGH_BARS = 6;
/** Share of bars within the exchange's hours from which a file counts as following them. */
const FOLLOWS_HOURS = 0.95;

/**
 * Returns true for a US share and false for an instrument that trades around the clock. Returns null for a token or perpetual on a share,
 * whose file may hold either kind of bars.
 */
export function isOfShare(key: InstrumentKey): boolean | null {
  if (splitInstrumentKey(key).venue === 'reference')
    return !CATALOG.entries.some(({ benchmark, benchmarkKind }) => benchmark === key && benchmarkKind === 'issuer_mark');
  const entry = CATALOG.byKey(key);
  const share = entry?.benchmarkKind ?? (entry?.pairedSpot ? CATALOG.byKey(entry.pairedSpot)?.benchmarkKind : null);
  return share === 'reference_price' ? null : false;
}

/**
 * Returns the time until which a bar trades. Days of US shares trade until the end of a session, other bars for their whole length. @param
 * ofShare null if unknown; then only days that begin with the regular session count as shares.
 */
export function tradedUntil(openTime: EpochMs, barMs: number, ofShare: boolean | null): EpochMs {
  const nominal = openTime + barMs;
  const day = barMs % DAY_MS === 0 && ofShare !== false ? tradingDay(newYorkDate(openTime)) : null;
  if (day === null) return nominal;
  const isMidnight = (openTime + newYorkOffsetMs(openTime)) % DAY_MS === 0;
  if (openTime === day.regularAt || (isMidnight && ofShare === true)) return lastRegularClose(nominal) ?? nominal;
  // A day that begins before the regular session includes the late one.
  if (ofShare === true && openTime >= day.preMarketAt && openTime < day.regularAt && barMs === DAY_MS) return day.closedAt;
  return nominal;
}

interface Reading {
  open: number;
  regularVolume: number;
}

/**
 * Detects intraday share bars in New York time that are labelled as UTC. Such an offset of four or five hours passes every grid check and
 * would reveal prices hours before they traded.
 */
export class ShareClock {
  #bars = 0;
  readonly #utc: Reading = { open: 0, regularVolume: 0 };
  readonly #newYork: Reading = { open: 0, regularVolume: 0 };

  take(openTime: EpochMs, volume: number): void {
    this.#bars++;
    count(this.#utc, openTime, volume);
    // Clocks change on Sundays while the exchange is closed, so noon's offset holds all day.
    const noon = openTime - (openTime % DAY_MS) + 17 * HOUR_MS;
    count(this.#newYork, openTime - newYorkOffsetMs(noon), volume);
  }

  /**
   * Returns true if the bars fit New York time at least as well as UTC. A tie chooses New York, the later reading, so that no price is seen
   * too early.
   */
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
