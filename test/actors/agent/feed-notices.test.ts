// Notices of the feed: many changes at once cost one lookup, and no agent waits for those of another venue.
import { expect, test } from 'vitest';
import { createFeedNotices, type FeedEdge } from '../../../actors/agent/feed-notices.ts';
import { askedTogether } from '../../../src/adapters/store/asked-together.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { latch } from '../../harness/latch.ts';

const edge = (subject: FeedEdge['subject'], type: FeedEdge['type'] = 'feed.degraded'): FeedEdge => ({
  type,
  subject,
  at: 1_000,
  goodAt: 1_000,
});
const KEYS = Array.from({ length: 200 }, (_, index): InstrumentKey => `prediction:market-${index}`);

function notices(watched: Readonly<Record<string, readonly string[]>>) {
  const lookups: (readonly string[])[] = [];
  const told: string[] = [];
  let failing: string | null = null;
  let slow: Promise<void> | null = null;
  const notify = createFeedNotices({
    subscribers: askedTogether(async (subjects) => {
      lookups.push(subjects);
      if (failing !== null) throw new Error(failing);
      return (subject) => watched[subject] ?? [];
    }),
    runtime: {
      deliverMany: async (ids: readonly string[], event: { readonly type: string; readonly venue: string }) => {
        if (ids.includes('slow')) await slow;
        told.push(...ids.map((id) => `${id} ${event.type} ${event.venue}`));
      },
    } as never,
    clock: { now: () => 1_500 },
  });
  return { notify, lookups, told, fail: (why: string | null) => (failing = why), hold: (work: Promise<void>): void => void (slow = work) };
}

test('the instruments of a lost venue are looked up together', async () => {
  const { notify, lookups, told } = notices({ [KEYS[7] as string]: ['a', 'b'], [KEYS[9] as string]: ['c'] });
  await Promise.all(KEYS.map((key) => notify(edge(key))));
  expect(lookups.map(({ length }) => length)).toEqual([200]);
  expect(told).toEqual([`a feed.degraded ${KEYS[7]}`, `b feed.degraded ${KEYS[7]}`, `c feed.degraded ${KEYS[9]}`]);
});

test('agents of one venue do not delay those of another', async () => {
  const { notify, told, hold } = notices({ spotexchange: ['slow'], spotchain: ['quick'] });
  const lookup = latch();
  hold(lookup.released);
  const slow = notify(edge('spotexchange'));
  await notify(edge('spotchain'));
  expect(told).toEqual(['quick feed.degraded spotchain']);
  lookup.release();
  await slow;
  expect(told).toContain('slow feed.degraded spotexchange');
});

test('a failed lookup is reported to everyone who waited for it, and the next one runs', async () => {
  const { notify, told, fail } = notices({ spotchain: ['a'] });
  fail('the database is away');
  await expect(notify(edge('spotchain'))).rejects.toThrow('the database is away');
  fail(null);
  await notify(edge('spotchain', 'feed.restored'));
  expect(told).toEqual(['a feed.restored spotchain']);
});
