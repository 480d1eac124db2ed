/** The perpetuals venue as the engine knows it in advance: books twice a second, one perpetual per coin, and a builder's perpetuals on shares. */
import type { CostModel, CryptoAsset, Share, VenueFacts, VenueListing } from './venue-facts.ts';

/** The builder's dex whose perpetuals on shares are followed; its coins carry its name: `xyz:AAPL`. */
export const SHARE_DEX = 'xyz';

/**
 * The shares that it lists a perpetual on, priced in dollars per share. Its markets on indices are priced in points of the
 * index, so the funds of the catalog have none.
 */
const SHARE_PERPS: ReadonlySet<string> = new Set(['AAPL', 'TSLA', 'NVDA', 'GOOGL', 'AMZN', 'META', 'MSFT', 'MSTR', 'COIN']);

/** Fee assumed: twice the venue's, of which the deployer has half. Its growth mode is not counted on. The depth is cautious. */
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
  // Its orders are signed by keys of an account there, which nobody holds for an organization.
  liveOrders: false,
  hasBooks: true,
  restingOrders: false,
  slicedOrders: true,
  // No order of ours rests there, so its trades fill nothing: the book at arrival decides.
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
  // Each coin's whole book comes twice a second whether it changed or not: its silence is the coin's own, and the pongs
  // of the socket, which go on for all coins, must not vouch for it.
  sourceLimits: { 'hyperliquid:bbo': { cadence: 'continuous' }, 'hyperliquid:l2Book': { cadence: 'continuous' } },
  // The published fee of the lowest tier and a cautious depth.
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
