// Readiness by venue, and answers that are kept by elapsed time: neither a silent venue nor a wrong clock is hidden.
import { expect, test } from 'vitest';
import { createReadiness } from '../../api/operation/readiness-parts.ts';
import { recent } from '../../api/operation/recent.ts';
import type { VenueState } from '../../src/domain/market-state.ts';

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

async function feeds(...states: VenueState[]) {
  const readiness = createReadiness({
    pingDatabase: async () => 1,
    stalledShards: async () => [],
    quarantined: async () => ({ actors: 0, rows: [] }),
    space: { left: async () => 'room' },
    clockState: () => ({ ok: true, detail: 'agrees' }),
    pingQueue: async () => {},
    emergency: { url: 'http://127.0.0.1:1', isUp: true },
    bus: { snapshot: () => [{ receivedAt: NOW }] },
    states: { snapshot: () => states },
    clock: { now: () => NOW },
  });
  const { ready, parts } = await readiness();
  return { ready, feeds: parts.find(({ name }) => name === 'feeds') };
}

test('a venue that was never reached makes the service not ready and is named, although others are received', async () => {
  const never = stateOf('spotexchange', { hearing: 'feed_down', detail: 'not received yet', degradedSince: NOW - 100, heardAt: null });
  expect(await feeds(stateOf('spotchain'), never)).toMatchObject({
    ready: false,
    feeds: { ok: false, detail: 'spotexchange is feed_down: not received yet' },
  });
});

test('a venue is named once it is lost for longer than five seconds, or once no process follows it; a closed session is no loss', async () => {
  const lost = (ms: number) => stateOf('evmvenue', { hearing: 'silent', detail: 'no message', degradedSince: NOW - ms });
  expect((await feeds(lost(5_000))).ready).toBe(true);
  expect((await feeds(lost(5_001))).feeds).toMatchObject({ ok: false, detail: 'evmvenue is silent: no message' });
  expect((await feeds(stateOf('evmvenue', { receivedAt: NOW - 10_001 }))).feeds?.detail).toBe('evmvenue is followed by no process');
  expect((await feeds(stateOf('reference', { hearing: 'market_closed' }))).ready).toBe(true);
});

test('an answer is kept for its time, whatever is done to the time of day meanwhile', async () => {
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
