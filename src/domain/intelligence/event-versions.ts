/** Versions of every event over time: the history on which rules on events are backtested. */
import type { NewsEvent } from '../market-event.ts';
import type { Report } from './report.ts';
import { newsEventOf, StoryTracker } from './story-tracker.ts';

/**
 * Every version that an event ever had, in the order in which they were received: the reports put together once more, as
 * they came. A later version takes none back, so that within its look-back an event is as grave as it ever was.
 */
export function eventVersionsOf(reports: readonly Report[]): readonly NewsEvent[] {
  const tracker = new StoryTracker();
  const received = [...reports].sort((a, b) => a.receivedAt - b.receivedAt || (a.id < b.id ? -1 : 1));
  return received.flatMap((report) => {
    const change = tracker.take(report);
    return change === null || !change.news ? [] : [{ ...newsEventOf(change.story), receivedAt: report.receivedAt }];
  });
}
