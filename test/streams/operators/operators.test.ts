/** Marble tests of the quality operators, one group per operator. */
import { TestScheduler } from 'rxjs/testing';
import { describe, expect, it } from 'vitest';
import type { FeedMessage } from '../../../src/domain/market/market-event.ts';
import type { Quote } from '../../../src/domain/market/quote.ts';
import { createFeedCounters } from '../../../streams/feed-counters.ts';
import { createFreshness } from '../../../streams/quality/freshness.ts';
import { carriedForward } from '../../../streams/operators/carried-forward.ts';
import { clockSkew, VenueOffsets } from '../../../streams/operators/clock-skew.ts';
import { crossed } from '../../../streams/operators/crossed.ts';
import { degraded } from '../../../streams/operators/degraded.ts';
import { gap } from '../../../streams/operators/gap.ts';
import { outOfOrder } from '../../../streams/operators/out-of-order.ts';
import { stale } from '../../../streams/operators/stale.ts';
import { overrideLimits } from '../../../streams/quality/quality-limits.ts';
import { heartbeat, liquidity, marbleClock, marked, nonZero, perpContext, quote, REGULAR, reference, SUNDAY, status } from '../events.ts';

const T = REGULAR;

function marbles(run: (helpers: Parameters<Parameters<TestScheduler['run']>[0]>[0], scheduler: TestScheduler) => void): void {
  const scheduler = new TestScheduler((actual, expected) => expect(actual).toEqual(expected));
  scheduler.run((helpers) => run(helpers, scheduler));
}

const contiguous = createFreshness({ limits: overrideLimits({ sources: { 'binance:bookTicker': { sequence: 'contiguous' } } }) });

describe('gap', () => {
  it('marks quotes from a missing number on until a new connection', () => {
    marbles(({ hot, expectObservable }) => {
      const values: Record<string, FeedMessage> = {
        a: quote(T, { sequence: 1 }),
        b: quote(T + 1, { sequence: 2 }),
        c: quote(T + 2, { sequence: 4 }),
        d: quote(T + 3, { sequence: 5 }),
        s: status(T + 4, 'connected', { epoch: 2 }),
        e: quote(T + 5, { sequence: 9 }),
      };
      const expected = {
        ...values,
        c: marked(quote(T + 2, { sequence: 4 }), 'degraded', ['gap']),
        d: marked(quote(T + 3, { sequence: 5 }), 'degraded', ['gap']),
      };
      expectObservable(hot('abcdse', values).pipe(gap({ freshness: contiguous }))).toBe('abcdse', expected);
    });
  });

  it('heals once the adapter has resynchronized', () => {
    marbles(({ hot, expectObservable }) => {
      const values: Record<string, FeedMessage> = {
        a: quote(T, { sequence: 1 }),
        b: quote(T + 1, { sequence: 7 }),
        c: quote(T + 2, { sequence: 8, quality: 'degraded', flags: ['resyncing'] }),
        d: quote(T + 3, { sequence: 20 }),
      };
      const expected = {
        a: values['a'],
        b: marked(quote(T + 1, { sequence: 7 }), 'degraded', ['gap']),
        c: marked(quote(T + 2, { sequence: 8 }), 'degraded', ['gap', 'resyncing']),
        d: values['d'],
      };
      expectObservable(hot('abcd', values).pipe(gap({ freshness: contiguous }))).toBe('abcd', expected as Record<string, FeedMessage>);
    });
  });

  it('keeps sequences of instruments separate and counts each gap once', () => {
    const counters = createFeedCounters();
    marbles(({ hot, expectObservable }) => {
      const values: Record<string, FeedMessage> = {
        a: quote(T, { sequence: 1 }),
        b: quote(T, { sequence: 50, instrument: 'ETHUSDT' }),
        c: quote(T, { sequence: 3 }),
        d: quote(T, { sequence: 51, instrument: 'ETHUSDT' }),
        e: quote(T, { sequence: 4 }),
      };
      const expected = {
        ...values,
        c: marked(quote(T, { sequence: 3 }), 'degraded', ['gap']),
        e: marked(quote(T, { sequence: 4 }), 'degraded', ['gap']),
      };
      expectObservable(hot('abcde', values).pipe(gap({ freshness: contiguous, counters }))).toBe('abcde', expected);
    });
    expect(nonZero(counters.snapshot().spotexchange.counted)).toEqual({ gap: 1 });
  });

  it('finds no gap if numbers only order, like a book ticker’s update ids', () => {
    marbles(({ hot, expectObservable }) => {
      const values = { a: quote(T, { sequence: 1 }), b: quote(T, { sequence: 900 }) };
      expectObservable(hot<FeedMessage>('ab', values).pipe(gap())).toBe('ab', values);
    });
  });
});

