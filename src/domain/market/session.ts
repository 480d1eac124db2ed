/** US equity sessions in New York time: the session of an instant, and its changes. */
import type { Session } from './quote.ts';
import { DAY_MS, type EpochMs, HOUR_MS } from '../values/time.ts';

interface CalendarYear {
  /** Full closures on weekdays, as `MM-DD`. */
  readonly holidays: readonly string[];
  /** Days on which the regular session ends at 13:00, and the late session four hours later. */
  readonly halfDays: readonly string[];
  /** Half days that end at 14:00, as until 1992. */
  readonly closesAt14?: readonly string[];
}

/**
 * Published calendar of the New York Stock Exchange. In years that are not listed the session is unknown. Hours lost to weather, ceremonies
 * or outages are not included: such a day counts as a whole one.
 */
const CALENDAR: Readonly<Record<number, CalendarYear>> = {
  1990: {
    holidays: ['01-01', '02-19', '04-13', '05-28', '07-04', '09-03', '11-22', '12-25'],
    halfDays: [],
    closesAt14: ['12-24'],
  },
  1991: {
    holidays: ['01-01', '02-18', '03-29', '05-27', '07-04', '09-02', '11-28', '12-25'],
    halfDays: [],
    closesAt14: ['12-24'],
  },
  1992: {
    holidays: ['01-01', '02-17', '04-17', '05-25', '07-03', '09-07', '11-26', '12-25'],
    halfDays: [],
    closesAt14: ['11-27', '12-24'],
  },
  1993: {
    holidays: ['01-01', '02-15', '04-09', '05-31', '07-05', '09-06', '11-25', '12-24'],
    halfDays: ['11-26'],
  },
  1994: {
    // 04-27: national day of mourning for Richard Nixon.
    holidays: ['02-21', '04-01', '04-27', '05-30', '07-04', '09-05', '11-24', '12-26'],
    halfDays: ['11-25'],
  },
  1995: {
    holidays: ['01-02', '02-20', '04-14', '05-29', '07-04', '09-04', '11-23', '12-25'],
    halfDays: ['07-03', '11-24'],
  },
  1996: {
    holidays: ['01-01', '02-19', '04-05', '05-27', '07-04', '09-02', '11-28', '12-25'],
    halfDays: ['07-05', '11-29', '12-24'],
  },
  1997: {
    holidays: ['01-01', '02-17', '03-28', '05-26', '07-04', '09-01', '11-27', '12-25'],
    halfDays: ['07-03', '11-28', '12-24', '12-26'],
  },
  1998: {
    holidays: ['01-01', '01-19', '02-16', '04-10', '05-25', '07-03', '09-07', '11-26', '12-25'],
    halfDays: ['11-27', '12-24'],
  },
  1999: {
    holidays: ['01-01', '01-18', '02-15', '04-02', '05-31', '07-05', '09-06', '11-25', '12-24'],
    halfDays: ['11-26', '12-31'],
  },
  2000: {
    holidays: ['01-17', '02-21', '04-21', '05-29', '07-04', '09-04', '11-23', '12-25'],
    halfDays: ['07-03', '11-24'],
  },
  2001: {
    // 09-11 to 09-14: the attacks of September 11.
    holidays: ['01-01', '01-15', '02-19', '04-13', '05-28', '07-04', '09-03', '09-11', '09-12', '09-13', '09-14', '11-22', '12-25'],
    halfDays: ['07-03', '11-23', '12-24'],
  },
  2002: {
    holidays: ['01-01', '01-21', '02-18', '03-29', '05-27', '07-04', '09-02', '11-28', '12-25'],
    halfDays: ['07-05', '11-29', '12-24'],
  },
  2003: {
    holidays: ['01-01', '01-20', '02-17', '04-18', '05-26', '07-04', '09-01', '11-27', '12-25'],
    halfDays: ['07-03', '11-28', '12-24', '12-26'],
  },
  2004: {
    // 06-11: national day of mourning for Ronald Reagan.
    holidays: ['01-01', '01-19', '02-16', '04-09', '05-31', '06-11', '07-05', '09-06', '11-25', '12-24'],
    halfDays: ['11-26'],
  },
  2005: {
    holidays: ['01-17', '02-21', '03-25', '05-30', '07-04', '09-05', '11-24', '12-26'],
    halfDays: ['11-25'],
  },
  2006: {
    holidays: ['01-02', '01-16', '02-20', '04-14', '05-29', '07-04', '09-04', '11-23', '12-25'],
    halfDays: ['07-03', '11-24'],
  },
  2007: {
    // 01-02: national day of mourning for Gerald Ford.
    holidays: ['01-01', '01-02', '01-15', '02-19', '04-06', '05-28', '07-04', '09-03', '11-22', '12-25'],
    halfDays: ['07-03', '11-23', '12-24'],
  },
  2008: {
    holidays: ['01-01', '01-21', '02-18', '03-21', '05-26', '07-04', '09-01', '11-27', '12-25'],
    halfDays: ['07-03', '11-28', '12-24'],
  },
  2009: {
    holidays: ['01-01', '01-19', '02-16', '04-10', '05-25', '07-03', '09-07', '11-26', '12-25'],
    halfDays: ['11-27', '12-24'],
  },
  2010: {
    holidays: ['01-01', '01-18', '02-15', '04-02', '05-31', '07-05', '09-06', '11-25', '12-24'],
    halfDays: ['11-26'],
  },
  2011: {
    holidays: ['01-17', '02-21', '04-22', '05-30', '07-04', '09-05', '11-24', '12-26'],
    halfDays: ['11-25'],
  },
  2012: {
    // 10-29 and 10-30: hurricane Sandy.
    holidays: ['01-02', '01-16', '02-20', '04-06', '05-28', '07-04', '09-03', '10-29', '10-30', '11-22', '12-25'],
    halfDays: ['07-03', '11-23', '12-24'],
  },
  2013: {
    holidays: ['01-01', '01-21', '02-18', '03-29', '05-27', '07-04', '09-02', '11-28', '12-25'],
    halfDays: ['07-03', '11-29', '12-24'],
  },
  2014: {
    holidays: ['01-01', '01-20', '02-17', '04-18', '05-26', '07-04', '09-01', '11-27', '12-25'],
    halfDays: ['07-03', '11-28', '12-24'],
  },
  2015: {
    holidays: ['01-01', '01-19', '02-16', '04-03', '05-25', '07-03', '09-07', '11-26', '12-25'],
    halfDays: ['11-27', '12-24'],
  },
  2016: {
    holidays: ['01-01', '01-18', '02-15', '03-25', '05-30', '07-04', '09-05', '11-24', '12-26'],
    halfDays: ['11-25'],
  },
  2017: {
    holidays: ['01-02', '01-16', '02-20', '04-14', '05-29', '07-04', '09-04', '11-23', '12-25'],
    halfDays: ['07-03', '11-24'],
  },
  2018: {
    // 12-05: national day of mourning for George H. W. Bush.
    holidays: ['01-01', '01-15', '02-19', '03-30', '05-28', '07-04', '09-03', '11-22', '12-05', '12-25'],
    halfDays: ['07-03', '11-23', '12-24'],
  },
  2019: {
    holidays: ['01-01', '01-21', '02-18', '04-19', '05-27', '07-04', '09-02', '11-28', '12-25'],
    halfDays: ['07-03', '11-29', '12-24'],
  },
  2020: {
    holidays: ['01-01', '01-20', '02-17', '04-10', '05-25', '07-03', '09-07', '11-26', '12-25'],
    halfDays: ['11-27', '12-24'],
  },
  2021: {
    holidays: ['01-01', '01-18', '02-15', '04-02', '05-31', '07-05', '09-06', '11-25', '12-24'],
    halfDays: ['11-26'],
  },
  2022: {
    holidays: ['01-17', '02-21', '04-15', '05-30', '06-20', '07-04', '09-05', '11-24', '12-26'],
    halfDays: ['11-25'],
  },
  2023: {
    holidays: ['01-02', '01-16', '02-20', '04-07', '05-29', '06-19', '07-04', '09-04', '11-23', '12-25'],
    halfDays: ['07-03', '11-24'],
  },
  2024: {
    holidays: ['01-01', '01-15', '02-19', '03-29', '05-27', '06-19', '07-04', '09-02', '11-28', '12-25'],
    halfDays: ['07-03', '11-29', '12-24'],
  },
  2025: {
    // 01-09: national day of mourning for James Carter.
    holidays: ['01-01', '01-09', '01-20', '02-17', '04-18', '05-26', '06-19', '07-04', '09-01', '11-27', '12-25'],
    halfDays: ['07-03', '11-28', '12-24'],
  },
  2026: {
    holidays: ['01-01', '01-19', '02-16', '04-03', '05-25', '06-19', '07-03', '09-07', '11-26', '12-25'],
    halfDays: ['11-27', '12-24'],
  },
  2027: {
    holidays: ['01-01', '01-18', '02-15', '03-26', '05-31', '06-18', '07-05', '09-06', '11-25', '12-24'],
    halfDays: ['11-26'],
  },
};

