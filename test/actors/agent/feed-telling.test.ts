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

/** Tells of one venue while the database holds up the queue of writes. The first `failing` notices fail. */
function toldLate(failing = 0) {
  const clock = createVirtualClock(NOON);
  const edges = new Subject<never>();
  const told: string[] = [];
  let failuresLeft = failing;
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
    async notify({ type, subject }: FeedEdge) {
      if (failuresLeft-- > 0) throw new Error('the connection to the database was closed');
      told.push(`${type} ${subject}`);
    },
    write: line.write,
    clock,
    random: () => 0,
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
      for (let retries = 0; retries < failing; retries++) {
        clock.advanceTo(clock.now() + 2_000);
        await line.done();
      }
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

test('notices that the database refused are repeated in their order', async () => {
  const feed = toldLate(3);
  feed.clock.advanceTo(NOON + 2_000);
  feed.clock.advanceTo(NOON + 8_000);
  feed.restore();
  expect(await feed.told()).toEqual(['feed.degraded spotchain', 'feed.restored spotchain']);
});