describe('out of order', () => {
  it('drops older and repeated numbers and counts both', () => {
    const counters = createFeedCounters();
    marbles(({ hot, expectObservable }) => {
      const values = Object.fromEntries(
        [1, 3, 2, 3, 4].map((sequence, index) => ['abcde'[index], quote(T + index, { sequence, sourceTime: false })]),
      ) as Record<string, FeedMessage>;
      expectObservable(hot('abcde', values).pipe(outOfOrder({ counters }))).toBe('ab--e', values);
    });
    expect(nonZero(counters.snapshot().spotexchange.counted)).toEqual({ out_of_order: 1, duplicate: 1 });
  });

  it('orders by venue time without numbers', () => {
    marbles(({ hot, expectObservable }) => {
      const values: Record<string, FeedMessage> = {
        a: quote(T, { observedAt: T - 100 }),
        b: quote(T + 1, { observedAt: T - 200 }),
        c: quote(T + 2, { observedAt: T - 100 }),
        d: quote(T + 3, { observedAt: T - 100, bid: '100.5' }),
        e: quote(T + 4, { observedAt: T - 50 }),
      };
      expectObservable(hot('abcde', values).pipe(outOfOrder())).toBe('a--de', values);
    });
  });

  it('is not blocked by a time from the future', () => {
    marbles(({ hot, expectObservable }) => {
      const values: Record<string, FeedMessage> = {
        a: quote(T),
        b: quote(T + 1, { observedAt: T + 3_600_000 }),
        c: quote(T + 2),
        d: quote(T - 5),
      };
      expectObservable(hot('abcd', values).pipe(outOfOrder())).toBe('abc-', values);
    });
  });

  it('takes the first quote of a new connection, even if it restarts the numbers or repeats the last', () => {
    marbles(({ hot, expectObservable }) => {
      const values: Record<string, FeedMessage> = {
        a: quote(T, { sequence: 900, sourceTime: false }),
        s: status(T + 1, 'connected'),
        b: quote(T + 2, { sequence: 1, sourceTime: false }),
        t: status(T + 3, 'connected'),
        c: quote(T + 4, { sequence: 1, sourceTime: false }),
      };
      expectObservable(hot('asbtc', values).pipe(outOfOrder())).toBe('asbtc', values);
    });
  });

  it('keeps no old quote if a venue restarts its numbers or sets its clock back without a new connection', () => {
    const counters = createFeedCounters();
    const back = 3_600_000;
    marbles(({ hot, expectObservable }) => {
      const numbered = (at: number, sequence: number) => quote(T + at, { sequence, sourceTime: false });
      const timed = (at: number) => quote(T + at, { instrument: 'ETHUSDT', observedAt: T + at - back });
      const values: Record<string, FeedMessage> = {
        a: numbered(0, 900),
        b: numbered(5_000, 5),
        c: numbered(5_001, 6),
        d: numbered(5_100, 7),
        e: quote(T + 6_000, { instrument: 'ETHUSDT' }),
        f: timed(11_000),
        g: timed(11_001),
        h: timed(11_002),
      };
      const expected: Record<string, FeedMessage> = {
        ...values,
        c: marked(values['c'] as Quote, 'degraded', ['out_of_order']),
        g: marked(values['g'] as Quote, 'degraded', ['out_of_order']),
      };
      expectObservable(hot('abcdefgh', values).pipe(outOfOrder({ counters }))).toBe('a-cde-gh', expected);
    });
    expect(nonZero(counters.snapshot().spotexchange.counted)).toEqual({ out_of_order: 4 });
  });

  it('never takes an older answer of a polled feed, whose last one ages by itself', () => {
    marbles(({ hot, expectObservable }) => {
      const polled = { venue: 'spotchain', instrument: 'AAPLx', source: 'jupiter:quote', sourceTime: false } as const;
      const values: Record<string, FeedMessage> = {
        a: quote(T, { ...polled, sequence: 7 }),
        b: quote(T + 60_000, { ...polled, sequence: 6 }),
      };
      expectObservable(hot('ab', values).pipe(outOfOrder())).toBe('a-', values);
    });
  });

  it('takes an unchanged answer of a polled feed as a new confirmation', () => {
    marbles(({ hot, expectObservable }) => {
      const polled = { venue: 'spotchain', instrument: 'AAPLx', source: 'jupiter:quote', sequence: 7, sourceTime: false } as const;
      const values: Record<string, FeedMessage> = { a: quote(T, polled), b: quote(T + 1_000, polled) };
      expectObservable(hot('ab', values).pipe(outOfOrder())).toBe('ab', values);
    });
  });

  it('drops older references, contexts and liquidity, and repeated ones', () => {
    marbles(({ hot, expectObservable }) => {
      const values: Record<string, FeedMessage> = {
        a: reference(T),
        b: reference(T - 1),
        c: reference(T),
        d: perpContext(T),
        e: perpContext(T - 1),
        f: perpContext(T, { markPrice: '103' }),
        g: liquidity(T),
        h: liquidity(T),
      };
      expectObservable(hot('abcdefgh', values).pipe(outOfOrder())).toBe('a--d-fg-', values);
    });
  });
});

