/** Connectivity: edges are immediate, and different silences have different words. */
import { describe, expect, it } from 'vitest';
import { CATALOG_FORMAT, readCatalogDocument } from '../../src/domain/catalog/catalog-document.ts';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import { isExecutable, VENUE_FACTS, VENUES, type Venue } from '../../src/domain/market/venue.ts';
import { type ConnectivityEdge, createConnectivity, degradationLeftMs } from '../../streams/quality/connectivity.ts';
import { DATA_DEGRADATION_MS } from '../../src/domain/venues/venue-facts.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { heartbeat, news, quote, REGULAR, reference, SUNDAY, status } from './events.ts';

/** Streamed venues. No agent trades on prediction markets, so no breaker depends on their silence. */
const STREAMED = VENUES.filter((venue) => VENUE_FACTS[venue].limits.cadence !== 'polled' && venue !== 'prediction');
const EMPTY_CATALOG = { format: CATALOG_FORMAT, shares: [], preIpo: [], crypto: [] };

function setUp(venues: readonly Venue[], start = REGULAR) {
  const clock = createVirtualClock(start);
  const connectivity = createConnectivity({ clock, venues });
  const edges: ConnectivityEdge[] = [];
  connectivity.edges.subscribe({ next: (edge) => edges.push(edge) });
  connectivity.start();
  return {
    clock,
    connectivity,
    edges,
    /** Returns every edge as `+ms type hearing`. */
    log: () => edges.map((edge) => `+${edge.at - start} ${edge.type} ${edge.hearing}`),
    at: (ms: number, ...makers: ((at: number) => FeedMessage)[]) => {
      clock.advanceTo(start + ms);
      for (const make of makers) connectivity.take(make(start + ms));
    },
  };
}

const up = (at: number): FeedMessage => status(at, 'connected');
const down = (at: number): FeedMessage => status(at, 'disconnected', { detail: 'closed with 1006' });
const beat = (at: number): FeedMessage => heartbeat(at);
const tick = (at: number): FeedMessage => quote(at, { sourceTime: false });

