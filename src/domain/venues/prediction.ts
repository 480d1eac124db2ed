/** Facts about prediction markets: prices between 0 and 1, markets that come and go, and none in the catalog. */
import type { VenueFacts } from './venue-facts.ts';
import { MINUTE_MS } from '../values/time.ts';

export const prediction = {
  executable: true,
  liveOrders: true,
  hasBooks: false,
  restingOrders: false,
  slicedOrders: false,
  // Agents' universes contain no such market, so there is no shadow trading.
  flowRule: null,
  limits: {
    maxAgeMs: MINUTE_MS,
    cadence: 'change_only',
    sequence: 'ascending',
    silentAfterMs: MINUTE_MS,
    maxSkewMs: 2_000,
    maxConfidence: 0.005,
    maxJump: 0.3,
  },
  sourceLimits: { 'kalshi:markets': { cadence: 'polled' } },
  costs: { name: 'prediction-taker-1', takerFeeBps: 100, makerFeeBps: 100, halfSpreadBps: 100, depthUsd: '5000', latencyMs: 2_000 },
} as const satisfies VenueFacts;
