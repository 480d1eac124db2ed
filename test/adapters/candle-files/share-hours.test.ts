// Bars of files are never known before they traded: days aligned to the grid, and clocks other than UTC.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { type BadRow, readCandleFile, type ReadOptions } from '../../../src/adapters/candle-files/read-candles.ts';
import { isOfShare } from '../../../src/adapters/candle-files/share-hours.ts';
import { tradingDays } from '../../../src/domain/market/session.ts';
import { wallClock } from '../../../src/domain/values/wall-clock.ts';

const folder = mkdtempSync(join(tmpdir(), 'share-hours-'));
afterAll(() => rmSync(folder, { recursive: true }));
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let files = 0;

async function read(times: readonly (string | number)[], over: Partial<ReadOptions>, volumeAt: (index: number) => number = () => 1) {
  const file = join(folder, `${++files}.csv`);
  writeFileSync(file, `timestamp,open,high,low,close,volume\n${times.map((time, i) => `${time},1,2,1,2,${volumeAt(i)}`).join('\n')}\n`);
  const bad: BadRow[] = [];
  const reading = readCandleFile(file, { barMs: DAY, now: Date.UTC(2026, 0, 1), align: true, onBad: (row) => void bad.push(row), ...over });
  const opens: number[] = [];
  for await (const { rows } of reading.batches())
    opens.push(
      ...rows
        .split('\n')
        .filter(Boolean)
        .map((row) => Number(row.split('\t')[0])),
    );
  return { opens, bad, aligned: reading.result().aligned };
}

/** Formats a zone's wall clock by the platform, as an export writes it. */
function wallText(zone: string, at: number): string {
  return new Date(at).toLocaleString('sv-SE', { timeZone: zone });
}

