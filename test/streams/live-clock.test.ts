/** Live clock under a stepping system time, with waits longer than setTimeout supports. */
import { once } from 'node:events';
import net, { type AddressInfo } from 'node:net';
import { createClockScheduler } from '../../streams/clock/clock-scheduler.ts';
import { firstValueFrom, timer } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { timeLeft } from '../../streams/clock/clock.ts';
import { createLiveClock, MAX_TIMEOUT_MS, type TimeSource } from '../../streams/clock/live-clock.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';

/** Creates a system with a wall clock that can be stepped. Its timers refuse delays that setTimeout would not keep. */
function createSystem() {
  const elapsed = createVirtualClock(0);
  let step = 1_700_000_000_000;
  const delays: number[] = [];
  const source: TimeSource = {
    wall: () => elapsed.now() + step,
    monotonic: () => elapsed.now(),
    timer: (delayMs, call) => {
      expect(delayMs).toBeLessThanOrEqual(MAX_TIMEOUT_MS);
      delays.push(delayMs);
      return elapsed.deadline(elapsed.now() + delayMs, call);
    },
  };
  return {
    source,
    delays,
    advance: (ms: number) => elapsed.advanceTo(elapsed.now() + ms),
    stepWall: (ms: number) => {
      step += ms;
    },
  };
}

describe('live clock', () => {
  it.each([
    ['is set back, and the clock goes on at half speed', -5_000, 2_000],
    ['was wrong by a minute, and the clock steps back with it', -60_000, 2_000],
    ['goes on as it should', 0, 2_000],
    ['is set forward: whoever reads it sees the end earlier', 1_500, 500],
  ])('a remaining time ends no later than requested if the system time %s', (_, stepMs, overAfterMs) => {
    const system = createSystem();
    const clock = createLiveClock(system.source);
    const leftMs = timeLeft(clock, 2_000);
    expect(leftMs()).toBe(2_000);
    system.stepWall(stepMs);
    system.advance(overAfterMs - 100);
    expect(leftMs()).toBe(100);
    system.advance(100);
    expect(leftMs()).toBe(0);
  });

  it('never runs backwards when the system time steps back, continues, and catches up', () => {
    const system = createSystem();
    const clock = createLiveClock(system.source);
    const start = clock.now();
    system.advance(1_000);
    expect(clock.now()).toBe(start + 1_000);
    system.stepWall(-600);
    const seen = [clock.now()];
    for (let step = 0; step < 20; step++) {
      system.advance(100);
      seen.push(clock.now());
    }
    expect(seen).toEqual([...seen].sort((a, b) => a - b));
    expect(seen[1]).toBe(start + 1_050);
    expect(seen.at(-1)).toBe(system.source.wall());
    system.stepWall(5_000);
    expect(clock.now()).toBe(system.source.wall());
  });

  it('reads what arrived before it calls, if its process was delayed past the deadline', async () => {
    const server = net.createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const receiver = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
    const [sender] = (await once(server, 'connection')) as [net.Socket];
    const clock = createLiveClock();
    const seen: string[] = [];
    const ended = new Promise<void>((resolve) => {
      receiver.on('data', () => seen.push('received'));
      setImmediate(() => {
        clock.deadline(clock.now() + 20, () => {
          seen.push('called');
          resolve();
        });
        sender.write('a quote');
        for (const until = clock.elapsed() + 200; clock.elapsed() < until; );
      });
    });
    await ended;
    expect(seen).toEqual(['received', 'called']);
    receiver.destroy();
    sender.destroy();
    server.close();
  });

  it('waits longer than 2^31 ms in pieces and calls once', () => {
    const system = createSystem();
    const clock = createLiveClock(system.source);
    let calls = 0;
    const days = 60 * 86_400_000;
    clock.deadline(clock.now() + days, () => calls++);
    system.advance(days - 1);
    expect(calls).toBe(0);
    system.advance(1);
    expect(calls).toBe(1);
    system.advance(days);
    expect(calls).toBe(1);
    expect(system.delays[0]).toBe(MAX_TIMEOUT_MS);
  });

  it('does not call early if the system time steps back, nor after it was cancelled', () => {
    const system = createSystem();
    const clock = createLiveClock(system.source);
    const at = clock.now() + 1_000;
    const calledAt: number[] = [];
    clock.deadline(at, () => calledAt.push(clock.now()));
    const cancel = clock.deadline(at, () => calledAt.push(-1));
    system.stepWall(-500);
    cancel();
    system.advance(5_000);
    expect(calledAt).toHaveLength(1);
    expect(calledAt[0]).toBeGreaterThanOrEqual(at);
  });

  it('steps back with a system time that was hours ahead, and deadlines keep their delay', () => {
    const system = createSystem();
    const clock = createLiveClock(system.source);
    const before = clock.now();
    system.stepWall(7_200_000);
    expect(clock.now()).toBe(before + 7_200_000);
    const called: string[] = [];
    clock.deadline(clock.now() + 5_000, () => called.push('set while wrong'));
    system.advance(1_000);
    system.stepWall(-7_200_000);
    expect(clock.now()).toBe(before + 1_000);
    clock.deadline(clock.now() + 6_000, () => called.push('set afterwards'));
    system.advance(3_999);
    expect(called).toEqual([]);
    system.advance(1);
    expect(called).toEqual(['set while wrong']);
    system.advance(2_000);
    expect(called).toEqual(['set while wrong', 'set afterwards']);
  });

  it('makes RxJS wait by its own time, whatever runs it', () => {
    const system = createSystem();
    const clock = createLiveClock(system.source);
    const ticks: number[] = [];
    const start = clock.now();
    const subscription = timer(1_000, 500, createClockScheduler(clock)).subscribe({ next: () => ticks.push(clock.now() - start) });
    system.advance(999);
    expect(ticks).toEqual([]);
    for (let step = 0; step < 11; step++) system.advance(100);
    expect(ticks).toEqual([1_000, 1_500, 2_000]);
    subscription.unsubscribe();
    system.advance(10_000);
    expect(ticks).toHaveLength(3);
  });

  it('follows the real time and offers a scheduler to RxJS', async () => {
    const clock = createLiveClock();
    const before = clock.now();
    await firstValueFrom(timer(5, createClockScheduler(clock)));
    await new Promise<void>((resolve) => {
      clock.deadline(before + 10, resolve);
    });
    expect(clock.now()).toBeGreaterThanOrEqual(before + 10);
    expect(createClockScheduler(clock).now()).toBeGreaterThanOrEqual(before + 10);
  });
});
