/** US equity sessions compared with a golden table, the exchange's holiday rules and, if available, a recorded calendar. */
import { existsSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  calendarDays,
  isSessionKnown,
  newYorkDate,
  newYorkOffsetMs,
  nextRegularOpen,
  nextSessionChange,
  SESSION_YEARS,
  sessionAt,
  tradingDay,
  tradingDays,
} from '../../src/domain/market/session.ts';

const at = (iso: string): number => Date.parse(iso);
const FIRST = Date.UTC(SESSION_YEARS.first, 0, 2);
const LAST = Date.UTC(SESSION_YEARS.last, 11, 30);
const ORACLE = new URL('../../../shared/data/oracles/calendar/xnys_sessions_2021-2024.csv', import.meta.url);

describe('golden instants', () => {
  test.each([
    // Ordinary summer Wednesday, New York = UTC-4.
    ['2026-07-15T07:59:59.999Z', 'CLOSED'],
    ['2026-07-15T08:00:00.000Z', 'PRE_MARKET'],
    ['2026-07-15T13:29:59.999Z', 'PRE_MARKET'],
    ['2026-07-15T13:30:00.000Z', 'REGULAR'],
    ['2026-07-15T19:59:59.999Z', 'REGULAR'],
    ['2026-07-15T20:00:00.000Z', 'POST_MARKET'],
    ['2026-07-15T23:59:59.999Z', 'POST_MARKET'],
    ['2026-07-16T00:00:00.000Z', 'CLOSED'],
    // Ordinary winter day, UTC-5: the late session ends on the next UTC date.
    ['2026-01-14T14:30:00.000Z', 'REGULAR'],
    ['2026-01-15T00:59:59.999Z', 'POST_MARKET'],
    ['2026-01-15T01:00:00.000Z', 'CLOSED'],
    // Fridays before and Mondays after both clock changes of 2026.
    ['2026-03-06T14:30:00.000Z', 'REGULAR'],
    ['2026-03-06T14:29:59.999Z', 'PRE_MARKET'],
    ['2026-03-09T13:30:00.000Z', 'REGULAR'],
    ['2026-03-09T13:29:59.999Z', 'PRE_MARKET'],
    ['2026-10-30T13:30:00.000Z', 'REGULAR'],
    ['2026-11-02T13:30:00.000Z', 'PRE_MARKET'],
    ['2026-11-02T14:30:00.000Z', 'REGULAR'],
    // The day after Thanksgiving: 13:00 close, late session to 17:00.
    ['2026-11-27T17:59:59.999Z', 'REGULAR'],
    ['2026-11-27T18:00:00.000Z', 'POST_MARKET'],
    ['2026-11-27T21:59:59.999Z', 'POST_MARKET'],
    ['2026-11-27T22:00:00.000Z', 'CLOSED'],
    // Before 2007 the clock changed on the first Sunday of April and the last of October.
    ['2006-03-31T14:29:59.999Z', 'PRE_MARKET'],
    ['2006-04-03T13:30:00.000Z', 'REGULAR'],
    ['2006-10-27T13:30:00.000Z', 'REGULAR'],
    ['2006-10-30T14:29:59.999Z', 'PRE_MARKET'],
    ['2006-10-30T14:30:00.000Z', 'REGULAR'],
    // Half days ended at 14:00 until 1992.
    ['1992-12-24T18:59:59.999Z', 'REGULAR'],
    ['1992-12-24T19:00:00.000Z', 'POST_MARKET'],
    // Holidays and weekends.
    ['2026-11-26T15:00:00.000Z', 'CLOSED'],
    ['2025-01-09T15:00:00.000Z', 'CLOSED'],
    ['2026-07-03T15:00:00.000Z', 'CLOSED'],
    ['2026-07-18T15:00:00.000Z', 'CLOSED'],
    // Years without a known calendar read closed.
    ['1989-07-19T15:00:00.000Z', 'CLOSED'],
    ['2028-07-19T15:00:00.000Z', 'CLOSED'],
  ])('%s is %s', (instant, session) => {
    expect(sessionAt(at(instant))).toBe(session);
  });
});