describe('--align', () => {
  test.each([
    ['crypto days from Hong Kong midnight', '2024-03-01T16:00:00Z', DAY, '2024-03-02T16:00:00.000Z'],
    ['days from 11:00 UTC', '2024-03-01T11:00:00Z', DAY, '2024-03-02T11:00:00.000Z'],
    ['crypto days from New York midnight', '2024-03-04T05:00:00Z', DAY, '2024-03-05T05:00:00.000Z'],
    ['share days on a holiday', '2024-03-29T13:30:00Z', DAY, '2024-03-30T13:30:00.000Z'],
    ['share hours from 09:30 New York', '2024-03-04T14:30:00Z', HOUR, '2024-03-04T15:30:00.000Z'],
    ['a minute bar that opens at the half', '2024-03-04T14:30:30Z', 60_000, '2024-03-04T14:31:30.000Z'],
  ])('refuses %s: moved back they would be known too early', async (_, time, barMs, until) => {
    const { opens, bad } = await read([time], { barMs });
    expect(opens).toEqual([]);
    expect(bad).toMatchObject([{ reason: 'off_grid', detail: expect.stringContaining(`trades until ${until}`) }]);
  });

  test.each([
    ['in winter', '2024-03-04T14:30:00Z', null],
    ['in summer', '2024-07-02T13:30:00Z', null],
    ['a half day', '2024-07-03T13:30:00Z', null],
    ['from New York midnight', '2024-03-04 00:00:00-05:00', true],
    ['in summer with the extended hours', '2024-07-02T08:00:00Z', true],
  ])('keeps days of a share: %s', async (_, time, ofShare) => {
    const { opens, bad } = await read([time], { ofShare });
    expect(bad).toEqual([]);
    expect(opens).toEqual([Date.parse(`${time.slice(0, 10)}T00:00:00Z`)]);
  });

  test('refuses days of a share whose late session ends after midnight UTC, and days of a market without sessions', async () => {
    expect((await read(['2024-01-03T09:00:00Z'], { ofShare: true })).bad).toMatchObject([{ reason: 'off_grid' }]);
    expect((await read(['2024-03-04T14:30:00Z'], { ofShare: false })).bad).toMatchObject([{ reason: 'off_grid' }]);
    expect((await read(['2024-03-04T05:00:00Z'], { ofShare: null })).bad).toMatchObject([{ reason: 'off_grid' }]);
  });

  test('never stores a bar that closes before its session', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: Date.UTC(2020, 0, 1) / 900_000, max: Date.UTC(2025, 0, 1) / 900_000 }),
        fc.constantFrom(HOUR, 4 * HOUR, DAY),
        fc.constantFrom(true, false, null),
        async (quarter, barMs, ofShare) => {
          const at = quarter * 900_000;
          const { opens } = await read([at], { barMs, ofShare });
          const [opened] = opens;
          if (opened === undefined || opened === at) return;
          // A moved bar is a day, and no exchange session that starts in it ends after it.
          expect([barMs, ofShare !== false]).toEqual([DAY, true]);
          const last = tradingDays(at - DAY, at + DAY)
            .filter(({ postMarketAt }) => postMarketAt > at && postMarketAt <= at + DAY)
            .at(-1);
          expect(last?.postMarketAt ?? Number.POSITIVE_INFINITY).toBeLessThanOrEqual(opened + DAY);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe('clocks', () => {
  const days = tradingDays(Date.UTC(2024, 2, 6), Date.UTC(2024, 2, 14));
  /** Returns open times of hourly bars from 04:00 to 19:00, or half-hourly ones of the regular session, across a clock change. */
  const extended = days.flatMap(({ preMarketAt }) => Array.from({ length: 16 }, (_, hour) => preMarketAt + hour * HOUR));
  const regular = days.flatMap(({ regularAt }) => Array.from({ length: 13 }, (_, half) => regularAt + (half * HOUR) / 2));
  const busy = (times: readonly number[]) => (index: number) =>
    days.some(({ regularAt, postMarketAt }) => (times[index] as number) >= regularAt && (times[index] as number) < postMarketAt) ? 90 : 1;

  test.each([
    ['hours from 04:00 to 20:00', extended, HOUR],
    ['half hours of the regular session', regular, HOUR / 2],
  ])('New York wall clocks of a share are refused unless their zone is named: %s', async (_, times, barMs) => {
    const texts = times.map((at) => wallText('America/New_York', at));
    for (const ofShare of [true, null]) {
      await expect(read(texts, { barMs, ofShare }, busy(times))).rejects.toThrow('--timezone America/New_York');
      // The same clock as numbers, with a Z, and newest first.
      await expect(
        read(
          texts.map((text) => Date.parse(`${text}Z`)),
          { barMs, ofShare },
          busy(times),
        ),
      ).rejects.toThrow('New York');
      await expect(
        read(
          texts.map((text) => `${text}Z`),
          { barMs, ofShare },
          busy(times),
        ),
      ).rejects.toThrow('New York');
      await expect(read([...texts].reverse(), { barMs, ofShare }, busy([...times].reverse()))).rejects.toThrow('New York');
    }
    expect((await read(texts, { barMs, ofShare: true, timezone: 'America/New_York' })).opens).toEqual(times);
    // An explicit UTC is believed.
    expect((await read(texts, { barMs, ofShare: true, timezone: 'UTC' })).opens[0]).toBe(Date.parse(`${texts[0]}Z`));
  });

  test.each([
    ['hours from 04:00 to 20:00', extended, HOUR],
    ['half hours of the regular session', regular, HOUR / 2],
  ])('bars of a share that are UTC stay UTC: %s', async (_, times, barMs) => {
    const texts = times.map((at) => wallText('UTC', at));
    expect((await read(texts, { barMs, ofShare: true }, busy(times))).opens).toEqual(times);
  });

  test('bars of every hour of the week do not belong to an exchange-listed share', async () => {
    const times = Array.from({ length: 200 }, (_, hour) => Date.UTC(2024, 2, 4) + hour * HOUR);
    expect((await read(times, { barMs: HOUR, ofShare: null })).opens).toEqual(times);
  });

  test('a time that the clock skips or repeats is not a time without its offset', async () => {
    const zone = { barMs: HOUR / 2, timezone: 'America/New_York', ofShare: false } as const;
    const found = await read(['2024-03-10 02:30:00', '2024-11-03 01:30:00', '2024-11-03 01:30:00-05:00'], zone);
    expect(found.bad).toMatchObject([
      { reason: 'bad_time', detail: expect.stringContaining('set forward') },
      { reason: 'bad_time', detail: expect.stringContaining('twice') },
    ]);
    expect(found.opens).toEqual([Date.UTC(2024, 10, 3, 6, 30)]);
  });

  test('every zone converts back to its wall clock', () => {
    const zones = ['America/New_York', 'Europe/London', 'Asia/Kolkata', 'Asia/Kathmandu', 'Australia/Lord_Howe', 'Asia/Hong_Kong', 'UTC'];
    fc.assert(
      fc.property(fc.constantFrom(...zones), fc.integer({ min: 0, max: 40_000_000 }), (zone, minute) => {
        const at = Date.UTC(2000, 0, 1) + minute * 60_000;
        expect(wallClock(zone)(Date.parse(`${wallText(zone, at).replace(' ', 'T')}Z`))).toContain(at);
      }),
      { numRuns: 300 },
    );
  });

  test('shares are distinguished from their tokens and from crypto', () => {
    expect(
      ['reference:NVDA', 'spotchain:NVDAx', 'evmvenue:xyz:NVDA', 'spotexchange:BTCUSDT', 'evmvenue:BTC'].map((key) =>
        isOfShare(key as never),
      ),
    ).toEqual([true, null, null, false, false]);
  });
});
