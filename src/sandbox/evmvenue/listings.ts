/** Listings of the simulated perpetuals venue: coins, stocks of a builder's dex, and one delisted market. */
import type { EpochMs } from '../../domain/values/time.ts';
import type { Market } from '../market/market.ts';
import type { PerpListing } from './perp-wallets.ts';

/** Builder-deployed markets: perpetuals on shares carry this dex as a prefix, `xyz:TSLA`. */
export const SHARE_DEX = 'xyz';
/** Symbols of funds. The dex lists their index, in points, instead. */
const FUNDS: ReadonlySet<string> = new Set(['SPY', 'QQQ']);
/** Deployer's factor on the venue's funding rate. At 0.5 a calm premium pays 0.00000625 an hour. */
const SHARE_FUNDING = 0.5;
/** Terms of share markets as the real dex has reported them since fees are scaled. */
const SHARE_TERMS = { growthMode: 'enabled', lastFeeScaleChangeTime: '2025-11-23T17:37:10.033211662', deployerFeeScale: '1.0' };
/** Delisted market that the venue still shows, like real ones: no book, no premium, mark at yesterday's price. */
const DELISTED = { name: 'MATIC', szDecimals: 1, maxLeverage: 20, price: '0.37621' };

export const DELISTED_CONTEXT = {
  funding: '0.0',
  openInterest: '0.0',
  prevDayPx: DELISTED.price,
  dayNtlVlm: '0.0',
  premium: null,
  oraclePx: DELISTED.price,
  markPx: DELISTED.price,
  midPx: null,
  impactPxs: null,
  dayBaseVlm: '0.0',
};

export interface PerpListings {
  readonly byCoin: ReadonlyMap<string, PerpListing>;
  readonly mainDex: readonly PerpListing[];
  readonly shareDex: readonly PerpListing[];
}

/** Returns the listings, without the assets that are not public yet. */
export function createListings(market: Market, now: EpochMs): PerpListings {
  const all = market.assets
    .filter(({ symbol, kind }) => kind !== 'pre_ipo' && !FUNDS.has(symbol))
    .map(({ symbol, kind }): PerpListing => {
      const price = market.perp(symbol, now).mark;
      const coin = kind === 'crypto' ? symbol : `${SHARE_DEX}:${symbol}`;
      const sizeDecimals = Math.max(0, Math.min(5, Math.floor(Math.log10(price)) + 1));
      const fundingScale = kind === 'crypto' ? 1 : SHARE_FUNDING;
      return { coin, asset: symbol, sizeDecimals, maxLeverage: kind === 'crypto' ? 40 : 10, fundingScale };
    });
  return {
    byCoin: new Map(all.map((listing) => [listing.coin, listing])),
    mainDex: all.filter(({ coin }) => !coin.includes(':')),
    shareDex: all.filter(({ coin }) => coin.includes(':')),
  };
}

/** Returns the listings of a dex in the venue's format, or null if the dex is unknown. */
export function formatMeta({ mainDex, shareDex }: PerpListings, dex: unknown): object | null {
  if (dex !== undefined && dex !== '' && dex !== SHARE_DEX) return null;
  const own = dex === SHARE_DEX ? shareDex : mainDex;
  const universe: object[] = own.map(({ coin, sizeDecimals, maxLeverage }) =>
    dex === SHARE_DEX
      ? {
          name: coin,
          szDecimals: sizeDecimals,
          maxLeverage,
          marginTableId: maxLeverage,
          onlyIsolated: true,
          marginMode: 'strictIsolated',
          ...SHARE_TERMS,
        }
      : { name: coin, szDecimals: sizeDecimals, maxLeverage, marginTableId: maxLeverage },
  );
  if (dex !== SHARE_DEX) {
    universe.push({
      name: DELISTED.name,
      szDecimals: DELISTED.szDecimals,
      maxLeverage: DELISTED.maxLeverage,
      marginTableId: 20,
      isDelisted: true,
    });
  }
  return { universe, marginTables: [], collateralToken: 0 };
}
