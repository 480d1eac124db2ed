/**
 * Order books of the spot exchange over REST: snapshots for the local book and for `GET /v1/order-book`. See
 * docs/reference/outside/spot-exchange.md.
 */
import type { Clock } from '../../../../streams/clock/clock.ts';
import { NO_FLAGS } from '../../../domain/market/quote.ts';
import { knownFields } from '../known-fields.ts';
import type { OrderBook } from '../order-book.ts';
import type { VenueHttp } from '../venue-http.ts';
import type { DepthSnapshot } from './local-book.ts';
import { bookLevels, DEPTH_SOURCE } from './map.ts';
import { badAnswer } from './rest.ts';

/** Known members of a snapshot; levels are lists of two values. */
export const SNAPSHOT_FIELDS = knownFields('binance:rest.depth', 'lastUpdateId bids asks');

/** Maximum levels per side of a request. */
const MAX_DEPTH = 5_000;

/** Returns the request weight of a depth request. */
function depthWeight(levels: number): number {
  return levels <= 100 ? 5 : levels <= 500 ? 25 : levels <= 1_000 ? 50 : 250;
}

/**
 * Fetches a snapshot of one book with at most `levels` per side. A new listing may have empty sides and update id -1. @throws VenueError
 * with the venue's code, or `bad_answer`
 */
export async function fetchDepthSnapshot(rest: VenueHttp, instrument: string, levels: number): Promise<DepthSnapshot> {
  const limit = Math.min(Math.max(1, Math.trunc(levels)), MAX_DEPTH);
  const answer = await rest.get('/api/v3/depth', { symbol: instrument, limit }, depthWeight(limit), SNAPSHOT_FIELDS);
  const { lastUpdateId, bids, asks } = (answer ?? {}) as Record<string, unknown>;
  if (typeof lastUpdateId !== 'number' || !Number.isSafeInteger(lastUpdateId)) throw badAnswer('depth', 'lastUpdateId is no whole number');
  const bidLevels = bookLevels(bids);
  const askLevels = bookLevels(asks);
  if (bidLevels === null || askLevels === null) throw badAnswer('depth', 'a level is no pair of plain decimals');
  return { lastUpdateId, bids: bidLevels, asks: askLevels };
}

/** Fetches the book. The answer contains no time, so `observedAt` is the time of receipt. @throws VenueError */
export async function fetchOrderBook(rest: VenueHttp, clock: Clock, instrument: string, levels: number): Promise<OrderBook> {
  const snapshot = await fetchDepthSnapshot(rest, instrument, levels);
  const receivedAt = clock.now();
  return {
    venue: 'spotexchange',
    instrument,
    source: DEPTH_SOURCE,
    observedAt: receivedAt,
    receivedAt,
    sourceTime: false,
    sequence: snapshot.lastUpdateId,
    bids: snapshot.bids,
    asks: snapshot.asks,
    quality: 'live',
    flags: NO_FLAGS,
  };
}
