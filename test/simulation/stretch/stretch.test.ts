// Simulated stretch of a sandbox's time: permission to run it, hourly commits, and leases returned after every outcome.
import { expect, test, vi } from 'vitest';
import type { TickCommit } from '../../../actors/ticking/tick-store.ts';
import type { Cut } from '../../../src/domain/market/cut.ts';
import { createBatchedTicks } from '../../../src/simulation/stretch/batched-ticks.ts';
import { createMadeCuts } from '../../../src/simulation/stretch/made-cuts.ts';
import { moveTimeOn, type OpenStretch, openStretch, readShards } from '../../../src/simulation/stretch/stretch.ts';
import { createVirtualClock, type VirtualClock } from '../../../streams/clock/virtual-clock.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const FROM = Date.UTC(2026, 0, 5, 12);

/** Creates a stretch with ticks only; `onTick` may throw. */
function recorded(onTick: (slot: number) => void = () => {}, refused: readonly string[] = []) {
  const held: string[] = [];
  const kept: number[] = [];
  const ticked: number[] = [];
  const progress: [number, number][] = [];
  const onRecord: [number, number][] = [];
  let closed = 0;
  const open = async (clock: VirtualClock): Promise<OpenStretch> => ({
    parts: {
      clock,
      receive: async () => {},
      async tick(_, slot) {
        ticked.push(slot);
        onTick(slot);
      },
      nextDue: async () => null,
      carryDue: async () => {},
    },
    periodsMs: [MINUTE],
    keepHour: async (slot) => void kept.push(slot),
    close: async () => void closed++,
  });
  const leases = {
    async hold(duty: string) {
      if (!refused.includes(duty) && !held.includes(duty)) held.push(duty);
      return !refused.includes(duty);
    },
    release: async (duty: string) => void held.splice(held.indexOf(duty), 1),
  };
  const move = (hours: number, signal = new AbortController().signal) =>
    moveTimeOn(
      { leases, now: async () => FROM, open, recorded: (live) => live((done, total) => onRecord.push([done, total])) },
      { until: (from) => from + hours * HOUR, progress: (done, total) => progress.push([done, total]), signal },
    );
  return { move, held, kept, ticked, progress, onRecord, closedTimes: () => closed };
}

test('every slot is ticked, every hour is committed and reported, and the last slot too', async () => {
  const { move, held, kept, ticked, progress, onRecord, closedTimes } = recorded();
  expect(await move(2.5)).toEqual({ from: FROM, to: FROM + 2.5 * HOUR });
  expect(ticked).toEqual(Array.from({ length: 150 }, (_, at) => FROM + (at + 1) * MINUTE));
  expect(kept).toEqual([FROM + HOUR, FROM + 2 * HOUR, FROM + 2.5 * HOUR]);
  expect(progress).toEqual([
    [1, 3],
    [2, 3],
  ]);
  expect(onRecord).toEqual([[0, 3], ...progress]);
  expect(closedTimes()).toBe(1);
  expect(held).toEqual([]);
});

test('it ends after the running slot when told to, and reports where it ended', async () => {
  const told = new AbortController();
  const { move, kept } = recorded((slot) => {
    if (slot === FROM + 7 * MINUTE) told.abort();
  });
  expect(await move(24, told.signal)).toEqual({ from: FROM, to: FROM + 7 * MINUTE });
  expect(kept).toEqual([FROM + 7 * MINUTE]);
});

test('next to a running service it does not start', async () => {
  const { move, ticked, onRecord, closedTimes } = recorded(() => {}, ['dispatcher']);
  await expect(move(1)).rejects.toThrow('a service runs on this database: stop it');
  expect([ticked, onRecord, closedTimes()]).toEqual([[], [], 0]);
});

test('a tick that throws ends the stretch: it is closed, and the leases are returned', async () => {
  const { move, held, closedTimes } = recorded((slot) => {
    if (slot === FROM + 3 * MINUTE) throw new Error('the shard is broken');
  });
  await expect(move(1)).rejects.toThrow('the shard is broken');
  expect([held, closedTimes()]).toEqual([[], 1]);
});

