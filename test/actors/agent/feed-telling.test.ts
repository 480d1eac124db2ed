// Notices of losses wait for the database. One that is over in time when its turn comes pauses nobody.
import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import type { FeedEdge } from '../../../actors/agent/feed-notices.ts';
import { tellAgents } from '../../../actors/agent/feed-telling.ts';
import { createWriteLine } from '../../../src/adapters/store/write-line.ts';
import type { MarketPipeline } from '../../../streams/market-pipeline.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { latch } from '../../harness/latch.ts';

const NOON = Date.UTC(2026, 5, 1, 12);
const silent = { error() {}, warn() {}, info() {} };

/** Tells of one venue while the database holds up the queue of writes. */
function toldLate() {
  const clock = createVirtualClock(NOON);
  const edges = new Subject<never>();
  const told: string[] = [];
  let degradedSince: number | null = NOON;
  const line = createWriteLine(silent);
  const database = latch();
  line.write('some other write', () => database.released);
  const stop = tellAgents({
    pipeline: {
      connectivity: { edges, state: () => ({ degradedSince, goodAt: null }) },
      instrumentEdges: new Subject(),
    } as unknown as MarketPipeline,
    venues: ['spotchain'],
    notify: async ({ type, subject }: FeedEdge) => void told.push(`${type} ${subject}`),
    write: line.write,
    clock,
    log: silent,
  });
  return {
    clock,
    restore() {
      degradedSince = null;
      edges.next({ type: 'feed.restored', venue: 'spotchain', at: clock.now(), goodAt: clock.now(), hearing: 'live', detail: '' } as never);
    },
    async told() {
      database.release();
      await line.done();
      stop();
      return told;
    },
  };
}

test('a loss that ended within five seconds is not told after its end', async () => {
  const feed = toldLate();
  feed.clock.advanceTo(NOON + 2_000);
  feed.clock.advanceTo(NOON + 6_000);
  feed.restore();
  expect(await feed.told()).toEqual(['feed.restored spotchain']);
});

test('a loss of more than five seconds is told, however late', async () => {
  const feed = toldLate();
  feed.clock.advanceTo(NOON + 2_000);
  feed.clock.advanceTo(NOON + 7_001);
  feed.restore();
  expect(await feed.told()).toEqual(['feed.degraded spotchain', 'feed.restored spotchain']);
});

test('a loss that goes on is told', async () => {
  const feed = toldLate();
  feed.clock.advanceTo(NOON + 2_000);
  expect(await feed.told()).toEqual(['feed.degraded spotchain']);
});
