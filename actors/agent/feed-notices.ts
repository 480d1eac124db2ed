/** Tells agents and Takes that a venue or one instrument is lost or found again, with what is left of the seconds that are survived. */
import type { EpochMs } from '../../src/domain/time.ts';
import type { InstrumentKey, Venue } from '../../src/domain/venue.ts';
import type { Clock } from '../../streams/clock.ts';
import { type ConnectivityEdge, degradationLeftMs } from '../../streams/connectivity.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { AgentEvent } from './protocol.ts';

const BATCH = 500;

export interface FeedEdge {
  readonly type: ConnectivityEdge['type'];
  readonly subject: Venue | InstrumentKey;
  readonly at: EpochMs;
  readonly goodAt: EpochMs | null;
}

type Subject = Venue | InstrumentKey;
interface Told {
  readonly edge: FeedEdge;
  /** Ends with what telling ends with. */
  readonly done: (told: Promise<void>) => void;
  readonly failed: (error: unknown) => void;
}

/**
 * Edges that come while the subscribers of others are looked up are looked up together after them: a venue that is lost takes
 * hundreds of instruments with it, and each lookup reads the rules of all traders.
 */
export function createFeedNotices(deps: {
  /** The agents and Takes that look at each of some venues and instruments; those that nobody looks at are left out. */
  readonly subscribers: (subjects: readonly Subject[]) => Promise<ReadonlyMap<string, readonly string[]>>;
  readonly runtime: Pick<Runtime, 'deliverMany'>;
  readonly clock: Pick<Clock, 'now'>;
}): (edge: FeedEdge) => Promise<void> {
  const { subscribers, runtime, clock } = deps;
  let waiting: Told[] = [];
  let looking = false;

  async function tell(edge: FeedEdge, ids: readonly string[]): Promise<void> {
    const { type, subject } = edge;
    for (let from = 0; from < ids.length; from += BATCH) {
      const event: AgentEvent =
        type === 'feed.degraded'
          ? { type, venue: subject, leftMs: degradationLeftMs(edge, clock.now()) }
          : { type: 'feed.restored', venue: subject };
      await runtime.deliverMany(ids.slice(from, from + BATCH), event, { cause: 'feed' });
    }
  }

  async function lookUp(): Promise<void> {
    looking = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      try {
        const found = await subscribers([...new Set(batch.map(({ edge }) => edge.subject))]);
        // Not waited for: the many agents of one venue delay nobody who looks at another.
        for (const { edge, done } of batch) done(tell(edge, found.get(edge.subject) ?? []));
      } catch (error) {
        for (const { failed } of batch) failed(error);
      }
    }
    looking = false;
  }

  return (edge) =>
    new Promise<void>((done, failed) => {
      waiting.push({ edge, done, failed });
      if (!looking) void lookUp();
    });
}
