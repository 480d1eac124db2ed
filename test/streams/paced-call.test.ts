/** Tests of calls that follow a request soon and keep their distance. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PacedCall } from '../../streams/clock/paced-call.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';

test('a lone request is followed within two milliseconds, any request within the interval, and calls keep their distance', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 50 }),
      fc.integer({ min: 2, max: 40 }),
      (gaps, interval) => {
        const clock = createVirtualClock(0);
        const called: number[] = [];
        const paced = new PacedCall(clock, interval, () => void called.push(clock.now()));
        const requested: number[] = [];
        let at = 0;
        for (const gap of gaps) {
          at += gap;
          clock.advanceTo(at);
          requested.push(at);
          paced.request();
        }
        clock.runUntilIdle();
        for (const [index, time] of called.entries())
          if (index > 0) expect(time - (called[index - 1] as number)).toBeGreaterThanOrEqual(interval);
        for (const time of requested) {
          const answered = called.find((one) => one > time) as number;
          const last = called.filter((one) => one <= time).at(-1) ?? Number.NEGATIVE_INFINITY;
          expect(answered - time).toBeLessThanOrEqual(Math.max(2, last + interval - time));
        }
      },
    ),
  );
});

test('a clock that is set back by an hour delays a call by no more than the interval', () => {
  const clock = createVirtualClock(3_600_000);
  let back = 0;
  const called: number[] = [];
  const paced = new PacedCall(
    { now: () => clock.now() - back, deadline: (time, call) => clock.deadline(time + back, call) },
    25,
    () => void called.push(clock.now()),
  );
  paced.request();
  clock.runUntilIdle();
  back = 3_600_000;
  paced.request();
  clock.runUntilIdle();
  expect(called).toEqual([3_600_002, 3_600_027]);
});
