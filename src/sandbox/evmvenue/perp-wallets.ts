/** Wallets of the simulated perpetuals venue. Holdings are derived from the address. */
import { createHash } from 'node:crypto';
import { DAY_MS, type EpochMs, HOUR_MS } from '../../domain/values/time.ts';
import { seededRandom } from '../faults.ts';
import type { Market } from '../market/market.ts';

const MAX_FILLS = 2_000;

/** Name and size decimals of a coin, and the market asset that it follows. */
export interface PerpListing {
  readonly coin: string;
  readonly asset: string;
  readonly sizeDecimals: number;
  readonly maxLeverage: number;
  /** Factor on the asset's funding rate; 1 on the main dex. */
  readonly fundingScale: number;
}

/** Rounds a price to the venue's precision: five significant digits, at most 6 - sizeDecimals decimals; integers are always allowed. */
export function perpPrice(price: number, sizeDecimals: number): string {
  const magnitude = price > 0 ? Math.floor(Math.log10(price)) : 0;
  const decimals = Math.max(0, Math.min(4 - magnitude, 6 - sizeDecimals));
  const text = price.toFixed(decimals);
  return text.includes('.') ? text : `${text}.0`;
}

function createRandom(address: string): () => number {
  return seededRandom(createHash('sha256').update(address).digest().readUInt32LE(0));
}

interface Position {
  readonly listing: PerpListing;
  readonly size: number;
  readonly openedAt: EpochMs;
}

/** Returns up to three positions. Addresses ending in 0 are unknown to the venue and hold nothing. */
function holdings(address: string, listings: readonly PerpListing[], epoch: EpochMs): readonly Position[] {
  if (address.endsWith('0')) return [];
  const random = createRandom(address);
  return listings.slice(0, 1 + Math.floor(random() * 3)).map((listing) => ({
    listing,
    size: Number(((random() < 0.5 ? -1 : 1) * (0.2 + 2 * random())).toFixed(listing.sizeDecimals)),
    openedAt: epoch + Math.floor(random() * 24) * HOUR_MS,
  }));
}

/** Returns the time at which the simulated wallets opened their positions: two days earlier, at midnight UTC. */
function openingEpoch(now: EpochMs): EpochMs {
  return Math.floor(now / DAY_MS) * DAY_MS - 2 * DAY_MS;
}

/** Returns the body of `clearinghouseState`. */
export function clearinghouseState(address: string, market: Market, listings: readonly PerpListing[], now: EpochMs, time: EpochMs): object {
  const held = holdings(address, listings, openingEpoch(now));
  let notional = 0;
  let margin = 0;
  let pnl = 0;
  const assetPositions = held.map(({ listing, size, openedAt }) => {
    const { mark } = market.perp(listing.asset, now);
    const entry = market.perp(listing.asset, openedAt).mark;
    const value = Math.abs(size) * mark;
    const unrealized = size * (mark - entry);
    const used = value / 10;
    notional += value;
    margin += used;
    pnl += unrealized;
    return {
      type: 'oneWay',
      position: {
        coin: listing.coin,
        szi: size.toFixed(listing.sizeDecimals),
        leverage: { type: 'cross', value: 10 },
        entryPx: perpPrice(entry, listing.sizeDecimals),
        positionValue: value.toFixed(6),
        unrealizedPnl: unrealized.toFixed(6),
        returnOnEquity: (unrealized / used).toFixed(10),
        liquidationPx: perpPrice(Math.max(entry * (size > 0 ? 0.55 : 1.45), 0.000_1), listing.sizeDecimals),
        marginUsed: used.toFixed(6),
        maxLeverage: listing.maxLeverage,
        cumFunding: { allTime: '0.0', sinceOpen: '0.0', sinceChange: '0.0' },
      },
    };
  });
  const accountValue = held.length === 0 ? 0 : Math.max(margin * 2 + pnl, margin);
  const summary = {
    accountValue: accountValue.toFixed(6),
    totalNtlPos: notional.toFixed(6),
    totalRawUsd: (accountValue - notional).toFixed(6),
    totalMarginUsed: margin.toFixed(6),
  };
  return {
    marginSummary: summary,
    crossMarginSummary: summary,
    crossMaintenanceMarginUsed: (margin / 2).toFixed(6),
    withdrawable: Math.max(0, accountValue - margin).toFixed(6),
    assetPositions,
    time,
  };
}

/**
 * Returns the body of `userFills`, newest first: two round trips a day, or one every half hour for addresses ending in `f`, which exceed
 * the venue's cap of 2000 within 30 days. Maker fills have negative fees (rebates). Each trip is derived from its own number, so reported
 * fills never change.
 */
export function userFills(address: string, market: Market, listings: readonly PerpListing[], now: EpochMs): readonly object[] {
  if (address.endsWith('0')) return [];
  const roundTrips = address.endsWith('f') ? MAX_FILLS : 20 + Math.floor(createRandom(`fills ${address}`)() * 60);
  const stepMs = address.endsWith('f') ? HOUR_MS / 2 : 12 * HOUR_MS;
  const lastTrip = Math.floor(now / stepMs);
  const fills: object[] = [];
  for (let trip = lastTrip; fills.length < MAX_FILLS && trip > lastTrip - roundTrips; trip--)
    fills.push(...roundTrip(address, market, listings, trip, stepMs));
  return fills.slice(0, MAX_FILLS);
}

/** Returns the body of `userFillsByTime`, oldest first, at most 2000 fills. */
export function userFillsSince(
  address: string,
  market: Market,
  listings: readonly PerpListing[],
  now: EpochMs,
  from: EpochMs,
): readonly object[] {
  const fills = userFills(address, market, listings, now) as readonly { readonly time: EpochMs }[];
  return fills
    .filter(({ time }) => time >= from)
    .toReversed()
    .slice(0, MAX_FILLS);
}

/** Returns the closing and the opening fill of a round trip. */
function roundTrip(
  address: string,
  market: Market,
  listings: readonly PerpListing[],
  trip: number,
  stepMs: number,
): readonly [object, object] {
  const random = createRandom(`fills ${address} ${trip}`);
  const listing = listings[Math.floor(random() * listings.length)] as PerpListing;
  const size = Number((0.1 + random()).toFixed(listing.sizeDecimals));
  const long = random() < 0.5;
  const closedAt = trip * stepMs;
  const openedAt = closedAt - (stepMs * 2) / 3;
  const row = (at: EpochMs, closing: boolean): object => {
    const price = market.perp(listing.asset, at).mark;
    const taker = random() < 0.7;
    const entry = market.perp(listing.asset, openedAt).mark;
    const order = Math.floor(random() * 2 ** 40);
    return {
      coin: listing.coin,
      px: perpPrice(price, listing.sizeDecimals),
      sz: size.toFixed(listing.sizeDecimals),
      side: long === closing ? 'A' : 'B',
      time: at,
      startPosition: closing ? ((long ? 1 : -1) * size).toFixed(listing.sizeDecimals) : '0.0',
      dir: `${closing ? 'Close' : 'Open'} ${long ? 'Long' : 'Short'}`,
      closedPnl: closing ? ((long ? 1 : -1) * size * (price - entry)).toFixed(6) : '0.0',
      hash: `0x${createHash('sha256').update(`${address} ${trip} ${closing}`).digest('hex')}`,
      oid: order,
      crossed: taker,
      fee: (size * price * (taker ? 0.000_45 : -0.000_01)).toFixed(6),
      tid: Math.floor(random() * 2 ** 50),
      feeToken: 'USDC',
      twapId: null,
    };
  };
  return [row(closedAt, true), row(openedAt, false)];
}