const YEARS = Object.keys(CALENDAR).map(Number);
/** First and last calendar year with known sessions. */
export const SESSION_YEARS: { readonly first: number; readonly last: number } = { first: Math.min(...YEARS), last: Math.max(...YEARS) };

/** Returns the UTC instant of the n-th Sunday of a month (1-12) at the given UTC hour. */
function findSunday(year: number, month: number, nth: number, utcHour: number): EpochMs {
  const first = Date.UTC(year, month - 1, 1);
  const firstSunday = first + ((7 - new Date(first).getUTCDay()) % 7) * DAY_MS;
  return firstSunday + (nth - 1) * 7 * DAY_MS + utcHour * HOUR_MS;
}

/** First and last instant of daylight time, by year. */
const DAYLIGHT = new Map<number, readonly [EpochMs, EpochMs]>();

/**
 * Returns New York's offset from UTC in milliseconds. Daylight time begins and ends at 02:00 local: since 2007 on the second Sunday of
 * March and the first of November, from 1987 to 2006 on the first Sunday of April and the last of October.
 */
export function newYorkOffsetMs(at: EpochMs): number {
  const year = new Date(at).getUTCFullYear();
  let daylight = DAYLIGHT.get(year);
  if (daylight === undefined) {
    daylight =
      year >= 2007 ? [findSunday(year, 3, 2, 7), findSunday(year, 11, 1, 6)] : [findSunday(year, 4, 1, 7), findLastSunday(year, 10, 6)];
    DAYLIGHT.set(year, daylight);
  }
  return at >= daylight[0] && at < daylight[1] ? -4 * HOUR_MS : -5 * HOUR_MS;
}

