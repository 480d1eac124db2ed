// Benchmark of an order's assessment: its age is described as by the streams in a cut.
import { expect, test } from 'vitest';
import { carriedIn, isReadableCarried } from '../../src/domain/conditions/carried-reference.ts';
import type { ReferencePrice } from '../../src/domain/market/quote.ts';
import { presentMarket } from '../../src/domain/risk/index.ts';
import { referenceNow } from '../../src/trading/present-market.ts';
import { createFreshness } from '../../streams/quality/freshness.ts';

/** Friday 2026-11-20, 21:00 UTC: the exchange closes. */
const CLOSE = Date.UTC(2026, 10, 20, 21);
const HOUR = 3_600_000;
const MANIFEST = { entry: [{ type: 'session_in', sessions: ['CLOSED'], carriedReference: true }] } as never;

function lastPrint(at: number): ReferencePrice {
  return {
    kind: 'reference',
    venue: 'reference',
    instrument: 'AAPL/USD',
    source: 'pyth:hermes',
    referencePrice: '210.5',
    confidence: '0.05',
    publisherSession: null,
    feedUpdatedAt: at,
    receivedAt: at,
    quality: 'live',
    flags: [],
  } as never;
}

function observed(publishedAt: number, at: number) {
  const bus = { latest: () => lastPrint(publishedAt) };
  const reference = referenceNow(bus, createFreshness(), 'spotchain:AAPLx', at);
  return presentMarket({ at, quote: null, reference, liquidity: null }).reference;
}

test('while the exchange is closed a last price is old for that reason, and a rule that reads it may trade by it', () => {
  const at = CLOSE + 13 * HOUR;
  const reference = observed(CLOSE - 1_000, at);
  expect(reference).toMatchObject({ quality: 'stale', flags: ['session_closed'] });
  expect(isReadableCarried(reference, at, carriedIn(MANIFEST))).toBe(true);
});

test('a price with an unexplained age is too old: no rule reads it', () => {
  // The feed falls silent two hours before the close; the weekend does not make that price the session's last.
  const before = observed(CLOSE - 2 * HOUR, CLOSE - HOUR);
  expect(before).toMatchObject({ quality: 'stale', flags: ['over_age'] });
  const at = CLOSE + 13 * HOUR;
  expect(isReadableCarried(observed(CLOSE - 2 * HOUR, at), at, carriedIn(MANIFEST))).toBe(false);
});

test('a price that a clock received which was hours ahead is too old: it says nothing of its age', () => {
  const at = CLOSE - HOUR;
  expect(observed(at + HOUR / 2, at)).toMatchObject({ quality: 'stale', flags: ['over_age'] });
  expect(observed(at + 5_000, at)).toMatchObject({ quality: 'live', flags: [] });
});
