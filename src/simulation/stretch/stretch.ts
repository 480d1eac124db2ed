/**
 * Moves the time of a sandbox on: holds the duties of the live service meanwhile, lives through the stretch under a virtual
 * clock, and keeps what every hour leads to. What it is lived with (streams, worker, store) is the live service's own.
 */
import { createVirtualClock, type VirtualClock } from '../../../streams/clock/virtual-clock.ts';
import type { ShardTicker } from '../../../actors/ticking/shard-ticker.ts';
import type { TickDuty, TickStore } from '../../../actors/ticking/tick-store.ts';
import type { Cut } from '../../domain/market/cut.ts';
import { AGENT_TICK_MS, type EpochMs, HOUR_MS, TAKE_TICK_MS } from '../../domain/values/time.ts';
import { createBatchedTicks } from './batched-ticks.ts';
import { type LivedParts, liveThrough } from './live-through.ts';

/** Interval at which the database takes over what was lived through, beside what follows. */
const KEEP_MS = 20 * 60_000;
/** Duties of the live service that are held meanwhile, in real time. */
const DUTIES = ['feed', 'dispatcher'];

/** Parameters of a stretch. */
export interface StretchAsked {
  /** Returns the end of a stretch that begins at an instant. */
  readonly until: (from: EpochMs) => EpochMs;
  /** Reports progress in hours. */
  readonly progress: (done: number, total: number) => void;
  /** Ends the stretch after the slot that is under way. */
  readonly signal: AbortSignal;
}

/** Result of a stretch. */
export interface MovedOn {
  readonly from: EpochMs;
  /** The last slot that was lived through; every slot up to it has its cut and its decisions. */
  readonly to: EpochMs;
}

/** A stretch that is ready to be lived through. */
export interface OpenStretch {
  readonly parts: Omit<LivedParts, 'everyHour'>;
  /** Periods of ticks, in milliseconds. */
  readonly periodsMs: readonly number[];
  /** Keeps what was done up to a slot. */
  keepHour(slot: EpochMs): Promise<void>;
  close(): Promise<void>;
}

export interface StretchPorts {
  readonly leases: { hold(duty: string): Promise<boolean>; release(duty: string): Promise<void> };
  /** The time of the database. */
  readonly now: () => Promise<EpochMs>;
  readonly open: (clock: VirtualClock) => Promise<OpenStretch>;
  /** Has the stretch lived through, and keeps on record how many hours of it are. */
  readonly recorded: (live: (tell: StretchAsked['progress']) => Promise<MovedOn>) => Promise<MovedOn>;
}

/** @throws Error in one sentence if a service is on duty. */
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

/** The streams of a stretch. */
export interface StretchMarket {
  /** Takes in what the market says at the clock's instant. */
  receive(): Promise<void>;
  /** The cut of a slot, if it is the newest. */
  cut(slot: EpochMs): Cut | null;
  /** Keeps the cuts that were made; resolves once they are written. */
  keepCuts(): Promise<void>;
  /** Resolves once everything else that was received is written. */
  written(): Promise<unknown>;
  stop(): void;
}

/** The worker of a stretch, which looks when it is told to. */
export interface StretchWorker {
  /** Tickers by their period in milliseconds. */
  readonly tickers: ReadonlyMap<number, ShardTicker>;
  /** Fires the timers and carries out the activities that are due. */
  carryDue(): Promise<void>;
  stop(): Promise<unknown>;
}

export interface StretchStore<Duty extends TickDuty> {
  readonly ticks: TickStore<Duty>;
  /** The shards whose last slot lies before an instant. */
  dueShards(periodMs: number, at: EpochMs): Promise<readonly { readonly shard: number }[]>;
  /** Time at which the worker's next timer or activity is due; null if none waits. */
  nextDue(): Promise<EpochMs | null>;
  /** Moves the time of the database on. */
  moveTimeTo(at: EpochMs): Promise<void>;
}

/** Positions on paper that the venue would end. */
export interface StretchMargins {
  /** Ends what is at its maintenance margin now; `beforeWriting` is awaited before anything is written. @returns how many positions ended. */
  end(beforeWriting: () => Promise<void>): Promise<number>;
  /** The books may have changed. */
  forget(): void;
}

/** Returns the ticked shards of every period. */
export async function shardsOf({ dueShards }: Pick<StretchStore<TickDuty>, 'dueShards'>): Promise<ReadonlyMap<number, readonly number[]>> {
  const shards = new Map<number, readonly number[]>();
  for (const periodMs of [AGENT_TICK_MS, TAKE_TICK_MS]) {
    const due = await dueShards(periodMs, Number.MAX_SAFE_INTEGER);
    const numbers = due.map(({ shard }) => shard);
    if (numbers.length > 0) shards.set(periodMs, numbers);
  }
  return shards;
}

/** Puts the parts of a stretch together: ticks are committed in batches, and what is due is asked again once something may have changed it. */
export function openStretch<Duty extends TickDuty>(deps: {
  readonly clock: VirtualClock;
  readonly shards: ReadonlyMap<number, readonly number[]>;
  readonly market: StretchMarket;
  readonly store: StretchStore<Duty>;
  readonly worker: (ticks: TickStore<Duty>) => StretchWorker;
  readonly margins: StretchMargins;
  /** Books funding, and assesses the stages of agents that are due at an instant. */
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
  /** Invalidates what ticks read and what is due. */
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
