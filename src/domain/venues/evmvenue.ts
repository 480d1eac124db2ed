/** The perpetuals venue as the engine knows it in advance: books twice a second, and one perpetual per coin. */
import type { CryptoAsset, VenueFacts, VenueListing } from './venue-facts.ts';

export const evmvenue = {
  executable: true,
  hasBooks: true,
  limits: {
    maxAgeMs: 5_000,
    cadence: 'change_only',
    sequence: 'ascending',
    silentAfterMs: 5_000,
    maxSkewMs: 2_000,
    maxConfidence: 0.005,
    maxJump: 0.2,
  },
  // Each coin's whole book comes twice a second whether it changed or not: its silence is the coin's own, and the pongs
  // of the socket, which go on for all coins, must not vouch for it.
  sourceLimits: { 'hyperliquid:bbo': { cadence: 'continuous' }, 'hyperliquid:l2Book': { cadence: 'continuous' } },
  // The published fee of the lowest tier and a cautious depth.
  costs: { name: 'evmvenue-taker-1', takerFeeBps: 4.5, halfSpreadBps: 1, depthUsd: '5000000', latencyMs: 500 },
  lists: ({ symbol, name }: CryptoAsset): readonly VenueListing[] => [
    {
      instrument: symbol,
      kind: 'perp',
      name: `${name} perpetual`,
      quoteCurrency: 'USD',
      pairs: [`${symbol}/USD`, `${symbol}-USD`, `${symbol}-PERP`],
    },
  ],
} as const satisfies VenueFacts;
