// Offset of a venue's clock: the median of the measurements, with the server's time preferred to that of events.
import { expect, test } from 'vitest';
import type { Quote } from '../../src/domain/market/quote.ts';
import { ClockOffsets } from '../../streams/clock/clock-offsets.ts';
import { REGULAR, reference, SUNDAY } from './events.ts';

const quote = (over: Partial<Quote>): Quote => ({
  kind: 'quote',
  venue: 'evmvenue',
  instrument: 'BTC',
  source: 'hyperliquid:bbo',
  observedAt: 0,
  receivedAt: 0,
  sourceTime: true,
  bid: '1',
  ask: '2',
  bidSize: '1',
  askSize: '1',
  sequence: null,
  quality: 'live',
  flags: [],
  ...over,
});

test('without a measurement there is no offset', () => {
  expect(new ClockOffsets().of('evmvenue', 0)).toBeNull();
  const offsets = new ClockOffsets();
  // A time that is only our own receipt says nothing about the venue's clock.
  offsets.take(quote({ sourceTime: false, observedAt: 5, receivedAt: 5 }));
  expect(offsets.of('evmvenue', 10)).toBeNull();
});

test('an answer is assumed exact halfway, and a slow one does not move the median', () => {
  const offsets = new ClockOffsets();
  for (const [asked, received] of [
    [1_000, 1_020],
    [2_000, 2_040],
    [3_000, 3_010],
    [4_000, 9_000],
    [10_000, 10_030],
  ] as const) {
    const slow = received - asked > 1_000;
    offsets.probe('spotexchange', (slow ? asked : (asked + received) / 2) + 250, asked, received);
  }
  expect(offsets.of('spotexchange', 11_000)).toEqual({ offsetMs: 250, method: 'server_time', samples: 5, measuredAt: 10_030 });
});

test('events are used without server times, and again once those are old', () => {
  const offsets = new ClockOffsets();
  for (const late of [40, 45, 60, 42, 3_000]) offsets.take(quote({ receivedAt: 100_000 + late, observedAt: 100_000 }));
  expect(offsets.of('evmvenue', 101_000)).toMatchObject({ offsetMs: -45, method: 'event_time', samples: 5 });
  offsets.probe('evmvenue', 200_500, 200_000, 200_000);
  expect(offsets.of('evmvenue', 201_000)).toMatchObject({ offsetMs: 500, method: 'server_time' });
  expect(offsets.of('evmvenue', 200_000 + 10 * 60_000 + 1)).toMatchObject({ method: 'event_time' });
});

test('only the newest measurements count, so a clock change is seen', () => {
  const offsets = new ClockOffsets();
  for (let at = 0; at < 9; at++) offsets.probe('spotexchange', at * 1_000, at * 1_000, at * 1_000);
  for (let at = 9; at < 14; at++) offsets.probe('spotexchange', at * 1_000 - 800, at * 1_000, at * 1_000);
  expect(offsets.of('spotexchange', 14_000)).toMatchObject({ offsetMs: -800, samples: 9 });
});

test('a reference price gives the time in a regular session only, if it is fresh and dated', () => {
  const offsets = new ClockOffsets();
  const take = (at: number, over = {}) => offsets.take({ ...reference(at), observedAt: at - 80, ...over });
  // Friday's price on a Sunday does not mean a clock two days behind.
  take(SUNDAY, { observedAt: SUNDAY - 44_800_000 });
  take(REGULAR, { quality: 'delayed', observedAt: REGULAR - 900_000 });
  take(REGULAR, { observedAt: REGULAR });
  expect(offsets.of('reference', REGULAR)).toBeNull();
  take(REGULAR + 1_000);
  expect(offsets.of('reference', REGULAR + 2_000)).toMatchObject({ offsetMs: -80, method: 'event_time', samples: 1 });
});
