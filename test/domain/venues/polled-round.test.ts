// Polling order of a venue: tokens with live capital return within five seconds, or live capital is refused.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { askingOrder, lateRound, quotesMs, restingRound } from '../../../src/domain/venues/polled-round.ts';

const PLANS = fc.integer({ min: 10, max: 6_000 });

/** Returns the longest distance between two turns in consecutive rounds, in turns. */
function longestWay(order: readonly number[], one: number): number {
  const places = order.flatMap((asked, place) => (asked === one ? [place] : []));
  return Math.max(...places.map((place, i) => (places[i + 1] ?? (places[0] as number) + order.length) - place));
}

test('every token is asked in every round, and the first ones come back within five seconds and one turn of another', () => {
  fc.assert(
    fc.property(PLANS, fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 60 }), (perMinute, count, firsts) => {
      const all = Array.from({ length: count }, (_, i) => i);
      const order = askingOrder(all, (one) => one < firsts, perMinute);
      expect(new Set(order).size).toBe(count);
      if (lateRound(Math.min(firsts, count), perMinute) !== null) return;
      for (const one of all.filter((each) => each < firsts && firsts < count)) {
        expect(quotesMs(longestWay(order, one) - 1, perMinute)).toBeLessThanOrEqual(5_000);
      }
    }),
  );
});

test('unattended tokens rest for less than a quote’s maximum age, and attended ones return as before, within the plan', () => {
  let rested = 0;
  fc.assert(
    fc.property(PLANS, fc.integer({ min: 1, max: 60 }), fc.integer({ min: 0, max: 60 }), (perMinute, count, attended) => {
      const all = Array.from({ length: count }, (_, i) => i);
      const roundMs = Math.max(2_000, quotesMs(count, perMinute));
      const round = restingRound(all, (one) => one < attended, perMinute, roundMs);
      if (round === null) return;
      rested++;
      const { order, lengthMs } = round;
      const turnMs = lengthMs / order.length;
      expect(quotesMs(order.length, perMinute)).toBeLessThanOrEqual(lengthMs);
      expect(new Set(order)).toEqual(new Set(all));
      for (const one of all) {
        const waitMs = longestWay(order, one) * turnMs;
        if (one < attended) expect(waitMs).toBeLessThanOrEqual(roundMs + 2 * turnMs);
        else expect(Math.floor(waitMs)).toBeLessThanOrEqual(12_000);
      }
    }),
  );
  expect(rested).toBeGreaterThan(0);
  // Plan with a key and the catalog's tokens, five of which agents use: 28 quotes in 11.5 s instead of 46.
  const tokens = Array.from({ length: 23 }, (_, i) => i);
  const round = restingRound(tokens, (one) => one < 5, 600, quotesMs(23, 600));
  expect([round?.order.length, round?.lengthMs]).toEqual([28, 11_500]);
  // If a round takes longer than a quote may rest, the plan is used up as before.
  expect(restingRound(tokens, () => false, 30, quotesMs(23, 30))).toBeNull();
});

test('thirty tokens take 75 s at 60 requests a minute: two may have live capital, and a third is refused with a reason', () => {
  expect(quotesMs(30, 60)).toBe(75_000);
  expect(lateRound(2, 60)).toBeNull();
  expect(lateRound(3, 60)).toBe(
    'the aggregator allows 60 requests a minute, so that quotes of 3 instruments with live capital take 7.5 s a round, and silence has ' +
      'to be seen within 5 s: raise budgets.aggregator in the catalog file to what your plan allows, or end live trading on another instrument',
  );
  const order = askingOrder(
    Array.from({ length: 30 }, (_, i) => i),
    (one) => one < 2,
    60,
  );
  expect(order.slice(0, 6)).toEqual([0, 1, 2, 0, 1, 3]);
  expect(lateRound(20, 600)).toBeNull();
  expect(lateRound(1, 30)).toBeNull();
});
