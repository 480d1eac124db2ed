// Venue states list every source of a provider separately: a working source does not hide a missing one.
import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { createInProcessMarketStateBus } from '../../src/adapters/queue/market-state-bus.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { VenueState } from '../../src/domain/market/market-state.ts';
import { createMarketPipeline } from '../../streams/market-pipeline.ts';
import { publishMarketStates } from '../../streams/market-states.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';

const NOW = Date.UTC(2026, 10, 19, 15, 30);

test('sources of one provider come and go separately, and one that never sent anything is not listed', () => {
  const clock = createVirtualClock(NOW);
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const wire = new Subject<FeedMessage>();
  const pipeline = createMarketPipeline({
    clock,
    random: () => 0,
    feeds: [{ venue: 'reference', messages: wire }],
    instruments: () => [],
    needs: () => [],
    onCut: () => {},
    onFailure,
  });
  const bus = createInProcessMarketStateBus({ clock, onError: onFailure });
  const stop = publishMarketStates({
    pipeline,
    extras: { books: [], tickers: [], serverTimes: [] },
    venues: ['reference'],
    bus,
    clock,
    budgets: () => [],
    onFailure,
  });
  pipeline.start();
  const say = (source: string, status: 'connected' | 'disconnected', epoch: number, detail = ''): void =>
    wire.next({ kind: 'feed_status', venue: 'reference', source, receivedAt: clock.now(), status, epoch, detail });
  const told = (): unknown => {
    clock.advanceTo(clock.now() + 1_000);
    const { providers } = bus.latest('venue_state reference') as VenueState;
    return providers.map(({ provider, connected, epoch, heardAt, detail }) => [
      provider,
      connected,
      epoch,
      heardAt === null ? null : heardAt - NOW,
      detail,
    ]);
  };

  expect(told()).toEqual([]);
  say('pyth:hermes', 'connected', 1);
  say('news:wire', 'connected', 1);
  expect(told()).toEqual([
    ['pyth', true, 1, 1_000, ''],
    ['news', true, 1, 1_000, ''],
  ]);
  say('news:social', 'disconnected', 0, 'it answered 503');
  wire.next({ kind: 'heartbeat', venue: 'reference', source: 'news:wire', receivedAt: clock.now() });
  expect(told()).toEqual([
    ['pyth', true, 1, 1_000, ''],
    ['news:social', false, 0, null, 'it answered 503'],
    ['news:wire', true, 1, 2_000, ''],
  ]);
  say('news:social', 'connected', 1);
  say('news:wire', 'disconnected', 1, 'it is away');
  expect(told()).toEqual([
    ['pyth', true, 1, 1_000, ''],
    ['news:social', true, 1, 3_000, ''],
    ['news:wire', false, 1, 2_000, 'it is away'],
  ]);
  stop();
  pipeline.stop();
  void bus.close();
  expect(failures).toEqual([]);
});