test('cuts are stored in slot order, four at a time, and only the newest can be read', async () => {
  const cuts = createMadeCuts();
  const written: number[][] = [];
  const write = async (some: readonly Cut[]) => void written.push(some.map(({ slot }) => slot));
  for (let slot = 1; slot <= 9; slot++) cuts.add({ slot } as Cut);
  expect([cuts.find(8), cuts.find(9)]).toEqual([null, { slot: 9 }]);
  const both = [cuts.keep(write), cuts.keep(write)];
  await Promise.all(both);
  cuts.add({ slot: 10 } as Cut);
  await cuts.keep(write);
  expect(written).toEqual([[1, 2, 3, 4], [5, 6, 7, 8], [9], [10]]);
});

test('received data is written before the time moves: signing at another time is refused', async () => {
  const order: string[] = [];
  const does = (what: string) => async (): Promise<never> => void order.push(what) as never;
  const { parts, keepHour } = openStretch({
    clock: createVirtualClock(FROM),
    shards: new Map(),
    market: { receive: does('receive'), cut: () => null, written: does('written'), keepCuts: does('keepCuts'), stop: () => {} },
    store: { ticks: {} as never, dueShards: async () => [], nextDue: async () => null, moveTimeTo: does('moveTimeTo') },
    worker: () => ({ tickers: new Map(), carryDue: does('carryDue'), stop: async () => {} }),
    margins: { end: async () => 0, forget: () => {} },
    assessDue: does('assessDue'),
  });
  await parts.carryDue();
  await keepHour(FROM + HOUR);
  expect(order).toEqual(['written', 'keepCuts', 'moveTimeTo', 'carryDue', 'written', 'keepCuts', 'assessDue']);
});

/** Creates ticks of one shard over a store whose commits end on command. */
function batchedTicks() {
  const done: string[] = [];
  const open: (() => void)[] = [];
  let fails: Error | null = null;
  const ticks = createBatchedTicks(
    {
      async commit({ lastSlot, slot, rows }: TickCommit) {
        await new Promise<void>((end) => open.push(end));
        if (fails !== null) throw fails;
        done.push(`${lastSlot}-${slot}: ${rows.map(({ slot: of }) => of).join()}`);
        return true;
      },
      incident: async () => void done.push('incident'),
    } as never,
    { cut: () => null, before: async () => {}, traded: () => done.push('traded') },
  );
  const tick = (slot: number, more: object = {}) =>
    ticks.store.commit({
      periodMs: MINUTE,
      shard: 1,
      lastSlot: slot - 1,
      slot,
      rows: [{ slot }],
      at: slot,
      decided: true,
      ...more,
    } as never);
  const ends = async (): Promise<void> => {
    await vi.waitFor(() => expect(open).not.toEqual([]));
    open.shift()?.();
  };
  return { ticks, tick, done, ends, open, fail: (error: Error) => (fails = error) };
}

test('slots are ticked while earlier ones are committed, and each is committed once, in order', async () => {
  const { ticks, tick, done, ends, open } = batchedTicks();
  await tick(1);
  await tick(2);
  ticks.keepOn();
  await tick(3);
  await tick(4);
  expect(done).toEqual([]);
  // The effects of a tick are committed after everything before it, and awaited.
  const traded = tick(5, { trades: {} });
  const told = ticks.store.incident({} as never);
  await ends();
  await told;
  expect(done).toEqual(['0-2: 1,2', 'incident']);
  await ends();
  expect(await traded).toBe(true);
  expect(done.slice(2)).toEqual(['2-5: 3,4,5', 'traded']);
  await tick(6);
  const flushed = ticks.flush();
  await ends();
  await flushed;
  await ticks.flush();
  expect(done.slice(4)).toEqual(['5-6: 6']);
  expect(open).toEqual([]);
});

test('a commit that fails while slots are ticked ends the stretch at the next flush', async () => {
  const { ticks, tick, done, ends, fail } = batchedTicks();
  await tick(1);
  fail(new Error('the disk is full'));
  ticks.keepOn();
  await ends();
  await tick(2);
  await expect(ticks.flush()).rejects.toThrow('the disk is full');
  await expect(tick(3, { trades: {} })).rejects.toThrow('the disk is full');
  expect(done).toEqual([]);
});

test('a period without shards is skipped', async () => {
  const shards = await readShards({ dueShards: async (periodMs) => (periodMs === MINUTE ? [{ shard: 3 }, { shard: 5 }] : []) });
  expect([...shards]).toEqual([[MINUTE, [3, 5]]]);
});
