// Changes by reports are stored alike one by one or many per transaction, and a refused one affects no other.
import fc from 'fast-check';
import { Subject } from 'rxjs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createIntelligenceFeed } from '../../../../src/adapters/intelligence/intelligence-feed.ts';
import { openDatabase, type Sql } from '../../../../src/adapters/store/database.ts';
import { createIntelligenceStore, type StoryChange } from '../../../../src/adapters/store/intelligence/intelligence-store.ts';
import { createWriteLine } from '../../../../src/adapters/store/write-line.ts';
import type { IntelligenceRecord } from '../../../../src/domain/intelligence/record.ts';
import type { Report } from '../../../../src/domain/intelligence/report.ts';
import { StoryTracker } from '../../../../src/domain/intelligence/story-tracker.ts';
import type { FeedMessage, NewsEvent } from '../../../../src/domain/market/market-event.ts';
import { createLiveClock } from '../../../../streams/clock/live-clock.ts';
import { createUnknownFields } from '../../../../streams/feed-counters.ts';
import { aReport, NOW, reports } from '../../../domain/intelligence/reports.ts';
import { testDatabase } from '../../../harness/postgres.ts';
import { waitFor } from '../../../harness/wait-for.ts';

let sql: Sql;
beforeAll(async () => {
  sql = openDatabase({ url: await testDatabase(), name: 'stories', connections: 2 });
});
afterAll(() => sql?.end());

function changesOf(told: readonly Report[]): StoryChange[] {
  const tracker = new StoryTracker();
  return told.flatMap((report) => {
    const change = tracker.take(report);
    return change === null ? [] : [{ ...change, report }];
  });
}

/** Returns everything stored, stories in order of opening, and deletes it. */
async function takenOut(): Promise<unknown> {
  const events = await sql`
    select id, state, confirmed_by, confirmed_at, kind, severity, direction, symbols, headline, first_at, observed_at, received_at,
      families, copies, withdrawn, merged_into from intelligence_events order by number`;
  const kept = await sql`select * from intelligence_reports order by id`;
  await sql`delete from intelligence_events`;
  return { events: [...events], reports: [...kept] };
}

test('many changes in one transaction have the same result as one by one', async () => {
  const store = createIntelligenceStore(sql);
  await fc.assert(
    fc.asyncProperty(reports, fc.integer({ min: 1, max: 40 }), async (told, together) => {
      const changes = changesOf(told);
      for (const change of changes) await store.saveChanges([change]);
      const oneByOne = await takenOut();
      for (let from = 0; from < changes.length; from += together) await store.saveChanges(changes.slice(from, from + together));
      expect(await takenOut()).toEqual(oneByOne);
    }),
    { numRuns: 25 },
  );
});

/** Returns the feed of one source, with its writes and what failed. */
function followSource() {
  const source = new Subject<FeedMessage | IntelligenceRecord>();
  const failures: unknown[] = [];
  const line = createWriteLine({ warn: (fields) => failures.push(fields), error: (fields) => failures.push(fields) });
  const feed = createIntelligenceFeed({
    intelligence: { sources: [source], unknownFields: createUnknownFields() },
    store: createIntelligenceStore(sql),
    clock: { now: () => NOW },
    write: line.write,
    onFailure: (error) => failures.push(error),
  });
  return { source, failures, line, feed };
}

test('a burst of reports is stored in few transactions, and one refused by the database is reported and affects no other', async () => {
  const told = Array.from({ length: 300 }, (_, index) => aReport({ id: `burst-${index}`, headline: `Headline ${index}` }));
  // PostgreSQL cannot store NUL in a text.
  told[150] = aReport({ id: 'refused', headline: 'NUL \u0000 inside' });
  const { source, failures, line, feed } = followSource();
  const subscription = feed.messages.subscribe();
  await waitFor(() => source.observed, { what: 'the sources to be listened to' });
  const kept = async (): Promise<number> => Number((await sql`select count(*) from intelligence_reports`)[0]?.['count']);
  const transactions = async (): Promise<number> =>
    Number((await sql`select count(distinct xmin::text) from intelligence_reports where id like 'later-%'`)[0]?.['count']);
  for (const report of told) source.next({ kind: 'report', report });
  await waitFor(async () => (await kept()) === told.length - 1, { what: 'the reports that can be kept' });
  expect(failures).toHaveLength(1);

  for (let index = 0; index < 300; index++)
    source.next({ kind: 'report', report: aReport({ id: `later-${index}`, headline: `Later ${index}` }) });
  await line.done();
  expect(await kept()).toBe(told.length - 1 + 300);
  expect(await transactions()).toBeLessThan(5);
  subscription.unsubscribe();
});

test('a report that names a time to come counts from its receipt, and no story is forgotten for it', async () => {
  await takenOut();
  const { source, failures, line, feed } = followSource();
  const told: NewsEvent[] = [];
  const subscription = feed.messages.subscribe((message) => message.kind === 'news' && told.push(message));
  await waitFor(() => source.observed, { what: 'the sources to be listened to' });
  const take = (report: Report): void => source.next({ kind: 'report', report });

  take(aReport({ id: 'grave', severity: 'critical' }));
  const entities = [{ asset: 'TSLA', by: 'ticker' as const, matched: 'TSLA' }];
  take(aReport({ id: 'ahead', entities, headline: 'A plant burns down', publishedAt: Date.UTC(2062, 10, 19), receivedAt: NOW + 2_000 }));
  take(aReport({ id: 'soon', entities, headline: 'A truck stops', publishedAt: NOW + 9_000, receivedAt: NOW + 2_000 }));
  take(aReport({ id: 'back', action: 'retraction', corrects: 'grave', headline: 'Nothing of it is true', receivedAt: NOW + 3_000 }));
  await line.done();
  subscription.unsubscribe();

  expect(told.map(({ id, negative, observedAt }) => [id, negative, observedAt])).toEqual([
    ['grave', true, NOW],
    ['ahead', true, NOW + 2_000],
    ['soon', true, NOW + 9_000],
    ['grave', false, expect.any(Number)],
  ]);
  expect(failures).toEqual([]);
});

test('what is received while the database is away is stored when it is back', async () => {
  await takenOut();
  const source = new Subject<FeedMessage | IntelligenceRecord>();
  const failures: unknown[] = [];
  const clock = createLiveClock();
  const line = createWriteLine({ warn: (fields) => failures.push(fields), error: (fields) => failures.push(fields) }, clock);
  const store = createIntelligenceStore(sql);
  let refusals = 0;
  const lost = async (): Promise<void> => {
    if (refusals++ < 2) throw Object.assign(new Error('the connection was lost'), { code: 'CONNECTION_CLOSED' });
  };
  const feed = createIntelligenceFeed({
    intelligence: { sources: [source], unknownFields: createUnknownFields() },
    store: { ...store, saveChanges: (changes) => lost().then(() => store.saveChanges(changes)) },
    clock,
    write: line.write,
    onFailure: (error) => failures.push(error),
  });
  const subscription = feed.messages.subscribe();
  await waitFor(() => source.observed, { what: 'the sources to be listened to' });
  for (const id of ['first', 'second', 'third']) source.next({ kind: 'report', report: aReport({ id, headline: `The ${id} report` }) });
  await line.done();
  subscription.unsubscribe();
  const kept = await sql<{ id: string }[]>`select id from intelligence_reports order by id`;
  expect([kept.map(({ id }) => id), refusals > 2, failures]).toEqual([['first', 'second', 'third'], true, []]);
});
