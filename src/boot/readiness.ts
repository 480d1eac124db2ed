/** Whether this process can work, part by part: what /readyz says. */
import type { Readiness } from '../../api/operation/ports.ts';
import { stalledShards } from '../adapters/store/agents/shard-health.ts';
import type { Sql } from '../adapters/store/database.ts';
import type { EpochMs } from '../domain/time.ts';
import type { ClockState } from './clock-watch.ts';
import type { RoomWatch } from './room-watch.ts';

/** Quotes are heard while the newest is no older than this. */
const QUOTES_FRESH_MS = 30_000;

export interface ReadinessDeps {
  readonly sql: Sql;
  /** Whether there is room to write. */
  readonly room: Pick<RoomWatch, 'left'>;
  /** Whether this machine's clock agrees with PostgreSQL's. */
  readonly clockState: () => ClockState;
  /** Answers where the queue works; a process without a worker asks nothing. */
  readonly pingQueue: () => Promise<void>;
  /** Whether the thread that halts and pauses is there, and where. */
  readonly emergency: { readonly url: string; readonly isUp: boolean };
  readonly bus: { snapshot(): readonly { readonly receivedAt: EpochMs }[] };
  readonly clock: { now(): EpochMs };
}

/** What each part says where it works. A part that throws does not, and says why. */
const PARTS: Readonly<Record<string, (deps: ReadinessDeps) => Promise<string> | string>> = {
  async database({ sql }) {
    await sql`select 1`;
    return 'answers';
  },
  room: ({ room }) => room.left(),
  clock({ clockState }) {
    const { ok, detail } = clockState();
    if (!ok) throw new Error(detail);
    return detail;
  },
  async shards({ sql }) {
    const [worst, ...others] = await stalledShards(sql);
    if (worst !== undefined)
      throw new Error(`${others.length + 1} shards do not advance; the worst lies ${Math.round(worst.behindMs / 1_000)} s behind`);
    return 'advance';
  },
  async queue({ pingQueue }) {
    await pingQueue();
    return 'answers';
  },
  emergency({ emergency }) {
    if (!emergency.isUp) throw new Error('the thread that halts and pauses is being started again');
    return `halts and pauses at ${emergency.url}`;
  },
  feeds({ bus, clock }) {
    const quotes = bus.snapshot();
    const newest = quotes.reduce((last, { receivedAt }) => Math.max(last, receivedAt), 0);
    if (newest < clock.now() - QUOTES_FRESH_MS)
      throw new Error(newest === 0 ? 'no quote was heard yet' : `the newest quote is ${Math.round((clock.now() - newest) / 1_000)} s old`);
    return `${quotes.length} instruments heard`;
  },
};

export function createReadiness(deps: ReadinessDeps): () => Promise<Readiness> {
  return async () => {
    const parts = await Promise.all(
      Object.entries(PARTS).map(async ([name, ask]) => {
        try {
          return { name, ok: true, detail: await ask(deps) };
        } catch (error) {
          return { name, ok: false, detail: error instanceof Error ? error.message : String(error) };
        }
      }),
    );
    return { ready: parts.every(({ ok }) => ok), parts };
  };
}
