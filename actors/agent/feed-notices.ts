/** Notifies agents and Takes when a venue or instrument is lost or recovers, with the remaining tolerance in seconds. */
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { InstrumentKey, Venue } from '../../src/domain/market/venue.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { type ConnectivityEdge, degradationLeftMs } from '../../streams/quality/connectivity.ts';
import type { Runtime } from '../runtime/runtime.ts';
import type { AgentEvent } from './machine.ts';

const BATCH = 500;

export interface FeedEdge {
  readonly type: ConnectivityEdge['type'];
  readonly subject: Venue | InstrumentKey;
  readonly at: EpochMs;
  readonly goodAt: EpochMs | null;
}

export function createFeedNotices(deps: {
  /** Ids of the agents and Takes that use a venue or an instrument. */
  readonly subscribers: (subject: Venue | InstrumentKey) => Promise<readonly string[]>;
  readonly runtime: Pick<Runtime, 'deliverMany'>;
  readonly clock: Pick<Clock, 'now'>;
}): (edge: FeedEdge) => Promise<void> {
  const { subscribers, runtime, clock } = deps;
  return async (edge) => {
    const { type, subject } = edge;
    const ids = await subscribers(subject);
    for (let from = 0; from < ids.length; from += BATCH) {
      const event: AgentEvent =
        type === 'feed.degraded'
          ? { type, venue: subject, leftMs: degradationLeftMs(edge, clock.now()) }
          : { type: 'feed.restored', venue: subject };
      await runtime.deliverMany(ids.slice(from, from + BATCH), event, { cause: 'feed' });
    }
  };
}
