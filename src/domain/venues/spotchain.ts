/** The primary chain as the engine knows it in advance: its aggregator is polled, and its quotes already hold the fees of the pools. */
import type { VenueFacts } from './venue-facts.ts';

export const spotchain = {
  executable: true,
  liveOrders: true,
  hasBooks: false,
  restingOrders: false,
  slicedOrders: false,
  // Pools are polled: an order meets a state that lies between two answers.
  flowRule: 'pool_state',
  limits: {
    maxAgeMs: 15_000,
    cadence: 'polled',
    sequence: 'ascending',
    // The feed itself tells an answer that is missed. This is for one that asks no more: a keyless plan asks every five seconds.
    silentAfterMs: 10_000,
    maxSkewMs: 2_000,
    maxConfidence: 0.005,
    maxJump: 0.2,
  },
  // The fee pays for the network and its priority. Half of the spread is what a pool of 0.25 % keeps and what a probe moves it by,
  // without the mint's own fee. The depth is that of a thin pool: 200,000 dollars on both sides.
  costs: { name: 'spotchain-taker-2', takerFeeBps: 5, makerFeeBps: 5, halfSpreadBps: 30, depthUsd: '500', latencyMs: 2_000 },
} as const satisfies VenueFacts;
