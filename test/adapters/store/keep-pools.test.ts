// Pool depth is known as soon as the feed receives it: no order waits for the first full minute after a start.
import { Observable, Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../src/adapters/store/database.ts';
import { createRiskReads } from '../../../src/adapters/store/risk/risk-reads.ts';
import { startFeed } from '../../../src/boot/roles/feed.ts';
import type { FeedMessage } from '../../../src/domain/market/market-event.ts';
import { knownLiquidity, POOL_LIQUIDITY_MAX_AGE_MS } from '../../../src/domain/risk/index.ts';
import type { InstrumentKey } from '../../../src/domain/market/venue.ts';
import { poolLiquidity } from '../../../src/trading/present-market.ts';
import { createVirtualClock } from '../../../streams/clock/virtual-clock.ts';
import { feedOptions } from '../../boot/feed-fixture.ts';
import { testDatabase } from '../../harness/postgres.ts';
import { waitFor } from '../../harness/wait-for.ts';

/** Twenty seconds after a full minute. */
const AT = 1_770_000_000_000 + 20_000;
const AAPLX: InstrumentKey = 'spotchain:AAPLx';

test('a pool is known within its first minute, then by the minute, and older data never replaces newer', async () => {
  const sql = openDatabase({ url: await testDatabase(), name: 'test pools' });
  const clock = createVirtualClock(AT);
  const venue = new Subject<FeedMessage>();
  let subscribed = false;
  const messages = new Observable<FeedMessage>((subscriber) => {
    subscribed = true;
    return venue.subscribe(subscriber);
  });
  const liquidityOf = async (key: InstrumentKey): Promise<string | null> =>
    knownLiquidity(await poolLiquidity(createRiskReads(sql), key, clock.now()), clock.now());
  const feed = startFeed(feedOptions(sql, clock, [{ venue: 'spotchain', messages }]));
  const receive = (liquidityUsd: string, instrument = 'AAPLx'): void =>
    venue.next({
      kind: 'pool_liquidity',
      venue: 'spotchain',
      source: 'jupiter:price',
      instrument,
      observedAt: clock.now(),
      receivedAt: clock.now(),
      liquidityUsd,
    });
  const known = (liquidityUsd: string) =>
    waitFor(async () => (await liquidityOf(AAPLX)) === liquidityUsd, {
      what: `a pool of ${liquidityUsd}`,
      deadlineMs: 20_000,
    });
  try {
    await waitFor(() => subscribed, { what: 'the venue asked', deadlineMs: 20_000 });
    expect(await liquidityOf(AAPLX)).toBeNull();
    receive('1234567.5');
    await known('1234567.5');
    // No cut has been written.
    expect(await sql`select slot from cuts`).toEqual([]);

    // A pool received every two seconds is not written every two seconds.
    clock.advanceTo(AT + 2_000);
    receive('7');
    receive('8', 'SPYx');
    await waitFor(async () => (await liquidityOf('spotchain:SPYx')) === '8', {
      what: 'the other pool',
      deadlineMs: 20_000,
    });
    expect(await liquidityOf(AAPLX)).toBe('1234567.5');

    // The cut of the full minute is newer, until the venue is received again.
    clock.advanceTo(AT + 41_000);
    await known('7');
    clock.advanceTo(AT + 61_000);
    receive('9');
    await known('9');

    // After a silence the depth is unknown.
    const received = await poolLiquidity(createRiskReads(sql), AAPLX, clock.now());
    const last = (received?.observedAt ?? 0) + POOL_LIQUIDITY_MAX_AGE_MS;
    expect([knownLiquidity(received, last), knownLiquidity(received, last + 1)]).toEqual(['9', null]);
    expect(await poolLiquidity(createRiskReads(sql), AAPLX, last + 1)).toBeNull();
  } finally {
    await feed.stop();
    await sql.end({ timeout: 1 });
  }
});
