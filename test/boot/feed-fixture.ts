/** Feed role for a test, on the test's clock, with only the given venues. */

import { EMPTY } from 'rxjs';
import type { ClockState } from '../../actors/runtime/clock-watch.ts';
import { createMetrics } from '../../src/adapters/log/metrics.ts';
import { createNewIds } from '../../src/adapters/new-ids.ts';
import { createInProcessMarketStateBus } from '../../src/adapters/queue/market-state-bus.ts';
import { createInProcessQuoteBus } from '../../src/adapters/queue/quote-bus.ts';
import type { Sql } from '../../src/adapters/store/database.ts';
import type { VenueFeed } from '../../src/adapters/venues/venue-feed.ts';
import { createLog } from '../../src/adapters/log/log.ts';
import type { startFeed } from '../../src/boot/roles/feed.ts';
import { openActors } from '../../src/boot/roles/worker.ts';
import type { Clock } from '../../streams/clock/clock.ts';
import { containment } from '../harness/contained.ts';

const AGREED: ClockState = { offsetMs: 0, ok: true, detail: 'the clocks of a test agree' };

/** Returns the options that start the role. */
export function feedOptions(sql: Sql, clock: Clock, feeds: readonly VenueFeed[] = []): Parameters<typeof startFeed>[0] {
  return {
    sql,
    venues: () =>
      ({
        feeds,
        trades: EMPTY,
        histories: {},
        extras: { books: [], tickers: [], serverTimes: [] },
        intelligence: [],
        predictions: [],
      }) as never,
    pastOf: () => ({}),
    bus: createInProcessQuoteBus({ clock }),
    states: createInProcessMarketStateBus({ clock }),
    budgets: () => [],
    runtime: openActors(sql, clock, createNewIds(clock)).runtime,
    clock,
    random: () => 0.5,
    holder: 'test',
    log: createLog('silent'),
    metrics: createMetrics(),
    containment,
    clockWatch: { check: async () => AGREED, state: () => AGREED },
  };
}
