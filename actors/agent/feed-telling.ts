/** Notifies agents of every venue and instrument that is lost or recovers, after the venues had time to connect. */
import type { Venue } from '../../src/domain/market/venue.ts';
import type { EpochMs } from '../../src/domain/values/time.ts';
import { backoffMs } from '../../streams/backoff.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import type { Log } from '../../streams/log.ts';
import type { MarketPipeline } from '../../streams/market-pipeline.ts';
import { degradationLeftMs } from '../../streams/quality/connectivity.ts';
import type { FeedEdge } from './feed-notices.ts';

/** Time in milliseconds after a start before venues without data count as lost. */
const SETTLE_MS = 2_000;
/** Pauses in milliseconds before a notice that failed is repeated. An agent that missed one would stay paused, or never pause. */
const RETRY = { firstMs: 250, mostMs: 2_000 };

/**
 * Starts the notifications and returns a function that stops them. `write` runs one piece of work after the other. A notice that fails is
 * repeated, and those of the same subject wait for it.
 */
export function tellAgents(deps: {
  readonly pipeline: Pick<MarketPipeline, 'connectivity' | 'instrumentEdges'>;
  readonly venues: readonly Venue[];
  readonly notify: (edge: FeedEdge) => Promise<void>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly clock: Pick<Clock, 'now' | 'deadline'>;
  /** Random source for jitter of the pauses, 0 <= n < 1. */
  readonly random: () => number;
  readonly log: Log;
}): () => void {
  const { pipeline, venues, notify, write, clock, random, log } = deps;
  /** Time of each subject's last recovery. */
  const restoredAt = new Map<FeedEdge['subject'], EpochMs>();
  /** Edges of each subject that are not told yet, in order. */
  const untold = new Map<FeedEdge['subject'], FeedEdge[]>();
  const retries = new Map<FeedEdge['subject'], () => void>();
  let settled = false;

  /** True if a loss ended within its tolerance before its turn came. Told late, it would pause agents, even those made since. */
  function isOver(edge: FeedEdge): boolean {
    const end = restoredAt.get(edge.subject);
    return edge.type === 'feed.degraded' && end !== undefined && end >= edge.at && degradationLeftMs(edge, end) > 0;
  }
  function tell(what: string, edge: FeedEdge): void {
    if (edge.type === 'feed.restored') restoredAt.set(edge.subject, edge.at);
    const waiting = untold.get(edge.subject);
    if (waiting !== undefined) return void waiting.push(edge);
    untold.set(edge.subject, [edge]);
    tellWaiting(what, edge.subject, 1);
  }
  function tellWaiting(what: string, subject: FeedEdge['subject'], attempt: number): void {
    write(what, async () => {
      const waiting = untold.get(subject) ?? [];
      try {
        for (let [edge] = waiting; edge !== undefined; [edge] = waiting) {
          if (!isOver(edge)) await notify(edge);
          waiting.shift();
        }
        untold.delete(subject);
      } catch (error) {
        const again = (): void => tellWaiting(what, subject, attempt + 1);
        if (untold.has(subject)) retries.set(subject, clock.deadline(clock.now() + backoffMs(attempt, random, RETRY), again));
        throw error;
      }
    });
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
    untold.clear();
    for (const cancel of retries.values()) cancel();
    edges.unsubscribe();
    instruments.unsubscribe();
  };
}
