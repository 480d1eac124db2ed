/** Merged feeds: the same order for every subscriber, and no error ends them. */
import * as fc from 'fast-check';
import { Observable, Subject } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import type { Rejection } from '../../src/domain/market/quote.ts';
import { createFeedCounters } from '../../streams/feed-counters.ts';
import { type Feed, mergeFeeds } from '../../streams/merge-feeds.ts';
import { createOrderedBus } from '../../streams/ordered-bus.ts';
import { createVirtualClock } from '../../streams/clock/virtual-clock.ts';
import { quote, REGULAR, status } from './events.ts';

const T = REGULAR;
const random = (): number => 0.5;

/** Subscribes and collects what the consumer or the stream threw, to be asserted empty. */
function follow<Value>(stream: Observable<Value>, consume: (value: Value) => void): unknown[] {
  const failures: unknown[] = [];
  stream.subscribe({
    next: (value) => {
      try {
        consume(value);
      } catch (error) {
        failures.push(error);
      }
    },
    error: (error) => failures.push(error),
  });
  return failures;
}

describe('ordered bus', () => {
  it('shows every subscriber the same order, whatever they send in response', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 6 }), { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        (values, listeners) => {
          const bus = createOrderedBus<string>();
          const received: string[][] = [];
          for (let listener = 0; listener < listeners; listener++) {
            const mine: string[] = [];
            received.push(mine);
            bus.stream.subscribe({
              next: (value) => {
                mine.push(value);
                // Each listener reacts to some events, which causes nested events.
                if (value.length < 4 && (value.charCodeAt(0) + listener) % 3 === 0) bus.next(`${value}${listener}`);
              },
            });
          }
          for (const value of values) bus.next(String(value));
          for (const other of received) expect(other).toEqual(received[0]);
          expect(received[0]?.filter((value) => value.length === 1)).toEqual(values.map(String));
        },
      ),
    );
  });
});

describe('merge feeds', () => {
  it('delivers every good quote of feeds of which 1 % is garbage, and counts the garbage', () => {
    const clock = createVirtualClock(T);
    const counters = createFeedCounters();
    const sources = [new Subject<FeedMessage>(), new Subject<FeedMessage>(), new Subject<FeedMessage>()];
    const merged = mergeFeeds(
      sources.map((messages): Feed => ({ venue: 'spotexchange', messages })),
      { clock, random, counters },
    );
    const good: number[] = [];
    let garbage = 0;
    const failures = follow(merged.stream, (message) => {
      if (message.kind === 'quote') good.push(message.sequence as number);
      else if (message.kind === 'rejection') garbage++;
    });
    merged.start();
    const sent: number[] = [];
    for (let index = 0; index < 10_000; index++) {
      clock.advanceTo(T + index);
      const source = sources[index % 3] as Subject<FeedMessage>;
      if (index % 100 === 42) {
        const rejection: Rejection = {
          kind: 'rejection',
          venue: 'spotexchange',
          source: 'binance',
          receivedAt: T + index,
          reason: 'not_json',
          detail: '',
          sample: '{',
        };
        source.next(rejection);
      } else {
        sent.push(index);
        source.next(quote(T + index, { sequence: index }));
      }
    }
    expect(good).toEqual(sent);
    expect(garbage).toBe(100);
    expect(failures).toEqual([]);
    merged.stop();
  });

  it('survives a feed that throws and one that ends: reports them in band and subscribes again, later each time', () => {
    const clock = createVirtualClock(T);
    const attempts: number[] = [];
    const broken: Feed = {
      venue: 'evmvenue',
      messages: new Observable((subscriber) => {
        attempts.push(clock.now() - T);
        subscriber.next(status(clock.now(), 'connected', { venue: 'evmvenue', source: 'hyperliquid' }));
        if (attempts.length % 2 === 0) subscriber.complete();
        else subscriber.error(new Error('boom'));
      }),
    };
    const healthy = new Subject<FeedMessage>();
    const counters = createFeedCounters();
    const merged = mergeFeeds([broken, { venue: 'spotexchange', messages: healthy }], { clock, random, counters });
    const received: FeedMessage[] = [];
    const failures = follow(merged.stream, (message) => received.push(message));
    merged.start();
    clock.advanceTo(T + 600_000);
    healthy.next(quote(clock.now()));
    expect(attempts.length).toBeGreaterThan(10);
    expect(attempts.length).toBeLessThan(60);
    expect(attempts.slice(0, 4)).toEqual([0, 750, 750 + 1_500, 750 + 1_500 + 3_000]);
    expect(received.at(-1)?.kind).toBe('quote');
    expect(failures).toEqual([]);
    expect(received.slice(0, 3)).toMatchObject([
      { kind: 'feed_status', status: 'connected' },
      { kind: 'feed_status', status: 'disconnected', source: 'hyperliquid', detail: 'the feed failed: boom' },
      { kind: 'rejection', reason: 'venue_error', detail: 'the feed failed: boom' },
    ]);
    expect(counters.snapshot().evmvenue.counted.feed_error).toBe(attempts.length);
    merged.stop();
    const before = attempts.length;
    clock.advanceTo(T + 1_200_000);
    expect(attempts.length).toBe(before);
  });

  it('clears the mark of an unnamed failure when the feed arrives', () => {
    const clock = createVirtualClock(T);
    let tries = 0;
    const feed: Feed = {
      venue: 'evmvenue',
      messages: new Observable((subscriber) => {
        if (++tries === 1) throw new Error('no address');
        subscriber.next(status(clock.now(), 'connected', { venue: 'evmvenue', source: 'hyperliquid' }));
      }),
    };
    const merged = mergeFeeds([feed], { clock, random });
    const received: string[] = [];
    follow(merged.stream, (message) =>
      received.push(message.kind === 'feed_status' ? `${message.source} ${message.status}` : message.kind),
    );
    merged.start();
    clock.advanceTo(T + 1_000);
    expect(received).toEqual(['evmvenue disconnected', 'rejection', 'evmvenue connected', 'hyperliquid connected']);
    merged.stop();
  });

  it('keeps receipts from going backwards or into the future', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer({ min: 0, max: 50 }), fc.integer({ min: -100, max: 100 })), { maxLength: 40 }), (steps) => {
        const clock = createVirtualClock(T);
        const merged = mergeFeeds([], { clock, random });
        const receipts: number[] = [];
        const ahead: number[] = [];
        follow(merged.stream, (message) => {
          receipts.push(message.receivedAt);
          if (message.receivedAt > clock.now()) ahead.push(message.receivedAt);
        });
        for (const [advance, off] of steps) {
          clock.advanceTo(clock.now() + advance);
          merged.push(quote(clock.now() + off));
        }
        expect(receipts).toHaveLength(steps.length);
        expect(receipts).toEqual([...receipts].sort((a, b) => a - b));
        expect(ahead).toEqual([]);
      }),
    );
  });
});
