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
  // Only the spread between the two directions of a quote and the network is assumed on top.
  costs: { name: 'spotchain-taker-1', takerFeeBps: 5, makerFeeBps: 5, halfSpreadBps: 15, depthUsd: '50000', latencyMs: 2_000 },
} as const satisfies VenueFacts;
