/** Facts about the prices of underlying shares, which are never executable. */
import type { VenueFacts } from './venue-facts.ts';
import { MINUTE_MS } from '../values/time.ts';

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
  // Plans of quote services lag by up to 15 minutes. Older prices do not describe the present.
  sourceLimits: {
    'finnhub:quote': { cadence: 'polled', maxAgeMs: 20 * MINUTE_MS },
    'alpaca:snapshot': { cadence: 'polled', maxAgeMs: 20 * MINUTE_MS },
  },
  costs: null,
} as const satisfies VenueFacts;