function findLastSunday(year: number, month: number, utcHour: number): EpochMs {
  const fifth = findSunday(year, month, 5, utcHour);
  return new Date(fifth).getUTCMonth() === month - 1 ? fifth : fifth - 7 * DAY_MS;
}

/** Bounds of one trading day. Intervals are half-open: an instant on a bound belongs to the session that begins there. */
export interface TradingDay {
  /** The day in New York, `YYYY-MM-DD`. */
  readonly date: string;
  readonly preMarketAt: EpochMs;
  readonly regularAt: EpochMs;
  readonly postMarketAt: EpochMs;
  readonly closedAt: EpochMs;
  readonly halfDay: boolean;
}

const FIRST_DAY = Date.UTC(SESSION_YEARS.first, 0, 1) / DAY_MS;
const LAST_DAY = Date.UTC(SESSION_YEARS.last, 11, 31) / DAY_MS;

/** Number of New York dates in the known years. */
const DAY_COUNT = LAST_DAY - FIRST_DAY + 1;
/** Cache of requested days by index. Few of fourteen thousand are requested, and every process and thread loads this file. */
const known: (TradingDay | null | undefined)[] = [];

/** Returns the trading day of an index, null if the exchange is closed, or undefined outside the known years. */
function findTradingDay(index: number): TradingDay | null | undefined {
  if (!(index >= 0 && index < DAY_COUNT)) return undefined;
  const day = known[index];
  return day === undefined ? (known[index] = readDay(index)) : day;
}

