/** Exchange hours on a grid of minutes: the variance of each minute, and the last print of a share. */
import { SESSION_YEARS, type TradingDay, tradingDays } from '../../domain/market/session.ts';
import { MINUTE_MS } from '../../domain/values/time.ts';

/** Variance of a minute in extended hours, relative to 1 in the regular session. */
const EXTENDED = 0.1;
const CLOSED = 0.06;
/** Variance of one year in regular minutes: 252 x (390 + 570 x 0.1), plus the time when the market is closed. */
const YEAR = 130_000;

interface Day {
  readonly pre: number;
  readonly regular: number;
  readonly post: number;
  readonly closed: number;
  /** Variance elapsed by `pre`. */
  readonly elapsed: number;
}

function days(): Day[] {
  const known: TradingDay[] = tradingDays(Date.UTC(SESSION_YEARS.first, 0, 1), Date.UTC(SESSION_YEARS.last + 1, 0, 2));
  const list: Day[] = [];
  let elapsed = 0;
  let last = 0;
  for (const day of known) {
    const pre = day.preMarketAt / MINUTE_MS;
    const regular = day.regularAt / MINUTE_MS;
    const post = day.postMarketAt / MINUTE_MS;
    const closed = day.closedAt / MINUTE_MS;
    elapsed += (pre - last) * CLOSED;
    list.push({ pre, regular, post, closed, elapsed });
    elapsed += (regular - pre) * EXTENDED + (post - regular) + (closed - post) * EXTENDED;
    last = closed;
  }
  return list;
}

const DAYS = days();
const FIRST_MINUTE = (DAYS[0] as Day).pre;
/** Last trading day that has begun by the end of each UTC day. */
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

/** Returns the last trading day whose pre-market began by the minute, or null before the first known one. */
function dayAt(minute: number): Day | null {
  if (minute < FIRST_MINUTE) return null;
  const row = Math.min(Math.floor(minute / 1440) - BY_UTC_DAY.first, BY_UTC_DAY.table.length - 1);
  let index = BY_UTC_DAY.table[row] as number;
  while ((DAYS[index] as Day).pre > minute) index--;
  return DAYS[index] as Day;
}

/** Returns the years of share variance elapsed by a minute. They pass fast in the regular session and slowly outside of it. */
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

/** Returns the years elapsed by a minute, for assets that trade around the clock. */
export function wallClock(minute: number): number {
  return minute / 525_960;
}

/** True if the share prints in the minute (pre-market, regular or late session). */
export function sharePrints(minute: number): boolean {
  const day = dayAt(minute);
  return day !== null && minute < day.closed;
}

/** Returns the minute at which the current session ends or the last one ended, or null before the first known session. */
export function lastPrintMinute(minute: number): number | null {
  return dayAt(minute)?.closed ?? null;
}

/** Returns the variance of one minute, in years of the share clock. */
export function shareMinuteVariance(minute: number): number {
  const day = dayAt(minute);
  if (day === null || minute >= day.closed) return CLOSED / YEAR;
  return (minute >= day.regular && minute < day.post ? 1 : EXTENDED) / YEAR;
}
