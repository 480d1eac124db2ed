/** The prices of the underlying shares as the engine knows them in advance: they are never executable. */
import type { VenueFacts } from './venue-facts.ts';

export const reference = {
  executable: false,
  liveOrders: false,
  hasBooks: false,
  restingOrders: false,
  slicedOrders: false,
  flowRule: null,
  limits: {
    maxAgeMs: 5_000,
    cadence: 'continuous',
    sequence: 'ascending',
    silentAfterMs: 5_000,
    maxSkewMs: 2_000,
    maxConfidence: 0.005,
    maxJump: 0.2,
  },
  // Plans of quote services lag up to a quarter of an hour; what is older than that is no word on the present.
  sourceLimits: {
    'finnhub:quote': { cadence: 'polled', maxAgeMs: 20 * 60_000 },
    'alpaca:snapshot': { cadence: 'polled', maxAgeMs: 20 * 60_000 },
  },
  costs: null,
} as const satisfies VenueFacts;
