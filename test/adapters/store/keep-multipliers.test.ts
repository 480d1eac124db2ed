// The feed role keeps each multiplier that its venue tells, and recalls the last ones before it asks the venue again.
import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/adapters/store/database.ts';
import { startFeed } from '../../../src/boot/roles/feed.ts';
import type { FeedMessage } from '../../../src/domain/market/market-event.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { feedOptions } from '../../boot/feed-fixture.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';

const AT = 1_770_000_000_000;

test('a told multiplier is on record, and known to the feed that takes over', async () => {
  const sql = openDatabase({ url: await testDatabase(), name: 'test multipliers' });
  const clock = createVirtualClock(AT);
  const recalled: ReadonlyMap<string, string>[] = [];
  const begin = () => {
    const messages = new Subject<FeedMessage>();
    const recallMultipliers = (known: ReadonlyMap<string, string>) => void recalled.push(known);
    return { messages, feed: startFeed(feedOptions(sql, clock, [{ venue: 'spotchain', messages, recallMultipliers }])) };
  };
  const kept = () => sql`select instrument, at, trim_scale(multiplier)::text as multiplier from token_multipliers order by at`;
  const first = begin();
  try {
    await waitFor(() => first.messages.observed, { what: 'the venue asked', deadlineMs: 20_000 });
    const told = (observedAt: number, multiplier: string, previous: string | null): void =>
      first.messages.next({
        kind: 'token_multiplier',
        venue: 'spotchain',
        instrument: 'AAPLx',
        source: 'jupiter:price',
        observedAt,
        receivedAt: clock.now(),
        multiplier,
        previous,
      });
    told(AT, '1.0032690', null);
    told(AT + 1, '5.016345', '1.003269');
    await waitFor(async () => (await kept()).length === 2, { what: 'both multipliers' });
    expect(await kept()).toEqual([
      { instrument: 'spotchain:AAPLx', at: AT, multiplier: '1.003269' },
      { instrument: 'spotchain:AAPLx', at: AT + 1, multiplier: '5.016345' },
    ]);
  } finally {
    await first.feed.stop();
  }
  const second = begin();
  try {
    await waitFor(() => second.messages.observed, { what: 'the venue asked again', deadlineMs: 20_000 });
    expect(recalled).toEqual([new Map(), new Map([['AAPLx', '5.016345']])]);
  } finally {
    await second.feed.stop();
    await sql.end({ timeout: 1 });
  }
});
