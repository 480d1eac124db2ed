/**
 * Client of Polymarket's three HTTP services: catalog (Gamma), order books (CLOB) and trades (Data).
 * See docs/reference/outside/polymarket.md.
 */
import type { Clock } from '../../../../../streams/clock/clock.ts';
import { createUnknownFields, type UnknownFields } from '../../../../../streams/feed-counters.ts';
import type { PredictionBook, PredictionMarket, PredictionTrade } from '../../../../domain/prediction/market.ts';
import type { Rejection } from '../../../../domain/market/quote.ts';
import { rejection } from '../../feed-messages.ts';
import type { RequestBudget } from '../../request-budget.ts';
import { VenueError } from '../../venue-feed.ts';
import { createVenueHttp, type Patience } from '../../venue-http.ts';
import { isRejection } from '../fields.ts';
import type { Listing } from '../provider-feed.ts';
import { mapBook, mapClobWinner, mapGammaEvents, mapGammaMarkets, mapTrades, PROVIDER, withWinner } from './map.ts';

/** Window of the request limits in milliseconds, and the requests that each service allows in it. */
export const POLYMARKET_WINDOW_MS = 10_000;
export const POLYMARKET_LIMITS = { gamma: 300, clob: 1_500, data: 200 } as const;

const PAGE = 100;
/** Offset beyond which the provider does not page. */
const LAST_OFFSET = 10_000;
/** Maximum condition ids per request. */
const MAX_IDS = 100;

/** Options of the client. `maxWaitMs` is 20 s by default. */
interface PolymarketRestOptions extends Patience {
  readonly gammaUrl: string;
  readonly clobUrl: string;
  readonly dataUrl: string;
  readonly clock: Clock;
  /** Random source for the jitter of retries, 0 <= n < 1. */
  readonly random: () => number;
  readonly budgets: { readonly gamma: RequestBudget; readonly clob: RequestBudget; readonly data: RequestBudget };
  /** Maximum number of listed markets, the most traded first. Default 2000. */
  readonly maxMarkets?: number;
  /** Counter of unknown fields in the answers. Default: one of its own. */
  readonly unknownFields?: UnknownFields;
}

interface PolymarketRest {
  /** Counter of unknown fields in the answers. */
  readonly unknownFields: UnknownFields;
  /** Lists the open markets of the most traded events. @throws VenueError */
  list(): Promise<Listing>;
  /** Reads the current state of these markets, with the winner even if only the order book service has it. @throws VenueError */
  ask(markets: readonly PredictionMarket[]): Promise<Listing>;
  /** Reads a market's book. @throws VenueError, also if the answer is unreadable */
  book(market: PredictionMarket): Promise<PredictionBook>;
  /** Reads the newest trades, at most 100. @throws VenueError */
  trades(market: PredictionMarket): Promise<readonly PredictionTrade[]>;
}

/** Parses an error `{"error": text}`. */
function readError(body: unknown, status: number): { code: string; message: string } | null {
  const text = (body as { error?: unknown } | null)?.error;
  return typeof text === 'string' ? { code: `http_${status}`, message: text.slice(0, 200) } : null;
}

export function createPolymarketRest(options: PolymarketRestOptions): PolymarketRest {
  return new PolymarketClient(options);
}

class PolymarketClient implements PolymarketRest {
  readonly #options: PolymarketRestOptions;
  readonly #clock;
  readonly #random;
  readonly #maxMarkets;
  readonly #unknownFields;

  readonly #gamma;
  readonly #clob;
  readonly #data;

  constructor(options: PolymarketRestOptions) {
    this.#options = options;
    const { clock, random, budgets } = options;
    this.#clock = clock;
    this.#random = random;
    this.#maxMarkets = options.maxMarkets ?? 2_000;
    this.#unknownFields = options.unknownFields ?? createUnknownFields();
    this.#gamma = this.#client(options.gammaUrl, budgets.gamma, POLYMARKET_LIMITS.gamma);
    this.#clob = this.#client(options.clobUrl, budgets.clob, POLYMARKET_LIMITS.clob);
    this.#data = this.#client(options.dataUrl, budgets.data, POLYMARKET_LIMITS.data);
  }

  get unknownFields() {
    return this.#unknownFields;
  }

