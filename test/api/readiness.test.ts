// Readiness by venue, cached by elapsed time: neither a silent venue nor a wrong clock is hidden.
import { expect, test } from 'vitest';
import { recent } from '../../api/operation/operation-routes.ts';
import { createReadiness, type ReadinessDeps } from '../../api/operation/readiness-parts.ts';
import type { VenueState } from '../../src/domain/market/market-state.ts';

const NOW = 1_800_000_000_000;

function stateOf(venue: VenueState['venue'], over: Partial<VenueState> = {}): VenueState {
  return {
    kind: 'venue_state',
    venue,
    receivedAt: NOW,
    hearing: 'live',
    detail: '',
    degradedSince: null,
    heardAt: NOW,
    providers: [],
    clockOffset: null,
    gaps: 0,
    messages: 1,
    rejected: 0,
    unknownFields: [],
    budgets: [],
    ...over,
  };
}

function readinessOf(
  states: readonly VenueState[],
  quarantined: Awaited<ReturnType<ReadinessDeps['quarantined']>>,
  quotes: readonly { readonly receivedAt: number }[] = [{ receivedAt: NOW }],
) {
  return createReadiness({
    pingDatabase: async () => 1,
    stalledShards: async () => [],
    quarantined: async () => quarantined,
    space: { left: async () => 'room' },
    clockState: () => ({ ok: true, detail: 'agrees' }),
    pingQueue: async () => {},
    emergency: { url: 'http://127.0.0.1:1', isUp: true },
    bus: { snapshot: () => quotes },
    states: { snapshot: () => states },
    clock: { now: () => NOW },
  });
}

async function feeds(...states: VenueState[]) {
  const { ready, parts } = await readinessOf(states, { actors: 0, rows: [] })();
  return { ready, feeds: parts.find(({ name }) => name === 'feeds') };
}

test('a venue that was never reached makes the service not ready and is named, although others are received', async () => {
  const never = stateOf('spotexchange', { hearing: 'feed_down', detail: 'not received yet', degradedSince: NOW - 100, heardAt: null });
  expect(await feeds(stateOf('spotchain'), never)).toMatchObject({
    ready: false,
    feeds: { ok: false, detail: 'spotexchange is feed_down: not received yet' },
  });
});

test('a venue is named once it is lost for more than five seconds, or without a process; a closed session is no loss', async () => {
  const lost = (ms: number) => stateOf('evmvenue', { hearing: 'silent', detail: 'no message', degradedSince: NOW - ms });
  expect((await feeds(lost(5_000))).ready).toBe(true);
  expect((await feeds(lost(5_001))).feeds).toMatchObject({ ok: false, detail: 'evmvenue is silent: no message' });
  expect((await feeds(stateOf('evmvenue', { receivedAt: NOW - 10_001 }))).feeds?.detail).toBe('evmvenue is followed by no process');
  expect((await feeds(stateOf('reference', { hearing: 'market_closed' }))).ready).toBe(true);
});

test('what a clock received that was hours ahead is not received now', async () => {
  const receivedAt = NOW + 2 * 3_600_000;
  expect((await feeds(stateOf('evmvenue', { receivedAt }))).feeds?.detail).toBe('evmvenue is followed by no process');
  const { parts } = await readinessOf([], { actors: 0, rows: [] }, [{ receivedAt }])();
  expect(parts.find(({ name }) => name === 'feeds')).toMatchObject({ ok: false, detail: 'no quote was received yet' });
});

test('quarantined rows are named by their loop, and make nothing else not ready', async () => {
  const quarantine = async (actors: number, ...rows: { loop: string; count: number }[]) => {
    const { ready, parts } = await readinessOf([], { actors, rows })();
    return [ready, parts.find(({ name }) => name === 'quarantine')];
  };
  const part = (detail: string) => [true, { name: 'quarantine', ok: true, detail }];
  expect(await quarantine(0)).toEqual(part('nothing is in quarantine'));
  expect(await quarantine(2)).toEqual(part('needs attention: actors: 2'));
  expect(await quarantine(1, { loop: 'timers', count: 3 }, { loop: 'breakers', count: 1 })).toEqual(
    part('needs attention: actors: 1; timers: 3; breakers: 1'),
  );
});

test('an answer is cached for its time, whatever happens to the wall clock', async () => {
  let elapsed = 0;
  let made = 0;
  const clock = { now: () => NOW + 2 * 3_600_000, elapsed: () => elapsed };
  const ask = recent(clock, 250, async () => ++made);
  expect(await ask()).toBe(1);
  clock.now = () => NOW;
  elapsed = 249;
  expect(await ask()).toBe(1);
  elapsed = 250;
  expect(await ask()).toBe(2);
});
