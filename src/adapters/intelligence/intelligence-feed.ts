/** Combines all intelligence sources into one feed: polls them, groups reports into stories and stores the rest. */
import { merge, type Observable, Observable as Stream } from 'rxjs';
import type { Clock } from '../../../streams/clock/clock.ts';
import type { UnknownFields } from '../../../streams/feed-counters.ts';
import { LONGEST_EVENT_LOOKBACK_HOURS } from '../../domain/intelligence/listening.ts';
import type { IntelligenceRecord } from '../../domain/intelligence/record.ts';
import type { Report } from '../../domain/intelligence/report.ts';
import { toMergedEvent, toNewsEvent, StoryTracker } from '../../domain/intelligence/story-tracker.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import type { createIntelligenceStore, StoryChange } from '../store/intelligence/intelligence-store.ts';
import { isAway } from '../store/database.ts';
import type { VenueFeed } from '../venues/venue-feed.ts';
import { HOUR_MS, isAhead } from '../../domain/values/time.ts';

/** Milliseconds for which a story may matter to a rule. */
const OPEN_STORIES_MS = LONGEST_EVENT_LOOKBACK_HOURS * HOUR_MS;

/** Maximum stories per transaction. */
const MOST_TOGETHER = 500;

type IntelligenceSource = Observable<FeedMessage | IntelligenceRecord>;

/** Sources, and the unknown fields of their answers. */
export interface IntelligenceSources {
  readonly sources: readonly IntelligenceSource[];
  readonly unknownFields: UnknownFields;
}

type Store = ReturnType<typeof createIntelligenceStore>;

interface IntelligenceFeedDeps {
  readonly intelligence: IntelligenceSources;
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** Queues work on the store, one piece at a time; a failure is logged under `what`. */
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * Creates the feed: heartbeats, counted rejections, and an event per changed story. It emits stored stories first, so that a restart loses
 * none, and only then subscribes to the sources, so that the first heartbeat means all was received. If they cannot be read the feed fails
 * and is restarted. Everything else is stored through `write`; social posts never become part of a story.
 */
export function createIntelligenceFeed(deps: IntelligenceFeedDeps): VenueFeed {
  const { intelligence, store, clock, write } = deps;

  const messages = new Stream<FeedMessage>((subscriber) => {
    const handler = new StoryTracker();
    const keep = keptTogether(store, write);
    let end = (): void => {};
    let stopped = false;

    function take(received: Report): void {
      const report = publishedByThen(received);
      const change = handler.take(report);
      if (change === null) return;
      keep({ ...change, report });
      for (const id of change.merged) subscriber.next(toMergedEvent(id, change.story));
      if (change.news && change.story.symbols.length > 0) subscriber.next(toNewsEvent(change.story));
    }

    function receive(): void {
      const received = merge(...intelligence.sources).subscribe({
        next: (message) => {
          if (!isRecord(message)) subscriber.next(message);
          else if (message.kind === 'report') take(message.report);
          else keepRecord(message, deps);
        },
        error: deps.onFailure,
      });
      end = () => received.unsubscribe();
    }

    async function begin(): Promise<void> {
      const kept = await store.openStories(clock.now() - OPEN_STORIES_MS);
      if (stopped) return;
      const receivedAt = clock.now();
      for (const { id, reports } of kept) {
        const story = handler.restore(id, reports.map(publishedByThen));
        // Marked as received now, because times on a tape must ascend.
        if (story.symbols.length > 0) subscriber.next({ ...toNewsEvent(story), receivedAt });
      }
      receive();
    }

    begin().catch((error: unknown) => {
      deps.onFailure(error);
      subscriber.error(error);
    });
    return () => {
      stopped = true;
      end();
    };
  });
  return { venue: 'reference', messages, unknownFields: intelligence.unknownFields };
}

/**
 * Returns the report as published when it was received, if its source names a time to come. Otherwise its event would count until that
 * time, and every other story would look too old to be kept.
 */
function publishedByThen(report: Report): Report {
  return isAhead(report.publishedAt, report.receivedAt) ? { ...report, publishedAt: report.receivedAt } : report;
}

/** Stores a record that belongs to no story. */
function keepRecord(record: Exclude<IntelligenceRecord, { kind: 'report' }>, { store, write }: IntelligenceFeedDeps): void {
  switch (record.kind) {
    case 'chain_tvl':
      return write('keeping the value on chains', () => store.saveChains(record.chains));
    case 'chain_tvl_days':
      return write('keeping the value on chains', () => store.saveDays(record.days, record.receivedAt));
    case 'observations':
      return write('keeping a macro series', () => store.saveObservations(record.observations));
    case 'releases':
      return write('keeping the calendar', () => store.saveReleases(record.releases));
    case 'posts':
      return write('keeping social posts', () => store.savePosts(record.posts));
  }
}

/** Stores waiting stories in one transaction, because a start brings hundreds. If one is refused, each is stored by itself. */
function keptTogether(store: Store, write: IntelligenceFeedDeps['write']): (change: StoryChange) => void {
  const waiting: StoryChange[] = [];

  async function keepWaiting(): Promise<void> {
    const taken = waiting.splice(0, MOST_TOGETHER);
    if (taken.length === 0) return;
    try {
      await store.saveChanges(taken);
    } catch (error) {
      if (isAway(error)) waiting.unshift(...taken);
      if (taken.length === 1 || isAway(error)) throw error;
      for (const change of taken) write('keeping a story', () => store.saveChanges([change]));
    }
  }

  return (change) => {
    waiting.push(change);
    // Each change queues a write; the first one stores all that wait.
    write('keeping stories', keepWaiting);
  };
}

const RECORDS: ReadonlySet<string> = new Set<IntelligenceRecord['kind']>([
  'report',
  'chain_tvl',
  'chain_tvl_days',
  'observations',
  'releases',
  'posts',
]);

function isRecord(message: FeedMessage | IntelligenceRecord): message is IntelligenceRecord {
  return RECORDS.has(message.kind);
}