/** Computes the holidays by the exchange's rules (Rule 7.2), without the table: nth weekdays, Easter, weekend observance. */
/** Days closed by no rule, from the exchange's list of special closings. */
const SINGLE_CLOSURES: Readonly<Record<number, readonly (readonly [number, number])[]>> = {
  1994: [[4, 27]],
  2001: [
    [9, 11],
    [9, 12],
    [9, 13],
    [9, 14],
  ],
  2004: [[6, 11]],
  2007: [[1, 2]],
  2012: [
    [10, 29],
    [10, 30],
  ],
  2018: [[12, 5]],
  2025: [[1, 9]],
};

function holidaysByRule(year: number): string[] {
  const day = (month: number, date: number) => new Date(Date.UTC(year, month - 1, date));
  const nth = (month: number, weekday: number, n: number) => day(month, 1 + ((7 + weekday - day(month, 1).getUTCDay()) % 7) + (n - 1) * 7);
  const last = (month: number, weekday: number) => {
    const end = new Date(Date.UTC(year, month, 0));
    return new Date(end.getTime() - ((7 + end.getUTCDay() - weekday) % 7) * 86_400_000);
  };
  // Anonymous Gregorian computus.
  const a = year % 19;
  const b = Math.floor(year / 100);
  const c = year % 100;
  const h = (19 * a + b - Math.floor(b / 4) - Math.floor((b - Math.floor((b + 8) / 25) + 1) / 3) + 15) % 30;
  const l = (32 + 2 * (b % 4) + 2 * Math.floor(c / 4) - h - (c % 4)) % 7;
  const m = Math.floor((a + 11 * h + 22 * l) / 451);
  const easter = day(Math.floor((h + l - 7 * m + 114) / 31), ((h + l - 7 * m + 114) % 31) + 1);
  const observed = (date: Date) => new Date(date.getTime() + (date.getUTCDay() === 6 ? -1 : date.getUTCDay() === 0 ? 1 : 0) * 86_400_000);
  const days = [
    nth(2, 1, 3),
    new Date(easter.getTime() - 2 * 86_400_000),
    last(5, 1),
    observed(day(7, 4)),
    nth(9, 1, 1),
    nth(11, 4, 4),
    observed(day(12, 25)),
  ];
  // New Year's Day on a Saturday is not observed: the year-end Friday stays open.
  if (day(1, 1).getUTCDay() !== 6) days.push(observed(day(1, 1)));
  if (year >= 2022) days.push(observed(day(6, 19)));
  if (year >= 1998) days.push(nth(1, 1, 3));
  for (const [month, date] of SINGLE_CLOSURES[year] ?? []) days.push(day(month, date));
  return days.map((date) => date.toISOString().slice(0, 10)).sort();
}

test('the holidays of every known year are those of the exchange rules', () => {
  for (let year = SESSION_YEARS.first; year <= SESSION_YEARS.last; year++) {
    const closed: string[] = [];
    for (let date = Date.UTC(year, 0, 1); date < Date.UTC(year + 1, 0, 1); date += 86_400_000) {
      const text = new Date(date).toISOString().slice(0, 10);
      const weekday = new Date(date).getUTCDay();
      if (weekday !== 0 && weekday !== 6 && tradingDay(text) === null) closed.push(text);
    }
    expect(closed, String(year)).toEqual(holidaysByRule(year));
  }
});

test('published session counts: 252, 250, 251, 251 from 2024 to 2027', () => {
  const count = (year: number) => tradingDays(Date.UTC(year, 0, 1), Date.UTC(year + 1, 0, 1)).length;
  expect([2024, 2025, 2026, 2027].map(count)).toEqual([252, 250, 251, 251]);
});

test('half days of 2023 to 2027 close at 13:00 and no others do', () => {
  const halves = tradingDays(Date.UTC(2023, 0, 1), Date.UTC(2028, 0, 1)).filter((day) => day.halfDay);
  expect(halves.map((day) => day.date)).toEqual([
    '2023-07-03',
    '2023-11-24',
    '2024-07-03',
    '2024-11-29',
    '2024-12-24',
    '2025-07-03',
    '2025-11-28',
    '2025-12-24',
    '2026-11-27',
    '2026-12-24',
    '2027-11-26',
  ]);
});

