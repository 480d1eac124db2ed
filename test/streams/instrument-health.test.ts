/** Health edges of single instruments: gapped, crossed and silent books are reported once and cleared once. */
import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import { createFreshness } from '../../streams/quality/freshness.ts';
import { type InstrumentEdge, instrumentEdges } from '../../streams/quality/instrument-health.ts';
import { composedQuality } from '../../streams/market-pipeline.ts';
import { stale } from '../../streams/operators/stale.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { quote, REGULAR, reference, status } from './events.ts';

function receive(askedEveryMs: number | null = null) {
  const clock = createVirtualClock(REGULAR);
  const freshness = createFreshness();
  const feed = new Subject<FeedMessage>();
  const edges: InstrumentEdge[] = [];
  feed
    .pipe(
      composedQuality({ freshness }),
      stale({ clock, freshness }),
      instrumentEdges({ freshness, clock, askedEveryMs: () => askedEveryMs }),
    )
    .subscribe({ next: (edge) => edges.push(edge) });
  const told = (): string[] =>
    edges.map(({ type, instrument, goodAt }) => `${instrument} ${type} ${goodAt === null ? '-' : goodAt - REGULAR}`);
  return { clock, feed, edges, told };
}

test('a crossed book degrades its own instrument and no other, from the last good quote on, and heals', () => {
  const { feed, told, edges } = receive();
  feed.next(status(REGULAR, 'connected'));
  feed.next(quote(REGULAR, { sequence: 1 }));
  feed.next(quote(REGULAR + 10, { sequence: 1, instrument: 'ETHUSDT' }));
  feed.next(quote(REGULAR + 1_000, { sequence: 2, bid: '103' }));
  feed.next(quote(REGULAR + 2_000, { sequence: 3, bid: '104' }));
  feed.next(quote(REGULAR + 3_000, { sequence: 4 }));
  expect(told()).toEqual([
    'spotexchange:BTCUSDT feed.restored 0',
    'spotexchange:ETHUSDT feed.restored 10',
    'spotexchange:BTCUSDT feed.degraded 0',
    'spotexchange:BTCUSDT feed.restored 3000',
  ]);
  expect(edges[2]?.detail).toBe('spotexchange:BTCUSDT is crossed');
});

test('a book being repaired after a gap is degraded until it is complete', () => {
  const { feed, told } = receive();
  feed.next(quote(REGULAR, { sequence: 1, quality: 'degraded', flags: ['gap', 'resyncing'] }));
  feed.next(quote(REGULAR + 100, { sequence: 2 }));
  expect(told()).toEqual(['spotexchange:BTCUSDT feed.degraded -', 'spotexchange:BTCUSDT feed.restored 100']);
});

test('a silent polled or continuous book is reported by a timer; on a feed of changes only the venue can be silent', () => {
  const { clock, feed, told } = receive();
  feed.next(quote(REGULAR, { venue: 'evmvenue', instrument: 'BTC', source: 'hyperliquid:bbo' }));
  feed.next(quote(REGULAR, { instrument: 'BTCUSDT' }));
  clock.advanceTo(REGULAR + 5_000);
  expect(told()).toEqual(['evmvenue:BTC feed.restored 0', 'spotexchange:BTCUSDT feed.restored 0']);
  clock.advanceTo(REGULAR + 20_000);
  expect(told().slice(2)).toEqual(['evmvenue:BTC feed.degraded 0']);
});

test('a polled quote is silent five seconds after the next one was due, whatever its age limit', () => {
  const { clock, feed, told } = receive(2_500);
  const asked = (at: number) => quote(at, { venue: 'spotchain', instrument: 'AAPLx', source: 'jupiter:quote', sourceTime: false });
  feed.next(asked(REGULAR));
  clock.advanceTo(REGULAR + 7_500);
  expect(told()).toEqual(['spotchain:AAPLx feed.restored 0']);
  clock.advanceTo(REGULAR + 7_501);
  expect(told().slice(1)).toEqual(['spotchain:AAPLx feed.degraded 2500']);
  feed.next(asked(REGULAR + 8_000));
  clock.advanceTo(REGULAR + 40_000);
  expect(told().slice(2)).toEqual(['spotchain:AAPLx feed.restored 8000', 'spotchain:AAPLx feed.degraded 10500']);
});

test('a quote of a long round is not silent before its turn, although it is too old', () => {
  const { clock, feed, told } = receive(76_000);
  feed.next(quote(REGULAR, { venue: 'spotchain', instrument: 'AAPLx', source: 'jupiter:quote', sourceTime: false }));
  clock.advanceTo(REGULAR + 81_000);
  expect(told()).toHaveLength(1);
  clock.advanceTo(REGULAR + 81_001);
  expect(told().at(-1)).toBe('spotchain:AAPLx feed.degraded 76000');
});

test('an empty side, an unconfirmed jump and reference prices do not affect a book', () => {
  const { feed, told } = receive();
  feed.next(quote(REGULAR, { sequence: 1, ask: null }));
  feed.next(quote(REGULAR + 1, { sequence: 2 }));
  feed.next(quote(REGULAR + 2, { sequence: 3, bid: '500', ask: '501' }));
  feed.next(reference(REGULAR + 3, { confidence: '50' }));
  expect(told()).toEqual(['spotexchange:BTCUSDT feed.restored 0']);
});
