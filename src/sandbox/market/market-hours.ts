/** The exchange's hours on a grid of minutes: how much happens in each minute, and when the share last printed. */
import { SESSION_YEARS, type TradingDay, tradingDays } from '../../domain/market/session.ts';

const MINUTE = 60_000;
/** Variance of a minute outside of the regular session, relative to 1 within it. */
const EXTENDED = 0.1;
const CLOSED = 0.06;
/** Regular minutes' worth of variance of one year: 252 x (390 + 570 x 0.1) and the closed rest. */
const YEAR = 130_000;

interface Day {
  readonly pre: number;
  readonly regular: number;
  readonly post: number;
  readonly closed: number;
  /** Variance elapsed up to `pre`. */
  readonly elapsed: number;
}

function days(): Day[] {
  const known: TradingDay[] = tradingDays(Date.UTC(SESSION_YEARS.first, 0, 1), Date.UTC(SESSION_YEARS.last + 1, 0, 2));
  const list: Day[] = [];
  let elapsed = 0;
  let last = 0;
  for (const day of known) {
    const pre = day.preMarketAt / MINUTE;
    const regular = day.regularAt / MINUTE;
    const post = day.postMarketAt / MINUTE;
    const closed = day.closedAt / MINUTE;
    elapsed += (pre - last) * CLOSED;
    list.push({ pre, regular, post, closed, elapsed });
    elapsed += (regular - pre) * EXTENDED + (post - regular) + (closed - post) * EXTENDED;
    last = closed;
  }
  return list;
}

const DAYS = days();
const FIRST_MINUTE = (DAYS[0] as Day).pre;
/** Last trading day that has begun by the end of a UTC day, by UTC day since the first. */
const BY_UTC_DAY = (() => {
  const first = Math.floor(FIRST_MINUTE / 1440);
  const last = Math.floor((DAYS[DAYS.length - 1] as Day).closed / 1440) + 1;
  const table = new Int32Array(last - first + 1);
  let index = 0;
  for (let day = first; day <= last; day++) {
    while (index + 1 < DAYS.length && (DAYS[index + 1] as Day).pre < (day + 1) * 1440) index++;
    table[day - first] = index;
  }
  return { first, table };
})();

/** The last trading day whose pre-market began at or before the minute; null before the first known one. */
function dayAt(minute: number): Day | null {
  if (minute < FIRST_MINUTE) return null;
  const row = Math.min(Math.floor(minute / 1440) - BY_UTC_DAY.first, BY_UTC_DAY.table.length - 1);
  let index = BY_UTC_DAY.table[row] as number;
  while ((DAYS[index] as Day).pre > minute) index--;
  return DAYS[index] as Day;
}

/** Years of share-price variance elapsed up to a minute: fast in the regular session, slow when closed. */
export function shareClock(minute: number): number {
  const day = dayAt(minute);
  if (day === null) return (minute * CLOSED) / YEAR;
  let elapsed = day.elapsed;
  if (minute <= day.regular) elapsed += (minute - day.pre) * EXTENDED;
  else {
    elapsed += (day.regular - day.pre) * EXTENDED;
    if (minute <= day.post) elapsed += minute - day.regular;
    else {
      elapsed += day.post - day.regular + (Math.min(minute, day.closed) - day.post) * EXTENDED;
      if (minute > day.closed) elapsed += (minute - day.closed) * CLOSED;
    }
  }
  return elapsed / YEAR;
}

/** Years elapsed up to a minute, for what trades around the clock. */
export function wallClock(minute: number): number {
  return minute / 525_960;
}

/** True if the share prints during the minute (pre-market, regular or late session). */
export function sharePrints(minute: number): boolean {
  const day = dayAt(minute);
  return day !== null && minute < day.closed;
}

/** The minute at which the session that an instant belongs to ends, or where the last one ended; null before the first known one. */
export function lastPrintMinute(minute: number): number | null {
  return dayAt(minute)?.closed ?? null;
}

/** The variance of one minute in years of the share clock. */
export function shareMinuteVariance(minute: number): number {
  const day = dayAt(minute);
  if (day === null || minute >= day.closed) return CLOSED / YEAR;
  return (minute >= day.regular && minute < day.post ? 1 : EXTENDED) / YEAR;
}
