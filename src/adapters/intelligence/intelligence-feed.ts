/** Intelligence as one feed of the streams: every source polled, stories put together, the rest handed on to be stored. */
import { merge, type Observable, Observable as Stream } from 'rxjs';
import type { Clock } from '../../../streams/clock.ts';
import type { UnknownFields } from '../../../streams/feed-counters.ts';
import { LONGEST_EVENT_LOOKBACK_HOURS } from '../../domain/intelligence/listening.ts';
import type { IntelligenceRecord } from '../../domain/intelligence/record.ts';
import type { Report } from '../../domain/intelligence/report.ts';
import { mergedEventOf, newsEventOf, StoryTracker } from '../../domain/intelligence/story-tracker.ts';
import type { FeedMessage } from '../../domain/market/market-event.ts';
import type { createIntelligenceStore, StoryChange } from '../store/intelligence/intelligence-store.ts';
import type { VenueFeed } from '../venues/venue-feed.ts';
import { HOUR_MS } from '../../domain/values/time.ts';

/** Stories that may still matter to a look-back. */
const OPEN_STORIES_MS = LONGEST_EVENT_LOOKBACK_HOURS * HOUR_MS;

/** Changes of stories in one transaction. */
const MOST_TOGETHER = 500;

type IntelligenceSource = Observable<FeedMessage | IntelligenceRecord>;

/** The sources, and what their answers hold that is unknown. */
export interface IntelligenceSources {
  readonly sources: readonly IntelligenceSource[];
  readonly unknownFields: UnknownFields;
}

type Store = ReturnType<typeof createIntelligenceStore>;

export interface IntelligenceFeedDeps {
  readonly intelligence: IntelligenceSources;
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  /** Work on the store, one piece after the other; a piece that fails is told as `what`. */
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}

/**
 * The sources as one feed of the streams: life signs, counted rejections, and an event whenever a story changed. Stories
 * that were kept are told again at the start, so that a restart forgets none, and only then a source is listened to: its
 * first heartbeat says that all of it was received. Where they cannot be read the feed fails, to be begun again. Everything
 * else goes to the store through `write`, one after the other; social posts never come near the stories.
 */
export function createIntelligenceFeed(deps: IntelligenceFeedDeps): VenueFeed {
  const { intelligence, store, clock, write } = deps;

  const messages = new Stream<FeedMessage>((subscriber) => {
    const handler = new StoryTracker();
    const keep = keptTogether(store, write);
    let end = (): void => {};
    let stopped = false;

    function take(report: Report): void {
      const change = handler.take(report);
      if (change === null) return;
      keep({ ...change, report });
      for (const id of change.merged) subscriber.next(mergedEventOf(id, change.story));
      if (change.news && change.story.symbols.length > 0) subscriber.next(newsEventOf(change.story));
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
        const story = handler.restore(id, reports);
        // Received again now: what a tape records goes forward in time.
        if (story.symbols.length > 0) subscriber.next({ ...newsEventOf(story), receivedAt });
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

/** Hands to the store what belongs to no story. */
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

/**
 * Keeps changes of stories that wait for each other in one transaction: at a start hundreds come at once. Where one of them
 * is refused, each is kept by itself, so that it harms no other.
 */
function keptTogether(store: Store, write: IntelligenceFeedDeps['write']): (change: StoryChange) => void {
  const waiting: StoryChange[] = [];

  async function keepWaiting(): Promise<void> {
    const taken = waiting.splice(0, MOST_TOGETHER);
    if (taken.length === 0) return;
    try {
      await store.saveChanges(taken);
    } catch (error) {
      if (taken.length === 1) throw error;
      for (const change of taken) write('keeping a story', () => store.saveChanges([change]));
    }
  }

  return (change) => {
    waiting.push(change);
    // A turn for each of them: the first turn takes them all, unless it is dropped.
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
