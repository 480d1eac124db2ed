/** Versions of every event over time, on which rules on events are backtested. */
import type { NewsEvent } from '../market/market-event.ts';
import type { Report } from './report.ts';
import { toNewsEvent, StoryTracker } from './story-tracker.ts';

/**
 * Returns the versions of an event in order of receipt, rebuilt from its reports. A later version does not withdraw an earlier one: within
 * its look-back an event keeps its highest severity. Versions of reports that `counts` refuses are left out.
 */
export function rebuildEventVersions(reports: readonly Report[], counts: (report: Report) => boolean = () => true): readonly NewsEvent[] {
  const tracker = new StoryTracker();
  const received = [...reports].sort((a, b) => a.receivedAt - b.receivedAt || (a.id < b.id ? -1 : 1));
  return received.flatMap((report) => {
    const change = tracker.take(report);
    return change === null || !change.news || !counts(report) ? [] : [{ ...toNewsEvent(change.story), receivedAt: report.receivedAt }];
  });
}