function readDay(index: number): TradingDay | null {
  const midnightUtc = (FIRST_DAY + index) * DAY_MS;
  const weekday = new Date(midnightUtc).getUTCDay();
  if (weekday === 0 || weekday === 6) return null;
  const date = new Date(midnightUtc).toISOString().slice(0, 10);
  const year = CALENDAR[Number(date.slice(0, 4))] as CalendarYear;
  if (year.holidays.includes(date.slice(5))) return null;
  const closesAt14 = year.closesAt14?.includes(date.slice(5)) === true;
  const halfDay = closesAt14 || year.halfDays.includes(date.slice(5));
  const closeHour = closesAt14 ? 14 : halfDay ? 13 : 16;
  // Noon has the same offset as the whole trading day, because the clock changes only on Sundays.
  const midnight = midnightUtc - newYorkOffsetMs(midnightUtc + 17 * HOUR_MS);
  return {
    date,
    preMarketAt: midnight + 4 * HOUR_MS,
    regularAt: midnight + 9.5 * HOUR_MS,
    postMarketAt: midnight + closeHour * HOUR_MS,
    closedAt: midnight + (closeHour + 4) * HOUR_MS,
    halfDay,
  };
}

/**
 * Returns the index of an instant's New York date. Winter time all year is exact enough: in summer it errs only between midnight and 01:00,
 * when both dates are closed.
 */
function dayIndex(at: EpochMs): number {
  return Math.floor((at - 5 * HOUR_MS) / DAY_MS) - FIRST_DAY;
}

/** True if the calendar knows the session of an instant: within `SESSION_YEARS`, by New York's date. */
export function isSessionKnown(at: EpochMs): boolean {
  const index = dayIndex(at);
  return index >= 0 && index < DAY_COUNT;
}

/**
 * Returns the session of US equities at an instant. Outside the known calendar (`isSessionKnown`) it is CLOSED, so that nothing is traded.
 */
export function sessionAt(at: EpochMs): Session {
  const day = findTradingDay(dayIndex(at));
  if (day === null || day === undefined || at < day.preMarketAt || at >= day.closedAt) return 'CLOSED';
  return at < day.regularAt ? 'PRE_MARKET' : at < day.postMarketAt ? 'REGULAR' : 'POST_MARKET';
}

/** Returns the first session change after `at`, or null if the known calendar ends before one. */
export function nextSessionChange(at: EpochMs): EpochMs | null {
  for (let index = Math.max(0, dayIndex(at)); index < DAY_COUNT; index++) {
    const day = findTradingDay(index);
    if (day === null || day === undefined) continue;
    if (at < day.preMarketAt) return day.preMarketAt;
    if (at < day.regularAt) return day.regularAt;
    if (at < day.postMarketAt) return day.postMarketAt;
    if (at < day.closedAt) return day.closedAt;
  }
  return null;
}

/** Returns the first regular open at or after `at`, or null if the known calendar ends before one. Weekend gaps are measured against it. */
export function nextRegularOpen(at: EpochMs): EpochMs | null {
  for (let index = Math.max(0, dayIndex(at)); index < DAY_COUNT; index++) {
    const day = findTradingDay(index);
    if (day !== null && day !== undefined && at <= day.regularAt) return day.regularAt;
  }
  return null;
}

/** Returns the last regular close at or before `at`, or null if the known calendar begins after one. */
export function lastRegularClose(at: EpochMs): EpochMs | null {
  for (let index = Math.min(dayIndex(at), DAY_COUNT - 1); index >= 0; index--) {
    const day = findTradingDay(index);
    if (day !== null && day !== undefined && day.postMarketAt <= at) return day.postMarketAt;
  }
  return null;
}

/** Returns the trading day of a New York date (`YYYY-MM-DD`), or null if the exchange is closed or the date is outside `SESSION_YEARS`. */
export function tradingDay(date: string): TradingDay | null {
  return findTradingDay(Math.floor(Date.parse(`${date}T00:00:00Z`) / DAY_MS) - FIRST_DAY) ?? null;
}

