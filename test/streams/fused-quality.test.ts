/** Fused quality chain compared with the composed operators, on random sequences. */
import * as fc from 'fast-check';
import { from } from 'rxjs';
import { describe, expect, it } from 'vitest';
import type { FeedMessage } from '../../src/domain/market/market-event.ts';
import { QUALITIES, QUALITY_FLAGS, SESSIONS } from '../../src/domain/market/quote.ts';
import { createFeedCounters } from '../../streams/feed-counters.ts';
import { toFlags, toFlagBits, qualityWith, worseQuality } from '../../streams/quality/flag-bits.ts';
import { createFreshness } from '../../streams/quality/freshness.ts';
import { fusedQuality } from '../../streams/quality/fused-quality.ts';
import { composedQuality } from '../../streams/market-pipeline.ts';
import { VenueOffsets } from '../../streams/operators/clock-skew.ts';
import { findLimits, overrideLimits } from '../../streams/quality/quality-limits.ts';
import { heartbeat, liquidity, news, perpContext, quote, REGULAR, reference, status } from './events.ts';

const limits = overrideLimits({ sources: { 'binance:depth': { sequence: 'contiguous' } } });
const freshness = createFreshness({ limits });

const price = fc.constantFrom('99', '100', '100.5', '101', '0.1', '1000');
const offset = fc.constantFrom(-7_200_000, -6_000, -10, -1, 0, 1, 1_999, 2_000, 2_001, 3_600_000);
const flags = fc.oneof(
  { weight: 5, arbitrary: fc.constant([]) },
  { weight: 1, arbitrary: fc.subarray([...QUALITY_FLAGS], { maxLength: 3 }) },
);
const quality = fc.oneof({ weight: 5, arbitrary: fc.constant('live' as const) }, { weight: 1, arbitrary: fc.constantFrom(...QUALITIES) });

const step = fc.record({
  advance: fc.integer({ min: 0, max: 3_000 }),
  make: fc.oneof(
    {
      weight: 8,
      arbitrary: fc
        .record({
          source: fc.constantFrom('binance:bookTicker', 'binance:depth'),
          instrument: fc.constantFrom('BTCUSDT', 'ETHUSDT'),
          sequence: fc.option(fc.integer({ min: 1, max: 12 })),
          sourceTime: fc.boolean(),
          bid: fc.option(price, { freq: 8 }),
          ask: fc.option(price, { freq: 8 }),
          offset,
          quality,
          flags,
        })
        .map(
          ({ offset: by, ...fields }) =>
            (at: number) =>
              quote(at, { ...fields, observedAt: at + by }),
        ),
    },
    {
      weight: 3,
      arbitrary: fc
        .record({
          confidence: fc.constantFrom('0.1', '1', '1.01', 'x'),
          offset,
          updated: offset,
          publisherSession: fc.option(fc.constantFrom(...SESSIONS)),
          quality,
          flags,
        })
        .map(
          ({ offset: by, updated, ...fields }) =>
            (at: number) =>
              reference(at, { ...fields, observedAt: at + by, feedUpdatedAt: at + updated }),
        ),
    },
    {
      weight: 1,
      arbitrary: fc.tuple(offset, price).map(
        ([by, markPrice]) =>
          (at: number) =>
            perpContext(at, { observedAt: at + by, markPrice }),
      ),
    },
    { weight: 1, arbitrary: offset.map((by) => (at: number) => liquidity(at, { observedAt: at + by })) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('connected' as const, 'disconnected' as const).map((state) => (at: number) => status(at, state)),
    },
    { weight: 1, arbitrary: fc.constantFrom(heartbeat, (at: number) => news(at, String(at))) },
  ),
});

describe('quality chain', () => {
  it('equals the composed operators on random sequences: messages, counts and offsets', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        let at = REGULAR;
        const messages: FeedMessage[] = steps.map(({ advance, make }) => {
          at += advance;
          return make(at);
        });
        const run = (operator: typeof fusedQuality) => {
          const counters = createFeedCounters();
          const offsets = new VenueOffsets();
          const out: FeedMessage[] = [];
          from(messages)
            .pipe(operator({ freshness, counters, offsets }))
            .subscribe({ next: (message) => out.push(message) });
          return { out, counts: counters.snapshot(), offsets: offsets.all() };
        };
        expect(run(fusedQuality)).toEqual(run(composedQuality));
      }),
      { numRuns: 400 },
    );
  });

  it('hands on a clean quote as the same object', () => {
    const clean = quote(REGULAR, { sequence: 5 });
    const out: FeedMessage[] = [];
    from([clean])
      .pipe(fusedQuality())
      .subscribe({ next: (message) => out.push(message) });
    expect(out[0]).toBe(clean);
  });
});

describe('marks', () => {
  it('spell every set of flags and read it back', () => {
    fc.assert(
      fc.property(fc.subarray([...QUALITY_FLAGS]), (some) => {
        expect(toFlags(toFlagBits(some))).toEqual(some);
        expect(toFlags(toFlagBits(some))).toBe(toFlags(toFlagBits([...some].reverse())));
      }),
    );
  });

  it('never make a quality better', () => {
    fc.assert(
      fc.property(fc.constantFrom(...QUALITIES), fc.subarray([...QUALITY_FLAGS]), (before, some) => {
        const after = qualityWith(before, toFlagBits(some));
        expect(QUALITIES.indexOf(after)).toBeGreaterThanOrEqual(QUALITIES.indexOf(before));
        expect(worseQuality(before, after)).toBe(after);
        if (some.length > 0) expect(after).not.toBe('live');
      }),
    );
  });
});

describe('quality limits', () => {
  it('take overrides cell by cell and refuse a limit that would switch a check off', () => {
    const some = overrideLimits({ venues: { spotchain: { maxAgeMs: 20_000 } }, sources: { 'kalshi:book': { sequence: 'contiguous' } } });
    expect(findLimits(some, 'spotchain', 'jupiter:quote')).toMatchObject({ maxAgeMs: 20_000, cadence: 'polled' });
    expect(findLimits(some, 'prediction', 'kalshi:book')).toMatchObject({ maxAgeMs: 60_000, sequence: 'contiguous' });
    expect(() => overrideLimits({ venues: { spotchain: { maxAgeMs: Number.POSITIVE_INFINITY } } })).toThrow(
      'limits.venues.spotchain.maxAgeMs',
    );
    expect(() => overrideLimits({ issuerMarkMaxAgeMs: 0 })).toThrow('must be a number above zero, got 0');
  });
});
