// Duty of the feed role starts once, however slow the database is.
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/adapters/store/database.ts';
import { startFeed } from '../../src/boot/roles/feed.ts';
import { CATALOG } from '../../src/domain/catalog/catalog.ts';
import { TAKE_TICK_MS } from '../../src/domain/values/time.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { testDatabase } from '../harness/postgres.ts';
import { waitFor } from '../harness/wait-for.ts';
import { feedOptions } from './feed-fixture.ts';

test('a feed whose manifests load longer than its lease interval starts receiving the venues once, not twice', async () => {
  const url = await testDatabase();
  const sql = openDatabase({ url, name: 'test feed' });
  const owner = openDatabase({ url, name: 'test owner', role: null, connections: 2 });
  const clock = createVirtualClock(1_770_000_000_000);
  let begun = 0;
  let ended = 0;
  let feed: { stop(): Promise<void> } | undefined;
  const waiting = async () =>
    (
      await owner<
        { count: number }[]
      >`select count(*) from pg_locks l join pg_class c on c.oid = l.relation where c.relname = 'manifests' and not l.granted`
    )[0]?.count ?? 0;
  await owner.begin(async (transaction) => {
    await transaction`lock table manifests in access exclusive mode`;
    feed = startFeed({
      ...feedOptions(sql, clock),
      onPipeline: () => {
        begun++;
        return async () => {
          ended++;
        };
      },
    });
    await waitFor(async () => (await waiting()) > 0, { what: 'the reading of manifests', deadlineMs: 5_000 });
    const [before] = await owner<{ held_until: Date }[]>`select held_until from leases where duty = 'feed'`;
    clock.advanceTo(clock.now() + 2_500);
    await waitFor(
      async () => {
        const [now] = await owner<{ held_until: Date }[]>`select held_until from leases where duty = 'feed'`;
        return (now as { held_until: Date }).held_until > (before as { held_until: Date }).held_until;
      },
      { what: 'the lease renewed meanwhile', deadlineMs: 5_000 },
    );
  });
  await waitFor(async () => begun > 0 && (await waiting()) === 0, { what: 'the feed on duty', deadlineMs: 5_000 });
  await feed?.stop();
  expect([begun, ended]).toEqual([1, 1]);
  await sql.end();
  await owner.end();
});

test('every pool and every leg of the basis is observed without any agent, because people swap and compare them', async () => {
  const sql = openDatabase({ url: await testDatabase(), name: 'test feed' });
  const clock = createVirtualClock(1_770_000_000_000);
  let begun = false;
  const feed = startFeed({
    ...feedOptions(sql, clock),
    onPipeline: () => {
      begun = true;
      return async () => {};
    },
  });
  await waitFor(async () => begun, { what: 'the feed on duty', deadlineMs: 20_000 });
  let observed: readonly string[] = [];
  await waitFor(
    async () => {
      clock.advanceTo(clock.now() + 60_000);
      observed = (await sql<{ instrument: string }[]>`select distinct instrument from observations`).map(({ instrument }) => instrument);
      return observed.length > 0;
    },
    { what: 'a cut', deadlineMs: 20_000 },
  );
  await feed.stop();
  const tokens = CATALOG.entries.filter(({ venue }) => venue === 'spotchain').map(({ key }) => key);
  // Besides the tokens: three coins on the spot exchange with their perpetuals, and nine perpetuals on shares.
  expect(observed.length).toBe(tokens.length + 15);
  expect(observed).toEqual(expect.arrayContaining([...tokens, 'spotexchange:BTCUSDT', 'evmvenue:BTC', 'evmvenue:xyz:AAPL']));
  // A cut every half minute: slots of Takes, and at full minutes those of agents.
  const slots = (await sql<{ slot: number }[]>`select slot from cuts order by slot`).map(({ slot }) => slot);
  expect(slots.length).toBeGreaterThan(1);
  expect(slots).toEqual(slots.map((_, index) => (slots[0] as number) + index * TAKE_TICK_MS));
  await sql.end();
});