/** Returns the trading days whose regular session opens in [from, to), ascending. */
export function tradingDays(from: EpochMs, to: EpochMs): TradingDay[] {
  const days: TradingDay[] = [];
  for (let index = Math.max(0, dayIndex(from)); index < DAY_COUNT; index++) {
    const day = findTradingDay(index);
    if (day === null || day === undefined || day.regularAt < from) continue;
    if (day.regularAt >= to) break;
    days.push(day);
  }
  return days;
}

/** A day of the calendar: a trading day, a half day or a holiday. */
export interface CalendarDay {
  /** The day in New York, `YYYY-MM-DD`. */
  readonly date: string;
  /** Null on a holiday. */
  readonly trading: TradingDay | null;
  /** Holiday, or reason of a half day. Null on an ordinary day. */
  readonly occasion: string | null;
}

/** Holidays by month. Every closure of the table is one of these, except those named by date. */
const HOLIDAYS: Readonly<Record<string, string>> = {
  '02': "Washington's Birthday",
  '03': 'Good Friday',
  '04': 'Good Friday',
  '05': 'Memorial Day',
  '06': 'Juneteenth National Independence Day',
  '07': 'Independence Day',
  '09': 'Labor Day',
  '11': 'Thanksgiving Day',
  '12': 'Christmas Day',
};
const SINGLE_CLOSURES: Readonly<Record<string, string>> = {
  '1994-04-27': 'National day of mourning for Richard Nixon',
  '2001-09-11': 'Attacks of September 11',
  '2001-09-12': 'Attacks of September 11',
  '2001-09-13': 'Attacks of September 11',
  '2001-09-14': 'Attacks of September 11',
  '2004-06-11': 'National day of mourning for Ronald Reagan',
  '2007-01-02': 'National day of mourning for Gerald Ford',
  '2012-10-29': 'Hurricane Sandy',
  '2012-10-30': 'Hurricane Sandy',
  '2018-12-05': 'National day of mourning for George H. W. Bush',
  '2025-01-09': 'National day of mourning for James Carter',
};

function holidayName(date: string): string {
  const single = SINGLE_CLOSURES[date];
  if (single !== undefined) return single;
  if (date.slice(5, 7) === '01') return date.slice(8) < '03' ? "New Year's Day" : 'Martin Luther King, Jr. Day';
  return HOLIDAYS[date.slice(5, 7)] as string;
}

function halfDayName(date: string): string {
  const month = date.slice(5, 7);
  if (month === '07') return date.endsWith('05') ? 'Day after Independence Day' : 'Day before Independence Day';
  if (month === '11') return 'Day after Thanksgiving';
  return date.endsWith('24') ? 'Christmas Eve' : date.endsWith('26') ? 'Day after Christmas' : "New Year's Eve";
}

/** Returns the calendar from one New York date to another, both inclusive, without weekends and without dates outside `SESSION_YEARS`. */
export function calendarDays(from: string, to: string): CalendarDay[] {
  const days: CalendarDay[] = [];
  const end = Math.min(LAST_DAY, Date.parse(`${to}T00:00:00Z`) / DAY_MS);
  for (let day = Math.max(FIRST_DAY, Date.parse(`${from}T00:00:00Z`) / DAY_MS); day <= end; day++) {
    const midnight = new Date(day * DAY_MS);
    const weekday = midnight.getUTCDay();
    if (weekday === 0 || weekday === 6) continue;
    const date = midnight.toISOString().slice(0, 10);
    const trading = findTradingDay(day - FIRST_DAY) ?? null;
    const occasion = trading === null ? holidayName(date) : trading.halfDay ? halfDayName(date) : null;
    days.push({ date, trading, occasion });
  }
  return days;
}

/** Returns the New York date of an instant, `YYYY-MM-DD`. */
export function newYorkDate(at: EpochMs): string {
  return new Date(at + newYorkOffsetMs(at)).toISOString().slice(0, 10);
}
