/** Virtual clock compared with a naive sorted list, and as a scheduler of RxJS. */
import { createClockScheduler } from '../../streams/clock/clock-scheduler.ts';
import * as fc from 'fast-check';
import { bufferTime, interval, map, take, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';

describe('virtual clock', () => {
  it('fires like a naive sorted list, whatever is set, cancelled and set again from within', () => {
    const action = fc.record({
      delay: fc.integer({ min: 0, max: 50 }),
      cancels: fc.option(fc.nat(60)),
      nested: fc.option(fc.integer({ min: 0, max: 20 })),
    });
    fc.assert(
      fc.property(
        fc.array(action, { maxLength: 60 }),
        fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 8 }),
        (actions, steps) => {
          const run = (set: (at: number, call: () => void) => () => void, advance: (at: number) => void, now: () => number): string[] => {
            const log: string[] = [];
            const cancels: (() => void)[] = [];
            actions.forEach(({ delay, cancels: cancelled, nested }, index) => {
              cancels.push(
                set(1_000 + delay, () => {
                  log.push(`${index}@${now()}`);
                  if (cancelled !== null) cancels[cancelled]?.();
                  if (nested !== null) set(now() + nested, () => log.push(`${index}n@${now()}`));
                }),
              );
            });
            let at = 1_000;
            for (const step of steps) {
              at += step;
              advance(at);
              log.push(`=${now()}`);
            }
            return log;
          };
          const clock = createVirtualClock(1_000);
          const heap = run(clock.deadline, clock.advanceTo, clock.now);
          const naive = createNaiveClock(1_000);
          expect(heap).toEqual(run(naive.set, naive.advance, naive.now));
        },
      ),
      { numRuns: 300 },
    );
  });

  it('keeps its order when many timers are cancelled', () => {
    const clock = createVirtualClock(0);
    const fired: number[] = [];
    const cancels = Array.from({ length: 5_000 }, (_, index) =>
      clock.deadline((index * 7_919) % 5_000, () => fired.push((index * 7_919) % 5_000)),
    );
    cancels.forEach((cancel, index) => {
      if (index % 5 !== 0) cancel();
    });
    expect(clock.pending).toBe(1_000);
    clock.runUntilIdle();
    expect(fired).toEqual([...fired].sort((a, b) => a - b));
    expect(fired).toHaveLength(1_000);
    expect(clock.pending).toBe(0);
  });

  it('drives the time operators of RxJS', () => {
    const clock = createVirtualClock(500);
    const seen: string[] = [];
    interval(100, createClockScheduler(clock))
      .pipe(take(3))
      .subscribe((count) => seen.push(`interval ${count}@${clock.now()}`));
    const waiting = timer(250, createClockScheduler(clock)).subscribe(() => seen.push('never'));
    interval(40, createClockScheduler(clock))
      .pipe(
        take(5),
        bufferTime(100, createClockScheduler(clock)),
        map((batch) => batch.length),
      )
      .subscribe((length) => seen.push(`buffer ${length}@${clock.now()}`));
    clock.advanceTo(740);
    waiting.unsubscribe();
    clock.runUntilIdle();
    expect(seen).toEqual(['interval 0@600', 'buffer 2@600', 'interval 1@700', 'buffer 2@700', 'buffer 1@700', 'interval 2@800']);
  });

  it('lets promises settle between instants', async () => {
    const clock = createVirtualClock(0);
    const seen: string[] = [];
    clock.deadline(10, () => {
      void Promise.resolve()
        .then(() => Promise.resolve())
        .then(() => {
          seen.push(`promise@${clock.now()}`);
          clock.deadline(15, () => seen.push(`timer@${clock.now()}`));
        });
    });
    clock.deadline(20, () => seen.push(`later@${clock.now()}`));
    await clock.settleTo(30);
    expect(seen).toEqual(['promise@10', 'timer@15', 'later@20']);
    expect(clock.now()).toBe(30);
  });

  it('refuses to run backwards and to run for ever', () => {
    const clock = createVirtualClock(100);
    expect(() => clock.advanceTo(99)).toThrow('it stands at 100, asked for 99');
    const again = (): void => {
      clock.deadline(clock.now() + 1, again);
    };
    again();
    expect(() => clock.runUntilIdle(1_000)).toThrow('still not idle after 1000 timers');
  });
});

/** Creates timers in a list that is sorted at every step: slow and obviously right. */
function createNaiveClock(start: number) {
  let now = start;
  let order = 0;
  let timers: { at: number; order: number; call: () => void }[] = [];
  return {
    now: () => now,
    set(at: number, call: () => void) {
      const timer = { at: Math.max(at, now), order: order++, call };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(at: number) {
      for (;;) {
        timers.sort((a, b) => a.at - b.at || a.order - b.order);
        const next = timers[0];
        if (next === undefined || next.at > at) break;
        timers.shift();
        now = next.at;
        next.call();
      }
      now = at;
    },
  };
}