describe('crossed', () => {
  it('degrades a crossed or one-sided book and allows a locked one', () => {
    const counters = createFeedCounters();
    marbles(({ hot, expectObservable }) => {
      const values: Record<string, FeedMessage> = {
        a: quote(T, { bid: '1', ask: '2' }),
        b: quote(T, { bid: '2', ask: '2.0' }),
        c: quote(T, { bid: '3', ask: '2' }),
        d: quote(T, { bid: null }),
        e: quote(T, { ask: null }),
        f: quote(T, { bid: '10', ask: '9.999999999999999999' }),
        g: reference(T),
      };
      const expected = {
        ...values,
        c: marked(quote(T, { bid: '3', ask: '2' }), 'degraded', ['crossed']),
        d: marked(quote(T, { bid: null }), 'degraded', ['one_sided']),
        e: marked(quote(T, { ask: null }), 'degraded', ['one_sided']),
        f: marked(quote(T, { bid: '10', ask: '9.999999999999999999' }), 'degraded', ['crossed']),
      };
      expectObservable(hot('abcdefg', values).pipe(crossed({ counters }))).toBe('abcdefg', expected);
    });
    expect(nonZero(counters.snapshot().spotexchange.counted)).toEqual({ crossed: 2, one_sided: 2 });
  });
});

