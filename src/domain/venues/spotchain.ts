/** Facts about the primary chain: its aggregator is polled, and its quotes include pool fees. */
import type { VenueFacts } from './venue-facts.ts';

export const spotchain = {
  executable: true,
  liveOrders: true,
  hasBooks: false,
  restingOrders: false,
  slicedOrders: false,
  // Pools are polled: an order meets a state between two answers.
  flowRule: 'pool_state',
  limits: {
    maxAgeMs: 15_000,
    cadence: 'polled',
    sequence: 'ascending',
    // The feed itself reports a missed answer. This covers a feed that stopped polling: a keyless plan polls every five seconds.
    silentAfterMs: 10_000,
    maxSkewMs: 2_000,
    maxConfidence: 0.005,
    maxJump: 0.2,
  },
  // The fee covers the network and its priority. The half spread is the fee of a 0.25 % pool plus the impact of a probe, without the mint's
  // fee. The depth is that of a thin pool: 200,000 dollars on both sides.
  costs: { name: 'spotchain-taker-2', takerFeeBps: 5, makerFeeBps: 5, halfSpreadBps: 30, depthUsd: '500', latencyMs: 2_000 },
} as const satisfies VenueFacts;
