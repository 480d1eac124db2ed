/** Intelligence as one feed of the streams: every source polled, stories put together, the rest handed on to be stored. */
import { merge, type Observable, Observable as Stream } from 'rxjs';
import type { Clock } from '../../../streams/clock.ts';
import type { UnknownFields } from '../../../streams/feed-counters.ts';
import { LONGEST_EVENT_LOOKBACK_HOURS } from '../../domain/intelligence/listening.ts';
import type { IntelligenceRecord } from '../../domain/intelligence/record.ts';
import { mergedEventOf, newsEventOf, StoryTracker } from '../../domain/intelligence/story-tracker.ts';
import type { FeedMessage } from '../../domain/market-event.ts';
import type { createIntelligenceStore } from '../store/intelligence/intelligence-store.ts';
import type { VenueFeed } from '../venues/venue-feed.ts';

const HOUR_MS = 3_600_000;
/** Stories that may still matter to a look-back. */
const OPEN_STORIES_MS = LONGEST_EVENT_LOOKBACK_HOURS * HOUR_MS;

type IntelligenceSource = Observable<FeedMessage | IntelligenceRecord>;

/** The sources, and what their answers hold that nobody knows. */
export interface IntelligenceSources {
  readonly sources: readonly IntelligenceSource[];
  readonly unknownFields: UnknownFields;
}

type Store = ReturnType<typeof createIntelligenceStore>;

/**
 * The sources as one feed of the streams: life signs, counted rejections, and an event whenever a story changed. Stories
 * that were kept are told again at the start, so that a restart forgets none, and only then a source is listened to: its
 * first heartbeat says that all of it was received. Where they cannot be read the feed fails, to be begun again. Everything
 * else goes to the store through `write`, one after the other; social posts never come near the stories.
 */
export function createIntelligenceFeed(deps: {
  readonly intelligence: IntelligenceSources;
  readonly store: Store;
  readonly clock: Pick<Clock, 'now'>;
  readonly write: (what: string, work: () => Promise<unknown>) => void;
  readonly onFailure: (error: unknown) => void;
}): VenueFeed {
  const { intelligence, store, clock, write } = deps;

  const messages = new Stream<FeedMessage>((subscriber) => {
    const handler = new StoryTracker();
    let end = (): void => {};
    let stopped = false;

    function take(record: IntelligenceRecord): void {
      switch (record.kind) {
        case 'report': {
          const change = handler.take(record.report);
          if (change === null) return;
          write('keeping a story', () => store.saveChange(change, record.report));
          for (const id of change.merged) subscriber.next(mergedEventOf(id, change.story));
          if (change.news && change.story.symbols.length > 0) subscriber.next(newsEventOf(change.story));
          return;
        }
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

    function receive(): void {
      const received = merge(...intelligence.sources).subscribe({
        next: (message) => {
          if (isRecord(message)) take(message);
          else subscriber.next(message);
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
