// Reasons for a missing bar: who was asked, and the answer.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CandleWindow, explainGap, OUT_OF_REACH } from '../../src/domain/candles/candle-gaps.ts';

const HOUR = 3_600_000;
const window = (state: CandleWindow['state'], from: number, to: number, code = ''): CandleWindow => ({
  state,
  code,
  from: from * HOUR,
  to: to * HOUR,
});
const explain = (from: number, to: number, windows: readonly CandleWindow[], firstOpen: number | null = 0) =>
  explainGap(
    { from: from * HOUR, to: to * HOUR },
    { venue: 'spotexchange', barMs: HOUR, windows, firstOpen: firstOpen === null ? null : firstOpen * HOUR },
  ).map((gap) => [gap.from / HOUR, gap.to / HOUR, gap.missing, gap.reason]);

test('a gap is split where another source was asked, or another answer given', () => {
  expect(explain(10, 20, [])).toEqual([[10, 20, 10, 'not_asked']]);
  expect(explain(10, 20, [window('asked', 0, 12), window('refused', 12, 15, 'http_503'), window('imported', 15, 18)])).toEqual([
    [10, 12, 2, 'venue_maintenance'],
    [12, 15, 3, 'refused'],
    [15, 18, 3, 'not_in_file'],
    [18, 20, 2, 'not_asked'],
  ]);
  expect(explain(0, 4, [window('refused', 0, 4, OUT_OF_REACH)], null)).toEqual([[0, 4, 4, 'out_of_reach']]);
});

test('before its first bar an instrument was not listed; a venue outranks a file, a file outranks a refusal', () => {
  expect(explain(2, 8, [window('asked', 0, 20)], 5)).toEqual([
    [2, 5, 3, 'before_listing'],
    [5, 8, 3, 'venue_maintenance'],
  ]);
  expect(explain(2, 4, [window('refused', 0, 9, 'x'), window('imported', 0, 9), window('asked', 0, 3)], 0)).toEqual([
    [2, 3, 1, 'venue_maintenance'],
    [3, 4, 1, 'not_in_file'],
  ]);
});

test('shares have no bars on a weekend, and that is the calendar', () => {
  // Saturday, 2 March 2024, 12:00 UTC for two hours, and Monday at 15:00 UTC.
  const reasons = (at: number, bars: number) =>
    explainGap({ from: at, to: at + bars * HOUR }, { venue: 'reference', barMs: HOUR, windows: [], firstOpen: null }).map(
      ({ reason }) => reason,
    );
  expect(reasons(Date.UTC(2024, 2, 2, 12), 2)).toEqual(['calendar']);
  expect(reasons(Date.UTC(2024, 2, 4, 15), 1)).toEqual(['not_asked']);
});

test('a daily bar belongs to a regular session: a late session past midnight UTC makes none of Saturday, and none of Sunday', () => {
  const DAY = 24 * HOUR;
  const reasons = (from: number, days: number) =>
    explainGap({ from, to: from + days * DAY }, { venue: 'reference', barMs: DAY, windows: [], firstOpen: null });
  // Winter: the late session of Friday, 9 January 2026, ends on Saturday at 01:00 UTC.
  expect(reasons(Date.UTC(2026, 0, 10), 2)).toMatchObject([{ reason: 'calendar', missing: 2 }]);
  expect(reasons(Date.UTC(2026, 0, 9), 4)).toMatchObject([
    { reason: 'not_asked', missing: 1 },
    { reason: 'calendar', missing: 2 },
    { reason: 'not_asked', missing: 1 },
  ]);
});

test('sessions missing in a file are missing in every known year, and outside sessions nothing is explained', () => {
  const DAY = 24 * HOUR;
  const missing = (year: number) =>
    explainGap(
      { from: Date.UTC(year, 0, 1), to: Date.UTC(year + 1, 0, 1) },
      { venue: 'reference', barMs: DAY, windows: [{ state: 'imported', code: '', from: 0, to: Date.UTC(2100, 0, 1) }], firstOpen: 0 },
    ).reduce((sum, gap) => sum + (gap.reason === 'not_in_file' ? gap.missing : 0), 0);
  expect(missing(1999)).toBe(252);
  expect(missing(2001)).toBe(248);
  expect(missing(2012)).toBe(250);
  expect(missing(1985)).toBe(365);
});

test('whatever windows there are, the parts are the whole gap in order, and none is empty', () => {
  const windows = fc.array(
    fc.tuple(fc.constantFrom('asked', 'imported', 'refused'), fc.integer({ min: -5, max: 40 }), fc.integer({ min: 1, max: 20 })),
    { maxLength: 6 },
  );
  fc.assert(
    fc.property(windows, fc.option(fc.integer({ min: 0, max: 40 })), (made, first) => {
      const parts = explain(
        3,
        30,
        made.map(([state, from, length]) => window(state, from, from + length, state === 'refused' ? 'x' : '')),
        first,
      );
      expect(parts[0]?.[0]).toBe(3);
      expect(parts.at(-1)?.[1]).toBe(30);
      expect(parts.reduce((sum, part) => sum + (part[2] as number), 0)).toBe(27);
      for (const [index, part] of parts.entries()) if (index > 0) expect(part[0]).toBe(parts[index - 1]?.[1]);
    }),
  );
});
