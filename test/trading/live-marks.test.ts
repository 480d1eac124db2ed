// Marks by present quotes: a quote that was live at receipt is unusable once it is older than its venue allows.
import { expect, test } from 'vitest';
import type { InstrumentKey } from '../../src/domain/market/venue.ts';
import { createLiveMarks, createLiveQuotes } from '../../src/trading/live-marks.ts';
import { quoteOf } from '../actors/proposal/trading-fixture.ts';

const NOON = Date.UTC(2026, 0, 5, 12);
const BITCOIN: InstrumentKey = 'spotexchange:BTCUSDT';

test('a live quote gives its bid and mid while it is fresh, and nothing afterwards', () => {
  let now = NOON;
  const clock = { now: () => now };
  const quote = quoteOf(BITCOIN, NOON, '100', '102');
  const received = { latest: (key: InstrumentKey) => (key === BITCOIN ? quote : null) };
  const [liveQuote, marks] = [createLiveQuotes(received, clock), createLiveMarks(received, clock)];
  expect(liveQuote(BITCOIN)?.bid).toBe('100');
  expect(marks([BITCOIN, 'evmvenue:BTC'])).toEqual(new Map([[BITCOIN, '101']]));
  now = NOON + 5_000;
  expect(liveQuote(BITCOIN)?.bid).toBe('100');
  now = NOON + 5_001;
  expect(liveQuote(BITCOIN)).toBeNull();
  expect(marks([BITCOIN])).toEqual(new Map());
});

test('a quote that was not live at receipt never becomes live', () => {
  const quote = quoteOf(BITCOIN, NOON, '100', '102', 'degraded');
  const received = { latest: () => quote };
  expect(createLiveQuotes(received, { now: () => NOON })(BITCOIN)).toBeNull();
});