describe('clock skew', () => {
  it('degrades what lies more than 2 s in the future, and measures each venue', () => {
    const offsets = new VenueOffsets();
    marbles(({ hot, expectObservable }) => {
      const values: Record<string, FeedMessage> = {
        a: quote(T, { observedAt: T - 40 }),
        b: quote(T, { observedAt: T + 2_000 }),
        c: quote(T, { observedAt: T + 2_001 }),
        d: reference(T, { feedUpdatedAt: T + 5_000 }),
        e: reference(T, { observedAt: T - 7 }),
      };
      const expected = {
        ...values,
        c: marked(quote(T, { observedAt: T + 2_001 }), 'degraded', ['clock_skew']),
        d: marked(reference(T, { feedUpdatedAt: T + 5_000 }), 'degraded', ['clock_skew']),
      };
      expectObservable(hot('abcde', values).pipe(clockSkew({ offsets }))).toBe('abcde', expected);
    });
    expect(offsets.offsetMs('spotexchange')).toBe(-2_001);
    expect(offsets.offsetMs('reference')).toBe(0);
    expect(offsets.offsetMs('evmvenue')).toBeNull();
  });

  it('forgets an offset after two windows', () => {
    const offsets = new VenueOffsets();
    offsets.take(quote(T, { observedAt: T + 5_000 }));
    for (let minute = 1; minute <= 3; minute++) offsets.take(quote(T + minute * 60_000, { observedAt: T + minute * 60_000 - 30 }));
    expect(offsets.offsetMs('spotexchange')).toBe(30);
  });
});

describe('degraded', () => {
  it('degrades references whose confidence is too wide or unreadable, and quotes whose adapter flagged them', () => {
    marbles(({ hot, expectObservable }) => {
      const values: Record<string, FeedMessage> = {
        a: reference(T, { referencePrice: '100', confidence: '0.5' }),
        b: reference(T, { referencePrice: '100', confidence: '0.51' }),
        c: reference(T, { referencePrice: '100', confidence: 'wide' }),
        d: quote(T, { flags: ['resyncing'] }),
        e: quote(T, { quality: 'halted', flags: ['gap'] }),
        f: quote(T, { quality: 'delayed' }),
      };
      const expected = {
        ...values,
        b: marked(reference(T, { referencePrice: '100', confidence: '0.51' }), 'degraded', ['wide_confidence']),
        c: marked(reference(T, { referencePrice: '100', confidence: 'wide' }), 'degraded', ['wide_confidence']),
        d: marked(quote(T), 'degraded', ['resyncing']),
      };
      expectObservable(hot('abcdef', values).pipe(degraded())).toBe('abcdef', expected);
    });
  });
});

describe('carried forward', () => {
  it('distinguishes closed sessions, frozen prices and another session’s price', () => {
    marbles(({ hot, expectObservable }) => {
      const values: Record<string, FeedMessage> = {
        a: reference(T, { publisherSession: 'REGULAR' }),
        b: reference(T, { feedUpdatedAt: T - 5_001 }),
        c: reference(SUNDAY),
        d: reference(SUNDAY, { feedUpdatedAt: SUNDAY - 150_000_000 }),
        e: reference(T, { publisherSession: 'PRE_MARKET' }),
        f: reference(T, { feedUpdatedAt: T - 5_000 }),
        g: quote(SUNDAY),
      };
      const expected = {
        ...values,
        b: marked(reference(T, { feedUpdatedAt: T - 5_001 }), 'stale', ['carried_forward']),
        c: marked(reference(SUNDAY), 'stale', ['session_closed']),
        d: marked(reference(SUNDAY, { feedUpdatedAt: SUNDAY - 150_000_000 }), 'stale', ['session_closed', 'carried_forward']),
        e: marked(reference(T, { publisherSession: 'PRE_MARKET' }), 'stale', ['carried_forward']),
      };
      expectObservable(hot('abcdefg', values).pipe(carriedForward())).toBe('abcdefg', expected);
    });
  });

  it('leaves an issuer mark alone: it has no session', () => {
    marbles(({ hot, expectObservable }) => {
      const values: Record<string, FeedMessage> = {
        a: reference(SUNDAY, { instrument: 'SPACEX', feedUpdatedAt: SUNDAY - 10 * 86_400_000 }),
      };
      expectObservable(hot('a', values).pipe(carriedForward())).toBe('a', values);
    });
  });
});

