/** Readiness of this process, part by part, as /readyz reports it. */

import type { MarketState, VenueState } from '../../src/domain/market/market-state.ts';
import { type EpochMs, isAhead, isOutdated } from '../../src/domain/values/time.ts';
import { errorText } from '../../src/domain/values/value-text.ts';
import { DATA_DEGRADATION_MS } from '../../src/domain/venues/venue-facts.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { VENUE_STATE_MAX_AGE_MS } from '../../streams/quality/state-quality.ts';
import type { Readiness } from './operation-ports.ts';

/** Maximum age of the newest quote in milliseconds while quotes count as received. */
const QUOTES_FRESH_MS = 30_000;
/** Poll interval of a starting service in milliseconds. */
const ASK_MS = 100;

export interface ReadinessDeps {
  /** Resolves if the database answers. */
  readonly pingDatabase: () => Promise<unknown>;
  /** Returns the shards that do not advance, worst first. */
  readonly stalledShards: () => Promise<readonly { readonly behindMs: number }[]>;
  /** Counts quarantined rows and actors. They harm nothing else, so they do not make the process unready. */
  readonly quarantined: () => Promise<{
    readonly actors: number;
    readonly rows: readonly { readonly loop: string; readonly count: number }[];
  }>;
  /** Describes the free disk space. @throws Error if there is too little. */
  readonly space: { left(): Promise<string> };
  /** Returns the state of this machine's clock compared with PostgreSQL's. */
  readonly clockState: () => { readonly ok: boolean; readonly detail: string };
  /** Resolves if the queue works, or at once in a process without a worker. */
  readonly pingQueue: () => Promise<void>;
  /** Emergency thread for halts and pauses: its URL and whether it is up. */
  readonly emergency: { readonly url: string; readonly isUp: boolean };
  readonly bus: { snapshot(): readonly { readonly receivedAt: EpochMs }[] };
  /** Connectivity of each venue that this service follows. */
  readonly states: { snapshot(): readonly MarketState[] };
  readonly clock: { now(): EpochMs };
}

/** Checks by part. Each returns a description if the part works, and throws the reason if it does not. */
const PARTS: Readonly<Record<string, (deps: ReadinessDeps) => Promise<string> | string>> = {
  async database({ pingDatabase }) {
    await pingDatabase();
    return 'answers';
  },
  room: ({ space }) => space.left(),
  clock({ clockState }) {
    const { ok, detail } = clockState();
    if (!ok) throw new Error(detail);
    return detail;
  },
  async shards({ stalledShards }) {
    const [worst, ...others] = await stalledShards();
    if (worst !== undefined)
      throw new Error(`${others.length + 1} shards do not advance; the worst is ${Math.round(worst.behindMs / 1_000)} s behind`);
    return 'advance';
  },
  async quarantine({ quarantined }) {
    const { actors, rows } = await quarantined();
    const words = [...(actors > 0 ? [`actors: ${actors}`] : []), ...rows.map(({ loop, count }) => `${loop}: ${count}`)];
    return words.length === 0 ? 'nothing is in quarantine' : `needs attention: ${words.join('; ')}`;
  },
  async queue({ pingQueue }) {
    await pingQueue();
    return 'answers';
  },
  emergency({ emergency }) {
    if (!emergency.isUp) throw new Error('the emergency thread is being restarted');
    return `halts and pauses at ${emergency.url}`;
  },
  feeds({ bus, states, clock }) {
    const quotes = bus.snapshot();
    const now = clock.now();
    const newest = quotes.reduce((last, { receivedAt }) => (isAhead(receivedAt, now) ? last : Math.max(last, receivedAt)), 0);
    if (newest < now - QUOTES_FRESH_MS)
      throw new Error(newest === 0 ? 'no quote was received yet' : `the newest quote is ${Math.round((now - newest) / 1_000)} s old`);
    const silent = states.snapshot().flatMap((state) => (state.kind === 'venue_state' ? silentVenue(state, now) : []));
    if (silent.length > 0) throw new Error(silent.join('; '));
    return `${quotes.length} instruments received`;
  },
};

/** Describes why a venue is not received: never since the start, lost for longer than a breaker waits, or followed by no process. */
function silentVenue({ venue, hearing, detail, degradedSince, heardAt, receivedAt }: VenueState, at: EpochMs): string[] {
  if (isOutdated(receivedAt, at, VENUE_STATE_MAX_AGE_MS)) return [`${venue} is followed by no process`];
  if (degradedSince === null || (heardAt !== null && at - degradedSince <= DATA_DEGRADATION_MS)) return [];
  return [`${venue} is ${hearing}: ${detail}`];
}

/** Checks every part at once. One that throws makes the process not ready, with its message as the detail. */
export function createReadiness(deps: ReadinessDeps): () => Promise<Readiness> {
  return async () => {
    const parts = await Promise.all(
      Object.entries(PARTS).map(async ([name, ask]) => {
        try {
          return { name, ok: true, detail: await ask(deps) };
        } catch (error) {
          return { name, ok: false, detail: errorText(error) };
        }
      }),
    );
    return { ready: parts.every(({ ok }) => ok), parts };
  };
}

/** Checks until everything works or the time is over. @throws the signal's reason if it was aborted. */
export async function untilReady(
  readiness: () => Promise<Readiness>,
  {
    clock,
    signal,
    patienceMs,
  }: { readonly clock: Pick<Clock, 'now' | 'deadline'>; readonly signal: AbortSignal; readonly patienceMs: number },
): Promise<Readiness> {
  const giveUpAt = clock.now() + patienceMs;
  for (;;) {
    signal.throwIfAborted();
    const found = await readiness();
    if (found.ready || clock.now() > giveUpAt) return found;
    await new Promise<void>((resolve) => void clock.deadline(clock.now() + ASK_MS, resolve));
  }
}
