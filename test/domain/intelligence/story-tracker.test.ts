// Reports that share a story, in any order of arrival, and the updates of the streams.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_NEGATIVE_EVENT } from '../../../src/domain/conditions/worst-event.ts';
import { assess } from '../../../src/domain/intelligence/corroboration.ts';
import type { Report } from '../../../src/domain/intelligence/report.ts';
import { linked, StoryTracker, toMergedEvent, toNewsEvent } from '../../../src/domain/intelligence/story-tracker.ts';
import { observation } from '../observations.ts';
import { aReport, NOW, reports, shuffled } from './reports.ts';

const HOUR = 3_600_000;
const filing = aReport({
  id: 'filing',
  channel: 'filing',
  family: 'sec',
  primary: true,
  headline: 'Example Corp files 8-K: departure of officers',
});

function tracked(told: readonly Report[]): StoryTracker {
  const tracker = new StoryTracker();
  for (const report of told) tracker.take(report);
  return tracker;
}

/** Returns stories as sets of reports with their results: the first report only gives the name. */
function content(tracker: StoryTracker) {
  return tracker
    .stories()
    .map(({ reports: of }) => ({ ids: of.map(({ id }) => id).sort(), ...assess(of) }))
    .sort((a, b) => (a.ids.join() < b.ids.join() ? -1 : 1));
}

/** Groups linked reports, directly or through others, the slow way. */
function components(told: readonly Report[]): string[][] {
  const groups: Report[][] = [];
  for (const report of told) {
    const joined = groups.filter((group) => group.some((other) => linked(other, report)));
    for (const group of joined) groups.splice(groups.indexOf(group), 1);
    groups.push([...joined.flat(), report]);
  }
  return groups.map((group) => group.map(({ id }) => id).sort()).sort((a, b) => (a.join() < b.join() ? -1 : 1));
}

test('the stories are the same in whatever order the reports arrive, and are those of a plain search', () => {
  fc.assert(
    fc.property(reports, fc.integer(), (told, seed) => {
      const stories = content(tracked(told));
      expect(content(tracked(shuffled(told, seed)))).toEqual(stories);
      expect(stories.map(({ ids }) => ids)).toEqual(components(told));
    }),
  );
});

test('links are mutual', () => {
  fc.assert(
    fc.property(reports, (told) => {
      for (const a of told) for (const b of told) expect(linked(a, b)).toBe(linked(b, a));
    }),
  );
});

test('a wire item of a filing’s kind joins it within a day, and no other asset, kind or day does', () => {
  const wire = aReport({ id: 'wire', headline: 'Top manager quits with immediate effect', publishedAt: NOW + HOUR });
  expect(linked(filing, wire)).toBe(true);
  expect(linked(filing, { ...wire, publishedAt: NOW + 25 * HOUR })).toBe(false);
  expect(linked(filing, { ...wire, kind: 'results' })).toBe(false);
  expect(linked(filing, { ...wire, entities: [{ asset: 'TSLA', by: 'ticker', matched: 'TSLA' }] })).toBe(false);
  // Two agencies alone may mean two officers.
  expect(linked({ ...filing, primary: false }, wire)).toBe(false);
});

test('the streams are notified when a story opens, is confirmed, becomes more severe or is withdrawn, and not of copies', () => {
  const tracker = new StoryTracker();
  const take = (report: Report) => {
    const change = tracker.take(report);
    return change === null || !change.news ? null : toNewsEvent(change.story);
  };
  const first = aReport({ id: 'w1', storyKey: 's', severity: 'medium' });
  expect(take(first)).toMatchObject({ id: 'w1', rumor: true, negative: true, severity: 'medium', symbols: ['AAPL'] });
  expect(take(first)).toBeNull();
  expect(take({ ...first, id: 'w2', family: 'b', publishedAt: NOW + 1 })).toBeNull();
  expect(take({ ...first, id: 'w3', family: 'b', headline: 'Officer quits at the firm overnight', publishedAt: NOW + 2 })).toMatchObject({
    id: 'w1',
    rumor: false,
  });
  expect(
    take({ ...first, id: 'w4', family: 'c', severity: 'critical', headline: 'It is far worse than anybody thought', publishedAt: NOW + 3 }),
  ).toMatchObject({
    severity: 'critical',
    rumor: false,
    observedAt: NOW + 3,
  });
});