  async list(): Promise<Listing> {
    const markets: PredictionMarket[] = [];
    const rejections: Rejection[] = [];
    for (let offset = 0; offset < LAST_OFFSET && markets.length < this.#maxMarkets; offset += PAGE) {
      const body = await this.#gamma.get(
        '/events',
        { closed: 'false', active: 'true', archived: 'false', order: 'volume24hr', ascending: 'false', limit: PAGE, offset },
        1,
      );
      const page = mapGammaEvents(body, this.#clock.now(), this.#unknownFields.note);
      markets.push(...page.markets);
      rejections.push(...page.rejections);
      if (!Array.isArray(body) || body.length < PAGE) break;
    }
    // An event with open markets may also list closed ones.
    return { markets: markets.slice(0, this.#maxMarkets), rejections };
  }

  async ask(asked: readonly PredictionMarket[]): Promise<Listing> {
    const markets: PredictionMarket[] = [];
    const rejections: Rejection[] = [];
    for (let from = 0; from < asked.length; from += MAX_IDS) {
      const ids = asked.slice(from, from + MAX_IDS);
      // The catalog omits closed markets unless they are requested.
      for (const closed of ['true', 'false']) {
        const query: (readonly [string, string])[] = [
          ...ids.map(({ providerId }) => ['condition_ids', providerId] as const),
          ['closed', closed],
          ['limit', String(MAX_IDS)],
        ];
        const page = mapGammaMarkets(await this.#gamma.get('/markets', query, 1), this.#clock.now(), this.#unknownFields.note);
        markets.push(...page.markets);
        rejections.push(...page.rejections);
      }
    }
    const known = new Map(asked.map((market) => [market.id, market]));
    // Markets requested individually come without their events.
    const linked = markets.map((market) => (market.event === null ? { ...market, event: known.get(market.id)?.event ?? null } : market));
    return this.#withWinners({ markets: linked, rejections });
  }

  async book(market: PredictionMarket): Promise<PredictionBook> {
    const body = await this.#clob.get('/book', { token_id: market.outcomes[0].providerId }, 1);
    const book = mapBook(body, market, this.#clock.now(), this.#unknownFields.note);
    if (isRejection(book)) throw new VenueError('prediction', 200, book.reason, book.detail);
    return book;
  }

  async trades(market: PredictionMarket): Promise<readonly PredictionTrade[]> {
    const body = await this.#data.get('/trades', { market: market.providerId, limit: 100, takerOnly: 'true' }, 1);
    const { trades, rejections } = mapTrades(body, market, this.#clock.now(), this.#unknownFields.note);
    const [first] = rejections;
    if (trades.length === 0 && first !== undefined) throw new VenueError('prediction', 200, first.reason, first.detail);
    return trades;
  }

  async #withWinners(listing: Listing): Promise<Listing> {
    const rejections = [...listing.rejections];
    const markets: PredictionMarket[] = [];
    for (const market of listing.markets) {
      if (market.status !== 'closed') {
        markets.push(market);
        continue;
      }
      const receivedAt = this.#clock.now();
      const found = await this.#winnerOf(market.providerId, receivedAt);
      if (isRejection(found)) rejections.push(found);
      markets.push(isRejection(found) || found.winner === null ? market : withWinner(market, found.winner));
    }
    return { markets, rejections };
  }

  async #winnerOf(conditionId: string, receivedAt: number): Promise<{ winner: string | null } | Rejection> {
    try {
      return mapClobWinner(await this.#clob.get(`/markets/${conditionId}`, {}, 1), receivedAt, this.#unknownFields.note);
    } catch (error) {
      if (!(error instanceof VenueError)) throw error;
      // A market that never had an order book has no winner there.
      if (error.status === 404) return { winner: null };
      // One unreadable answer costs its own market one round, but not the other ninety-nine.
      if (error.status >= 200 && error.status < 300)
        return rejection('prediction', `${PROVIDER}:clob`, receivedAt, 'venue_error', `${error.code}: ${error.message}`, '');
      throw error;
    }
  }

  #client(baseUrl: string, budget: RequestBudget, limit: number) {
    return createVenueHttp({
      venue: 'prediction',
      baseUrl,
      clock: this.#clock,
      random: this.#random,
      budget,
      weightPerMinute: limit * 6,
      maxWaitMs: this.#options.maxWaitMs ?? 20_000,
      ...(this.#options.totalMs === undefined ? {} : { totalMs: this.#options.totalMs }),
      limitPauseMs: POLYMARKET_WINDOW_MS,
      readError,
    });
  }
}