describe('connectivity', () => {
  it('degrades an expected venue from the start until it is received', () => {
    const { at, log, connectivity } = setUp(['spotexchange']);
    expect(connectivity.state('spotexchange')).toMatchObject({ hearing: 'feed_down', degradedSince: REGULAR, heardAt: null });
    at(700, up);
    expect(log()).toEqual(['+0 feed.degraded feed_down', '+700 feed.restored no_trades']);
    at(800, tick);
    expect(connectivity.state('spotexchange')).toMatchObject({ hearing: 'live', degradedSince: null, heardAt: REGULAR + 800 });
  });

  it('lets a durable 5 s timer distinguish flaps of 4.9 s from 5.1 s', () => {
    const { clock, at, edges, connectivity } = setUp(['spotexchange']);
    const lost: number[] = [];
    let cancel = (): void => {};
    connectivity.edges.subscribe({
      next: (edge) => {
        cancel();
        if (edge.type === 'feed.degraded') {
          // "More than 5 seconds": at exactly 5 s it is not lost yet.
          cancel = clock.deadline(edge.at + DATA_DEGRADATION_MS + 1, () => lost.push(edge.at - REGULAR));
        }
      },
    });
    at(0, up, tick);
    for (let ms = 1_000; ms < 10_000; ms += 1_000) at(ms, beat);
    for (let flap = 0; flap < 3; flap++) {
      at(10_000 + flap * 20_000, tick, down);
      at(14_900 + flap * 20_000, up, tick);
      for (let ms = 15_000; ms < 30_000; ms += 1_000) at(ms + flap * 20_000, beat);
    }
    for (let ms = 70_000; ms < 80_000; ms += 1_000) at(ms, beat);
    expect(lost).toEqual([]);
    at(80_000, tick, down);
    at(85_100, up, tick);
    expect(lost).toEqual([80_000]);
    expect(edges.slice(2).map((edge) => `${edge.at - REGULAR} ${edge.type}`)).toEqual(
      [10_000, 30_000, 50_000]
        .flatMap((ms) => [`${ms} feed.degraded`, `${ms + 4_900} feed.restored`])
        .concat('80000 feed.degraded', '85100 feed.restored'),
    );
  });

  it('calls a connected feed silent by a timer, and recovered at the next message', () => {
    const { at, log, connectivity } = setUp(['spotexchange']);
    at(0, up, tick);
    at(5_000);
    expect(log()).toHaveLength(2);
    at(5_001);
    expect(log().at(-1)).toBe('+5001 feed.degraded silent');
    expect(connectivity.state('spotexchange')).toMatchObject({ detail: 'binance was not received for 5 s', goodAt: REGULAR });
    at(9_000, beat);
    expect(log().at(-1)).toBe('+9000 feed.restored no_trades');
  });

  it('calls a quiet market with heartbeats no trades, never degraded', () => {
    const { at, log, connectivity } = setUp(['spotexchange']);
    at(0, up, tick);
    for (let ms = 3_000; ms <= 60_000; ms += 3_000) at(ms, beat);
    expect(log()).toEqual(['+0 feed.degraded feed_down', '+0 feed.restored no_trades']);
    at(60_001, down);
    at(60_002, up);
    expect(connectivity.state('spotexchange').hearing).toBe('no_trades');
  });

  it('calls a repeated reference price carried forward in the session, and market closed outside it', () => {
    const pyth = (at: number): FeedMessage => status(at, 'connected', { venue: 'reference', source: 'pyth' });
    const open = setUp(['reference']);
    open.at(0, pyth, (at) => reference(at));
    for (let ms = 1_000; ms <= 8_000; ms += 1_000) open.at(ms, (at) => reference(at, { feedUpdatedAt: REGULAR }));
    expect(open.log().at(-1)).toBe('+5001 feed.degraded carried_forward');
    open.at(8_500, (at) => reference(at));
    expect(open.log().at(-1)).toBe('+8500 feed.restored live');

    const closed = setUp(['reference'], SUNDAY);
    closed.at(0, pyth, (at) => reference(at, { feedUpdatedAt: SUNDAY - 150_000_000 }));
    closed.at(60_000);
    expect(closed.connectivity.state('reference')).toMatchObject({ hearing: 'market_closed', degradedSince: null });
    closed.at(61_000, (at) => status(at, 'disconnected', { venue: 'reference', source: 'pyth' }));
    expect(closed.connectivity.state('reference')).toMatchObject({ hearing: 'feed_down', degradedSince: SUNDAY + 61_000 });
  });

  it('does not count news or an issuer mark as share prices', () => {
    const { at, connectivity } = setUp(['reference']);
    at(10, (t) => news(t, 'a'));
    at(20, (t) => reference(t, { instrument: 'SPACEX', source: 'issuer' }));
    expect(connectivity.state('reference')).toMatchObject({ hearing: 'feed_down', detail: 'not received yet' });
  });

  it('receives share prices only from their sources: marks and news neither replace a dead feed nor degrade a living one', () => {
    const of = (source: string, word: 'connected' | 'disconnected') => (t: number) => status(t, word, { venue: 'reference', source });
    const dead = setUp(['reference']);
    dead.at(0, of('prestocks:mark', 'connected'), of('news:reports', 'connected'));
    for (let ms = 1_000; ms <= 10_000; ms += 1_000) dead.at(ms, (t) => heartbeat(t, { venue: 'reference', source: 'news:reports' }));
    expect(dead.log()).toEqual(['+0 feed.degraded feed_down']);
    expect(dead.connectivity.state('reference')).toMatchObject({ detail: 'not received yet', heardAt: null });

    const living = setUp(['reference']);
    living.at(0, of('prestocks:mark', 'disconnected'), of('news:reports', 'disconnected'), of('pyth:hermes', 'connected'));
    expect(living.log().at(-1)).toBe('+0 feed.restored no_trades');
    living.at(100, (t) => reference(t));
    living.at(200, of('news:reports', 'disconnected'));
    expect(living.connectivity.state('reference').hearing).toBe('live');
    living.at(300, of('pyth:hermes', 'disconnected'), (t) => reference(t, { instrument: 'SPACEX', source: 'prestocks:mark' }));
    expect(living.log().at(-1)).toBe('+300 feed.degraded feed_down');
  });

  it('is degraded while any price provider is down', () => {
    const { at, log } = setUp(['prediction']);
    const of = (source: string) => (t: number) => quote(t, { venue: 'prediction', instrument: source, source: `${source}:book` });
    const state = (source: string, word: 'connected' | 'disconnected') => (t: number) => status(t, word, { venue: 'prediction', source });
    at(0, state('kalshi', 'connected'), state('polymarket', 'connected'), of('kalshi'), of('polymarket'));
    at(100, state('kalshi', 'disconnected'));
    at(200, of('polymarket'));
    expect(log().at(-1)).toBe('+100 feed.degraded feed_down');
    at(300, state('kalshi', 'connected'));
    expect(log().at(-1)).toMatch(/^\+300 feed\.restored/);
  });

  it('stops its timers', () => {
    const { clock, at, connectivity } = setUp(['spotexchange']);
    at(0, up, tick);
    connectivity.stop();
    expect(clock.pending).toBe(0);
  });
});