test('a withdrawn story blocks nothing', () => {
  const tracker = tracked([aReport({ id: 'w1' })]);
  const change = tracker.take(
    aReport({ id: 'w2', action: 'retraction', corrects: 'w1', headline: 'We withdraw this', publishedAt: NOW + HOUR }),
  );
  expect(change).toMatchObject({ news: true, story: { state: 'retracted' } });
  expect(toNewsEvent(change?.story as never)).toMatchObject({ id: 'w1', negative: false, rumor: true });
});

test('an entry that avoids bad news waits for a confirmation, is refused by it, and is free again after a withdrawal', () => {
  const tracker = new StoryTracker();
  const watch = (includeRumors: boolean) =>
    NO_NEGATIVE_EVENT.compile({ type: 'no_negative_event', minSeverity: 'high', lookbackHours: 24, includeRumors });
  const seen = (...told: readonly Report[]) => {
    for (const one of told) tracker.take(one);
    const events = tracker.stories().map((story) => toNewsEvent(story));
    const now = observation({ slot: NOW + HOUR, events });
    return [watch(false), watch(true)].map(({ observe, passes }) => passes(observe(now, null)));
  };
  expect(seen(aReport({ id: 'w1', family: 'a' }))).toEqual([true, false]);
  expect(seen(aReport({ id: 'post', channel: 'social', family: 'x', headline: 'I received the same thing from a friend' }))).toEqual([
    true,
    false,
  ]);
  expect(seen(aReport({ id: 'w2', family: 'b', publishedAt: NOW + 1 }))).toEqual([true, false]);
  expect(
    seen(aReport({ id: 'w3', family: 'b', corrects: 'w1', headline: 'Officer quits at the firm overnight', publishedAt: NOW + 2 })),
  ).toEqual([false, false]);
  const gone = (id: string, family: string) =>
    aReport({ id, family, action: 'retraction', headline: `We withdraw item ${id}`, storyKey: 'k', corrects: null, publishedAt: NOW + 3 });
  expect(seen({ ...gone('w4', 'a'), corrects: 'w1' })).toEqual([true, false]);
  expect(seen({ ...gone('w5', 'b') })).toEqual([true, true]);
});

test('two stories that prove to be one become the older, and the other is withdrawn', () => {
  const tracker = tracked([
    aReport({ id: 'w1', storyKey: 'k1', receivedAt: 1 }),
    aReport({ id: 'w2', storyKey: 'k2', receivedAt: 2, headline: 'Officer quits at the firm overnight', family: 'b' }),
  ]);
  expect(tracker.stories()).toHaveLength(2);
  const change = tracker.take({ ...filing, receivedAt: 3 });
  expect(change).toMatchObject({ story: { id: 'w1', state: 'confirmed' }, merged: ['w2'], news: true });
  expect(tracker.stories()).toHaveLength(1);
  expect(toMergedEvent('w2', tracker.stories()[0] as never)).toMatchObject({ id: 'w2', negative: false, severity: 'low' });
});

test('a restored tracker continues where the other stopped', () => {
  fc.assert(
    fc.property(reports, reports, (before, later) => {
      const more = later.map((report) => ({ ...report, id: `later ${report.id}` }));
      const tracker = tracked(before);
      const restored = new StoryTracker();
      for (const { id, reports: of } of tracker.stories()) restored.restore(id, of);
      for (const report of more) {
        tracker.take(report);
        restored.take(report);
      }
      expect(content(restored)).toEqual(content(tracker));
    }),
  );
});

test('a story without reports for a month is closed, and chatter opens none', () => {
  const tracker = tracked([aReport({ id: 'old', publishedAt: NOW - 40 * 24 * HOUR }), aReport({ id: 'new' })]);
  expect(tracker.stories().map(({ id }) => id)).toEqual(['new']);
  expect(tracker.take(aReport({ id: 'post', channel: 'social' }))).toBeNull();
});
