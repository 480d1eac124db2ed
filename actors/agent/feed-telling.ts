/** Notifies agents of every venue and instrument that is lost or recovers, after the venues had time to connect. */
import type { Venue } from '../../src/domain/market/venue.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { Log } from '../../streams/log.ts';
import type { MarketPipeline } from '../../streams/market-pipeline.ts';
import { degradationLeftMs } from '../../streams/quality/connectivity.ts';
import type { FeedEdge } from './feed-notices.ts';

/** Time in milliseconds after a start before venues without data count as lost. */
const SETTLE_MS = 2_000;

/** Starts the notifications and returns a function that stops them. `write` runs one piece of work after the other. */
export function tellAgents(deps: {
  readonly pipeline: Pick<MarketPipeline, 'connectivity' | 'instrumentEdges'>;
  readonly venues: readonly Venue[];
  readonly notify: (edge: FeedEdge) => Promise<void>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  readonly log: Log;
}): () => void {
  const { pipeline, venues, notify, write, clock, log } = deps;
  /** Time of each subject's last recovery. */
  const restoredAt = new Map<FeedEdge['subject'], EpochMs>();
  let settled = false;

  /** True if a loss ended within its tolerance before its turn came. Told late, it would pause agents, even those made since. */
  function isOver(edge: FeedEdge): boolean {
    const end = restoredAt.get(edge.subject);
    return edge.type === 'feed.degraded' && end !== undefined && end >= edge.at && degradationLeftMs(edge, end) > 0;
  }
  function tell(what: string, edge: FeedEdge): void {
    if (edge.type === 'feed.restored') restoredAt.set(edge.subject, edge.at);
    write(what, async () => (isOver(edge) ? undefined : notify(edge)));
  }

  const settle = clock.deadline(clock.now() + SETTLE_MS, () => {
    settled = true;
    for (const venue of venues) {
      const { degradedSince, goodAt } = pipeline.connectivity.state(venue);
      const type = degradedSince === null ? 'feed.restored' : 'feed.degraded';
      tell('telling agents of a feed', { type, subject: venue, at: clock.now(), goodAt });
    }
  });
  const edges = pipeline.connectivity.edges.subscribe({
    next: (edge) => {
      log[edge.type === 'feed.degraded' && settled ? 'warn' : 'info']({ venue: edge.venue, hearing: edge.hearing }, edge.detail);
      if (settled) tell('telling agents of a feed', { ...edge, subject: edge.venue });
    },
    error: (error: unknown) => log.error({ err: error }, 'connectivity ended'),
  });
  const instruments = pipeline.instrumentEdges.subscribe({
    next: (edge) => {
      if (edge.type === 'feed.degraded') log.warn({ instrument: edge.instrument }, edge.detail);
      tell('telling agents of an instrument', { ...edge, subject: edge.instrument });
    },
    error: (error: unknown) => log.error({ err: error }, 'the stream of instrument health ended'),
  });
  return () => {
    settle();
    edges.unsubscribe();
    instruments.unsubscribe();
  };
}
