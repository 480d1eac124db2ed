/** Facts about the perpetuals venue: books twice a second, one perpetual per coin, and a builder's perpetuals on shares. */
import type { CostModel, CryptoAsset, Share, VenueFacts, VenueListing } from './venue-facts.ts';

/** The builder's dex whose perpetuals on shares are followed. Its coins have its prefix: `xyz:AAPL`. */
export const SHARE_DEX = 'xyz';

/**
 * Shares with a perpetual on it, priced in dollars per share. Its markets on indices are priced in index points, so the catalog's funds
 * have none.
 */
const SHARE_PERPS: ReadonlySet<string> = new Set(['AAPL', 'TSLA', 'NVDA', 'GOOGL', 'AMZN', 'META', 'MSFT', 'MSTR', 'COIN']);

/** Assumed costs. The fee is twice the venue's, of which the deployer gets half, without its growth mode. The depth is cautious. */
const SHARE_DEX_COSTS: CostModel = {
  name: 'evmvenue-builder-taker-1',
  takerFeeBps: 9,
  makerFeeBps: 3,
  halfSpreadBps: 2,
  depthUsd: '500000',
  latencyMs: 500,
};

export const evmvenue = {
  executable: true,
  // Orders are signed by keys of an account there, which the service does not hold for organizations.
  liveOrders: false,
  hasBooks: true,
  restingOrders: false,
  slicedOrders: true,
  // Our orders do not rest there, so trades fill nothing: the book at arrival decides.
  flowRule: 'book',
  limits: {
    maxAgeMs: 5_000,
    cadence: 'change_only',
    sequence: 'ascending',
    silentAfterMs: 5_000,
    maxSkewMs: 2_000,
    maxConfidence: 0.005,
    maxJump: 0.2,
  },
  // Each coin's whole book is sent twice a second, changed or not. Its silence is the coin's own, and the socket's pongs, which continue
  // for all coins, must not hide it.
  sourceLimits: { 'hyperliquid:bbo': { cadence: 'continuous' }, 'hyperliquid:l2Book': { cadence: 'continuous' } },
  // Published fee of the lowest tier, and a cautious depth.
  costs: { name: 'evmvenue-taker-1', takerFeeBps: 4.5, makerFeeBps: 1.5, halfSpreadBps: 1, depthUsd: '5000000', latencyMs: 500 },
  costsOf: (instrument: string): CostModel | null => (instrument.startsWith(`${SHARE_DEX}:`) ? SHARE_DEX_COSTS : null),
  lists: ({ symbol, name }: CryptoAsset): readonly VenueListing[] => [
    {
      instrument: symbol,
      kind: 'perp',
      name: `${name} perpetual`,
      quoteCurrency: 'USD',
      pairs: [`${symbol}/USD`, `${symbol}-USD`, `${symbol}-PERP`],
    },
  ],
  listsShare: ({ symbol, name }: Share): readonly VenueListing[] => {
    if (!SHARE_PERPS.has(symbol)) return [];
    const coin = `${SHARE_DEX}:${symbol}`;
    return [
      {
        instrument: coin,
        kind: 'perp',
        name: `${name} perpetual`,
        quoteCurrency: 'USD',
        pairs: [`${coin}/USD`, `${coin}-USD`, `${coin}-PERP`],
      },
    ];
  },
} as const satisfies VenueFacts;