test('the daylight rule agrees with the time zone database', () => {
  const newYork = new Intl.DateTimeFormat('en-US', { timeZone: 'America/New_York', timeZoneName: 'longOffset' });
  const offset = (instant: number) => {
    const text = newYork.formatToParts(instant).find((part) => part.type === 'timeZoneName')?.value ?? '';
    return Number(text.slice(3, 6)) * 3_600_000;
  };
  fc.assert(fc.property(fc.integer({ min: FIRST, max: Date.UTC(2034, 0, 1) }), (instant) => newYorkOffsetMs(instant) === offset(instant)));
  for (const change of ['2026-03-08T07:00:00Z', '2026-11-01T06:00:00Z']) {
    expect(newYorkOffsetMs(at(change) - 1)).toBe(offset(at(change) - 1));
    expect(newYorkOffsetMs(at(change))).toBe(offset(at(change)));
  }
});

test('the session holds until the next change and differs from there on', () => {
  fc.assert(
    fc.property(fc.integer({ min: FIRST, max: LAST - 30 * 86_400_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (instant, part) => {
      const change = nextSessionChange(instant) as number;
      expect(change).toBeGreaterThan(instant);
      expect(sessionAt(change)).not.toBe(sessionAt(instant));
      expect(sessionAt(instant + Math.floor(part * (change - instant - 1)))).toBe(sessionAt(instant));
      expect(sessionAt(change - 1)).toBe(sessionAt(instant));
    }),
    { numRuns: 2_000 },
  );
});

test('after the last known day there is no next change', () => {
  expect(nextSessionChange(Date.UTC(2028, 0, 1, 1))).toBeNull();
  expect(nextRegularOpen(Date.UTC(2028, 0, 1, 1))).toBeNull();
});

test('before the first known day the next change is its first pre-market', () => {
  expect(nextSessionChange(0)).toBe(at('1990-01-02T09:00:00Z'));
});

test('the next regular open after Friday evening is Monday, or Tuesday after a Monday holiday', () => {
  expect(nextRegularOpen(at('2026-07-17T21:00:00Z'))).toBe(at('2026-07-20T13:30:00Z'));
  expect(nextRegularOpen(at('2026-09-04T21:00:00Z'))).toBe(at('2026-09-08T13:30:00Z'));
  expect(nextRegularOpen(at('2026-07-15T13:30:00Z'))).toBe(at('2026-07-15T13:30:00Z'));
});

test.skipIf(!existsSync(ORACLE))(
  'every session of the recorded calendar 2021 to 2024, and no other (optional data; skipped where absent)',
  () => {
    const rows = readFileSync(ORACLE, 'utf8').trim().split('\n').slice(1);
    const recorded = rows.map((row) => {
      const [date, open, close, early] = row.split(',') as [string, string, string, string];
      return { date, regularAt: Date.parse(open), postMarketAt: Date.parse(close), halfDay: early.trim() === '1' };
    });
    const ours = tradingDays(Date.UTC(2021, 0, 1), Date.UTC(2025, 0, 1)).map(({ date, regularAt, postMarketAt, halfDay }) => ({
      date,
      regularAt,
      postMarketAt,
      halfDay,
    }));
    expect(ours).toEqual(recorded);
  },
);

describe('the calendar', () => {
  test('names every closure and half day of 2025 to 2027 as the exchange publishes them', () => {
    const named = calendarDays('2025-01-01', '2027-12-31').filter(({ occasion }) => occasion !== null);
    expect(named.map(({ date, trading, occasion }) => `${date} ${trading === null ? 'closed' : 'half'} ${occasion}`)).toEqual([
      "2025-01-01 closed New Year's Day",
      '2025-01-09 closed National day of mourning for James Carter',
      '2025-01-20 closed Martin Luther King, Jr. Day',
      "2025-02-17 closed Washington's Birthday",
      '2025-04-18 closed Good Friday',
      '2025-05-26 closed Memorial Day',
      '2025-06-19 closed Juneteenth National Independence Day',
      '2025-07-03 half Day before Independence Day',
      '2025-07-04 closed Independence Day',
      '2025-09-01 closed Labor Day',
      '2025-11-27 closed Thanksgiving Day',
      '2025-11-28 half Day after Thanksgiving',
      '2025-12-24 half Christmas Eve',
      '2025-12-25 closed Christmas Day',
      "2026-01-01 closed New Year's Day",
      '2026-01-19 closed Martin Luther King, Jr. Day',
      "2026-02-16 closed Washington's Birthday",
      '2026-04-03 closed Good Friday',
      '2026-05-25 closed Memorial Day',
      '2026-06-19 closed Juneteenth National Independence Day',
      '2026-07-03 closed Independence Day',
      '2026-09-07 closed Labor Day',
      '2026-11-26 closed Thanksgiving Day',
      '2026-11-27 half Day after Thanksgiving',
      '2026-12-24 half Christmas Eve',
      '2026-12-25 closed Christmas Day',
      "2027-01-01 closed New Year's Day",
      '2027-01-18 closed Martin Luther King, Jr. Day',
      "2027-02-15 closed Washington's Birthday",
      '2027-03-26 closed Good Friday',
      '2027-05-31 closed Memorial Day',
      '2027-06-18 closed Juneteenth National Independence Day',
      '2027-07-05 closed Independence Day',
      '2027-09-06 closed Labor Day',
      '2027-11-25 closed Thanksgiving Day',
      '2027-11-26 half Day after Thanksgiving',
      '2027-12-24 closed Christmas Day',
    ]);
  });

  test('holds each weekday of the known years once and nothing outside of them', () => {
    const days = calendarDays('1899-01-01', '2099-12-31');
    expect(days[0]?.date).toBe(`${SESSION_YEARS.first}-01-01`);
    expect(days.at(-1)?.date).toBe(`${SESSION_YEARS.last}-12-31`);
    expect(new Set(days.map(({ date }) => date)).size).toBe(days.length);
    for (const { date, trading, occasion } of days) {
      expect(trading, date).toEqual(tradingDay(date));
      expect(trading === null || trading.halfDay, date).toBe(occasion !== null);
    }
    expect(calendarDays('2026-05-02', '2026-05-03')).toEqual([]);
    expect(calendarDays('2026-05-05', '2026-05-04')).toEqual([]);
  });

  test.each([
    ['2026-03-02T04:59:59.999Z', '2026-03-01'],
    ['2026-03-02T05:00:00.000Z', '2026-03-02'],
    ['2026-07-02T03:59:59.999Z', '2026-07-01'],
    ['2026-07-02T04:00:00.000Z', '2026-07-02'],
  ])('at %s it is %s in New York', (instant, date) => {
    expect(newYorkDate(at(instant))).toBe(date);
  });

  test.skipIf(!existsSync(ORACLE))('agrees with a recorded calendar (optional test data; skipped where it is absent)', () => {
    const [, ...rows] = readFileSync(ORACLE, 'utf8')
      .trim()
      .split('\n')
      .map((row) => row.split(','));
    const recorded = rows.map(([date, open, close, early]) => [date, at(open as string), at(close as string), early === '1']);
    const open = calendarDays(recorded[0]?.[0] as string, recorded.at(-1)?.[0] as string).flatMap(({ trading }) =>
      trading === null ? [] : [trading],
    );
    expect(open.map(({ date, regularAt, postMarketAt, halfDay }) => [date, regularAt, postMarketAt, halfDay])).toEqual(recorded);
  });
});

test('what is known of the calendar ends with its years', () => {
  expect(SESSION_YEARS).toEqual({ first: 1990, last: 2027 });
  for (const [instant, known] of [
    ['1990-01-01T04:59:59.999Z', false],
    ['1990-01-01T05:00:00.000Z', true],
    ['2028-01-01T04:59:59.999Z', true],
    ['2028-01-01T05:00:00.000Z', false],
  ] as const)
    expect(isSessionKnown(at(instant)), instant).toBe(known);
});

const SPY = new URL('../../../shared/data/candles/uniform/us-equity/SPY_1d_lean-raw.csv.gz', import.meta.url);
test.runIf(existsSync(SPY))('23 years of recorded daily bars lie on trading days, and no trading day is without one', () => {
  const rows = gunzipSync(readFileSync(SPY)).toString('utf8').trim().split('\n').slice(1);
  const dates = rows.map((row) => newYorkDate(Number(row.split(',')[0])));
  const [first, last] = [dates[0] as string, dates.at(-1) as string];
  const expected = calendarDays(first, last).flatMap(({ date, trading }) => (trading === null ? [] : [date]));
  expect(dates).toEqual(expected);
});
