// Periods at whose slots events are known: by reception, by archives, and never by reports that are deleted meanwhile.
import { expect, test } from 'vitest';
import { cameInTime, knownEvents } from '../../src/domain/backtest/known-events.ts';
import { EVENTS_KEPT_MS, FILINGS_SOURCE, WIRE_SOURCE } from '../../src/domain/intelligence/listening.ts';
import { aReport } from './intelligence/reports.ts';

const DAY = 86_400_000;
const HOUR = 3_600_000;
const NOW = Date.UTC(2026, 5, 1);
const wire = (from: number, to: number) => ({ source: WIRE_SOURCE, from, to });
const filings = (from: number, to: number) => ({ source: FILINGS_SOURCE, from, to });

test('reception knows the look-back at once, an archive after it, and neither anything in between or to come', () => {
  const [a, b] = [NOW - 30 * DAY, NOW - 10 * DAY];
  const known = (received: ReturnType<typeof wire>[], archives: ReturnType<typeof wire>[] = []) =>
    knownEvents(WIRE_SOURCE, DAY, { received, archives }, NOW);
  expect(known([wire(a, a + HOUR), wire(b, NOW + HOUR), filings(a, b)])).toEqual([
    { from: a, to: a + HOUR },
    { from: b, to: NOW },
  ]);
  expect(known([], [wire(a, b), filings(b, NOW)])).toEqual([{ from: a + DAY, to: b }]);
  // An archive that begins while the source is received goes on from it.
  expect(known([wire(a, a + HOUR)], [wire(a + HOUR / 2, b)])).toEqual([
    { from: a, to: a + HOUR },
    { from: a + DAY, to: b },
  ]);
  expect(known([wire(b, NOW)], [wire(a, b)])).toEqual([{ from: a + DAY, to: NOW }]);
  expect(known([wire(NOW, NOW + DAY)])).toEqual([]);
});

test('what is older than the reports that are kept is known from archives alone', () => {
  const oldest = NOW - EVENTS_KEPT_MS;
  const received = [wire(oldest - 30 * DAY, NOW)];
  expect(knownEvents(WIRE_SOURCE, 3 * DAY, { received, archives: [] }, NOW)).toEqual([{ from: oldest + 4 * DAY, to: NOW }]);
  const archives = [wire(oldest - 60 * DAY, oldest + 10 * DAY)];
  expect(knownEvents(WIRE_SOURCE, 3 * DAY, { received, archives }, NOW)).toEqual([{ from: oldest - 57 * DAY, to: NOW }]);
});

test('a report came in time if its source was received from its publication to its receipt', () => {
  const report = (publishedAt: number, receivedAt: number) => aReport({ channel: 'wire', publishedAt, receivedAt });
  const received = [wire(NOW, NOW + DAY), wire(NOW + 2 * DAY, NOW + 3 * DAY)];
  expect(cameInTime(report(NOW, NOW + HOUR), received)).toBe(true);
  expect(cameInTime(report(NOW - 1, NOW + HOUR), received)).toBe(false);
  expect(cameInTime(report(NOW + HOUR, NOW + 2 * DAY), received)).toBe(false);
  expect(cameInTime({ ...report(NOW, NOW + HOUR), channel: 'filing' }, received)).toBe(false);
});