describe('duration of degraded data that is tolerated', () => {
  it('counts from the last good message, whatever the venue’s limit was', () => {
    const at = 1_000_000;
    expect(degradationLeftMs({ goodAt: at - 5_001, at }, at)).toBe(0);
    expect(degradationLeftMs({ goodAt: at - 15_001, at }, at)).toBe(0);
    expect(degradationLeftMs({ goodAt: at - 200, at }, at)).toBe(4_800);
    expect(degradationLeftMs({ goodAt: at - 200, at }, at + 4_000)).toBe(800);
    // Without any good message the five seconds start with the edge. A time ahead of ours does not extend them.
    expect(degradationLeftMs({ goodAt: null, at }, at)).toBe(5_000);
    expect(degradationLeftMs({ goodAt: at + 60_000, at }, at)).toBe(5_000);
  });

  /** Returns when an agent that waits the rest of the five seconds loses a venue, in milliseconds after its last good message. */
  function lostAfter(venue: Venue, after: (at: number) => FeedMessage | null): number | null {
    const { clock, connectivity, at, edges } = setUp([venue]);
    const source = `${venue}-provider:prices`;
    let lostAt: number | null = null;
    connectivity.edges.subscribe({
      next: (edge) => {
        if (edge.type === 'feed.degraded') clock.deadline(edge.at + degradationLeftMs(edge, edge.at), () => (lostAt ??= clock.now()));
      },
    });
    const good = (ms: number): FeedMessage =>
      isExecutable(venue) ? quote(ms, { venue, source, instrument: 'X' }) : reference(ms, { source });
    at(0, (ms) => status(ms, 'connected', { venue, source }), good);
    edges.length = 0;
    lostAt = null;
    for (let ms = 1_000; ms <= 120_000; ms += 500) {
      const message = after(REGULAR + ms);
      at(ms, ...(message === null ? [] : [() => message]));
    }
    return lostAt === null ? null : lostAt - REGULAR;
  }
  it.each(VENUES)('is five seconds from the last good message if the connection of %s breaks', (venue) => {
    let broken = false;
    const lost = lostAfter(venue, (at) => {
      if (broken) return null;
      broken = true;
      return status(at, 'disconnected', { venue, source: `${venue}-provider:prices`, detail: 'closed' });
    });
    expect(lost).toBe(DATA_DEGRADATION_MS);
  });

  it.each(STREAMED)('is over five seconds after the last message of the streaming %s', (venue) => {
    expect(lostAfter(venue, () => null)).toBe(DATA_DEGRADATION_MS + 1);
  });

  it.each(STREAMED)('is about silence and not age: a catalog cannot let %s be silent for longer', (venue) => {
    const read = (cell: object) => readCatalogDocument({ ...EMPTY_CATALOG, limits: { venues: { [venue]: cell } } }, []);
    expect(read({ maxAgeMs: 60_000 })).toMatchObject({ ok: true });
    expect(read({ silentAfterMs: 5_001 })).toMatchObject({
      ok: false,
      problems: [{ path: `$.limits.venues.${venue}.silentAfterMs`, allowed: 'at most 5000' }],
    });
  });

  it('counts from the first scheduled answer missed by a polled venue, although its last good answer is older', () => {
    const { at, edges } = setUp(['spotchain']);
    const source = 'jupiter:quote';
    at(
      0,
      (ms) => status(ms, 'connected', { venue: 'spotchain', source }),
      (ms) => quote(ms, { venue: 'spotchain', source, instrument: 'X' }),
    );
    at(2_600, (ms) => ({ ...status(ms, 'disconnected', { venue: 'spotchain', source, detail: 'refused' }), missedAt: REGULAR + 2_500 }));
    expect(edges.at(-1)).toMatchObject({ type: 'feed.degraded', goodAt: REGULAR + 2_500 });
    at(3_000, (ms) => status(ms, 'connected', { venue: 'spotchain', source }));
    at(9_000, (ms) => ({ ...status(ms, 'disconnected', { venue: 'spotchain', source, detail: 'refused' }), missedAt: REGULAR + 8_900 }));
    expect(edges.at(-1)).toMatchObject({ type: 'feed.degraded', goodAt: REGULAR + 8_900 });
  });
});
