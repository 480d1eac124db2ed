/**
 * Fast-forward of a sandbox: takes over the live service's duties, runs through the period under a virtual clock, and stores each hour's
 * results. Streams, worker and store are the live service's own.
 */
import { createVirtualClock, type VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import type { ShardTicker } from '../../../actors/ticking/shard-ticker.ts';
import type { TickDuty, TickStore } from '../../../actors/ticking/tick-store.ts';
import type { Cut } from '../../domain/market/cut.ts';
import { AGENT_TICK_MS, type EpochMs, HOUR_MS, MINUTE_MS, TAKE_TICK_MS } from '../../domain/values/time.ts';
import { createBatchedTicks } from './batched-ticks.ts';
import { type LivedParts, liveThrough } from './live-through.ts';

/** Simulated interval at which the database takes over results, in addition to effects. */
const KEEP_MS = 20 * MINUTE_MS;
/** Duties of the live service that are held meanwhile, in real time. */
const DUTIES = ['feed', 'dispatcher'];

export interface StretchAsked {
  /** Returns the end of a move that begins at an instant. */
  readonly until: (from: EpochMs) => EpochMs;
  /** Reports progress in hours. */
  readonly progress: (done: number, total: number) => void;
  /** Ends the move after the current slot. */
  readonly signal: AbortSignal;
}

export interface MovedOn {
  readonly from: EpochMs;
  /** Last completed slot. Every slot up to it has its cut and decisions. */
  readonly to: EpochMs;
}

/** Fast-forward that is ready to run. */
export interface OpenStretch {
  readonly parts: Omit<LivedParts, 'everyHour'>;
  /** Tick periods, in milliseconds. */
  readonly periodsMs: readonly number[];
  /** Stores the results up to a slot. */
  keepHour(slot: EpochMs): Promise<void>;
  close(): Promise<void>;
}

interface StretchPorts {
  readonly leases: { hold(duty: string): Promise<boolean>; release(duty: string): Promise<void> };
  /** Returns the database's time. */
  readonly now: () => Promise<EpochMs>;
  readonly open: (clock: VirtualClock) => Promise<OpenStretch>;
  /** Runs the move and keeps a record of the hours completed. */
  readonly recorded: (live: (tell: StretchAsked['progress']) => Promise<MovedOn>) => Promise<MovedOn>;
}

/** Moves the time on. @throws Error if a service is running */
export async function moveTimeOn(ports: StretchPorts, asked: StretchAsked): Promise<MovedOn> {
  const { leases, recorded } = ports;
  const hold = async (): Promise<void> => {
    for (const duty of DUTIES)
      if (!(await leases.hold(duty)))
        throw new Error('a service runs on this database: stop it (Ctrl-C), advance the time, then start it again');
  };
  await hold();
  try {
    return await recorded((tell) => liveOn(ports, asked, { hold, tell }));
  } finally {
    for (const duty of DUTIES) await leases.release(duty);
  }
}

async function liveOn(
  { now, open }: StretchPorts,
  { until, progress, signal }: StretchAsked,
  { hold, tell }: { readonly hold: () => Promise<void>; readonly tell: StretchAsked['progress'] },
): Promise<MovedOn> {
  const from = await now();
  const end = until(from);
  const total = Math.ceil((end - from) / HOUR_MS);
  let hours = 0;
  tell(hours, total);
  const { parts, periodsMs, keepHour, close } = await open(createVirtualClock(from));
  try {
    const everyHour = async (slot: EpochMs): Promise<void> => {
      await keepHour(slot);
      await hold();
      hours++;
      progress(hours, total);
      tell(hours, total);
    };
    const to = await liveThrough({ ...parts, everyHour }, { to: end, periodsMs, signal });
    await keepHour(to);
    return { from, to };
  } finally {
    await close();
  }
}

/** Market streams of a fast-forward. */
interface StretchMarket {
  /** Receives the market's messages at the clock's time. */
  receive(): Promise<void>;
  /** Returns the newest cut if it belongs to the slot, otherwise null. */
  cut(slot: EpochMs): Cut | null;
  /** Stores new cuts. Resolves when they are written. */
  keepCuts(): Promise<void>;
  /** Resolves when everything else received is written. */
  written(): Promise<unknown>;
  stop(): void;
}

/** Worker of a fast-forward, which runs only on request. */
export interface StretchWorker {
  /** Tickers by period in milliseconds. */
  readonly tickers: ReadonlyMap<number, ShardTicker>;
  /** Runs due timers and activities. */
  carryDue(): Promise<void>;
  stop(): Promise<unknown>;
}

interface StretchStore<Duty extends TickDuty> {
  readonly ticks: TickStore<Duty>;
  /** Returns the shards whose last slot is before an instant. */
  dueShards(periodMs: number, at: EpochMs): Promise<readonly { readonly shard: number }[]>;
  /** Returns the time at which the worker's next timer or activity is due, or null if there is none. */
  nextDue(): Promise<EpochMs | null>;
  /** Advances the database's time. */
  moveTimeTo(at: EpochMs): Promise<void>;
}

/** Margin checks of paper positions. */
export interface StretchMargins {
  /** Liquidates positions at their maintenance margin. Awaits `beforeWriting` before any write. @returns number of liquidated positions */
  end(beforeWriting: () => Promise<void>): Promise<number>;
  /** Discards cached books, which may have changed. */
  forget(): void;
}

/** Returns the ticked shards of every period. */
export async function readShards({
  dueShards,
}: Pick<StretchStore<TickDuty>, 'dueShards'>): Promise<ReadonlyMap<number, readonly number[]>> {
  const shards = new Map<number, readonly number[]>();
  for (const periodMs of [AGENT_TICK_MS, TAKE_TICK_MS]) {
    const due = await dueShards(periodMs, Number.MAX_SAFE_INTEGER);
    const numbers = due.map(({ shard }) => shard);
    if (numbers.length > 0) shards.set(periodMs, numbers);
  }
  return shards;
}

/** Assembles a fast-forward. Ticks are committed in batches, and due work is read again after a possible change. */
export function openStretch<Duty extends TickDuty>(deps: {
  readonly clock: VirtualClock;
  readonly shards: ReadonlyMap<number, readonly number[]>;
  readonly market: StretchMarket;
  readonly store: StretchStore<Duty>;
  readonly worker: (ticks: TickStore<Duty>) => StretchWorker;
  readonly margins: StretchMargins;
  /** Books funding, and assesses the agents' stages that are due at an instant. */
  readonly assessDue: (at: EpochMs) => Promise<void>;
}): OpenStretch {
  const { clock, shards, market, store, margins } = deps;
  let due: EpochMs | null | undefined;
  let margined: EpochMs | null = null;
  const ticks = createBatchedTicks(store.ticks, {
    cut: market.cut,
    before: () => market.written().then(() => market.keepCuts()),
    traded: () => {
      due = undefined;
    },
  });
  const worker = deps.worker(ticks.store);
  /** Invalidates cached reads and due times. */
  const changed = (): void => {
    ticks.forget();
    margins.forget();
    due = undefined;
  };
  const moved = async (): Promise<void> => {
    await ticks.flush();
    await store.moveTimeTo(clock.now());
  };
  return {
    periodsMs: [...shards.keys()],
    async keepHour(at) {
      await ticks.flush();
      changed();
      await deps.assessDue(at);
    },
    parts: {
      clock,
      receive: market.receive,
      async tick(periodMs, slot) {
        const ticker = worker.tickers.get(periodMs);
        if (ticker === undefined) throw new Error(`no agent is ticked every ${periodMs} ms`);
        if (margined !== slot) while ((await margins.end(moved)) > 0) changed();
        margined = slot;
        await Promise.all((shards.get(periodMs) ?? []).map((shard) => ticker.tick(periodMs, shard, slot)));
        if (slot % KEEP_MS === 0) ticks.keepOn();
      },
      async nextDue() {
        due = due === undefined ? await store.nextDue() : due;
        return due;
      },
      async carryDue() {
        await moved();
        await worker.carryDue();
        changed();
      },
    },
    async close() {
      market.stop();
      await worker.stop();
      await market.written();
    },
  };
}