describe('stale', () => {
  it('marks a quote by a timer one millisecond after its limit, and the next one heals it', () => {
    marbles(({ hot, expectObservable }, scheduler) => {
      const a = quote(T, { sourceTime: false });
      const b = quote(T + 7_000, { sourceTime: false });
      const output = hot('a 6999ms b', { a, b }).pipe(stale({ clock: marbleClock(scheduler, T) }));
      expectObservable(output, '^ 11s !').toBe('a 5000ms x 1998ms b', { a, b, x: marked(a, 'stale', ['over_age']) } as Record<
        string,
        FeedMessage
      >);
    });
  });

  it('is not stale in a quiet market while heartbeats continue, and is when they stop', () => {
    marbles(({ hot, expectObservable }, scheduler) => {
      const a = quote(T, { sourceTime: false });
      const h = heartbeat(T + 4_000);
      const output = hot<FeedMessage>('a 3999ms h', { a, h }).pipe(stale({ clock: marbleClock(scheduler, T) }));
      expectObservable(output, '^ 12s !').toBe('a 3999ms h 5000ms x', { a, h, x: marked(a, 'stale', ['over_age']) } as Record<
        string,
        FeedMessage
      >);
    });
  });

  it('heals by a heartbeat what silence alone had made stale', () => {
    marbles(({ hot, expectObservable }, scheduler) => {
      const a = quote(T, { sourceTime: false });
      const h = heartbeat(T + 8_000);
      const output = hot<FeedMessage>('a 7999ms h', { a, h }).pipe(stale({ clock: marbleClock(scheduler, T) }));
      expectObservable(output, '^ 10s !').toBe('a 5000ms x 2998ms (ha)', { a, h, x: marked(a, 'stale', ['over_age']) } as Record<
        string,
        FeedMessage
      >);
    });
  });

  it('is stale at once on a busy socket with an old source time, with or without heartbeats', () => {
    marbles(({ hot, expectObservable }, scheduler) => {
      const a = quote(T, { observedAt: T - 5_001 });
      const h = heartbeat(T + 1);
      const output = hot<FeedMessage>('ah', { a, h }).pipe(stale({ clock: marbleClock(scheduler, T) }));
      expectObservable(output, '^ 3s !').toBe('xh', { h, x: marked(a, 'stale', ['over_age']) } as Record<string, FeedMessage>);
    });
  });

  it('does not let the heartbeats of a new connection vouch for quotes of the old one', () => {
    marbles(({ hot, expectObservable }, scheduler) => {
      const a = quote(T, { sourceTime: false });
      const d = status(T + 10, 'disconnected');
      const c = status(T + 20, 'connected', { epoch: 2 });
      const b = quote(T + 30, { sourceTime: false });
      const output = hot<FeedMessage>('a 9ms d 9ms c 9ms b', { a, d, c, b }).pipe(stale({ clock: marbleClock(scheduler, T) }));
      expectObservable(output, '^ 40ms !').toBe('a 9ms (dx) 6ms (cy) 6ms b', {
        a,
        b,
        c,
        d,
        x: marked(a, 'degraded', ['feed_down']),
        y: marked(a, 'degraded', ['resyncing']),
      } as Record<string, FeedMessage>);
    });
  });

  it('leaves a context, a bar and a rejection unchanged', () => {
    marbles(({ hot, expectObservable }, scheduler) => {
      const values: Record<string, FeedMessage> = { a: perpContext(T), b: liquidity(T) };
      expectObservable(hot('ab', values).pipe(stale({ clock: marbleClock(scheduler, T) })), '^ 10s !').toBe('ab', values);
    });
  });

  it('marks a reference that falls silent in the session as too old, not carried forward', () => {
    marbles(({ hot, expectObservable }, scheduler) => {
      const a = reference(T);
      const output = hot<FeedMessage>('a', { a }).pipe(stale({ clock: marbleClock(scheduler, T) }));
      expectObservable(output, '^ 8s !').toBe('a 5000ms x', { a, x: marked(a, 'stale', ['over_age']) } as Record<string, FeedMessage>);
    });
  });
});
