/**
 * Polymarket's three HTTP services: the catalogue (Gamma), the order books (CLOB) and the trades (Data).
 * See docs/reference/outside/polymarket.md.
 */
import type { Clock } from '../../../../../streams/clock.ts';
import { createUnknownFields, type UnknownFields } from '../../../../../streams/feed-counters.ts';
import type { PredictionBook, PredictionMarket, PredictionTrade } from '../../../../domain/prediction/market.ts';
import type { Rejection } from '../../../../domain/quote.ts';
import { rejection } from '../../feed-messages.ts';
import type { RequestBudget } from '../../request-budget.ts';
import { VenueError } from '../../venue-feed.ts';
import { createVenueHttp } from '../../venue-http.ts';
import { isRejection } from '../fields.ts';
import type { Listing } from '../provider-feed.ts';
import { mapBook, mapClobWinner, mapGammaEvents, mapGammaMarkets, mapTrades, PROVIDER, withWinner } from './map.ts';

/** Requests in any 10 s that each service allows: `/markets`, `/events` and both together of Gamma; `/trades`; `/book`. */
export const POLYMARKET_WINDOW_MS = 10_000;
export const POLYMARKET_LIMITS = { gamma: 300, clob: 1_500, data: 200 } as const;

const PAGE = 100;
/** The provider stops paging by offset here. */
const LAST_OFFSET = 10_000;
/** Condition ids that one request may name. */
const MAX_IDS = 100;

export interface PolymarketRestOptions {
  readonly gammaUrl: string;
  readonly clobUrl: string;
  readonly dataUrl: string;
  readonly clock: Clock;
  /** For the jitter of retries, 0 <= n < 1. */
  readonly random: () => number;
  readonly budgets: { readonly gamma: RequestBudget; readonly clob: RequestBudget; readonly data: RequestBudget };
  /** How long a request may wait for budget. Default 20 s. */
  readonly maxWaitMs?: number;
  /** Markets that are listed at most, the most traded first. Default 2000. */
  readonly maxMarkets?: number;
  /** Counts what the answers hold that nobody knows. Default: a counter of its own. */
  readonly unknownFields?: UnknownFields;
}

export interface PolymarketRest {
  /** What the answers hold that nobody knows. */
  readonly unknownFields: UnknownFields;
  /** Every open market of the most traded events. @throws VenueError */
  list(): Promise<Listing>;
  /** These markets as they stand now, with the winner where only the order books know it. @throws VenueError */
  ask(markets: readonly PredictionMarket[]): Promise<Listing>;
  /** @throws VenueError, also where the answer cannot be read. */
  book(market: PredictionMarket): Promise<PredictionBook>;
  /** The newest trades, at most 100. @throws VenueError */
  trades(market: PredictionMarket): Promise<readonly PredictionTrade[]>;
}

/** Errors come as `{"error": text}`. */
function readError(body: unknown, status: number): { code: string; message: string } | null {
  const text = (body as { error?: unknown } | null)?.error;
  return typeof text === 'string' ? { code: `http_${status}`, message: text.slice(0, 200) } : null;
}

export function createPolymarketRest(options: PolymarketRestOptions): PolymarketRest {
  const { clock, random, budgets } = options;
  const maxMarkets = options.maxMarkets ?? 2_000;
  const unknownFields = options.unknownFields ?? createUnknownFields();
  const client = (baseUrl: string, budget: RequestBudget, limit: number) =>
    createVenueHttp({
      venue: 'prediction',
      baseUrl,
      clock,
      random,
      budget,
      weightPerMinute: limit * 6,
      maxWaitMs: options.maxWaitMs ?? 20_000,
      limitPauseMs: POLYMARKET_WINDOW_MS,
      readError,
    });
  const gamma = client(options.gammaUrl, budgets.gamma, POLYMARKET_LIMITS.gamma);
  const clob = client(options.clobUrl, budgets.clob, POLYMARKET_LIMITS.clob);
  const data = client(options.dataUrl, budgets.data, POLYMARKET_LIMITS.data);

  async function withWinners(listing: Listing): Promise<Listing> {
    const rejections = [...listing.rejections];
    const markets: PredictionMarket[] = [];
    for (const market of listing.markets) {
      if (market.status !== 'closed') {
        markets.push(market);
        continue;
      }
      const receivedAt = clock.now();
      const found = await winnerOf(market.providerId, receivedAt);
      if (isRejection(found)) rejections.push(found);
      markets.push(isRejection(found) || found.winner === null ? market : withWinner(market, found.winner));
    }
    return { markets, rejections };
  }

  async function winnerOf(conditionId: string, receivedAt: number): Promise<{ winner: string | null } | Rejection> {
    try {
      return mapClobWinner(await clob.get(`/markets/${conditionId}`, {}, 1), receivedAt, unknownFields.note);
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      // A market that the order books never had has no winner there.
      if (error.status === 404) return { winner: null };
      // One answer that cannot be read costs its own market one round, and not the other ninety-nine.
      if (error.status >= 200 && error.status < 300)
        return rejection('prediction', `${PROVIDER}:clob`, receivedAt, 'venue_error', `${error.code}: ${error.message}`, '');
      throw error;
    }
  }

  return {
    unknownFields,

    async list() {
      const markets: PredictionMarket[] = [];
      const rejections: Rejection[] = [];
      for (let offset = 0; offset < LAST_OFFSET && markets.length < maxMarkets; offset += PAGE) {
        const body = await gamma.get(
          '/events',
          { closed: 'false', active: 'true', archived: 'false', order: 'volume24hr', ascending: 'false', limit: PAGE, offset },
          1,
        );
        const page = mapGammaEvents(body, clock.now(), unknownFields.note);
        markets.push(...page.markets);
        rejections.push(...page.rejections);
        if (!Array.isArray(body) || body.length < PAGE) break;
      }
      // An event of an open market may list closed ones beside it.
      return { markets: markets.slice(0, maxMarkets), rejections };
    },

    async ask(asked) {
      const markets: PredictionMarket[] = [];
      const rejections: Rejection[] = [];
      for (let from = 0; from < asked.length; from += MAX_IDS) {
        const ids = asked.slice(from, from + MAX_IDS);
        // The catalogue leaves out closed markets unless they are asked for.
        for (const closed of ['true', 'false']) {
          const query: (readonly [string, string])[] = [
            ...ids.map(({ providerId }) => ['condition_ids', providerId] as const),
            ['closed', closed],
            ['limit', String(MAX_IDS)],
          ];
          const page = mapGammaMarkets(await gamma.get('/markets', query, 1), clock.now(), unknownFields.note);
          markets.push(...page.markets);
          rejections.push(...page.rejections);
        }
      }
      const known = new Map(asked.map((market) => [market.id, market]));
      // Asked for by themselves, markets come without their events.
      const linked = markets.map((market) => (market.event === null ? { ...market, event: known.get(market.id)?.event ?? null } : market));
      return withWinners({ markets: linked, rejections });
    },

    async book(market) {
      const body = await clob.get('/book', { token_id: market.outcomes[0].providerId }, 1);
      const book = mapBook(body, market, clock.now(), unknownFields.note);
      if (isRejection(book)) throw new VenueError('prediction', 200, book.reason, book.detail);
      return book;
    },

    async trades(market) {
      const body = await data.get('/trades', { market: market.providerId, limit: 100, takerOnly: 'true' }, 1);
      const { trades, rejections } = mapTrades(body, market, clock.now(), unknownFields.note);
      const [first] = rejections;
      if (trades.length === 0 && first !== undefined) throw new VenueError('prediction', 200, first.reason, first.detail);
      return trades;
    },
  };
}
