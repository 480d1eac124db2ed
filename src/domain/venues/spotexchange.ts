/** Facts about the spot exchange: streamed changes, books, and pairs against USDT. */
import type { CryptoAsset, VenueFacts, VenueListing } from './venue-facts.ts';

export const spotexchange = {
  executable: true,
  liveOrders: true,
  hasBooks: true,
  restingOrders: true,
  slicedOrders: true,
  // Books and every trade are streamed.
  flowRule: 'book_and_trades',
  limits: {
    maxAgeMs: 5_000,
    cadence: 'change_only',
    sequence: 'ascending',
    silentAfterMs: 5_000,
    maxSkewMs: 2_000,
    maxConfidence: 0.005,
    maxJump: 0.2,
  },
  // Published fee of the lowest tier, and a cautious depth.
  costs: { name: 'spotexchange-taker-1', takerFeeBps: 10, makerFeeBps: 10, halfSpreadBps: 1, depthUsd: '5000000', latencyMs: 250 },
  lists: ({ symbol, name }: CryptoAsset): readonly VenueListing[] => [
    {
      instrument: `${symbol}USDT`,
      kind: 'spot',
      name: `${name} spot`,
      quoteCurrency: 'USDT',
      pairs: [`${symbol}/USDT`, `${symbol}-USDT`],
    },
  ],
} as const satisfies VenueFacts;
